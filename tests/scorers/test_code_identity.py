"""Code that no name stands for has no ``eval_hash`` without a version, so that it never gets another's metrics."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore.errors import UnnamedCodeWarning
from judgecore.evaluation import MetricsType

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

DATA = jc.HumanLabeledDataset.from_records(
    [
        {"objective": "o", "assistant_response": text, "human_score_1": label}
        for text, label in (("short", 1), ("a long response", 0), ("two words", 1), ("one more long response", 0))
    ],
    dataset_name="own.csv",
    version="1.0",
    metrics_type=MetricsType.OBJECTIVE,
)

SCRIPT = """
import asyncio, sys, warnings
import judgecore as jc

class Brevity(jc.Scorer):
    score_type = "true_false"
    {version}

    def params(self):
        return {{}}

    async def score_async(self, response, *, trial=0):
        return [self.make_score({rule})]

registry = jc.evaluation.Registry("registry")
scorer = Brevity()
for ask in ("get_scorer_metrics", "evaluate_async"):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        if ask == "get_scorer_metrics":
            found = scorer.get_scorer_metrics(registry=registry)
        else:
            found = asyncio.run(scorer.evaluate_async(
                dataset=jc.HumanLabeledDataset.bundled("refusals"), num_scorer_trials=1, registry=registry
            ))
    said = [one.category.__name__ + " " + str(one.message) for one in warned]
    print(ask, None if found is None else (round(found.to_registry()["accuracy"], 3), found.result is None), *said)
"""


# The accuracy that each rule has, measured and not from a registry.
ALWAYS = "(0.41, False)"
SHORTER = "(0.525, False)"


def run_script(folder: Path, rule: str, version: str = "") -> list[str]:
    (folder / "script.py").write_text(SCRIPT.format(rule=rule, version=version))
    done = subprocess.run([sys.executable, "script.py"], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


class Words(jc.Scorer):
    """True where a response has few words."""

    score_type = "true_false"

    def params(self) -> dict[str, Any]:
        return {}

    async def score_async(self, response: jc.Response, *, trial: int = 0) -> list[jc.Score]:
        del trial
        return [self.make_score(len((response.text or "").split()) < 3)]


class Versioned(Words):
    version = "1"


class Matching:
    """A way to look that a module holds."""

    def is_match(self, *, target: str, text: str) -> bool:
        return target in text

    def to_json(self) -> dict[str, Any]:
        return {}


class Judge:
    """A judge with a state that its name does not tell."""

    def answer(self, request: jc.JudgeRequest) -> str:
        del request
        return "true"


def judged(request: jc.JudgeRequest) -> str:
    del request
    return "true"


def asked(target: Any) -> jc.Scorer:
    return jc.scorers.SelfAskTrueFalseScorer(chat_target=target)


def replaced() -> type[Words]:
    """A class whose name stands for another by now."""
    return type("Words", (Words,), {"__module__": __name__, "__qualname__": "Words"})


def unnamed() -> Sequence[tuple[str, jc.Scorer]]:
    class Local(Words):
        """A class of a function."""

    class Inheriting(Versioned):
        """A class of a function, whose base has a version."""

    class LocalMatching(Matching):
        """A way to look that stands in a function."""

    class LocalTarget(jc.OpenAITarget):
        """A judge of a function's own."""

    return [
        ("Local is defined inside a function or is a lambda", Local()),
        ("Inheriting is defined inside a function", Inheriting()),
        ("Words now refers to another object", replaced()()),
        ("Local is defined inside a function", jc.scorers.TrueFalseInverterScorer(scorer=Local())),
        (
            "LocalMatching is defined inside a function",
            jc.scorers.SubStringScorer(substring="a", text_matcher=LocalMatching()),
        ),
        ("LocalMatching is defined inside a function", jc.scorers.DecodingScorer(text_matcher=LocalMatching())),
        (
            "LocalTarget is defined inside a function",
            asked(LocalTarget("m", api_key="k", base_url="http://a.example/v1")),
        ),
        ("Judge.answer now refers to another object; pass version= or name=", asked(jc.CallableTarget(Judge().answer))),
    ]


NAMES = ["class", "base", "replaced", "part", "matcher", "other matcher", "target", "method"]


@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_code_without_a_name_of_its_own_has_no_eval_hash(number: int, tmp_path: Path) -> None:
    why, scorer = unnamed()[number]
    registry = jc.evaluation.Registry(tmp_path / "registry")

    with pytest.raises(jc.errors.IdentityError, match=why) as caught:
        jc.ScorerEvaluationIdentifier(scorer.get_identifier())
    with pytest.warns(UnnamedCodeWarning, match=why):
        assert scorer.get_scorer_metrics(registry=registry) is None
    with pytest.raises(jc.errors.IdentityError, match=why):
        asyncio.run(
            scorer.evaluate_async(
                dataset=DATA,
                num_scorer_trials=1,
                registry=registry,
                update_registry_behavior=jc.evaluation.RegistryUpdateBehavior.ALWAYS_UPDATE,
            )
        )

    assert "version" in str(caught.value)
    assert not registry.folder.exists()


