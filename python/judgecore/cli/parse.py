"""``judgecore parse``: the replies in a file become readings beside its columns, and a table of outcomes."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import click

from judgecore.cli.arguments import Allowance, columns_option, table_options, take_allowance, take_format, take_keys
from judgecore.cli.columns import (
    USUAL_NAMES,
    check_texts,
    find_columns,
    name_material,
    take_cut,
    take_cuts,
    take_material,
    take_reply,
)
from judgecore.cli.job import PARTS, USUAL_PARTS, Mode, ParseJob, Part
from judgecore.cli.outputs import RowsAsColumns, make_column_writer, output_kind
from judgecore.cli.parse_text import Rejects, read_text
from judgecore.cli.progress import Progress, say_pace
from judgecore.cli.resuming import Run, check_resumable, journal_of, say_way_on
from judgecore.cli.spot_check import MOST, SpotCheck
from judgecore.cli.suggestion import suggest_format
from judgecore.cli.summary import Summary
from judgecore.errors import TableError
from judgecore.reading import parse_many
from judgecore.tables.arrow import ArrowReader, show_text
from judgecore.tables.files import (
    check_output,
    find_kind,
    is_same_output,
    kind_of,
    open_input,
    open_output,
    refuse_input,
    refuse_output,
    say_output,
    say_row,
)
from judgecore.tables.journal import Journal, ResumeError
from judgecore.tables.rows import Malformed, Row, RowReader
from judgecore.tables.text import TextTable
from judgecore.terminal import escape_controls, make_console

if TYPE_CHECKING:
    from collections.abc import Iterator

    from judgecore.reading import Format, Readings
    from judgecore.tables.files import Input
    from judgecore.tables.opening import TableOptions

ROWS_IN_BATCH = 10_000

EPILOG = """\b
Examples:
  judgecore parse replies.jsonl --format mt_bench.single
  judgecore parse replies.csv --format arena_hard --column judgment \\
      -o readings.csv
  judgecore parse replies.jsonl --json-keys score,reason -o readings.jsonl
  cat replies.jsonl | judgecore parse - --format llama_guard.3 -o - | head

