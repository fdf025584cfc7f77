"""The tables that ``judgecore score`` reads and writes: JSON lines, CSV and Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from judgecore.errors import TableError
from judgecore.tables.files import KIND_OF_SUFFIX, kind_of, open_input
from judgecore.tables.parquet import ParquetReader, ParquetWriter, to_text
from judgecore.tables.rows import (
    CsvWriter,
    JsonlWriter,
    Row,
    RowReader,
    make_row,
    open_table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import ExitStack

Kind: TypeAlias = Literal["jsonl", "json", "csv", "parquet"]
Reader: TypeAlias = "RowReader | ParquetReader"
Writer: TypeAlias = "JsonlWriter | CsvWriter | ParquetWriter"

KINDS: dict[str, Kind] = {suffix: kind for suffix, kind in KIND_OF_SUFFIX.items() if kind != "arrow"}
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def open_rows(file: str, kind: Kind, stack: ExitStack) -> Reader:
    """Open a table.

    Args:
        file: Its name; ``-`` is standard input.
        kind: Its kind.
        stack: What closes it.

    Raises:
        TableError: If it can't be read.
    """
    stream = stack.enter_context(open_input(file, may_be_old=kind == "csv")).stream
    if kind != "parquet":
        return open_table(stream, kind)
    if file == "-":
        raise TableError("Parquet can't be read from a pipe; name a file")
    return ParquetReader(stream)


def make_writer(output: str, kind: Kind, table: Reader, added: Sequence[str], sink: Any) -> Writer:
    """Make what writes rows: of the kind that the output's name says, or of the table's own.

    Args:
        output: The output's name; ``-`` is standard output.
        kind: The table's kind.
        table: Where rows come from.
        added: The names of the columns that are added.
        sink: What to write to.

    Raises:
        TableError: If such rows can't be written so.
    """
    kind = kind_of(output, KINDS) or ("jsonl" if kind == "json" else kind)
    if kind == "parquet":
        if output == "-":
            raise TableError("Parquet can't be written to a pipe; name a file")
        return ParquetWriter(sink)
    if kind == "jsonl":
        return JsonlWriter(sink)
    if isinstance(table, RowReader) and table.kind == "jsonl":
        raise TableError(f"rows of JSON lines need not have the same columns; write {Path(output).stem}.jsonl")
    return CsvWriter(sink, [*table.header, *added])


def write_rows(writer: Writer, rows: list[tuple[Row, dict[str, Any]]]) -> None:
    """Write rows with their scores; a CSV row that came from Parquet is made of its cells."""
    if isinstance(writer, ParquetWriter):
        # One column holds one type: what may be an object or a list of them is JSON text.
        writer.write((row, {name: _flat(name, cell) for name, cell in added.items()}) for row, added in rows)
    elif isinstance(writer, CsvWriter):
        writer.write(
            (
                row if row.source else make_row(row.line, row.cells, has_fields=True),
                {name: _inert(cell) for name, cell in added.items()},
            )
            for row, added in rows
        )
    else:
        writer.write((row, added) for row, added in rows)


def _flat(name: str, cell: Any) -> Any:
    return to_text(cell) if name.endswith(("score_metadata", "score_parts")) else cell


def _inert(cell: Any) -> Any:
    """A judge's text that a spreadsheet would run is shown to it as text; what stood in the table stays as it was."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell
