"""``judgecore parse``: read the replies in a table, and write the readings as added columns."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast

import click

from judgecore.cli.arguments import (
    Allowance,
    allow_unread_option,
    check_mode,
    columns_option,
    mode_option,
    table_options,
    take_allowance,
    take_format,
    take_keys,
)
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
from judgecore.cli.job import GUARD_PARTS, PARTS, USUAL_PARTS, ParseJob, Part
from judgecore.cli.message import print_message
from judgecore.cli.outputs import RowsAsColumns, make_column_writer, output_kind
from judgecore.cli.parse_text import Rejects, read_text
from judgecore.cli.progress import Progress, format_rate
from judgecore.cli.report import check_report, report_option, write_run_report
from judgecore.cli.resuming import Run, check_resumable, open_job_journal, resume_hint
from judgecore.cli.spot_check import MAX_SAMPLE, SpotCheck
from judgecore.cli.suggestion import suggest_format
from judgecore.cli.summary import Summary
from judgecore.errors import FormatError, TableError
from judgecore.reading import parse_many
from judgecore.tables.arrow import ArrowReader, decode_for_display
from judgecore.tables.files import (
    as_output_errors,
    check_output,
    find_kind,
    is_same_output,
    kind_of,
    no_rows_error,
    open_input,
    open_output,
    output_error,
    output_name,
    refuse_input,
)
from judgecore.tables.journal import Journal, ResumeError
from judgecore.tables.rows import Malformed, Row, RowReader
from judgecore.tables.text import TextTable
from judgecore.terminal import escape_controls, make_console

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from judgecore.reading import Format, Readings
    from judgecore.tables.files import Input

ROWS_IN_BATCH = 10_000

EPILOG = """\b
Examples:
  judgecore parse replies.jsonl --format mt_bench.single
  judgecore parse replies.csv --format arena_hard --column judgment \\
      -o readings.csv
  judgecore parse replies.jsonl --json-keys score,reason -o readings.jsonl
  judgecore parse replies.jsonl --format mt_bench.single \\
      -o readings.jsonl --report readings.html
  cat replies.jsonl | judgecore parse - --format llama_guard.3 -o - | head
  judgecore parse guarded.jsonl --format llama_guard.3 --side prompt \\
      --columns value,codes,names,hazards,side,format -o verdicts.csv

