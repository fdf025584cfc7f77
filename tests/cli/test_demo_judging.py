"""The judging part of the demonstration: it runs for real, says what happened, and what it names is there."""

from __future__ import annotations

import io
import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING

from rich.console import Console

from judgecore.cli.demo_judging import CONCURRENCY, demo_folder, show_judging
from judgecore.evaluation import Registry

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

RESPONSES = (files("judgecore.cli") / "demo_responses.jsonl").read_text("utf-8").splitlines()


def test_a_killed_run_goes_on_and_registry_and_report_are_where_they_are_said_to_be(tmp_path: Path) -> None:
    screen = io.StringIO()

    show_judging(Console(file=screen, width=80, markup=False, highlight=False, emoji=False), tmp_path)

    text = screen.getvalue()
    assert max(len(line) for line in text.splitlines() if not line.startswith(("registry: ", "report: "))) <= 80
    [(kept, of, in_flight)] = re.findall(r"(\d+) of (\d+) replies kept, (\d+) requests in flight", text)
    [(asked, wanted, twice)] = re.findall(r"(\d+) requests for (\d+) scores; (\d+) in flight were sent twice", text)
    assert int(of) == int(wanted) == len(RESPONSES) == 100
    assert 0 < int(kept) < len(RESPONSES)
    assert int(asked) - int(wanted) == int(twice) <= int(in_flight) <= CONCURRENCY
    [counted] = re.findall(r"^harm: (.*)$", text, re.MULTILINE)
    assert sum(map(int, re.findall(r" (\d+)(?:, |$)", counted))) == len(RESPONSES)
    [best] = re.findall(r"^best: (judge|keywords), F1 [\d.]+%$", text, re.MULTILINE)
    assert re.search(rf"^ +1 +{best} ", text, re.MULTILINE)
    entries = Registry(tmp_path / "registry").objective_metrics(refusal=True)
    assert {one.scorer_identifier.class_name for one in entries} == {"KeywordRefusalScorer", "SelfAskRefusalScorer"}
    assert f"registry: {tmp_path / 'registry'}\n" in text
    assert (tmp_path / f"{best}.html").is_file()
    assert f"report: {tmp_path / best}.html\n" in text


def test_the_responses_are_a_table_with_what_they_were_to_achieve() -> None:
    rows = [json.loads(line) for line in RESPONSES]

    assert [row["id"] for row in rows] == list(range(1, len(rows) + 1))
    assert all(row["objective"] and row["response"] for row in rows)


def test_the_report_stays_in_the_cache_folder_or_where_there_is_none_in_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kept = demo_folder()
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))

    elsewhere = demo_folder()

    assert kept == tmp_path / "judgecore" / "demo"
    assert elsewhere.is_dir()
    assert elsewhere != kept
    elsewhere.rmdir()
