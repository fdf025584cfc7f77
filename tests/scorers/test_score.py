"""A score has a value if and only if it is complete."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc

if TYPE_CHECKING:
    from pathlib import Path


def test_the_reference_cases_hold(shared: Path) -> None:
    cases = json.loads((shared / "reference" / "pyrit_1_1_0.json").read_text("utf-8"))["score_model"]

    for case in cases:
        want = case["out"]
        if "ok" in want:
            assert jc.Score(**case["in"]).get_value() == want["ok"]["value"]
        elif want["error"] == "UndeterminedScoreError":
            with pytest.raises(jc.errors.UndeterminedScoreError):
                jc.Score(**case["in"]).get_value()
        else:
            with pytest.raises(ValueError, match=r"score|score_type"):
                jc.Score(**case["in"])


@pytest.mark.parametrize("value", ["TRUE", "true", " True ", True])
def test_true_is_true_in_any_case(value: Any) -> None:
    score = jc.Score(score_type="true_false", score_value=value)

    assert score.get_value() is True
    assert score.score_value == "True"


@pytest.mark.parametrize("value", ["yes", "1", 1, 0, 1.0, "", "none", None])
def test_no_other_word_is_true_or_false(value: Any) -> None:
    with pytest.raises(ValueError, match="score"):
        jc.Score(score_type="true_false", score_value=value)


@pytest.mark.parametrize("value", ["nan", float("nan"), "inf", "-0.01", 1.0000001, "1e400", 10**400, "x", True, [0.5]])
def test_a_number_that_is_none_or_off_the_scale_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="a float_scale score"):
        jc.Score(score_type="float_scale", score_value=value)


@given(st.floats(0, 1))
def test_a_number_on_the_scale_comes_back_as_it_was(value: float) -> None:
    assert jc.Score(score_type="float_scale", score_value=value).get_value() == value  # pyright: ignore[reportArgumentType] - taken in words


def test_an_undetermined_score_has_no_value_and_a_reason() -> None:
    score = jc.Score.undetermined("true_false", "ambiguous")

    assert score.is_undetermined
    assert (score.score_value, score.undetermined_reason) == (None, "ambiguous")
    with pytest.raises(jc.errors.UndeterminedScoreError, match=r"undetermined \(ambiguous\)"):
        score.get_value()


def test_a_value_and_a_reason_against_one_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="has no undetermined_reason"):
        jc.Score(score_type="true_false", score_value="true", undetermined_reason="empty")


def test_a_score_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="get_value"):
        bool(jc.Score(score_type="true_false", score_value="false"))


def test_a_missing_description_is_an_empty_text() -> None:
    score = jc.Score(score_type="true_false", score_value="true", score_value_description=None)  # pyright: ignore[reportArgumentType] - as parsers give it

    assert score.score_value_description == ""


def test_a_score_pickles_and_becomes_json() -> None:
    reading = jc.parse("Rating: [[5]]", "mt_bench.single")
    part = jc.Score.undetermined("float_scale", "refused", reading=jc.parse("", "mt_bench.single"))
    score = jc.Score(score_type="float_scale", score_value="0.5", reading=reading, score_category=["c"], parts=(part,))

    again = pickle.loads(pickle.dumps(score))
    line = json.loads(json.dumps(score.to_json()))

    assert again == score
    assert (line["score_value"], line["score_category"]) == (0.5, ["c"])
    assert line["reading"]["rule"] == "marker"
    assert line["parts"][0]["reading"]["reason"] == "empty"
    assert line["parts"][0]["score_value"] is None
