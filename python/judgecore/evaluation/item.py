"""``ItemResult``: a labelled response with its scores, and the file of such items."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

import numpy as np

from judgecore.arrow import import_arrow, without_surrogates
from judgecore.errors import EvaluationError, LedgerDamagedError, LedgerError, MalformedReplyError
from judgecore.evaluation.dataset_entry import HarmHumanLabeledEntry
from judgecore.reading import Reading
from judgecore.replacement import replace_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from judgecore.evaluation.dataset import HumanLabeledDataset
    from judgecore.scorers import Score
    from judgecore.targets import LedgerEntry, LedgerReader

ItemsKind: TypeAlias = Literal["jsonl", "parquet"]
"""The kinds of file that keep items."""

NOT_ASKED: Final = "not_asked"
"""The reason of a trial that was not asked."""

ITEMS_FILES: Final[dict[ItemsKind, str]] = {"jsonl": "items.jsonl", "parquet": "items.parquet"}


@dataclass(frozen=True, kw_only=True)
class ItemTrial:
    """A scorer's result for an item in one trial.

    Attributes:
        value: True is 1 and false 0; a scale's score is in [0, 1]. None where the score is undetermined.
        rating: The score in the units of the raters' scale; None where raters had none or the score is undetermined.
        rationale: What the judge gave as its reasons.
        reply: The judge's raw reply; None where the scorer asks no judge.
        span: Where the verdict stands in the reply: start and end in code points; None where it is not known.
        rule: The rule that read it; empty where none did.
        reason: Why the score is undetermined, one of the reasons of ``Unreadable`` or an error's name; ``not_asked`` if
            the judge was not asked; else empty.
        attempts: How many times the judge was asked.
        ledger_key: Under which key the ledger has the reply; None without a ledger.
    """

    value: float | None
    rating: float | None = None
    rationale: str = ""
    reply: str | None = None
    span: tuple[int, int] | None = None
    rule: str = ""
    reason: str = ""
    attempts: int = 1
    ledger_key: str | None = None


@dataclass(frozen=True, kw_only=True)
class ItemResult:
    """A labelled response with its labels and scores.

    Attributes:
        index: Its place in the data set, from 0.
        response: The response under test.
        objective: What it was to achieve; None where the data has none.
        human: What each rater says, in [0, 1]; None where a rater says nothing.
        gold: The human label: the raters' median, made 0 or 1 for an objective.
        trials: What the scorer said, one for each trial.
        model: The scorer's value: the median of its determined trials; None where there is none.
        human_ratings: What each rater says in the units of their scale; empty where raters had none.
        gold_rating: The human label in these units; None where raters had none.
        model_rating: The scorer's value in these units; None where raters had none or the score is undetermined.
        prompt: What the judge was shown for the first trial; None where no judge was asked or no ledger has it.
        metadata: The data set's other columns, by name.
    """

    index: int
    response: str
    objective: str | None = None
    human: tuple[float | None, ...]
    gold: float
    trials: tuple[ItemTrial, ...]
    model: float | None
    human_ratings: tuple[float | None, ...] = ()
    gold_rating: float | None = None
    model_rating: float | None = None
    prompt: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def difference(self) -> float | None:
        """The score minus the human label, in [-1, 1]; None if the score is undetermined."""
        return None if self.model is None else self.model - self.gold


def make_item(dataset: HumanLabeledDataset, place: int, scores: Sequence[Score], ledger: LedgerReader) -> ItemResult:
    """Make the item of a row of a data set, with the replies that a ledger has."""
    entry = dataset.entries[place]
    human = tuple(None if one is None else float(one) for one in entry.human_scores)
    values = [float(one.get_value()) for one in scores if not one.is_undetermined]
    is_harm = isinstance(entry, HarmHumanLabeledEntry)
    gold = _median([one for one in human if one is not None], is_harm=is_harm)
    model = _median(values, is_harm=is_harm) if values else None
    scale = dataset.scale
    return ItemResult(
        index=place,
        response=entry.assistant_response,
        objective=entry.objective,
        human=human,
        gold=gold,
        trials=tuple(_make_trial(one, ledger, scale) for one in scores),
        model=model,
        human_ratings=() if scale is None else tuple(to_rating(one, scale) for one in human),
        gold_rating=to_rating(gold, scale),
        model_rating=to_rating(model, scale),
        prompt=_prompt(scores[0], ledger),
        metadata=dict(entry.metadata),
    )


def _prompt(score: Score, ledger: LedgerReader) -> str | None:
    """Return the judge's prompt as one text; None if no judge was asked."""
    entry = _find(_source(score), ledger)
    if entry is None:
        return None
    system: object = entry.request.get("system")
    told = [] if system is None else [{"role": "system", "text": system}]
    turns: list[Mapping[str, Any]] = [*told, *entry.request["turns"]]
    return "\n\n".join(f"[{turn['role']}]\n{turn['text']}" for turn in turns)


