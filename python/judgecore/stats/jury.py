"""Combining several judges on the same items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from judgecore._core import dawid_skene as core_dawid_skene
from judgecore._core import majority as core_majority
from judgecore.stats.array import to_table
from judgecore.stats.result import Measurement, fill

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.stats.array import Ratings


_Value = TypeVar("_Value")

CAUTION = (
    "The model assumes that judges err independently. Errors of judges that share a model, training data or a prompt "
    "are correlated, and then the probabilities are too close to 0 and 1."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DawidSkene(Measurement):
    """The result of the Dawid-Skene model.

    Attributes:
        categories: The categories in ascending order.
        labels: The most probable category of each item; None for a tie, and for an item without ratings.
        posterior: The probability of each category for each item, shape ``(n_items, n_categories)``.
        prevalence: The share of each category.
        confusion: The probability that a judge gives each category, by true category, shape
            ``(n_raters, n_categories, n_categories)``; zeros if a judge rated no item of a category.
        num_rounds: The number of iterations.
        has_converged: Whether the last iteration changed the likelihood by less than the tolerance.
        log_likelihood: The logarithm of the likelihood; 0 if there are no ratings.
        caution: The assumption of the model.
    """

    categories: tuple[float, ...]
    labels: tuple[float | None, ...]
    posterior: tuple[tuple[float, ...], ...]
    prevalence: tuple[float, ...]
    confusion: tuple[tuple[tuple[float, ...], ...], ...]
    num_rounds: int
    has_converged: bool
    log_likelihood: float
    caution: str = CAUTION


def majority(ratings: Ratings) -> tuple[float | None, ...]:
    """Return the category of each item that most judges chose.

    Releases the GIL.

    Args:
        ratings: Shape ``(n_raters, n_items)``, categories as numbers; NaN or None for a missing rating.

    Returns:
        A category for each item; None for a tie, and for an item without ratings.

    Raises:
        ValueError: If rows differ in length, or a rating is infinite.

    Examples:
        >>> majority([[1, 1, 0], [1, 0, 0], [0, None, 0]])
        (1.0, None, 0.0)
    """
    return tuple(core_majority(to_table(ratings, "ratings")))


def dawid_skene(ratings: Ratings, *, max_rounds: int = 1000, tolerance: float = 1e-9) -> DawidSkene:
    """Estimate true categories and each judge's error rates from the ratings alone, with the Dawid-Skene model.

    Uses expectation maximisation, starting from the shares of votes. The model assumes that judges err independently;
    errors of judges that share a model, training data or a prompt are correlated. Releases the GIL.

    Args:
        ratings: Shape ``(n_raters, n_items)``, categories as numbers; NaN or None for a missing rating.
        max_rounds: The maximum number of iterations, at least 1.
        tolerance: The relative change of the likelihood at which to stop; above 0.

    Returns:
        The labels with their probabilities, and each judge's error rates.

    Raises:
        ValueError: If rows differ in length, or a setting is out of range.

    Examples:
        >>> dawid_skene([[1, 1, 0, 0, 1], [1, 1, 0, 0, 0], [1, 1, 0, 0, 1]]).labels
        (1.0, 1.0, 0.0, 0.0, 1.0)

    References:
        Dawid and Skene (1979), Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm.
    """
    found = core_dawid_skene(to_table(ratings, "ratings"), max_rounds, tolerance)
    k = len(found["categories"])
    tables = _cut(_cut(found["confusion"], k), k)
    return DawidSkene(
        **fill(
            found,
            categories=tuple(found["categories"]),
            labels=tuple(found["labels"]),
            posterior=_cut(found["posterior"], k),
            prevalence=tuple(found["prevalence"]),
            confusion=tables,
        )
    )


def _cut(values: Sequence[_Value], length: int) -> tuple[tuple[_Value, ...], ...]:
    """Split a list into rows."""
    return tuple(tuple(values[at : at + length]) for at in range(0, len(values), length or 1))
