"""Aggregators: three-valued, and no score is no verdict."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

VERDICTS = st.lists(st.sampled_from([True, False, None]), max_size=7)


def settled(name: str, values: Sequence[bool]) -> bool:
    """The verdict of plain booleans, by definition."""
    return {"AND": all(values), "OR": any(values), "MAJORITY": 2 * sum(values) > len(values)}[name]


def scores(values: Sequence[Any], score_type: Any) -> list[jc.Score]:
    return [
        jc.Score.undetermined(score_type, "refused")
        if value is None
        else jc.Score(score_type=score_type, score_value=value, score_rationale=f"said {value}")
        for value in values
    ]


def test_the_reference_holds_but_for_what_is_named(shared: Path) -> None:
    """An empty list is undetermined, and a majority that is decided is not blocked."""
    reference = json.loads((shared / "reference" / "pyrit_1_1_0.json").read_text("utf-8"))["aggregators"]
    decided = {"MAJORITY": [[False, None], [None, False], [True, True, None], [True, True, True, None]]}

    for name, cases in reference.items():
        for case in cases:
            values, want = case["in"], case["out"]
            is_boolean = name in jc.scorers.TrueFalseScoreAggregator.__members__
            aggregator: Any = (
                jc.scorers.TrueFalseScoreAggregator if is_boolean else jc.scorers.FloatScaleScoreAggregator
            )[name]
            given = scores(values, "true_false" if is_boolean else "float_scale")
            if isinstance(want, dict) and "error" in want:
                with pytest.raises(ValueError, match="no scores"):
                    aggregator(given)
                continue
            want = want["ok"] if isinstance(want, dict) else want
            want = None if not values else want
            if values in decided.get(name, []):
                want = settled(name, [bool(value) for value in values])
            assert aggregator(given).value == want, (name, values)
            assert aggregator(values).value == want, (name, values)


@given(st.sampled_from(jc.scorers.TrueFalseScoreAggregator), VERDICTS)
def test_a_verdict_is_what_all_ways_to_settle_it_agree_on(
    aggregator: jc.scorers.TrueFalseScoreAggregator, values: list[bool | None]
) -> None:
    ways = itertools.product(*([value] if value is not None else [True, False] for value in values))
    outcomes = {settled(aggregator.value, way) for way in ways} if values else set[bool]()

    want = outcomes.pop() if len(outcomes) == 1 else None

    assert aggregator(values).value == want


@given(st.lists(st.floats(0, 1), min_size=1), st.sampled_from(jc.scorers.FloatScaleScoreAggregator))
def test_a_combined_number_lies_among_the_numbers(
    values: list[float], aggregator: jc.scorers.FloatScaleScoreAggregator
) -> None:
    combined = aggregator(values).value

    assert combined is not None
    assert min(values) - 1e-9 <= combined <= max(values) + 1e-9


@pytest.mark.parametrize(
    "aggregator", [*jc.scorers.TrueFalseScoreAggregator, *list(jc.scorers.FloatScaleScoreAggregator)[:3]]
)
def test_no_scores_are_undetermined(aggregator: Any) -> None:
    result = aggregator([])

    assert (result.value, result.reason) == (None, "empty")


@pytest.mark.parametrize("aggregator", [one for one in jc.scorers.FloatScaleScoreAggregator if "RAISE" in one.name])
def test_the_raising_variants_raise_on_no_scores(aggregator: jc.scorers.FloatScaleScoreAggregator) -> None:
    with pytest.raises(ValueError, match="no scores to aggregate"):
        aggregator([])


def test_scores_of_another_type_are_refused() -> None:
    with pytest.raises(ValueError, match="must be true_false, but one is float_scale"):
        jc.scorers.TrueFalseScoreAggregator.AND(scores([0.5], "float_scale"))
    with pytest.raises(ValueError, match="must be float_scale, but one is true_false"):
        jc.scorers.FloatScaleScoreAggregator.MAX(scores([True], "true_false"))
    with pytest.raises(ValueError, match="must be float_scale, but one is True"):
        jc.scorers.FloatScaleScoreAggregator.MAX([True])


def test_the_rationale_names_every_score() -> None:
    result = jc.scorers.TrueFalseScoreAggregator.OR(scores([True, None], "true_false"))

    assert result.rationale == "- score: True. said True\n- score: undetermined (refused)."


def test_metadata_that_contradict_each_other_are_left_to_the_parts() -> None:
    one = jc.Score(score_type="true_false", score_value="true", score_metadata={"a": 1, "b": 2}, score_category=["x"])
    other = jc.Score(
        score_type="true_false", score_value="true", score_metadata={"a": 1, "b": 3}, score_category=["y", "x"]
    )

    result = jc.scorers.TrueFalseScoreAggregator.AND([one, other])

    assert (result.metadata, result.category) == ({"a": 1}, ["x", "y"])


def test_categories_are_combined_each_by_itself() -> None:
    given = [
        jc.Score(score_type="float_scale", score_value=value, score_category=category)
        for value, category in (("0.2", ["b"]), ("0.4", ["a"]), ("1", ["b"]), ("0", []))
    ]

    results = jc.scorers.FloatScaleScorerByCategory.AVERAGE(given)

    assert [(result.category, result.value) for result in results] == [([], 0), (["a"], 0.4), (["b"], 0.6)]