def _source(score: Score) -> Score | None:
    """Return the score with a judge's reply: itself, or the first of its parts; None if no judge was asked."""
    if score.ledger_key is not None:
        return score
    return next((found for part in score.parts if (found := _source(part)) is not None), None)


def _find(score: Score | None, ledger: LedgerReader) -> LedgerEntry | None:
    """Return the ledger's row of the judge's last reply; None if there is none."""
    if score is None or score.ledger_key is None:
        return None
    try:
        return ledger.find(score.ledger_key)
    except LedgerDamagedError:
        raise
    except (LedgerError, LookupError):
        return None


def _median(values: Sequence[float], *, is_harm: bool) -> float:
    """Return the median; a tie of verdicts is false."""
    median = float(np.median(values))
    return median if is_harm else float(np.round(median))


def _make_trial(score: Score, ledger: LedgerReader, scale: tuple[float, float] | None) -> ItemTrial:
    source = _source(score)
    reading = source.reading if source is not None and isinstance(source.reading, Reading) else None
    entry, reply = _find(source, ledger), None
    if entry is not None:
        try:
            reply = entry.reply().text
        except (LedgerError, MalformedReplyError):
            # What came back was no reply; the reason stands in the score.
            reply = None
    value = None if score.is_undetermined else float(score.get_value())
    return ItemTrial(
        value=value,
        rating=to_rating(value, scale),
        rationale=score.score_rationale,
        reply=reply,
        span=None if reading is None or reply is None else (reading.span[0], reading.span[1]),
        rule="" if reading is None else reading.rule,
        reason=_reason(score),
        attempts=score.attempts,
        ledger_key=None if source is None else source.ledger_key,
    )


def _reason(score: Score) -> str:
    if not score.is_undetermined:
        return ""
    if score.is_not_asked:
        return NOT_ASKED
    return type(score.error).__name__ if score.error is not None else score.undetermined_reason or "undetermined"


def to_rating(value: float | None, scale: tuple[float, float] | None) -> float | None:
    """Return ``to_scale`` of a value and a scale; None if either is None."""
    return None if value is None or scale is None else to_scale(value, scale)


def to_scale(value: float, scale: tuple[float, float]) -> float:
    """Return a number from 0 to 1 in the units of a scale."""
    # Rounding undoes the error of the conversion to 0 to 1 and back.
    return round(scale[0] + value * (scale[1] - scale[0]), 10)


def write_items(folder: Path, items: Iterable[ItemResult], kind: ItemsKind = "jsonl") -> None:
    """Write items to a folder; a file in the other format is kept until ``remove_other_items``.

    JSON lines keep every text as it is; in Parquet a lone surrogate, which has no UTF-8, becomes U+FFFD.
    """
    rows = [asdict(one) for one in items]
    if kind == "parquet":
        content = _to_parquet(rows)
    else:
        content = "".join(f"{json.dumps(row, allow_nan=False)}\n" for row in rows).encode()
    replace_file(folder / ITEMS_FILES[kind], content)


