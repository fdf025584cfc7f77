"""Turn the rows of any output, or the requests of a ledger, to the entries that ``judgecore view`` shows."""

from __future__ import annotations

import json
import math
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from judgecore.cli.columns import USUAL_NAMES, find_column
from judgecore.cli.job import GUARD_PARTS, PARTS, USUAL_PARTS
from judgecore.cli.score_rows import ADDED, RESPONSES
from judgecore.cli.spot_check import sampling_key
from judgecore.cli.values import format_value
from judgecore.errors import LedgerError, MalformedReplyError, TableError
from judgecore.evaluation.item import ITEMS_FILES, NOT_ASKED
from judgecore.reading import Reading
from judgecore.reports.view.entry import ViewEntry
from judgecore.tables.files import find_kind, input_name, naming_table
from judgecore.tables.opening import open_rows
from judgecore.tables.rows import Malformed
from judgecore.targets.ledger import LedgerReader

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from judgecore.reading import Format, Mode
    from judgecore.tables.opening import Rows, TableOptions
    from judgecore.tables.rows import Row
    from judgecore.targets.ledger import LedgerEntry

SQLITE = b"SQLite format 3\0"
# The columns by which the items of an evaluation are told.
OF_ITEMS = ("index", "response", "human", "gold", "trials", "model")
EXPECTED = (
    "judgecore view shows what `judgecore parse -o` or `judgecore score -o` wrote, the folder or items.jsonl that "
    "`judgecore evaluate -o` wrote, or a ledger"
)


@dataclass(frozen=True)
class Output:
    """A file to view."""

    title: str
    about: str
    noun: str
    entries: Iterator[ViewEntry]


@dataclass(frozen=True)
class ViewOptions:
    """How to look at a file, as ``judgecore view`` names and describes it."""

    table: TableOptions
    column: str | None = None
    prefix: str | None = None
    ledger: Path | None = None
    format: Format | None = None
    mode: Mode = "lenient"
    seed: int = 0


@contextmanager
def open_output_to_view(file: str, options: ViewOptions) -> Generator[Output]:
    """Open a file, an evaluation's folder or ``-``, and yield its entries; fail if it is no output."""
    path, title = Path(file), _title(file)
    if file != "-" and path.is_dir():
        # Parquet first, as an evaluation is read.
        items = next((path / name for name in reversed(ITEMS_FILES.values()) if (path / name).is_file()), None)
        if items is None:
            raise TableError(f"{input_name(file)}: the folder holds no {' or '.join(ITEMS_FILES.values())}; {EXPECTED}")
        file = str(items)
    elif file != "-" and _is_ledger(path):
        refuse_options(options, "a ledger", "--format")
        with LedgerReader(path):
            # Opened once to tell early that it can't be; SQLite wants a connection for each thread.
            yield Output(title, "A ledger of requests and replies.", "request", _ledger_entries(path, options))
        return
    with _open_table(file, options, lambda rows: _choose(title, rows, options)) as output:
        yield output


@contextmanager
def open_output_of_run(
    file: str, options: ViewOptions, replies: Mapping[str, str | None] | None = None
) -> Generator[Output]:
    """Open what ``parse`` or ``score`` just wrote, whatever other columns the table has, and yield its entries.

    ``replies`` has each reply column of ``parse`` by the prefix of its added columns; None stands for ``raw`` or
    ``reply``. It is None for an output of ``score``.
    """
    title = _title(file)

    def choose(rows: Rows) -> Output:
        if replies is None:
            return _scores(title, rows, options)
        return _readings(title, rows, {stem: one or _usual_name(rows.header) for stem, one in replies.items()}, options)

    with _open_table(file, options, choose) as output:
        yield output


@contextmanager
def _open_table(file: str, options: ViewOptions, choose: Callable[[Rows], Output]) -> Generator[Output]:
    """Open a table, choose what its rows are, and let all errors name it."""
    name = input_name(file)
    with ExitStack() as opened:
        with naming_table(name):
            kind = find_kind(file, options.table.kind)
            output = choose(opened.enter_context(open_rows(file, kind, options.table)))
        yield replace(output, entries=_all_naming(name, output.entries))


