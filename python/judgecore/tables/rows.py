"""Read the rows of text tables, and write rows with added cells as JSON lines or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import dataclass
from datetime import date, time
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from judgecore.errors import TableError
from judgecore.tables.files import write_all
from judgecore.tables.text import LONGEST_RECORD, TableReader, TextTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from judgecore.tables.files import Kind
    from judgecore.tables.text import Place, Where

JSON_SPACE = " \t\r\n"

# Integers are parsed as floats so that any length is accepted; rows are copied from their source text.
DECODER = json.JSONDecoder(parse_int=float)


def _encode_other(value: object) -> str:
    """Encode a value of a type that JSON lacks, such as a time or a decimal number, as text."""
    if isinstance(value, bytes):
        raise TableError("a column holds bytes, which JSON lines and CSV can't represent; write .parquet")
    return value.isoformat() if isinstance(value, date | time) else str(value)


ENCODER = json.JSONEncoder(ensure_ascii=False, default=_encode_other)

# The same list as in value_text.rs of the extension.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

JSON_TYPES: dict[type, str] = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "an array",
    dict: "an object",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table."""

    line: int
    cells: Mapping[str, Any]
    source: str | list[str] | None = None
    place: Where = "line"

    @property
    def where(self) -> str:
        """The row's position for messages, such as ``line 3``."""
        return f"{self.place} {self.line}"

    def cell(self, name: str) -> Any:
        """Return the cell of a column, or of a path such as ``output.judge``; None if there is none."""
        if name in self.cells or "." not in name:
            return self.cells.get(name)
        found: Any = self.cells
        for part in name.split("."):
            if isinstance(found, dict):
                found = cast("dict[str, Any]", found).get(part)
            elif (
                isinstance(found, list)
                and part.isascii()
                and part.isdecimal()
                and int(part) < len(cast("list[Any]", found))
            ):
                found = cast("list[Any]", found)[int(part)]
            else:
                return None
        return found

    def exact_cells(self) -> dict[str, Any]:
        """Return the cells with exact integers, parsing a JSON line again; raise ``TableError`` for too many digits."""
        try:
            return json.loads(self.source) if isinstance(self.source, str) else dict(self.cells)
        except ValueError:
            raise TableError(f"{self.where}: a number has too many digits for a column; write .jsonl") from None

    def reject(self, problem: str) -> Malformed:
        """Return a malformed line, with what is wrong with it, in place of this row."""
        return Malformed(self.line, problem, self.source.encode() if isinstance(self.source, str) else b"")


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is not a valid row."""

    line: int
    problem: str
    raw: bytes = b""
    is_continuation: bool = False
    encoding: str | None = None


class RowReader:
    """A reader of the rows of a text table."""

    n_rows = None

    def __init__(
        self,
        table: TextTable,
        *,
        longest: int = LONGEST_RECORD,
        decoder: json.JSONDecoder = DECODER,
        keeps_continuations: bool = False,
    ) -> None:
        """Read a table; ``keeps_continuations`` yields all parts of a line that is too long to keep in memory."""
        self._table = table
        self._decoder = decoder
        self._keeps_continuations = keeps_continuations
        self.kind: Kind = table.kind
        self.header = table.columns
        self.delimiter = table.delimiter if table.kind == "csv" else None
        self.place: Where = table.place
        self._reader = TableReader(
            table.kind,
            header=table.columns if table.kind == "csv" else [],
            delimiter=table.delimiter,
            longest=longest,
        )
        self._place: Place | None = None
        self._n_read = self._n_given = self._n_passed = 0

    @property
    def bytes_read(self) -> int:
        """The number of bytes read from the text."""
        return self._table.bytes_read

    @property
    def position(self) -> dict[str, Any]:
        """The current position, for ``resume``."""
        return {"place": self._place, "read": self._n_read, "given": self._n_given}

    def resume(self, position: Mapping[str, Any]) -> None:
        """Continue after the rows that another reader of the same table, which was at ``position``, has yielded."""
        self._place, self._n_read, self._n_passed = position["place"], position["read"], position["given"]
        if self._place is not None:
            self._table.resume(self._reader, self._place, self._n_read)

    def __iter__(self) -> Iterator[Row | Malformed]:
        """Yield rows and malformed lines; empty lines are skipped."""
        return islice(self._rows(), self._n_passed, None)

    def _rows(self) -> Iterator[Row | Malformed]:
        """Yield rows, and count those since the last position from which a reader can resume."""
        for part, is_last in self._table.parts():
            given, is_left = part, True
            while is_left:
                rows, rejects, is_left = self._reader.split(given, is_last=is_last)
                given = b""
                for one in self._decode(rows, rejects):
                    self._n_given += 1
                    yield one
            if (place := self._reader.place()) is not None:
                self._place, self._n_read, self._n_given = place, self._table.bytes_read, 0

    def _decode(
        self, rows: list[tuple[int, Any]], rejects: list[tuple[int, str, bytes, bool]]
    ) -> list[Row | Malformed]:
        """Convert the extension's records to rows and malformed lines."""
        found: list[Row | Malformed] = [
            Malformed(*self._table.restore_reject(one)) for one in rejects if self._keeps_continuations or not one[3]
        ]
        if self.kind == "csv":
            found += (Row(line, dict(zip(self.header, fields, strict=True)), fields) for line, fields in rows)
        else:
            found += (decode_line(line, text, self._decoder, place=self.place) for line, text in rows)
        # The sort is stable, so the parts of a long line stay in order.
        return sorted(found, key=lambda one: one.line) if rejects else found


