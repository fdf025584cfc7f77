"""Metrics of judges against people: what they hold, what they say of what is missing."""

from __future__ import annotations

import dataclasses
import json
import math
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgecore import stats

BIT = st.sampled_from([0.0, 1.0, math.nan])
SCORE = st.sampled_from([0.0, 0.25, 0.5, 1.0, math.nan])


@st.composite
def tables(draw: st.DrawFn, cell: st.SearchStrategy[float]) -> tuple[list[list[float]], list[list[float]]]:
    """Ratings of people and of a model, of the same items."""
    n_items = draw(st.integers(0, 8))
    row = st.lists(cell, min_size=n_items, max_size=n_items)
    return draw(st.lists(row, min_size=1, max_size=3)), draw(st.lists(row, min_size=1, max_size=3))


def leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """All values inside of a result, with their dotted names."""
    if isinstance(value, dict):
        return [leaf for name, part in value.items() for leaf in leaves(part, f"{path}.{name}" if path else str(name))]
    if isinstance(value, list | tuple):
        return [leaf for nth, part in enumerate(value) for leaf in leaves(part, f"{path}.{nth}")]
    return [(path, value)]


def check_reasons(metrics: stats.Measurement) -> None:
    """Everything that is None has its reason, nothing is NaN, and JSON gives back what was written."""
    written = metrics.to_dict()
    undefined = written.pop("undefined")
    for path, value in leaves(written):
        if "bins" in path or "calibration.undefined" in path:
            continue
        assert (value is None) == (path in undefined), path
    assert json.loads(metrics.to_json()) == json.loads(json.dumps(metrics.to_dict(), allow_nan=False))


@settings(max_examples=60)
@given(tables(BIT))
def test_whatever_is_undefined_in_objective_metrics_has_a_reason(
    both: tuple[list[list[float]], list[list[float]]],
) -> None:
    check_reasons(stats.objective_metrics(*both, resamples=20))


@settings(max_examples=60)
@given(tables(SCORE))
def test_whatever_is_undefined_in_harm_metrics_has_a_reason(both: tuple[list[list[float]], list[list[float]]]) -> None:
    check_reasons(stats.harm_metrics(*both, resamples=20))


@pytest.mark.parametrize("made", [stats.objective_metrics([[1, 0]], [[1, 0]]), stats.harm_metrics([[1, 0]], [[1, 0]])])
def test_results_are_frozen_and_hashable(made: Any) -> None:
    assert hash(made) == hash(dataclasses.replace(made))
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.num_responses = 3


def test_an_unread_verdict_is_counted_and_bounded_and_never_false() -> None:
    metrics = stats.objective_metrics([[0, 0, 1, 1]], [[0, None, None, 1]])

    assert (metrics.num_responses, metrics.num_scored, metrics.num_undetermined) == (4, 2, 2)
    assert (metrics.accuracy_worst, metrics.accuracy, metrics.accuracy_best) == (0.5, 1.0, 1.0)
    assert metrics.confusion == stats.ConfusionMatrix(1, 0, 0, 1)


def test_an_item_that_nobody_labelled_is_counted_and_left_out() -> None:
    metrics = stats.objective_metrics([[0, None], [0, None]], [[0, 1]])

    assert (metrics.num_unlabelled, metrics.num_scored, metrics.accuracy) == (1, 1, 1.0)


def test_ties_are_false_and_counted() -> None:
    metrics = stats.objective_metrics([[1, 0, 1], [0, 0, 1]], [[1, 1, 1], [0, 1, 1]])

    assert (metrics.num_human_ties, metrics.num_model_ties) == (1, 1)
    assert metrics.accuracy == pytest.approx(2 / 3)


def test_baselines_need_no_judge() -> None:
    metrics = stats.objective_metrics([[1, 1, 1, 0]], [[1, 0, 1, 0]])

    baselines = metrics.baselines
    assert (baselines["always_true"].accuracy, baselines["always_true"].recall) == (0.75, 1.0)
    assert (baselines["always_false"].accuracy, baselines["always_false"].precision) == (0.25, None)
    assert baselines["prevalence_matched"].accuracy == pytest.approx(0.75**2 + 0.25**2)
    assert "baselines.always_false.precision" in metrics.undefined


