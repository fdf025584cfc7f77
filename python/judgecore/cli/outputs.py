"""Where rows go: to a table of the kind that the output's name says, each row with its outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from judgecore.cli.job import PARTS
from judgecore.cli.values import to_cell
from judgecore.errors import TableError
from judgecore.reading import Reading
from judgecore.tables import arrow
from judgecore.tables.arrow import ArrowReader, ArrowWriter, RowColumns
from judgecore.tables.files import Kind, kind_of
from judgecore.tables.opening import output_delimiter
from judgecore.tables.rows import CsvWriter, JsonlWriter, RowReader, refuse_duplicate_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from judgecore.cli.job import ParseJob, Part
    from judgecore.reading import Format, Readings, Unreadable
    from judgecore.tables.rows import Row


class RowsAsColumns:
    """Writes the rows of JSON lines or CSV as Parquet or Arrow IPC."""

    def __init__(self, table: RowReader, sink: BinaryIO, kind: Kind, job: ParseJob) -> None:
        """Write to a stream, once the first rows decide the column types."""
        self._table = table
        self._sink = sink
        self._kind: Kind = kind
        self._job = job
        self._columns: RowColumns | None = None
        self._writer: ArrowWriter | None = None

    def write(self, rows: Sequence[Row], readings: Sequence[Readings]) -> None:
        """Write some rows, with the outcomes of each column of replies."""
        if not rows:
            return
        columns, writer = self._open(rows)
        writer.write(add_columns(columns.piece(rows), readings, self._job))

    @property
    def is_flushed(self) -> bool:
        """Whether all rows that were given are written."""
        return self._writer is not None and self._writer.is_flushed

    def close(self) -> None:
        """Write what ends the file."""
        self._open([])[1].close()

    def _open(self, rows: Sequence[Row]) -> tuple[RowColumns, ArrowWriter]:
        """Give what makes columns and what writes them."""
        if self._columns is None or self._writer is None:
            job = self._job
            staged = arrow.staged_schema(self._sink) if job.is_resumable else None
            known = None if staged is None else list(staged)[: -len(job.added)]
            names = self._table.header if self._table.kind == "csv" else None
            self._columns = RowColumns(rows, names=names, known=known)
            refuse_taken_names(self._columns.schema.names, job, rows[0].where if rows else None)
            schema = extend_schema(self._columns.schema, job)
            self._writer = ArrowWriter(self._sink, self._kind, job.output or "", schema, is_staged=job.is_resumable)
        return self._columns, self._writer


class ColumnWriter:
    """Writes pieces of Parquet or Arrow IPC as either of them."""

    def __init__(self, writer: ArrowWriter, job: ParseJob) -> None:
        """Write with a writer."""
        self._writer = writer
        self._job = job

    def write(self, piece: Any, readings: Sequence[Readings], first: int) -> None:
        """Write a piece; ``first`` is the number of its first row."""
        del first
        self._writer.write(add_columns(piece, readings, self._job))

    @property
    def is_flushed(self) -> bool:
        """Whether all rows that were given are written."""
        return self._writer.is_flushed

    def close(self) -> None:
        """Write what ends the file."""
        self._writer.close()


class ColumnsAsRows:
    """Writes pieces of Parquet or Arrow IPC as JSON lines or CSV.

    Attributes:
        is_flushed: Whether all rows that were given are written.
    """

    is_flushed = True

    def __init__(self, writer: JsonlWriter | CsvWriter, job: ParseJob) -> None:
        """Write with a writer."""
        self._writer = writer
        self._job = job

    def write(self, piece: Any, readings: Sequence[Readings], first: int) -> None:
        """Write a piece; ``first`` is the number of its first row."""
        self._writer.write(add_cells(arrow.to_rows(piece, first), readings, self._job))

    def close(self) -> None:
        """Do nothing: what ends is written with the last row."""


def make_column_writer(
    job: ParseJob, table: ArrowReader, sink: BinaryIO, *, is_begun: bool = False
) -> ColumnWriter | ColumnsAsRows:
    """Make what writes the pieces of Parquet or Arrow IPC.

    Args:
        job: What to do.
        table: Where pieces come from.
        sink: Where they go.
        is_begun: Whether there are rows already.

    Returns:
        A writer of the kind that the output's name says, or of the table's own; of JSON lines for standard output.

    Raises:
        TableError: If a column has a name that is to be added.
    """
    refuse_taken_names(table.header, job, None)
    kind = "jsonl" if job.output == "-" else output_kind(job, table.kind)
    if kind == "jsonl":
        return ColumnsAsRows(JsonlWriter(sink), job)
    if kind == "csv":
        refuse_duplicate_names(table.header)
        delimiter = output_delimiter(job.output or "", None)
        own = CsvWriter(sink, table.header, job.added, delimiter=delimiter, is_csv=False, is_begun=is_begun)
        return ColumnsAsRows(own, job)
    schema = extend_schema(table.schema, job)
    return ColumnWriter(ArrowWriter(sink, kind, job.output or "", schema, is_staged=job.is_resumable), job)


def output_kind(job: ParseJob, own: Kind) -> Kind:
    """Tell what kind of table the output is.

    Args:
        job: What to do.
        own: The kind of the table that is read.

    Returns:
        The kind that the output's name says, else the table's own.
    """
    return kind_of(job.output or "-") or ("jsonl" if own == "json" else own)


def extend_schema(schema: Any, job: ParseJob) -> Any:
    """Give the schema with the columns that are added.

    Args:
        schema: Of pyarrow.
        job: What to do.

    Returns:
        The schema of the output.
    """
    for column in job.columns or ("",):
        for field in arrow.reading_fields(job.format, job.added_for(column)):
            schema = schema.append(field)
    return schema


def add_columns(piece: Any, readings: Sequence[Readings], job: ParseJob) -> Any:
    """Put outcomes beside a piece of a table.

    Args:
        piece: A pyarrow table.
        readings: The outcomes of each column of replies.
        job: What to do.

    Returns:
        The table with more columns; where only unread rows are wanted, of those.
    """
    for column, outcomes in zip(job.columns, readings, strict=True):
        piece = arrow.add_columns(piece, outcomes, job.added_for(column))
    return arrow.unread_rows(piece, readings) if job.is_unread_only else piece


def refuse_taken_names(columns: Iterable[str], job: ParseJob, where: str | None) -> None:
    """Refuse a row that has a column of a name that is to be added.

    Args:
        columns: The row's columns.
        job: What to do.
        where: Where the row stands; None for a table whose rows are all alike.

    Raises:
        TableError: If it has one.
    """
    taken = [name for name in columns if name in job.added]
    if taken:
        names = ", ".join(map(repr, taken))
        said = "the table" if where is None else f"{where}:"
        raise TableError(f"{said} already has {names}; name the new columns otherwise, as with --prefix jc_")


def add_cells(rows: Sequence[Row], readings: Sequence[Readings], job: ParseJob) -> Iterator[tuple[Row, dict[str, Any]]]:
    """Put outcomes beside rows.

    Args:
        rows: The rows.
        readings: The outcomes of each column of replies.
        job: What to do.

    Yields:
        Each row with the columns to add; where only unread rows are wanted, of those.
    """
    for nth, row in enumerate(rows):
        outcomes = [of_column[nth] for of_column in readings]
        if job.is_unread_only and all(isinstance(outcome, Reading) for outcome in outcomes):
            continue
        cells: dict[str, Any] = {}
        for column, outcome in zip(job.columns, outcomes, strict=True):
            cells_by_part = outcome_cells(outcome, job.format)
            cells |= {name: cells_by_part[part] for part, name in job.added_for(column)}
        yield row, cells


def outcome_cells(outcome: Reading | Unreadable, format_: Format) -> dict[Part, Any]:
    """Tell all of an outcome that a table may hold.

    Args:
        outcome: What reading a reply gave.
        format_: What it was read as.

    Returns:
        The cells by the names of their columns; None where an outcome has none.
    """
    cells_by_part: dict[Part, Any] = dict.fromkeys(PARTS)
    cells_by_part["format"] = format_.id
    if isinstance(outcome, Reading):
        start, end = outcome.span
        cells_by_part |= {"value": to_cell(outcome, format_), "status": "ok", "rule": outcome.rule}
        cells_by_part |= {"evidence": outcome.evidence, "start": start, "end": end}
    else:
        cells_by_part |= {"status": "unreadable", "reason": outcome.reason, "detail": outcome.detail}
    return cells_by_part
