"""``ItemResult``: a labelled response with its scores, and the file of such items."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from judgecore.arrow import import_arrow, without_surrogates
from judgecore.errors import EvaluationError
from judgecore.replacement import replace_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

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
            items.append(_item(json.loads(line)))
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


def _item(given: dict[str, Any]) -> ItemResult:
    trials = cast("Sequence[dict[str, Any]]", given.pop("trials"))
    given["human"] = tuple(cast("Sequence[float | None]", given["human"]))
    given["human_ratings"] = tuple(cast("Sequence[float | None]", given.get("human_ratings") or ()))
    given["metadata"] = dict(given["metadata"])
    return ItemResult(**given, trials=tuple(_trial(trial) for trial in trials))


def _trial(given: dict[str, Any]) -> ItemTrial:
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
        return tuple(_item(row) for row in parquet.ParquetFile(path).read().to_pylist())
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
