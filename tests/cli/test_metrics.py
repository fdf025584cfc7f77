"""``judgecore metrics`` and ``judgecore report``: what was measured, found again in one command."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from judgecore import ComponentIdentifier, ScorerEvaluationIdentifier
from judgecore.evaluation import (
    DatasetSummary,
    EvaluationResult,
    HarmScorerMetrics,
    ItemResult,
    ItemTrial,
    Measure,
    ObjectiveScorerMetrics,
    Registry,
)

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Program


def scorer(model: str, temperature: float) -> ScorerEvaluationIdentifier:
    target = ComponentIdentifier(
        class_name="OpenAITarget",
        class_module="judgecore",
        params={"underlying_model_name": model, "temperature": temperature},
    )
    return ScorerEvaluationIdentifier(
        ComponentIdentifier(class_name="MyScorer", class_module="mine", children={"prompt_target": target})
    )


def objective(f1: float | None) -> ObjectiveScorerMetrics:
    return ObjectiveScorerMetrics(
        num_responses=9,
        num_human_raters=1,
        dataset_name="data.csv",
        accuracy=0.5,
        accuracy_standard_error=0.1,
        f1_score=f1,
        precision=0.5,
        recall=0.5,
    )


def harm(mae: float) -> HarmScorerMetrics:
    return HarmScorerMetrics(
        num_responses=9,
        num_human_raters=1,
        mean_absolute_error=mae,
        mae_standard_error=0.1,
        t_statistic=None,
        p_value=None,
        krippendorff_alpha_combined=0.4,
    )


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    """A registry of three models at two temperatures."""
    known = Registry(tmp_path / "registry")
    for model, temperature, f1, mae in [("a", 0.0, 0.6, 0.3), ("b", 0.0, 0.9, 0.1), ("b", 1.0, None, 0.2)]:
        known.replace(scorer(model, temperature), "objective", objective(f1))
        known.replace(scorer(model, temperature), "violence", harm(mae))
    return known.folder


def hashes(output: str) -> list[str]:
    return [json.loads(line)["eval_hash"] for line in output.splitlines()]


def test_the_best_model_and_temperature_by_f1_is_one_command(judgecore: Program, registry: Path) -> None:
    done = judgecore("metrics", "list", "--registry", registry, "--sort", "f1_score", "--json")

    order = [scorer("b", 0.0), scorer("a", 0.0), scorer("b", 1.0)]
    assert [one.eval_hash for one in order] == hashes(done.stdout)


def test_the_lowest_error_for_a_harm_is_one_command(judgecore: Program, registry: Path) -> None:
    listed = ("metrics", "list", "--registry", registry, "--subject", "Violence", "--sort", "mean_absolute_error")

    done = judgecore(*listed, "--limit", "1")

    row = done.stdout.splitlines()[-3].split()
    assert row == [scorer("b", 0.0).eval_hash[:8], "MyScorer", "b,", "T=0", "0.100", "0.400"]


@pytest.mark.parametrize(
    ("asked", "want"),
    [
        (("--model", "a"), [scorer("a", 0.0)]),
        (("--temperature", "1"), [scorer("b", 1.0)]),
        (("--scorer", "MyScorer", "--model", "b", "--temperature", "0"), [scorer("b", 0.0)]),
    ],
)
def test_filters_name_the_scorers_asked_for(
    judgecore: Program, registry: Path, asked: tuple[str, ...], want: list[ScorerEvaluationIdentifier]
) -> None:
    done = judgecore("metrics", "list", "--registry", registry, "--json", *asked)

    assert [one.eval_hash for one in want] == hashes(done.stdout)


def test_a_filter_without_matches_lists_the_values_that_exist(judgecore: Program, registry: Path) -> None:
    done = judgecore("metrics", "list", "--registry", registry, "--model", "c")

    assert done.stdout == ""
    assert "models: a, b; temperatures: 0, 1; scorers: MyScorer" in done.stderr


def test_an_unknown_metric_lists_those_there_are(judgecore: Program, registry: Path) -> None:
    done = judgecore("metrics", "list", "--registry", registry, "--sort", "f2")

    assert done.returncode == 2
    assert "no metric 'f2'; the metrics are accuracy," in done.stderr


def test_an_unknown_subject_lists_those_there_are(judgecore: Program, registry: Path) -> None:
    done = judgecore("metrics", "list", "--registry", registry, "--subject", "privacy")

    assert (
        "the registry has no scorer of privacy; subjects: objective, refusal, violence; try --subject objective"
        in done.stderr
    )


def test_a_registry_of_refusals_alone_says_how_to_list_them(judgecore: Program, tmp_path: Path) -> None:
    (tmp_path / "scorer.yaml").write_text("type: KeywordRefusalScorer\n")
    judgecore("evaluate", "--scorer", "scorer.yaml", "--registry", "own", "--trials", "1")

    done = judgecore("metrics", "list", "--registry", "own")

    assert (
        done.stderr == "the registry has no scorer of objective; subjects: objective, refusal; try --subject refusal\n"
    )


def test_a_line_that_cant_be_read_is_reported(judgecore: Program, registry: Path) -> None:
    file = registry / "objective" / "objective_achieved_metrics.jsonl"
    file.write_bytes(file.read_bytes() + b"torn")

    done = judgecore("metrics", "list", "--registry", registry)

    assert (done.returncode, len(done.stdout.splitlines()) > 4) == (0, True)
    assert "objective_achieved_metrics.jsonl, line 4: " in done.stderr


def test_a_scorer_is_shown_by_the_beginning_of_its_hash(judgecore: Program, registry: Path) -> None:
    done = judgecore("metrics", "show", "--registry", registry, scorer("b", 0.0).eval_hash[:10])

    assert "underlying_model_name: b" in done.stdout
    assert re.search(r"F1 +90\.0%", done.stdout)
    assert re.search(r"Mean absolute error +0\.100", done.stdout)


@pytest.mark.parametrize(
    ("hash_", "says"),
    [("zz", "no scorer's eval_hash starts with 'zz'; see `judgecore metrics list`"), ("", "3 scorers")],
)
def test_an_unknown_or_ambiguous_hash_is_refused(judgecore: Program, registry: Path, hash_: str, says: str) -> None:
    done = judgecore("metrics", "show", "--registry", registry, hash_)

    assert done.returncode == 2
    assert says in done.stderr


def test_a_published_registry_that_is_not_there_is_named(judgecore: Program, tmp_path: Path) -> None:
    done = judgecore("metrics", "list", "--published", tmp_path / "nowhere")

    assert done.returncode == 2
    assert "nowhere: no such folder" in done.stderr


def test_published_lines_are_listed(judgecore: Program, shared: Path, tmp_path: Path) -> None:
    published = ("--registry", tmp_path / "own", "--published", shared / "pyrit")

    done = judgecore("metrics", "list", *published, "--subject", "violence", "--json")

    assert len(hashes(done.stdout)) == 5


# The report


def test_a_report_is_one_file(judgecore: Program, tmp_path: Path) -> None:
    trial = ItemTrial(value=0.0, reply="No.", span=(0, 2), rule="opening")
    result = EvaluationResult(
        scorer_identifier=scorer("a", 0.0).identifier,
        subject="objective",
        dataset=DatasetSummary(name="data.csv", version=None, content_hash="d"),
        metrics=objective(0.5),
        measures=(Measure(name="f1_score", value=0.5),),
        items=(ItemResult(index=0, response="r", human=(1.0,), gold=1.0, trials=(trial,), model=0.0),),
    )
    result.save(tmp_path / "run")

    done = judgecore("report", "run", "-o", "report.html")

    assert (done.returncode, done.stdout) == (0, "wrote report.html\n")
    assert "<mark>No</mark>." in tmp_path.joinpath("report.html").read_text("utf-8")


def test_a_folder_without_an_evaluation_is_named(judgecore: Program) -> None:
    done = judgecore("report", "nowhere", "-o", "report.html")

    assert done.returncode == 2
    assert "nowhere/evaluation.json: No such file or directory; name the folder that the evaluation wrote" in (
        done.stderr.replace("\n", " ")
    )
