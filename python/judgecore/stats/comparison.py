"""Comparisons of two judges on the same items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from judgecore._core import mcnemar as core_mcnemar
from judgecore._core import paired_bootstrap as core_paired_bootstrap
from judgecore.stats.result import Interval, Measurement, to_groups, to_interval, to_row, to_settings

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from judgecore.stats.interval import PairStatistic
    from judgecore.stats.result import Values


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference(Measurement):
    """The difference of two judges.

    Attributes:
        num_items: The number of items that both judged.
        first: The first judge's value.
        second: The second judge's value.
        difference: The first value minus the second.
        interval: The interval of the difference.
        p_value: Twice the share of resamples in which the difference is zero or has the opposite sign, at most 1.
    """

    num_items: int
    first: float | None
    second: float | None
    difference: float | None
    interval: Interval | None
    p_value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemarTest(Measurement):
    """The result of McNemar's test of equal accuracy.

    Attributes:
        num_items: The number of items that both judged.
        num_first_only: The number of items that only the first judged correctly.
        num_second_only: The number of items that only the second judged correctly.
        p_value: The two-sided p-value; 1 if the two never differ.
        statistic: Chi-squared; None for the other methods, and if the two never differ.
    """

    num_items: int
    num_first_only: int
    num_second_only: int
    p_value: float
    statistic: float | None


def paired_bootstrap(
    first: Values,
    second: Values,
    *,
    human: Values | None = None,
    statistic: PairStatistic = "accuracy",
    clusters: Iterable[Hashable] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> PairedDifference:
    """Compare two judges on the same items with a paired bootstrap.

    Items are resampled for both judges together, so that items that are hard for both do not widen the interval.
    Releases the GIL.

    Args:
        first: Shape ``(n_items,)``: the first judge's verdicts or scores, or without ``human`` any numbers, such as
            errors; NaN or None for a missing value. Items with a missing value are omitted.
        second: The same for the second judge.
        human: Shape ``(n_items,)``: gold labels or scores; None to compare means.
        statistic: The statistic to compare, with ``human``.
        clusters: The key of each item's cluster, such as its objective; clusters are resampled as a whole. None to
            resample items.
        resamples: The number of resamples.
        seed: The random seed.
        confidence: The nominal coverage of the interval.

    Returns:
        Both values, and their difference with its interval; None for undefined ones.

    Raises:
        ValueError: If lengths differ, or a value is invalid for the statistic.

    Examples:
        >>> found = paired_bootstrap([1, 1, 0, 0], [1, 0, 0, 1], human=[1, 1, 0, 0])
        >>> found.first, found.second, found.difference
        (1.0, 0.5, 0.5)

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 13 and 16.
    """
    found = core_paired_bootstrap(
        to_row(first, "first"),
        to_row(second, "second"),
        None if human is None else to_row(human, "human"),
        statistic,
        to_groups(clusters),
        to_settings(resamples, seed, confidence),
    )
    return PairedDifference(**dict(found, interval=to_interval(found["interval"])))


def mcnemar(
    first: Values, second: Values, *, method: Literal["exact", "mid_p", "chi_squared"] = "exact"
) -> McNemarTest:
    """Test with McNemar's test whether two judges have the same accuracy.

    Releases the GIL.

    Args:
        first: Shape ``(n_items,)``: 1 if the first judge is correct, 0 if not, NaN or None without a verdict. Items
            with a missing value are omitted.
        second: The same for the second judge.
        method: ``exact``: the binomial test, valid for any number of items; ``mid_p``: less conservative;
            ``chi_squared``: with Edwards' correction.

    Returns:
        The counts and the two-sided p-value.

    Raises:
        ValueError: If lengths differ, or another value occurs.

    Examples:
        >>> round(mcnemar([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 1, 0]).p_value, 6)
        0.125

    References:
        McNemar (1947), Note on the Sampling Error of the Difference Between Correlated Proportions; Edwards (1948) for
        the correction; Fagerland et al. (2013) for mid-p.
    """
    return McNemarTest(**core_mcnemar(to_row(first, "first"), to_row(second, "second"), method))
