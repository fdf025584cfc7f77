"""Intervals of shares, and of everything that can be resampled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from judgecore._core import bootstrap_alpha as core_bootstrap_alpha
from judgecore._core import bootstrap_mean as core_bootstrap_mean
from judgecore._core import bootstrap_pair as core_bootstrap_pair
from judgecore._core import wilson_interval as core_wilson_interval
from judgecore.stats.array import to_groups, to_row, to_table
from judgecore.stats.result import Interval, statistic, to_interval, to_settings

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from judgecore.stats.array import Ratings, Values


PairStatistic = Literal[
    "accuracy",
    "precision",
    "recall",
    "specificity",
    "f1_score",
    "balanced_accuracy",
    "mcc",
    "cohen_kappa",
    "gwet_ac1",
    "mean_absolute_error",
    "root_mean_squared_error",
    "bias",
    "spearman",
    "weighted_kappa",
    "gwet_ac2",
]
Resampled = (
    Literal[
        "mean",
        "krippendorff_alpha_nominal",
        "krippendorff_alpha_ordinal",
        "krippendorff_alpha_interval",
        "krippendorff_alpha_ratio",
    ]
    | PairStatistic
)

HUMAN_AND_MODEL = 2
ALPHA = "krippendorff_alpha_"


@statistic
def wilson_interval(successes: int, trials: int, *, confidence: float = 0.95) -> tuple[Interval | None, str | None]:
    """Give the interval of a share of successes.

    Args:
        successes: How many succeeded, from 0.
        trials: Of how many.
        confidence: The nominal coverage, between 0 and 1.

    Returns:
        Inside of 0 to 1, with a width also where all or none succeed. None of no trials.

    Raises:
        ValueError: If there are more successes than trials, or the confidence is outside its range.

    Examples:
        >>> interval = wilson_interval(8, 10)
        >>> round(interval.low, 4), round(interval.high, 4)
        (0.4902, 0.9433)

    References:
        Wilson (1927), Probable Inference, the Law of Succession, and Statistical Inference.
    """
    if successes < 0 or trials < 0:
        raise ValueError(f"{successes} of {trials}: counts are at least 0")
    parts, reason = core_wilson_interval(successes, trials, confidence)
    return to_interval(parts), reason


@statistic
def bootstrap_interval(
    data: Ratings | Values,
    statistic: Resampled = "mean",
    *,
    clusters: Iterable[Hashable] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> tuple[Interval | None, str | None]:
    """Give the interval of a statistic by resampling items, with their ratings, with replacement.

    It lies between the quantiles of the resamples' values. Resamples come in blocks of 64; block number i draws from
    stream i of ChaCha8, whose key is made of the seed: the same seed gives the same interval, on any number of threads.
    Where few distinct rows stand for many items, their counts are drawn as binomial numbers, which has the same
    distribution. Releases the GIL.

    Args:
        data: For ``mean`` shape ``(n_items,)``; for ``krippendorff_alpha_*`` shape ``(n_raters, n_items)``; for all
            others shape ``(2, n_items)``, human and model. NaN or None where a value is missing.
        statistic: What to resample.
        clusters: What items that belong together have in common, which are then drawn together; None where none do.
        resamples: How many resamples to draw, at least 2.
        seed: Which ones.
        confidence: The nominal coverage, between 0 and 1.

    Returns:
        The interval. None of no items, and when more resamples have no value than an interval leaves out on one side.

    Raises:
        ValueError: If the shape does not fit, or a value is outside of what the statistic takes.

    Examples:
        >>> interval = bootstrap_interval([[1, 0, 1, 1, 0, 0, 1, 0], [1, 0, 1, 0, 0, 1, 1, 0]], "f1_score")
        >>> interval.low < 0.75 < interval.high
        True

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    """
    settings, groups = to_settings(resamples, seed, confidence), to_groups(clusters)
    if statistic == "mean":
        parts, reason = core_bootstrap_mean(to_row(data, "data"), groups, settings)
    elif statistic.startswith(ALPHA):
        level = statistic.removeprefix(ALPHA)
        parts, reason = core_bootstrap_alpha(to_table(data, "data"), level, groups, settings)
    else:
        table = to_table(data, "data")
        if len(table) != HUMAN_AND_MODEL:
            raise ValueError(f"data has shape {table.shape}; {statistic} needs two rows, human and model")
        parts, reason = core_bootstrap_pair(table[0], table[1], statistic, groups, settings)
    return to_interval(parts), reason
