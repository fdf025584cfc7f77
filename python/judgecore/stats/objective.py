"""True-or-false verdicts against human labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from judgecore._core import objective_metrics as core_objective_metrics
from judgecore.stats.array import to_groups, to_row, to_table
from judgecore.stats.probability import Calibration, read_calibration
from judgecore.stats.result import Interval, Measurement, fill, to_interval, to_settings

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from judgecore.stats.array import Ratings, Values


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """How often each label met each verdict.

    Attributes:
        true_positives: True items that the model calls true.
        false_positives: False items that the model calls true.
        false_negatives: True items that the model calls false.
        true_negatives: False items that the model calls false.
    """

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a rule that needs no judge reaches; None where a ratio has no denominator.

    Attributes:
        accuracy: The share of right verdicts.
        precision: The share of right verdicts among those that say true.
        recall: The share of true items that the rule calls true.
        f1_score: The harmonic mean of both.
        balanced_accuracy: The mean of recall and specificity.
    """

    accuracy: float | None
    precision: float | None
    recall: float | None
    f1_score: float | None
    balanced_accuracy: float | None


@dataclass(frozen=True, slots=True)
class HumanCeiling:
    """How each rater does against the median of the others, by the measure that the judge is held to.

    Attributes:
        mean: The mean over raters; None of fewer than two.
        per_rater: Each rater's value, None where no other rated the same items.
    """

    mean: float | None
    per_rater: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveMetrics(Measurement):
    """How true-or-false verdicts agree with human labels. A value is None where ``undefined`` says why.

    Attributes:
        num_responses: How many items there are.
        num_human_raters: How many raters there are.
        num_scorer_trials: How many trials there are.
        num_scored: How many items have a label and a verdict; what follows is of these unless it says otherwise.
        num_undetermined: How many items have a label and no verdict.
        num_unlabelled: How many items have no label.
        num_human_ties: How many items have as many raters for as against; they count as false.
        num_model_ties: How many items have as many trials for as against; they count as false.
        accuracy: The share of right verdicts.
        accuracy_standard_error: The root of accuracy times its complement over the number of items.
        accuracy_worst: Accuracy over all labelled items if every missing verdict were wrong.
        accuracy_best: Accuracy over all labelled items if every missing verdict were right.
        f1_score: The harmonic mean of precision and recall; None when nothing is true on either side.
        precision: The share of right verdicts among those that say true; None when none does.
        recall: The share of true items that the model calls true; None when none is true.
        specificity: The share of false items that the model calls false; None when none is false.
        balanced_accuracy: The mean of recall and specificity.
        mcc: Matthews' correlation, from -1 to 1.
        cohen_kappa: Cohen's kappa of labels and verdicts, from -1 to 1.
        gwet_ac1: Gwet's AC1 of labels and verdicts, from -1 to 1.
        auroc: How probable it is that a true item has a higher probability; None unless probabilities were given.
        calibration: How often probabilities are right; None unless probabilities were given.
        confusion: Labels against verdicts.
        intervals: By the name of their statistic; None where the statistic or too many resamples have no value.
        baselines: ``always_true``, ``always_false``, and ``prevalence_matched``, a coin that says true as often as
            items are.
        human_ceiling: Each rater's accuracy against the others.
        krippendorff_alpha_humans: Nominal alpha among raters; None of one rater.
        krippendorff_alpha_model: Nominal alpha among trials; None of one trial.
    """

    num_responses: int
    num_human_raters: int
    num_scorer_trials: int
    num_scored: int
    num_undetermined: int
    num_unlabelled: int
    num_human_ties: int
    num_model_ties: int
    accuracy: float | None
    accuracy_standard_error: float | None
    accuracy_worst: float | None
    accuracy_best: float | None
    f1_score: float | None
    precision: float | None
    recall: float | None
    specificity: float | None
    balanced_accuracy: float | None
    mcc: float | None
    cohen_kappa: float | None
    gwet_ac1: float | None
    auroc: float | None
    calibration: Calibration | None
    confusion: ConfusionMatrix
    intervals: Mapping[str, Interval | None] = field(hash=False)
    baselines: Mapping[str, Baseline] = field(hash=False)
    human_ceiling: HumanCeiling
    krippendorff_alpha_humans: float | None
    krippendorff_alpha_model: float | None


def objective_metrics(
    human: Ratings,
    model: Ratings,
    *,
    probabilities: Values | None = None,
    bins: int = 10,
    clusters: Iterable[Hashable] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> ObjectiveMetrics:
    """Measure how true-or-false verdicts agree with human labels.

    An item's label is the median of its raters and its verdict the median of its trials, both rounded to the even
    number, so that a tie is false. Intervals of shares are Wilson's, all others resample items; with clusters, all
    resample clusters. The same seed gives the same intervals, on any number of threads. Releases the GIL.

    Args:
        human: Shape ``(n_raters, n_items)``: 0, 1, or NaN or None where a rater gave none.
        model: Shape ``(n_trials, n_items)``: 0, 1, or NaN or None where a trial is undetermined.
        probabilities: Shape ``(n_items,)``: how probable it is, by the judge, that an item is true; None without.
        bins: How many bins the reliability table has.
        clusters: What items that belong together have in common, such as their objective; None where none do.
        resamples: How many resamples to draw.
        seed: Which ones.
        confidence: The nominal coverage of intervals.

    Returns:
        The metrics. Undefined ones are None, with the reason in ``undefined``, and never 0.

    Raises:
        ValueError: If shapes do not fit, or a label, verdict or probability is anything else.

    Examples:
        >>> metrics = objective_metrics([[1, 0, 1, 0]], [[1, 0, 0, None]])
        >>> metrics.accuracy, metrics.accuracy_worst, metrics.accuracy_best
        (0.6666666666666666, 0.5, 0.75)
        >>> objective_metrics([[0, 0]], [[0, 0]]).undefined["precision"]
        "no item is true by the model's verdicts"

    References:
        PyRIT 1.1.0 for labels, verdicts, accuracy and its standard error, precision, recall and F1.
    """
    given = None if probabilities is None else to_row(probabilities, "probabilities")
    found = core_objective_metrics(
        to_table(human, "human"),
        to_table(model, "model"),
        given,
        bins,
        to_groups(clusters),
        to_settings(resamples, seed, confidence),
    )
    calibration: dict[str, Any] | None = found["calibration"]
    own = {
        name.removeprefix("calibration."): reason
        for name, reason in found["undefined"].items()
        if name.startswith("calibration.")
    }
    return ObjectiveMetrics(
        **fill(
            found,
            calibration=None if calibration is None else read_calibration({**calibration, "undefined": own}),
            confusion=ConfusionMatrix(**found["confusion"]),
            intervals={name: to_interval(parts) for name, parts in found["intervals"].items()},
            baselines={name: Baseline(**values) for name, values in found["baselines"].items()},
            human_ceiling=read_ceiling(found["human_ceiling"]),
        )
    )


def read_ceiling(found: dict[str, Any]) -> HumanCeiling:
    """Make the result of its fields.

    Args:
        found: The fields, as the core gives them.

    Returns:
        The result.
    """
    return HumanCeiling(found["mean"], tuple(found["per_rater"]))
