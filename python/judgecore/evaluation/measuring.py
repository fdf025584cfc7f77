"""Compute the metrics of scores against labels."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from judgecore.evaluation.dataset_entry import MetricsType
from judgecore.evaluation.registry import METRICS_VERSION
from judgecore.evaluation.result import HarmScorerMetrics, Measure, ObjectiveScorerMetrics
from judgecore.stats import (
    HarmMetrics,
    ObjectiveMetrics,
    harm_metrics,
    metrics_of,
    objective_metrics,
    wilson_interval,
)
from judgecore.stats import calibration as compute_calibration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from judgecore.evaluation.dataset import HumanLabeledDataset
    from judgecore.evaluation.result import ScorerMetrics
    from judgecore.stats import Calibration, Measurement, Metric

# The tolerance for floating-point noise.
_NOISE = 1e-9

_RESULTS: Final[dict[MetricsType, type[ObjectiveMetrics | HarmMetrics]]] = {
    MetricsType.OBJECTIVE: ObjectiveMetrics,
    MetricsType.HARM: HarmMetrics,
}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The metrics of an evaluation."""

    metrics: ScorerMetrics
    measures: tuple[Measure, ...]
    slices: Mapping[str, Mapping[str, tuple[Measure, ...]]]
    calibration: tuple[Mapping[str, float], ...]


def measure_names(kind: MetricsType) -> tuple[str, ...]:
    """Return the names of all metrics of an evaluation."""
    return (*(one.name for one in metrics_of(_RESULTS[kind]) if one.role != "detail"), "coverage")


def measure(
    dataset: HumanLabeledDataset,
    scores: npt.NDArray[np.float64],
    *,
    probabilities: npt.NDArray[np.float64] | None = None,
    slice_by: Sequence[str] = (),
    clusters: Sequence[str] | None = None,
    seconds: float = 0.0,
    configuration: Mapping[str, Any] | None = None,
) -> Measured:
    """Compare scores with a data set's labels."""
    kind = dataset.metrics_type
    human = dataset.ratings()
    found = _statistics(kind, human, scores, probabilities, clusters)
    beyond: dict[str, Any] = {} if configuration is None else {"configuration": dict(configuration)}
    if dataset.scale is not None:
        beyond["scale"] = list(dataset.scale)
    slices: dict[str, dict[str, tuple[Measure, ...]]] = {}
    for column in slice_by:
        values = [entry.metadata.get(column, "") for entry in dataset.entries]
        slices[column] = {
            value: _slice_measures(kind, human, scores, np.array([one == value for one in values]))
            for value in dict.fromkeys(values)
        }
    calibration = getattr(found, "calibration", None)
    if kind is MetricsType.HARM and probabilities is not None:
        calibration = _confidence_calibration(human, scores, probabilities, dataset.scale)
    n_scores = max(scores.size, 1)
    return Measured(
        metrics=_registry_metrics(dataset, found, seconds / n_scores, beyond),
        measures=_measures(found),
        slices=slices,
        calibration=tuple(
            {name: float(value) for name, value in one.items() if value is not None}
            for one in (() if calibration is None else calibration.to_dict()["bins"])
        ),
    )


def _statistics(
    kind: MetricsType,
    human: npt.NDArray[np.float64],
    scores: npt.NDArray[np.float64],
    probabilities: npt.NDArray[np.float64] | None = None,
    clusters: Sequence[str] | None = None,
) -> ObjectiveMetrics | HarmMetrics:
    if kind is MetricsType.OBJECTIVE:
        return objective_metrics(human, scores, probabilities=probabilities, clusters=clusters)
    return harm_metrics(human, scores, clusters=clusters)


def _confidence_calibration(
    human: npt.NDArray[np.float64],
    scores: npt.NDArray[np.float64],
    probabilities: npt.NDArray[np.float64],
    scale: tuple[float, float] | None,
) -> Calibration:
    """Return how often scores are within half a point (without a scale, 1/8) of the median rating, by confidence."""
    tolerance = 0.125 if scale is None else 0.5 / (scale[1] - scale[0])
    gold, model = (
        np.array([np.median(known) if (known := column[~np.isnan(column)]).size else np.nan for column in table.T])
        for table in (human, scores)
    )
    distance = np.abs(model - gold)
    return compute_calibration(np.where(np.isnan(distance), np.nan, distance <= tolerance + _NOISE), probabilities)


