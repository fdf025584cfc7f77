"""A scorer on the terminal: all that is known of it, in 80 columns, and nothing that could steer the terminal."""

from __future__ import annotations

import asyncio
import io
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from judgecore import ComponentIdentifier
from judgecore.evaluation import (
    DatasetSummary,
    EvaluationResult,
    ItemResult,
    ItemTrial,
    Measure,
    ObjectiveScorerMetrics,
    Registry,
)
from judgecore.identity import ScorerEvaluationIdentifier
from judgecore.reports import ConsoleScorerPrinter
from judgecore.reports.console import known_measures
from judgecore.scorers import KeywordRefusalScorer

if TYPE_CHECKING:
    from pathlib import Path

METRICS = ObjectiveScorerMetrics(
    num_responses=2,
    num_human_raters=1,
    num_scorer_trials=1,
    dataset_name="refusal.csv",
    accuracy=0.5,
    accuracy_standard_error=0.35,
    f1_score=None,
    precision=None,
    recall=0.5,
)


def scorer(name: str = "MyScorer") -> ComponentIdentifier:
    target = ComponentIdentifier(class_name="OpenAITarget", class_module="judgecore", params={"model_name": "m"})
    return ComponentIdentifier(
        class_name=name, class_module="mine", params={"question": "q " * 500}, children={"prompt_target": target}
    )


def evaluated(name: str = "MyScorer") -> EvaluationResult:
    items = (
        ItemResult(index=0, response="a", human=(1.0,), gold=1.0, trials=(ItemTrial(value=1.0),), model=1.0),
        ItemResult(
            index=1, response="b", human=(1.0,), gold=1.0, trials=(ItemTrial(value=None, reason="refused"),), model=None
        ),
    )
    return EvaluationResult(
        scorer_identifier=scorer(name),
        subject="refusal",
        dataset=DatasetSummary(name="refusal.csv", version=None, content_hash="d"),
        metrics=METRICS,
        measures=(
            Measure(name="accuracy", value=0.5, low=0.1, high=0.9, baselines={"always_true": 1.0, "chance": None}),
            Measure(name="precision", value=None, reason="the scorer never says true"),
        ),
        items=items,
    )


@pytest.fixture
def screen() -> Console:
    return Console(file=io.StringIO(), width=80, markup=False, highlight=False, emoji=False)


def shown(screen: Console) -> str:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


def test_measures_baselines_undetermined_trials_and_the_scorers_hash_are_shown(screen: Console) -> None:
    ConsoleScorerPrinter(screen).print_result(evaluated())

    text = shown(screen)
    eval_hash = ScorerEvaluationIdentifier(evaluated().scorer_identifier).eval_hash
    assert text.splitlines()[-1] == f"MyScorer  eval_hash {eval_hash[:16]}"
    assert "refusal, refusal.csv: 2 responses, 1 rater, 1 trial" in text
    assert "50.0%" in text
    assert "10.0% to 90.0%" in text
    assert "always true 100.0%" in text
    assert "undefined: the scorer" in text
    assert "undetermined trials: refused 1" in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_a_scorer_without_an_entry_is_shown_whole_as_not_evaluated(screen: Console) -> None:
    ConsoleScorerPrinter(screen).print_scorer(scorer())

    assert "MyScorer  mine" in shown(screen)
    assert "model_name: m" in shown(screen)
    assert shown(screen).endswith("not evaluated\n")


def test_a_scorers_registry_lines_are_shown(screen: Console, tmp_path: object) -> None:
    registry = Registry(str(tmp_path))
    identity = ScorerEvaluationIdentifier(scorer())
    registry.replace(identity, "refusal", METRICS)

    ConsoleScorerPrinter(screen).print_scorer(scorer(), registry.find_all(identity))

    assert "refusal.csv: 2 responses, 1 rater, 1 trial" in shown(screen)
    assert re.search(r"Accuracy +50\.0%", shown(screen))
    assert re.search(r"F1 +–", shown(screen))
    assert "not evaluated" not in shown(screen)


def test_a_scorer_that_the_default_registry_knows_is_not_said_to_be_unknown(
    screen: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGECORE_REGISTRY", str(tmp_path))
    printer = ConsoleScorerPrinter(screen)

    printer.print_scorer(scorer())
    Registry().replace(ScorerEvaluationIdentifier(scorer()), "refusal", METRICS)
    printer.print_scorer(scorer())

    unknown, known = shown(screen).split("not evaluated")
    assert "refusal.csv" not in unknown
    assert "refusal.csv: 2 responses, 1 rater, 1 trial" in known


def test_a_scorer_without_an_eval_hash_is_said_to_have_none(screen: Console) -> None:
    identifier = replace(scorer(), unnamed_code="it stands in a script")

    ConsoleScorerPrinter(screen).print_scorer(identifier)

    assert "not evaluated: MyScorer has no eval_hash" in shown(screen)
    assert "it stands in a script" in shown(screen)


def test_data_cant_steer_the_terminal(screen: Console) -> None:
    ConsoleScorerPrinter(screen).print_result(evaluated("My\x1b[2JScorer\n\u202e"))

    assert "\x1b" not in shown(screen)
    assert "\\x1b[2J" in shown(screen)


def test_what_is_known_of_a_scorer_is_a_line_for_each_data_set(screen: Console, tmp_path: object) -> None:
    registry = Registry(str(tmp_path))
    identity = ScorerEvaluationIdentifier(scorer())
    printer = ConsoleScorerPrinter(screen)

    printer.print_known(registry.find_all(identity))
    registry.replace(identity, "refusal", METRICS)
    printer.print_known(registry.find_all(identity))

    assert shown(screen).splitlines()[0] == "not evaluated"
    assert "evaluated: F1 –, Accuracy 50.0%" in shown(screen)
    assert shown(screen).splitlines()[-1] == "  on refusal.csv: 2 responses, 1 rater, 1 trial"


def test_a_line_of_judgecores_own_has_intervals_baselines_and_coverage(screen: Console, tmp_path: object) -> None:
    registry = Registry(str(tmp_path))
    scored = KeywordRefusalScorer()
    asyncio.run(scored.evaluate_async(num_scorer_trials=1, registry=registry))
    identity = ScorerEvaluationIdentifier(scored.get_identifier())

    ConsoleScorerPrinter(screen).print_scorer(scored.get_identifier(), registry.find_all(identity))

    assert re.search(r"F1 +65\.0% +45\.2% to 80\.8% +always true 58\.1%", shown(screen))
    assert re.search(r"Coverage +100\.0%", shown(screen))


@pytest.mark.parametrize("statistics", [None, 3, [], {"intervals": 1, "baselines": {"a": 2}, "num_scored": "x"}])
def test_what_others_wrote_beside_the_metrics_is_passed_over(screen: Console, statistics: object) -> None:
    metrics = replace(METRICS, beyond={"statistics": statistics})

    ConsoleScorerPrinter(screen).print_measures(known_measures(metrics))

    assert re.search(r"Accuracy +50\.0%", shown(screen))
