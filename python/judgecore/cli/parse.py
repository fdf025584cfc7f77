"""``judgecore parse``: the replies in a file become readings beside its columns, and a table of outcomes."""

from __future__ import annotations

import json
import sys
import zlib
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import click

from judgecore.cli.arguments import Allowance, take_allowance, take_format, take_keys
from judgecore.cli.arrow import ArrowReader, show_text
from judgecore.cli.columns import (
    USUAL_NAMES,
    check_texts,
    find_column,
    find_reply_column,
    name_columns,
    name_material,
    take_cut,
    take_cuts,
    take_material,
    take_reply,
)
from judgecore.cli.files import (
    KIND_OF_SUFFIX,
    Kind,
    TableError,
    check_output,
    find_kind,
    open_input,
    open_output,
    refuse_output,
    say_row,
)
from judgecore.cli.job import Job, Mode
from judgecore.cli.outputs import make_column_writer, make_writer
from judgecore.cli.progress import Progress, say_pace
from judgecore.cli.suggestion import suggest_format
from judgecore.cli.summary import Summary
from judgecore.cli.tables import CsvReader, JsonlReader, Malformed, Row, open_table
from judgecore.reading import parse_many
from judgecore.terminal import escape_controls, make_console

if TYPE_CHECKING:
    from collections.abc import Iterator

    from judgecore.cli.files import Input
    from judgecore.reading import Format

ROWS_IN_BATCH = 10_000
BYTES_IN_BATCH = 32 << 20

EPILOG = """\b
Examples:
  judgecore parse replies.jsonl --format mt_bench.single
  judgecore parse replies.csv --format arena_hard --column judgment \\
      -o readings.csv
  judgecore parse replies.jsonl --json-keys score,reason -o readings.jsonl
  cat replies.jsonl | judgecore parse - --format llama_guard.3 -o - | head

\b
Exit status: 0 done, 2 wrong use, 3 more unread than --allow-unread permits,
130 interrupted (OUT is then as it was before).
"""


@click.command("parse", epilog=EPILOG)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--format",
    "format_",
    metavar="ID",
    callback=take_format,
    help="What the judge was asked to answer: a name that `judgecore formats` lists, or FILE.toml[:VARIANT].",
)
@click.option(
    "--json-keys",
    "keys",
    metavar="KEY,...",
    callback=take_keys,
    help="Instead of a format: read the JSON object that has all of these keys, whatever else; the value is its JSON.",
)
@click.option("--column", metavar="NAME", help="The column that holds the replies.  [default: raw, else reply]")
@click.option(
    "--cut",
    metavar="NAME",
    help="The column that says which replies are cut off: true or false, or the finish reason, of which length and "
    "max_tokens say so.  [default: none are known to be]",
)
@click.option(
    "--material",
    multiple=True,
    metavar="NAME",
    help="A column of texts that the judge was shown, such as the response; again for each. A verdict that a reply "
    "merely copies from them is not read: its reason is echoed.",
)
@click.option(
    "--mode",
    type=click.Choice(["lenient", "strict", "paper"]),
    default="lenient",
    show_default=True,
    help="How far to look for a verdict; paper is the publisher's own rule, defects included.",
)
@click.option("-o", "--output", metavar="OUT", help="Write the rows with their readings here; - is standard output.")
@click.option("--prefix", default="", metavar="TEXT", help="Put this before the names of the added columns.")
@click.option(
    "--input-format",
    "kind",
    type=click.Choice(["jsonl", "csv", "parquet", "arrow"]),
    help="The kind of table, whatever its name.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON document, and no progress.")