\b
Exit status: 0 done, 2 wrong use, 3 more unread than --allow-unread or more
rejected than --allow-rejects permits (OUT is written all the same), 130
interrupted (OUT is then as it was before; with --resume the same command
goes on).
"""


def take_parts(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[Part, ...]:
    """Read what is to be told of each reply.

    Args:
        value: Names with commas between them; None for the usual ones.

    Raises:
        click.BadParameter: If one is not known.
    """
    if value is None:
        return USUAL_PARTS
    parts = [part.strip() for part in value.split(",")]
    unknown = next((part for part in parts if part not in PARTS), None)
    if unknown is not None:
        problem = f"no column is called {unknown!r}; there are {','.join(PARTS)}"
        raise click.BadParameter(problem)
    return cast("tuple[Part, ...]", tuple(dict.fromkeys(parts)))


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
@columns_option
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
@click.option(
    "--columns",
    "parts",
    metavar="NAME,...",
    callback=take_parts,
    help=f"What is written of each reply, of {', '.join(PARTS)}.  [default: all but format]",
)
@click.option("--unread-only", "is_unread_only", is_flag=True, help="Write only rows with an unread reply.")
@click.option("--prefix", default="", metavar="TEXT", help="Put this before the names of the added columns.")
@table_options
@click.option("--rejects", metavar="FILE", help="Keep the lines that are no row here, as JSON lines.")
@click.option(
    "--resume", "is_resumable", is_flag=True, help="Keep OUT.part and OUT.journal if killed, and go on from them."
)
@click.option(
    "--sample",
    type=click.IntRange(1, MOST),
    metavar="N",
    help="Show N readings, each with its evidence in the reply: chosen at random, and the same each time.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON document, and no progress.")
@click.option("--strict-input", "is_strict", is_flag=True, help="Stop at the first line that is no row.")
@click.option(
    "--allow-unread",
    "allowance",
    metavar="N|P%",
    callback=take_allowance,
    help="Exit with status 3 if more are left unread.  [default: no limit]",
)
@click.option(
    "--allow-rejects",
    "permitted",
    metavar="N|P%",
    default="0",
    callback=take_allowance,
    help="Exit with status 3 if more lines are no row.  [default: 0]",
)
def parse_command(
    *,
    file: str,
    format_: Format | None,
    keys: Format | None,
    columns: tuple[str, ...],
    cut: str | None,
    material: tuple[str, ...],
    mode: Mode,
    output: str | None,
    parts: tuple[Part, ...],
    is_unread_only: bool,
    prefix: str,
    table: TableOptions,
    rejects: str | None,
    is_resumable: bool,
    sample: int | None,
    as_json: bool,
    is_strict: bool,
    allowance: Allowance,
    permitted: Allowance,
) -> int:
    """Read the judge's replies in FILE: JSON lines, a JSON array, CSV, Parquet or Arrow IPC; - is standard input.

    Text may be UTF-8, UTF-16 or Windows-1252, CSV parted by commas, semicolons, tabs or bars, and both compressed with
    gzip or zstd. Parquet, Arrow IPC and zstd need pyarrow: pip install 'judgecore[arrow]'. The name of OUT says what it
    is: .jsonl, .csv, .parquet, .arrow, and with .gz or .zst behind it how it is compressed. Memory does not grow with
    the file, but for a JSON array.

    Shows how many replies were read, why the others were not, and five of those. With -o, each row is
    written as it came, with more columns behind: value, status (ok or unreadable), reason and detail, rule, evidence,
    and start and end of the evidence in code points. A value that is a JSON document or a ranking is written as JSON
    text.

    A line that is no row (broken JSON or CSV, not UTF-8, a reply that is no text) is rejected: left out, counted and
    named, kept with --rejects, and the exit status is 3 unless --allow-rejects permits it. Nothing else is lost with
    it: rows in are rows out and rejects.

    With --resume a run that was killed goes on: the same command on the same file gives what an undisturbed run gives.

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
    check_outputs(file, output, rejects)
    job = ParseJob(
        file,
        find_kind(file, table.kind),
        format_,
        mode,
        columns,
        cut,
        material,
        output,
        prefix,
        is_strict,
        parts,
        is_unread_only,
        rejects,
        table.delimiter,
        table.encoding,
        table.longest,
        is_resumable,
        sample,
    )
    if is_resumable:
        check_resumable(job)
    summary, pace = read_table(job, is_silent=as_json)
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
    if not as_json and summary.unread * 2 > summary.counts.total():
        line = suggest_format(summary.sample.chosen(), file, tried=format_.id, columns=columns, table=table)
        if line:
            click.echo(line, err=True)
    return take_stock(summary, allowance, permitted, has_rejects=rejects is not None)


def check_outputs(file: str, output: str | None, rejects: str | None) -> None:
    """Refuse outputs whose names promise what would not be in them, and those that are the input or each other.

    Args:
        file: The table.
        output: Where rows go.
        rejects: Where lines go that are no row.

    Raises:
        click.UsageError: If both are the same.
        TableError: If one is the input, or a name is of no kind.
    """
    check_output(output)
    for written, option in ((output, "-o"), (rejects, "--rejects")):
        if written == "":
            raise click.UsageError(f"{option} names no file; - is standard output")
        refuse_input(file, written, option)
    if rejects is not None and kind_of(rejects) not in ("jsonl", None):
        lines = escape_controls(str(Path(rejects).with_suffix(".jsonl")))
        raise TableError(f"--rejects {say_output(rejects)}: they are JSON lines; write --rejects {lines}")
    if output is not None and rejects is not None and is_same_output(output, rejects):
        raise click.UsageError("-o and --rejects name the same file; name another for the rejects")


def take_stock(summary: Summary, allowance: Allowance, permitted: Allowance, *, has_rejects: bool) -> int:
    """Say what goes beyond what is permitted.

    Args:
        summary: What was read.
        allowance: How many replies may be unread.
        permitted: How many rows may be rejected.
        has_rejects: Whether rejected rows are kept.

    Returns:
        The exit status.
    """
    total, rows_in = summary.counts.total(), summary.rows + summary.malformed
    status = 0
    if not allowance.permits(summary.unread, total):
        said = f"{summary.unread:,} of {total:,} are unread, more than --allow-unread {allowance} permits"
        click.echo(said, err=True)
        status = 3
    if not permitted.permits(summary.malformed, rows_in):
        said = f"{summary.malformed:,} of {rows_in:,} rows are rejected, more than --allow-rejects {permitted} permits"
        click.echo(said, err=True)
        if not has_rejects:
            click.echo("keep them with --rejects FILE", err=True)
        status = 3
    return status


