"""Load the tables of data sets: every file format of ``judgecore.tables``, and records."""

from __future__ import annotations

import io
import json
import math
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from judgecore.errors import TableError
from judgecore.evaluation.dataset_entry import DatasetProblem, refuse
from judgecore.tables.arrow import ArrowReader
from judgecore.tables.files import find_kind, input_name, open_input
from judgecore.tables.rows import Malformed, RowReader
from judgecore.tables.text import NOT_UTF8, PART, TextTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from judgecore.tables.files import Input, Kind
    from judgecore.tables.opening import TableOptions

# The header data: in the first line of a CSV file, the first JSON object, or the metadata of Parquet's schema.
FACTS = ("dataset_version", "harm_definition", "harm_definition_version")

RESPONSE = "assistant_response"

# Spreadsheets pad the first line with delimiters, and replace the commas in it.
DELIMITERS = (",", ";", "\t", "|")
BLANK = b" ,;|\t\r\n"

BOM = b"\xef\xbb\xbf"
LINE = re.compile(rb"([^\r\n]*)(\r\n|\r|\n)?")
OLD_LINE_END = re.compile(rb"\r(?!\n)")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of cells."""

    number: int
    line: int | None
    cells: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A loaded table."""

    source: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    facts: Mapping[str, str] = field(default_factory=dict[str, str])
    kind: Kind | None = None
    encoding: str | None = None
    decimal: str = "."


def read_table(path: Path, options: TableOptions) -> Table:
    """Read a file, ``-`` for standard input; the error lists every damaged line.

    Cells of CSV are text, others are values; None stands for a blank or null cell.
    """
    name = str(path)
    source = path.name if name != "-" else input_name(name)
    try:
        kind = find_kind(name, options.kind, cure="say which with --input-format (in Python: kind=)")
        if kind in ("parquet", "arrow"):
            return _read_arrow(ArrowReader(name, kind), source)
        with open_input(name, encoding=options.encoding, may_be_windows_1252=kind == "csv") as opened:
            return (_read_csv if kind == "csv" else _read_json)(opened, source, kind, options)
    except TableError as problem:
        match problem.__cause__:
            case ImportError():
                raise ImportError(f"{source}: {problem}") from None
            case OSError(errno=int()) as cause if name != "-":
                raise cause from None
            case _:
                raise refuse([DatasetProblem(str(problem).removeprefix(f"{name}: "), source)]) from problem


class _Body:
    """A CSV file without the lines above its header: comments, one of which may hold header data, and empty lines.

    Below the header, ``#`` is text.
    """

    def __init__(self, stream: BinaryIO) -> None:
        """Wrap a stream; it is read on the first call of ``read``."""
        self._stream = stream
        self._rest: io.BytesIO | None = None
        self.facts: dict[str, str] = {}
        self.skipped = 0

    def read(self, size: int) -> bytes:
        """Read at most ``size`` bytes; empty at the end."""
        if self._rest is None:
            text = _with_line_feeds(b"".join(iter(lambda: self._stream.read(PART), b"")).removeprefix(BOM))
            self._rest = io.BytesIO(text)
            self._rest.seek(self._find_header(text))
        return self._rest.read(size)

    def _find_header(self, text: bytes) -> int:
        """Read the lines above the header, and return the offset of the header."""
        start = 0
        while found := LINE.match(text, start):
            line = found[1].decode("utf-8", "replace")
            # A header may begin with a column named #.
            is_header = any(RESPONSE in [cell.strip(' "') for cell in line.split(one)] for one in DELIMITERS)
            if is_header or not found[0] or not (line.lstrip('"').startswith("#") or not found[1].strip(BLANK + b'"')):
                break
            self.facts = {**_read_facts(line), **self.facts}
            self.skipped += 1
            start = found.end()
        return start


def _with_line_feeds(text: bytes) -> bytes:
    """Convert lone carriage returns, which some spreadsheets write as line ends, to line feeds."""
    if b"\r" not in text.partition(b"\n")[0].removesuffix(b"\r"):
        return text
    parts = text.split(b'"')
    parts[::2] = [OLD_LINE_END.sub(b"\n", part) for part in parts[::2]]
    return b'"'.join(parts)


def _read_facts(line: str) -> dict[str, str]:
    """Parse ``# key=value, key=value``, even if a spreadsheet quoted it or changed its separators."""
    bare = line.replace('"', "").lstrip("# \t")
    for delimiter in DELIMITERS[1:]:
        bare = bare.replace(delimiter, ",")
    pairs = (part.partition("=") for part in bare.split(","))
    return {key.strip(): value.strip() for key, mark, value in pairs if mark and key.strip() in FACTS}