@click.option("--strict-input", "is_strict", is_flag=True, help="Stop at the first malformed line.")
@click.option(
    "--allow-unread",
    "allowance",
    metavar="N|P%",
    callback=take_allowance,
    help="Exit with status 3 if more are left unread.  [default: no limit]",
)
def parse_command(
    *,
    file: str,
    format_: Format | None,
    keys: Format | None,
    column: str | None,
    cut: str | None,
    material: tuple[str, ...],
    mode: Mode,
    output: str | None,
    prefix: str,
    kind: Kind | None,
    as_json: bool,
    is_strict: bool,
    allowance: Allowance,
) -> int:
    """Read the judge's replies in FILE: JSON lines, CSV, Parquet or Arrow IPC; - is standard input.

    JSON lines and CSV may be compressed with gzip or zstd. Parquet, Arrow IPC and zstd need pyarrow:
    pip install 'judgecore[arrow]'. The name of OUT says what it is: .jsonl, .csv, .parquet, .arrow, and
    with .gz or .zst behind it how it is compressed. Memory does not grow with the file.

    Shows how many replies were read, why the others were not, and five of those. With -o, each row is
    written with six more columns: value, status (ok or unreadable), reason, rule, and start and end of the
    evidence in code points. A value that is a JSON document or a ranking is written as JSON text.

    A line that is no row (broken JSON or CSV, not UTF-8, a reply that is no text) is left out, counted and
    named; it counts as unread.

    A reply that was cut off may end in the middle of its verdict: 1 may have become 10. Name the column that
    says so with --cut, and a verdict at the very end of such a reply is truncated.

    A judge may retell what it was shown, verdicts that were planted in it included. Name the columns that it was
    shown with --material, and what is copied from them is echoed.
    """
    if (format_ is None) == (keys is None):
        raise click.UsageError("name what the judge was asked to answer: either --format ID or --json-keys KEY,...")
    format_ = cast("Format", format_ or keys)
    if mode not in format_.modes:
        raise click.UsageError(f"format {format_.id} has no {mode} mode; it has {', '.join(format_.modes)}")
    if output == "-" and as_json:
        raise click.UsageError("-o - and --json both write to standard output; name a file for the rows")
    check_output(output, KIND_OF_SUFFIX)
    job = Job(
        file, find_kind(file, kind, KIND_OF_SUFFIX), format_, mode, column, cut, material, output, prefix, is_strict
    )
    summary, pace = run(job, is_silent=as_json)
    if as_json:
        about = {"file": file, "format": format_.id, "mode": mode, "output": output}
        click.echo(json.dumps(about | summary.to_json(), indent=2))
    else:
        console = make_console(stderr=output == "-")
        console.print(f"{job.name} as {format_.id}, {mode}")
        console.print(pace)
        summary.show(console)
        if output not in (None, "-"):
            console.print(f"written to {escape_controls(output)}")
    if not summary.rows + summary.malformed:
        click.echo(f"{job.name} holds no rows", err=True)
    total = summary.rows + summary.malformed
    if summary.unread * 2 > total and (
        line := suggest_format(summary.sample.chosen(), file, tried=format_.id, column=column, kind=kind)
    ):
        click.echo(line, err=True)
    if allowance.permits(summary.unread, total):
        return 0
    click.echo(f"{summary.unread:,} of {total:,} are unread, more than --allow-unread {allowance} permits", err=True)
    return 3


def run(job: Job, *, is_silent: bool) -> tuple[Summary, str]:
    """Read a table, and write its rows where the job says so.

    Args:
        job: What to do.
        is_silent: Whether to tell nothing of the progress.

    Returns:
        What was read, and how fast in words.

    Raises:
        TableError: If the table can't be read or the rows can't be written; nothing is written then.
    """
    summary = Summary("line" if job.kind in ("jsonl", "csv") else "row")
    # A bar on the terminal that the rows go to would stand between them.
    is_silent = is_silent or (job.output == "-" and sys.stdout.isatty())
    doing = f"reading {Path(job.name).name}"
    try:
        with ExitStack() as stack:
            sink = stack.enter_context(open_output(job.output)) if job.output else None
            if job.kind in ("parquet", "arrow"):
                columns = ArrowReader(job.file, job.kind)
                n_bytes = Path(job.file).stat().st_size
                progress = stack.enter_context(Progress(doing, n_bytes, is_silent=is_silent))
                read_columns(job, columns, sink, summary, progress)
                return summary, say_pace(summary.rows, columns.bytes_read, progress.seconds)
            source = stack.enter_context(open_input(job.file))
            progress = stack.enter_context(Progress(doing, source.n_bytes, is_silent=is_silent))
            n_bytes = read_rows(job, source, sink, summary, progress)
            return summary, say_pace(summary.rows, n_bytes, progress.seconds)
    except KeyboardInterrupt:
        left = f"; {escape_controls(job.output)} is as it was before" if job.output not in (None, "-") else ""
        click.echo(f"interrupted after {summary.rows:,} rows{left}", err=True)
        raise click.Abort from None
    except TableError as problem:
        raise TableError(f"{job.name}: {problem.message}") from None
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise refuse_output(job.output, problem) from problem


