"""Several judges on the same items."""

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
    "The model takes judges to err independently of each other. Judges that share a model, training data or a prompt "
    "err together, and then its probabilities are too close to 0 and 1."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DawidSkene(Measurement):
    """What the judges' answers say about the truth.

    Attributes:
        categories: The categories, ascending.
        labels: The most probable category of each item; None where two are as probable, or nobody rated it.
        posterior: The probability of each category for each item, shape ``(n_items, n_categories)``.
        prevalence: How frequent each category is.
        confusion: How often each judge gives each category by the true one, shape
            ``(n_raters, n_categories, n_categories)``; zeros where a judge rated nothing of a category.
        num_rounds: How many rounds were computed.
        has_converged: Whether the last one changed the likelihood by less than the tolerance.
        log_likelihood: The logarithm of the likelihood; 0 where nothing was rated.
        caution: What to keep in mind.
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
    """Give the category that most judges give each item.

    Releases the GIL.

    Args:
        ratings: Shape ``(n_raters, n_items)``, numbers that stand for categories; NaN or None where one is missing.

    Returns:
        A category for each item; None where two are as frequent, or nobody rated it.

    Raises:
        ValueError: If rows differ in length, or a rating is infinite.

    Examples:
        >>> majority([[1, 1, 0], [1, 0, 0], [0, None, 0]])
        (1.0, None, 0.0)
    """
    return tuple(core_majority(to_table(ratings, "ratings")))


def dawid_skene(ratings: Ratings, *, max_rounds: int = 1000, tolerance: float = 1e-9) -> DawidSkene:
    """Estimate the truth and each judge's errors from the judges' answers alone.

    Expectation maximisation from the shares of votes. Judges are taken to err independently of each other, which
    judges that share a model, training data or a prompt do not. Releases the GIL.

    Args:
        ratings: Shape ``(n_raters, n_items)``, numbers that stand for categories; NaN or None where one is missing.
        max_rounds: How many rounds to compute at most, at least 1.
        tolerance: The change of the likelihood, in proportion to it, at which to stop; above 0.

    Returns:
        Labels, their probabilities, and each judge's errors.

    Raises:
        ValueError: If rows differ in length, or a setting is outside its range.

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
    """Cut a list into rows."""
    return tuple(tuple(values[at : at + length]) for at in range(0, len(values), length or 1))