def decode_line(line: int, text: str, decoder: json.JSONDecoder = DECODER, *, place: Where = "line") -> Row | Malformed:
    """Decode a JSON line; ``place`` is what its number counts."""
    try:
        cells = decoder.decode(text.strip(JSON_SPACE))
    except json.JSONDecodeError as problem:
        return Malformed(line, f"not JSON: {problem.msg}, column {problem.colno}", text.encode())
    except ValueError as problem:
        return Malformed(line, f"not JSON: {problem}", text.encode())
    except RecursionError:
        return Malformed(line, "nested too deeply", text.encode())
    if not isinstance(cells, dict):
        return Malformed(line, f"{name_json_type(cells)}, not an object", text.encode())
    return Row(line, cast("dict[str, Any]", cells), text, place)


def name_json_type(value: object) -> str:
    """Return the name of a JSON value's type for messages, such as ``a number`` or ``an array``."""
    return "null" if value is None else JSON_TYPES.get(type(value), "a string")


class JsonlWriter:
    """Writes rows as JSON lines; the source text of JSON rows is copied unchanged."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, rows: Iterable[tuple[Row, Mapping[str, Any]]]) -> None:
        """Write rows with their added cells, whose names must not occur in the row."""
        lines: list[str] = []
        for row, added in rows:
            text = row.source.strip(JSON_SPACE) if isinstance(row.source, str) else ENCODER.encode(row.cells)
            between = ", " if row.cells and added else ""
            lines.append(f"{text[:-1].rstrip(JSON_SPACE)}{between}{ENCODER.encode(added)[1:]}\n")
        write_all(self._stream, _encode("".join(lines)))

    def close(self) -> None:
        """Do nothing: these files have no end to write."""


class CsvWriter:
    """Writes rows as CSV: values that are not strings as JSON, and None as an empty field.

    Formulas are escaped in added cells, and in column names that do not come from CSV. The rows' own cells are copied
    unchanged: with an added apostrophe, a reply would be another reply.
    """

    def __init__(
        self,
        stream: BinaryIO,
        own: Sequence[str],
        added: Sequence[str] = (),
        *,
        delimiter: str = ",",
        is_csv: bool,
        is_begun: bool = False,
    ) -> None:
        """Write the header to a binary stream, unless the output is begun; ``is_csv`` says whether the input is CSV."""
        self._stream = stream
        self._own = dict.fromkeys(own)
        self._delimiter = delimiter
        if not is_begun:
            self._write([[*(own if is_csv else map(escape_formula, own)), *map(escape_formula, added)]])

    def write(self, rows: Iterable[tuple[Row, Mapping[str, Any]]]) -> None:
        """Write rows with their added cells, in the order of the header."""
        self._write([*self._fields(row), *map(_to_added_field, added.values())] for row, added in rows)

    def close(self) -> None:
        """Do nothing: these files have no end to write."""

    def _fields(self, row: Row) -> list[str]:
        if isinstance(row.source, list):
            return row.source
        cells = row.exact_cells()
        new = next((name for name in cells if name not in self._own), None)
        if new is not None:
            raise TableError(
                f"{row.where}: column {new!r} is not in the first rows; write .jsonl, where columns may differ"
            )
        return [_to_field(cells.get(name)) for name in self._own]

    def _write(self, records: Iterable[list[str]]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self._delimiter).writerows(records)
        write_all(self._stream, _encode(text.getvalue()))


def _encode(text: str) -> bytes:
    r"""Encode text as UTF-8; a lone surrogate becomes its escape, such as ``\ud800``, which JSON decodes."""
    return text.encode("utf-8", "backslashreplace")


def refuse_duplicate_names(names: Sequence[str]) -> None:
    """Raise ``TableError`` for duplicate column names, because a row as a dictionary would lose a cell."""
    count = Counter(names)
    twice = next((name for name in count if count[name] > 1), None)
    if twice is not None:
        raise TableError(f"{count[twice]} columns are named {twice!r}; rename all but one")


def escape_formula(text: str) -> str:
    """Escape a text that a spreadsheet would execute as a formula.

    Examples:
        >>> escape_formula("=1+1"), escape_formula("1+1")
        ("'=1+1", '1+1')
    """
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _to_added_field(value: Any) -> str:
    return escape_formula(value) if isinstance(value, str) else _to_field(value)


def _to_field(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return (
        ENCODER.encode(value) if isinstance(value, bool | int | float | list | dict | tuple) else _encode_other(value)
    )
