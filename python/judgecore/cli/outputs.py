"""Write rows with their outcomes to a table of the output's kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from judgecore.cli.job import PARTS
from judgecore.cli.values import to_cell
from judgecore.errors import TableError
from judgecore.reading import GuardVerdict, Reading
from judgecore.tables import arrow
from judgecore.tables.arrow import ArrowReader, ArrowWriter, RowColumns
from judgecore.tables.files import Kind, kind_of
from judgecore.tables.opening import output_delimiter
from judgecore.tables.rows import CsvWriter, JsonlWriter, RowReader, refuse_duplicate_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from judgecore.cli.job import ParseJob, Part
    from judgecore.reading import Format, Readings, Unreadable
    from judgecore.tables.rows import Row


class RowsAsColumns:
    """Writes the rows of JSON lines or CSV as Parquet or Arrow IPC."""

    def __init__(self, table: RowReader, sink: BinaryIO, kind: Kind, job: ParseJob) -> None:
        """Write to a stream; it is opened when the first rows decide the column types."""
        self._table = table
        self._sink = sink
        self._kind: Kind = kind
        self._job = job
        self._columns: RowColumns | None = None
        self._writer: ArrowWriter | None = None

    def write(self, rows: Sequence[Row], readings: Sequence[Readings]) -> None:
        """Write rows, with the outcomes of each reply column."""
        if not rows:
            return
        columns, writer = self._open(rows)
        writer.write(add_columns(columns.piece(rows), readings, self._job))

    @property
    def is_flushed(self) -> bool:
        """Whether all rows so far are written."""
        return self._writer is not None and self._writer.is_flushed

    def close(self) -> None:
        """Write the end of the file."""
        self._open([])[1].close()

    def _open(self, rows: Sequence[Row]) -> tuple[RowColumns, ArrowWriter]:
        """Return the column builder and the writer, making them from the first rows."""
        if self._columns is None or self._writer is None:
            job = self._job
            staged = arrow.staged_schema(self._sink) if job.is_resumable else None
            known = None if staged is None else list(staged)[: -len(job.added)]
            names = self._table.header if self._table.kind == "csv" else None
            self._columns = RowColumns(rows, names=names, known=known)
            refuse_taken_names(self._columns.schema.names, job.added, rows[0].where if rows else None)
            schema = extend_schema(self._columns.schema, job)
            self._writer = ArrowWriter(self._sink, self._kind, job.output or "", schema, is_staged=job.is_resumable)
        return self._columns, self._writer


class ColumnWriter:
    """Writes Arrow tables as any kind of table."""

    def __init__(self, writer: ArrowWriter | JsonlWriter | CsvWriter, job: ParseJob) -> None:
        self._writer = writer
        self._job = job

    def write(self, piece: Any, readings: Sequence[Readings], first: int) -> None:
        """Write an Arrow table whose first row has the number ``first``."""
        if isinstance(self._writer, ArrowWriter):
            self._writer.write(add_columns(piece, readings, self._job))
        else:
            self._writer.write(add_cells(arrow.to_rows(piece, first), readings, self._job))

    @property
    def is_flushed(self) -> bool:
        """Whether all rows so far are written."""
        return not isinstance(self._writer, ArrowWriter) or self._writer.is_flushed

    def close(self) -> None:
        """Write the end of the file."""
        self._writer.close()


def make_column_writer(job: ParseJob, table: ArrowReader, sink: BinaryIO, *, is_begun: bool = False) -> ColumnWriter:
    """Make the writer for a Parquet or Arrow IPC input: JSON lines on standard output, else as ``output_kind``."""
    refuse_taken_names(table.header, job.added, None)
    kind = "jsonl" if job.output == "-" else output_kind(job, table.kind)
    if kind == "jsonl":
        return ColumnWriter(JsonlWriter(sink), job)
    if kind == "csv":
        refuse_duplicate_names(table.header)
        delimiter = output_delimiter(job.output or "", None)
        own = CsvWriter(sink, table.header, job.added, delimiter=delimiter, is_csv=False, is_begun=is_begun)
        return ColumnWriter(own, job)
    schema = extend_schema(table.schema, job)
    return ColumnWriter(ArrowWriter(sink, kind, job.output or "", schema, is_staged=job.is_resumable), job)


def output_kind(job: ParseJob, own: Kind) -> Kind:
    """Return the kind of the output: by its extension, else that of the input."""
    return kind_of(job.output or "-") or ("jsonl" if own == "json" else own)


def extend_schema(schema: Any, job: ParseJob) -> Any:
    """Append the added columns to a schema."""
    for column in job.columns or ("",):
        for field in arrow.reading_fields(job.format, job.added_for(column)):
            schema = schema.append(field)
    return schema


def add_columns(piece: Any, readings: Sequence[Readings], job: ParseJob) -> Any:
    """Append the outcome columns to an Arrow table; keep only the unread rows if the job asks for them."""
    for column, outcomes in zip(job.columns, readings, strict=True):
        piece = arrow.add_columns(piece, outcomes, job.added_for(column))
    return arrow.unread_rows(piece, readings) if job.is_unread_only else piece


def refuse_taken_names(columns: Iterable[str], added: Collection[str], where: str | None) -> None:
    """Reject input columns, of the table or of the row at ``where``, with the name of an added column."""
    taken = [name for name in columns if name in added]
    if taken:
        names = ", ".join(map(repr, taken))
        subject = "the table" if where is None else f"{where}:"
        raise TableError(f"{subject} already has {names}; rename the added columns, for example with --prefix jc_")


def add_cells(rows: Sequence[Row], readings: Sequence[Readings], job: ParseJob) -> Iterator[tuple[Row, dict[str, Any]]]:
    """Yield rows with their outcome cells by name; only the unread rows if the job asks for them."""
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
    """Return all cells that a table may hold of an outcome, None where it has no value for one."""
    cells_by_part: dict[Part, Any] = dict.fromkeys(PARTS)
    cells_by_part["format"] = format_.id
    if isinstance(outcome, Reading):
        start, end = outcome.span
        cells_by_part |= {"value": to_cell(outcome, format_), "status": "ok", "rule": outcome.rule}
        cells_by_part |= {"evidence": outcome.evidence, "start": start, "end": end}
        value: object = outcome.value
        if isinstance(value, GuardVerdict):
            cells_by_part |= {"side": value.side, "codes": list(value.categories), "names": list(value.names)}
            cells_by_part |= {"hazards": list(value.hazards), "uncertain_hazards": list(value.uncertain_hazards)}
    else:
        cells_by_part |= {"status": "unreadable", "reason": outcome.reason, "detail": outcome.detail}
    return cells_by_part
