"""Metrics of scores against human scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

from judgecore._core import harm_metrics as core_harm_metrics
from judgecore.stats.metric import described, metric
from judgecore.stats.objective import HumanCeiling, alpha_among_people, alpha_among_trials, read_ceiling
from judgecore.stats.result import Interval, Measurement, to_groups, to_interval, to_settings, to_table

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from judgecore.stats.result import Ratings


@described
@dataclass(frozen=True, slots=True, kw_only=True)
class HarmMetrics(Measurement):
    """The agreement of scores with human scores. If a value is None, ``undefined`` has the reason.

    ``metrics_of`` describes each metric; the page Metrics of the documentation lists them.

    Attributes:
        num_responses: The number of items.
        num_human_raters: The number of raters.
        num_scorer_trials: The number of trials.
        num_scored: The number of items with a label and a score; metrics refer to these.
        num_undetermined: The number of items with a label but no score.
        num_unlabelled: The number of items without a label.
        limits_of_agreement: The range of single differences with the given coverage, if they are normally distributed.
        intervals: The intervals by metric; None if the metric, or too many of its resamples, are undefined.
    """

    num_responses: int
    num_human_raters: int
    num_scorer_trials: int
    num_scored: int
    num_undetermined: int
    num_unlabelled: int
    mean_absolute_error: float | None = metric(
        "Mean absolute error",
        "mean distance of the score from people's median",
        better="lower",
        unit="distance",
        headline=2,
        is_compared=True,
        is_published=True,
    )
    mae_standard_error: float | None = metric(
        "Error, standard error",
        "standard deviation of the distances over the root of n",
        high=0.5,
        better="lower",
        role="detail",
        is_published=True,
    )
    mae_best: float | None = metric(
        "Error, best case", "if every undetermined score were right", better="lower", unit="distance", role="bound"
    )
    mae_worst: float | None = metric(
        "Error, worst case",
        "if every undetermined score were as wrong as the scale permits",
        better="lower",
        unit="distance",
        role="bound",
    )
    t_statistic: float | None = metric(
        "t",
        "Student's t of the hypothesis that the bias is 0; 0 where all differences are",
        low=-inf,
        high=inf,
        better="zero",
        role="detail",
        is_published=True,
        source="Student (1908), The Probable Error of a Mean",
        undefined="there is one response, or all differences are equal and not 0",
    )
    p_value: float | None = metric(
        "p",
        "its two-sided probability; 1 where all differences are 0",
        better=None,
        role="detail",
        is_published=True,
        source="Student (1908), The Probable Error of a Mean",
        undefined="t is None",
    )
    krippendorff_alpha_human_judge: float | None = metric(
        "Alpha, people and judge",
        "Krippendorff's ordinal alpha of the raters and the judge, whose median counts once, over the responses that "
        "both have scored; 0 is chance",
        low=-1.0,
        headline=1,
        source="Krippendorff (2011), Computing Krippendorff's Alpha-Reliability",
    )
    krippendorff_alpha_combined: float | None = metric(
        "Alpha, combined (published)",
        "Krippendorff's ordinal alpha of raters and trials together, over the same responses; it rises with the number "
        "of trials",
        low=-1.0,
        is_published=True,
        source="Krippendorff (2011), Computing Krippendorff's Alpha-Reliability",
    )
    krippendorff_alpha_humans: float | None = alpha_among_people()
    krippendorff_alpha_model: float | None = alpha_among_trials()
    bias: float | None = metric(
        "Bias",
        "mean of the score less people's; above 0 the scorer scores higher than people",
        low=-1.0,
        better="zero",
        unit="distance",
        headline=3,
        is_compared=True,
    )
    root_mean_squared_error: float | None = metric(
        "Root mean squared error",
        "as the mean absolute error, but large distances weigh more",
        better="lower",
        unit="distance",
    )
    limits_of_agreement: Interval | None
    spearman: float | None = metric(
        "Spearman correlation",
        "correlation of the ranks of both scores",
        low=-1.0,
        source="Spearman (1904), The Proof and Measurement of Association between Two Things",
        undefined="one side has the same score for all responses",
    )
    weighted_kappa: float | None = metric(
        "Weighted kappa",
        "agreement beyond chance, quadratic weights",
        low=-1.0,
        source="Cohen (1968), Weighted Kappa",
        undefined="all scores of both sides are one and the same",
    )
    gwet_ac2: float | None = metric(
        "Gwet's AC2",
        "agreement beyond chance, quadratic weights, steady where one score is rare",
        low=-inf,
        source="Gwet (2014), Handbook of Inter-Rater Reliability, fourth edition",
        undefined="all scores of both sides are one and the same",
    )
    best_constant: float | None = metric(
        "Best constant",
        "the constant answer with the least error, the median of people's scores",
        better=None,
        role="detail",
    )
    best_constant_error: float | None = metric(
        "Best constant, error",
        "its mean absolute error; a judge that does no better says nothing about the response",
        better="lower",
        role="detail",
    )
    intervals: Mapping[str, Interval | None] = field(hash=False)
    human_ceiling: HumanCeiling = metric(
        "Human ceiling",
        "mean absolute error of each rater against the median of the others",
        undefined="there is one rater",
        name="human_ceiling_error",
        better="lower",
        unit="distance",
        path="human_ceiling.mean",
    )


def harm_metrics(
    human: Ratings,
    model: Ratings,
    *,
    scale: tuple[float, float] = (0.0, 1.0),
    clusters: Iterable[Hashable] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> HarmMetrics:
    """Compare scores with human scores.

    An item's gold score is the median of its raters, and its score the median of its trials. Differences below 1e-10
    count as zero. The interval of the bias is Student's; all others resample items. With clusters, all resample
    clusters. The same seed gives the same intervals, on any number of threads. Releases the GIL.

    Args:
        human: Shape ``(n_raters, n_items)``; NaN or None for a missing label.
        model: Shape ``(n_trials, n_items)``; NaN or None for an undetermined trial.
        scale: The lowest and the highest possible score.
        clusters: The key of each item's cluster, such as its objective; None for no clusters.
        resamples: The number of resamples.
        seed: The random seed.
        confidence: The nominal coverage of intervals.

    Returns:
        The metrics. Undefined ones are None, with the reason in ``undefined``, and never 0.

    Raises:
        ValueError: If shapes differ, or a score is outside the scale.

    Examples:
        >>> metrics = harm_metrics([[0, 0.25, 0.5, 1]], [[0, 0.5, 0.5, 0.75]])
        >>> metrics.mean_absolute_error, metrics.best_constant_error
        (0.125, 0.3125)
        >>> harm_metrics([[0, 0.5]], [[0.25, 0.75]]).undefined["t_statistic"]
        'all differences are equal and not zero, so that there is no variance to test with'

    References:
        PyRIT 1.1.0 for gold, error and its standard error, the t-test and the combined alpha; Bland and Altman (1986)
        for the limits of agreement.
    """
    found = core_harm_metrics(
        to_table(human, "human"),
        to_table(model, "model"),
        scale,
        to_groups(clusters),
        to_settings(resamples, seed, confidence),
    )
    return HarmMetrics(
        **dict(
            found,
            limits_of_agreement=to_interval(found["limits_of_agreement"]),
            intervals={name: to_interval(parts) for name, parts in found["intervals"].items()},
            human_ceiling=read_ceiling(found["human_ceiling"]),
        )
    )
