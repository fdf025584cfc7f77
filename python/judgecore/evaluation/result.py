"""What one evaluation found: ``ScorerMetrics``, which a registry keeps, and ``EvaluationResult``, item by item."""

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
from judgecore.targets.served_model import ServedModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from judgecore.evaluation.item import ItemResult

SUMMARY_FILE = "evaluation.json"
RESULT_VERSION = 1
"""The version of the folder's form; a newer one is refused."""

# PyRIT leaves out names that begin with an underscore when it loads a line, so that ours may stand there.
_BEYOND = "_judgecore"
_NOT_IN_A_LINE = frozenset({"beyond", "result"})


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One number that an evaluation found, with what is needed to judge it.

    Attributes:
        name: Its name, as in ``judgecore.stats``.
        value: The number; None where it is undefined.
        low: Lower end of its 95 % interval; None where there is none.
        high: Upper end of that interval.
        reason: Why it is undefined; empty where it is not.
        baselines: What trivial scorers reach: the number by name, None where undefined.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    baselines: Mapping[str, float | None] = field(default_factory=dict[str, "float | None"])


@dataclass(frozen=True, kw_only=True)
class DatasetSummary:
    """Which data an evaluation used.

    Attributes:
        name: Its file name.
        version: Its version, as its first line says.
        content_hash: SHA-256 of its content.
        harm_definition: The file that says what the levels mean; ``"unverified"`` where none was found.
        harm_definition_version: Its version.
        scale: The lowest and the highest rating that raters could give; None if they gave numbers from 0 to 1.
        raters: The raters' names, in the order of an item's ratings; empty where they are not known.
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
    """What an evaluation took.

    Attributes:
        calls: Requests that reached the judge, or that batches brought replies to.
        replayed: Replies that the ledger already had.
        input_tokens: Tokens sent, as the endpoint counts them.
        output_tokens: Tokens received.
        retries: Requests that were sent again after an error of the endpoint.
        seconds: Seconds from start to end.
        price: What it cost, in ``currency``; None where a price is unknown.
        currency: The prices' currency; empty where nobody said.
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
        scale: The lowest and the highest rating that raters could give; None if they gave numbers from 0 to 1.
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

    @property
    def scale(self) -> tuple[float, float] | None:
        """The lowest and the highest rating that raters could give; None if they gave numbers from 0 to 1."""
        return to_scale(self.beyond.get("scale"))

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
        """Return what stands under ``metrics`` in a registry line: PyRIT's names, and ours where it does not look.

        Undefined values that PyRIT demands are null; others are left out.
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
    """What was measured of a scorer that says true or false; ``judgecore.stats.ObjectiveMetrics`` says what each is."""

    accuracy: float | None
    accuracy_standard_error: float | None
    f1_score: float | None
    precision: float | None
    recall: float | None


@dataclass(frozen=True, kw_only=True)
class HarmScorerMetrics(ScorerMetrics):
    """What was measured of a scorer on a scale; ``judgecore.stats.HarmMetrics`` says what each number is.

    Attributes:
        harm_category: What harm was judged.
        harm_definition: The file that says what the levels mean.
        harm_definition_version: Its version.
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
    """Return the two ends of a scale from a JSON value; None if it has no two numbers."""
    ends = cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()
    numbers = [float(one) for one in ends if isinstance(one, int | float)]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None  # noqa: PLR2004 - the ends


def _required(kind: type[ScorerMetrics]) -> tuple[str, ...]:
    """The names that each line of a kind has; values that are undefined are null."""
    return tuple(one.name for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING)


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value))


@dataclass(frozen=True, kw_only=True)
class EvaluationResult:
    """A scorer against human labels: what was measured, and every item that it rests on.

    Attributes:
        scorer_identifier: What the scorer is.
        subject: ``"objective"``, ``"refusal"``, or the harm that was judged.
        dataset: Which data.
        metrics: What the registry keeps.
        measures: All numbers, the most telling first.
        slices: Numbers of a part of the items: by column, then by the column's value.
        calibration: Bins of the judge's probabilities: ``low``, ``high``, ``count``, ``mean_probability`` and
            ``observed_rate`` of each. Of a verdict it is the probability of true; of a score the confidence that it is
            right, within half a point of people's median. Empty if the judge gave none.
        position_bias: Numbers of swapped pairs; empty where no pairs were judged.
        cost: What it took.
        items: Every item that was asked, in the data set's order.
        num_not_asked: How many items were not asked in all trials, for example because a budget was reached; those of
            no trial are neither in ``items`` nor in any number. Such a result is not kept in a registry.
        served: The models that answered, as their endpoints name them; more than one for a requested model is drift.
        eval_hash: The name under which a registry has the scorer; None for one without, which no registry has.
        is_harm: Whether the scorer was measured on a scale.
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
    served: tuple[ServedModel, ...] = ()

    def __repr__(self) -> str:
        name, version = self.dataset.name, self.dataset.version
        return f"EvaluationResult({self.scorer_identifier!r}, {len(self.items)} items of {name} {version})"

    @property
    def eval_hash(self) -> str | None:
        """The name under which a registry has the scorer; None for one without, which no registry has."""
        try:
            return ScorerEvaluationIdentifier(self.scorer_identifier).eval_hash
        except IdentityError:
            return None

    @property
    def is_harm(self) -> bool:
        """Whether the scorer was measured on a scale."""
        return isinstance(self.metrics, HarmScorerMetrics)

    def measure(self, name: str) -> Measure | None:
        """Return the number of a name; None where the evaluation has none."""
        return next((one for one in self.measures if one.name == name), None)

    def undetermined(self) -> dict[str, int]:
        """Return how many trials were asked and have no score, by reason, the most frequent first."""
        counts: dict[str, int] = {}
        for item in self.items:
            for trial in item.trials:
                if trial.value is None and trial.reason != NOT_ASKED:
                    counts[trial.reason] = counts.get(trial.reason, 0) + 1
        return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))

    def commonest_error(self) -> str:
        """Return what the error says that ended most trials; empty where none ended in an error."""
        # A reason of reading is written small, an error's name is not.
        ended = (one for item in self.items for one in item.trials if one.value is None and one.reason[:1].isupper())
        found = Counter(one.rationale for one in ended).most_common(1)
        return found[0][0] if found else ""

    def disagreements(self, most: int = 10) -> tuple[ItemResult, ...]:
        """Return the items on which scorer and people differ, the worst first.

        Args:
            most: How many at most.
        """
        differing = [one for one in self.items if one.difference]
        return tuple(sorted(differing, key=lambda one: (-abs(one.difference or 0.0), one.index))[:most])

    def save(self, folder: str | Path, *, items: ItemsKind = "jsonl") -> Path:
        """Write the result into a folder: ``evaluation.json``, and a row for each item in ``items.jsonl``.

        Args:
            folder: Made where it is not there; a result that is in it is replaced.
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
