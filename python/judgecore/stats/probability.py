"""Scores and probabilities against true-or-false labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judgecore._core import auroc as core_auroc
from judgecore._core import calibration as core_calibration
from judgecore.stats.metric import described, metric
from judgecore.stats.result import Measurement, statistic, to_row

if TYPE_CHECKING:
    from judgecore.stats.result import Values


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """A range of probabilities, and what became of the items in it.

    Attributes:
        low: What probabilities in it lie above; the first bin holds 0 as well.
        high: The highest probability in it.
        count: How many items have one of these.
        mean_probability: The mean of their probabilities; None of no items.
        observed_rate: The share of them that is true; None of no items.
    """

    low: float
    high: float
    count: int
    mean_probability: float | None
    observed_rate: float | None


@described
@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration(Measurement):
    """How well probabilities tell how often they are right.

    Attributes:
        num_items: How many items have both a label and a probability.
        bins: The reliability table, from 0 to 1.
    """

    num_items: int
    expected_calibration_error: float | None = metric(
        "Calibration error",
        "mean distance of a bin's mean probability from its observed rate, weighted by its items",
        better="lower",
        source="Guo et al. (2017), On Calibration of Modern Neural Networks",
    )
    brier: float | None = metric(
        "Brier score",
        "mean squared distance of probabilities from labels",
        better="lower",
        source="Brier (1950), Verification of Forecasts Expressed in Terms of Probability",
    )
    bins: tuple[CalibrationBin, ...]


@statistic
def auroc(labels: Values, scores: Values) -> tuple[float | None, str | None]:
    """Measure how probable it is that a true item has a higher score than a false one; equal scores count half.

    Releases the GIL.

    Args:
        labels: Shape ``(n_items,)``: 0, 1, or NaN or None where a label is missing.
        scores: Shape ``(n_items,)``, any numbers; NaN or None where one is missing. Such items are left out.

    Returns:
        From 0 to 1, where 0.5 is chance. None unless there are items of both kinds.

    Raises:
        ValueError: If the two differ in length, or a label is anything else.

    Examples:
        >>> auroc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        0.75

    References:
        Hanley and McNeil (1982), The Meaning and Use of the Area under a ROC Curve.
    """
    return core_auroc(to_row(labels, "labels"), to_row(scores, "scores"))


def calibration(labels: Values, probabilities: Values, *, bins: int = 10) -> Calibration:
    """Measure how well probabilities of being true tell how often items are.

    Releases the GIL.

    Args:
        labels: Shape ``(n_items,)``: 0, 1, or NaN or None where a label is missing.
        probabilities: Shape ``(n_items,)``, from 0 to 1; NaN or None where one is missing. Such items are left out.
        bins: How many ranges of equal width the reliability table has, at least 1; each holds its upper end.

    Returns:
        The expected calibration error, Brier's score, both None without items, and the reliability table.

    Raises:
        ValueError: If the two differ in length, or hold anything else.

    Examples:
        >>> calibration([0, 1, 1, 1], [0.25, 0.75, 0.75, 0.75], bins=2).brier
        0.0625

    References:
        Guo et al. (2017), On Calibration of Modern Neural Networks; Brier (1950), Verification of Forecasts Expressed
        in Terms of Probability.
    """
    return read_calibration(core_calibration(to_row(labels, "labels"), to_row(probabilities, "probabilities"), bins))


def read_calibration(found: dict[str, Any]) -> Calibration:
    """Make the result of the fields that the core gives."""
    return Calibration(**dict(found, bins=tuple(CalibrationBin(**one) for one in found["bins"])))
