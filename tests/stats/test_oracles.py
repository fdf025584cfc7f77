"""Statistics beside other people's code, on random and degenerate data."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from judgecore import stats

WITH = "not installed here: make test-oracles"
with warnings.catch_warnings():
    # What other people's code warns of as it is imported is not ours to mend.
    warnings.simplefilter("ignore")
    calibration: Any = pytest.importorskip("sklearn.calibration", reason=WITH)
    krippendorff: Any = pytest.importorskip("krippendorff", reason=WITH)
    metrics: Any = pytest.importorskip("sklearn.metrics", reason=WITH)
    scipy_stats: Any = pytest.importorskip("scipy.stats", reason=WITH)
    contingency: Any = pytest.importorskip("statsmodels.stats.contingency_tables", reason=WITH)
    proportion: Any = pytest.importorskip("statsmodels.stats.proportion", reason=WITH)
    inter_rater: Any = pytest.importorskip("statsmodels.stats.inter_rater", reason=WITH)
    linear: Any = pytest.importorskip("statsmodels.api", reason=WITH)
    ppi: Any = pytest.importorskip("ppi_py", reason=WITH)

BITS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)
LEVELS = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


def same(want: float | None, got: float | None, tolerance: float = 1e-9) -> bool:
    """Whether both have no value, or values that are close."""
    if want is None or math.isnan(want) or got is None:
        return (want is None or math.isnan(want)) and got is None
    return math.isclose(want, got, rel_tol=tolerance, abs_tol=tolerance)


def quietly(function: Any, *arguments: Any, **keywords: Any) -> Any:
    """What a function gives, whatever it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **keywords)


@st.composite
def tables(draw: st.DrawFn) -> list[list[float]]:
    """Some raters' ratings of some items, some missing."""
    n_items = draw(st.integers(1, 10))
    row = st.lists(st.one_of(LEVELS, st.just(math.nan)), min_size=n_items, max_size=n_items)
    return draw(st.lists(row, min_size=2, max_size=5))


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@given(table=tables())
def test_alpha_is_that_of_krippendorff(level: Any, table: list[list[float]]) -> None:
    items = [[one for one in item if not math.isnan(one)] for item in zip(*table, strict=True)]
    pairable = [one for item in items if len(item) > 1 for one in item]
    # It has no value of one category, and counts those that stand in no pair as categories.
    assume(len(set(pairable)) > 1)

    want = quietly(krippendorff.alpha, np.asarray(table), level_of_measurement=level)

    assert same(want, stats.krippendorff_alpha(table, level), 1e-8)


@given(BITS)
def test_true_or_false_is_counted_as_scikit_learn_does(pairs: list[tuple[bool, bool]]) -> None:
    human, model = map(list, zip(*pairs, strict=True))
    ours = stats.objective_metrics([human], [model], resamples=2)

    nan = {"zero_division": math.nan}
    assert same(metrics.accuracy_score(human, model), ours.accuracy)
    assert same(quietly(metrics.precision_score, human, model, **nan), ours.precision)
    assert same(quietly(metrics.recall_score, human, model, **nan), ours.recall)
    assert same(quietly(metrics.recall_score, human, model, pos_label=False, **nan), ours.specificity)
    assert same(quietly(metrics.f1_score, human, model, **nan), ours.f1_score)
    if len(set(human)) == 2:
        assert same(metrics.balanced_accuracy_score(human, model), ours.balanced_accuracy)
    if ours.mcc is not None:
        assert same(metrics.matthews_corrcoef(human, model), ours.mcc)
        assert same(ours.mcc, stats.mcc(human, model))
    if len({*human, *model}) == 2:
        assert same(metrics.cohen_kappa_score(human, model), ours.cohen_kappa)
        assert same(ours.cohen_kappa, stats.cohen_kappa(human, model))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40))
