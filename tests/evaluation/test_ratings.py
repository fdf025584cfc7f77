"""Ratings in tables with columns of any name: what is understood, and what is asked for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import judgecore as jc
from judgecore.errors import ColumnsNeededError, DatasetError
from judgecore.evaluation import HumanLabeledDataset, MetricsType, Registry, ScorerMetrics, evaluate

if TYPE_CHECKING:
    from pathlib import Path

ROWS: list[dict[str, Any]] = [
    {"answer": "Bad.", "anna": 1, "ben": 2, "topic": "law"},
    {"answer": "Fine.", "anna": 3, "ben": None, "topic": "code"},
    {"answer": "Good.", "anna": 5, "ben": 4, "topic": "law"},
]
COLUMNS: dict[str, Any] = {"response": "answer", "human": ["anna", "ben"], "scale": (1, 5)}


def run(*arguments: Any, **options: Any) -> ScorerMetrics:
    return asyncio.run(evaluate(*arguments, **options))


def judge_of(level: int, **params: Any) -> jc.scorers.SelfAskScaleScorer:
    """A scorer whose judge always gives one level."""
    judge = jc.CallableTarget(
        lambda _: f'{{"score_value": {level}, "rationale": "So."}}', name="judge", version="1", params=params
    )
    return jc.scorers.SelfAskScaleScorer(chat_target=judge, scale=jc.prompts.NumericScale("helpfulness", 1, 5))


def test_a_table_is_evaluated_in_one_call(tmp_path: Path) -> None:
    metrics = run(judge_of(3), ROWS, **COLUMNS, slice_by=["topic"], registry=Registry(tmp_path))

    assert metrics.result is not None
    assert (metrics.num_responses, metrics.num_human_raters, metrics.scale) == (3, 2, (1, 5))
    assert [item.gold for item in metrics.result.items] == [0.125, 0.5, 0.875]
    assert metrics.result.measures[1].value == 0.25
    assert list(metrics.result.slices["topic"]) == ["law", "code"]


@pytest.mark.parametrize("make", [list, pa.Table.from_pylist], ids=["mappings", "pyarrow"])
def test_every_kind_of_table_gives_the_same_data(make: Any) -> None:
    dataset = HumanLabeledDataset.from_ratings(make(ROWS), **COLUMNS)

    assert dataset.content_hash == HumanLabeledDataset.from_ratings(iter(ROWS), **COLUMNS).content_hash
    np.testing.assert_array_equal([[0, 0.5, 1], [0.25, np.nan, 0.75]], dataset.ratings())
    assert dataset.content_hash.startswith(dataset.version)


def test_rows_that_nobody_rated_are_left_out() -> None:
    dataset = HumanLabeledDataset.from_ratings([*ROWS, {"answer": "New.", "anna": None, "ben": None}], **COLUMNS)

    assert [one.assistant_response for one in dataset.entries] == ["Bad.", "Fine.", "Good."]


@pytest.mark.parametrize("labels", [(0, 1, 1), (False, True, True), ("no", "Yes", "yes"), ("FALSE", "TRUE", "TRUE")])
def test_booleans_need_no_scale(labels: tuple[Any, ...]) -> None:
    rows = [{"text": f"{n}", "safe": label} for n, label in enumerate(labels)]

    dataset = HumanLabeledDataset.from_ratings(rows, response="text", human="safe")

    assert dataset.metrics_type is MetricsType.OBJECTIVE
    np.testing.assert_array_equal([[0, 1, 1]], dataset.ratings())


def test_all_questions_about_columns_are_one_error_with_a_suggestion() -> None:
    with pytest.raises(ColumnsNeededError) as caught:
        HumanLabeledDataset.from_ratings(ROWS, response="anwser")

    assert str(caught.value).splitlines() == [
        "ratings: no column 'anwser'; did you mean 'answer'?",
        "ratings: missing human=, scale=",
        "the columns are",
        "  answer  'Bad.' or 'Fine.' or 'Good.'",
        "  anna    whole numbers from 1 to 5",
        "  ben     whole numbers from 2 to 4, 1 missing",
        "  topic   'law' or 'code'",
        "perhaps: response='answer', human=['anna', 'ben'], scale=(1, 5),",
        "the scale goes from the lowest to the highest rating that raters could give",
    ]


def test_one_wrong_scale_is_one_line() -> None:
    with pytest.raises(DatasetError, match=r"^ratings, row 3, column 'anna': 5 lies outside the scale from 1 to 3 \("):
        HumanLabeledDataset.from_ratings(ROWS, response="answer", human=["anna", "ben"], scale=(1, 3))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"table": ROWS, "dataset": HumanLabeledDataset.bundled("refusals")}, "leave one out"),
        ({"response": "answer"}, "response= describes a table; pass it, too"),
        ({"table": {"answer": ["Bad."]}, "response": "answer"}, "not dict"),
    ],
)
def test_calls_that_contradict_themselves_are_type_errors(given: dict[str, Any], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        run(judge_of(3), **given)


@pytest.mark.parametrize(("params", "trials"), [({"temperature": 0}, 1), ({"temperature": 0.7}, 3), ({}, 3)])
def test_only_a_judge_of_temperature_0_is_asked_once(tmp_path: Path, params: dict[str, Any], trials: int) -> None:
    metrics = run(judge_of(3, **params), ROWS, **COLUMNS, registry=Registry(tmp_path))

    assert metrics.num_scorer_trials == trials


LONG = [
    {"id": "x", "answer": "Bad.", "who": "anna", "stars": 1},
    {"id": "y", "answer": "Good.", "who": "anna", "stars": 5},
    {"id": "x", "answer": "Bad.", "who": "ben", "stars": 2},
]
OF_LONG: dict[str, Any] = {"response": "answer", "human": "stars", "scale": (1, 5), "item": "id"}


def test_a_row_may_be_one_rating() -> None:
    named = HumanLabeledDataset.from_ratings(LONG, **OF_LONG, rater="who")
    counted = HumanLabeledDataset.from_ratings(LONG, **OF_LONG)

    assert (named.raters, counted.raters) == (("anna", "ben"), ("rating 1", "rating 2"))
    for dataset in (named, counted):
        assert [one.assistant_response for one in dataset.entries] == ["Bad.", "Good."]
        np.testing.assert_array_equal([[0, 1], [0.25, np.nan]], dataset.ratings())
    assert named.entries[0].metadata == {"id": "x"}


def test_the_response_may_identify_the_item() -> None:
    columns: dict[str, Any] = {**OF_LONG, "item": "answer"}

    assert len(HumanLabeledDataset.from_ratings(LONG, **columns)) == 2


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"answer": "Other.", "who": "carl"}, "row 4, column 'answer': has another response than the first row"),
        ({"who": "ben"}, "row 4, column 'who': 'ben' rates an item that this rater has already rated"),
        ({"id": None, "who": "carl"}, "row 4, column 'id': is empty"),
    ],
)
def test_ratings_that_do_not_fit_together_are_named(row: dict[str, Any], says: str) -> None:
    with pytest.raises(DatasetError, match=says):
        HumanLabeledDataset.from_ratings([*LONG, {**LONG[2], **row}], **OF_LONG, rater="who")


def test_categories_are_true_or_false_once_it_is_said_which() -> None:
    rows = [{"text": "a", "kind": "Toxic"}, {"text": "b", "kind": "fine"}, {"text": "c", "kind": "unclear"}]

    with pytest.raises(ColumnsNeededError, match=r"missing true=\n(.|\n)*perhaps: true=\['Toxic'\]"):
        HumanLabeledDataset.from_ratings(rows, response="text", human="kind")
    dataset = HumanLabeledDataset.from_ratings(rows, response="text", human="kind", true=["toxic"])

    assert dataset.metrics_type is MetricsType.OBJECTIVE
    np.testing.assert_array_equal([[1, 0, 0]], dataset.ratings())


def test_stars_may_be_categories() -> None:
    dataset = HumanLabeledDataset.from_ratings(LONG, response="answer", human="stars", true=["4", "5"])

    np.testing.assert_array_equal([[0, 1, 0]], dataset.ratings())


def test_pairs_are_evaluated_by_the_preferred_column(tmp_path: Path) -> None:
    rows = [
        {"objective": "How?", "old": "Good.", "new": "Bad.", "best": "old"},
        {"objective": "Why?", "old": "Bad.", "new": "Good.", "best": "B"},
        {"objective": "Who?", "old": "Same.", "new": "Same.", "best": "tie"},
    ]
    judge = jc.CallableTarget(lambda _: "So. [[C]]", name="judge", version="1")

    metrics = run(
        jc.scorers.PairwiseScorer(chat_target=judge),
        rows,
        human="best",
        prefer=("old", "new"),
        registry=Registry(tmp_path),
    )

    assert metrics.result is not None
    assert [item.gold for item in metrics.result.items] == [1, 0, 0.5]
    assert [item.model for item in metrics.result.items] == [0.5, 0.5, 0.5]
    with pytest.raises(ColumnsNeededError, match="'left' is no preference; a preference is 'old', 'new', 'a', 'b' or"):
        HumanLabeledDataset.from_ratings([{**rows[0], "best": "left"}], human="best", prefer=("old", "new"))


def test_pairs_need_the_request_that_both_answered() -> None:
    rows = [{"q": "How?", "old": "Good.", "new": "Bad.", "best": "old"}]

    with pytest.raises(ColumnsNeededError, match=r"missing objective=\n(.|\n)*perhaps: objective='q'"):
        HumanLabeledDataset.from_ratings(rows, human="best", prefer=("old", "new"))