def _measures(found: ObjectiveMetrics | HarmMetrics) -> tuple[Measure, ...]:
    listed = [one for one in metrics_of(found) if one.role != "detail" and _is_asked(one, found)]
    first = [one for one in listed if one.headline]
    bounds = [one for one in listed if one.role == "bound" and found.num_undetermined]
    rest = [one for one in listed if one.role == "measure" and not one.headline]
    return (
        *(_one(one, found) for one in first),
        _coverage(found),
        *(_one(one, found) for one in (*bounds, *rest)),
    )


def _is_asked(metric: Metric, found: Measurement) -> bool:
    """Return whether the input of a metric was given; otherwise the metric is omitted instead of undefined."""
    return not metric.needs or getattr(found, metric.needs) is not None


def _one(metric: Metric, found: ObjectiveMetrics | HarmMetrics) -> Measure:
    interval = found.intervals.get(metric.name)
    if interval is not None and found.num_scored < 2 and interval.low == interval.high:  # noqa: PLR2004 - it takes two
        # Resamples of a single item are all the same, which says nothing of its uncertainty.
        interval = None
    value = metric.value_in(found)
    return Measure(
        name=metric.name,
        value=value,
        low=interval and interval.low,
        high=interval and interval.high,
        reason="" if value is not None else found.undefined.get(metric.path, "undefined"),
        baselines=_baselines(metric.name, found),
    )


def _baselines(name: str, found: ObjectiveMetrics | HarmMetrics) -> dict[str, float | None]:
    if isinstance(found, HarmMetrics):
        return {"best_constant": found.best_constant_error} if name == "mean_absolute_error" else {}
    return {rule: getattr(baseline, name) for rule, baseline in found.baselines.items() if hasattr(baseline, name)}


def _coverage(found: ObjectiveMetrics | HarmMetrics) -> Measure:
    labelled = found.num_scored + found.num_undetermined
    interval = wilson_interval(found.num_scored, labelled) if labelled else None
    return Measure(
        name="coverage",
        value=found.num_scored / labelled if labelled else None,
        low=interval and interval.low,
        high=interval and interval.high,
        reason="" if labelled else "no item has a label",
    )


def _slice_measures(
    kind: MetricsType, human: npt.NDArray[np.float64], scores: npt.NDArray[np.float64], inside: npt.NDArray[np.bool_]
) -> tuple[Measure, ...]:
    found = _statistics(kind, human[:, inside], scores[:, inside])
    return (
        Measure(name="items", value=float(inside.sum())),
        *(_one(one, found) for one in metrics_of(found) if one.is_compared),
        _coverage(found),
    )


def _registry_metrics(
    dataset: HumanLabeledDataset, found: ObjectiveMetrics | HarmMetrics, seconds_each: float, more: Mapping[str, Any]
) -> ScorerMetrics:
    """Return the metrics for the registry: PyRIT's names, and all other metrics in ``beyond``."""
    everything: dict[str, Any] = json.loads(found.to_json())
    everything.pop("calibration", None)
    beyond: dict[str, Any] = {
        "dataset_hash": dataset.content_hash,
        "metrics_version": METRICS_VERSION,
        "statistics": everything,
        **more,
    }
    kind = ObjectiveScorerMetrics if isinstance(found, ObjectiveMetrics) else HarmScorerMetrics
    described: dict[str, Any] = {}
    if kind is HarmScorerMetrics:
        described = {
            "harm_category": dataset.harm_categories[0] if dataset.harm_categories else None,
            "harm_definition": dataset.known_definition,
            "harm_definition_version": dataset.harm_definition_version,
        }
    return kind(
        **{one.name: getattr(found, one.name) for one in fields(kind) if hasattr(found, one.name)},
        **described,
        dataset_name=dataset.name,
        dataset_version=dataset.version,
        average_score_time_seconds=seconds_each if math.isfinite(seconds_each) else 0.0,
        beyond=beyond,
    )
