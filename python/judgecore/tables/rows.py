"""Rows of tables of text, one by one, and written beside what was made of them."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from datetime import date, time
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from judgecore.errors import TableError
from judgecore.tables.files import write_all
from judgecore.tables.text import LONGEST_RECORD, TableReader, TextTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from judgecore.tables.files import Kind
    from judgecore.tables.text import Place

JSON_SPACE = " \t\r\n"

# Integers of any length are let through, because the columns beside the reply are only copied.
DECODER = json.JSONDecoder(parse_int=float)


def _spell(value: object) -> str:
    """Spell a value of a type that JSON has not, such as a time or a decimal number."""
    if isinstance(value, bytes):
        raise TableError("a column holds bytes, which have no form in JSON lines and CSV; write .parquet")
    return value.isoformat() if isinstance(value, date | time) else str(value)


ENCODER = json.JSONEncoder(ensure_ascii=False, default=_spell)

JSON_TYPES: dict[type, str] = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "an array",
    dict: "an object",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it stands in its table.

    Attributes:
        line: The line of the file on which it begins, from 1.
        cells: The values by column.
        source: The row as it was written: the text of a JSON object, or the fields of a CSV row.
    """

    line: int
    cells: Mapping[str, Any]
    source: str | list[str]

    def cell(self, name: str) -> Any:
        """Return the cell of a column, or of a path such as ``output.judge``; None where there is none."""
        if name in self.cells or "." not in name:
            return self.cells.get(name)
        found: Any = self.cells
        for part in name.split("."):
            if isinstance(found, dict):
                found = cast("dict[str, Any]", found).get(part)
            elif isinstance(found, list) and part.isdecimal() and int(part) < len(cast("list[Any]", found)):
                found = cast("list[Any]", found)[int(part)]
            else:
                return None
        return found

    def exact_cells(self) -> dict[str, Any]:
        """Return the cells; those of a JSON line anew, because its whole numbers were read as others."""
        return json.loads(self.source) if isinstance(self.source, str) else dict(self.cells)


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is no row.

    Attributes:
        line: The line of the file on which it begins, from 1.
        problem: What is wrong with it.
        raw: The line as it came.
        goes_on: Whether it is the next part of the line before, which was too long to be held.
    """

    line: int
    problem: str
    raw: bytes = b""
    goes_on: bool = False


class RowReader:
    """The rows of a table of text.

    Attributes:
        kind: ``jsonl`` or ``csv``.
        header: A CSV table's columns, or the keys of the first JSON lines.
    """

    def __init__(self, table: TextTable, *, longest: int = LONGEST_RECORD) -> None:
        """Read a table, of which no record has more bytes than the longest."""
        self._table = table
        self.kind: Kind = table.kind
        self.header = table.columns
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
        """How much of the text has been read."""
        return self._table.bytes_read

    @property
    def position(self) -> dict[str, Any]:
        """What ``go_on`` takes, to give what was not given yet."""
        return {"place": self._place, "read": self._n_read, "given": self._n_given}

    def go_on(self, position: Mapping[str, Any]) -> None:
        """Begin the rows after those that another reader of the same table has given.

        Args:
            position: The other reader's.

        Raises:
            TableError: If the table ends before it.
        """
        self._place, self._n_read, self._n_passed = position["place"], position["read"], position["given"]
        if self._place is not None:
            self._table.go_on(self._reader, self._place, self._n_read)

    def __iter__(self) -> Iterator[Row | Malformed]:
        """Give row after row, and each line that is none; empty lines are passed over."""
        return islice(self._rows(), self._n_passed, None)

    def _rows(self) -> Iterator[Row | Malformed]:
        """Give them, and count them from the last place on at which a reader can go on."""
        for part, is_last in self._table.parts():
            given, is_left = part, True
            while is_left:
                rows, rejects, is_left = self._reader.split(given, is_last=is_last)
                given = b""
                for one in self._found(rows, rejects):
                    self._n_given += 1
                    yield one
            if (place := self._reader.place()) is not None:
                self._place, self._n_read, self._n_given = place, self._table.bytes_read, 0

    def _found(self, rows: list[tuple[int, Any]], rejects: list[tuple[int, str, bytes, bool]]) -> list[Row | Malformed]:
        """Make rows of what was cut."""
        found: list[Row | Malformed] = [Malformed(*reject) for reject in rejects]
        if self.kind == "csv":
            found += (Row(line, dict(zip(self.header, fields, strict=True)), fields) for line, fields in rows)
        else:
            found += (_decode(line, text) for line, text in rows)
        # The parts of a line that was too long to be held stay in their order.
        return sorted(found, key=lambda one: one.line) if rejects else found


def _decode(line: int, text: str) -> Row | Malformed:
    """Make a row of a JSON line."""
    text = text.strip(JSON_SPACE)
    try:
        cells = DECODER.decode(text)
    except json.JSONDecodeError as problem:
        return Malformed(line, f"not JSON: {problem.msg}, column {problem.colno}", text.encode())
    except RecursionError:
        return Malformed(line, "nested too deeply", text.encode())
    if not isinstance(cells, dict):
        return Malformed(line, f"{name_json_type(cells)}, not an object", text.encode())
    return Row(line, cast("dict[str, Any]", cells), text)


def name_json_type(value: object) -> str:
    """Name the type of a JSON value that is no string.

    Args:
        value: What stands for it in Python.

    Returns:
        For example ``a number`` or ``an array``.
    """
    return "null" if value is None else JSON_TYPES.get(type(value), "a string")


def open_table(stream: BinaryIO, kind: Kind, *, delimiter: str | None = None) -> RowReader:
    """Read a table of text from a stream.

    Args:
        stream: Bytes of UTF-8, at their beginning.
        kind: ``jsonl``, ``json`` or ``csv``.
        delimiter: What parts the fields of CSV; None to find out.

    Returns:
        A reader that gives the table's rows.

    Raises:
        TableError: If the stream holds no such table.
    """
    return RowReader(TextTable(stream, kind, delimiter=delimiter))


def make_row(number: int, cells: Mapping[str, Any], *, has_fields: bool) -> Row:
    """Make a row of values that come from another kind of table.

    Args:
        number: Which row it is, from 1.
        cells: The values by column, of whatever types such tables have.
        has_fields: Whether it is to be written as CSV.

    Returns:
        The row.

    Raises:
        TableError: If a value has no form in text.
    """
    return Row(number, cells, [_to_field(value) for value in cells.values()] if has_fields else [])


class JsonlWriter:
    """Writes rows as JSON lines, the columns they came with exactly as they stood."""

    def __init__(self, stream: BinaryIO) -> None:
        """Write to a binary stream."""
        self._stream = stream

    def write(self, rows: Iterable[tuple[Row, Mapping[str, Any]]]) -> None:
        """Write some rows.

        Args:
            rows: Each with the columns to add, whose names must be new to the row.
        """
        lines: list[str] = []
        for row, added in rows:
            text = row.source if isinstance(row.source, str) else ENCODER.encode(row.cells)
            between = ", " if row.cells else ""
            lines.append(f"{text[:-1].rstrip(JSON_SPACE)}{between}{ENCODER.encode(added)[1:]}\n")
        write_all(self._stream, _encode("".join(lines)))


class CsvWriter:
    """Writes rows of a CSV table; an added value that is no text is written as JSON, and None as an empty field."""

    def __init__(
        self, stream: BinaryIO, header: Iterable[str], *, delimiter: str = ",", is_begun: bool = False
    ) -> None:
        """Write the header to a binary stream, unless a table is begun there that has it."""
        self._stream = stream
        self._delimiter = delimiter
        if not is_begun:
            self._write([list(header)])

    def write(self, rows: Iterable[tuple[Row, Mapping[str, Any]]]) -> None:
        """Write some rows.

        Args:
            rows: Each from a CSV table, with the columns to add in the order of the header.
        """
        self._write([*row.source, *map(_to_field, added.values())] for row, added in rows)

    def _write(self, records: Iterable[list[str]]) -> None:
        """Write some records."""
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self._delimiter).writerows(records)
        write_all(self._stream, _encode(text.getvalue()))


def _encode(text: str) -> bytes:
    r"""A lone surrogate, which UTF-8 has not, becomes its escape ``\ud800``; JSON reads the same text from it."""
    return text.encode("utf-8", "backslashreplace")


def _to_field(value: Any) -> str:
    """Write a value as a CSV field."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, date | time):
        return value.isoformat()
    return ENCODER.encode(value)
