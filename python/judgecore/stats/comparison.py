"""Two judges on the same items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from judgecore._core import mcnemar as core_mcnemar
from judgecore._core import paired_bootstrap as core_paired_bootstrap
from judgecore.stats.array import to_groups, to_row
from judgecore.stats.result import Interval, Measurement, fill, to_interval, to_settings

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from judgecore.stats.array import Values
    from judgecore.stats.interval import PairStatistic


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference(Measurement):
    """How much better one judge is than another.

    Attributes:
        num_items: How many items both judged.
        first: The first judge's value.
        second: The second judge's value.
        difference: The first's less the second's.
        interval: The interval of the difference.
        p_value: Twice the share of resamples in which the difference has the other sign or none, at most 1.
    """

    num_items: int
    first: float | None
    second: float | None
    difference: float | None
    interval: Interval | None
    p_value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemarTest(Measurement):
    """Whether two judges are right equally often.

    Attributes:
        num_items: How many items both judged.
        num_first_only: How many only the first got right.
        num_second_only: How many only the second got right.
        p_value: The probability of a difference as large if there is none in truth; 1 where the two never differ.
        statistic: Chi-squared; None by the other methods, and where the two never differ.
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
    """Measure how much better one judge is than another, where both judged the same items.

    Both are resampled together, so that an item that is hard for both widens nothing. Releases the GIL.

    Args:
        first: Shape ``(n_items,)``: the first judge's verdicts or scores, or without ``human`` any numbers, such as
            errors; NaN or None where one is missing. Items that miss a value are left out.
        second: The same of the second judge.
        human: Shape ``(n_items,)``: gold labels or scores; None to compare means.
        statistic: What to compare, where there is gold.
        clusters: What items that belong together have in common, which are then drawn together; None where none do.
        resamples: How many resamples to draw.
        seed: Which ones.
        confidence: The nominal coverage of the interval.

    Returns:
        Both values and their difference with its interval; None where they are undefined.

    Raises:
        ValueError: If lengths differ, or a value is outside of what the statistic takes.

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
    return PairedDifference(**fill(found, interval=to_interval(found["interval"])))


def mcnemar(
    first: Values, second: Values, *, method: Literal["exact", "mid_p", "chi_squared"] = "exact"
) -> McNemarTest:
    """Test whether two judges are right equally often, by the items that only one got right.

    Releases the GIL.

    Args:
        first: Shape ``(n_items,)``: 1 where the first judge is right, 0 where it is wrong, NaN or None where it did not
            judge. Items that miss a value are left out.
        second: The same of the second judge.
        method: ``exact`` by the binomial distribution, which holds for any number of items; ``mid_p``, which is less
            cautious; ``chi_squared`` with Edwards' correction.

    Returns:
        The counts and the two-sided p.

    Raises:
        ValueError: If the two differ in length, or hold anything else.

    Examples:
        >>> round(mcnemar([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 1, 0]).p_value, 6)
        0.125

    References:
        McNemar (1947), Note on the Sampling Error of the Difference Between Correlated Proportions; Edwards (1948) for
        the correction; Fagerland et al. (2013) for mid-p.
    """
    return McNemarTest(**core_mcnemar(to_row(first, "first"), to_row(second, "second"), method))