def _all_naming(name: str, entries: Iterator[ViewEntry]) -> Iterator[ViewEntry]:
    with naming_table(name):
        yield from entries


def _title(file: str) -> str:
    return input_name(file if file == "-" else Path(file).resolve().name)


def _is_ledger(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(len(SQLITE)) == SQLITE
    except OSError:
        return False


def _choose(title: str, rows: Rows, options: ViewOptions) -> Output:
    """Tell by its columns what a table is."""
    header, prefix = rows.header, options.prefix or ""
    if all(column in header for column in OF_ITEMS):
        refuse_options(options, "an output of evaluate")
        return Output(title, "Written by judgecore evaluate.", "score", _ItemEntries(options).all(rows))
    if all(f"{prefix}{column}" in header for column in ("score_value", "score_status")):
        refuse_options(options, "an output of score", "--prefix", "--ledger")
        return _scores(title, rows, options)
    stems = [column.removesuffix("value") for column in header if column.endswith("value")]
    stems = [one for one in stems if one.startswith(prefix) and {f"{one}status", f"{one}reason"} & set(header)]
    if stems:
        refuse_options(options, "an output of parse", "--prefix", "--column")
        replies = {stem: _reply_column(header, stem, options, is_alone=len(stems) == 1) for stem in stems}
        return _readings(title, rows, replies, options)
    columns = ", ".join(map(repr, header[:20])) or "none"
    needed = "value and status, or value and reason, with a common prefix if they have one"
    raise TableError(f"the table has no columns {needed} (its columns are {columns}); {EXPECTED}")


def _scores(title: str, rows: Rows, options: ViewOptions) -> Output:
    return Output(title, "Written by judgecore score.", "score", _ScoreEntries(options).all(rows))


def _readings(title: str, rows: Rows, replies: Mapping[str, str | None], options: ViewOptions) -> Output:
    entries = _ReadingEntries(rows.header, replies, options)
    return Output(title, "Written by judgecore parse.", "reading", entries.all(rows))


def _usual_name(header: Sequence[str]) -> str | None:
    """The column of replies that ``parse`` takes if none is named."""
    return next((name for name in USUAL_NAMES if name in header), None)


def _reply_column(header: Sequence[str], stem: str, options: ViewOptions, *, is_alone: bool) -> str | None:
    """Find the column that was read; with several, its name stands in those of its outcome."""
    own = stem.removeprefix(options.prefix or "").removesuffix("_")
    owners = [own] if own in header or own.partition(".")[0] in header else []
    owners += sorted((one for one in header if stem.endswith(f"{one}_")), key=len, reverse=True)
    if owners and not is_alone:
        return owners[0]
    if options.column is not None:
        return find_column(header, options.column, "--column", is_nested=True)
    return _usual_name(header) or (owners[0] if owners else None)


def refuse_options(options: ViewOptions, what: str, *taken: str) -> None:
    """Raise ``TableError`` if an option was given that does not apply to a file."""
    given = {
        "--column": options.column,
        "--prefix": options.prefix,
        "--ledger": options.ledger,
        "--format": options.format,
    }
    for option, value in given.items():
        if value is not None and option not in taken:
            others = f"; its options are {' and '.join(taken)}" if taken else ""
            raise TableError(f"{option} does not apply to {what}{others}")


class _TableEntries:
    def __init__(self, options: ViewOptions) -> None:
        self._options = options

    def all(self, rows: Rows) -> Iterator[ViewEntry]:
        """Yield the entries; a malformed line is one that was rejected."""
        for row in rows:
            if isinstance(row, Malformed):
                yield self._rejected(row, row.problem)
            else:
                yield from self._of(row)

    def _of(self, row: Row) -> Iterable[ViewEntry]:
        raise NotImplementedError

    def _key(self, row: Row | Malformed, nth: int = 0) -> int:
        return sampling_key(row.line, nth, self._options.seed)

    def _rejected(self, row: Row | Malformed, problem: str) -> ViewEntry:
        raw = (
            row.raw.decode(row.encoding or "utf-8", "replace")
            if isinstance(row, Malformed)
            else json.dumps(row.cells, ensure_ascii=False, default=str)
        )
        place = "line" if isinstance(row, Malformed) else row.place
        return ViewEntry(
            where=f"{place} {row.line}",
            status="rejected",
            detail=problem,
            note="The row can't be shown.",
            labels={"status": "rejected"},
            cells={"the row as it is in the file": raw},
            key=self._key(row),
        )


class _ReadingEntries(_TableEntries):
    """Turns rows of ``judgecore parse`` to entries, one for each reply column."""

    def __init__(self, header: Sequence[str], replies: Mapping[str, str | None], options: ViewOptions) -> None:
        super().__init__(options)
        self._replies = replies
        self._added = {f"{stem}{part}" for stem in replies for part in PARTS}
        self._labels = {stem: [part for part in ("rule", "format") if f"{stem}{part}" in header] for stem in replies}
        self._guard = {stem: [part for part in GUARD_PARTS if f"{stem}{part}" in header] for stem in replies}

    def _of(self, row: Row) -> Iterator[ViewEntry]:
        for nth, (stem, column) in enumerate(self._replies.items()):
            found = {part: row.cells.get(f"{stem}{part}") for part in USUAL_PARTS}
            reply = None if column is None else row.cell(column)
            reason = _text(found["reason"])
            status = _text(found["status"]) or ("unreadable" if reason else "ok")
            value = "" if reason or found["value"] is None else _show_value(found["value"])
            span, note = self._evidence(reply, column, found, is_read=status == "ok")
            labels = {"status": status, "value": value, "reason": reason}
            labels |= {part: _text(row.cells.get(f"{stem}{part}")) for part in self._labels[stem]}
            if len(self._replies) > 1:
                labels["column"] = column or stem
            others = {name: cell for name, cell in row.cells.items() if name not in self._added and name != column}
            guard = {part: row.cells.get(f"{stem}{part}") for part in self._guard[stem]}
            yield ViewEntry(
                where=row.where if len(self._replies) == 1 else f"{row.where}, {column or stem}",
                status=status,
                value=value,
                number=_number(found["value"]) if value else math.nan,
                verdict=found["value"],
                reason=reason,
                detail=_text(found["detail"]),
                reply=reply if isinstance(reply, str) else None,
                span=span,
                note=note,
                labels=labels,
                cells=_other_cells(guard | others, labels),
                key=self._key(row, nth),
            )

    def _evidence(
        self, reply: Any, column: str | None, parts: dict[Any, Any], *, is_read: bool
    ) -> tuple[tuple[int, int] | None, str]:
        """Return where the evidence stands, or why it is not shown."""
        if column is None:
            return None, "The output has no column raw or reply; name the column of the replies with --column."
        if not isinstance(reply, str):
            return None, f"Column {column!r} holds no text." if reply is not None else "The row has no reply."
        if not is_read:
            return None, ""
        start, end = _position(parts["start"]), _position(parts["end"])
        if start is None or end is None:
            cure = "add them with parse --columns value,status,reason,detail,rule,evidence,start,end"
            return None, f"The output lacks the columns start and end, so the evidence is not marked; {cure}."
        evidence = parts["evidence"]
        if not 0 <= start <= end <= len(reply) or (isinstance(evidence, str) and reply[start:end] != evidence):
            return None, (
                f"The recorded evidence is not at {start} to {end} of column {column!r}, so it is not marked; "
                "was another column read? Name it with --column."
            )
        return (start, end), ""


class _ScoreEntries(_TableEntries):
    """Turns rows of ``judgecore score`` to entries."""

    def __init__(self, options: ViewOptions) -> None:
        super().__init__(options)
        self._prefix = options.prefix or ""
        self._added = {f"{self._prefix}{name}" for name in ADDED}
        if options.ledger is not None:
            LedgerReader(options.ledger).close()

    def all(self, rows: Rows) -> Iterator[ViewEntry]:
        """Yield the entries, with the replies of the ledger if there is one."""
        self._ledger = None if self._options.ledger is None else LedgerReader(self._options.ledger)
        try:
            yield from super().all(rows)
        finally:
            if self._ledger is not None:
                self._ledger.close()

    def _of(self, row: Row) -> Iterator[ViewEntry]:
        score = {name: row.cell(f"{self._prefix}{name}") for name in ADDED}
        reason, status = _text(score["score_reason"]), _text(score["score_status"])
        value = "" if reason or score["score_value"] is None else _show_value(score["score_value"])
        own = (name for name in row.cells if name not in self._added)
        # What was scored comes first: without a reply, the list shows it.
        others = {name: row.cells[name] for name in sorted(own, key=lambda name: name not in RESPONSES)}
        labels = {"status": status, "value": value, "reason": reason, "category": _show(score["score_category"])}
        reply, note = self._reply(_text(score["ledger_key"]))
        kept = ("score_rationale", "score_metadata", "score_parts", "score_attempts", "ledger_key")
        cells = {name: _show_whole(score[name]) for name in kept if score[name] not in (None, "")}
        yield ViewEntry(
            where=row.where,
            status=status,
            value=value,
            number=_number(score["score_value"]) if value else math.nan,
            reason=reason,
            reply=reply,
            note=note,
            labels=labels,
            cells=_other_cells(others, labels) | cells,
            key=self._key(row),
        )

    def _reply(self, key: str) -> tuple[str | None, str]:
        """Return a reply from the ledger, or why there is none."""
        if not key:
            return None, "The score has no reply of its own: no judge was asked, or it was combined from parts."
        if self._ledger is None:
            return None, "The output of score holds no replies; name the run's ledger with --ledger to see them."
        try:
            return self._ledger.find(key).reply().text, "An output of score does not record where the verdict stands."
        except LedgerError as problem:
            return None, f"The ledger has no such reply: {problem}"
        except MalformedReplyError as problem:
            return None, f"What was received is no reply: {problem}"


class _ItemEntries(_TableEntries):
    """Turns the items of an evaluation to entries, one for each trial."""

    def _of(self, row: Row) -> Iterable[ViewEntry]:
        try:
            entries = list(self._trials(row))
        except (AttributeError, KeyError, TypeError, ValueError) as problem:
            return [self._rejected(row, f"no item of an evaluation: {problem}")]
        return entries or [self._rejected(row, "no item of an evaluation: it has no trials")]

    def _trials(self, row: Row) -> Iterator[ViewEntry]:
        trials: Any = row.cell("trials")
        metadata: Any = row.cell("metadata") or {}
        others: dict[str, Any] = dict(metadata)
        # In the raters' units, where they had some.
        human = row.cell("human_ratings") or row.cell("human") or ()
        gold = row.cell("gold") if row.cell("gold_rating") is None else row.cell("gold_rating")
        for nth, trial in enumerate(cast("list[dict[str, Any]]", trials)):
            reply, span, rating = (trial.get(name) for name in ("reply", "span", "rating"))
            value = trial["value"] if rating is None else rating
            reason = _text(trial.get("reason"))
            unscored = NOT_ASKED if reason == NOT_ASKED else "undetermined"
            labels = {
                "status": unscored if value is None else "ok",
                "value": "" if value is None else _show(value),
                "reason": reason,
                "rule": _text(trial.get("rule")),
                "people": _show(gold),
                "scorer minus people": "" if value is None else f"{value - gold:.4g}",
            }
            note = ""
            if reply is None:
                note = "The evaluation holds no reply: the scorer asks no judge, or none came."
            elif span is None and value is not None:
                note = "The evaluation does not record where the verdict stands in the reply."
            about = {"human ratings": ", ".join("–" if one is None else _show(one) for one in human)}
            about |= {name: _text(row.cell(name)) for name in ("objective", "response", "prompt")}
            about |= {name: _text(trial.get(name)) for name in ("rationale", "ledger_key")}
            yield ViewEntry(
                where=f"item {int(row.cell('index')) + 1}" + (f", trial {nth + 1}" if len(trials) > 1 else ""),
                status=labels["status"],
                value=labels["value"],
                number=_number(value),
                # Without a scale, 1 and 0 stand for true and false.
                verdict=bool(value) if rating is None and value in (0, 1) else value,
                reason=reason,
                reply=reply,
                span=None if span is None or reply is None else (int(span[0]), int(span[1])),
                note=note,
                labels=labels,
                cells={name: text for name, text in about.items() if text} | _other_cells(others, labels),
                key=self._key(row, nth),
            )


def _ledger_entries(path: Path, options: ViewOptions) -> Iterator[ViewEntry]:
    """Yield the requests of a ledger, with their replies and, if a format is known, what these read as."""
    with LedgerReader(path) as ledger:
        for number, entry in enumerate(ledger.entries(), 1):
            yield _request_entry(number, entry, options)


def _request_entry(number: int, entry: LedgerEntry, options: ViewOptions) -> ViewEntry:
    labels = {"status": entry.state, "value": "", "reason": "", "rule": ""}
    labels |= {"model": _text(entry.identity.get("underlying_model_name")), "outcome": entry.outcome or ""}
    labels |= {"error": (entry.error or "").partition(":")[0], "trial": str(entry.trial), "ask": str(entry.ask)}
    more: dict[str, Any] = {"detail": entry.error or "", "note": "Nothing was received for this request."}
    if entry.state == "received":
        more = _read_reply(entry, options, labels)
    prompt = json.dumps(dict(entry.request), ensure_ascii=False, indent=2)
    return ViewEntry(
        where=f"request {number}",
        status=labels["status"],
        value=labels["value"],
        reason=labels["reason"],
        labels=labels,
        cells={"key": entry.key, "request": prompt, "attempts": str(entry.attempts)},
        key=sampling_key(number, 0, options.seed),
        **more,
    )


def _read_reply(entry: LedgerEntry, options: ViewOptions, labels: dict[str, str]) -> dict[str, Any]:
    """Read a stored reply, and add what was found to the labels."""
    try:
        reply = entry.reply()
    except MalformedReplyError as problem:
        labels |= {"status": "unreadable", "reason": "malformed"}
        return {"detail": str(problem), "note": "What was received is no reply."}
    labels["finish reason"] = reply.finish_reason or ""
    if options.format is None:
        return {"reply": reply.text, "note": "A ledger holds replies but no readings; name their format with --format."}
    outcome = reply.read(options.format, mode=options.mode)
    if not isinstance(outcome, Reading):
        labels |= {"status": "unreadable", "reason": outcome.reason}
        return {"reply": reply.text, "detail": outcome.detail}
    labels |= {"status": "ok", "value": format_value(outcome.value), "rule": outcome.rule}
    return {"reply": reply.text, "span": outcome.span, "number": _number(outcome.value), "verdict": outcome.value}


def _other_cells(cells: dict[str, Any], labels: dict[str, str]) -> dict[str, str]:
    """Return cells as text, without empty ones; a column that has the name of a label gets another name."""
    return {
        f"{name} (column)" if name in labels else name: cell if isinstance(cell, str) else _show_whole(cell)
        for name, cell in cells.items()
        if cell is not None and cell != ""
    }


def _text(cell: Any) -> str:
    """Return a cell that holds text; empty if it holds none."""
    return cell if isinstance(cell, str) else ""


def _show(cell: Any) -> str:
    return cell if isinstance(cell, str) else format_value(cell)


def _show_value(cell: Any) -> str:
    """Return a value in a word or two; a number of a CSV file as one of another file."""
    number = _number(cell)
    return format_value(number) if math.isfinite(number) else _show(cell)


def _show_whole(cell: Any) -> str:
    if isinstance(cell, dict | list):
        return json.dumps(cell, ensure_ascii=False, indent=2, default=str)
    return _show(cell)


def _number(cell: Any) -> float:
    """Return a cell as a number; NaN if it is none."""
    if isinstance(cell, bool) or not isinstance(cell, str | int | float):
        return math.nan
    try:
        return float(cell)
    except (ValueError, OverflowError):
        return math.nan


def _position(cell: Any) -> int | None:
    """Return a position in code points, which CSV holds as text; None if it is none."""
    number = _number(cell)
    return int(number) if number.is_integer() else None