def remove_other_items(folder: Path, kind: ItemsKind) -> None:
    """Remove the items that are not of this kind, after nothing refers to them any more."""
    for other, name in ITEMS_FILES.items():
        if other != kind:
            folder.joinpath(name).unlink(missing_ok=True)


def read_items(folder: Path, kind: ItemsKind | None = None) -> tuple[Path, tuple[ItemResult, ...]]:
    """Return the items of a folder and their file: of a kind, else Parquet where there is some."""
    parquet = folder / ITEMS_FILES["parquet"]
    if kind == "parquet" or (kind is None and parquet.is_file()):
        return parquet, _from_parquet(parquet)
    path = folder / ITEMS_FILES["jsonl"]
    items: list[ItemResult] = []
    # Not splitlines: a response may hold what Unicode calls the end of a line.
    for number, line in enumerate(read_text(path).removesuffix("\n").split("\n"), 1):
        try:
            items.append(_read_item(json.loads(line)))
        except (KeyError, TypeError, ValueError) as problem:
            raise EvaluationError(f"{path}, line {number}: no item of an evaluation ({problem!r})") from None
    return path, tuple(items)


def read_text(path: Path) -> str:
    """Read a file that an evaluation wrote; the message names the cure if that fails."""
    try:
        return path.read_text("utf-8")
    except OSError as problem:
        raise EvaluationError(f"{path}: {problem.strerror}; name the folder that the evaluation wrote") from None
    except UnicodeDecodeError as problem:
        raise EvaluationError(f"{path}: not UTF-8 (byte {problem.start}); run the evaluation again") from None


def _read_item(given: dict[str, Any]) -> ItemResult:
    trials = cast("Sequence[dict[str, Any]]", given.pop("trials"))
    given["human"] = tuple(cast("Sequence[float | None]", given["human"]))
    given["human_ratings"] = tuple(cast("Sequence[float | None]", given.get("human_ratings") or ()))
    given["metadata"] = dict(given["metadata"])
    return ItemResult(**given, trials=tuple(_read_trial(trial) for trial in trials))


def _read_trial(given: dict[str, Any]) -> ItemTrial:
    span = given.pop("span")
    return ItemTrial(**given, span=None if span is None else (span[0], span[1]))


def _to_parquet(rows: list[dict[str, Any]]) -> bytes:
    pa, parquet = import_arrow("Parquet"), import_arrow("Parquet", "pyarrow.parquet")
    table = pa.Table.from_pylist([without_surrogates(row) for row in rows], schema=_schema(pa))
    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def _from_parquet(path: Path) -> tuple[ItemResult, ...]:
    pa, parquet = import_arrow("Parquet"), import_arrow("Parquet", "pyarrow.parquet")
    try:
        return tuple(_read_item(row) for row in parquet.ParquetFile(path).read().to_pylist())
    except (pa.ArrowException, KeyError, TypeError, ValueError, OSError) as problem:
        raise EvaluationError(f"{path}: no items of an evaluation ({problem}); run the evaluation again") from None


def _schema(pa: Any) -> Any:
    """Return the Arrow schema of the attributes; texts are large strings, because a response can have megabytes."""
    text, integer, number = pa.large_string(), pa.int64(), pa.float64()
    kinds = {
        "str": text,
        "int": integer,
        "float": number,
        "tuple[int, int]": pa.list_(integer),
        "tuple[float | None, ...]": pa.list_(number),
        "Mapping[str, str]": pa.map_(text, text),
    }

    def kinds_of(row: type[ItemResult | ItemTrial]) -> dict[str, Any]:
        return {one.name: kinds[str(one.type).removesuffix(" | None")] for one in fields(row)}

    kinds["tuple[ItemTrial, ...]"] = pa.list_(pa.struct(kinds_of(ItemTrial)))
    return pa.schema(kinds_of(ItemResult))
