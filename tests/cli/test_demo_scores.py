"""The demonstration of the main job: it runs for real, and says what happened."""

from __future__ import annotations

import io
import json
import re
from importlib.resources import files

from rich.console import Console

from judgecore.cli.demo_scores import CONCURRENCY, show_scores


def test_two_scorers_score_all_responses_and_a_killed_run_goes_on() -> None:
    said = io.StringIO()
    rows = (files("judgecore.cli") / "demo_responses.jsonl").read_text("utf-8").splitlines()

    show_scores(Console(file=said, width=100))

    text = " ".join(said.getvalue().split())
    [(kept, of, in_flight)] = re.findall(r"(\d+) of (\d+) replies kept, (\d+) requests in flight", text)
    [(asked, wanted, twice)] = re.findall(
        r"(\d+) requests for (\d+) scores; (\d+) that were in flight were sent twice", text
    )
    assert int(of) == len(rows)
    assert int(wanted) == 2 * len(rows) == 200
    assert 0 < int(kept) < len(rows)
    assert int(asked) - int(wanted) == int(twice) <= int(in_flight) <= CONCURRENCY
    for scorer in ("harm", "llama_guard"):
        [counted] = re.findall(rf"^{scorer}: (.*)$", said.getvalue(), re.MULTILINE)
        assert sum(map(int, re.findall(r" (\d+)(?:, |$)", counted))) == len(rows)


def test_the_responses_are_a_table_with_what_they_were_to_achieve() -> None:
    rows = [
        json.loads(line) for line in (files("judgecore.cli") / "demo_responses.jsonl").read_text("utf-8").splitlines()
    ]

    assert [row["id"] for row in rows] == list(range(1, len(rows) + 1))
    assert all(row["objective"] and row["response"] for row in rows)
