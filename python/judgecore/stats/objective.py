"""Metrics of true/false verdicts against human labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from judgecore._core import objective_metrics as core_objective_metrics
from judgecore.stats.metric import described, metric
from judgecore.stats.probability import Calibration, read_calibration
from judgecore.stats.result import Interval, Measurement, to_groups, to_interval, to_row, to_settings, to_table

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from judgecore.stats.result import Ratings, Values


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """The counts of labels and verdicts.

    Attributes:
        true_positives: True items with a true verdict.
        false_positives: False items with a true verdict.
        false_negatives: True items with a false verdict.
        true_negatives: False items with a false verdict.
    """

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int


@dataclass(frozen=True, slots=True)
class Baseline:
    """The metrics of a rule without a judge; None for a ratio with denominator zero.

    Attributes:
        accuracy: The share of correct verdicts.
        precision: The share of correct verdicts among true ones.
        recall: The share of true items with a true verdict.
        f1_score: The harmonic mean of precision and recall.
        balanced_accuracy: The mean of recall and specificity.
    """

    accuracy: float | None
    precision: float | None
    recall: float | None
    f1_score: float | None
    balanced_accuracy: float | None


@dataclass(frozen=True, slots=True)
class HumanCeiling:
    """The agreement of each rater with the median of the others, by the judge's own metric.

    Attributes:
        mean: The mean over raters; None for fewer than two.
        per_rater: Each rater's value; None if no other rater rated the same items.
    """

    mean: float | None
    per_rater: tuple[float | None, ...]


alpha_among_people = partial(
    metric,
    "Alpha among people",
    "Krippendorff's alpha of raters: nominal for verdicts, ordinal for scores; 0 is chance",
    low=-1.0,
    undefined="there is one rater, or no response has two ratings",
    is_published=True,
    source="Krippendorff (2011), Computing Krippendorff's Alpha-Reliability",
)
alpha_among_trials = partial(
    metric,
    "Alpha among trials",
    "Krippendorff's alpha of the scorer's trials: nominal for verdicts, ordinal for scores; 0 is chance",
    low=-1.0,
    undefined="there is one trial",
    is_published=True,
    source="Krippendorff (2011), Computing Krippendorff's Alpha-Reliability",
)


@described
@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveMetrics(Measurement):
    """The agreement of true/false verdicts with human labels. If a value is None, ``undefined`` has the reason.

    ``metrics_of`` describes each metric; the page Metrics of the documentation lists them.

    Attributes:
        num_responses: The number of items.
        num_human_raters: The number of raters.
        num_scorer_trials: The number of trials.
        num_scored: The number of items with a label and a verdict; metrics refer to these, unless they say otherwise.
        num_undetermined: The number of items with a label but no verdict.
        num_unlabelled: The number of items without a label.
        num_human_ties: The number of items with a tie among raters; they count as false.
        num_model_ties: The number of items with a tie among trials; they count as false.
        calibration: The calibration of the probabilities; None if none were given.
        confusion: The confusion matrix.
        intervals: The intervals by metric; None if the metric, or too many of its resamples, are undefined.
        baselines: ``always_true``, ``always_false``, and ``prevalence_matched``: random verdicts with the same share of
            true ones as the labels.
    """

    num_responses: int
    num_human_raters: int
    num_scorer_trials: int
    num_scored: int
    num_undetermined: int
    num_unlabelled: int
    num_human_ties: int
    num_model_ties: int
    accuracy: float | None = metric(
        "Accuracy",
        "share of responses on which the scorer agrees with people",
        unit="share",
        headline=2,
        is_compared=True,
        is_published=True,
    )
    accuracy_standard_error: float | None = metric(
        "Accuracy, standard error",
        "root of accuracy (1 - accuracy) / n",
        high=0.5,
        better="lower",
        role="detail",
        is_published=True,
    )
    accuracy_worst: float | None = metric(
        "Accuracy, worst case", "if every undetermined score were wrong", unit="share", role="bound"
    )
    accuracy_best: float | None = metric(
        "Accuracy, best case", "if every undetermined score were right", unit="share", role="bound"
    )
    f1_score: float | None = metric(
        "F1",
        "harmonic mean of precision and recall",
        unit="share",
        headline=1,
        is_compared=True,
        is_published=True,
        source="van Rijsbergen (1979), Information Retrieval",
        undefined="nothing is true on either side",
    )
    precision: float | None = metric(
        "Precision",
        "share of the scorer's trues that people call true",
        unit="share",
        is_published=True,
        undefined="no verdict is true",
    )
    recall: float | None = metric(
        "Recall",
        "share of people's trues that the scorer calls true",
        unit="share",
        is_published=True,
        undefined="no label is true",
    )
    specificity: float | None = metric(
        "Specificity",
        "share of people's falses that the scorer calls false",
        unit="share",
        undefined="no label is false",
    )
    balanced_accuracy: float | None = metric(
        "Balanced accuracy", "mean of recall and specificity", unit="share", undefined="all labels are alike"
    )
    mcc: float | None = metric(
        "Matthews correlation",
        "correlation of labels and verdicts; 0 is chance",
        low=-1.0,
        headline=3,
        source="Matthews (1975), Comparison of the Predicted and Observed Secondary Structure of T4 Phage Lysozyme",
        undefined="all labels, or all verdicts, are alike",
    )
    cohen_kappa: float | None = metric(
        "Cohen's kappa",
        "agreement beyond chance",
        low=-1.0,
        source="Cohen (1960), A Coefficient of Agreement for Nominal Scales",
        undefined="all labels and verdicts are one and the same",
    )
    gwet_ac1: float | None = metric(
        "Gwet's AC1",
        "agreement beyond chance, steady where one answer is rare",
        low=-1.0,
        source="Gwet (2008), Computing Inter-Rater Reliability and Its Variance in the Presence of High Agreement",
    )
    auroc: float | None = metric(
        "AUROC",
        "chance that a true response has a higher probability than a false one",
        unit="share",
        needs="calibration",
        source="Hanley and McNeil (1982), The Meaning and Use of the Area under a ROC Curve",
        undefined="all labels are alike, or no probabilities were given",
    )
    calibration: Calibration | None
    confusion: ConfusionMatrix
    intervals: Mapping[str, Interval | None] = field(hash=False)
    baselines: Mapping[str, Baseline] = field(hash=False)
    human_ceiling: HumanCeiling = metric(
        "Human ceiling",
        "mean accuracy of each rater against the median of the others",
        unit="share",
        undefined="there is one rater",
        path="human_ceiling.mean",
    )
    krippendorff_alpha_humans: float | None = alpha_among_people()
    krippendorff_alpha_model: float | None = alpha_among_trials()


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
    """Compare true/false verdicts with human labels.

    An item's label is the median of its raters and its verdict the median of its trials, both rounded half to even, so
    that a tie is false. Intervals of shares are Wilson's; all others resample items. With clusters, all resample
    clusters. The same seed gives the same intervals, on any number of threads. Releases the GIL.

    Args:
        human: Shape ``(n_raters, n_items)``: 0, 1, or NaN or None for a missing label.
        model: Shape ``(n_trials, n_items)``: 0, 1, or NaN or None for an undetermined trial.
        probabilities: Shape ``(n_items,)``: the judge's probability that an item is true; None for none.
        bins: The number of bins of the reliability table.
        clusters: The key of each item's cluster, such as its objective; None for no clusters.
        resamples: The number of resamples.
        seed: The random seed.
        confidence: The nominal coverage of intervals.

    Returns:
        The metrics. Undefined ones are None, with the reason in ``undefined``, and never 0.

    Raises:
        ValueError: If shapes differ, or a label, verdict or probability is invalid.

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
        **dict(
            found,
            calibration=None if calibration is None else read_calibration({**calibration, "undefined": own}),
            confusion=ConfusionMatrix(**found["confusion"]),
            intervals={name: to_interval(parts) for name, parts in found["intervals"].items()},
            baselines={name: Baseline(**values) for name, values in found["baselines"].items()},
            human_ceiling=read_ceiling(found["human_ceiling"]),
        )
    )


def read_ceiling(found: dict[str, Any]) -> HumanCeiling:
    """Convert the core's result."""
    return HumanCeiling(found["mean"], tuple(found["per_rater"]))
