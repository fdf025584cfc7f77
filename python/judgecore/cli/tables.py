"""Tables of replies: rows of JSON lines and CSV, read one by one and written beside what was read from them."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from datetime import date, time
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from judgecore.cli.files import TableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from judgecore.cli.files import Kind

BOM = b"\xef\xbb\xbf"

# What is mistaken for a table most often, by its first bytes.
FOREIGN = {
    b"\xff\xfe": "is UTF-16; save it as UTF-8",
    b"\xfe\xff": "is UTF-16; save it as UTF-8",
    b"PAR1": "is Parquet; say so with --input-format parquet, and name the file",
    b"ARROW1": "is Arrow IPC; say so with --input-format arrow, and name the file",
}

# One quote too many would otherwise take in the rest of the file as one field.
LONGEST_FIELD = 64 << 20

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

    def exact_cells(self) -> dict[str, Any]:
        """Return the cells; those of a JSON line anew, because its whole numbers were read as others."""
        return json.loads(self.source) if isinstance(self.source, str) else dict(self.cells)


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is no row.

    Attributes:
        line: The line of the file on which it begins, from 1.
        problem: What is wrong with it.
    """

    line: int
    problem: str


class JsonlReader:
    """The rows of a file of JSON objects, one on each line.

    Attributes:
        kind: ``jsonl``.
        bytes_read: How much of the file has been read.
    """

    kind: Kind = "jsonl"

    def __init__(self, stream: BinaryIO) -> None:
        """Read from a binary stream."""
        self.bytes_read = 0
        self._stream = stream

    def __iter__(self) -> Iterator[Row | Malformed]:
        """Give row after row; empty lines are passed over."""
        for number, line in enumerate(self._stream, start=1):
            self.bytes_read += len(line)
            if not line.isspace():
                yield self._read(number, line.removeprefix(BOM) if number == 1 else line)

    @staticmethod
    def _read(number: int, line: bytes) -> Row | Malformed:
        """Read one line."""
        try:
            text = line.decode("utf-8").strip(JSON_SPACE)
            cells = DECODER.decode(text)
        except UnicodeDecodeError as problem:
            return Malformed(number, f"not UTF-8 at byte {problem.start + 1}")
        except json.JSONDecodeError as problem:
            return Malformed(number, f"not JSON: {problem.msg}, column {problem.colno}")
        except RecursionError:
            return Malformed(number, "nested too deeply")
        if not isinstance(cells, dict):
            return Malformed(number, f"{name_json_type(cells)}, not an object")
        return Row(number, cast("dict[str, Any]", cells), text)


class CsvReader:
    """The rows of a CSV file whose first row names the columns.

    Attributes:
        kind: ``csv``.
        bytes_read: How much of the file has been read.
        header: The columns' names.
    """

    kind: Kind = "csv"

    def __init__(self, stream: BinaryIO) -> None:
        """Read the header from a binary stream; a file without one is a ``TableError``."""
        self.bytes_read = 0
        self._stream = stream
        self._line = 0
        self._undecodable: tuple[int, int] | None = None
        csv.field_size_limit(LONGEST_FIELD)
        self._records = csv.reader(self._lines(), strict=True)
        header = next(self._fields(), None)
        if header is None:
            raise TableError("the table is empty; the first row of a CSV file must name its columns")
        if isinstance(header, Malformed):
            raise TableError(f"the first row of a CSV file must name its columns, but it is {header.problem}")
        self.header = header[1]

    def __iter__(self) -> Iterator[Row | Malformed]:
        """Give row after row; empty lines are passed over."""
        for record in self._fields():
            if isinstance(record, Malformed):
                yield record
                continue
            line, fields = record
            if len(fields) != len(self.header):
                yield Malformed(line, f"{len(fields)} fields, where the header has {len(self.header)}")
                continue
            yield Row(line, dict(zip(self.header, fields, strict=True)), fields)

    def _fields(self) -> Iterator[tuple[int, list[str]] | Malformed]:
        """Give each record with the line on which it begins."""
        while True:
            line = self._line + 1
            try:
                fields = next(self._records)
            except StopIteration:
                return
            except csv.Error as problem:
                self._take_undecodable()
                # Python's cure for this one is for programs; those who have a file read what stands in it.
                is_return = str(problem).startswith("new-line character")
                said = "a carriage return stands outside quotation marks" if is_return else problem
                yield Malformed(line, f"not CSV: {said}")
                continue
            undecodable = self._take_undecodable()
            if undecodable is not None:
                yield Malformed(line, f"not UTF-8 at byte {undecodable[1]} of line {undecodable[0]}")
            elif fields:
                yield line, fields

    def _take_undecodable(self) -> tuple[int, int] | None:
        """Give the line and byte that is not UTF-8 in the record just read, from 1, and forget it."""
        undecodable, self._undecodable = self._undecodable, None
        return undecodable

    def _lines(self) -> Iterator[str]:
        """Give each line as text, and note the first that is not UTF-8."""
        for line in self._stream:
            self.bytes_read += len(line)
            self._line += 1
            encoding = "utf-8-sig" if self._line == 1 else "utf-8"
            try:
                yield line.decode(encoding)
            except UnicodeDecodeError as problem:
                self._undecodable = self._undecodable or (self._line, problem.start + 1)
                yield line.decode(encoding, "replace")


def name_json_type(value: object) -> str:
    """Name the type of a JSON value that is no string.

    Args:
        value: What stands for it in Python.

    Returns:
        For example ``a number`` or ``an array``.
    """
    return "null" if value is None else JSON_TYPES.get(type(value), "a string")


def open_table(stream: BinaryIO, kind: Kind) -> JsonlReader | CsvReader:
    """Read a table from a stream.

    Args:
        stream: Buffered, at its beginning.
        kind: ``jsonl`` or ``csv``.

    Returns:
        A reader that gives the table's rows.

    Raises:
        TableError: If the stream holds no such table.
    """
    beginning = cast("io.BufferedReader", stream).peek(6)
    for magic, problem in FOREIGN.items():
        if beginning.startswith(magic):
            raise TableError(f"the table {problem}")
    return JsonlReader(stream) if kind == "jsonl" else CsvReader(stream)


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
        self._stream.write(_encode("".join(lines)))


class CsvWriter:
    """Writes rows of a CSV table; an added value that is no text is written as JSON, and None as an empty field."""

    def __init__(self, stream: BinaryIO, header: Iterable[str]) -> None:
        """Write the header to a binary stream."""
        self._stream = stream
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
        csv.writer(text).writerows(records)
        self._stream.write(_encode(text.getvalue()))


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