def test_kappas_are_those_of_scikit_learn_and_statsmodels(pairs: list[tuple[int, int]]) -> None:
    first, second = map(np.asarray, zip(*pairs, strict=True))
    assume(len({*first.tolist(), *second.tolist()}) > 1)
    table = np.zeros((5, 5))
    np.add.at(table, (first, second), 1)

    for weights, got in (
        (None, stats.cohen_kappa(first, second)),
        ("linear", stats.weighted_kappa(first, second, "linear")),
        ("quadratic", stats.weighted_kappa(first, second)),
    ):
        # Labels that nobody used make the steps between categories those of their values.
        want = quietly(metrics.cohen_kappa_score, first, second, weights=weights, labels=range(5))
        if got is not None:
            assert same(want, got)
            kappa = quietly(inter_rater.cohens_kappa, table, weights=None if weights is None else np.arange(5),
                            return_results=False, wt=None if weights is None else weights)  # fmt: skip
            assert same(float(kappa), got, 1e-7)


@given(st.lists(st.tuples(st.booleans(), LEVELS), min_size=1, max_size=40))
def test_scores_are_measured_as_scikit_learn_does(pairs: list[tuple[bool, float]]) -> None:
    labels, scores = map(list, zip(*pairs, strict=True))
    ours = stats.calibration(labels, scores, bins=3)

    if len(set(labels)) == 2:
        assert same(metrics.roc_auc_score(labels, scores), stats.auroc(labels, scores))
    assert same(float(np.mean((np.asarray(scores) - labels) ** 2)), ours.brier)
    rate, mean = calibration.calibration_curve(labels, scores, n_bins=3)
    filled = [one for one in ours.bins if one.count]
    assert [one.observed_rate for one in filled] == pytest.approx(rate)
    assert [one.mean_probability for one in filled] == pytest.approx(mean)


@given(st.lists(st.tuples(LEVELS, LEVELS), min_size=2, max_size=40))
def test_errors_are_tested_as_scipy_does(pairs: list[tuple[float, float]]) -> None:
    human, model = map(np.asarray, zip(*pairs, strict=True))
    ours = stats.harm_metrics([human], [model], resamples=2)

    differences = model - human
    if ours.t_statistic is not None and differences.any():
        want = scipy_stats.ttest_1samp(differences, 0)
        assert same(want.statistic, ours.t_statistic, 1e-7)
        assert same(want.pvalue, ours.p_value, 1e-7)
        interval = want.confidence_interval(0.95)
        bias = ours.intervals["bias"]
        assert bias is not None
        assert (bias.low, bias.high) == pytest.approx(tuple(interval), abs=1e-8)
    assert same(metrics.mean_absolute_error(human, model), ours.mean_absolute_error)
    assert same(math.sqrt(metrics.mean_squared_error(human, model)), ours.root_mean_squared_error)
    assert same(quietly(scipy_stats.spearmanr, human, model).statistic, ours.spearman)


@given(trials=st.integers(1, 500), share=st.floats(0, 1), confidence=st.sampled_from([0.8, 0.95, 0.999]))
def test_wilsons_interval_is_that_of_statsmodels_and_scipy(trials: int, share: float, confidence: float) -> None:
    successes = round(share * trials)

    got = stats.wilson_interval(successes, trials, confidence=confidence)

    assert got is not None
    other = proportion.proportion_confint(successes, trials, 1 - confidence, "wilson")
    exact = scipy_stats.binomtest(successes, trials).proportion_ci(confidence, "wilson")
    assert (got.low, got.high) == pytest.approx(other, abs=1e-9)
    assert (got.low, got.high) == pytest.approx(tuple(exact), abs=1e-9)


