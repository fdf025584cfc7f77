"""Evaluations over real HTTP: what is asked, what is kept, and what a killed one goes on with."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from shutil import copytree
from typing import TYPE_CHECKING, Any

import pytest

from judgecore import ComponentIdentifier, ScorerEvaluationIdentifier
from judgecore.errors import AuthenticationError, DatasetError, EvaluationError, FewerTrialsWarning
from judgecore.evaluation import (
    EvaluationResult,
    HarmScorerEvaluator,
    HumanLabeledDataset,
    LikertScaleEvalFiles,
    Measure,
    MetricsType,
    ObjectiveScorerEvaluator,
    ObjectiveScorerMetrics,
    Registry,
    RegistryUpdateBehavior,
    ScorerEvaluator,
    TrueFalseEvalFiles,
    compare_results,
)
from judgecore.evaluation.default_data import default_files
from judgecore.evaluation.evaluator import results_folder
from judgecore.prompts import LikertScalePaths, NumericScale, NumericScalePaths, RubricPaths, TrueFalseQuestion
from judgecore.reports import build_report
from judgecore.scorers import (
    GuardScorer,
    KeywordRefusalScorer,
    PairwiseScorer,
    RubricScorer,
    Score,
    Scorer,
    SelfAskLikertScorer,
    SelfAskRefusalScorer,
    SelfAskScaleScorer,
    SelfAskTrueFalseScorer,
    SubStringScorer,
)
from judgecore.targets import CallableTarget, JudgeRequest, Ledger, OpenAITarget, PriceTable, TokenPrices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from conftest import Serving

SKIP, ALWAYS, NEVER = RegistryUpdateBehavior
ROWS = [
    {"objective": f"question {number}", "assistant_response": text, "human_score_1": label, "human_score_2": label}
    for number, (text, label) in enumerate(
        [("I'm sorry, but I can't help with that.", 1), ("Sure, here is how.", 0), ("I cannot do that.", 1)] * 2
    )
]


def refusals(version: str = "1.0", rows: list[dict[str, Any]] = ROWS) -> HumanLabeledDataset:
    return HumanLabeledDataset.from_records(
        rows, dataset_name="own.csv", version=version, metrics_type=MetricsType.OBJECTIVE
    )


def harms(scores: Sequence[float] = (0.0, 0.25, 1.0)) -> HumanLabeledDataset:
    rows = [
        {"harm_category": "helpfulness", "assistant_response": f"response {number}", "human_score_1": score}
        for number, score in enumerate(scores)
    ]
    return HumanLabeledDataset.from_records(
        rows,
        dataset_name="harm.csv",
        version="1.0",
        metrics_type=MetricsType.HARM,
        harm_definition="helpfulness.yaml",
        harm_definition_version="1.0",
    )


class LengthScorer(Scorer):
    """A scorer without a model, with a scale of its own from 1 to 10."""

    score_type = "float_scale"

    def __init__(self, *, words_per_point: int = 1) -> None:
        self.words_per_point = words_per_point

    def params(self) -> dict[str, Any]:
        return {"words_per_point": self.words_per_point}

    async def score_async(self, response: Any, *, trial: int = 0) -> list[Score]:
        del trial
        level = min(10, max(1, len((response.text or "").split()) // self.words_per_point))
        return [self.make_score((level - 1) / 9)]


@pytest.fixture(scope="module")
def server(serve_all: Callable[..., Serving]) -> Serving:
    """A loopback judge for all tests here."""
    return serve_all()


def judge_at(server: Serving) -> OpenAITarget:
    """A target that asks it."""
    return OpenAITarget("judge", base_url=server.url, api_key="any", temperature=0.0)


# What is asked again, and what is not


def test_each_case_of_the_rerun_rules_asks_as_often_as_it_must(server: Serving, tmp_path: Path) -> None:
    registry = Registry(tmp_path / "registry")
    own = refusals()
    other_content = refusals(rows=[*ROWS[:-1], {**ROWS[-1], "human_score_2": 0}])
    cases = [
        ("first", own, 2, SKIP, 12),
        ("again", own, 2, SKIP, 0),
        ("fewer trials", own, 1, SKIP, 0),
        ("more trials", own, 3, SKIP, 18),
        ("other version", refusals("1.1"), 2, SKIP, 12),
        ("same version, other content", other_content, 2, SKIP, 12),
        ("back to the first", own, 3, SKIP, 18),
        ("always, fewer trials", own, 1, ALWAYS, 6),
        ("always", own, 3, ALWAYS, 18),
        ("never", own, 3, NEVER, 18),
    ]
    asked: list[tuple[str, int]] = []
    kept: list[int] = []

    async def run() -> None:
        async with judge_at(server) as target:
            scorer = SelfAskRefusalScorer(chat_target=target)
            for name, dataset, trials, behavior, _ in cases:
                before = server.count()
                is_behind = name == "always, fewer trials"
                with pytest.warns(FewerTrialsWarning) if is_behind else nullcontext():
                    await scorer.evaluate_async(
                        dataset=dataset, num_scorer_trials=trials, update_registry_behavior=behavior, registry=registry
                    )
                asked.append((name, server.count() - before))
                kept.append(registry.objective_metrics(refusal=True)[0].metrics.num_scorer_trials)

    asyncio.run(run())

    assert [(name, calls) for name, _, _, _, calls in cases] == asked
    scored = registry.objective_metrics(refusal=True)[0].metrics.beyond["statistics"]["num_scored"]
    assert scored == len(ROWS)
    # Fewer trials never take the place of more on the same data, also not under ALWAYS_UPDATE.
    assert kept == [2, 2, 2, 3, 2, 2, 3, 3, 3, 3]


def test_metrics_of_fewer_trials_are_reported_as_not_stored(tmp_path: Path) -> None:
    registry, scorer = Registry(tmp_path / "registry"), SubStringScorer(substring="can")

    def evaluate(trials: int, **options: Any) -> None:
        asyncio.run(
            scorer.evaluate_async(
                dataset=refusals(),
                num_scorer_trials=trials,
                registry=registry,
                update_registry_behavior=ALWAYS,
                **options,
            )
        )

    evaluate(2)
    with pytest.warns(FewerTrialsWarning, match=r"SubStringScorer, which rests on more trials .* of 1; allow_fewer"):
        evaluate(1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FewerTrialsWarning) as raised:
            evaluate(1)
    assert raised.value.metrics.num_scorer_trials == 1
    assert raised.value.metrics.result is not None

    assert registry.objective_metrics()[0].metrics.num_scorer_trials == 2
    evaluate(1, allow_fewer_trials=True)
    assert registry.objective_metrics()[0].metrics.num_scorer_trials == 1


def test_a_harm_definition_or_metric_of_another_version_is_measured_again(server: Serving, tmp_path: Path) -> None:
    registry = Registry(tmp_path / "registry")
    older = replace(harms(), harm_definition_version="0.9", definition=None)
    cases = [
        ("first", harms(), "", 3),
        ("again", harms(), "", 0),
        ("other definition version", older, "", 3),
        ("again", older, "", 0),
        ("other metric version", older, '"metrics_version": 0', 3),
    ]
    asked: list[tuple[str, int]] = []

    async def run() -> None:
        async with judge_at(server) as target:
            scorer = SelfAskScaleScorer(chat_target=target, scale_path=NumericScalePaths.HELPFULNESS_SCALE)
            for name, dataset, written, _ in cases:
                if written:
                    file = registry.folder / "harm" / "helpfulness_metrics.jsonl"
                    file.write_text(file.read_text().replace('"metrics_version": 1', written))
                before = server.count()
                options: dict[str, Any] = {"registry": registry, "allow_unverified": True}
                await scorer.evaluate_async(dataset=dataset, num_scorer_trials=1, **options)
                asked.append((name, server.count() - before))

    asyncio.run(run())

    assert [(name, calls) for name, _, _, calls in cases] == asked


def test_allow_fewer_trials_lets_always_update_replace_more(tmp_path: Path) -> None:
    registry, scorer = Registry(tmp_path), SubStringScorer(substring="can")

    for trials, allowed in ((3, False), (1, True)):
        asyncio.run(
            scorer.evaluate_async(
                dataset=refusals(),
                num_scorer_trials=trials,
                update_registry_behavior=ALWAYS,
                registry=registry,
                allow_fewer_trials=allowed,
            )
        )

    assert [one.metrics.num_scorer_trials for one in registry.objective_metrics()] == [1]


# What comes of it


def test_metrics_items_and_registry_say_the_same(server: Serving, tmp_path: Path) -> None:
    registry = Registry(tmp_path / "registry")

    async def run() -> ObjectiveScorerMetrics:
        async with judge_at(server) as target:
            scorer = SelfAskRefusalScorer(chat_target=target)
            found = await scorer.evaluate_async(
                dataset=refusals(),
                num_scorer_trials=2,
                registry=registry,
                prices=PriceTable(any_model=TokenPrices(input_per_million=1.0, output_per_million=2.0)),
            )
            assert scorer.get_scorer_metrics(registry=registry) == found
            assert isinstance(found, ObjectiveScorerMetrics)
            return found

    metrics = asyncio.run(run())

    result = metrics.result
    assert result is not None
    right = [one.model == one.gold for one in result.items if one.model is not None]
    assert metrics.accuracy == sum(right) / len(right)
    assert [len(one.trials) for one in result.items] == [2] * 6
    trial = result.items[0].trials[0]
    assert trial.reply is not None
    assert trial.span is not None
    assert trial.reply[slice(*trial.span)] != ""
    assert (result.cost.calls, result.cost.replayed) == (12, 0)
    assert result.cost.price is not None
    assert result.cost.price > 0
    entry = registry.objective_metrics(refusal=True)[0]
    assert EvaluationResult.load(results_folder(registry, "refusal", entry.eval_hash)) == result


def test_one_bad_reply_costs_one_item_and_accuracy_is_bounded(tmp_path: Path) -> None:
    def answer(request: JudgeRequest) -> str:
        if "question 3" in request.turns[0].text:
            return "I would rather not say."
        refused = "can't" in request.turns[0].text or "cannot" in request.turns[0].text
        return json.dumps({"score_value": str(refused), "rationale": "r"})

    scorer = SelfAskRefusalScorer(chat_target=CallableTarget(answer, name="j", version="1"))

    metrics = asyncio.run(scorer.evaluate_async(dataset=refusals(), registry=Registry(tmp_path), num_scorer_trials=1))

    result = metrics.result
    assert result is not None
    (missed,) = [one for one in result.items if one.model is None]
    assert (missed.index, missed.trials[0].attempts, missed.trials[0].reply) == (3, 3, "I would rather not say.")
    assert sum(result.undetermined().values()) == 1
    values = {one.name: one.value for one in result.measures}
    assert values["coverage"] == pytest.approx(5 / 6)
    assert (values["accuracy_worst"], values["accuracy_best"]) == pytest.approx((5 / 6, 1.0))


def test_a_scorer_of_ones_own_passes_through_evaluation_registry_and_report(tmp_path: Path) -> None:
    registry, scorer = Registry(tmp_path), LengthScorer()

    metrics = asyncio.run(scorer.evaluate_async(dataset=harms(), registry=registry, allow_unverified=True))

    assert registry.harm_metrics("helpfulness")[0].scorer_identifier == scorer.get_identifier()
    assert scorer.get_scorer_metrics(registry=registry) == metrics
    assert LengthScorer(words_per_point=2).get_scorer_metrics(registry=registry) is None
    assert metrics.result is not None
    assert "<h1>LengthScorer on " in build_report(metrics.result)


@pytest.mark.parametrize(
    ("says", "consistency", "fairness"), [(lambda _: "[[A]]", 0.0, -1.0), (lambda shown: shown, 1.0, 0.0)]
)
def test_pairs_are_judged_in_both_orders_and_their_position_bias_is_measured(
    tmp_path: Path, says: Callable[[str], str], consistency: float, fairness: float
) -> None:
    rows = [
        {"harm_category": "preference", "objective": "Ask.", "assistant_response": first, "response_b": second} | label
        for first, second, label in (("good", "bad", {"human_score": 1.0}), ("bad", "good", {"human_score": 0.0}))
    ]
    dataset = HumanLabeledDataset.from_records(
        rows, dataset_name="pairs.csv", version="1", metrics_type=MetricsType.HARM
    )

    def answer(request: JudgeRequest) -> str:
        text = request.turns[-1].text
        return says("[[A]]" if text.index("good") < text.index("bad") else "[[B]]")

    scorer = PairwiseScorer(chat_target=CallableTarget(answer, name="j", version="1"))

    metrics = asyncio.run(
        scorer.evaluate_async(dataset=dataset, num_scorer_trials=2, registry=Registry(tmp_path), allow_unverified=True)
    )

    assert metrics.result is not None
    values = {one.name: one.value for one in metrics.result.position_bias}
    assert values == {"pairs": 2, "consistency": consistency, "preference_fairness": fairness}
    assert [item.model for item in metrics.result.items] == ([1.0, 0.0] if consistency else [0.5, 0.5])
    assert EvaluationResult.load(metrics.result.save(tmp_path / "run")) == metrics.result
    assert "<h2>Position bias</h2>" in build_report(metrics.result)


@pytest.mark.parametrize(
    ("cycle", "consistency"),
    [
        # How six pairs are judged in each of three trials; the other four always follow the order of showing.
        (("good", "good", "good"), 0.6),
        (("good", "good", "first"), 0.6),
        (("good", "first", "first"), 0.0),
    ],
)
def test_more_trials_of_a_pair_make_no_more_pairs(
    tmp_path: Path, cycle: tuple[str, str, str], consistency: float
) -> None:
    rows = [
        {
            "harm_category": "preference",
            "objective": "Ask.",
            "assistant_response": f"good {place}",
            "response_b": f"bad {place}",
            "human_score": 1.0,
        }
        for place in range(10)
    ]
    dataset = HumanLabeledDataset.from_records(
        rows, dataset_name="pairs.csv", version="1", metrics_type=MetricsType.HARM
    )

    def measured(trials: int) -> dict[str, Measure]:
        asked: Counter[str] = Counter()

        def answer(request: JudgeRequest) -> str:
            text = request.turns[-1].text
            says = cycle[asked[text] % 3]
            asked[text] += 1
            follows_order = says == "first" or any(f"good {place}" in text for place in (0, 1, 2, 3))
            return "[[A]]" if follows_order or text.index("good") < text.index("bad") else "[[B]]"

        scorer = PairwiseScorer(chat_target=CallableTarget(answer, name="j", version="1"))
        metrics = asyncio.run(
            scorer.evaluate_async(
                dataset=dataset,
                num_scorer_trials=trials,
                registry=Registry(tmp_path / str(trials)),
                allow_unverified=True,
            )
        )
        assert metrics.result is not None
        return {one.name: one for one in metrics.result.position_bias}

    thrice = measured(3)

    assert (thrice["pairs"].value, thrice["consistency"].value) == (10, consistency)
    if cycle == ("good", "good", "good"):
        assert thrice == measured(1)


def test_slices_are_measured_by_their_column(tmp_path: Path) -> None:
    scorer = SubStringScorer(substring="can")

    metrics = asyncio.run(
        scorer.evaluate_async(
            dataset=HumanLabeledDataset.bundled("refusals"), registry=Registry(tmp_path), num_scorer_trials=1
        )
    )

    assert metrics.result is not None
    slices = metrics.result.slices["slice"]
    assert sum(one.value or 0 for measures in slices.values() for one in measures if one.name == "items") == 61


# What is refused before anything is asked


def never_asked(_request: JudgeRequest) -> str:
    raise AssertionError("the judge was asked")


@pytest.mark.parametrize(
    ("evaluator", "dataset", "says"),
    [
        (ObjectiveScorerEvaluator, harms(), "harm.csv holds harm labels"),
        (HarmScorerEvaluator, refusals(), "HarmScorerEvaluator measures float_scale scorers"),
    ],
)
def test_labels_and_scorer_that_dont_fit_are_refused_before_any_call(
    evaluator: type[ScorerEvaluator], dataset: HumanLabeledDataset, says: str
) -> None:
    scorer = SelfAskRefusalScorer(chat_target=CallableTarget(never_asked, name="j", version="1"))

    with pytest.raises(EvaluationError, match=says):
        asyncio.run(evaluator(scorer).evaluate_async(dataset))


def test_harm_data_without_its_definition_is_refused_unless_allowed(tmp_path: Path) -> None:
    unknown = replace(harms(), harm_definition="nowhere.yaml", definition=None)
    scorer = LengthScorer()

    with pytest.raises(DatasetError, match=r"nowhere\.yaml is missing"):
        asyncio.run(scorer.evaluate_async(dataset=unknown, registry=Registry(tmp_path)))
    metrics = asyncio.run(scorer.evaluate_async(dataset=unknown, registry=Registry(tmp_path), allow_unverified=True))

    assert metrics.result is not None
    assert metrics.result.dataset.harm_definition == "unverified"


@pytest.mark.parametrize("trials", [0, -1])
def test_fewer_than_one_trial_is_refused(trials: int) -> None:
    with pytest.raises(ValueError, match="num_scorer_trials must be at least 1"):
        asyncio.run(SubStringScorer(substring="x").evaluate_async(dataset=refusals(), num_scorer_trials=trials))


def test_a_column_to_slice_by_that_is_not_there_lists_those_there_are() -> None:
    with pytest.raises(EvaluationError, match="no column topic to slice by"):
        asyncio.run(SubStringScorer(substring="x").evaluate_async(dataset=refusals(), slice_by=["topic"]))


def test_a_scorer_without_data_of_its_own_asks_for_the_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUDGECORE_DATASETS", raising=False)
    target = CallableTarget(never_asked, name="j", version="1")
    likert = SelfAskLikertScorer(chat_target=target, likert_scale_path=LikertScalePaths.VIOLENCE_SCALE)

    for scorer in (LengthScorer(), likert, SubStringScorer(substring="x")):
        with pytest.raises(EvaluationError, match="dataset="):
            asyncio.run(scorer.evaluate_async())


def test_every_shipped_scorer_names_its_data() -> None:
    target = CallableTarget(never_asked, name="j", version="1")
    rubric = RubricScorer(chat_target=target, rubric_path=RubricPaths.HELPFULNESS)

    class BrevityScorer(LengthScorer):
        labelled_data = "brevity"

    own = NumericScale("politeness", 1, 5, "It is rude.", "It is kind.", integer=True)

    found = {
        "pair": default_files(PairwiseScorer(chat_target=target)),
        "rubric": default_files(rubric),
        "own scale": default_files(SelfAskScaleScorer(chat_target=target, scale=own)),
        "refusal": default_files(SelfAskRefusalScorer(chat_target=target)),
        "keywords": default_files(KeywordRefusalScorer()),
        "guard": default_files(GuardScorer(chat_target=target, guard="llama_guard.3")),
        "text": default_files(SubStringScorer(substring="x")),
        "own class": default_files(LengthScorer()),
        "own class with data": default_files(BrevityScorer()),
    }

    refusals = ("refusal", ("refusal/refusal.csv", "refusal_scorer/refusal.csv"), "refusals")
    assert {
        name: None if files is None else (files.subject, files.files, files.bundled) for name, files in found.items()
    } == {
        "pair": ("preference", ("harm/preference.csv",), None),
        "rubric": ("helpfulness", ("harm/helpfulness.csv",), "helpfulness"),
        "own scale": ("politeness", ("harm/politeness.csv",), None),
        "refusal": refusals,
        "keywords": refusals,
        "guard": ("objective", ("objective/*.csv",), None),
        "text": ("objective", ("objective/*.csv",), None),
        "own class": None,
        "own class with data": ("brevity", ("harm/brevity.csv",), None),
    }


@pytest.mark.parametrize(
    ("files", "name", "items"),
    [
        (LikertScaleEvalFiles.VIOLENCE_SCALE, "violence.csv", 96),
        (LikertScaleEvalFiles.INFORMATION_INTEGRITY_SCALE, "info_integrity.csv", 76),
        (
            TrueFalseEvalFiles.OBJECTIVE,
            "bias.csv_hate_speech.csv_info_integrity.csv_misinformation.csv_privacy.csv",
            180,
        ),
        (TrueFalseEvalFiles.REFUSAL, "refusal.csv", 105),
    ],
)
def test_the_users_folder_may_be_pyrits(files: Any, name: str, items: int, shared: Path) -> None:
    dataset = files.value.load(shared / "pyrit")

    assert (dataset.name, len(dataset)) == (name, items)


def test_a_scorer_without_arguments_is_evaluated_on_pyrits_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: Path
) -> None:
    monkeypatch.setenv("JUDGECORE_DATASETS", str(shared / "pyrit"))

    metrics = asyncio.run(KeywordRefusalScorer().evaluate_async(registry=Registry(tmp_path)))

    assert metrics.num_responses == 105
    assert KeywordRefusalScorer().get_scorer_metrics(registry=Registry(tmp_path), subject="refusal") == metrics


def test_a_folder_of_definitions_may_stand_beside_pyrits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: Path
) -> None:
    tmp_path.joinpath("violence.yaml").write_text("category: violence\nversion: '1.0'\nlevels: {0: none, 1: much}\n")
    violence = LikertScaleEvalFiles.VIOLENCE_SCALE.value

    monkeypatch.delenv("JUDGECORE_HARM_DEFINITIONS", raising=False)
    with pytest.raises(DatasetError, match="name the folder in JUDGECORE_HARM_DEFINITIONS"):
        violence.load(shared / "pyrit").validate()
    monkeypatch.setenv("JUDGECORE_HARM_DEFINITIONS", str(tmp_path))

    assert violence.load(shared / "pyrit").harm_definition_status == "verified"


def test_files_that_are_not_there_are_named_with_their_folder(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"has no harm/information_integrity\.csv or harm/info_integrity\.csv"):
        LikertScaleEvalFiles.INFORMATION_INTEGRITY_SCALE.value.load(tmp_path)


def test_a_key_that_is_not_accepted_ends_the_evaluation(serve: Callable[..., Serving], tmp_path: Path) -> None:
    server = serve("--api-key", "right")

    async def run() -> None:
        async with OpenAITarget("m", base_url=server.url, api_key="wrong") as target:
            await SelfAskRefusalScorer(chat_target=target).evaluate_async(
                dataset=refusals(), registry=Registry(tmp_path / "registry")
            )

    with pytest.raises(AuthenticationError):
        asyncio.run(run())

    assert Registry(tmp_path / "registry").objective_metrics(refusal=True) == ()


# Killed and gone on with

EVALUATE = """
import asyncio, sys
from judgecore.evaluation import HumanLabeledDataset, MetricsType, Registry
from judgecore.scorers import SelfAskRefusalScorer
from judgecore.targets import Ledger, OpenAITarget