def read_table(job: ParseJob, *, is_silent: bool) -> tuple[Summary, str]:
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
    summary.spot = SpotCheck(job.sample, job.format) if job.sample else None
    # A bar on the terminal that the rows go to would stand between them.
    is_silent = is_silent or (job.output == "-" and sys.stdout.isatty())
    doing = f"reading {Path(job.name).name}"
    journal: Journal | None = None
    try:
        with ExitStack() as stack:
            if job.is_resumable:
                journal = stack.enter_context(journal_of(job))
                sink, kept = journal.streams[0], journal.streams[1] if job.rejects else None
                if journal.checkpoint is not None:
                    rows = journal.checkpoint["summary"]["rows"]
                    click.echo(f"{job.name}: going on after {rows:,} rows", err=True)
            else:
                sink = stack.enter_context(open_output(job.output)) if job.output else None
                kept = open_rejects(job.rejects, stack) if job.rejects else None
            rejects = Rejects(job, summary, kept)
            if job.kind in ("parquet", "arrow"):
                columns = ArrowReader(job.file, job.kind)
                n_bytes = Path(job.file).stat().st_size
                progress = stack.enter_context(Progress(doing, n_bytes, is_silent=is_silent))
                read_columns(job, columns, sink, Run(journal, summary, progress))
                return summary, say_pace(summary.rows, columns.bytes_read, progress.seconds)
            source = stack.enter_context(open_input(job.file, encoding=job.encoding, may_be_old=job.kind == "csv"))
            progress = stack.enter_context(Progress(doing, source.n_bytes, is_silent=is_silent))
            is_typed = sink is not None and output_kind(job, job.kind) in ("parquet", "arrow")
            read = read_rows if is_typed else read_text
            n_bytes = read(job, source, sink, rejects, Run(journal, summary, progress))
            if not job.rejects:
                refuse_no_rows(job, summary)
            return summary, say_pace(summary.rows, n_bytes, progress.seconds)
    except KeyboardInterrupt:
        left = f"; {escape_controls(job.output)} is as it was before" if job.output not in (None, "-") else ""
        click.echo(f"interrupted after {summary.rows:,} rows{left}{say_way_on(journal)}", err=True)
        raise click.Abort from None
    except ResumeError:
        raise
    except TableError as problem:
        raise TableError(f"{job.name}: {problem}") from None
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise TableError(f"{refuse_output(job.output, problem)}{say_way_on(journal)}") from problem


def open_rejects(rejects: str, stack: ExitStack) -> BinaryIO:
    """Open what lines go to that are no row.

    Args:
        rejects: Its name.
        stack: What closes it.

    Raises:
        TableError: If it can't be written.
    """
    try:
        return stack.enter_context(open_output(rejects))
    except OSError as problem:
        raise refuse_output(rejects, problem) from problem


def refuse_no_rows(job: ParseJob, summary: Summary) -> None:
    """Refuse a table of which no line is a row: it is of another kind, or something else.

    Args:
        job: What was done.
        summary: What was read.

    Raises:
        TableError: If all lines were rejected.
    """
    if summary.malformed and not summary.rows:
        first = summary.problems[0]
        row = say_row((job.columns or USUAL_NAMES)[0], job.kind)
        raise TableError(f"no line is a row of {job.kind}; {summary.place} {first.line}: {first.problem}{row}")


