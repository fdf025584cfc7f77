"""Combining several judges on the same items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from judgecore._core import dawid_skene as core_dawid_skene
from judgecore._core import majority as core_majority
from judgecore.stats.result import Interval, Measurement, to_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from judgecore.stats.result import Ratings


_Value = TypeVar("_Value")

# Below it a variance is the noise of floating point.
_NO_VARIANCE = 1e-12

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
        **dict(
            found,
            categories=tuple(found["categories"]),
            labels=tuple(found["labels"]),
            posterior=_cut(found["posterior"], k),
            prevalence=tuple(found["prevalence"]),
            confusion=tables,
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveVotes(Measurement):
    """How many independent votes several judges are worth.

    Attributes:
        num_judges: How many judges there are.
        num_items: How many items all of them judged.
        correlations: The correlation of the errors of each pair, shape ``(n_judges, n_judges)``; None where a judge
            makes the same error everywhere.
        mean_correlation: The mean over pairs.
        votes: The number of votes, from 1 to ``num_judges``.
        interval: Its interval.
    """

    num_judges: int
    num_items: int
    correlations: tuple[tuple[float | None, ...], ...]
    mean_correlation: float | None
    votes: float | None
    interval: Interval | None


def effective_votes(
    errors: Ratings, *, resamples: int = 2_000, seed: int = 0, confidence: float = 0.95
) -> EffectiveVotes:
    """Measure how many independent votes several judges are worth, by the correlation of their errors.

    The mean of k judges whose errors have the same variance and the mean correlation r varies as that of
    k / (1 + (k - 1) r) independent ones. A negative r counts as 0.

    Args:
        errors: Shape ``(n_judges, n_items)``: each judge's score less the true one, or 1 where a verdict is wrong and 0
            where it is right; NaN or None where one is missing. Items that one did not judge are left out.
        resamples: How many resamples of the items to draw for the interval.
        seed: Which ones.
        confidence: The nominal coverage of the interval.

    Returns:
        The votes and the correlations; None where they are undefined.

    Raises:
        ValueError: If rows differ in length, or there are fewer than two.

    Examples:
        >>> found = effective_votes([[0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 1], [1, 1, 0, 0, 1, 0]])
        >>> round(found.mean_correlation, 2), round(found.votes, 2)
        (0.11, 2.45)

    References:
        Kish (1965), Survey Sampling, section 5.4 (design effect of clusters).
    """
    table = to_table(errors, "errors")
    if len(table) < 2:  # noqa: PLR2004 - a correlation takes two
        raise ValueError(f"errors has {len(table)} rows; votes are counted of at least two judges")
    table = table[:, ~np.isnan(table).any(axis=0)]
    k, n = table.shape
    constant = "a judge makes the same error on all items, so that its errors have no correlation"
    if n < 2:  # noqa: PLR2004 - a correlation takes two
        constant = "fewer than two items were judged by all"
    correlations = _correlations(np.ones((1, max(n, 1))), table)[0] if n else np.full((k, k), np.nan)
    mean = _mean_of_pairs(correlations[None])[0]
    if np.isnan(mean):
        undefined: dict[str, str] = dict.fromkeys(("mean_correlation", "votes", "interval"), constant)
        return EffectiveVotes(
            num_judges=k,
            num_items=n,
            correlations=_with_none(correlations),
            mean_correlation=None,
            votes=None,
            interval=None,
            undefined=undefined,
        )
    random = np.random.default_rng(seed)
    # In blocks, so that memory does not grow with the number of resamples.
    blocks = [random.multinomial(n, np.full(n, 1 / n), size=min(64, resamples - at)) for at in range(0, resamples, 64)]
    drawn = np.concatenate([_votes(_mean_of_pairs(_correlations(block, table)), k) for block in blocks])
    tail = (1 - confidence) / 2
    low, high = np.nanquantile(drawn, [tail, 1 - tail])
    return EffectiveVotes(
        num_judges=k,
        num_items=n,
        correlations=_with_none(correlations),
        mean_correlation=float(mean),
        votes=float(_votes(mean, k)),
        interval=Interval(float(low), float(high), confidence, "bootstrap"),
    )


def _correlations(weights: npt.NDArray[np.number], table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The correlations of all pairs of rows under each row of weights; NaN where a row does not vary."""
    k = len(table)
    total = weights.sum(axis=1)
    means = weights @ table.T / total[:, None]
    products = (table[:, None] * table[None]).reshape(k * k, -1)
    second = (weights @ products.T / total[:, None]).reshape(-1, k, k)
    covariance = second - means[:, :, None] * means[:, None, :]
    variance = np.einsum("bii->bi", covariance)
    spread = np.sqrt(np.where(variance > _NO_VARIANCE, variance, np.nan))
    return np.clip(covariance / (spread[:, :, None] * spread[:, None, :]), -1, 1)


def _mean_of_pairs(correlations: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    upper = np.triu_indices(correlations.shape[-1], 1)
    return correlations[:, upper[0], upper[1]].mean(axis=1)


def _votes(mean: npt.NDArray[np.float64], k: int) -> npt.NDArray[np.float64]:
    return k / (1 + (k - 1) * np.maximum(mean, 0))


def _with_none(values: npt.NDArray[np.float64]) -> tuple[tuple[float | None, ...], ...]:
    return tuple(tuple(None if np.isnan(one) else float(one) for one in row) for row in values)


def _cut(values: Sequence[_Value], length: int) -> tuple[tuple[_Value, ...], ...]:
    """Split a list into rows."""
    return tuple(tuple(values[at : at + length]) for at in range(0, len(values), length or 1))