def test_the_chance_baseline_is_what_a_coin_reaches() -> None:
    random = np.random.default_rng(3)
    human = random.random(200_000) < 0.3
    coin = random.random(200_000) < 0.3

    metrics = stats.objective_metrics([human], [coin], resamples=2)

    chance = metrics.baselines["prevalence_matched"]
    for name in ("accuracy", "precision", "recall", "f1_score", "balanced_accuracy"):
        assert getattr(chance, name) == pytest.approx(getattr(metrics, name), abs=0.01)


def test_shares_have_wilsons_interval_and_the_rest_a_bootstrap() -> None:
    metrics = stats.objective_metrics([[1, 1, 1, 0, 0, 1] * 5], [[1, 0, 1, 0, 1, 1] * 5])

    shares = {"accuracy", "precision", "recall", "specificity"}
    methods = {name: interval.method for name, interval in metrics.intervals.items() if interval}
    assert methods.keys() >= shares | {"f1_score", "balanced_accuracy", "mcc", "cohen_kappa", "gwet_ac1"}
    assert methods == {name: "wilson" if name in shares else "bootstrap" for name in methods}
    assert metrics.intervals["accuracy"] == stats.wilson_interval(20, 30)


def test_probabilities_bring_auroc_and_calibration() -> None:
    random = np.random.default_rng(0)
    probabilities = random.random(400)
    human = random.random(400) < probabilities

    metrics = stats.objective_metrics([human], [probabilities > 0.5], probabilities=probabilities)

    assert metrics.calibration is not None
    assert metrics.calibration == stats.calibration(human, probabilities)
    assert metrics.auroc == stats.auroc(human, probabilities)
    for name in ("auroc", "brier", "expected_calibration_error"):
        interval = metrics.intervals[name]
        assert interval is not None
        assert interval.low < interval.high
    assert stats.objective_metrics([[1, 0]], [[1, 0]]).undefined["auroc"] == "no probabilities were given"


def test_clusters_widen_intervals_of_items_that_belong_together() -> None:
    human = np.repeat(np.tile([1, 0], 20), 10)[None]
    model = np.repeat(np.tile([1, 0, 0, 0], 10), 10)[None]
    clusters = np.repeat(np.arange(40), 10)

    singly = stats.objective_metrics(human, model)
    together = stats.objective_metrics(human, model, clusters=[f"objective {one}" for one in clusters])

    for name in ("accuracy", "f1_score"):
        narrow, wide = singly.intervals[name], together.intervals[name]
        assert narrow is not None
        assert wide is not None
        assert wide.high - wide.low > 2 * (narrow.high - narrow.low)
    with pytest.raises(ValueError, match="clusters has 3 items, expected 400"):
        stats.objective_metrics(human, model, clusters=[1, 2, 3])


def test_the_human_ceiling_compares_each_rater_with_the_others() -> None:
    human = [[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 0, 1]]

    metrics = stats.objective_metrics(human, [[1, 1, 0, 0]])
    harm = stats.harm_metrics(human, [[1, 1, 0, 0]])

    # Against the other two, a rater that differs from one of them meets a tie, which is false.
    assert metrics.human_ceiling.per_rater == (0.75, 0.75, 0.5)
    assert harm.human_ceiling.per_rater == (0.25, 0.25, 0.5)
    assert metrics.human_ceiling.mean == pytest.approx(2 / 3)
    assert stats.objective_metrics([[1]], [[1]]).undefined["human_ceiling.mean"] == "there is one rater only"


def test_more_trials_raise_the_published_alpha_and_not_that_of_the_judge() -> None:
    random = np.random.default_rng(1)
    human, unrelated = random.integers(0, 5, (1, 300)) / 4, random.integers(0, 5, (1, 300)) / 4

    found = [stats.harm_metrics(human, np.repeat(unrelated, n, axis=0), resamples=50) for n in (1, 3, 10)]

    published = [one.krippendorff_alpha_combined or 0 for one in found]
    assert published == sorted(published)
    assert published[2] > 0.7
    assert len({one.krippendorff_alpha_human_judge for one in found}) == 1
    assert found[0].krippendorff_alpha_combined == found[0].krippendorff_alpha_human_judge


