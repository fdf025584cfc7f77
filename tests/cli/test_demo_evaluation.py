"""The demonstration's end: two scorers are evaluated for real, and what is named is there."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from judgecore.cli.demo_evaluation import TAG, demo_folder, show_evaluation
from judgecore.evaluation import ObjectiveScorerMetrics, Registry, ScorerRegistry
from judgecore.identity import ScorerEvaluationIdentifier
from judgecore.scorers import KeywordRefusalScorer

if TYPE_CHECKING:
    import pytest


def test_two_scorers_are_compared_and_registry_and_report_are_where_they_are_said_to_be(tmp_path: Path) -> None:
    said: list[str] = []

    for _ in range(2):
        screen = io.StringIO()
        show_evaluation(Console(file=screen, width=80, markup=False, highlight=False, emoji=False), tmp_path)
        said.append(screen.getvalue())

    text = said[0]
    assert said == [text, text]
    assert max(len(line) for line in text.splitlines() if not line.startswith(("registry: ", "report: "))) <= 80
    assert re.search(r"^ +1 +(judge|keywords) ", text, re.MULTILINE)
    [best] = re.findall(r"best in the registry: (\w+), F1 [\d.]+%, Accuracy [\d.]+%", text)
    entries = Registry(tmp_path / "registry").objective_metrics(refusal=True)
    assert {one.scorer_identifier.class_name for one in entries} == {"KeywordRefusalScorer", "SelfAskRefusalScorer"}
    assert best in {one.eval_hash[:16] for one in entries}
    for what in ("registry", "report"):
        [path] = re.findall(rf"^{what}: (.+)$", text, re.MULTILINE)
        assert Path(path).is_file()


def test_entries_of_an_earlier_version_are_never_the_best(tmp_path: Path) -> None:
    said: list[str] = []
    scorers = ScorerRegistry(Registry(tmp_path / "registry"))
    earlier = ScorerEvaluationIdentifier(KeywordRefusalScorer(first_characters=1).get_identifier())

    for _ in range(2):
        screen = io.StringIO()
        show_evaluation(Console(file=screen, width=80, markup=False, highlight=False, emoji=False), tmp_path)
        said.append(screen.getvalue())
        metrics = scorers.registry.objective_metrics(refusal=True)[0].metrics
        assert isinstance(metrics, ObjectiveScorerMetrics)
        scorers.registry.replace(earlier, "refusal", replace(metrics, f1_score=1.0))
        scorers.tag(earlier.eval_hash, TAG)

    assert said[1] == said[0]
    assert scorers.find(subject="refusal").eval_hash == earlier.eval_hash


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
