"""Estimates that are corrected for the errors of a judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from judgecore._core import ppi_mean as core_ppi_mean
from judgecore._core import rogan_gladen as core_rogan_gladen
from judgecore.stats.objective import ConfusionMatrix
from judgecore.stats.result import Interval, Measurement, to_interval, to_row

if TYPE_CHECKING:
    from judgecore.stats.result import Values


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedRate(Measurement):
    """A share of true items, corrected for the judge's errors.

    Attributes:
        num_verdicts: The number of corrected verdicts.
        num_calibration: The number of items with a human label and a verdict.
        estimate: The estimated share of true items, from 0 to 1.
        standard_error: The standard error, due to both the verdicts and the calibration set.
        interval: The interval, which is not centred on the estimate.
        raw_rate: The share of verdicts that are true.
        raw_interval: The interval of ``raw_rate``, which ignores the judge's errors.
        sensitivity: The share of true items with a true verdict.
        specificity: The share of false items with a false verdict.
        calibration: The confusion matrix of the calibration set.
    """

    num_verdicts: int
    num_calibration: int
    estimate: float | None
    standard_error: float | None
    interval: Interval | None
    raw_rate: float | None
    raw_interval: Interval | None
    sensitivity: float | None
    specificity: float | None
    calibration: ConfusionMatrix


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedMean(Measurement):
    """A mean of human labels, estimated with the help of a judge.

    Attributes:
        num_labelled: The number of items with a human label and a judge's value.
        num_unlabelled: The number of items with a judge's value only.
        estimate: The estimated mean human label of all items.
        standard_error: The standard error of the estimate.
        interval: The interval of the estimate.
        power: The weight of the judge, from 0 (ignored) to 1.
        human_mean: The mean of the human labels alone.
        human_interval: The interval of ``human_mean``.
        judge_mean: The mean of the judge's values for the unlabelled items.
    """

    num_labelled: int
    num_unlabelled: int
    estimate: float | None
    standard_error: float | None
    interval: Interval | None
    power: float | None
    human_mean: float | None
    human_interval: Interval | None
    judge_mean: float | None


def rogan_gladen(verdicts: Values, human: Values, model: Values, *, confidence: float = 0.95) -> CorrectedRate:
    """Estimate the share of true items from a judge's verdicts, corrected for its errors on labelled items.

    The estimate is (p + specificity - 1) / (sensitivity + specificity - 1), where p is the share of true verdicts. It
    is valid even if the share of true items is different among the labelled ones, as long as the judge has the same
    error rates on both. Releases the GIL.

    Args:
        verdicts: Shape ``(n_verdicts,)``: 0, 1, or NaN or None for a missing verdict. Missing ones are omitted.
        human: Shape ``(n_calibration,)``: 0, 1, or NaN or None for a missing label.
        model: The judge's verdicts on the same items. Items without both are omitted.
        confidence: The nominal coverage of intervals, between 0 and 1.

    Returns:
        The estimate, from 0 to 1, with its interval. Both are None if sensitivity and specificity sum to at most 1,
        because the judge is then no better than chance. Only the interval is None if the verdicts contradict the
        calibration, so that it would be outside 0 to 1.

    Raises:
        ValueError: If the lengths of human and model differ, or another value occurs.

    Examples:
        >>> found = rogan_gladen([1] * 60 + [0] * 40, [1] * 50 + [0] * 50, [1] * 45 + [0] * 45 + [1] * 10)
        >>> found.raw_rate, found.sensitivity, found.specificity
        (0.6, 0.9, 0.8)
        >>> round(found.estimate, 3)
        0.571

    References:
        Rogan and Gladen (1978), Estimating Prevalence from the Results of a Screening Test; Lang and Reiczigel (2014),
        Confidence Limits for Prevalence of Disease Adjusted for Estimated Sensitivity and Specificity; Lee et al.
        (2025), How to Correctly Report LLM-as-a-Judge Evaluations, arXiv 2511.21140.
    """
    rows = to_row(verdicts, "verdicts"), to_row(human, "human"), to_row(model, "model")
    found = core_rogan_gladen(*rows, confidence)
    return CorrectedRate(
        **dict(
            found,
            interval=to_interval(found["interval"]),
            raw_interval=to_interval(found["raw_interval"]),
            calibration=ConfusionMatrix(**found["calibration"]),
        )
    )


def ppi_mean(human: Values, model: Values, unlabelled: Values, *, confidence: float = 0.95) -> CorrectedMean:
    """Estimate the mean human label from a few labels and a judge's values of many items (PPI++).

    Labelled and unlabelled items must be random samples of the same population. The better the judge agrees with
    people, the higher its weight, so that the interval is rarely wider than that of the labels alone. Values can be
    scores, booleans as 1 and 0, or wins as 1, ties as 0.5 and losses as 0. Releases the GIL.

    Args:
        human: Shape ``(n_labelled,)``; NaN or None for a missing label.
        model: The judge's values for the same items. Items without both are omitted.
        unlabelled: Shape ``(n_unlabelled,)``: the judge's values for the other items. Missing ones are omitted.
        confidence: The nominal coverage of intervals, between 0 and 1.

    Returns:
        The estimate with its interval, and the mean of the labels alone. None for fewer than two labelled items, or no
        unlabelled ones. Only the standard error and the intervals are None if all labels are equal, because they then
        show no spread.

    Raises:
        ValueError: If the lengths of human and model differ, or a value is infinite.

    Examples:
        >>> found = ppi_mean([1, 0, 1, 1, 0, 1], [1, 0, 1, 0, 0, 1], [1, 0, 0, 1, 1, 0, 1, 1, 0, 1] * 10)
        >>> round(found.estimate, 3), round(found.human_mean, 3)
        (0.731, 0.667)

    References:
        Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient Prediction-Powered Inference, arXiv 2311.01453.
    """
    rows = to_row(human, "human"), to_row(model, "model"), to_row(unlabelled, "unlabelled")
    found = core_ppi_mean(*rows, confidence)
    return CorrectedMean(
        **dict(
            found,
            interval=to_interval(found["interval"]),
            human_interval=to_interval(found["human_interval"]),
        )
    )
