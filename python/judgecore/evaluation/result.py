"""``EvaluationResult``: what one evaluation found, item by item, and the folder that keeps it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from judgecore.errors import EvaluationError, IdentityError
from judgecore.evaluation.item import ItemsKind, read_items, read_text, remove_other_items, write_items
from judgecore.evaluation.scorer_metrics import HarmScorerMetrics, ObjectiveScorerMetrics
from judgecore.identity import ComponentIdentifier, ScorerEvaluationIdentifier
from judgecore.replacement import replace_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from judgecore.evaluation.item import ItemResult
    from judgecore.evaluation.scorer_metrics import ScorerMetrics

SUMMARY_FILE = "evaluation.json"
RESULT_VERSION = 1
"""The version of the folder's form; a newer one is refused."""


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
    """

    name: str | None
    version: str | None
    content_hash: str
    harm_definition: str | None = None
    harm_definition_version: str | None = None


@dataclass(frozen=True, kw_only=True)
class EvaluationCost:
    """What an evaluation took.

    Attributes:
        calls: Requests that reached the judge.
        replayed: Replies that the ledger already had.
        input_tokens: Tokens sent, as the endpoint counts them.
        output_tokens: Tokens received.
        retries: Requests that were sent again after an error of the endpoint.
        seconds: Seconds from start to end.
        price: What it cost, in ``currency``; None where the caller gave no prices.
        currency: The prices' currency.
    """

    calls: int = 0
    replayed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    retries: int = 0
    seconds: float = 0.0
    price: float | None = None
    currency: str = "USD"


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
        calibration: Bins of a probability: ``low``, ``high``, ``count``, ``mean_probability`` and ``observed_rate`` of
            each; empty where scores are no probabilities.
        position_bias: Numbers of swapped pairs; empty where no pairs were judged.
        cost: What it took.
        items: Every item, in the data set's order.
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
        """Return how many trials have no score, by reason, the most frequent first."""
        counts: dict[str, int] = {}
        for item in self.items:
            for trial in item.trials:
                if trial.value is None:
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
                dataset=DatasetSummary(**summary["dataset"]),
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
