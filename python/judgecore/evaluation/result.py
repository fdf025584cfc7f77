"""``EvaluationResult``: what one evaluation found, item by item, and the folder that keeps it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from judgecore.errors import EvaluationError
from judgecore.evaluation.replacement import replace_file
from judgecore.evaluation.scorer_metrics import HarmScorerMetrics, ObjectiveScorerMetrics
from judgecore.identity import ComponentIdentifier, ScorerEvaluationIdentifier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from judgecore.evaluation.scorer_metrics import ScorerMetrics

SUMMARY_FILE = "evaluation.json"
ITEMS_FILE = "items.jsonl"
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
class Trial:
    """What the scorer said about one item once.

    Attributes:
        value: True is 1 and false 0; a scale's score is in [0, 1]. None where the score is undetermined.
        rationale: What the judge gave as its reasons.
        reply: The judge's raw reply; None where the scorer asks no judge.
        span: Where the verdict stands in the reply: start and end in code points; None where it is not known.
        rule: The rule that read it; empty where none did.
        reason: Why the score is undetermined, one of the reasons of ``Unreadable`` or an error's name; else empty.
        attempts: How many times the judge was asked.
        ledger_key: Under which key the ledger has the reply; None without a ledger.
    """

    value: float | None
    rationale: str = ""
    reply: str | None = None
    span: tuple[int, int] | None = None
    rule: str = ""
    reason: str = ""
    attempts: int = 1
    ledger_key: str | None = None


@dataclass(frozen=True, kw_only=True)
class ItemResult:
    """One labelled response, and what people and the scorer say about it.

    Attributes:
        index: Its place in the data set, from 0.
        response: The response under test.
        objective: What it was to achieve; None where the data has none.
        human: What each rater says, in [0, 1]; None where a rater says nothing.
        gold: The human label: the raters' median, made 0 or 1 for an objective.
        trials: What the scorer said, one for each trial.
        model: The scorer's value: the median of its determined trials; None where there is none.
        metadata: The data set's other columns, by name.
    """

    index: int
    response: str
    objective: str | None = None
    human: tuple[float | None, ...]
    gold: float
    trials: tuple[Trial, ...]
    model: float | None
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def difference(self) -> float | None:
        """The scorer's value less the human label, in [-1, 1]; None where the score is undetermined."""
        return None if self.model is None else self.model - self.gold


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
class Cost:
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
        eval_hash: The name under which a registry has the scorer.
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
    cost: Cost = field(default_factory=Cost)
    items: tuple[ItemResult, ...]

    @property
    def eval_hash(self) -> str:
        """The name under which a registry has the scorer."""
        return ScorerEvaluationIdentifier(self.scorer_identifier).eval_hash

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

    def disagreements(self, most: int = 10) -> tuple[ItemResult, ...]:
        """Return the items on which scorer and people differ, the worst first.

        Args:
            most: How many at most.
        """
        differing = [one for one in self.items if one.difference]
        return tuple(sorted(differing, key=lambda one: (-abs(one.difference or 0.0), one.index))[:most])

    def save(self, folder: str | Path) -> Path:
        """Write the result into a folder: ``evaluation.json`` and, a line for each item, ``items.jsonl``.

        Args:
            folder: Made where it is not there; a result that is in it is replaced.

        Returns:
            The folder.
        """
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(asdict(one), allow_nan=False) for one in self.items)
        replace_file(target / ITEMS_FILE, "".join(f"{line}\n" for line in lines).encode())
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
        }
        text = json.dumps(summary, allow_nan=False, indent=2)
        replace_file(target / SUMMARY_FILE, f"{text}\n".encode())
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
                cost=Cost(**summary["cost"]),
                items=_items(source / ITEMS_FILE),
            )
        except (KeyError, TypeError, ValueError) as problem:
            if isinstance(problem, EvaluationError):
                raise
            raise EvaluationError(
                f"{path}: no result of an evaluation ({problem!r}); run the evaluation again"
            ) from None
        if len(result.items) != summary["items"]:
            raise EvaluationError(
                f"{source / ITEMS_FILE}: {len(result.items)} items, but {path.name} counts {summary['items']}; "
                "run the evaluation again"
            )
        return result


def _measures(given: Iterable[Mapping[str, Any]]) -> tuple[Measure, ...]:
    return tuple(Measure(**one) for one in given)


def _items(path: Path) -> tuple[ItemResult, ...]:
    items: list[ItemResult] = []
    # Not splitlines: a response may hold what Unicode calls the end of a line.
    for number, line in enumerate(_text(path).removesuffix("\n").split("\n"), 1):
        try:
            one = cast("dict[str, Any]", json.loads(line))
            trials = cast("Sequence[dict[str, Any]]", one.pop("trials"))
            human = tuple(cast("Sequence[float | None]", one.pop("human")))
            items.append(ItemResult(**one, human=human, trials=tuple(_trial(trial) for trial in trials)))
        except (KeyError, TypeError, ValueError) as problem:
            raise EvaluationError(f"{path}, line {number}: no item of an evaluation ({problem!r})") from None
    return tuple(items)


def _trial(given: dict[str, Any]) -> Trial:
    span = given.pop("span")
    return Trial(**given, span=None if span is None else (span[0], span[1]))


def _read(path: Path) -> dict[str, Any]:
    try:
        return cast("dict[str, Any]", json.loads(_text(path)))
    except ValueError as problem:
        raise EvaluationError(f"{path}: no JSON ({problem}); run the evaluation again") from None


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as problem:
        raise EvaluationError(f"{path}: {problem.strerror}; name the folder that the evaluation wrote") from None
    except UnicodeDecodeError as problem:
        raise EvaluationError(f"{path}: not UTF-8 (byte {problem.start}); run the evaluation again") from None
