"""``ScorerMetrics``: what a registry line says of a scorer, under the names that PyRIT publishes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, cast

if TYPE_CHECKING:
    from judgecore.evaluation.result import EvaluationResult

# PyRIT leaves out names that begin with an underscore when it loads a line, so that ours may stand there.
_BEYOND = "_judgecore"
_NOT_IN_A_LINE = frozenset({"beyond", "result"})


@dataclass(frozen=True, kw_only=True)
class ScorerMetrics:
    """What was measured of a scorer on human-labelled data.

    Attributes:
        num_responses: How many responses were scored.
        num_human_raters: How many people labelled them.
        num_scorer_trials: How many times the scorer was asked about each.
        dataset_name: The data set, by file name.
        dataset_version: Its version, as its first line says.
        average_score_time_seconds: Seconds for one score; 0 where it was not measured.
        beyond: What judgecore measures beyond PyRIT's names: the data set's content hash, the version of the metrics,
            intervals, baselines, coverage. JSON values by name; PyRIT does not read them.
        result: The evaluation with every item; None where the metrics were read from a registry.
        has_scores: Whether any response was scored; metrics without a score answer nothing and are not kept.
    """

    num_responses: int
    num_human_raters: int
    num_scorer_trials: int = 1
    dataset_name: str | None = None
    dataset_version: str | None = None
    average_score_time_seconds: float = 0.0
    beyond: Mapping[str, Any] = field(default_factory=dict[str, Any])
    result: EvaluationResult | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "beyond", MappingProxyType(dict(self.beyond)))

    @property
    def has_scores(self) -> bool:
        """Whether any response was scored; so too where nothing says how many were, as in PyRIT's lines."""
        statistics: object = self.beyond.get("statistics")
        return not isinstance(statistics, Mapping) or cast("Mapping[str, Any]", statistics).get("num_scored") != 0

    @classmethod
    def from_registry(cls, metrics: Mapping[str, Any]) -> Self:
        """Read what stands under ``metrics`` in a registry line.

        Args:
            metrics: The values by published name. Other names are kept in ``beyond``.

        Raises:
            TypeError: If ``_judgecore`` is no object.
            ValueError: If a value without a default is missing, or a number is none.
        """
        beyond: object = metrics.get(_BEYOND) or {}
        if not isinstance(beyond, Mapping):
            raise TypeError(f"metrics.{_BEYOND} must be an object, not {type(beyond).__name__}")
        given = {name: value for name, value in metrics.items() if not name.startswith("_")}
        known = {one.name: one for one in fields(cls) if one.name not in _NOT_IN_A_LINE}
        missing = [name for name in cls._required() if name not in given]
        if missing:
            raise ValueError(f"metrics has no {', '.join(missing)}")
        for name in known:
            if name in _NUMBERS and not _is_number(given.get(name, 0)):
                raise ValueError(f"metrics.{name} must be a finite number or null, not {given[name]!r}")
        others = {name: value for name, value in given.items() if name not in known}
        return cls(
            **{name: value for name, value in given.items() if name in known},
            beyond={**others, **cast("Mapping[str, Any]", beyond)},
        )

    @classmethod
    def _required(cls) -> tuple[str, ...]:
        """The names that each line of this kind has; values that are undefined are null."""
        return ("num_responses", "num_human_raters")

    def to_registry(self) -> dict[str, Any]:
        """Return what stands under ``metrics`` in a registry line: PyRIT's names, and ours where it does not look.

        Undefined values that PyRIT demands are null; others are left out.
        """
        required = self._required()
        line = {
            one.name: getattr(self, one.name)
            for one in fields(self)
            if one.name not in _NOT_IN_A_LINE and (one.name in required or getattr(self, one.name) is not None)
        }
        if self.beyond:
            line[_BEYOND] = dict(self.beyond)
        return line


@dataclass(frozen=True, kw_only=True)
class ObjectiveScorerMetrics(ScorerMetrics):
    """What was measured of a scorer that says true or false. Ratios that are undefined are None, never 0.

    Attributes:
        accuracy: Share of items on which the scorer agrees with the human median, in [0, 1].
        accuracy_standard_error: sqrt(accuracy (1 - accuracy) / n).
        f1_score: Harmonic mean of precision and recall, in [0, 1].
        precision: Share of the scorer's trues that people call true, in [0, 1].
        recall: Share of people's trues that the scorer calls true, in [0, 1].
    """

    accuracy: float | None
    accuracy_standard_error: float | None
    f1_score: float | None
    precision: float | None
    recall: float | None

    @classmethod
    def _required(cls) -> tuple[str, ...]:
        return (*super()._required(), "accuracy", "accuracy_standard_error", "f1_score", "precision", "recall")


@dataclass(frozen=True, kw_only=True)
class HarmScorerMetrics(ScorerMetrics):
    """What was measured of a scorer on a scale. Values that are undefined are None, never 0.

    Attributes:
        mean_absolute_error: Mean of ``|model - human|``, in [0, 1].
        mae_standard_error: Population standard deviation of ``|model - human|`` over sqrt(n).
        t_statistic: Of the one-sample t-test of the differences against 0.
        p_value: Of that test, two-sided.
        krippendorff_alpha_combined: Ordinal alpha over raters and trials together, inflated by trials; at most 1.
        harm_category: What harm was judged.
        harm_definition: The file that says what the levels mean.
        harm_definition_version: Its version.
        krippendorff_alpha_humans: Ordinal alpha among people, at most 1.
        krippendorff_alpha_model: Ordinal alpha among the scorer's trials, at most 1.
    """

    mean_absolute_error: float | None
    mae_standard_error: float | None
    t_statistic: float | None
    p_value: float | None
    krippendorff_alpha_combined: float | None
    harm_category: str | None = None
    harm_definition: str | None = None
    harm_definition_version: str | None = None
    krippendorff_alpha_humans: float | None = None
    krippendorff_alpha_model: float | None = None

    @classmethod
    def _required(cls) -> tuple[str, ...]:
        return (
            *super()._required(),
            "mean_absolute_error",
            "mae_standard_error",
            "t_statistic",
            "p_value",
            "krippendorff_alpha_combined",
        )


_TEXTS = {"dataset_name", "dataset_version", "harm_category", "harm_definition", "harm_definition_version"}
_NUMBERS = {
    one.name
    for kind in (ObjectiveScorerMetrics, HarmScorerMetrics)
    for one in fields(kind)
    if one.name not in _TEXTS | _NOT_IN_A_LINE
}


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value))
