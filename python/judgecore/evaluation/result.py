"""``ScorerMetrics``: the metrics in a registry; ``EvaluationResult``: an evaluation with all items."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, cast

from judgecore.errors import EvaluationError, IdentityError
from judgecore.evaluation.item import NOT_ASKED, ItemsKind, read_items, read_text, remove_other_items, write_items
from judgecore.identity import ComponentIdentifier, ScorerEvaluationIdentifier
from judgecore.replacement import replace_file
from judgecore.targets.reply import ServedModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from judgecore.evaluation.item import ItemResult
    from judgecore.stats import Interval

SUMMARY_FILE = "evaluation.json"
RESULT_VERSION = 1
"""The version of the file format; newer ones are rejected."""

# PyRIT ignores names with a leading underscore, so we can add one.
_BEYOND = "_judgecore"
_NOT_IN_A_LINE = frozenset({"beyond", "result"})


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A metric of an evaluation, with its interval and baselines.

    Attributes:
        name: The name of the metric, as in ``judgecore.stats``.
        value: The value; None if it is undefined.
        low: The lower end of the 95 % interval; None if there is none.
        high: The upper end of the interval.
        reason: Why the value is undefined; empty if it is defined.
        baselines: The values of trivial scorers by name; None for an undefined one.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    baselines: Mapping[str, float | None] = field(default_factory=dict[str, "float | None"])

    @classmethod
    def within(cls, interval: Interval | None, **parts: Any) -> Self:
        """Make a measure with the ends of an interval, if there is one."""
        return cls(**parts) if interval is None else cls(low=interval.low, high=interval.high, **parts)


@dataclass(frozen=True, kw_only=True)
class DatasetSummary:
    """The data set of an evaluation.

    Attributes:
        name: The file name.
        version: The version in the header data.
        content_hash: SHA-256 of the content.
        harm_definition: The file that explains the levels; ``"unverified"`` if it was not found.
        harm_definition_version: The version of the definition.
        scale: The lowest and the highest possible rating; None if ratings are from 0 to 1.
        raters: The raters' names, in the order of an item's ratings; empty if they are unknown.
    """

    name: str | None
    version: str | None
    content_hash: str
    harm_definition: str | None = None
    harm_definition_version: str | None = None
    scale: tuple[float, float] | None = None
    raters: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class EvaluationCost:
    """The cost of an evaluation.

    Attributes:
        calls: The number of new replies, including those from batches.
        replayed: The number of replies that were in the ledger already.
        input_tokens: The input tokens, according to the endpoint.
        output_tokens: The output tokens, likewise.
        retries: The number of repeated requests after errors of the endpoint.
        seconds: The total time in seconds.
        price: The cost in ``currency``; None if a price is unknown.
        currency: The currency of the prices; empty if there are no prices.
    """

    calls: int = 0
    replayed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    retries: int = 0
    seconds: float = 0.0
    price: float | None = None
    currency: str = ""


@dataclass(frozen=True, kw_only=True)
class ScorerMetrics:
    """The metrics of a scorer on human-labelled data.

    Attributes:
        num_responses: The number of responses.
        num_human_raters: The number of raters.
        num_scorer_trials: The number of trials.
        dataset_name: The file name of the data set.
        dataset_version: The version of the data set.
        average_score_time_seconds: The mean time of a score in seconds; 0 if it was not measured.
        beyond: Judgecore's additional data, which PyRIT ignores: the content hash of the data set, the version of the
            metrics, intervals, baselines and coverage, as JSON values by name.
        result: The evaluation with all items; None if the metrics were read from a registry.
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
        """Whether any response was scored; True if the number is unknown, as in PyRIT's entries."""
        statistics: object = self.beyond.get("statistics")
        return not isinstance(statistics, Mapping) or cast("Mapping[str, Any]", statistics).get("num_scored") != 0

    @property
    def scale(self) -> tuple[float, float] | None:
        """The lowest and the highest possible rating; None if ratings are from 0 to 1."""
        return to_scale(self.beyond.get("scale"))

    @classmethod
    def from_registry(cls, metrics: Mapping[str, Any]) -> Self:
        """Read the value of ``metrics`` in a registry entry.

        Args:
            metrics: The values by published name. Other names are stored in ``beyond``.

        Raises:
            TypeError: If ``_judgecore`` is not an object.
            ValueError: If a required value is missing, or a number is invalid.
        """
        beyond: object = metrics.get(_BEYOND) or {}
        if not isinstance(beyond, Mapping):
            raise TypeError(f"metrics.{_BEYOND} must be an object, not {type(beyond).__name__}")
        given = {name: value for name, value in metrics.items() if not name.startswith("_")}
        known = {one.name: one for one in fields(cls) if one.name not in _NOT_IN_A_LINE}
        missing = [name for name in _required(cls) if name not in given]
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

    def to_registry(self) -> dict[str, Any]:
        """Return the value of ``metrics`` in a registry entry: PyRIT's names, and ours in ``_judgecore``.

        Undefined values that PyRIT requires are null; others are omitted.
        """
        required = _required(type(self))
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
    """The metrics of a true/false scorer; ``judgecore.stats.ObjectiveMetrics`` explains them."""

    accuracy: float | None
    accuracy_standard_error: float | None
    f1_score: float | None
    precision: float | None
    recall: float | None