url, folder, rows, trials = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
texts = ["I'm sorry, but I can't help with that.", "Sure, here is how.", "Perhaps; I cannot tell."]
records = [
    {"objective": f"question {n}", "assistant_response": f"{texts[n % 3]} ({n})", "human_score": n % 2}
    for n in range(rows)
]
dataset = HumanLabeledDataset.from_records(
    records, dataset_name="many", version="1", metrics_type=MetricsType.OBJECTIVE
)

async def run():
    async with OpenAITarget("judge", base_url=url, api_key="any") as target:
        with Ledger(f"{folder}/run.db") as ledger:
            await SelfAskRefusalScorer(chat_target=target).evaluate_async(
                dataset=dataset, num_scorer_trials=trials, registry=Registry(f"{folder}/registry"), ledger=ledger
            )

asyncio.run(run())
"""
# `make soak` asks for a thousand items three times, killed five times.
N_ITEMS, N_TRIALS, N_KILLS = (1000, 3, 5) if os.environ.get("JUDGECORE_SOAK") else (100, 2, 2)
IN_FLIGHT = 32


def evaluating(url: str, folder: Path) -> subprocess.Popen[bytes]:
    folder.mkdir(exist_ok=True)
    return subprocess.Popen([sys.executable, "-c", EVALUATE, url, folder, str(N_ITEMS), str(N_TRIALS)])


def statistics_of(folder: Path) -> tuple[Any, list[Any]]:
    (entry,) = Registry(folder / "registry").objective_metrics(refusal=True)
    result = EvaluationResult.load(results_folder(Registry(folder / "registry"), "refusal", entry.eval_hash))
    values = [[(one.value, one.rationale) for one in item.trials] for item in result.items]
    return entry.metrics.beyond["statistics"], values


@pytest.mark.timeout(600)
def test_a_killed_evaluation_goes_on_where_it_stopped(serve: Callable[..., Serving], tmp_path: Path) -> None:
    server = serve("--delay-ms", "20")
    whole = evaluating(server.url, tmp_path / "whole")
    assert whole.wait() == 0
    planned = server.count()

    for _ in range(N_KILLS):
        killed = evaluating(server.url, tmp_path / "killed")
        before = server.count()
        while killed.poll() is None and server.count() < before + planned // (N_KILLS + 2):
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    assert evaluating(server.url, tmp_path / "killed").wait() == 0
    asked = server.count() - planned

    assert statistics_of(tmp_path / "whole") == statistics_of(tmp_path / "killed")
    assert planned <= asked <= planned + N_KILLS * IN_FLIGHT


def test_metrics_of_another_scorer_are_not_this_ones(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    other = ScorerEvaluationIdentifier(ComponentIdentifier(class_name="Other", class_module="m"))
    metrics = asyncio.run(SubStringScorer(substring="can").evaluate_async(dataset=refusals(), registry=registry))

    assert registry.find(other, "objective") is None
    assert registry.objective_metrics()[0].metrics == metrics


def test_progress_is_told_after_every_response_with_its_scores(tmp_path: Path) -> None:
    told: list[tuple[int, int, int]] = []

    with Ledger() as ledger:
        asyncio.run(
            SubStringScorer(substring="can").evaluate_async(
                dataset=refusals(),
                num_scorer_trials=2,
                registry=Registry(tmp_path),
                ledger=ledger,
                on_progress=lambda done, total, scores: told.append((done, total, len(scores))),
            )
        )

    assert [(done, 12, 1) for done in range(1, 13)] == told


# Two scorers on the same labels


def test_two_scorers_are_ranked_and_their_difference_has_an_interval(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    dataset = HumanLabeledDataset.bundled("refusals")

    def evaluated(substring: str) -> EvaluationResult:
        scorer = SubStringScorer(substring=substring)
        metrics = asyncio.run(scorer.evaluate_async(dataset=dataset, registry=registry, num_scorer_trials=1))
        assert metrics.result is not None
        return metrics.result

    found = compare_results([evaluated("zzz"), evaluated("can")], ["never", "can"])

    assert found.names == ("can", "never")
    accuracy = next(one for one in found.differences if one.measure_name == "accuracy")
    assert (accuracy.first, accuracy.second, accuracy.num_items) == ("can", "never", len(dataset))
    assert accuracy.difference == pytest.approx((accuracy.first_value or 0) - (accuracy.second_value or 0))
    assert accuracy.low is not None
    assert accuracy.high is not None
    assert accuracy.low <= (accuracy.difference or 0) <= accuracy.high


class Constant(Scorer):
    """A scorer that gives every response the same score."""

    score_type = "float_scale"

    def __init__(self, value: float) -> None:
        self.value = value

    def params(self) -> dict[str, Any]:
        return {"value": self.value}

    async def score_async(self, response: Any, *, trial: int = 0) -> list[Score]:
        del response, trial
        return [self.make_score(self.value)]


def better_constant(measure_name: str, *values: float) -> str | None:
    """Which of two constant scorers is better by a measure, by its value."""
    dataset = harms([0.5, 0.75] * 10)
    results = [
        asyncio.run(
            HarmScorerEvaluator(Constant(value)).evaluate_async(dataset, num_scorer_trials=1, allow_unverified=True)
        )
        for value in values
    ]
    found = compare_results(results, [str(value) for value in values])
    return next(one.better for one in found.differences if one.measure_name == measure_name)


def test_a_lower_error_is_the_better_one() -> None:
    assert better_constant("mean_absolute_error", 0.0, 0.6) == "0.6"
    assert better_constant("mean_absolute_error", 0.6, 0.0) == "0.6"


def test_the_bias_that_is_nearer_to_0_is_the_better_one_whatever_its_sign() -> None:
    assert better_constant("bias", 0.0, 0.1) == "0.1"
    assert better_constant("bias", 1.0, 0.9) == "0.9"
    assert better_constant("bias", 0.0, 1.0) == "1.0"
    assert better_constant("bias", 0.525, 0.725) is None


def test_evaluations_of_other_data_are_not_compared() -> None:
    scorer = ObjectiveScorerEvaluator(SubStringScorer(substring="can"))
    results = [
        asyncio.run(scorer.evaluate_async(dataset, num_scorer_trials=1))
        for dataset in (refusals(), refusals(rows=ROWS[:-1]))
    ]

    with pytest.raises(EvaluationError, match="evaluate both on the same data"):
        compare_results(results)
    with pytest.raises(EvaluationError, match="at least two"):
        compare_results(results[:1])


def test_two_evaluations_of_one_name_are_an_error_and_unnamed_ones_are_numbered() -> None:
    scorer = ObjectiveScorerEvaluator(SubStringScorer(substring="can"))
    results = [asyncio.run(scorer.evaluate_async(refusals(), num_scorer_trials=1)) for _ in range(2)]

    with pytest.raises(EvaluationError, match="two evaluations are named 'mine'"):
        compare_results(results, ["mine", "mine"])
    first, second = compare_results(results).names
    assert second == f"{first.removesuffix(' (1)')} (2)"


@pytest.mark.parametrize("named", ["datasets/scorer_evals", "datasets"])
@pytest.mark.parametrize(
    ("scale", "wanted"),
    [
        ("VIOLENCE_SCALE", ("violence.csv", 96)),
        ("HATE_SPEECH_SCALE", ("hate_speech_multi_score.csv", 199)),
        ("INFORMATION_INTEGRITY_SCALE", ("info_integrity.csv", 76)),
        ("PRIVACY_SCALE", ("privacy.csv", 93)),
    ],
)
def test_likert_scorers_find_pyrits_files_and_definitions(
    tmp_path: Path, shared: Path, named: str, scale: str, *, wanted: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    copytree(shared / "pyrit", tmp_path / "datasets" / "scorer_evals")
    definitions = tmp_path / "datasets" / "harm_definition"
    definitions.mkdir()
    for name in ("violence", "hate_speech", "information_integrity", "privacy"):
        levels = '[{score_value: "1", description: none}]'
        text = f'category: {name}\nversion: "1.0"\nscale_descriptions: {levels}\n'
        (definitions / f"{name}.yaml").write_text(text)
    monkeypatch.setenv("JUDGECORE_DATASETS", str(tmp_path / named))
    judge = CallableTarget(lambda _: '{"score_value": 1, "rationale": "So."}', name="judge", version="1")
    scorer = SelfAskLikertScorer(chat_target=judge, likert_scale_path=LikertScalePaths[scale])

    metrics = asyncio.run(scorer.evaluate_async(num_scorer_trials=1, registry=Registry(tmp_path / "registry")))

    assert (metrics.dataset_name, metrics.num_responses) == wanted
    assert metrics.result is not None
    assert metrics.result.dataset.harm_definition not in (None, "unverified")


# What a judge says of its own certainty, and what raters said in their own units


def stated(value: object, confidence: object) -> str:
    return json.dumps({"rationale": "x", "description": "x", "score_value": value, "confidence": confidence})


def of_confidence(confidence: object) -> EvaluationResult:
    """A judge that gives every response a 4 of 5 with the same confidence; people give 4 and 2 in turn."""
    judge = CallableTarget(lambda _: stated(4, confidence), name="judge", version="1")
    scorer = SelfAskScaleScorer(chat_target=judge, scale=NumericScale("quality", 1, 5, steps="Is it good?"))
    rows = [{"answer": f"answer {n}", "anna": 4 if n % 2 else 2, "ben": 4 if n % 2 else None} for n in range(8)]
    dataset = HumanLabeledDataset.from_ratings(rows, response="answer", human=("anna", "ben"), scale=(1, 5))
    return asyncio.run(HarmScorerEvaluator(scorer).evaluate_async(dataset, num_scorer_trials=1))


@pytest.mark.parametrize("confidence", [0.75, 75])
def test_a_stated_confidence_is_held_against_how_often_scores_are_right(confidence: float) -> None:
    [filled] = [one for one in of_confidence(confidence).calibration if one["count"]]

    assert (filled["mean_probability"], filled["observed_rate"], filled["count"]) == (0.75, 0.5, 8)


@pytest.mark.parametrize("confidence", [None, "high", True, -1, 101])
def test_what_is_no_confidence_gives_no_calibration(confidence: object) -> None:
    assert of_confidence(confidence).calibration == ()


def test_items_have_ratings_in_the_raters_units_and_the_prompt(tmp_path: Path) -> None:
    result = of_confidence(0.5)

    first, second = result.items[:2]
    assert (first.human_ratings, first.gold_rating, first.model_rating) == ((2, None), 2, 4)
    assert (second.human_ratings, second.trials[0].rating) == ((4, 4), 4)
    assert "answer 0" in (first.prompt or "")
    assert "Is it good?" in (first.prompt or "")
    assert result.dataset.raters == ("anna", "ben")
    lines = [json.loads(line) for line in (result.save(tmp_path) / "items.jsonl").read_text().splitlines()]
    assert (lines[0]["gold_rating"], lines[0]["model_rating"], lines[0]["gold"]) == (2, 4, 0.25)
    assert EvaluationResult.load(tmp_path).items == result.items
    assert EvaluationResult.load(result.save(tmp_path / "p", items="parquet")).items == result.items


def test_verdicts_have_no_ratings_and_a_confidence_in_false_is_a_doubt_in_true() -> None:
    judge = CallableTarget(
        lambda request: stated("wretched" not in request.turns[-1].text, 0.9), name="judge", version="1"
    )
    question = TrueFalseQuestion("quality", true_description="It is good.")
    scorer = SelfAskTrueFalseScorer(chat_target=judge, true_false_question=question)
    rows = [{"answer": "wretched" if n % 2 else "fine", "anna": n % 2 == 0} for n in range(6)]
    dataset = HumanLabeledDataset.from_ratings(rows, response="answer", human="anna")

    result = asyncio.run(ObjectiveScorerEvaluator(scorer).evaluate_async(dataset, num_scorer_trials=1))

    shares = [(one["mean_probability"], one["count"]) for one in result.calibration if one["count"]]
    assert sum(count for _, count in shares) == 6
    assert {round(share, 2) for share, _ in shares} == {0.1, 0.9}
    assert (result.items[0].human_ratings, result.items[0].gold_rating) == ((), None)


def test_one_item_has_no_interval_of_its_error() -> None:
    judge = CallableTarget(lambda _: '{"score_value": 3, "rationale": "Fair."}', name="judge", version="1")
    scorer = SelfAskScaleScorer(chat_target=judge, scale=NumericScale("quality", 1, 5, steps="Is it good?"))
    rows = [{"answer": "fine", "anna": 4}]
    dataset = HumanLabeledDataset.from_ratings(rows, response="answer", human="anna", scale=(1, 5))

    result = asyncio.run(HarmScorerEvaluator(scorer).evaluate_async(dataset, num_scorer_trials=1))

    assert {one.name for one in result.measures if one.low is not None} == {"coverage"}
    assert "That is worse" not in build_report(result)
