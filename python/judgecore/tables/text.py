"""Tables of text: JSON lines, JSON arrays and CSV, part by part as bytes of UTF-8."""

from __future__ import annotations

import io
import select
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast

from judgecore._core import TableReader, json_array_lines, table_columns
from judgecore.errors import TableError
from judgecore.tables.files import UNREADABLE, has_undecoded_bytes, input_error, restore_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from judgecore.tables.files import Kind

__all__ = ["LONGEST_RECORD", "Place", "TableReader", "TextKind", "TextTable"]

TextKind = Literal["jsonl", "csv"]
Where = Literal["line", "row"]
Reject = tuple[int, str, bytes, bool]
"""A line that a ``TableReader`` rejected: its number, why, its bytes, and whether they go on those before."""
Place = tuple[int, int, list[int | None], list[tuple[int, int]]]
"""Where a ``TableReader`` goes on: the line and the byte at which a record begins, and what was seen before it."""

PART = 1 << 20
# A writer that pauses so long, in seconds, is not waited for.
PIPE_PAUSE_S = 0.02
BOM = b"\xef\xbb\xbf"
# What the extension says of bytes that are not in an encoding.
NOT_UTF8 = "not UTF-8"
# One quotation mark too many would otherwise take in the rest of the file as one field.
LONGEST_RECORD = 64 << 20

# What is mistaken for a table of text most often, by its first bytes.
BINARY_TABLES = {
    b"PAR1": "is Parquet; say so with --input-format parquet (in Python: kind=), and name the file",
    b"ARROW1": "is Arrow IPC; say so with --input-format arrow (in Python: kind=), and name the file",
}