\b
Exit status: 0 success, 2 usage error, 3 more unread replies than
--allow-unread or more rejected rows than --allow-rejects allows (OUT is
written nevertheless), 130 interrupted (OUT is unchanged; with --resume, run
the same command to resume).
"""


def take_parts(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[Part, ...]:
    """Parse the list of columns to add for each reply."""
    if value is None:
        return USUAL_PARTS
    parts = [part.strip() for part in value.split(",")]
    unknown = next((part for part in parts if part not in PARTS), None)
    if unknown is not None:
        problem = f"{unknown!r} is not one of the columns {','.join(PARTS)}"
        raise click.BadParameter(problem)
    return cast("tuple[Part, ...]", tuple(dict.fromkeys(parts)))


@click.command("parse", epilog=EPILOG)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--format",
    "format_",
    metavar="ID",
    callback=take_format,
    help="The format of the replies: an id from `judgecore formats`, or FILE.toml[:VARIANT].",
)
@click.option(
    "--json-keys",
    "keys",
    metavar="KEY,...",
    callback=take_keys,
    help="Instead of a format: read the JSON object that has all of these keys. The value is the object as JSON.",
)
@columns_option
@click.option(
    "--cut",
    metavar="NAME",
    help="The column that marks cut-off replies: true or false, or a finish reason, where length and max_tokens mean "
    "cut off.  [default: no reply is marked]",
)
@click.option(
    "--material",
    multiple=True,
    metavar="NAME",
    help="A column of texts that the judge was shown, such as the response. Repeatable. A verdict that a reply only "
    "copies from them is not read; its reason is echoed.",
)
@mode_option
@click.option(
    "-o", "--output", metavar="OUT", help="Write the rows with their readings to this file; - is standard output."
)
@report_option
@click.option(
    "--side",
    type=click.Choice(["prompt", "response"]),
    help="The side that a guard judged, if its reply does not say so or covers both.  [default: the format's]",
)
@click.option(
    "--columns",
    "parts",
    metavar="NAME,...",
    callback=take_parts,
    help=f"The columns to add for each reply, out of {', '.join(PARTS)}; those after format exist for guards only.  "
    "[default: those before format]",
)
@click.option("--unread-only", "is_unread_only", is_flag=True, help="Write only rows with an unread reply.")
@click.option("--prefix", default="", metavar="TEXT", help="A prefix for the names of the added columns.")
@table_options
@click.option("--rejects", metavar="FILE", help="Write rejected lines to this file, as JSON lines.")
@click.option(
    "--resume", "is_resumable", is_flag=True, help="Keep OUT.part and OUT.journal if killed, and resume from them."
)
@click.option(
    "--sample",
    type=click.IntRange(1, MAX_SAMPLE),
    metavar="N",
    help="Show N readings with their evidence in the reply: a random sample, the same each time.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON document, and no progress.")
@click.option("--strict-input", "is_strict", is_flag=True, help="Stop at the first malformed line.")
@allow_unread_option(None, "replies are unread")
@click.option(
    "--allow-rejects",
    "permitted",
    metavar="N|P%",
    default="0",
    callback=take_allowance,
    help="Exit with status 3 if more rows are rejected.  [default: 0]",
)
def parse_command(
    *,
    format_: Format | None,
    keys: Format | None,
    side: Literal["prompt", "response"] | None,
    as_json: bool,
    allowance: Allowance,
    permitted: Allowance,
    **options: Any,
) -> int:
    """Read the judge's replies in FILE: JSON lines, a JSON array, CSV, Parquet or Arrow IPC; - is standard input.

    Text may be UTF-8, UTF-16 or Windows-1252; CSV may be delimited by commas, semicolons, tabs or bars; both may be
    compressed with gzip or zstd. Parquet, Arrow IPC and zstd need pyarrow: pip install 'judgecore[arrow]'. The
    extension of OUT sets its format: .jsonl, .csv, .parquet or .arrow; add .gz or .zst to compress JSONL and CSV.
    Memory use does not depend on the file's size, except for a JSON array.

    Prints how many replies were read, why the others were not, and up to five of those. With -o, writes each row
    unchanged with added columns: value, status (ok or unreadable), reason and detail, rule, evidence, and start and end
    of the evidence in code points. A JSON document or a ranking is written as JSON text.

    A malformed line (invalid JSON or CSV, invalid UTF-8, a reply that is not a string) is rejected: it is left out and
    counted, and --rejects writes it to a file. The exit status is then 3 unless --allow-rejects allows it. Every input
    row is either written or rejected.

    With --resume, a killed run can be resumed: the same command on the same file writes what an uninterrupted run
    writes.

    A cut-off reply may end in the middle of its verdict: 1 may be the beginning of 10. Name the column that marks such
    replies with --cut; a verdict at the very end of one is then unreadable, with the reason truncated.

    A guard such as llama_guard.3 judges whatever it is shown: with --side prompt its verdicts are reported as
    prompt_unsafe. `judgecore compare` compares two guards row by row, by the hazards of their categories.

    A judge may quote what it was shown, including planted verdicts. Name the columns that it was shown with
    --material; a verdict copied from them is then unreadable, with the reason echoed.
    """
    if (format_ is None) == (keys is None):
        raise click.UsageError("name the format of the replies: either --format ID or --json-keys KEY,...")
    format_ = of_guard(cast("Format", format_ or keys), side, options["parts"])
    check_mode(format_, options["mode"])
    if options["output"] == "-" and as_json:
        raise click.UsageError("-o - and --json both write to standard output; name a file for the rows")
    check_outputs(options["file"], options["output"], options["rejects"])
    job = ParseJob(format=format_, kind=find_kind(options["file"], options["table"].kind), **options)
    check_report(job.report, job.file, job.output, is_unread_only=job.is_unread_only)
    check_reported(job)
    if job.is_resumable:
        check_resumable(job)
    summary, pace = read_table(job, is_silent=as_json)
    if as_json:
        about = {"file": job.file, "format": format_.id, "mode": job.mode, "output": job.output}
        click.echo(json.dumps(about | summary.to_json(), indent=2))
    else:
        console = make_console(stderr=job.output == "-")
        console.print(f"{job.name} as {format_.id}, {job.mode}")
        console.print(pace)
        summary.show(console)
        if job.output not in (None, "-"):
            console.print(f"wrote {escape_controls(job.output)}")
    write_run_report(
        job.report,
        job.output,
        title=f"{Path(job.name).name} as {format_.id}",
        about=f"Read by judgecore parse in {job.mode} mode; {pace}.",
        num_rejected=summary.malformed,
        replies=job.replies,
    )
    if not summary.rows + summary.malformed:
        print_message(f"{job.name} has no rows")
    if not as_json and summary.unread * 2 > summary.counts.total():
        replies = summary.sample.chosen()
        if line := suggest_format(replies, job.file, tried=format_.id, columns=job.columns, table=job.table):
            print_message(line)
    return check_allowances(summary, allowance, permitted, has_rejects=job.rejects is not None)


def of_guard(format_: Format, side: Literal["prompt", "response"] | None, parts: Sequence[Part]) -> Format:
    """Return the format that judges a side; fail if that, or a column that is added for guards, does not apply."""
    if side is not None:
        try:
            format_ = format_.judging(side)
        except FormatError as problem:
            raise click.UsageError(f"--side: {problem}") from None
    told = next((part for part in parts if part in GUARD_PARTS), None)
    if told is not None and format_.kind != "guard":
        raise click.UsageError(f"--columns: {told} is told of guards, and {format_.id} is none; leave it out")
    return format_


def check_reported(job: ParseJob) -> None:
    """Reject a report of columns that have no value, or nothing that says whether there is one."""
    if job.report is not None and not ("value" in job.parts and {"status", "reason"} & set(job.parts)):
        raise click.UsageError("--report shows values, and why replies have none; add value,reason to --columns")


def check_outputs(file: str, output: str | None, rejects: str | None) -> None:
    """Reject outputs with a wrong extension, and outputs that are the input or each other."""
    check_output(output)
    for written, option in ((output, "-o"), (rejects, "--rejects")):
        if written == "":
            raise click.UsageError(f"{option} is empty; name a file, or - for standard output")
        refuse_input(file, written, option)
    if rejects is not None and kind_of(rejects) not in ("jsonl", None):
        lines = escape_controls(str(Path(rejects).with_suffix(".jsonl")))
        raise TableError(f"--rejects {output_name(rejects)}: rejects are written as JSON lines; use --rejects {lines}")
    if output is not None and rejects is not None and is_same_output(output, rejects):
        raise click.UsageError("-o and --rejects name the same file; name another for the rejects")


def check_allowances(summary: Summary, allowance: Allowance, permitted: Allowance, *, has_rejects: bool) -> int:
    """Print which limits are exceeded, and return the exit status."""
    total, rows_in = summary.counts.total(), summary.rows + summary.malformed
    status = 0
    if not allowance.permits(summary.unread, total):
        problem = f"{summary.unread:,} of {total:,} replies are unread, more than --allow-unread {allowance} allows"
        print_message(problem)
        status = 3
    if not permitted.permits(summary.malformed, rows_in):
        problem = (
            f"{summary.malformed:,} of {rows_in:,} rows are rejected, more than --allow-rejects {permitted} allows"
        )
        print_message(problem)
        if not has_rejects:
            print_message("write them to a file with --rejects FILE")
        status = 3
    return status


def read_table(job: ParseJob, *, is_silent: bool) -> tuple[Summary, str]:
    """Read a table, and write its rows if the job has an output; return the summary, and the rate as text."""
    summary = Summary("line" if job.kind in ("jsonl", "csv") else "row")
    summary.spot = SpotCheck(job.sample, job.format) if job.sample else None
    # A bar would mix with rows written to the same terminal.
    is_silent = is_silent or (job.output == "-" and sys.stdout.isatty())
    doing = f"reading {Path(job.name).name}"
    journal: Journal | None = None
    try:
        with ExitStack() as stack:
            if job.is_resumable:
                journal = stack.enter_context(open_job_journal(job))
                sink, kept = journal.streams[0], journal.streams[1] if job.rejects else None
                if journal.checkpoint is not None:
                    rows = journal.checkpoint["summary"]["rows"]
                    print_message(f"{job.name}: resuming after {rows:,} rows")
            else:
                sink = stack.enter_context(open_output(job.output)) if job.output else None
                with as_output_errors(job.rejects):
                    kept = stack.enter_context(open_output(job.rejects)) if job.rejects else None
            rejects = Rejects(job, summary, kept)
            if job.kind in ("parquet", "arrow"):
                columns = ArrowReader(job.file, job.kind)
                n_bytes = Path(job.file).stat().st_size
                progress = stack.enter_context(Progress(doing, n_bytes, is_silent=is_silent))
                read_columns(job, columns, sink, Run(journal, summary, progress))
                return summary, format_rate(summary.rows, columns.bytes_read, progress.seconds)
            source = stack.enter_context(
                open_input(job.file, encoding=job.table.encoding, may_be_windows_1252=job.kind == "csv")
            )
            progress = stack.enter_context(Progress(doing, source.n_bytes, is_silent=is_silent))
            is_typed = sink is not None and output_kind(job, job.kind) in ("parquet", "arrow")
            read = read_rows if is_typed else read_text
            n_bytes = read(job, source, sink, rejects, Run(journal, summary, progress))
            if not job.rejects and summary.malformed and not summary.rows:
                first = summary.problems[0]
                where = f"{summary.place} {first.line}: {first.problem}"
                raise no_rows_error(job.kind, (job.columns or USUAL_NAMES)[0], where)
            return summary, format_rate(summary.rows, n_bytes, progress.seconds)
    except KeyboardInterrupt:
        left = f"; {escape_controls(job.output)} is unchanged" if job.output not in (None, "-") else ""
        print_message(f"interrupted after {summary.rows:,} rows{left}{resume_hint(journal)}")
        raise click.Abort from None
    except ResumeError:
        raise
    except TableError as problem:
        raise TableError(f"{job.name}: {problem}") from None
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise TableError(f"{output_error(job.output, problem)}{resume_hint(journal)}") from problem


def read_rows(
    job: ParseJob,
    source: Input,
    sink: BinaryIO | None,
    rejects: Rejects,
    run: Run,
) -> int:
    """Read all rows of a text table, and write them as Parquet or Arrow IPC; return the number of bytes read."""
    text = TextTable(source.stream, job.kind, delimiter=job.table.delimiter, encoding=source.recoded)
    table = RowReader(text, longest=job.table.longest, keeps_continuations=True)
    job, cut_column, shown = find_columns(job, table.header, is_nested=table.kind == "jsonl")
    writer = RowsAsColumns(table, cast("BinaryIO", sink), output_kind(job, table.kind), job)
    if run.position is not None:
        table.resume(run.position)
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
        run.report(source.position(table.bytes_read))
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
    """Read all rows of Parquet or Arrow IPC in pieces."""
    job, cut, shown = find_columns(job, table.names)
    if not table.header:
        raise TableError("the table has no columns")
    for column in job.columns:
        check_texts(column, table.type_of(column))
    for name in shown:
        check_texts(name, table.type_of(name), what="material", option="--material")
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
            run.summary.add_readings((nth, column), rows, partial(decode_for_display, replies), readings[-1])
        run.summary.rows += len(piece)
        if writer is not None:
            writer.write(piece, readings, first)
        run.report(table.bytes_read)
        if writer is not None and writer.is_flushed:
            run.keep(lambda: table.position)
    if writer is not None:
        writer.close()


def batches(table: RowReader) -> Iterator[list[Row | Malformed]]:
    """Split a table into batches of at most 10,000 rows or malformed lines."""
    rows = iter(table)
    while batch := list(islice(rows, ROWS_IN_BATCH)):
        yield batch
