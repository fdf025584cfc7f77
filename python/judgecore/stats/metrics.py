"""``METRICS``: every metric of results and evaluations, by name."""

from __future__ import annotations

from math import inf
from typing import Final

from judgecore.stats.harm import HarmMetrics
from judgecore.stats.metric import Metric, metrics_of, unite
from judgecore.stats.objective import ObjectiveMetrics
from judgecore.stats.probability import Calibration
from judgecore.stats.ranking import PositionBias

METRICS: Final = unite(
    (
        *metrics_of(ObjectiveMetrics),
        *metrics_of(HarmMetrics),
        *metrics_of(Calibration),
        *metrics_of(PositionBias),
        Metric("Coverage", "share of labelled responses that have a score", name="coverage", unit="share"),
        Metric("Responses", "", name="items", unit="count", high=inf, better=None),
        Metric(
            "Seconds for a score",
            "mean time of one score",
            name="average_score_time_seconds",
            high=inf,
            better="lower",
            role="detail",
            is_published=True,
        ),
    )
)
"""The metrics by name."""


def describe(name: str) -> Metric:
    """Return the description of a metric.

    Args:
        name: The name in results and files.

    Returns:
        The description. For an unknown name, one whose label is the name in words, without a better end.

    Examples:
        >>> describe("mean_absolute_error").better
        'lower'
    """
    words = name.replace("_", " ").capitalize()
    return METRICS.get(name) or Metric(words, "", name=name, low=-inf, high=inf, better=None, role="detail")
