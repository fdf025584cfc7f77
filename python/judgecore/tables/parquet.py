"""Parquet tables, read and written batch by batch; pyarrow comes with the extra ``arrow``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from judgecore.arrow import without_surrogates
from judgecore.errors import TableError
from judgecore.tables.files import import_arrow
from judgecore.tables.rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ROWS_IN_BATCH = 1024
# A file's columns get their types from so many rows; later ones must fit.
ROWS_FOR_TYPES = 10_000


def load_pyarrow() -> Any:
    """Import pyarrow and its Parquet module.

    Raises:
        TableError: If it is not installed; the message names the cure.
    """
    import_arrow("pyarrow.parquet", "Parquet")
    return import_arrow("pyarrow", "Parquet")


class ParquetReader:
    """The rows of a Parquet file.

    Attributes:
        bytes_read: 0; Parquet is not read from front to back.
        n_rows: How many rows the file has.
        header: The columns' names.
    """

    def __init__(self, stream: BinaryIO) -> None:
        """Read the footer from a binary stream; a file without one is a ``TableError``."""
        pa = load_pyarrow()
        try:
            self._file = pa.parquet.ParquetFile(stream)
        except (pa.ArrowException, OSError) as problem:
            raise TableError(f"is no Parquet: {problem}") from None
        self.bytes_read = 0
        self.n_rows: int = self._file.metadata.num_rows
        self.header: list[str] = list(self._file.schema_arrow.names)

    def __iter__(self) -> Iterator[Row]:
        """Give row after row; a row's line is its number, from 1."""
        pa = load_pyarrow()
        number = 0
        try:
            for batch in self._file.iter_batches(batch_size=ROWS_IN_BATCH):
                for cells in batch.to_pylist():
                    number += 1
                    yield Row(number, cells, [])
        except (pa.ArrowException, OSError) as problem:
            raise TableError(f"row {number + 1} can't be read: {problem}") from None


class ParquetWriter:
    """Writes rows to a Parquet file, whose columns get their types from the first rows."""

    def __init__(self, stream: BinaryIO) -> None:
        """Write to a binary stream."""
        self._pa = load_pyarrow()
        self._stream = stream
        self._waiting: list[dict[str, Any]] = []
        self._n_written = 0
        self._writer: Any = None

    def write(self, rows: Iterable[tuple[Row, Mapping[str, Any]]]) -> None:
        """Write some rows; a lone surrogate, which a column can't hold, becomes U+FFFD.

        Args:
            rows: Each with the columns to add, whose names must be new to the row.

        Raises:
            TableError: If a value is of another type than those above it.
        """
        self._waiting.extend(without_surrogates({**row.exact_cells(), **added}) for row, added in rows)
        if len(self._waiting) >= ROWS_FOR_TYPES:
            self._flush()

    def close(self) -> None:
        """Write what is left, and the footer.

        Raises:
            TableError: As ``write``.
        """
        if self._waiting or self._writer is None:
            self._flush()
        if self._writer is not None:
            self._writer.close()

    def _flush(self) -> None:
        pa = self._pa
        names = list(dict.fromkeys(name for cells in self._waiting for name in cells))
        schema: Any = None if self._writer is None else self._writer.schema
        try:
            if schema is None:
                table = pa.Table.from_pydict({name: [cells.get(name) for cells in self._waiting] for name in names})
                table = table.cast(pa.schema([_settled(pa, field) for field in table.schema]))
                self._writer = pa.parquet.ParquetWriter(self._stream, table.schema)
            else:
                strange = next((name for name in names if name not in schema.names), None)
                if strange is not None:
                    raise TableError(f"the column {strange!r} first occurs below row {self._n_written}")
                table = pa.Table.from_pylist(self._waiting, schema=schema)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as problem:
            first = self._n_written + 1
            raise TableError(
                f"rows {first} to {first + len(self._waiting) - 1} fit no Parquet column: {problem}"
            ) from None
        cast("Any", self._writer).write_table(table)
        self._n_written += len(self._waiting)
        self._waiting = []


def to_text(value: Any) -> str | None:
    """Write a value as JSON text, so that a column of such values has one type; None stays None."""
    return None if value is None else json.dumps(value, ensure_ascii=False)


def _settled(pa: Any, field: Any) -> Any:
    """A column that is empty so far is one of text, because a column of nothing takes nothing."""
    return field.with_type(pa.string()) if pa.types.is_null(field.type) else field
