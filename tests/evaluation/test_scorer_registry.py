"""Scorers by tag: the best is measured, and what is given is what was measured, or says what is missing."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from judgecore import ComponentIdentifier, ScorerEvaluationIdentifier
from judgecore.errors import RegistryError
from judgecore.evaluation import (
    HarmScorerMetrics,
    HumanLabeledDataset,
    ObjectiveScorerMetrics,
    Registry,
    ScorerRegistry,
)
from judgecore.prompts import NumericScalePaths
from judgecore.scorers import (
    Response,
    Score,
    Scorer,
    SelfAskRefusalScorer,
    SelfAskScaleScorer,
    SubStringScorer,
    TrueFalseInverterScorer,
)
from judgecore.scorers.configuration import load_scorer
from judgecore.targets import CallableTarget, OpenAITarget

if TYPE_CHECKING:
    from pathlib import Path


def eval_hash(scorer: Scorer) -> str:
    return ScorerEvaluationIdentifier(scorer.get_identifier()).eval_hash


def judge(name: str = "j", value: str = "true") -> CallableTarget:
    reply = f'{{"score_value": {value}, "rationale": "r"}}'
    return CallableTarget(lambda _: reply, name=name, version="1")


def evaluated(scorer: Scorer, registry: Registry, **options: Any) -> None:
    dataset = HumanLabeledDataset.bundled("refusals" if scorer.score_type == "true_false" else "helpfulness")
    options = {"num_scorer_trials": 1, "dataset": dataset, "registry": registry, **options}
    asyncio.run(scorer.evaluate_async(**options))


def kept(registry: Registry, name: str, **metrics: Any) -> str:
    """A line with these metrics."""
    identifier = ScorerEvaluationIdentifier(
        ComponentIdentifier(class_name=name, class_module="mine", params={"name": name})
    )
    common: dict[str, Any] = {"num_responses": 9, "num_human_raters": 1, "dataset_name": "one.csv"}
    if "mean_absolute_error" in metrics:
        others: dict[str, Any] = dict.fromkeys(
            ("mae_standard_error", "t_statistic", "p_value", "krippendorff_alpha_combined")
        )
        registry.replace(identifier, "violence", HarmScorerMetrics(**{**common, **others, **metrics}))
    else:
        others: dict[str, Any] = dict.fromkeys(("accuracy", "accuracy_standard_error", "precision", "recall"))
        registry.replace(identifier, "objective", ObjectiveScorerMetrics(**{**common, **others, **metrics}))
    return identifier.eval_hash


def test_the_best_has_the_highest_f1_or_the_lowest_error(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    for name, value in (("low", 0.5), ("high", 0.9), ("undefined", None)):
        kept(registry, name, f1_score=value)
        kept(registry, name, mean_absolute_error=value)

    objective = ScorerRegistry(registry).find(tag="best")
    harm = ScorerRegistry(registry).find(tag="best", subject="violence")

    assert objective.scorer_identifier.class_name == "high"
    assert harm.scorer_identifier.class_name == "low"


def test_the_best_is_of_one_data_set(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    kept(registry, "easy", f1_score=0.9, dataset_name="easy.csv")
    kept(registry, "hard", f1_score=0.5, dataset_name="hard.csv")
    known = ScorerRegistry(registry)

    with pytest.raises(RegistryError, match=r"easy\.csv, hard\.csv, which can't be compared"):
        known.find()
    with pytest.raises(RegistryError, match=r"on no\.csv; there are easy\.csv, hard\.csv"):
        known.find(dataset="no.csv")
    assert known.find(dataset="hard.csv").scorer_identifier.class_name == "hard"


@pytest.mark.parametrize(
    ("of_one", "of_other", "shown"),
    [
        ({"beyond": {"dataset_hash": "a" * 64}}, {"beyond": {"dataset_hash": "b" * 64}}, "content aaaaaaaaaaaa"),
        ({"dataset_version": "1.0"}, {"dataset_version": "1.1"}, r"version 1\.0"),
        ({"beyond": {"metrics_version": 1}}, {"beyond": {"metrics_version": 2}}, "metrics 1"),
        ({}, {"beyond": {"metrics_version": 1, "dataset_hash": "b" * 64}}, "no version"),
    ],
    ids=["content", "version", "metrics", "another's line"],
)
def test_the_best_is_of_one_content_and_version(
    tmp_path: Path, of_one: dict[str, Any], of_other: dict[str, Any], shown: str
) -> None:
    registry = Registry(tmp_path)
    kept(registry, "one", f1_score=0.5, **of_one)
    kept(registry, "other", f1_score=0.9, **of_other)
    known = ScorerRegistry(registry)

    with pytest.raises(RegistryError, match=rf"{shown}.*can't be compared; name one, or a part of it: basis="):
        known.find()
    with pytest.raises(RegistryError, match="'nothing' names none of these"):
        known.find(basis="nothing")
    assert known.find(basis=shown.replace("\\", "")).scorer_identifier.class_name == "one"


def test_a_harms_best_is_of_one_definition(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    for version, error in (("1.0", 0.2), ("2.0", 0.1)):
        kept(registry, version, mean_absolute_error=error, harm_definition_version=version)
    known = ScorerRegistry(registry)

    with pytest.raises(RegistryError, match=r"rest on definition 1\.0; definition 2\.0; they can't be compared"):
        known.find(subject="violence")
    assert known.find(subject="violence", basis="definition 1.0").scorer_identifier.class_name == "1.0"


def test_where_nothing_is_defined_nothing_is_the_best(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    first = kept(registry, "first", f1_score=None)
    kept(registry, "second", f1_score=None)
    kept(registry, "first", mean_absolute_error=None)
    known = ScorerRegistry(registry)
    known.tag(first, "mine")

    with pytest.raises(RegistryError, match="no scorer of objective is the best: F1 is undefined for all 2"):
        known.find()
    with pytest.raises(RegistryError, match="mean absolute error is undefined for all 1"):
        known.find(subject="violence")
    assert known.find(tag="mine").eval_hash == first


def test_a_tag_of_ones_own_lasts_and_can_be_taken(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    low, high = kept(registry, "low", f1_score=0.5), kept(registry, "high", f1_score=0.9)

    ScorerRegistry(registry).tag(low, "production")
    ScorerRegistry(registry).tag(high, "candidate")
    again = ScorerRegistry(Registry(tmp_path))

    assert again.find(tag="production").eval_hash == low
    assert again.tags() == {"candidate": (high,), "production": (low,)}
    again.untag(low, "production")
    with pytest.raises(RegistryError, match="no scorer has the tag 'production'; tags: best, candidate"):
        again.find(tag="production")


@pytest.mark.parametrize("tag", ["best", ""])
def test_best_is_measured_and_never_given(tmp_path: Path, tag: str) -> None:
    with pytest.raises(ValueError, match="can't be given"):
        ScorerRegistry(Registry(tmp_path)).tag("0" * 64, tag)


@pytest.mark.parametrize("content", [b"[", b"[]", b'{"a": 1}', b'{"a": [1]}', b"\xff"])
def test_broken_tags_are_named_and_left(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "tags.json"
    file.write_bytes(content)

    for act in (lambda known: known.tags(), lambda known: known.tag("0" * 64, "mine")):
        with pytest.raises(RegistryError, match=r"tags\.json.*mend or remove it"):
            act(ScorerRegistry(Registry(tmp_path)))
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    "make",
    [
        lambda: SubStringScorer(substring="can"),
        lambda: SelfAskRefusalScorer(chat_target=judge()),
        lambda: SelfAskRefusalScorer(chat_target=judge(), max_tokens=50, seed=3),
        lambda: SelfAskScaleScorer(chat_target=judge(value='"3"'), scale_path=NumericScalePaths.HELPFULNESS_SCALE),
    ],
    ids=["without a judge", "defaults", "options", "a shipped scale"],
)
def test_a_scorer_that_was_made_in_python_is_made_again(tmp_path: Path, make: Any) -> None:
    registry, scorer = Registry(tmp_path), make()
    evaluated(scorer, registry)
    subject = {"SubStringScorer": "objective", "SelfAskRefusalScorer": "refusal"}.get(
        type(scorer).__name__, "helpfulness"
    )

    made = ScorerRegistry(registry).get(tag="best", subject=subject, target=judge())

    assert made is not scorer
    assert eval_hash(made) == eval_hash(scorer)


def test_a_scorer_of_a_file_is_made_again_with_another_judge_object_and_its_own_question(tmp_path: Path) -> None:
    question = "category: manners\ntrue_description: It is polite.\nfalse_description: It is rude.\n"
    (tmp_path / "polite.yaml").write_text(question)
    (tmp_path / "s.yaml").write_text("type: SelfAskTrueFalseScorer\ntrue_false_question_path: polite.yaml\n")
    registry = Registry(tmp_path / "registry")
    scorer = load_scorer(tmp_path / "s.yaml", chat_target=judge())
    evaluated(scorer, registry)
    known = ScorerRegistry(registry)

    made = known.get(target=judge(), folder=tmp_path)

    assert eval_hash(made) == eval_hash(scorer)
    with pytest.raises(RegistryError, match=r"names the file 'polite\.yaml'; pass folder="):
        known.get(target=judge())
    (tmp_path / "polite.yaml").write_text(question.replace("polite", "kind"))
    with pytest.raises(RegistryError, match="can't be made as it was measured: system_prompt was"):
        known.get(target=judge(), folder=tmp_path)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    target = OpenAITarget("gpt-9", base_url="http://127.0.0.1:9/v1", api_key="k", temperature=0.5)
    dataset = HumanLabeledDataset.bundled("refusals")
    scorer = SelfAskRefusalScorer(chat_target=judge())
    measured = asyncio.run(scorer.evaluate_async(dataset=dataset, num_scorer_trials=1, registry=registry))
    asked = SelfAskRefusalScorer(chat_target=target)
    registry = Registry(tmp_path / "other")
    registry.replace(ScorerEvaluationIdentifier(asked.get_identifier()), "refusal", measured)
    known = ScorerRegistry(registry)
    other = OpenAITarget("gpt-8", base_url="http://127.0.0.1:9/v1", api_key="k", temperature=0.5)

    with pytest.raises(RegistryError, match=r"asks a judge, gpt-9 at temperature 0\.5; pass target="):
        known.get(subject="refusal")
    with pytest.raises(RegistryError, match=r"prompt_target\.(underlying_)?model_name was 'gpt-9', not 'gpt-8'"):
        known.get(subject="refusal", target=other)
    with pytest.raises(RegistryError, match="no scorer of objective"):
        known.get()


class OwnScorer(Scorer):
    score_type = "true_false"

    def params(self) -> dict[str, Any]:
        return {}

    async def score_async(self, response: Response, *, trial: int = 0) -> list[Score]:
        del trial
        return [self.make_score("can't" in (response.text or ""))]


def test_a_class_of_ones_own_is_never_imported_and_must_be_registered(tmp_path: Path) -> None:
    registry, scorer = Registry(tmp_path), OwnScorer()
    evaluated(scorer, registry)
    known = ScorerRegistry(registry)

    with pytest.raises(RegistryError, match=r"is not one of judgecore's own scorers.*register\(\) it"):
        known.get()
    known.register(scorer, tags=("mine",))

    assert known.get() is scorer
    assert known.get(tag="mine") is scorer


def test_a_scorer_made_of_others_in_python_names_the_cure(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    evaluated(TrueFalseInverterScorer(scorer=SubStringScorer(substring="x")), registry)

    with pytest.raises(RegistryError, match="can't be made"):
        ScorerRegistry(registry).get()


@pytest.mark.parametrize("file", ["/etc/hostname", "../outside.yaml", "link.yaml"])
def test_a_line_cant_name_files_outside_of_the_folder(tmp_path: Path, file: str) -> None:
    (tmp_path / "outside.yaml").write_text("category: x\ntrue_description: t\nfalse_description: f\n")
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    registry = Registry(tmp_path / "registry")
    scorer = SelfAskRefusalScorer(chat_target=judge())
    evaluated(scorer, registry)
    path = registry.folder / "refusal" / "refusal_metrics.jsonl"
    line = json.loads(path.read_text())
    document = {"type": "SelfAskTrueFalseScorer", "true_false_question_path": file}
    line["metrics"]["_judgecore"]["configuration"] = document
    path.write_text(json.dumps(line) + "\n")

    with pytest.raises(RegistryError, match="leads out of"):
        ScorerRegistry(Registry(registry.folder)).get(subject="refusal", target=judge(), folder=folder)


def test_a_lines_class_name_does_not_move_the_folder(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "registry")
    evaluated(SelfAskRefusalScorer(chat_target=judge()), registry)
    path = registry.folder / "refusal" / "refusal_metrics.jsonl"
    line = json.loads(path.read_text())
    (tmp_path / "secret.yaml").write_text("category: stolen\ntrue_description: t\nfalse_description: f\n")
    line["class_name"] = "../"
    line["metrics"]["_judgecore"]["configuration"] = {
        "type": "SelfAskTrueFalseScorer",
        "true_false_question_path": "secret.yaml",
    }
    path.write_text(json.dumps(line) + "\n")
    folder = tmp_path / "files"
    folder.mkdir()

    with pytest.raises(RegistryError, match="no file"):
        ScorerRegistry(Registry(registry.folder)).get(subject="refusal", target=judge(), folder=folder)


@pytest.mark.parametrize("at", ["outer", "inner"])
def test_a_line_cant_name_a_judge_to_whom_a_key_would_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-that-stays-here")
    there = OpenAITarget("m", base_url="http://127.0.0.1:9/v1")
    inner = SelfAskRefusalScorer(chat_target=there)
    wanted = inner if at == "outer" else TrueFalseInverterScorer(scorer=inner)
    document: dict[str, Any] = {
        "type": "SelfAskRefusalScorer",
        "chat_target": {"type": "OpenAITarget", "model": "m", "base_url": "http://127.0.0.1:9/v1"},
    }
    if at == "inner":
        document = {"type": "TrueFalseInverterScorer", "scorer": document}
    registry = Registry(tmp_path)
    evaluated(SelfAskRefusalScorer(chat_target=judge()), registry)
    path = registry.folder / "refusal" / "refusal_metrics.jsonl"
    line = json.loads(path.read_text())
    identified = ScorerEvaluationIdentifier(wanted.get_identifier())
    line |= {**identified.identifier.to_registry(), "eval_hash": identified.eval_hash}
    line["metrics"]["_judgecore"]["configuration"] = document
    path.write_text(json.dumps(line) + "\n")

    with pytest.raises(RegistryError, match="can't be made as it was measured"):
        ScorerRegistry(Registry(tmp_path)).get(subject="refusal", target=judge())


def test_a_published_scorer_of_another_system_says_so(shared: Path, tmp_path: Path) -> None:
    known = ScorerRegistry(Registry(tmp_path, published=[shared / "pyrit"]))
    names = {one.metrics.dataset_name for one in known.registry.objective_metrics()}

    with pytest.raises(RegistryError, match="is not one of judgecore's own scorers"):
        known.get(dataset=min(name for name in names if name), target=judge())


def test_a_judge_that_a_file_names_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    judged = "chat_target:\n  type: OpenAITarget\n  model: m\n  base_url: http://127.0.0.1:9/v1\n"
    (tmp_path / "s.yaml").write_text(f"type: SelfAskRefusalScorer\n{judged}")

    scorer = load_scorer(tmp_path / "s.yaml")

    assert scorer.configuration == {"type": "SelfAskRefusalScorer"}
