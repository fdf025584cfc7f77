"""Reading tables of text for ``judgecore parse``: in the extension, part by part, each row written as it came."""

from __future__ import annotations

import base64
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from judgecore.cli.columns import find_columns
from judgecore.cli.outputs import output_kind, say_taken
from judgecore.cli.spot_check import TextSampler
from judgecore.errors import TableError
from judgecore.tables.files import write_all
from judgecore.tables.opening import output_delimiter
from judgecore.tables.rows import CsvWriter, Malformed, refuse_same_names
from judgecore.tables.text import TableReader, TextTable

if TYPE_CHECKING:
    from judgecore.cli.job import ParseJob
    from judgecore.cli.resuming import Run
    from judgecore.cli.summary import Summary
    from judgecore.tables.files import Input
    from judgecore.tables.text import TextKind, Where


class Rejects:
    """Counts the lines that are no row, and keeps them where the job says so."""

    def __init__(self, job: ParseJob, summary: Summary, sink: BinaryIO | None) -> None:
        """Write to a stream; None for nowhere."""
        self._job = job
        self._summary = summary
        self._sink = sink

    def add(self, reject: Malformed) -> None:
        """Count a line, and write it.

        Raises:
            TableError: If the job ends with the first of them.
        """
        if self._job.is_strict:
            where = f"{self._summary.place} {reject.line}"
            raise TableError(f"{where}: {reject.problem}; without --strict-input it would be left out")
        if not reject.goes_on:
            self._summary.add_malformed(reject)
        if self._sink is not None:
            self._sink.write(json.dumps(self._kept(reject), ensure_ascii=False).encode() + b"\n")

    def _kept(self, reject: Malformed) -> dict[str, Any]:
        """A line as it is kept: its text, or its bytes where they are none."""
        what = {"goes_on": True} if reject.goes_on else {"problem": reject.problem}
        about: dict[str, Any] = {self._summary.place: reject.line, **what}
        if reject.encoding is not None:
            return about | {"encoding": reject.encoding, "raw_base64": base64.b64encode(reject.raw).decode()}
        try:
            return about | {"raw": reject.raw.decode()}
        except UnicodeDecodeError:
            return about | {"raw_base64": base64.b64encode(reject.raw).decode()}


def read_text(
    job: ParseJob,
    source: Input,
    sink: BinaryIO | None,
    rejects: Rejects,
    run: Run,
) -> int:
    """Read all rows of a table of text.

    Args:
        job: What to do.
        source: Where rows come from.
        sink: Where they go; None for nowhere.
        rejects: Where lines go that are no row.
        run: What counts them, and says where it begins.

    Returns:
        How many bytes of the file were read.

    Raises:
        TableError: If a column is missing, or a name is taken.
    """
    table = TextTable(source.stream, job.kind, delimiter=job.delimiter, encoding=source.recoded)
    job, cut, material = find_columns(job, table.columns, is_nested=table.kind == "jsonl")
    kind = cast("TextKind", output_kind(job, table.kind)) if sink is not None else None
    if kind is not None and (table.kind == "csv" or kind == "csv"):
        say_taken(table.columns, job, f"{table.place} 1")
    if kind == "jsonl":
        refuse_same_names(table.columns)
    is_csv = table.kind == "csv"
    between = output_delimiter(job.output or "-", table.delimiter if is_csv else None)
    if sink is not None and kind == "csv":
        is_begun = run.position is not None
        CsvWriter(sink, table.columns, job.added, delimiter=between, is_csv=is_csv, is_begun=is_begun)
    reader = TableReader(
        table.kind,
        header=table.columns,
        delimiter=table.delimiter,
        longest=job.longest,
        format=job.format,
        mode=job.mode,
        columns=[(column, job.added_for(column)) for column in job.columns],
        cut=cut,
        material=material,
        output=kind,
        between=between,
        unread_only=job.is_unread_only,
    )
    if run.position is not None:
        table.go_on(reader, run.position["place"], run.position["read"])
    spot = run.summary.spot
    sampler = TextSampler(spot, job, table, cut, material) if spot is not None else None
    for part, is_last in table.parts():
        if sampler is not None:
            sampler.feed(part, is_last=is_last)
        left: bytes | None = part
        while left is not None:
            read = reader.feed(left, is_last=is_last)
            left = b"" if read["is_left"] else None
            for reject in read["rejects"]:
                rejects.add(Malformed(*table.as_it_came(reject)))
            refuse_misfit(job, table.place, read["misfit"])
            run.summary.add_read(read["rows"], read["counts"], read["invented"], read["samples"])
            if sink is not None:
                write_all(sink, read["output"])
            run.tell(source.position(table.bytes_read))
        run.keep(partial(_position, reader, table))
    return source.position(table.bytes_read)


def _position(reader: TableReader, table: TextTable) -> dict[str, Any] | None:
    """Tell where another reader of the table could go on; None where it could not."""
    place = reader.place()
    return place and {"place": place, "read": table.bytes_read}


def refuse_misfit(job: ParseJob, place: Where, misfit: tuple[int, str, bool] | None) -> None:
    """Refuse a row with a column that can't be written.

    Args:
        job: What is done.
        place: What rows are told apart by.
        misfit: The line, the column's name, and whether it is one that is to be added; None where there is none.

    Raises:
        TableError: If there is one.
    """
    if misfit is None:
        return
    line, name, is_taken = misfit
    if is_taken:
        say_taken([name], job, f"{place} {line}")
    stem = Path(job.output or "-").name.split(".")[0]
    raise TableError(f"{place} {line}: column {name!r} is new here; write {stem}.jsonl, where rows may differ")