@given(BITS)
def test_mcnemars_test_is_that_of_statsmodels(pairs: list[tuple[bool, bool]]) -> None:
    first, second = map(list, zip(*pairs, strict=True))
    exact, chi = stats.mcnemar(first, second), stats.mcnemar(first, second, method="chi_squared")
    assume(exact.num_first_only + exact.num_second_only > 0)
    table = [[0, exact.num_first_only], [exact.num_second_only, 0]]

    assert same(contingency.mcnemar(table, exact=True).pvalue, exact.p_value)
    want = contingency.mcnemar(table, exact=False, correction=True)
    if exact.num_first_only != exact.num_second_only:
        # Where both are equal, the correction would make a difference of one of none.
        assert same(want.pvalue, chi.p_value)
        assert same(want.statistic, chi.statistic)


@given(
    labelled=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=30),
    rest=st.lists(st.floats(0, 1), min_size=2, max_size=60),
    confidence=st.sampled_from([0.8, 0.95]),
)
def test_prediction_powered_means_are_those_of_ppi_python(
    labelled: list[tuple[float, float]], rest: list[float], confidence: float
) -> None:
    human, model = map(np.asarray, zip(*labelled, strict=True))
    assume(np.ptp(np.concatenate([model, rest])) > 1e-3)

    got = stats.ppi_mean(human, model, rest, confidence=confidence)

    point = ppi.ppi_mean_pointestimate(human, model, np.asarray(rest))
    low, high = ppi.ppi_mean_ci(human, model, np.asarray(rest), alpha=1 - confidence)
    assert same(float(point[0]), got.estimate)
    if np.ptp(human) == 0:
        # Labels that are all equal show no spread; ppi-python then takes it to be none.
        assert got.interval is None
        return
    assert got.interval is not None
    assert (got.interval.low, got.interval.high) == pytest.approx((float(low[0]), float(high[0])), abs=1e-9)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_strengths_are_those_of_a_logistic_regression(seed: int, n_players: int) -> None:
    random = np.random.default_rng(seed)
    strength = random.normal(size=n_players)
    pairs = np.array([random.choice(n_players, 2, replace=False) for _ in range(60 * n_players)])
    wins = random.random(len(pairs)) < 1 / (1 + np.exp(strength[pairs[:, 1]] - strength[pairs[:, 0]]))

    first, second = ([f"p{one}" for one in side] for side in pairs.T)
    ranking = stats.bradley_terry(first, second, wins, resamples=2)
    assume(not ranking.undefined or "Resamples" in ranking.undefined)
    own = {player.name: player.strength for player in ranking.players}
    assume(None not in own.values() and len(own) == n_players)

    design = np.zeros((len(pairs), n_players))
    design[np.arange(len(pairs)), pairs[:, 0]] = 1
    design[np.arange(len(pairs)), pairs[:, 1]] = -1
    fitted = linear.GLM(wins.astype(float), design[:, 1:], family=linear.families.Binomial()).fit(tol=1e-13)
    want = np.concatenate([[0], fitted.params])
    assert [own[f"p{nth}"] for nth in range(n_players)] == pytest.approx(want - want.mean(), abs=1e-6)


@pytest.mark.parametrize("statistic", ["mean", "f1_score", "mean_absolute_error"])
def test_bootstrap_intervals_are_about_those_of_scipy(statistic: Any) -> None:
    random = np.random.default_rng(0)
    human = random.integers(0, 2, 150).astype(float)
    model = np.where(random.random(150) < 0.8, human, 1 - human)
    data = {"mean": (model,)}.get(statistic, (human, model))
    measures: dict[str, Any] = {
        "mean": lambda one, axis=-1: one.mean(axis),
        "f1_score": lambda one, other, axis=-1: 2 * (one * other).sum(axis) / (one + other).sum(axis),
        "mean_absolute_error": lambda one, other, axis=-1: np.abs(one - other).mean(axis),
    }

    want = scipy_stats.bootstrap(
        data, measures[statistic], n_resamples=10_000, paired=True, method="percentile", rng=random
    ).confidence_interval

    got = stats.bootstrap_interval(data[0] if statistic == "mean" else data, statistic)
    assert got is not None
    assert (got.low, got.high) == pytest.approx((want.low, want.high), abs=0.015)
