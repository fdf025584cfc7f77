"""Read text tables (JSON lines, JSON arrays and CSV) in chunks of UTF-8."""

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
"""A line that a ``TableReader`` rejected: its number, the problem, its bytes, and whether it continues the last one."""
Place = tuple[int, int, list[int | None], list[tuple[int, int]]]
"""Where a ``TableReader`` resumes: the line and byte at which a record begins, and what was seen before it."""

PART = 1 << 20
# How long to wait for more data from a pipe before processing what has arrived, in seconds.
PIPE_PAUSE_S = 0.02
BOM = b"\xef\xbb\xbf"
# How the extension's message about invalid bytes begins.
NOT_UTF8 = "not UTF-8"
# The limit keeps a stray quotation mark from making the rest of the file one field.
LONGEST_RECORD = 64 << 20

# Binary tables that are often passed as text, by their magic bytes.
BINARY_TABLES = {
    b"PAR1": "is Parquet; use --input-format parquet (in Python: kind=), and name the file",
    b"ARROW1": "is Arrow IPC; use --input-format arrow (in Python: kind=), and name the file",
}


class TextTable:
    """A text table whose columns are known, and whose chunks can be read."""

    def __init__(
        self, stream: BinaryIO, kind: Kind, *, delimiter: str | None = None, encoding: str | None = None
    ) -> None:
        """Read the beginning of a stream of UTF-8; ``encoding`` is the original one if the stream converts it."""
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
        """Yield the table's chunks, each with whether it is the last one, which may be empty."""
        while part := self._next():
            carried, self._carried = self._carried, b""
            yield carried + part, False
        yield self._carried, True

    def resume(self, reader: TableReader, place: Sequence[Any], n_read: int) -> None:
        """Start in the middle of the table, with the same chunk boundaries as from the beginning.

        ``place`` is that of another reader, also after a round trip through JSON; the next chunk begins at ``n_read``,
        the number of bytes that had been yielded there.
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
                raise TableError(f"ends at byte {self.bytes_read}, before the position to resume from")
            carried.append(part[max(offset - before, 0) :])
        self._carried = b"".join(carried)

    def restore_reject(self, reject: Reject) -> tuple[int, str, bytes, bool, str | None]:
        """Return a rejected line's bytes in the file's encoding, and that encoding if they are invalid in it."""
        line, problem, raw, goes_on = reject
        if self._encoding is None or not has_undecoded_bytes(raw):
            return (*reject, None)
        problem = f"not {self._encoding}" if problem.startswith(NOT_UTF8) else problem
        return line, problem, restore_bytes(raw, self._encoding), goes_on, self._encoding

    def _next(self) -> bytes:
        """Return the next chunk, first from the bytes read to find the columns."""
        part = self._first.read(PART) or self._read()
        self.bytes_read += len(part)
        return part

    def _read(self) -> bytes:
        """Read the next chunk from the stream."""
        try:
            return _read_ready(self._stream) if _is_live(self._stream) else self._stream.read(PART)
        except UNREADABLE as problem:
            raise input_error(problem) from problem

    def _array_lines(self, first: bytes) -> bytes:
        """Read a whole JSON array, and convert its objects to JSON lines."""
        parts = [first]
        while part := self._read():
            parts.append(part)
        try:
            return json_array_lines(b"".join(parts))
        except ValueError as problem:
            are_lines = parts[0].removeprefix(BOM).lstrip().startswith(b"{")
            cure = "; for JSON lines use --input-format jsonl (in Python: kind=)" if are_lines else ""
            raise TableError(f"is not a JSON array of objects: {problem}{cure}") from None

    def _find_columns(self, first: bytes, delimiter: str | None) -> tuple[bytes, list[str], str]:
        """Read until the columns are known."""
        is_last = False
        while True:
            try:
                columns, found = table_columns(self.kind, first, is_last=is_last, delimiter=delimiter)
            except ValueError as problem:
                opening = "the first row of a CSV file must name its columns, but it is"
                is_foreign = self._encoding is not None and str(problem).startswith(NOT_UTF8)
                raise TableError(f"{opening} {f'not {self._encoding}' if is_foreign else problem}") from None
            if columns or is_last or (columns is not None and self.kind == "csv"):
                columns = columns or []
                if self.kind == "csv" and columns == [""]:
                    raise TableError("the table is empty; the first row of a CSV file must name its columns")
                return first, columns, found or ","
            if len(first) >= LONGEST_RECORD:
                raise TableError(f"found no row that names the columns in the first {LONGEST_RECORD >> 20} MiB")
            part = self._read()
            is_last = not part
            first += part


def _is_live(stream: BinaryIO) -> bool:
    """Return whether a stream is a pipe or a terminal, where reads may block."""
    return isinstance(getattr(stream, "raw", None), io.FileIO) and not stream.seekable()


def _is_skippable(stream: BinaryIO) -> bool:
    """Return whether a stream can skip bytes by seeking: a file in UTF-8, possibly compressed."""
    return isinstance(stream, io.BufferedReader) and stream.seekable()


def _read_ready(stream: BinaryIO) -> bytes:
    """Read the available bytes of a pipe or a terminal; wait if there are none."""
    some = cast("io.BufferedReader", stream)
    parts = [some.read1(PART)]
    size = len(parts[0])
    while 0 < size < PART and select.select([some], [], [], PIPE_PAUSE_S)[0] and (part := some.read1(PART)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)
