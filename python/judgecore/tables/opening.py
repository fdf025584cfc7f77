"""Any table, opened for its rows; any table, written row by row."""

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
    """What a caller may say of a table.

    Attributes:
        kind: The kind of table, whatever its name; None for what the name says.
        delimiter: What parts the fields of CSV; None to find out.
        encoding: How text is encoded; None to find out.
        longest: How many bytes a record of text may have.
    """

    kind: Kind | None = None
    delimiter: str | None = None
    encoding: str | None = None
    longest: int = LONGEST_RECORD


@contextmanager
def open_rows(file: str, kind: Kind, options: TableOptions) -> Generator[Rows]:
    """Open a table for its rows.

    Args:
        file: Its name; ``-`` is standard input.
        kind: What kind of table it is, as ``find_kind`` tells.
        options: What else is known of it.

    Yields:
        What gives its rows, and each line that is none.

    Raises:
        TableError: If it can't be read.
    """
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
    """Make what writes rows.

    Args:
        stream: Where to.
        output: The output's name, which says what kind of table it is.
        kind: The kind that the rows come from, and are written as where the name does not say.
        header: The columns that they come with.
        added: The names of the columns that are added.
        delimiter: What parts the fields of the CSV that they come from.

    Raises:
        TableError: If pyarrow is needed and missing.
    """
    is_csv = kind == "csv"
    kind = kind_of(output) or kind
    if kind != "csv":
        refuse_duplicate_names(header)
    if kind == "csv":
        return CsvWriter(stream, header, added, delimiter=output_delimiter(output, delimiter), is_csv=is_csv)
    return TypedRowWriter(stream, kind, output) if kind in ("parquet", "arrow") else JsonlWriter(stream)


def output_delimiter(output: str, own: str | None) -> str:
    """Tell what parts the fields of CSV that is written: a tab where the name says so, else what parts the table's.

    Args:
        output: The output's name.
        own: What parts the fields of the table; None where it is no CSV.
    """
    suffix = suffix_of(output)
    if suffix == ".tsv":
        return "\t"
    return "," if own is None or (suffix == ".csv" and own == "\t") else own


def write_rows(output: str, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write rows that come from no table.

    Args:
        output: Where to: the name says what kind of table it is; ``-`` is standard output, in JSON lines.
        rows: The rows; the columns of CSV are those of the first.

    Returns:
        How many there were.

    Raises:
        TableError: If the name is of no kind, or a row does not fit the first ones.
        OSError: If they can't be written.
    """
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
