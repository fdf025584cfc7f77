"""Agreement: of many raters, of two, of numbers that go up and down together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from judgecore._core import gwet_agreement as core_gwet_agreement
from judgecore._core import krippendorff_alpha as core_krippendorff_alpha
from judgecore._core import pair_statistic as core_pair_statistic
from judgecore._core import spearman as core_spearman
from judgecore._core import weighted_kappa as core_weighted_kappa
from judgecore.stats.array import to_row, to_table
from judgecore.stats.result import statistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.stats.array import Ratings, Values


Level = Literal["nominal", "ordinal", "interval", "ratio"]


@statistic
def krippendorff_alpha(ratings: Ratings, level: Level = "nominal") -> tuple[float | None, str | None]:
    """Measure the agreement of many raters, corrected for chance.

    Time is in proportion to the number of ratings; at the level ``ratio`` also to the square of the number of
    categories. Ratings that differ by the noise of floating point are one category. Releases the GIL.

    Args:
        ratings: Shape ``(n_raters, n_items)``; NaN or None where one is missing.
        level: How two unequal ratings differ: all alike, by the ratings between them, by their difference, or by their
            difference in proportion to their sum.

    Returns:
        At most 1, where 1 is full agreement and 0 is chance; 1 when all ratings are equal. None when no item has two.

    Raises:
        ValueError: If a rating is infinite, or negative at the level ``ratio``.

    Examples:
        >>> krippendorff_alpha([[1, 0, 1], [1, 0, 0]])
        0.4444444444444444

    References:
        Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    return core_krippendorff_alpha(to_table(ratings, "ratings"), level)


@statistic
def cohen_kappa(first: Values, second: Values) -> tuple[float | None, str | None]:
    """Measure the agreement of two raters above that of chance.

    Releases the GIL.

    Args:
        first: Shape ``(n_items,)``, numbers that stand for categories; NaN or None where one is missing.
        second: The same of the other rater. Items that one did not rate are left out.

    Returns:
        From -1 to 1, where 1 is full agreement and 0 is chance. None when both give all items one and the same value.

    Raises:
        ValueError: If the two differ in length.

    Examples:
        >>> cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0])
        0.5

    References:
        Cohen (1960), A Coefficient of Agreement for Nominal Scales.
    """
    return core_weighted_kappa(to_row(first, "first"), to_row(second, "second"), "identity")


@statistic
def weighted_kappa(
    first: Values, second: Values, weights: Literal["linear", "quadratic"] = "quadratic"
) -> tuple[float | None, str | None]:
    """Measure the agreement of two raters above that of chance; it is the less the further ratings lie apart.

    Distances are those of the values, whichever of them occur, where others count the steps between the categories that
    do. Time is in proportion to the number of ratings, memory too, also for scores that are all different. Releases the
    GIL.

    Args:
        first: Shape ``(n_items,)``; NaN or None where one is missing.
        second: The same of the other rater. Items that one did not rate are left out.
        weights: Whether agreement falls with the distance or with its square.

    Returns:
        From -1 to 1, where 1 is full agreement and 0 is chance. None when both give all items one and the same value.

    Raises:
        ValueError: If the two differ in length.

    Examples:
        >>> weighted_kappa([1, 2, 3, 4], [1, 2, 3, 3])
        0.875

    References:
        Cohen (1968), Weighted Kappa.
    """
    return core_weighted_kappa(to_row(first, "first"), to_row(second, "second"), weights)


@statistic
def gwet_ac1(ratings: Ratings, *, categories: Sequence[float] = ()) -> tuple[float | None, str | None]:
    """Measure the agreement of many raters above that of chance, little moved by how common each category is.

    Releases the GIL.

    Args:
        ratings: Shape ``(n_raters, n_items)``, numbers that stand for categories; NaN or None where one is missing.
        categories: All that could have been given; by default those that were.

    Returns:
        From -1 to 1, where 1 is full agreement and 0 is chance. None when no item has two ratings, or there is one
        category only.

    Raises:
        ValueError: If a rating is not among the categories.

    Examples:
        >>> gwet_ac1([[1, 1, 1, 0], [1, 1, 1, 1]])
        0.68

    References:
        Gwet (2008), Computing Inter-Rater Reliability and Its Variance in the Presence of High Agreement.
    """
    return core_gwet_agreement(to_table(ratings, "ratings"), "identity", list(categories))


@statistic
def gwet_ac2(
    ratings: Ratings,
    weights: Literal["linear", "quadratic"] = "quadratic",
    *,
    categories: Sequence[float] = (),
) -> tuple[float | None, str | None]:
    """Measure agreement as ``gwet_ac1``, where ratings agree the less the further they lie apart.

    Distances are those of the values, in proportion to that of the least and the greatest category. Releases the GIL.

    Args:
        ratings: Shape ``(n_raters, n_items)``; NaN or None where one is missing.
        weights: Whether agreement falls with the distance or with its square.
        categories: All that could have been given; by default those that were.

    Returns:
        At most 1, where 1 is full agreement and 0 is chance. None when no item has two ratings, or there is one
        category only.

    Raises:
        ValueError: If a rating is not among the categories.

    References:
        Gwet (2014), Handbook of Inter-Rater Reliability, fourth edition.
    """
    return core_gwet_agreement(to_table(ratings, "ratings"), weights, list(categories))


@statistic
def mcc(human: Values, model: Values) -> tuple[float | None, str | None]:
    """Measure the correlation of true-or-false labels with verdicts: Matthews' coefficient.

    Releases the GIL.

    Args:
        human: Shape ``(n_items,)``: 0, 1, or NaN or None where a label is missing.
        model: The same of the verdicts. Items that miss one are left out.

    Returns:
        From -1 to 1, where 0 is chance. None when one side has one value only.

    Raises:
        ValueError: If the two differ in length, or hold anything else.

    Examples:
        >>> mcc([1, 1, 0, 0], [1, 1, 0, 0])
        1.0

    References:
        Matthews (1975), Comparison of the Predicted and Observed Secondary Structure of T4 Phage Lysozyme.
    """
    return core_pair_statistic(to_row(human, "human"), to_row(model, "model"), "mcc")


@statistic
def spearman(first: Values, second: Values) -> tuple[float | None, str | None]:
    """Measure how much two columns go up and down together, by their ranks.

    Equal values share their rank. Releases the GIL.

    Args:
        first: Shape ``(n_items,)``; NaN or None where one is missing.
        second: The same of the other column. Items that miss one are left out.

    Returns:
        From -1 to 1. None when a column has one value only.

    Raises:
        ValueError: If the two differ in length.

    Examples:
        >>> spearman([1, 2, 3, 4], [1, 2, 4, 3])
        0.8

    References:
        Spearman (1904), The Proof and Measurement of Association between Two Things.
    """
    return core_spearman(to_row(first, "first"), to_row(second, "second"))
