"""Confidence intervals of shares, and bootstrap intervals of other statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from judgecore._core import bootstrap_alpha as core_bootstrap_alpha
from judgecore._core import bootstrap_mean as core_bootstrap_mean
from judgecore._core import bootstrap_pair as core_bootstrap_pair
from judgecore._core import wilson_interval as core_wilson_interval
from judgecore.stats.result import Interval, statistic, to_groups, to_interval, to_row, to_settings, to_table

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from judgecore.stats.result import Ratings, Values


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
    """Compute Wilson's interval of a proportion.

    Args:
        successes: The number of successes, at least 0.
        trials: The number of trials.
        confidence: The nominal coverage, between 0 and 1.

    Returns:
        An interval within 0 to 1, of positive width even if all or no trials succeed. None for no trials.

    Raises:
        ValueError: If there are more successes than trials, or the confidence is not between 0 and 1.

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
    """Compute a percentile bootstrap interval by resampling items, with their ratings, with replacement.

    Resamples come in blocks of 64; block number i uses stream i of ChaCha8, keyed by the seed, so that the same seed
    gives the same interval on any number of threads. If there are few distinct rows, their counts are drawn from
    binomial distributions, which is equivalent. Releases the GIL.

    Args:
        data: For ``mean`` shape ``(n_items,)``; for ``krippendorff_alpha_*`` shape ``(n_raters, n_items)``; for all
            others shape ``(2, n_items)``, human and model. NaN or None for a missing value.
        statistic: The statistic.
        clusters: The key of each item's cluster, such as its objective; clusters are resampled as a whole. None to
            resample items.
        resamples: The number of resamples, at least 2.
        seed: The random seed.
        confidence: The nominal coverage, between 0 and 1.

    Returns:
        The interval. None for no items, and if the statistic is undefined in more resamples than the interval excludes
        on one side.

    Raises:
        ValueError: If the shape is wrong, or a value is invalid for the statistic.

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