def test_the_best_constant_is_the_median_of_gold() -> None:
    metrics = stats.harm_metrics([[0, 0, 0.25, 1]], [[0, 0, 0.25, 1]])

    assert (metrics.best_constant, metrics.best_constant_error) == (0.125, 0.3125)
    errors = [np.abs(np.array([0, 0, 0.25, 1]) - one).mean() for one in np.linspace(0, 1, 41)]
    assert min(errors) == pytest.approx(metrics.best_constant_error)


def test_bias_error_and_limits_are_those_of_the_differences() -> None:
    human, model = np.array([[0.0, 0.5, 0.25, 1.0, 0.75]]), np.array([[0.25, 0.5, 0.75, 0.75, 1.0]])
    difference = (model - human)[0]

    metrics = stats.harm_metrics(human, model)

    assert metrics.bias == pytest.approx(difference.mean())
    assert metrics.root_mean_squared_error == pytest.approx(math.sqrt((difference**2).mean()))
    limits = metrics.limits_of_agreement
    assert limits is not None
    assert limits.low == pytest.approx(difference.mean() - 1.959963984540054 * difference.std(ddof=1))
    bias = metrics.intervals["bias"]
    assert bias is not None
    assert (bias.low + bias.high) / 2 == pytest.approx(metrics.bias)


@pytest.mark.parametrize(
    ("human", "model", "said"),
    [
        ([[3, 4]], [[0, 1]], r"human\[0\] is 3; it must be within the scale"),
        ([[0, 1]], [[0, -0.5]], r"model\[1\] is -0.5; it must be within the scale"),
        ([[0, 1]], [[0]], "model has 1 items, expected 2"),
    ],
)
def test_scores_that_do_not_fit_are_an_error(human: Any, model: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        stats.harm_metrics(human, model)


def test_another_scale_may_be_given() -> None:
    metrics = stats.harm_metrics([[1, 5, 3]], [[2, 5, None]], scale=(1, 5))

    assert (metrics.mean_absolute_error, metrics.mae_best, metrics.mae_worst) == (0.5, 1 / 3, 1.0)


@pytest.mark.parametrize(
    ("human", "model", "said"),
    [
        ([[0.7]], [[1]], r"human\[0\] is 0.7; it must be 0 or 1"),
        ([[1]], [[2]], r"model\[0\] is 2; it must be 0 or 1"),
        ([["yes"]], [[1]], "human: rows of one length and numbers are needed"),
    ],
)
def test_labels_that_are_not_true_or_false_are_an_error(human: Any, model: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        stats.objective_metrics(human, model)


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"seed": -1}, "seed is -1"),
        ({"resamples": 1}, "resamples is 1; it must be from 2 to 10 million"),
        ({"resamples": -5}, "resamples is -5"),
        ({"resamples": 10**12}, "it must be from 2 to 10 million"),
        ({"confidence": 95}, "confidence is 95; it must be between 0 and 1"),
        ({"confidence": math.nan}, "confidence is NaN"),
    ],
)
def test_settings_outside_their_range_are_an_error(keywords: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        stats.objective_metrics([[1, 0]], [[1, 0]], **keywords)


def test_the_gil_is_released() -> None:
    random = np.random.default_rng(0)
    human, model = random.random((1, 20_000)), random.random((1, 20_000))
    turns, is_over = 0, threading.Event()

    def take_turns() -> None:
        nonlocal turns
        while not is_over.wait(1e-3):
            turns += 1

    thread = threading.Thread(target=take_turns)
    thread.start()
    before = turns
    stats.harm_metrics(human, model, resamples=500)
    after = turns
    is_over.set()
    thread.join()

    # A call that holds the GIL lets the other thread in once or twice, as it begins and ends.
    assert after - before > 10
