"""Open any table for reading, and write any table, row by row."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from judgecore.tables.arrow import ArrowReader, TypedRowWriter
from judgecore.tables.files import check_output, kind_of, open_input, open_output, suffix_of
from judgecore.tables.rows import CsvWriter, JsonlWriter, Row, RowReader, refuse_duplicate_names
from judgecore.tables.text import LONGEST_RECORD, TextTable

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from judgecore.tables.files import Kind

Rows: TypeAlias = "RowReader | ArrowReader"
RowWriter: TypeAlias = "JsonlWriter | CsvWriter | TypedRowWriter"


@dataclass(frozen=True)
class TableOptions:
    """How to read a table."""

    kind: Kind | None = None
    delimiter: str | None = None
    encoding: str | None = None
    longest: int = LONGEST_RECORD


@contextmanager
def open_rows(file: str, kind: Kind, options: TableOptions) -> Generator[Rows]:
    """Open a table, and yield an iterable of its rows and malformed lines; raise ``TableError`` if it can't be read."""
    if kind in ("parquet", "arrow"):
        yield ArrowReader(file, kind)
        return
    with open_input(file, encoding=options.encoding, may_be_windows_1252=kind == "csv") as source:
        table = TextTable(source.stream, kind, delimiter=options.delimiter, encoding=source.recoded)
        yield RowReader(table, longest=options.longest)


def make_row_writer(
    stream: BinaryIO,
    output: str,
    kind: Kind,
    header: Sequence[str],
    added: Sequence[str] = (),
    *,
    delimiter: str | None = None,
) -> RowWriter:
    """Make a row writer; its kind of table follows from the output's extension, else from the input's kind."""
    is_csv = kind == "csv"
    kind = kind_of(output) or kind
    if kind != "csv":
        refuse_duplicate_names(header)
    if kind == "csv":
        return CsvWriter(stream, header, added, delimiter=output_delimiter(output, delimiter), is_csv=is_csv)
    return TypedRowWriter(stream, kind, output) if kind in ("parquet", "arrow") else JsonlWriter(stream)


def output_delimiter(output: str, own: str | None) -> str:
    """Return the delimiter of a CSV output: a tab for ``.tsv``, else that of the input, if that is CSV too."""
    suffix = suffix_of(output)
    if suffix == ".tsv":
        return "\t"
    return "," if own is None or (suffix == ".csv" and own == "\t") else own


def write_rows(output: str, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write rows given as dictionaries, and return their number; the columns of CSV are those of the first row."""
    check_output(output)
    n_rows = 0
    with open_output(output) as stream:
        rest = iter(rows)
        first = list(islice(rest, 1))
        writer = make_row_writer(stream, output, "jsonl", [name for row in first for name in row])
        for n_rows, cells in enumerate(chain(first, rest), start=1):
            writer.write([(Row(n_rows, cells, place="row"), {})])
        writer.close()
    return n_rows
