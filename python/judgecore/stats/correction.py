"""What a judge that is known to be imperfect says about the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from judgecore._core import ppi_mean as core_ppi_mean
from judgecore._core import rogan_gladen as core_rogan_gladen
from judgecore.stats.array import to_row
from judgecore.stats.objective import ConfusionMatrix
from judgecore.stats.result import Interval, Measurement, fill, to_interval

if TYPE_CHECKING:
    from judgecore.stats.array import Values


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedRate(Measurement):
    """A share of true items, corrected for the judge's errors.

    Attributes:
        num_verdicts: How many verdicts were corrected.
        num_calibration: How many items have a human label and a verdict.
        estimate: The share of truly true items, from 0 to 1.
        standard_error: Its standard error, of both the verdicts and the calibration set.
        interval: Its interval, which is not centred on the estimate.
        raw_rate: The share of verdicts that say true.
        raw_interval: The interval of that share, which leaves the judge's errors out.
        sensitivity: The share of true items that the judge calls true.
        specificity: The share of false items that the judge calls false.
        calibration: Human labels against verdicts.
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
    """A mean of human labels, estimated with a judge's help.

    Attributes:
        num_labelled: How many items have a human label and the judge's.
        num_unlabelled: How many items have the judge's alone.
        estimate: The mean that people would give to all items.
        standard_error: Its standard error.
        interval: Its interval.
        power: How much the judge counts: 0 not at all, 1 fully.
        human_mean: The mean of the human labels alone.
        human_interval: The interval of the human labels alone.
        judge_mean: The mean of the judge's values of the items without a label.
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
    """Estimate the share of true items from verdicts of a judge whose errors are known from labelled items.

    The estimate is (p + specificity - 1) / (sensitivity + specificity - 1), where p is the share of verdicts that say
    true. It holds where true items are more or less frequent among the labelled ones, as long as the judge errs alike
    on both. Releases the GIL.

    Args:
        verdicts: Shape ``(n_verdicts,)``: 0, 1, or NaN or None where one is missing. Missing ones are left out.
        human: Shape ``(n_calibration,)``: 0, 1, or NaN or None where a label is missing.
        model: The judge's verdicts on the same items. Items that miss one are left out.
        confidence: The nominal coverage of intervals, between 0 and 1.

    Returns:
        The estimate, from 0 to 1, with its interval. Both are None where sensitivity and specificity sum to 1 or less,
        because the judge is then no better than chance. The interval alone is None where the verdicts contradict the
        calibration, so that it would lie outside of 0 to 1.

    Raises:
        ValueError: If human and model differ in length, or a value is anything else.

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
        **fill(
            found,
            interval=to_interval(found["interval"]),
            raw_interval=to_interval(found["raw_interval"]),
            calibration=ConfusionMatrix(**found["calibration"]),
        )
    )


def ppi_mean(human: Values, model: Values, unlabelled: Values, *, confidence: float = 0.95) -> CorrectedMean:
    """Estimate the mean that people would give, from a few labels and a judge's values of many items.

    The labelled items must be drawn at random from the same items as the others. The judge counts as much as it agrees
    with people, so that the interval is about as narrow as that of the labels alone, or narrower. Values may be scores,
    true and false as 1 and 0, or wins as 1, ties as 0.5 and losses as 0. Releases the GIL.

    Args:
        human: Shape ``(n_labelled,)``; NaN or None where a label is missing.
        model: The judge's values of the same items. Items that miss one are left out.
        unlabelled: Shape ``(n_unlabelled,)``: the judge's values of the other items. Missing ones are left out.
        confidence: The nominal coverage of intervals, between 0 and 1.

    Returns:
        The estimate with its interval, and beside it that of the labels alone. None of fewer than two labelled items or
        of no others.

    Raises:
        ValueError: If human and model differ in length, or a value is infinite.

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
        **fill(
            found,
            interval=to_interval(found["interval"]),
            human_interval=to_interval(found["human_interval"]),
        )
    )
