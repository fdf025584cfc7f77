"""Registry files both ways: ours load in the real PyRIT, and those that it ships or writes load in ours."""

from __future__ import annotations

import asyncio
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from judgecore import ScorerEvaluationIdentifier
from judgecore.evaluation import HumanLabeledDataset, Registry
from judgecore.prompts import NumericScalePaths
from judgecore.scorers import KeywordRefusalScorer, SelfAskScaleScorer, SubStringScorer
from judgecore.targets import CallableTarget

pyrit: Any = pytest.importorskip("pyrit", reason="not installed here: make test-integrations")

theirs: Any = import_module("pyrit.score.scorer_evaluation.scorer_metrics_io")
TheirIdentifier: Any = import_module("pyrit.models").ComponentIdentifier
TheirHarmMetrics: Any = theirs.HarmScorerMetrics
TheirObjectiveMetrics: Any = theirs.ObjectiveScorerMetrics

SHIPPED = Path(theirs.SCORER_EVALS_PATH)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    """A registry with an objective line, a refusal line and a harm line, from real evaluations."""
    registry = Registry(tmp_path_factory.mktemp("registry"))
    judge = CallableTarget(lambda _: '{"score_value": "3", "rationale": "r"}', name="judge", version="1")
    scale = SelfAskScaleScorer(chat_target=judge, scale_path=NumericScalePaths.HELPFULNESS_SCALE)
    refusals = HumanLabeledDataset.bundled("refusals")
    for scorer, dataset in (
        (SubStringScorer(substring="can"), refusals),
        (KeywordRefusalScorer(), refusals),
        (scale, HumanLabeledDataset.bundled("helpfulness")),
    ):
        asyncio.run(scorer.evaluate_async(dataset=dataset, num_scorer_trials=2, registry=registry))
    return registry


FILES = {
    "objective": (Path("objective", "objective_achieved_metrics.jsonl"), TheirObjectiveMetrics),
    "refusal": (Path("refusal", "refusal_metrics.jsonl"), TheirObjectiveMetrics),
    "helpfulness": (Path("harm", "helpfulness_metrics.jsonl"), TheirHarmMetrics),
}


@pytest.mark.parametrize("subject", FILES)
def test_pyrit_reads_the_lines_that_judgecore_writes(written: Registry, subject: str) -> None:
    path, kind = FILES[subject]
    own = written.harm_metrics(subject) if subject == "helpfulness" else None
    [entry] = own or written.objective_metrics(refusal=subject == "refusal")

    # Their loader warns and passes over what it can't read, so that a line that came through was read whole.
    [got] = theirs._load_metrics_from_file(file_path=written.folder / path, metrics_class=kind)  # noqa: SLF001

    ours = {name: value for name, value in entry.metrics.to_registry().items() if not name.startswith("_")}
    assert ours == {name: getattr(got.metrics, name) for name in ours}
    assert got.scorer_identifier.hash == entry.scorer_identifier.hash
    assert got.scorer_identifier.class_name == entry.scorer_identifier.class_name


@pytest.mark.parametrize("subject", FILES)
def test_pyrit_finds_a_scorer_by_judgecores_eval_hash(written: Registry, subject: str) -> None:
    path, _ = FILES[subject]
    find: Any = theirs.find_objective_metrics_by_eval_hash
    if subject == "helpfulness":
        find = theirs.find_harm_metrics_by_eval_hash
    entry = (written.harm_metrics(subject) if find is theirs.find_harm_metrics_by_eval_hash else ()) or (
        written.objective_metrics(refusal=subject == "refusal")
    )

    got = find(eval_hash=entry[0].eval_hash, file_path=written.folder / path)

    assert got is not None
    assert (got.dataset_name, got.num_scorer_trials) == (entry[0].metrics.dataset_name, 2)


def test_judgecore_reads_every_line_that_pyrit_ships(tmp_path: Path) -> None:
    files = sorted(SHIPPED.rglob("*_metrics.jsonl"))
    lines = sum(1 for file in files for line in file.read_text("utf-8").splitlines() if line.strip())
    registry = Registry(tmp_path, published=[SHIPPED])

    harms = [one for harm in registry.harm_categories() for one in registry.harm_metrics(harm)]
    found = [*registry.objective_metrics(), *registry.objective_metrics(refusal=True), *harms]

    assert len(files) >= 6
    assert registry.problems() == ()
    assert len(found) == lines


@pytest.mark.parametrize("file", sorted(SHIPPED.rglob("*_metrics.jsonl")), ids=lambda file: file.stem)
def test_both_read_the_same_metrics_and_scorers_from_a_shipped_file(tmp_path: Path, file: Path) -> None:
    is_harm = file.parent.name == "harm"
    registry = Registry(tmp_path, published=[SHIPPED])
    if is_harm:
        ours = registry.harm_metrics(file.name.removesuffix("_metrics.jsonl"))
    else:
        ours = registry.objective_metrics(refusal=file.parent.name.startswith("refusal"))

    got = theirs._load_metrics_from_file(  # noqa: SLF001
        file_path=file, metrics_class=TheirHarmMetrics if is_harm else TheirObjectiveMetrics
    )

    assert [one.scorer_identifier.hash for one in got] == [one.scorer_identifier.hash for one in ours]
    names = ("num_responses", "num_human_raters", "num_scorer_trials", "dataset_name", "dataset_version")
    names += ("mean_absolute_error", "p_value") if is_harm else ("accuracy", "f1_score", "precision", "recall")
    for name in names:
        assert [getattr(one.metrics, name) for one in got] == [getattr(one.metrics, name) for one in ours]


def test_what_pyrit_replaces_in_our_file_is_found_and_our_other_lines_stay(written: Registry, tmp_path: Path) -> None:
    path = tmp_path / FILES["objective"][0]
    path.parent.mkdir()
    path.write_bytes(written.folder.joinpath(FILES["objective"][0]).read_bytes())
    identifier = TheirIdentifier(class_name="TheirScorer", class_module="theirs", params={"low": 1})
    metrics = TheirObjectiveMetrics(
        num_responses=4,
        num_human_raters=1,
        accuracy=0.5,
        accuracy_standard_error=0.25,
        f1_score=0.5,
        precision=0.5,
        recall=0.5,
    )
    eval_hash = "e" * 64

    theirs.replace_evaluation_results(
        file_path=path, scorer_identifier=identifier, eval_hash=eval_hash, metrics=metrics
    )

    [ours, their] = Registry(tmp_path).objective_metrics()
    [before] = written.objective_metrics()
    assert ours.metrics == before.metrics
    assert ScorerEvaluationIdentifier(ours.scorer_identifier).eval_hash == before.eval_hash
    assert (their.eval_hash, their.scorer_identifier.class_name) == (eval_hash, "TheirScorer")
    assert their.scorer_identifier.hash == identifier.hash
    assert Registry(tmp_path).problems() == ()