def read_rows(job: Job, source: Input, sink: BinaryIO | None, summary: Summary, progress: Progress) -> int:
    """Read all rows of JSON lines or CSV, batch by batch.

    Args:
        job: What to do.
        source: Where rows come from.
        sink: Where they go; None for nowhere.
        summary: What counts them.
        progress: What is told of them.

    Returns:
        How many bytes of the file were read.

    Raises:
        TableError: If a column is missing, a name is taken, or no line is a row.
    """
    table = open_table(source.stream, job.kind)
    writer = make_writer(job, table, sink) if sink is not None else None
    column = cut_column = None
    shown: list[str] = []
    for batch in batches(table):
        columns = name_columns(table, batch)
        column = column or find_reply_column(columns, job.column)
        cut_column = cut_column or (job.cut and find_column(columns, job.cut, "--cut"))
        shown = shown or [name for one in job.material if (name := find_column(columns, one, "--material"))]
        rows: list[Row] = []
        replies: list[str | None] = []
        cuts: list[bool] = []
        texts: list[tuple[str | None, ...]] = []
        for row in batch:
            reply = row if isinstance(row, Malformed) else take_reply(row, column)
            cut = row if isinstance(row, Malformed) else take_cut(row, cut_column)
            text = row if isinstance(row, Malformed) else take_material(row, shown)
            problem = next((one for one in (reply, cut, text) if isinstance(one, Malformed)), None)
            if problem is None:
                rows.append(cast("Row", row))
                replies.append(cast("str | None", reply))
                cuts.append(cast("bool", cut))
                texts.append(cast("tuple[str | None, ...]", text))
            elif job.is_strict:
                raise TableError(f"line {problem.line}: {problem.problem}; without --strict-input it would be left out")
            else:
                summary.add_malformed(problem)
        material = [list(one) for one in zip(*texts, strict=True)] or [[]] * len(shown)
        try:
            readings = parse_many(replies, job.format, mode=job.mode, cut=cuts, material=material)
        except ValueError as problem:
            raise name_material(problem, shown, [row.line for row in rows]) from problem
        summary.add_readings([row.line for row in rows], replies.__getitem__, readings)
        if writer is not None:
            writer.write(rows, readings)
        n_bytes = source.position(table.bytes_read)
        progress.tell(n_bytes, partial(say_pace, summary.rows, n_bytes, progress.seconds))
    if writer is not None:
        writer.close()
    if summary.malformed and not summary.rows:
        first = summary.problems[0]
        row = say_row(job.column or USUAL_NAMES[0], job.kind)
        raise TableError(f"no line is a row of {job.kind}; line {first.line}: {first.problem}{row}")
    return source.position(table.bytes_read)


def read_columns(job: Job, table: ArrowReader, sink: BinaryIO | None, summary: Summary, progress: Progress) -> None:
    """Read all rows of Parquet or Arrow IPC, piece by piece.

    Args:
        job: What to do.
        table: Where rows come from.
        sink: Where they go; None for nowhere.
        summary: What counts them.
        progress: What is told of them.

    Raises:
        TableError: If a column is missing or of the wrong type, or a name is taken.
    """
    column = find_reply_column(table.header, job.column)
    cut = find_column(table.header, job.cut, "--cut") if job.cut else None
    if column is None:
        raise TableError("the table has no columns")
    check_texts(column, table.schema.field(column).type)
    shown = [name for one in job.material if (name := find_column(table.header, one, "--material"))]
    for name in shown:
        check_texts(name, table.schema.field(name).type, what="a text of the material", option="--material")
    writer = make_column_writer(job, table, sink) if sink is not None else None
    needed = None if writer is not None else list(dict.fromkeys(name for name in (column, cut, *shown) if name))
    for piece in table.pieces(needed):
        replies = piece.column(column)
        cuts = take_cuts(cut, piece.column(cut)) if cut else None
        material = [piece.column(name) for name in shown]
        first = summary.rows + 1
        try:
            readings = parse_many(replies, job.format, mode=job.mode, cut=cuts, material=material)
        except ValueError as problem:
            raise name_material(problem, shown, range(first, first + len(replies))) from problem
        summary.add_readings(range(first, first + len(readings)), partial(show_text, replies), readings)
        if writer is not None:
            writer.write(piece, readings, first)
        progress.tell(table.bytes_read, partial(say_pace, summary.rows, table.bytes_read, progress.seconds))
    if writer is not None:
        writer.close()


def batches(table: JsonlReader | CsvReader) -> Iterator[list[Row | Malformed]]:
    """Cut a table into batches that fit into memory.

    Args:
        table: Where rows come from.

    Yields:
        At most 10,000 rows, and no further row once 32 MiB are read.

    Raises:
        TableError: If no more can be read.
    """
    batch: list[Row | Malformed] = []
    start = table.bytes_read
    try:
        for row in table:
            batch.append(row)
            if len(batch) == ROWS_IN_BATCH or table.bytes_read - start >= BYTES_IN_BATCH:
                yield batch
                batch, start = [], table.bytes_read
    except (OSError, EOFError, zlib.error) as problem:
        raise TableError(f"can't be read: {getattr(problem, 'strerror', None) or problem}") from problem
    if batch:
        yield batch