class TextTable:
    """A table of text, whose columns are known and whose rows are still to be read.

    Attributes:
        kind: ``jsonl`` or ``csv``; a JSON array becomes JSON lines.
        columns: A CSV table's header, or the keys of the first JSON lines.
        delimiter: What parts the fields of CSV.
        place: What rows are told apart by: their line, or in a JSON array their number.
        bytes_read: How much of the text has been given.
    """

    def __init__(
        self, stream: BinaryIO, kind: Kind, *, delimiter: str | None = None, encoding: str | None = None
    ) -> None:
        """Read the beginning of a stream.

        Args:
            stream: Bytes of UTF-8, at their beginning.
            kind: ``jsonl``, ``json`` or ``csv``.
            delimiter: What parts the fields of CSV, one ASCII character; None to find out.
            encoding: The encoding that the bytes were recoded from; None where they stand so in the file.

        Raises:
            TableError: If it can't be read, is another kind of table, or has no header.
        """
        self._stream = stream
        self._encoding = encoding
        self.bytes_read = 0
        first = self._read()
        for magic, problem in BINARY_TABLES.items():
            if first.startswith(magic):
                raise TableError(f"the table {problem}")
        if kind == "json":
            first = self._array_lines(first)
        self.kind: TextKind = "csv" if kind == "csv" else "jsonl"
        self.place: Where = "row" if kind == "json" else "line"
        first, self.columns, self.delimiter = self._find_columns(first, delimiter)
        self._first, self._n_first = io.BytesIO(first), len(first)
        self._carried = b""
        self.bytes_read = 0

    def parts(self) -> Iterator[tuple[bytes, bool]]:
        """Give part after part.

        Yields:
            The bytes, at the beginning those that told the columns, and whether they are the last, which may be none.

        Raises:
            TableError: If no more can be read.
        """
        while part := self._next():
            carried, self._carried = self._carried, b""
            yield carried + part, False
        yield self._carried, True

    def resume(self, reader: TableReader, place: Sequence[Any], n_read: int) -> None:
        """Begin the parts in the middle, cut as they are from the beginning on.

        Args:
            reader: What reads them.
            place: Where it goes on, as the place of another or as JSON holds that.
            n_read: How much of the text had been given there: the next part that is read begins there.

        Raises:
            TableError: If it can't be read, or has no such bytes.
        """
        line, offset, counted, dead = place
        reader.go_on((line, offset, counted, [(begin, end) for begin, end in dead]))
        carried: list[bytes] = []
        while self.bytes_read < n_read:
            if self.bytes_read >= self._n_first and _is_skippable(self._stream):
                passed = (offset - self.bytes_read) // PART * PART
                if passed > 0:
                    self._stream.seek(passed, io.SEEK_CUR)
                    self.bytes_read += passed
            before = self.bytes_read
            part = self._next()
            if not part:
                raise TableError(f"ends at byte {self.bytes_read}, before the place to go on at")
            carried.append(part[max(offset - before, 0) :])
        self._carried = b"".join(carried)

    def restore_reject(self, reject: Reject) -> tuple[int, str, bytes, bool, str | None]:
        """Give what was rejected as it stood in the file.

        Args:
            reject: The line, the problem, the bytes of UTF-8, and whether they go on those before.

        Returns:
            The same, and the encoding that the bytes are not in, where the table was recoded from it.
        """
        line, problem, raw, goes_on = reject
        if self._encoding is None or not has_undecoded_bytes(raw):
            return (*reject, None)
        problem = f"not {self._encoding}" if problem.startswith(NOT_UTF8) else problem
        return line, problem, restore_bytes(raw, self._encoding), goes_on, self._encoding

    def _next(self) -> bytes:
        """Give the next part: of what told the columns, while there is some."""
        part = self._first.read(PART) or self._read()
        self.bytes_read += len(part)
        return part

    def _read(self) -> bytes:
        """Read the next part."""
        try:
            return _read_ready(self._stream) if _is_live(self._stream) else self._stream.read(PART)
        except UNREADABLE as problem:
            raise input_error(problem) from problem

    def _array_lines(self, first: bytes) -> bytes:
        """Read all of a JSON array, and give its objects as JSON lines."""
        parts = [first]
        while part := self._read():
            parts.append(part)
        try:
            return json_array_lines(b"".join(parts))
        except ValueError as problem:
            are_lines = parts[0].removeprefix(BOM).lstrip().startswith(b"{")
            cure = "; JSON lines are read with --input-format jsonl (in Python: kind=)" if are_lines else ""
            raise TableError(f"is no JSON array of objects: {problem}{cure}") from None

    def _find_columns(self, first: bytes, delimiter: str | None) -> tuple[bytes, list[str], str]:
        """Read on until the columns are known."""
        is_last = False
        while True:
            try:
                columns, found = table_columns(self.kind, first, is_last=is_last, delimiter=delimiter)
            except ValueError as problem:
                said = "the first row of a CSV file must name its columns, but it is"
                is_foreign = self._encoding is not None and str(problem).startswith(NOT_UTF8)
                raise TableError(f"{said} {f'not {self._encoding}' if is_foreign else problem}") from None
            if columns or is_last or (columns is not None and self.kind == "csv"):
                columns = columns or []
                if self.kind == "csv" and columns == [""]:
                    raise TableError("the table is empty; the first row of a CSV file must name its columns")
                return first, columns, found or ","
            if len(first) >= LONGEST_RECORD:
                raise TableError(f"the first {LONGEST_RECORD >> 20} MiB hold no row that names the columns")
            part = self._read()
            is_last = not part
            first += part


def _is_live(stream: BinaryIO) -> bool:
    """Tell whether a stream is a pipe or a terminal, whose writer may take its time."""
    return isinstance(getattr(stream, "raw", None), io.FileIO) and not stream.seekable()


def _is_skippable(stream: BinaryIO) -> bool:
    """Tell whether bytes of a stream can be passed over: it is a file, perhaps compressed, in UTF-8."""
    return isinstance(stream, io.BufferedReader) and stream.seekable()


def _read_ready(stream: BinaryIO) -> bytes:
    """Read what a pipe or a terminal has, and wait for some where it has none."""
    some = cast("io.BufferedReader", stream)
    parts = [some.read1(PART)]
    size = len(parts[0])
    while 0 < size < PART and select.select([some], [], [], PIPE_PAUSE_S)[0] and (part := some.read1(PART)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)