def read_rows(
    job: ParseJob,
    source: Input,
    sink: BinaryIO | None,
    rejects: Rejects,
    run: Run,
) -> int:
    """Read all rows of a table of text into columns that have types, batch by batch.

    Args:
        job: What to do.
        source: Where rows come from.
        sink: Where they go.
        rejects: Where lines go that are no row.
        run: What counts them, and says where it begins.

    Returns:
        How many bytes of the file were read.

    Raises:
        TableError: If a column is missing, a name is taken, or a value has another type than those before.
    """
    text = TextTable(source.stream, job.kind, delimiter=job.delimiter, encoding=source.recoded)
    table = RowReader(text, longest=job.longest, gives_all_parts=True)
    job, cut_column, shown = find_columns(job, table.header, is_nested=table.kind == "jsonl")
    writer = RowsAsColumns(table, cast("BinaryIO", sink), output_kind(job, table.kind), job)
    if run.position is not None:
        table.go_on(run.position)
    for batch in batches(table):
        rows: list[Row] = []
        replies: list[list[str | None]] = []
        cuts: list[bool] = []
        texts: list[tuple[str | None, ...]] = []
        for row in batch:
            if isinstance(row, Malformed):
                rejects.add(row)
                continue
            taken = [take_reply(row, column) for column in job.columns]
            cut, text = take_cut(row, cut_column), take_material(row, shown)
            problem = next((one for one in (*taken, cut, text) if isinstance(one, Malformed)), None)
            if problem is not None:
                rejects.add(problem)
                continue
            rows.append(row)
            replies.append(cast("list[str | None]", taken))
            cuts.append(cast("bool", cut))
            texts.append(cast("tuple[str | None, ...]", text))
        material = [list(one) for one in zip(*texts, strict=True)] or [[]] * len(shown)
        readings: list[Readings] = []
        lines = [row.line for row in rows]
        for nth in range(len(job.columns)):
            column = [reply[nth] for reply in replies]
            try:
                readings.append(parse_many(column, job.format, mode=job.mode, cut=cuts, material=material))
            except ValueError as problem:
                raise name_material(problem, shown, lines) from problem
            run.summary.add_readings((nth, job.columns[nth]), lines, column.__getitem__, readings[-1])
        run.summary.rows += len(rows)
        writer.write(rows, readings)
        run.tell(source.position(table.bytes_read))
        if writer.is_flushed:
            run.keep(lambda: table.position)
    writer.close()
    return source.position(table.bytes_read)


def read_columns(
    job: ParseJob,
    table: ArrowReader,
    sink: BinaryIO | None,
    run: Run,
) -> None:
    """Read all rows of Parquet or Arrow IPC, piece by piece.

    Args:
        job: What to do.
        table: Where rows come from.
        sink: Where they go; None for nowhere.
        run: What counts them, and says where it begins.

    Raises:
        TableError: If a column is missing or of the wrong type, or a name is taken.
    """
    job, cut, shown = find_columns(job, table.names)
    if not table.header:
        raise TableError("the table has no columns")
    for column in job.columns:
        check_texts(column, table.type_of(column))
    for name in shown:
        check_texts(name, table.type_of(name), what="a text of the material", option="--material")
    position = run.position
    writer = make_column_writer(job, table, sink, is_begun=position is not None) if sink is not None else None
    needed = None if writer is not None else list(dict.fromkeys(name for name in (*job.columns, cut, *shown) if name))
    for piece in table.pieces(needed, position):
        cuts = take_cuts(cut, table.column(piece, cut)) if cut else None
        material = [table.column(piece, name) for name in shown]
        first = run.summary.rows + 1
        readings: list[Readings] = []
        for nth, column in enumerate(job.columns):
            replies = table.column(piece, column)
            try:
                readings.append(parse_many(replies, job.format, mode=job.mode, cut=cuts, material=material))
            except ValueError as problem:
                raise name_material(problem, shown, range(first, first + len(replies))) from problem
            rows = range(first, first + len(piece))
            run.summary.add_readings((nth, column), rows, partial(show_text, replies), readings[-1])
        run.summary.rows += len(piece)
        if writer is not None:
            writer.write(piece, readings, first)
        run.tell(table.bytes_read)
        if writer is not None and writer.is_flushed:
            run.keep(lambda: table.position)
    if writer is not None:
        writer.close()


def batches(table: RowReader) -> Iterator[list[Row | Malformed]]:
    """Cut a table into batches that fit into memory.

    Args:
        table: Where rows come from.

    Yields:
        At most 10,000 rows.
    """
    rows = iter(table)
    while batch := list(islice(rows, ROWS_IN_BATCH)):
        yield batch