def _read_csv(opened: Input, source: str, kind: Kind, options: TableOptions) -> Table:
    body = _Body(opened.stream)
    text = TextTable(cast("BinaryIO", body), kind, delimiter=options.delimiter, encoding=opened.recoded)
    table = RowReader(text, longest=options.longest)
    names = [name.strip() for name in table.header]
    problems = [
        DatasetProblem(f"{names.count(name)} columns have this name; rename all but one", source, column=name)
        for name in dict.fromkeys(names)
        if name and names.count(name) > 1
    ]
    rows: list[TableRow] = []
    for row in table:
        line = row.line + body.skipped
        if isinstance(row, Malformed):
            if row.raw.strip(BLANK):
                problems.append(_name(row, opened, source, line))
            continue
        cells = [cell.strip() or None for cell in cast("list[str]", row.source)]
        if not any(cells):
            continue
        number = len(rows) + 1
        if any("\0" in cell for cell in cells if cell):
            problems.append(DatasetProblem("holds NUL characters", source, number, line))
        problems += [
            DatasetProblem(f"cell {nth} has content, but no name in the header", source, number, line)
            for nth, (name, cell) in enumerate(zip(names, cells, strict=True), start=1)
            if cell and not name
        ]
        rows.append(TableRow(number, line, {name: cell for name, cell in zip(names, cells, strict=True) if name}))
    if problems:
        raise refuse(problems)
    columns = tuple(name for name in names if name)
    decimal = "," if table.delimiter == ";" else "."
    return Table(source, columns, tuple(rows), body.facts, kind, opened.encoding, decimal)


def _name(row: Malformed, opened: Input, source: str, line: int | None) -> DatasetProblem:
    text = row.problem
    if text.startswith((NOT_UTF8, f"not {opened.encoding}")):
        text += "; name the encoding with --encoding (in Python: encoding=)"
    if line is None:
        text = f"item {row.line}: {text}"
    return DatasetProblem(text, source, line=line)


def _read_json(opened: Input, source: str, kind: Kind, options: TableOptions) -> Table:
    """Read JSON lines or an array of objects; a first object without a response is the header data."""
    text = TextTable(opened.stream, kind, encoding=opened.recoded)
    table = RowReader(text, longest=options.longest, decoder=STRICT)
    facts: dict[str, str] = {}
    objects: list[tuple[int | None, Mapping[str, Any]]] = []
    problems: list[DatasetProblem] = []
    for row in table:
        line = row.line if table.place == "line" else None
        if isinstance(row, Malformed):
            problems.append(_name(row, opened, source, line))
        elif not objects and not facts and RESPONSE not in row.cells and row.cells.keys() & set(FACTS):
            facts = {key: str(row.cells[key]) for key in FACTS if row.cells.get(key) is not None}
        else:
            objects.append((line, row.cells))
    if problems:
        raise refuse(problems)
    return _tabulate(source, objects, facts, kind, opened.encoding)


def _take_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dictionary, and reject duplicate keys."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands there twice")
    return made


def _refuse_constant(name: str) -> float:
    """Reject NaN and infinities."""
    raise ValueError(f"{name} is no JSON; write null for a label that is missing")


STRICT = json.JSONDecoder(object_pairs_hook=_take_pairs, parse_constant=_refuse_constant)


def _read_arrow(table: ArrowReader, source: str) -> Table:
    """Read Parquet or Arrow IPC; the header data are in the metadata of the schema."""
    twice = [name for name in dict.fromkeys(table.header) if table.header.count(name) > 1]
    if twice:
        text = "several columns have this name; rename all but one"
        raise refuse([DatasetProblem(text, source, column=name) for name in twice])
    stored: dict[bytes, bytes] = table.schema.metadata or {}
    facts = {key: stored[key.encode()].decode() for key in FACTS if key.encode() in stored}
    read = _tabulate(source, [(None, row.cells) for row in table], facts, table.kind)
    return replace(read, columns=tuple(table.header))


def read_records(records: Iterable[Mapping[str, Any]], source: str) -> Table:
    """Make a table from mappings; a cell is None if the value is None, NaN or absent."""
    return _tabulate(source, [(None, record) for record in records], {})


def to_records(table: Any) -> Iterable[Mapping[str, Any]]:
    """Return the rows of a table in memory: mappings, or a table of pandas, polars or pyarrow."""
    frame: Any = table
    for method in ("to_dicts", "to_pylist"):
        if hasattr(frame, method):
            return getattr(frame, method)()
    if hasattr(frame, "to_dict"):
        return frame.to_dict(orient="records")
    if isinstance(table, dict) or not hasattr(table, "__iter__"):
        name = type(cast("object", table)).__name__
        raise TypeError(f"a table is a file's path, a data frame or a list of rows, not {name}")
    return table


def _tabulate(
    source: str,
    objects: list[tuple[int | None, Mapping[str, Any]]],
    facts: Mapping[str, str],
    kind: Kind | None = None,
    encoding: str | None = None,
) -> Table:
    """Make a table from objects, with columns in order of occurrence."""
    columns = tuple(dict.fromkeys(str(name) for _, cells in objects for name in cells))
    rows = tuple(
        TableRow(number, line, {str(name): _to_cell(value) for name, value in cells.items()})
        for number, (line, cells) in enumerate(objects, start=1)
    )
    return Table(source, columns, rows, facts, kind, encoding)


def _to_cell(value: Any) -> Any:
    """Convert a value to a plain Python type; blank text and NaN become None."""
    plain = cast("Any", value).item() if isinstance(value, np.generic) else value
    if isinstance(plain, str):
        return plain.strip() or None
    return None if isinstance(plain, float) and math.isnan(plain) else plain