@dataclass(frozen=True, kw_only=True)
class HarmScorerMetrics(ScorerMetrics):
    """The metrics of a float-scale scorer; ``judgecore.stats.HarmMetrics`` explains them.

    Attributes:
        harm_category: The harm.
        harm_definition: The file that explains the levels.
        harm_definition_version: The version of the definition.
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


_TEXTS = {"dataset_name", "dataset_version", "harm_category", "harm_definition", "harm_definition_version"}
_NUMBERS = {
    one.name
    for kind in (ObjectiveScorerMetrics, HarmScorerMetrics)
    for one in fields(kind)
    if one.name not in _TEXTS | _NOT_IN_A_LINE
}


def _dataset(given: Mapping[str, Any]) -> DatasetSummary:
    described: dict[str, Any] = {**given, "scale": to_scale(given.get("scale"))}
    described["raters"] = tuple(given.get("raters", ()))
    return DatasetSummary(**described)


def to_scale(value: object) -> tuple[float, float] | None:
    """Return the two ends of a scale from a JSON value; None if it is not a list of two numbers."""
    ends = cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()
    numbers = [float(one) for one in ends if isinstance(one, int | float)]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None  # noqa: PLR2004 - the ends


def _required(kind: type[ScorerMetrics]) -> tuple[str, ...]:
    """Return the required names of an entry; undefined values are null."""
    return tuple(one.name for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING)


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value))


@dataclass(frozen=True, kw_only=True)
class EvaluationResult:
    """The result of an evaluation, with all items.

    Attributes:
        scorer_identifier: The identity of the scorer.
        subject: ``"objective"``, ``"refusal"``, or the harm.
        dataset: The data set.
        metrics: The metrics for the registry.
        measures: All metrics, the most important first.
        slices: The metrics of groups of items: by column, then by value.
        calibration: The bins of the judge's probabilities, each with ``low``, ``high``, ``count``,
            ``mean_probability`` and ``observed_rate``. For a verdict, it is the probability of true; for a score, the
            confidence that it is within half a point of the median rating. Empty if the judge gave none.
        position_bias: The metrics of swapped pairs; empty if no pairs were judged.
        cost: The cost.
        items: All items that were asked, in the order of the data set.
        num_not_asked: The number of items that were not asked in all trials, for example because a budget was reached.
            Items without any trial are neither in ``items`` nor in the metrics. Such a result is not stored in a
            registry.
        why_not_asked: Why the first of them was not asked; empty if there is none.
        served: The models that answered, according to their endpoints; several for one requested model are drift.
    """

    scorer_identifier: ComponentIdentifier
    subject: str
    dataset: DatasetSummary
    metrics: ScorerMetrics
    measures: tuple[Measure, ...]
    slices: Mapping[str, Mapping[str, tuple[Measure, ...]]] = field(
        default_factory=dict[str, Mapping[str, tuple[Measure, ...]]]
    )
    calibration: tuple[Mapping[str, float], ...] = ()
    position_bias: tuple[Measure, ...] = ()
    cost: EvaluationCost = field(default_factory=EvaluationCost)
    items: tuple[ItemResult, ...]
    num_not_asked: int = 0
    why_not_asked: str = ""
    served: tuple[ServedModel, ...] = ()

    def __repr__(self) -> str:
        name, version = self.dataset.name, self.dataset.version
        return f"EvaluationResult({self.scorer_identifier!r}, {len(self.items)} items of {name} {version})"

    @property
    def eval_hash(self) -> str | None:
        """The scorer's ``eval_hash``; None if it has none."""
        try:
            return ScorerEvaluationIdentifier(self.scorer_identifier).eval_hash
        except IdentityError:
            return None

    @property
    def is_harm(self) -> bool:
        """Whether the scorer is a float-scale scorer."""
        return isinstance(self.metrics, HarmScorerMetrics)

    def measure(self, name: str) -> Measure | None:
        """Return a metric by name; None if the evaluation does not have it."""
        return next((one for one in self.measures if one.name == name), None)

    def undetermined(self) -> dict[str, int]:
        """Return the number of undetermined trials by reason, the most frequent first; trials not asked don't count."""
        counts: dict[str, int] = {}
        for item in self.items:
            for trial in item.trials:
                if trial.value is None and trial.reason != NOT_ASKED:
                    counts[trial.reason] = counts.get(trial.reason, 0) + 1
        return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))

    def commonest_error(self) -> str:
        """Return the message of the most frequent error of trials; empty if there was no error."""
        # Reasons of unreadable replies are in lower case, class names of errors are not.
        ended = (one for item in self.items for one in item.trials if one.value is None and one.reason[:1].isupper())
        found = Counter(one.rationale for one in ended).most_common(1)
        return found[0][0] if found else ""

    def disagreements(self, most: int = 10) -> tuple[ItemResult, ...]:
        """Return the items on which scorer and people differ, the worst first."""
        differing = [one for one in self.items if one.difference]
        return tuple(sorted(differing, key=lambda one: (-abs(one.difference or 0.0), one.index))[:most])

    def save(self, folder: str | Path, *, items: ItemsKind = "jsonl") -> Path:
        """Write the result to a folder: ``evaluation.json``, and a row for each item in ``items.jsonl``.

        Args:
            folder: The folder, which is created if it does not exist; an existing result is replaced.
            items: ``parquet`` writes ``items.parquet`` instead, which needs pyarrow; a lone surrogate is U+FFFD in it.

        Returns:
            The folder.
        """
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        write_items(target, self.items, items)
        summary = {
            "version": RESULT_VERSION,
            "scorer": self.scorer_identifier.to_registry(),
            "eval_hash": self.eval_hash,
            "subject": self.subject,
            "dataset": asdict(self.dataset),
            "metrics": self.metrics.to_registry(),
            "measures": [asdict(one) for one in self.measures],
            "slices": {
                column: {value: [asdict(one) for one in measures] for value, measures in values.items()}
                for column, values in self.slices.items()
            },
            "calibration": [dict(one) for one in self.calibration],
            "position_bias": [asdict(one) for one in self.position_bias],
            "cost": asdict(self.cost),
            "items": len(self.items),
            "num_not_asked": self.num_not_asked,
            "why_not_asked": self.why_not_asked,
            "served": [asdict(one) for one in self.served],
            "items_kind": items,
        }
        text = json.dumps(summary, allow_nan=False, indent=2)
        replace_file(target / SUMMARY_FILE, f"{text}\n".encode())
        # Not before: until here the old summary names the old items.
        remove_other_items(target, items)
        return target

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read a result from its folder.

        Args:
            folder: What ``save`` wrote.

        Raises:
            EvaluationError: If a file is missing, torn or of a newer judgecore; the message names it.
        """
        source = Path(folder)
        path = source / SUMMARY_FILE
        summary = _read(path)
        file, items = read_items(source, summary.get("items_kind"))
        try:
            if summary["version"] > RESULT_VERSION:
                raise EvaluationError(f"{path}: written by a newer judgecore; update judgecore to read it")
            kind = HarmScorerMetrics if "mean_absolute_error" in summary["metrics"] else ObjectiveScorerMetrics
            result = cls(
                scorer_identifier=ComponentIdentifier.from_registry(summary["scorer"]),
                subject=summary["subject"],
                dataset=_dataset(summary["dataset"]),
                metrics=kind.from_registry(summary["metrics"]),
                measures=_measures(summary["measures"]),
                slices={
                    column: {value: _measures(measures) for value, measures in values.items()}
                    for column, values in summary["slices"].items()
                },
                calibration=tuple(summary["calibration"]),
                position_bias=_measures(summary["position_bias"]),
                cost=EvaluationCost(**summary["cost"]),
                items=items,
                num_not_asked=summary.get("num_not_asked", 0),
                why_not_asked=summary.get("why_not_asked", ""),
                served=tuple(ServedModel(**one) for one in summary.get("served", ())),
            )
        except (KeyError, TypeError, ValueError) as problem:
            if isinstance(problem, EvaluationError):
                raise
            raise EvaluationError(
                f"{path}: no result of an evaluation ({problem!r}); run the evaluation again"
            ) from None
        if len(result.items) != summary["items"]:
            raise EvaluationError(
                f"{file}: {len(result.items)} items, but {path.name} counts {summary['items']}; "
                "run the evaluation again"
            )
        return result


def _measures(given: Iterable[Mapping[str, Any]]) -> tuple[Measure, ...]:
    return tuple(Measure(**one) for one in given)


def _read(path: Path) -> dict[str, Any]:
    text = read_text(path)
    try:
        found: object = json.loads(text)
    except ValueError as problem:
        raise EvaluationError(f"{path}: no JSON ({problem}); run the evaluation again") from None
    if not isinstance(found, dict):
        raise EvaluationError(f"{path}: no result of an evaluation; run the evaluation again")
    return cast("dict[str, Any]", found)
