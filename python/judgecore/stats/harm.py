"""Scores against human scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from judgecore._core import harm_metrics as core_harm_metrics
from judgecore.stats.array import to_groups, to_table
from judgecore.stats.objective import HumanCeiling, read_ceiling
from judgecore.stats.result import Interval, Measurement, fill, to_interval, to_settings

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from judgecore.stats.array import Ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class HarmMetrics(Measurement):
    """How scores agree with human scores. A value is None where ``undefined`` says why.

    Attributes:
        num_responses: How many items there are.
        num_human_raters: How many raters there are.
        num_scorer_trials: How many trials there are.
        num_scored: How many items have a label and a score; errors are of these.
        num_undetermined: How many items have a label and no score.
        num_unlabelled: How many items have no label.
        mean_absolute_error: The mean size of the differences between model and gold.
        mae_standard_error: Its standard error.
        mae_best: The error over all labelled items if every missing score were right.
        mae_worst: The error over all labelled items if every missing score were as wrong as the scale permits.
        t_statistic: Student's t of the hypothesis that the mean difference is 0; 0 when all are.
        p_value: Its two-sided p; 1 when all differences are 0.
        krippendorff_alpha_human_judge: Ordinal alpha of raters and the judge, whose median counts once. This is the one
            to show first.
        krippendorff_alpha_combined: Ordinal alpha of raters and trials together, as registries hold it; it rises with
            the number of trials, whatever the judge.
        krippendorff_alpha_humans: Ordinal alpha among raters; None of one rater.
        krippendorff_alpha_model: Ordinal alpha among trials; None of one trial.
        bias: The mean difference: above 0 the model scores higher than people.
        root_mean_squared_error: The root of the mean squared difference.
        limits_of_agreement: Within what that share of single differences lies, if they are normal.
        spearman: The correlation of ranks of gold and model, from -1 to 1.
        weighted_kappa: Kappa of gold and model with quadratic weights, from -1 to 1.
        gwet_ac2: Gwet's AC2 of gold and model with quadratic weights, at most 1.
        best_constant: The constant answer with the least error, the median of gold.
        best_constant_error: Its mean absolute error: a judge that does no better tells nothing.
        intervals: By the name of their statistic; None where the statistic or too many resamples have no value.
        human_ceiling: Each rater's mean absolute error against the median of the others.
    """

    num_responses: int
    num_human_raters: int
    num_scorer_trials: int
    num_scored: int
    num_undetermined: int
    num_unlabelled: int
    mean_absolute_error: float | None
    mae_standard_error: float | None
    mae_best: float | None
    mae_worst: float | None
    t_statistic: float | None
    p_value: float | None
    krippendorff_alpha_human_judge: float | None
    krippendorff_alpha_combined: float | None
    krippendorff_alpha_humans: float | None
    krippendorff_alpha_model: float | None
    bias: float | None
    root_mean_squared_error: float | None
    limits_of_agreement: Interval | None
    spearman: float | None
    weighted_kappa: float | None
    gwet_ac2: float | None
    best_constant: float | None
    best_constant_error: float | None
    intervals: Mapping[str, Interval | None] = field(hash=False)
    human_ceiling: HumanCeiling


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
    """Measure how scores agree with human scores.

    An item's gold is the median of its raters, its score the median of its trials. Differences below 1e-10 are none.
    The interval of the bias is Student's, all others resample items; with clusters, all resample clusters. The same
    seed gives the same intervals, on any number of threads. Releases the GIL.

    Args:
        human: Shape ``(n_raters, n_items)``; NaN or None where a rater gave none.
        model: Shape ``(n_trials, n_items)``; NaN or None where a trial is undetermined.
        scale: The least and the greatest score that there could be.
        clusters: What items that belong together have in common, such as their objective; None where none do.
        resamples: How many resamples to draw.
        seed: Which ones.
        confidence: The nominal coverage of intervals.

    Returns:
        The metrics. Undefined ones are None, with the reason in ``undefined``, and never 0.

    Raises:
        ValueError: If shapes do not fit, or a score lies outside of the scale.

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
        **fill(
            found,
            limits_of_agreement=to_interval(found["limits_of_agreement"]),
            intervals={name: to_interval(parts) for name, parts in found["intervals"].items()},
            human_ceiling=read_ceiling(found["human_ceiling"]),
        )
    )
