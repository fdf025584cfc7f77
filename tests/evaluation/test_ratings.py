"""Ratings in tables with columns of any name: what is understood, and what is asked for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
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


@pytest.mark.parametrize("make", [list, pl.DataFrame, pa.Table.from_pylist], ids=["mappings", "polars", "pyarrow"])
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
        ({"response": "answer"}, "name the columns of a table; pass it, too"),
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
