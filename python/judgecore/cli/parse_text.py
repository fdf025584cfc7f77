"""Read text tables for ``judgecore parse`` in the extension, in chunks, copying each row unchanged."""

from __future__ import annotations

import base64
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from judgecore.cli.columns import find_columns
from judgecore.cli.outputs import output_kind, refuse_taken_names
from judgecore.cli.spot_check import TextSampler
from judgecore.errors import TableError
from judgecore.tables.files import write_all
from judgecore.tables.opening import output_delimiter
from judgecore.tables.rows import CsvWriter, Malformed, refuse_duplicate_names
from judgecore.tables.text import TableReader, TextTable

if TYPE_CHECKING:
    from judgecore.cli.job import ParseJob
    from judgecore.cli.resuming import Run
    from judgecore.cli.summary import Summary
    from judgecore.tables.files import Input
    from judgecore.tables.text import TextKind, Where


class Rejects:
    """Counts rejected lines, and writes them to a file if the job has one."""

    def __init__(self, job: ParseJob, summary: Summary, sink: BinaryIO | None) -> None:
        self._job = job
        self._summary = summary
        self._sink = sink

    def add(self, reject: Malformed) -> None:
        """Count a line, and write it; fail if the job is strict."""
        if self._job.is_strict:
            where = f"{self._summary.place} {reject.line}"
            raise TableError(f"{where}: {reject.problem}; omit --strict-input to skip malformed lines")
        if not reject.is_continuation:
            self._summary.add_malformed(reject)
        if self._sink is not None:
            self._sink.write(json.dumps(self._to_json(reject), ensure_ascii=False).encode() + b"\n")

    def _to_json(self, reject: Malformed) -> dict[str, Any]:
        """Return the JSON object of a line: with its text, or its bytes if they are not valid UTF-8."""
        what = {"goes_on": True} if reject.is_continuation else {"problem": reject.problem}
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
    """Read all rows of a text table in the extension; return the number of bytes read from the file."""
    table = TextTable(source.stream, job.kind, delimiter=job.table.delimiter, encoding=source.recoded)
    job, cut, material = find_columns(job, table.columns, is_nested=table.kind == "jsonl")
    kind = cast("TextKind", output_kind(job, table.kind)) if sink is not None else None
    if kind is not None and (table.kind == "csv" or kind == "csv"):
        refuse_taken_names(table.columns, job.added, f"{table.place} 1")
    if kind == "jsonl":
        refuse_duplicate_names(table.columns)
    is_csv = table.kind == "csv"
    between = output_delimiter(job.output or "-", table.delimiter if is_csv else None)
    if sink is not None and kind == "csv":
        is_begun = run.position is not None
        CsvWriter(sink, table.columns, job.added, delimiter=between, is_csv=is_csv, is_begun=is_begun)
    reader = TableReader(
        table.kind,
        header=table.columns,
        delimiter=table.delimiter,
        longest=job.table.longest,
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
        table.resume(reader, run.position["place"], run.position["read"])
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
                rejects.add(Malformed(*table.restore_reject(reject)))
            refuse_misfit(job, table.place, read["misfit"])
            run.summary.add_read(read["rows"], read["counts"], read["invented"], read["samples"])
            if sink is not None:
                write_all(sink, read["output"])
            run.report(source.position(table.bytes_read))
        run.keep(partial(_position, reader, table))
    return source.position(table.bytes_read)


def _position(reader: TableReader, table: TextTable) -> dict[str, Any] | None:
    """Return the position from which another reader could resume; None if there is none here."""
    place = reader.place()
    return place and {"place": place, "read": table.bytes_read}


def refuse_misfit(job: ParseJob, place: Where, misfit: tuple[int, str, bool] | None) -> None:
    """Reject a row with a column that can't be written: its line, the column, and whether an added one has its name."""
    if misfit is None:
        return
    line, name, is_taken = misfit
    if is_taken:
        refuse_taken_names([name], job.added, f"{place} {line}")
    stem = Path(job.output or "-").name.split(".")[0]
    raise TableError(
        f"{place} {line}: column {name!r} is not in the first rows; write {stem}.jsonl, where columns may differ"
    )
