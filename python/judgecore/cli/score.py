"""``judgecore score``: score the responses in a table, and write the scores as added columns."""

from __future__ import annotations

import json
import math
import sys
from contextlib import AsyncExitStack, ExitStack, aclosing, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from judgecore.cli.arguments import table_options
from judgecore.cli.asking import asking_options, check_batch, describe_batches, pending_hint
from judgecore.cli.exit_status import NOT_ASKED, PENDING, UNREAD
from judgecore.cli.first_replies import FirstReplies, describe_error, prompt_text
from judgecore.cli.interruption import ledger_resume_hint, run_interruptible
from judgecore.cli.message import print_message
from judgecore.cli.preflight import ReadAhead, read_ahead
from judgecore.cli.progress import Progress
from judgecore.cli.report import check_report, report_option, write_run_report
from judgecore.cli.score_plan import ScoreJob, print_plan, take_shard
from judgecore.cli.score_rows import RESPONSES, ResponseColumns, to_cells
from judgecore.cli.score_stream import close_target, count_rows, make_scorer, stream_scores
from judgecore.cli.score_tally import ScoreTally, budget_to_json
from judgecore.errors import (
    ConfigurationError,
    IdentityError,
    JudgecoreError,
    PendingReplyError,
    RegistryError,
    TableError,
)
from judgecore.evaluation import Registry
from judgecore.identity import ScorerEvaluationIdentifier
from judgecore.prompts.document import read_document
from judgecore.reports import ConsoleScorerPrinter
from judgecore.tables.arrow import TypedRowWriter
from judgecore.tables.files import (
    check_output,
    find_kind,
    naming_table,
    no_rows_error,
    open_output,
    output_error,
    refuse_input,
)
from judgecore.tables.opening import make_row_writer, open_rows
from judgecore.targets import BatchRun, Ledger, keep_replies
from judgecore.targets.keeping import replays_counted_once
from judgecore.targets.reply import MOST, describe_served
from judgecore.terminal import escape_controls, make_console

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from judgecore.evaluation import RegistryEntry
    from judgecore.scorers import Scorer
    from judgecore.tables.opening import Rows, RowWriter
    from judgecore.tables.rows import Row
    from judgecore.targets import RequestTally, Target

ROWS_AT_ONCE = 256
# The longest bar of the distribution of scores.
HISTOGRAM_CELLS = 40
_PATH = click.Path(exists=True, dir_okay=False, path_type=Path)

EPILOG = """\b
Minimal files:
  type: SelfAskRefusalScorer        scorer; the file of --scorer
  {type: OpenAITarget, model: m}    judge; the key is in OPENAI_API_KEY

\b
Examples:
  judgecore score responses.jsonl --scorer refusal.yaml --target judge.yaml \\
      --ledger run.db -o scores.jsonl
  judgecore score responses.csv --scorer refusal.yaml --target judge.yaml \\
      --ledger run.db --dry-run
  judgecore score responses.parquet --scorer s.yaml --target t.yaml \\
      --ledger shard-1.db --shard 1/4 -o shard-1.parquet
  judgecore score responses.jsonl --scorer refusal.yaml --target judge.yaml \\
      --ledger run.db -o scores.jsonl --batch

\b
Exit status: 0 success, 2 usage error or the first reply can't be read, 3 more
undetermined scores than --allow-unread allows, 130 interrupted: OUT is
unchanged, the ledger has all replies received so far, and running the same
command resumes; 4 batches are pending: OUT is unchanged, and running the same
command later goes on; 5 some rows were not asked, and are marked so in OUT.
"""


