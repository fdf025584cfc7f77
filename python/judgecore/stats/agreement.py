"""Agreement of two or more raters, and rank correlation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from judgecore._core import gwet_agreement as core_gwet_agreement
from judgecore._core import krippendorff_alpha as core_krippendorff_alpha
from judgecore._core import pair_statistic as core_pair_statistic
from judgecore._core import spearman as core_spearman
from judgecore._core import weighted_kappa as core_weighted_kappa
from judgecore.stats.result import statistic, to_row, to_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.stats.result import Ratings, Values


Level = Literal["nominal", "ordinal", "interval", "ratio"]


@statistic
def krippendorff_alpha(ratings: Ratings, level: Level = "nominal") -> tuple[float | None, str | None]:
    """Compute Krippendorff's alpha: the chance-corrected agreement of any number of raters.

    Time is linear in the number of ratings; at the level ``ratio`` also quadratic in the number of categories. Ratings
    that differ only by floating-point noise are one category. Releases the GIL.

    Args:
        ratings: Shape ``(n_raters, n_items)``; NaN or None for a missing rating.
        level: The distance of two unequal ratings: ``nominal``: 1; ``ordinal``: the number of ratings between them;
            ``interval``: their difference; ``ratio``: their difference relative to their sum.

    Returns:
        At most 1, where 1 is full agreement and 0 is chance; 1 if all ratings are equal. None if no item has two
        ratings.

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
    """Compute Cohen's kappa: the chance-corrected agreement of two raters.

    Releases the GIL.

    Args:
        first: Shape ``(n_items,)``, categories as numbers; NaN or None for a missing rating.
        second: The same for the other rater. Items with one rating are omitted.

    Returns:
        From -1 to 1, where 1 is full agreement and 0 is chance. None if all ratings are equal.

    Raises:
        ValueError: If lengths differ.

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
    """Compute weighted kappa: the chance-corrected agreement of two raters, weighted by the distance of ratings.

    Distances are differences of the values. Some other implementations count the steps between the categories that
    occur. Time and memory are linear in the number of ratings, even if all scores are different. Releases the GIL.

    Args:
        first: Shape ``(n_items,)``; NaN or None for a missing rating.
        second: The same for the other rater. Items with one rating are omitted.
        weights: Whether disagreement is the distance or its square.

    Returns:
        From -1 to 1, where 1 is full agreement and 0 is chance. None if all ratings are equal.

    Raises:
        ValueError: If lengths differ.

    Examples:
        >>> weighted_kappa([1, 2, 3, 4], [1, 2, 3, 3])
        0.875

    References:
        Cohen (1968), Weighted Kappa.
    """
    return core_weighted_kappa(to_row(first, "first"), to_row(second, "second"), weights)


@statistic
def gwet_ac1(ratings: Ratings, *, categories: Sequence[float] = ()) -> tuple[float | None, str | None]:
    """Compute Gwet's AC1: chance-corrected agreement that depends little on how common each category is.

    Releases the GIL.

    Args:
        ratings: Shape ``(n_raters, n_items)``, categories as numbers; NaN or None for a missing rating.
        categories: All possible categories; by default those that occur.

    Returns:
        From -1 to 1, where 1 is full agreement and 0 is chance. None if no item has two ratings, or there is
        only one category.

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
    """Compute Gwet's AC2: AC1 weighted by the distance of ratings.

    Distances are differences of the values, relative to the range of the categories. Releases the GIL.

    Args:
        ratings: Shape ``(n_raters, n_items)``; NaN or None for a missing rating.
        weights: Whether disagreement is the distance or its square.
        categories: All possible categories; by default those that occur.

    Returns:
        At most 1, where 1 is full agreement and 0 is chance. None if no item has two ratings, or there is
        only one category.

    Raises:
        ValueError: If a rating is not among the categories.

    References:
        Gwet (2014), Handbook of Inter-Rater Reliability, fourth edition.
    """
    return core_gwet_agreement(to_table(ratings, "ratings"), weights, list(categories))


@statistic
def mcc(human: Values, model: Values) -> tuple[float | None, str | None]:
    """Compute Matthews' correlation coefficient of boolean labels and verdicts.

    Releases the GIL.

    Args:
        human: Shape ``(n_items,)``: 0, 1, or NaN or None for a missing label.
        model: The verdicts, likewise. Items without both are omitted.

    Returns:
        From -1 to 1, where 0 is chance. None if all labels, or all verdicts, are equal.

    Raises:
        ValueError: If lengths differ, or another value occurs.

    Examples:
        >>> mcc([1, 1, 0, 0], [1, 1, 0, 0])
        1.0

    References:
        Matthews (1975), Comparison of the Predicted and Observed Secondary Structure of T4 Phage Lysozyme.
    """
    return core_pair_statistic(to_row(human, "human"), to_row(model, "model"), "mcc")


@statistic
def spearman(first: Values, second: Values) -> tuple[float | None, str | None]:
    """Compute Spearman's rank correlation.

    Tied values share their mean rank. Releases the GIL.

    Args:
        first: Shape ``(n_items,)``; NaN or None for a missing value.
        second: The other values, likewise. Items without both are omitted.

    Returns:
        From -1 to 1. None if all values of one side are equal.

    Raises:
        ValueError: If lengths differ.

    Examples:
        >>> spearman([1, 2, 3, 4], [1, 2, 4, 3])
        0.8

    References:
        Spearman (1904), The Proof and Measurement of Association between Two Things.
    """
    return core_spearman(to_row(first, "first"), to_row(second, "second"))
