"""Where rows go: to a table of the kind that the output's name says, each row with its outcome."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from judgecore.cli import arrow
from judgecore.cli.arrow import ArrowReader, ArrowWriter, RowColumns
from judgecore.cli.files import KIND_OF_SUFFIX, Kind, TableError, kind_of
from judgecore.cli.tables import CsvReader, CsvWriter, JsonlReader, JsonlWriter, Row, make_row
from judgecore.cli.values import to_cell
from judgecore.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from judgecore.cli.job import Job
    from judgecore.reading import Readings


class RowWriter:
    """Writes rows as JSON lines or CSV, each with its outcome."""

    def __init__(self, writer: JsonlWriter | CsvWriter, job: Job) -> None:
        """Write with a writer."""
        self._writer = writer
        self._job = job

    def write(self, rows: Sequence[Row], readings: Readings) -> None:
        """Write some rows."""
        self._writer.write(add_columns(rows, readings, self._job))

    def close(self) -> None:
        """Do nothing: what ends is written with the last row."""


class RowsAsColumns:
    """Writes the rows of JSON lines or CSV as Parquet or Arrow IPC."""

    def __init__(self, table: JsonlReader | CsvReader, sink: BinaryIO, kind: Kind, job: Job) -> None:
        """Write to a stream, once the first rows have told the types."""
        self._table = table
        self._sink = sink
        self._kind: Kind = kind
        self._job = job
        self._columns: RowColumns | None = None
        self._writer: ArrowWriter | None = None

    def write(self, rows: Sequence[Row], readings: Readings) -> None:
        """Write some rows."""
        columns, writer = self._open(rows)
        writer.write(arrow.add_columns(columns.piece(rows), readings, self._job.added))

    def close(self) -> None:
        """Write what ends the file."""
        self._open([])[1].close()

    def _open(self, rows: Sequence[Row]) -> tuple[RowColumns, ArrowWriter]:
        """Give what makes columns and what writes them."""
        if self._columns is None or self._writer is None:
            job = self._job
            self._columns = RowColumns(self._table, rows)
            refuse_taken_names(self._columns.schema.names, job, line=rows[0].line if rows else 1)
            schema = extended(self._columns.schema, job)
            self._writer = ArrowWriter(self._sink, self._kind, job.output or "", schema)
        return self._columns, self._writer


class ColumnWriter:
    """Writes pieces of Parquet or Arrow IPC as either of them."""

    def __init__(self, writer: ArrowWriter, job: Job) -> None:
        """Write with a writer."""
        self._writer = writer
        self._job = job

    def write(self, piece: Any, readings: Readings, first: int) -> None:
        """Write a piece; ``first`` is the number of its first row."""
        del first
        self._writer.write(arrow.add_columns(piece, readings, self._job.added))

    def close(self) -> None:
        """Write what ends the file."""
        self._writer.close()


class ColumnsAsRows:
    """Writes pieces of Parquet or Arrow IPC as JSON lines or CSV."""

    def __init__(self, writer: JsonlWriter | CsvWriter, job: Job) -> None:
        """Write with a writer."""
        self._writer = writer
        self._job = job

    def write(self, piece: Any, readings: Readings, first: int) -> None:
        """Write a piece; ``first`` is the number of its first row."""
        has_fields = isinstance(self._writer, CsvWriter)
        rows = [make_row(first + nth, cells, has_fields=has_fields) for nth, cells in enumerate(piece.to_pylist())]
        self._writer.write(add_columns(rows, readings, self._job))

    def close(self) -> None:
        """Do nothing: what ends is written with the last row."""


def make_writer(job: Job, table: JsonlReader | CsvReader, sink: BinaryIO) -> RowWriter | RowsAsColumns:
    """Make what writes the rows of JSON lines or CSV.

    Args:
        job: What to do.
        table: Where rows come from.
        sink: Where they go.

    Returns:
        A writer of the kind that the output's name says, or of the table's own.

    Raises:
        TableError: If such rows can't be written so.
    """
    kind = output_kind(job, table.kind)
    if kind in ("parquet", "arrow"):
        return RowsAsColumns(table, sink, kind, job)
    if isinstance(table, JsonlReader):
        if kind == "csv":
            name = Path(job.output or "-").name
            raise TableError(f"rows of JSON lines need not have the same columns; write {name.split('.')[0]}.jsonl")
        return RowWriter(JsonlWriter(sink), job)
    refuse_taken_names(table.header, job, line=1)
    return RowWriter(CsvWriter(sink, [*table.header, *job.added]) if kind == "csv" else JsonlWriter(sink), job)


def make_column_writer(job: Job, table: ArrowReader, sink: BinaryIO) -> ColumnWriter | ColumnsAsRows:
    """Make what writes the pieces of Parquet or Arrow IPC.

    Args:
        job: What to do.
        table: Where pieces come from.
        sink: Where they go.

    Returns:
        A writer of the kind that the output's name says, or of the table's own; of JSON lines for standard output.

    Raises:
        TableError: If a column has a name that is to be added.
    """
    refuse_taken_names(table.header, job, line=None)
    kind = "jsonl" if job.output == "-" else output_kind(job, table.kind)
    if kind == "jsonl":
        return ColumnsAsRows(JsonlWriter(sink), job)
    if kind == "csv":
        return ColumnsAsRows(CsvWriter(sink, [*table.header, *job.added]), job)
    return ColumnWriter(ArrowWriter(sink, kind, job.output or "", extended(table.schema, job)), job)


def output_kind(job: Job, own: Kind) -> Kind:
    """Tell what kind of table the output is.

    Args:
        job: What to do.
        own: The kind of the table that is read.

    Returns:
        The kind that the output's name says, else the table's own.
    """
    return kind_of(job.output or "-", KIND_OF_SUFFIX) or own


def extended(schema: Any, job: Job) -> Any:
    """Give the schema with the columns that are added.

    Args:
        schema: Of pyarrow.
        job: What to do.

    Returns:
        The schema of the output.
    """
    for field in arrow.reading_fields(job.format, job.added):
        schema = schema.append(field)
    return schema


def refuse_taken_names(columns: Iterable[str], job: Job, line: int | None) -> None:
    """Refuse a row that has a column of a name that is to be added.

    Args:
        columns: The row's columns.
        job: What to do.
        line: The row's line; None for a table whose rows are all alike.

    Raises:
        TableError: If it has one.
    """
    taken = [name for name in columns if name in job.added]
    if taken:
        names = ", ".join(map(repr, taken))
        where = "the table" if line is None else f"line {line}:"
        raise TableError(f"{where} already has {names}; name the new columns otherwise, as with --prefix jc_")


def add_columns(rows: Sequence[Row], readings: Readings, job: Job) -> Iterator[tuple[Row, dict[str, Any]]]:
    """Put the outcomes beside the rows.

    Args:
        rows: The rows.
        readings: The outcome of each.
        job: What to do.

    Yields:
        Each row with the columns to add.

    Raises:
        TableError: If a row has a column of such a name.
    """
    for nth, row in enumerate(rows):
        if not row.cells.keys().isdisjoint(job.added):
            refuse_taken_names(row.cells, job, row.line)
        outcome = readings[nth]
        if isinstance(outcome, Reading):
            cells = (to_cell(outcome, job.format), "ok", None, outcome.rule, *outcome.span)
        else:
            cells = (None, "unreadable", outcome.reason, None, None, None)
        yield row, dict(zip(job.added, cells, strict=True))
