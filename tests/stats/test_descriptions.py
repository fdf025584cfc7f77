"""Each metric is described once, and everything that shows or compares numbers goes by the description."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, fields
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from references import metrics as document

from judgecore import stats
from judgecore.evaluation import HarmScorerMetrics, ObjectiveScorerMetrics, ScorerMetrics
from judgecore.stats.interval import PairStatistic
from judgecore.stats.metric import metric, unite

VERDICTS = stats.objective_metrics(
    [[1, 0, 1, 1, 0], [1, 0, 0, 1, 0]], [[1, 1, 1, None, 0]], probabilities=[0.9, 0.6, 0.7, 0.2, 0.1], resamples=50
)
SCORES = stats.harm_metrics([[0, 0.5, 1, 0.25], [0, 0.75, 1, 0.5]], [[0.25, 0.5, None, 0.5]], resamples=50)
PAIRS = stats.position_bias(["A", "A", "B"], ["B", "A", "A"])
RESULTS = [VERDICTS, VERDICTS.calibration, SCORES, PAIRS]

BIT = st.sampled_from([0.0, 1.0])
SCORE = st.floats(0, 1)


def described(result: Any) -> dict[str, stats.Metric]:
    """The metrics of a result by name."""
    return {one.name: one for one in stats.metrics_of(result)}


def check_ranges(result: Any) -> None:
    """Every number is in its range."""
    for one in stats.metrics_of(result):
        value = one.value_in(result)
        assert value is None or one.low - 1e-9 <= value <= one.high + 1e-9, one.name


@pytest.mark.parametrize("result", RESULTS)
def test_every_number_of_a_result_is_described_or_a_count(result: Any) -> None:
    paths = {one.path.partition(".")[0] for one in stats.metrics_of(result)}
    numbers = {one.name for one in fields(result) if one.type == "float | None"}

    # The sign test's p belongs to the preference beside it, whose name the t-test's p has elsewhere.
    assert numbers - paths <= {"p_value"}
    assert paths - numbers <= {"human_ceiling", "num_pairs"}


def test_whatever_has_an_interval_is_described() -> None:
    names = {*VERDICTS.intervals, *SCORES.intervals}

    assert names - set(stats.METRICS) == set()


@settings(max_examples=60)
@given(st.lists(st.tuples(BIT, BIT, BIT, st.floats(0, 1)), min_size=1, max_size=12))
def test_numbers_of_verdicts_are_in_their_ranges(rows: list[tuple[float, float, float, float]]) -> None:
    one, other, model, probabilities = zip(*rows, strict=True)

    found = stats.objective_metrics([one, other], [model], probabilities=probabilities, resamples=2)

    check_ranges(found)
    check_ranges(found.calibration)


@settings(max_examples=60)
@given(st.lists(st.tuples(SCORE, SCORE, SCORE), min_size=1, max_size=12))
def test_numbers_of_scores_are_in_their_ranges(rows: list[tuple[float, float, float]]) -> None:
    one, other, model = zip(*rows, strict=True)

    check_ranges(stats.harm_metrics([one, other], [model], resamples=2))


@pytest.mark.parametrize("kind", [ObjectiveScorerMetrics, HarmScorerMetrics])
def test_registry_lines_hold_the_published_metrics_and_no_others(kind: type[ScorerMetrics]) -> None:
    own = {one.name for one in fields(kind)} - {one.name for one in fields(ScorerMetrics)}
    held = {name for name in own if not name.startswith("harm_")}

    assert all(stats.METRICS[name].is_published for name in held)
    result = stats.HarmMetrics if kind is HarmScorerMetrics else stats.ObjectiveMetrics
    # PyRIT's objective lines have no agreement.
    published = {name for name, one in described(result).items() if one.is_published}
    assert published - held <= {"krippendorff_alpha_humans", "krippendorff_alpha_model"}


def test_editors_know_every_statistic_that_can_be_resampled() -> None:
    with pytest.raises(ValueError, match='no statistic is called "nothing"; there are ') as refusal:
        stats.bootstrap_interval([[1, 0], [1, 0]], "nothing", resamples=2)  # pyright: ignore[reportArgumentType]

    known = str(refusal.value).rpartition("there are ")[2].split(", ")
    assert sorted(known) == sorted(get_args(PairStatistic))
    assert all(one.name in known for one in stats.METRICS.values() if one.is_compared)


def test_the_better_end_decides_order_and_threshold() -> None:
    f1, error, bias = map(stats.describe, ("f1_score", "mean_absolute_error", "bias"))

    assert sorted([0.2, 0.9, 0.5], key=f1.cost) == [0.9, 0.5, 0.2]
    assert sorted([0.2, 0.9, 0.5], key=error.cost) == [0.2, 0.5, 0.9]
    assert sorted([0.2, -0.9, -0.1], key=bias.cost) == [-0.1, 0.2, -0.9]
    assert [f1.reaches(0.8, 0.8), f1.reaches(0.7, 0.8), error.reaches(0.2, 0.1), bias.reaches(-0.2, 0.1)] == [
        True,
        False,
        False,
        False,
    ]


def test_the_bias_is_told_without_taking_sides() -> None:
    assert "above 0 the scorer scores higher than people" in stats.describe("bias").sentence
    assert not any("harsh" in one.about for one in stats.METRICS.values())


def test_a_name_that_is_not_known_is_shown_in_its_words() -> None:
    strange = stats.describe("some_other_number")

    assert (strange.label, strange.better, strange.unit) == ("Some other number", None, "number")


def test_a_name_with_two_descriptions_is_refused() -> None:
    one = stats.describe("f1_score")

    assert unite([one, one]) == {"f1_score": one}
    with pytest.raises(ValueError, match="f1_score is described twice, with another label, high"):
        unite([one, dataclasses.replace(one, label="F2", high=2.0)])


def test_what_is_shown_first_comes_first() -> None:
    @dataclass
    class Result:
        plain: float = metric("Plain", "")
        second: float = metric("Second", "", headline=2)
        first: float = metric("First", "", headline=1, name="other_name")

    assert [(one.name, one.path) for one in stats.metrics_of(Result)] == [
        ("other_name", "first"),
        ("second", "second"),
        ("plain", "plain"),
    ]


@pytest.mark.parametrize("kind", [stats.ObjectiveMetrics, stats.HarmMetrics, stats.Calibration, stats.PositionBias])
def test_the_docstring_of_a_result_says_what_each_of_its_fields_is(kind: Any) -> None:
    text = kind.__doc__

    assert [one.name for one in fields(kind) if f"\n        {one.name}: " not in text and one.name != "undefined"] == []


def test_the_page_of_metrics_is_what_make_pages_writes() -> None:
    assert document.page() == document.PAGE.read_text("utf-8")
