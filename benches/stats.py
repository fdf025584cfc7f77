"""Time statistics against krippendorff, scipy and plain NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import krippendorff
import numpy as np
from results import COMPARED, Group, Row, WrongResultError, compared
from scipy.stats import bootstrap
from stopwatch import Call

from judgecore.stats import bootstrap_interval, krippendorff_alpha

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stopwatch import Stopwatch

ABOUT = (
    "Krippendorff's ordinal alpha for three raters, and bootstrap intervals over 1,000 items, compared with "
    "krippendorff, scipy.stats.bootstrap (vectorised) and a loop over NumPy. The target's reference is in brackets."
)


def close(bench: str, want: Sequence[float], got: Sequence[float], tolerance: float) -> None:
    """Check numbers before they are timed.

    Raises:
        WrongResultError: If one differs by more.
    """
    if not np.allclose(want, got, rtol=0, atol=tolerance):
        raise WrongResultError(f"{bench}: wanted {want} within {tolerance}, got {got}")


def rated(random: np.random.Generator, n_items: int) -> np.ndarray:
    """Return ratings from 1 to 5 by three raters who agree more than by chance."""
    truth = random.integers(1, 6, n_items)
    return np.clip(truth + random.integers(-1, 2, (3, n_items)), 1, 5).astype(float)


def numpy_alpha(counts: np.ndarray) -> float:
    """Compute ordinal alpha from the counts of each category per item."""
    weights = counts / (counts.sum(1) - 1)[:, None]
    coincidences = counts.T @ weights - np.diag(weights.sum(0))
    totals = coincidences.sum(0)
    ranks = np.cumsum(totals) - totals / 2
    distances = (ranks[:, None] - ranks) ** 2
    expected = (np.outer(totals, totals) - np.diag(totals)) / (totals.sum() - 1)
    return 1 - (coincidences * distances).sum() / (expected * distances).sum()


def counted(ratings: np.ndarray) -> np.ndarray:
    """Count how often each item got each of five categories."""
    return np.stack([(ratings == level).sum(0) for level in range(1, 6)], axis=1).astype(float)


def numpy_interval(ratings: np.ndarray, resamples: int) -> tuple[float, float]:
    """Compute the bootstrap interval of alpha, one resample at a time."""
    random = np.random.default_rng(0)
    counts, n_items = counted(ratings), ratings.shape[1]
    drawn = [numpy_alpha(counts[random.integers(0, n_items, n_items)]) for _ in range(resamples)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def f1(human: np.ndarray, model: np.ndarray, axis: int = -1) -> Any:
    """Compute F1 for many resamples at once."""
    return 2 * (human & model).sum(axis) / (human.sum(axis) + model.sum(axis))


def scipy_interval(human: np.ndarray, model: np.ndarray, resamples: int) -> tuple[float, float]:
    """Compute the bootstrap interval of F1 for all resamples at once."""
    keywords: dict[str, Any] = {"paired": True, "vectorized": True, "method": "percentile", "n_resamples": resamples}
    found = bootstrap((human, model), f1, **keywords, rng=np.random.default_rng(0)).confidence_interval
    return float(found.low), float(found.high)


def ends(data: Any, statistic: Any, resamples: int) -> tuple[float, float]:
    """Return the ends of judgecore's interval."""
    interval = bootstrap_interval(data, statistic, resamples=resamples)
    if interval is None:
        raise WrongResultError(f"{statistic}: no interval")
    return interval.low, interval.high


def agreement(stopwatch: Stopwatch, random: np.random.Generator) -> list[Row]:
    """Return the rows for alpha."""
    n_items = 2_000 if stopwatch.is_quick else 100_000
    ratings = rated(random, n_items)
    want = krippendorff.alpha(ratings, level_of_measurement="ordinal")
    close(
        "agreement/ordinal",
        [want, want],
        [krippendorff_alpha(ratings, "ordinal") or 0, numpy_alpha(counted(ratings))],
        1e-9,
    )
    calls = {
        "judgecore": Call(krippendorff_alpha, (ratings, "ordinal")),
        "krippendorff": Call(krippendorff.alpha, (ratings,), {"level_of_measurement": "ordinal"}),
        "numpy": Call(lambda: numpy_alpha(counted(ratings))),
    }
    times = {name: one.median for name, one in stopwatch.of_one_thread().compare(calls).items()}
    scores = random.random((3, 1000))
    few = scores[:, :40]
    close(
        "agreement/continuous",
        [krippendorff.alpha(few, level_of_measurement="ordinal")],
        [krippendorff_alpha(few, "ordinal") or 0],
        1e-9,
    )
    continuous = stopwatch.times(Call(krippendorff_alpha, (scores, "ordinal"))).median
    name = f"agreement/ordinal/{n_items // 1000}k"
    return [
        compared(f"{name} [krippendorff]", times["judgecore"], times["krippendorff"], times_as_fast=15),
        compared(f"{name} [numpy]", times["judgecore"], times["numpy"]),
        compared("agreement/ordinal/1k, all different", continuous, at_most_s=5e-3),
    ]


def resampled(stopwatch: Stopwatch, random: np.random.Generator) -> list[Row]:
    """Return the rows for the bootstrap."""
    human = random.integers(0, 2, 1000)
    model = np.where(random.random(1000) < 0.8, human, 1 - human)
    ratings = rated(random, 1000)
    n_f1, n_alpha = (500, 50) if stopwatch.is_quick else (10_000, 1_000)
    both = np.array([human, model], dtype=float)
    close("bootstrap/f1", scipy_interval(human, model, n_f1), ends(both, "f1_score", n_f1), 0.02)
    alpha = "krippendorff_alpha_ordinal"
    close("bootstrap/alpha", numpy_interval(ratings, n_alpha), ends(ratings, alpha, n_alpha), 0.02)
    of_f1 = stopwatch.compare({
        "judgecore": Call(ends, (both, "f1_score", n_f1)),
        "scipy": Call(scipy_interval, (human, model, n_f1)),
    })  # fmt: skip
    of_alpha = stopwatch.compare({
        "judgecore": Call(ends, (ratings, alpha, n_alpha)),
        "numpy": Call(numpy_interval, (ratings, n_alpha)),
    })  # fmt: skip
    return [
        compared("bootstrap/f1 [scipy]", of_f1["judgecore"].least, of_f1["scipy"].least, times_as_fast=20),
        compared("bootstrap/alpha [numpy]", of_alpha["judgecore"].least, of_alpha["numpy"].least, times_as_fast=10),
    ]


def measure(stopwatch: Stopwatch) -> Group:
    """Time the statistics."""
    random = np.random.default_rng(0)
    rows = [*agreement(stopwatch, random), *resampled(stopwatch, random)]
    notes = (f"krippendorff needs 67 GiB for 1,000 items with distinct scores; judgecore takes {rows[2].cells[1]}.",)
    return Group("statistics", ABOUT, COMPARED, tuple(rows), notes)