@click.command("score", epilog=EPILOG)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--scorer", required=True, type=_PATH, help="The scorer: a YAML file with its type and parameters.")
@click.option("--target", type=_PATH, help="The judge: a YAML file with its type and parameters, but no API key.")
@click.option(
    "-o", "--output", metavar="OUT", help="Write the rows with their scores to this file; - is standard output."
)
@report_option
@click.option("--response", metavar="NAME", help="The column that holds the responses.")
@click.option("--conversation", metavar="NAME", help="The column that holds conversations: lists of turns.")
@click.option("--image", metavar="NAME", help="The column that holds images: files in the folder of FILE, or URLs.")
@click.option("--objective", metavar="NAME", help="The column that holds the objective of each response.")
@click.option(
    "--shard", default="1/1", metavar="I/N", callback=take_shard, help="Score every N-th row, starting at row I."
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Score at most N rows.")
@click.option(
    "--trial",
    type=click.IntRange(0, MOST),
    default=0,
    show_default=True,
    help="The number of this trial; each trial asks the judge anew.",
)
@asking_options
@click.option("--prefix", default="", metavar="TEXT", help="A prefix for the names of the added columns.")
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON document, and no progress.")
def score_command(**options: Any) -> int:
    """Score the responses in FILE, a table in any format that `judgecore parse` reads; - is standard input.

    Each row is written with eleven added columns: score_value (true or false, a number from 0 to 1, or empty if
    undetermined), score_type, score_status, score_reason, score_rationale, score_category, score_metadata,
    score_parts, score_attempts, ledger_key and scorer_hash. Prompt templates can use all other text columns.

    A row that can't be scored is undetermined and counted; the other rows are scored. The summary shows the scorer's
    metrics if a registry has them.
    """
    check_batch(options["ledger"], options["file"], is_batch=options["is_batch"], is_waiting=options["is_waiting"])
    job, as_json = make_job(options), bool(options["as_json"])
    if job.output == "-" and as_json:
        raise click.UsageError("-o - and --json both write to standard output; name a file for the rows")
    check_output(job.output)
    check_report(job.report, job.file, job.output)
    with as_table_errors(job):
        inputs = {
            "the input itself": job.file,
            "the file of --scorer": job.scorer,
            "the file of --target": job.target,
            "the recording of --target": job.target and recording_of(job.target),
            "the file of --ledger": job.ledger,
        }
        for read_as, read in inputs.items():
            if read is not None:
                refuse_input(str(read), job.output, "-o", read_as=read_as)
                refuse_input(str(read), job.report and str(job.report), "--report", read_as=read_as)
        is_sent = not (options["dry_run"] or options["show_prompt"])
        ahead = None
        if not is_sent or (job.has_preflight and job.file != "-"):
            with naming_table(job.name):
                ahead = run_interruptible(read_ahead(job, is_silent=is_sent))
            ahead.check(job.scorer.name, job.name)
        if options["show_prompt"] and ahead is not None:
            click.echo(prompt_text(ahead.plan.first))
        if options["dry_run"] and ahead is not None:
            print_plan(job, ahead.plan, ahead.tally, as_json=as_json)
        return score(job, ahead, as_json=as_json) if is_sent else 0


def make_job(options: dict[str, Any]) -> ScoreJob:
    """Make a job of the options of ``judgecore score``."""
    given = {one.name: options[one.name] for one in fields(ScoreJob) if one.name in options}
    return ScoreJob(
        **given,
        kind=find_kind(options["file"], options["table"].kind),
        asked={name: options[name] for name in ResponseColumns.__dataclass_fields__},
    )


def score(job: ScoreJob, ahead: ReadAhead | None, *, as_json: bool) -> int:
    """Score a table, print the summary, and return the exit status."""
    try:
        tally, pace, known = score_table(job, ahead, is_silent=as_json)
    except PendingReplyError as pending:
        print_pending(job, pending, as_json=as_json)
        return PENDING
    print_summary(job, tally, pace, known, as_json=as_json)
    write_run_report(
        job.report,
        job.output,
        title=f"{Path(job.name).name} by {job.scorer.stem}",
        about=f"Scored by judgecore score; {pace}.",
        num_rejected=tally.malformed,
        prefix=job.prefix,
        ledger=job.ledger,
        facts=tally.facts(job.prices),
    )
    total = tally.rows + tally.malformed
    if not total:
        part = "" if job.shard == (1, 1) else " of shard {}/{}".format(*job.shard)
        print_message(f"{job.name} has no rows{part}")
    if tally.not_asked:
        # Comes first: the run is not complete.
        print_message(f"{tally.not_asked.total():,} of {total:,} rows were not asked; {not_asked_cure(job)}")
        return NOT_ASKED
    if job.allowance.permits(tally.undetermined, total):
        return 0
    undetermined = f"{tally.undetermined:,} of {total:,} rows are undetermined"
    print_message(f"{undetermined}, more than --allow-unread {job.allowance} allows")
    return UNREAD


def not_asked_cure(job: ScoreJob) -> str:
    """Return how to have the rows scored that were not asked."""
    more = "" if job.budget is None or not job.budget.is_reached else " with a larger budget"
    if job.ledger is None:
        return f"with --ledger, the same command{more} would ask only them"
    return f"the same command{more} asks only them"


def recording_of(target: str | Path) -> Path | None:
    """Return the path of the recording that a target's file replays; None if it replays none."""
    source = read_document(Path(target), ConfigurationError).get("source")
    return Path(target).parent / source if isinstance(source, str) else None


def score_table(
    job: ScoreJob, ahead: ReadAhead | None, *, is_silent: bool
) -> tuple[ScoreTally, str, list[RegistryEntry] | str]:
    """Score a table, and write its rows; return the counts, a summary line, and the result of ``find_known``."""
    tally = ScoreTally()
    is_estimated = not is_silent and (job.prices or job.budget)
    if ahead is not None and is_estimated and (said := ahead.estimate(job.prices, job.budget)):
        print_message(said)
    try:
        with naming_table(job.name), ExitStack() as stack:
            table = stack.enter_context(open_rows(job.file, job.kind, job.table))
            sink = stack.enter_context(open_output(job.output)) if job.output else None
            writer = None if sink is None else make_writer(job, table, sink, () if ahead is None else ahead.columns)
            is_in_the_way = job.output == "-" and sys.stdout.isatty()
            total = count_rows(table.n_rows, job) if ahead is None else ahead.tally.rows + ahead.tally.malformed
            progress = stack.enter_context(
                Progress(f"scoring {Path(job.name).name}", total, is_silent=is_silent or is_in_the_way)
            )
            known = run_interruptible(score_rows(job, table, writer, tally, progress, total=total))
            if writer is not None:
                writer.close()
            return tally, tally.summarize(progress.seconds, job.prices, job.budget), known
    except KeyboardInterrupt:
        left = f"; {escape_controls(job.output)} is unchanged" if job.output not in (None, "-") else ""
        print_message(f"interrupted after {tally.rows:,} rows{left}; {ledger_resume_hint(job.ledger)}")
        raise click.Abort from None


async def score_rows(
    job: ScoreJob, table: Rows, writer: RowWriter | None, tally: ScoreTally, progress: Progress, *, total: int | None
) -> list[RegistryEntry] | str:
    """Score all rows of a table, in bounded memory; return the result of ``find_known``."""
    async with AsyncExitStack() as stack:
        ledger = stack.enter_context(Ledger(job.ledger)) if job.ledger else None
        tally.judge = stack.enter_context(keep_replies(ledger, budget=job.budget))

        def wrap(target: Target) -> Target:
            stack.push_async_callback(close_target, target)
            return target

        scorer = make_scorer(job, wrap)
        if ledger is not None and job.is_batch:
            with replays_counted_once() as restart:
                await ask_in_batches(scorer, job, ledger, tally.judge, progress)
                restart()
        following = progress.following(
            lambda: tally.rows + tally.malformed,
            lambda: tally.describe_progress(total, progress.rate, job.prices, job.budget),
            lambda: tally.judge.outage,
        )
        await stack.enter_async_context(following)
        written: list[tuple[Row, dict[str, Any]]] = []
        has_check = job.has_preflight and not job.is_batch
        first = FirstReplies(job.allowance, total, job.target, tally.judge) if has_check else None
        async for row, scores in stream_scores(scorer, job, table, tally, first=first):
            tally.add_scores(scores)
            if writer is None:
                continue
            written.append((row, to_cells(scores, job.prefix, is_typed=isinstance(writer, TypedRowWriter))))
            if len(written) >= ROWS_AT_ONCE:
                writer.write(written)
                written = []
        if writer is not None:
            writer.write(written)
    if tally.malformed and not tally.rows:
        raise no_rows_error(job.kind, job.asked["response"] or RESPONSES[0])
    return find_known(scorer, job)


async def ask_in_batches(
    scorer: Scorer, job: ScoreJob, ledger: Ledger, judge: RequestTally, progress: Progress
) -> None:
    """Read the table until every question has a reply or has failed, and submit the others in batches."""
    run = BatchRun(ledger)

    async def ask() -> bool:
        is_pending = False
        async with AsyncExitStack() as stack:
            table = stack.enter_context(open_rows(job.file, job.kind, job.table))
            scored = stream_scores(scorer, job, table, ScoreTally(), is_silent=True)
            async for _, scores in await stack.enter_async_context(aclosing(scored)):
                is_pending |= scores[0].undetermined_reason == "pending"
                await run.submit(is_partial=False)
        return is_pending

    async with progress.following(lambda: 0, lambda: [(describe_batches(run.tally),)], lambda: judge.outage):
        await run.settle(ask, is_waiting=job.is_waiting)


def make_writer(job: ScoreJob, table: Rows, sink: BinaryIO, columns: Iterable[str] = ()) -> RowWriter:
    """Make the writer of a job's rows."""
    kind = "jsonl" if job.output == "-" and table.kind != "csv" else table.kind
    header = table.header if table.kind == "csv" else [*dict.fromkeys((*table.header, *columns))]
    return make_row_writer(sink, job.output or "-", kind, header, job.added, delimiter=table.delimiter)


@contextmanager
def as_table_errors(job: ScoreJob) -> Generator[None]:
    """Convert errors that end a run to ``TableError``, with the notes that say where they occurred."""
    try:
        yield
    except TableError:
        raise
    except JudgecoreError as problem:
        raise TableError(describe_error(problem, job.target)) from None
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise output_error(job.output, problem) from problem


def find_known(scorer: Scorer, job: ScoreJob) -> list[RegistryEntry] | str:
    """Return a scorer's entries in the registry, or the reason why the registry can't be used."""
    try:
        return list(Registry(job.registry).find_all(ScorerEvaluationIdentifier(scorer.get_identifier())))
    except (IdentityError, RegistryError) as problem:
        return str(problem)


def print_summary(
    job: ScoreJob, tally: ScoreTally, pace: str, known: list[RegistryEntry] | str, *, as_json: bool
) -> None:
    """Print the summary of a run."""
    about = {"file": job.file, "scorer": str(job.scorer), "output": job.output}
    if as_json:
        metrics = None if isinstance(known, str) else [one.metrics.to_registry() for one in known]
        click.echo(json.dumps(about | tally.to_json(job.prices, job.budget) | {"metrics": metrics}, indent=2))
        return
    console = make_console(stderr=job.output == "-")
    console.print(f"{job.name} by {escape_controls(job.scorer.name)}")
    console.print(pace)
    distribution = tally.distribution
    most = max((count for _, count in distribution), default=0)
    for value, count in distribution:
        console.print(f"  {value:<14} {count:>9,}  {'█' * math.ceil(HISTOGRAM_CELLS * count / max(most, 1))}")
    for line in describe_served(tally.judge.served.values()):
        console.print(escape_controls(line), style="yellow", soft_wrap=True)
    for reason, count in tally.reasons.most_common():
        console.print(f"  {reason:<14} {count:>9,}", style="yellow")
    for reason, count in tally.not_asked.most_common():
        console.print(f"  {f'not asked: {reason}':<14} {count:>9,}", style="yellow")
    for error, count in tally.errors.most_common(1):
        name = "most common cause" if tally.not_asked else "most common error"
        console.print(f"{name} ({count:,}): {escape_controls(error)}", style="yellow", soft_wrap=True)
    if tally.malformed:
        console.print(f"  {'malformed line':<14} {tally.malformed:>9,}", style="red")
    if isinstance(known, str):
        console.print(f"not evaluated: {escape_controls(known)}", style="yellow")
    else:
        ConsoleScorerPrinter(console).print_known(known)
    if job.output not in (None, "-"):
        console.print(f"wrote {escape_controls(job.output)}")


def print_pending(job: ScoreJob, pending: PendingReplyError, *, as_json: bool) -> None:
    """Print what is pending, and how to go on."""
    if as_json:
        about = {"file": job.file, "scorer": str(job.scorer), "output": job.output}
        click.echo(json.dumps(about | dict(pending.counts) | {"budget": budget_to_json(job.budget)}, indent=2))
        return
    print_message(escape_controls(str(pending)))
    print_message(pending_hint(job.ledger))