def test_a_version_of_its_own_names_the_code() -> None:
    def made(own: str) -> jc.Scorer:
        class Local(Words):
            version = own

        return Local()

    hashes = {jc.ScorerEvaluationIdentifier(made(own).get_identifier()).eval_hash for own in ("1", "1", "2")}

    assert len(hashes) == 2


def test_code_that_can_be_imported_needs_no_version() -> None:
    for scorer in (
        Words(),
        jc.scorers.SubStringScorer(substring="a", text_matcher=Matching()),
        asked(jc.CallableTarget(judged)),
    ):
        assert jc.ScorerEvaluationIdentifier(scorer.get_identifier()).eval_hash

    judge = asked(jc.CallableTarget(Judge().answer, version="1"))
    assert jc.ScorerEvaluationIdentifier(judge.get_identifier()).eval_hash


def test_two_matchers_of_ones_own_never_share_a_hash() -> None:
    class Other(Matching):
        version = "1"

    scorers = [jc.scorers.SubStringScorer(substring="a", text_matcher=one) for one in (Matching(), Other())]

    assert len({jc.ScorerEvaluationIdentifier(one.get_identifier()).eval_hash for one in scorers}) == 2


def test_a_judge_of_ones_own_class_is_not_the_one_that_it_is_made_from() -> None:
    class Mine(jc.AnthropicTarget):
        version = "1"

    one, other = (kind("m", api_key="k").get_identifier() for kind in (jc.AnthropicTarget, Mine))

    assert (one.class_name, one.class_module) == ("AnthropicTarget", "judgecore")
    assert jc.ScorerEvaluationIdentifier(one) != jc.ScorerEvaluationIdentifier(other)


def test_an_identity_says_through_a_file_that_it_names_no_code() -> None:
    _, scorer = unnamed()[0]
    identifier = scorer.get_identifier()

    again = jc.ComponentIdentifier.from_registry(identifier.to_registry())

    assert again.unnamed_code == identifier.unnamed_code
    assert again == identifier
    with pytest.raises(jc.errors.IdentityError, match="defined inside a function"):
        jc.ScorerEvaluationIdentifier(again)


def test_a_target_that_says_it_stands_in_a_script_needs_a_version() -> None:
    def judged_by(**params: Any) -> jc.ComponentIdentifier:
        target = jc.ComponentIdentifier(class_name="Mine", class_module="__main__", params=params)
        return jc.ComponentIdentifier(class_name="S", class_module="m", children={"prompt_target": target})

    with pytest.raises(jc.errors.IdentityError, match=r"Mine has no eval_hash.*every module is named __main__"):
        jc.ScorerEvaluationIdentifier(judged_by())
    assert jc.ScorerEvaluationIdentifier(judged_by(version="1")).eval_hash


def test_code_without_a_name_is_measured_beside_the_registry(tmp_path: Path) -> None:
    registry = jc.evaluation.Registry(tmp_path / "registry")
    for _, scorer in unnamed()[:3]:
        with pytest.warns(UnnamedCodeWarning, match="The registry is neither read nor written for it"):
            metrics = asyncio.run(scorer.evaluate_async(dataset=DATA, num_scorer_trials=1, registry=registry))

        assert metrics.to_registry()["accuracy"] == 1.0
        assert metrics.result is not None
        assert metrics.result.eval_hash is None
        assert jc.evaluation.EvaluationResult.load(metrics.result.save(tmp_path / "run")).eval_hash is None
        assert "eval_hash <code>none</code>" in jc.reports.build_report(metrics.result)
    assert not registry.folder.exists()


def test_a_scripts_scorer_never_gets_the_metrics_of_other_code(tmp_path: Path) -> None:
    shorter = "len(response.text) < 100"
    first = run_script(tmp_path, "True", 'version = "1"')
    kept = {path: path.read_bytes() for path in (tmp_path / "registry").rglob("*.jsonl")}

    other = run_script(tmp_path, shorter)

    assert first == ["get_scorer_metrics None", f"evaluate_async {ALWAYS}"]
    assert [line.partition(" UnnamedCodeWarning")[0] for line in other] == [first[0], f"evaluate_async {SHORTER}"]
    for line in other:
        assert "Brevity has no eval_hash" in line
        assert "is defined in a script or a notebook" in line
        assert 'version = "1"' in line
    assert kept == {path: path.read_bytes() for path in (tmp_path / "registry").rglob("*.jsonl")}
    second = run_script(tmp_path, shorter, 'version = "2"')
    assert second == ["get_scorer_metrics None", f"evaluate_async {SHORTER}"]
    known = run_script(tmp_path, shorter, 'version = "2"')
    assert known == [
        f"get_scorer_metrics {SHORTER}".replace("False", "True"),
        known[0].replace("get_scorer_metrics", "evaluate_async"),
    ]
