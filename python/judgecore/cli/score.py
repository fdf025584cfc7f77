"""``judgecore score``: score the responses in a table, and write the scores as added columns."""

from __future__ import annotations

import json
import re
import sys
from collections import deque
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from judgecore.cli.arguments import Allowance, table_options, take_allowance
from judgecore.cli.batches import (
    PENDING,
    batch_options,
    check_batch,
    describe_batches,
    pending_hint,
    use_batches,
)
from judgecore.cli.interruption import ledger_resume_hint, run_interruptible
from judgecore.cli.prices import budget_options, check_budget
from judgecore.cli.progress import Progress
from judgecore.cli.run_report import check_report, report_option, write_run_report
from judgecore.cli.score_plan import Plan, PlannedTarget
from judgecore.cli.score_rows import ADDED, RESPONSES, ResponseColumns, find_columns, to_cells, to_response
from judgecore.cli.score_tally import ScoreTally, show_cost
from judgecore.errors import (
    ConfigurationError,
    IdentityError,
    JudgecoreError,
    LedgerError,
    PendingReplyError,
    RegistryError,
    TableError,
)
from judgecore.evaluation import Registry
from judgecore.identity import ScorerEvaluationIdentifier
from judgecore.prompts.document import read_document
from judgecore.reports import ConsoleScorerPrinter
from judgecore.scorers import Response
from judgecore.scorers.configuration import load_scorer, load_target
from judgecore.tables.arrow import TypedRowWriter
from judgecore.tables.files import (
    check_output,
    find_kind,
    input_name,
    open_output,
    output_error,
    refuse_input,
    row_example,
)
from judgecore.tables.opening import make_row_writer, open_rows
from judgecore.tables.rows import Malformed, Row
from judgecore.targets import BatchRun, Ledger, keep_replies
from judgecore.targets.keeping import replays_counted_once
from judgecore.targets.reply import MOST
from judgecore.terminal import count_noun, escape_controls, make_console

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Generator, Iterator, Mapping

    from judgecore.evaluation import RegistryEntry
    from judgecore.scorers import Score, Scorer
    from judgecore.tables.files import Kind
    from judgecore.tables.opening import Rows, RowWriter, TableOptions
    from judgecore.targets import Budget, PriceTable, Target

ROWS_AT_ONCE = 256
# Rows of JSON lines may have different columns; those in use must occur in the first rows.
ROWS_FOR_COLUMNS = 100
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
Exit status: 0 success, 2 usage error, 3 more undetermined scores than
--allow-unread allows, 130 interrupted: OUT is unchanged, the ledger has all
replies received so far, and running the same command resumes; 4 batches are
pending: OUT is unchanged, and running the same command later goes on; 5 some
rows were not asked, and are marked so in OUT.
"""


@dataclass(frozen=True)
class ScoreJob:
    """The options of one run.

    Attributes:
        file: The input table; ``-`` is standard input.
        kind: The kind of table.
        table: How to read it.
        scorer: The scorer's file.
        target: The target's file; None if the scorer asks no judge, or names its own.
        ledger: The file in which replies are stored; None to store none.
        output: The output; None to write no rows, ``-`` is standard output.
        asked: The columns that the caller named, by role.
        shard: The shard's number, from 1, and the number of shards.
        limit: The maximum number of rows; None for all.
        concurrency: How many rows are scored at once.
        trial: The number of this trial, from 0.
        prefix: The prefix of the added columns' names.
        prices: The prices of tokens; None if unknown.
        budget: How much may be spent; None for no limit.
        registry: The folder of the registry of metrics; None for the default one.
        allow_outside: Whether to read files outside the folder of the file that names them.
        is_batch: Whether to send the requests in batches.
        is_waiting: Whether to wait for the replies of the batches.
    """

    file: str
    kind: Kind
    table: TableOptions
    scorer: Path
    target: Path | None
    ledger: Path | None
    output: str | None
    asked: Mapping[str, str | None]
    shard: tuple[int, int]
    limit: int | None
    concurrency: int
    trial: int
    prefix: str
    prices: PriceTable | None
    budget: Budget | None
    registry: Path | None = None
    allow_outside: bool = False
    is_batch: bool = False
    is_waiting: bool = False

    @property
    def name(self) -> str:
        """The input's name in messages."""
        return input_name(self.file)

    @property
    def added(self) -> tuple[str, ...]:
        """The names of the added columns."""
        return tuple(f"{self.prefix}{name}" for name in ADDED)


def take_shard(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[int, int]:
    """Parse a shard such as ``1/4``.

    Raises:
        click.BadParameter: If it is not a valid shard.
    """
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", value.strip(), re.ASCII)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        problem = f"{value!r} is not a shard; write 1/4 for the first of four"
        raise click.BadParameter(problem)
    return int(found[1]), int(found[2])


@click.command("score", epilog=EPILOG)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--scorer", required=True, type=_PATH, help="The scorer: a YAML file with its type and parameters.")
@click.option("--target", type=_PATH, help="The judge: a YAML file with its type and parameters, but no API key.")
@click.option(
    "-o", "--output", metavar="OUT", help="Write the rows with their scores to this file; - is standard output."
)
@report_option
@click.option(
    "--ledger",
    metavar="RUN.DB",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Store every reply in this file, so that an interrupted run can be resumed and a repeated one costs nothing.",
)
@click.option("--response", metavar="NAME", help="The column that holds the responses.")
@click.option("--conversation", metavar="NAME", help="The column that holds conversations: lists of turns.")
@click.option("--image", metavar="NAME", help="The column that holds images: files in the folder of FILE, or URLs.")
@click.option("--allow-outside", is_flag=True, help="Read files outside the folder of the file that names them.")
@click.option("--objective", metavar="NAME", help="The column that holds the objective of each response.")
@click.option(
    "--shard", default="1/1", metavar="I/N", callback=take_shard, help="Score every N-th row, starting at row I."
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Score at most N rows.")
@click.option(
    "--concurrency", type=click.IntRange(min=1), default=32, show_default=True, help="How many rows are scored at once."
)
@click.option(
    "--trial",
    type=click.IntRange(0, MOST),
    default=0,
    show_default=True,
    help="The number of this trial; each trial asks the judge anew.",
)
@batch_options
@click.option("--dry-run", is_flag=True, help="Count the requests without sending them.")
@budget_options
@click.option(
    "--registry",
    type=click.Path(path_type=Path, file_okay=False),
    help="The registry's folder.  [default: JUDGECORE_REGISTRY, else in your data folder]",
)
@click.option("--prefix", default="", metavar="TEXT", help="A prefix for the names of the added columns.")
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON document, and no progress.")
@click.option(
    "--allow-unread",
    "allowance",
    metavar="N|P%",
    callback=take_allowance,
    help="Exit with status 3 if more rows are undetermined.  [default: 0]",
)
def score_command(**options: Any) -> int:
    """Score the responses in FILE, a table in any format that `judgecore parse` reads; - is standard input.

    Each row is written with eleven added columns: score_value (true or false, a number from 0 to 1, or empty if
    undetermined), score_type, score_status, score_reason, score_rationale, score_category, score_metadata,
    score_parts, score_attempts, ledger_key and scorer_hash. Prompt templates can use all other text columns.

    A row that can't be scored is undetermined and counted; the other rows are scored. The summary shows the scorer's
    metrics if a registry has them.
    """
    check_batch(options["ledger"], is_batch=options["is_batch"], is_waiting=options["is_waiting"])
    allowance: Allowance = options["allowance"]
    if allowance == Allowance():
        allowance = Allowance(limit=0)
    job = ScoreJob(
        file=options["file"],
        kind=find_kind(options["file"], options["table"].kind),
        table=options["table"],
        scorer=options["scorer"],
        target=options["target"],
        ledger=options["ledger"],
        output=options["output"],
        asked={name: options[name] for name in ResponseColumns.__dataclass_fields__},
        shard=options["shard"],
        limit=options["limit"],
        concurrency=options["concurrency"],
        trial=options["trial"],
        prefix=options["prefix"],
        prices=options["prices"],
        budget=options["budget"],
        registry=options["registry"],
        allow_outside=options["allow_outside"],
        is_batch=options["is_batch"],
        is_waiting=options["is_waiting"],
    )
    as_json: bool = options["as_json"]
    if job.output == "-" and as_json:
        raise click.UsageError("-o - and --json both write to standard output; name a file for the rows")
    check_output(job.output)
    report: Path | None = options["report"]
    check_report(report, job.file, job.output)
    with as_table_errors(job):
        for read in (job.file, job.scorer, job.target, job.ledger, job.target and recording_of(job.target)):
            if read is not None:
                refuse_input(str(read), job.output, "-o")
        if options["dry_run"]:
            print_plan(job, *run_interruptible(plan(job)), as_json=as_json)
            return 0
        try:
            tally, pace, known = score(job, is_silent=as_json)
        except PendingReplyError as pending:
            print_pending(job, pending, as_json=as_json)
            return PENDING
    print_summary(job, tally, pace, known, as_json=as_json)
    write_run_report(
        report,
        job.output,
        title=f"{Path(job.name).name} by {job.scorer.stem}",
        about=f"Scored by judgecore score; {pace}.",
        prefix=job.prefix,
        ledger=job.ledger,
        facts=tally.facts(job.prices),
    )
    if not tally.rows + tally.malformed:
        part = "" if job.shard == (1, 1) else " of shard {}/{}".format(*job.shard)
        click.echo(f"{job.name} has no rows{part}", err=True)
    total = tally.rows + tally.malformed
    if tally.not_asked:
        # Comes first: the run is not complete.
        click.echo(f"{tally.not_asked.total():,} of {total:,} rows were not asked; {not_asked_cure(job)}", err=True)
        return 5
    if allowance.permits(tally.undetermined, total):
        return 0
    problem = f"{tally.undetermined:,} of {total:,} rows are undetermined, more than --allow-unread {allowance} allows"
    click.echo(problem, err=True)
    return 3


def not_asked_cure(job: ScoreJob) -> str:
    """Return how to have the rows scored that were not asked."""
    more = "" if job.budget is None or not job.budget.is_reached else " with a larger budget"
    if job.ledger is None:
        return f"with --ledger, the same command{more} would ask only them"
    return f"the same command{more} asks only them"


def recording_of(target: str | Path) -> Path | None:
    """Return the path of the recording that a target replays; None if it replays none.

    Args:
        target: The target's file.

    Raises:
        ConfigurationError: If the file is invalid.
    """
    source = read_document(Path(target), ConfigurationError).get("source")
    return Path(target).parent / source if isinstance(source, str) else None


def score(job: ScoreJob, *, is_silent: bool) -> tuple[ScoreTally, str, list[RegistryEntry] | str]:
    """Score a table, and write its rows if the job has an output.

    Args:
        job: The job.
        is_silent: Whether to show no progress.

    Returns:
        The counts, a summary line, and the result of ``find_known``.

    Raises:
        TableError: If the table can't be read or the rows can't be written; the output is then unchanged.
        JudgecoreError: If an error concerns more than one row.
    """
    tally = ScoreTally()
    try:
        with ExitStack() as stack:
            table = stack.enter_context(open_rows(job.file, job.kind, job.table))
            sink = stack.enter_context(open_output(job.output)) if job.output else None
            writer = None if sink is None else make_writer(job, table, sink)
            is_in_the_way = job.output == "-" and sys.stdout.isatty()
            total = count_rows(table.n_rows, job)
            progress = stack.enter_context(
                Progress(f"scoring {Path(job.name).name}", total, is_silent=is_silent or is_in_the_way)
            )
            known = run_interruptible(score_rows(job, table, writer, tally, progress))
            if writer is not None:
                writer.close()
            return tally, tally.summarize(progress.seconds, job.prices, job.budget), known
    except KeyboardInterrupt:
        left = f"; {escape_controls(job.output)} is unchanged" if job.output not in (None, "-") else ""
        click.echo(f"interrupted after {tally.rows:,} rows{left}; {ledger_resume_hint(job.ledger)}", err=True)
        raise click.Abort from None
    except TableError as problem:
        raise TableError(f"{job.name}: {problem}") from None


async def score_rows(
    job: ScoreJob, table: Rows, writer: RowWriter | None, tally: ScoreTally, progress: Progress
) -> list[RegistryEntry] | str:
    """Score all rows of a table, in bounded memory.

    Args:
        job: The job.
        table: The input.
        writer: The writer of the output; None to write no rows.
        tally: The counts to update.
        progress: The progress display to update.

    Returns:
        The result of ``find_known``.

    Raises:
        TableError: If a column is missing, or an added column's name is taken.
        JudgecoreError: If an error concerns more than one row.
    """
    async with AsyncExitStack() as stack:
        ledger = stack.enter_context(Ledger(job.ledger)) if job.ledger else None
        tally.judge = stack.enter_context(keep_replies(ledger, budget=job.budget))

        def wrap(target: Target) -> Target:
            stack.push_async_callback(close_target, target)
            return target

        scorer = make_scorer(job, wrap)
        if ledger is not None and job.is_batch:
            with replays_counted_once() as restart:
                await ask_in_batches(scorer, job, ledger, progress)
                restart()
        written: list[tuple[Row, dict[str, Any]]] = []
        async for row, scores in stream_scores(scorer, job, table, tally):
            tally.add_scores(scores)
            progress.update(tally.rows, lambda: tally.summarize(progress.seconds, job.prices, job.budget))
            if writer is None:
                continue
            written.append((row, to_cells(scores, job.prefix, is_typed=isinstance(writer, TypedRowWriter))))
            if len(written) >= ROWS_AT_ONCE:
                writer.write(written)
                written = []
        if writer is not None:
            writer.write(written)
    if tally.malformed and not tally.rows:
        raise TableError(
            f"no line is a valid {job.kind} row{row_example(job.asked['response'] or RESPONSES[0], job.kind)}"
        )
    return find_known(scorer, job)


async def ask_in_batches(scorer: Scorer, job: ScoreJob, ledger: Ledger, progress: Progress) -> None:
    """Read the table until every question has a reply or has failed, and submit the others in batches.

    Args:
        scorer: The scorer.
        job: The job.
        ledger: The ledger.
        progress: The progress display to update.

    Raises:
        PendingReplyError: If batches have not ended and the job does not wait for them.
    """
    if job.file == "-":
        raise click.UsageError("--batch reads FILE several times; name a file, not standard input")
    run = BatchRun(ledger, on_progress=lambda tally: progress.update(0, lambda: describe_batches(tally)))

    async def ask() -> bool:
        is_pending = False
        if job.budget is not None:
            job.budget.count_ledger(ledger, is_again=True)
        with open_rows(job.file, job.kind, job.table) as table:
            async for _, scores in stream_scores(scorer, job, table, ScoreTally(), is_silent=True):
                is_pending |= scores[0].undetermined_reason == "pending"
                await run.submit(is_partial=False)
        return is_pending

    await run.collect()
    await run.settle(ask, is_waiting=job.is_waiting)


async def stream_scores(
    scorer: Scorer, job: ScoreJob, table: Rows, tally: ScoreTally, *, is_silent: bool = False
) -> AsyncIterator[tuple[Row, list[Score]]]:
    """Score the rows of a table, in order.

    Args:
        scorer: The scorer.
        job: The job.
        table: The input.
        tally: The counts to update for malformed lines.
        is_silent: Whether to report no malformed lines.

    Yields:
        Each row with its scores; a row whose response can't be scored has one undetermined score.

    Raises:
        TableError: If a column is missing, or an added column's name is taken.
    """
    waiting: deque[tuple[Row, ValueError | None]] = deque()

    def responses() -> Iterator[Response]:
        for row, response in take_rows(job, table, tally, is_silent=is_silent):
            problem = response if isinstance(response, ValueError) else None
            waiting.append((row, problem))
            yield Response(text=None) if isinstance(response, ValueError) else response

    async for scores in scorer.score_stream(responses(), concurrency=job.concurrency, trial=job.trial):
        row, problem = waiting.popleft()
        if problem is None:
            yield row, scores
        else:
            yield row, [scorer.make_undetermined("error", error=problem, score_rationale=str(problem))]


def take_rows(
    job: ScoreJob, table: Rows, tally: ScoreTally, *, is_silent: bool = False
) -> Iterator[tuple[Row, Response | ValueError]]:
    """Convert the rows of a job's shard to responses.

    Args:
        job: The job.
        table: The input.
        tally: The counts to update for malformed lines.
        is_silent: Whether to report no malformed lines.

    Yields:
        Each row with its response, or with the error that the row caused.

    Raises:
        TableError: If a column is missing, or an added column's name is taken.
    """
    part, parts = job.shard
    rows = iter(table)
    first = list(islice(rows, ROWS_FOR_COLUMNS))
    columns = find_columns(table.header, job.asked, is_nested=table.kind != "csv")
    of_shard = (row for number, row in enumerate(chain(first, rows)) if number % parts == part - 1)
    for row in islice(of_shard, job.limit):
        if isinstance(row, Malformed):
            tally.malformed += 1
            if not is_silent:
                click.echo(f"{job.name}: {table.place} {row.line}: {escape_controls(row.problem)}; skipped", err=True)
            continue
        taken = [name for name in row.cells if name in job.added]
        if taken:
            names = ", ".join(map(repr, taken))
            raise TableError(
                f"{row.where}: already has {names}; rename the added columns, for example with --prefix jc_"
            )
        file = "input" if job.file == "-" else job.file
        yield row, to_response(row, columns, file=file, allow_outside=job.allow_outside)


async def plan(job: ScoreJob) -> tuple[Plan, ScoreTally]:
    """Count the requests that a job would send.

    Args:
        job: The job.

    Returns:
        The requests, and the number of rows.
    """
    tally = ScoreTally()
    asked = Plan.for_ledger(job.ledger, is_batch=job.is_batch)

    def wrap(target: Target) -> Target:
        return PlannedTarget(target, asked)

    scorer = make_scorer(job, wrap)
    with ExitStack() as stack:
        table = stack.enter_context(open_rows(job.file, job.kind, job.table))
        async for _ in stream_scores(scorer, job, table, tally):
            tally.rows += 1
    return asked, tally


def make_scorer(job: ScoreJob, wrap: Any) -> Scorer:
    """Make a job's scorer.

    Args:
        job: The job.
        wrap: A function applied to each judge.

    Raises:
        ConfigurationError: If a file is invalid.
    """

    def settle(target: Target) -> Target:
        if job.is_batch:
            use_batches(target)
        check_budget(job.budget, target)
        return wrap(target)

    target = None if job.target is None else settle(load_target(job.target, allow_outside=job.allow_outside))
    return load_scorer(job.scorer, chat_target=target, wrap_target=settle, allow_outside=job.allow_outside)


async def close_target(target: Any) -> None:
    """Close a target's connections."""
    if hasattr(target, "aclose"):
        await target.aclose()
    elif hasattr(target, "close"):
        target.close()


def make_writer(job: ScoreJob, table: Rows, sink: BinaryIO) -> RowWriter:
    """Make the writer of a job's rows.

    Args:
        job: The job.
        table: The input.
        sink: The output stream.

    Raises:
        TableError: If pyarrow is needed but not installed.
    """
    kind = "jsonl" if job.output == "-" and table.kind != "csv" else table.kind
    return make_row_writer(sink, job.output or "-", kind, table.header, job.added, delimiter=table.delimiter)


def count_rows(n_rows: int | None, job: ScoreJob) -> int | None:
    """Return how many rows of a table will be scored; None if unknown."""
    if n_rows is None:
        return job.limit
    part, parts = job.shard
    of_shard = len(range(part - 1, n_rows, parts))
    return min(of_shard, job.limit or of_shard)


@contextmanager
def as_table_errors(job: ScoreJob) -> Generator[None]:
    """Convert errors that end a run to ``TableError``, with the notes that say where they occurred."""
    try:
        yield
    except TableError:
        raise
    except (ConfigurationError, LedgerError) as problem:
        raise TableError(escape_controls(str(problem))) from None
    except JudgecoreError as problem:
        where = "".join(f" ({note})" for note in getattr(problem, "__notes__", ()))
        raise TableError(escape_controls(f"{type(problem).__name__}: {problem}{where}")) from None
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise output_error(job.output, problem) from problem


def find_known(scorer: Scorer, job: ScoreJob) -> list[RegistryEntry] | str:
    """Find a scorer's entries in the registry.

    Args:
        scorer: The scorer.
        job: The job, which names the registry.

    Returns:
        The entries, or the reason why the registry can't be used.
    """
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
        click.echo(json.dumps(about | tally.to_json(job.prices) | {"metrics": metrics}, indent=2))
        return
    console = make_console(stderr=job.output == "-")
    console.print(f"{job.name} by {escape_controls(job.scorer.name)}")
    console.print(pace)
    for reason, count in tally.reasons.most_common():
        console.print(f"  {reason:<14} {count:>9,}", style="yellow")
    for reason, count in tally.not_asked.most_common():
        console.print(f"  {f'not asked: {reason}':<14} {count:>9,}", style="yellow")
    for error, count in tally.errors.most_common(1):
        console.print(f"most common error ({count:,}): {escape_controls(error)}", style="yellow", soft_wrap=True)
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
        click.echo(json.dumps(about | dict(pending.counts), indent=2))
        return
    click.echo(escape_controls(str(pending)), err=True)
    click.echo(pending_hint(job.ledger), err=True)


def print_plan(job: ScoreJob, plan: Plan, tally: ScoreTally, *, as_json: bool) -> None:
    """Print what a run would send."""
    planned = plan.to_json(job.prices)
    if as_json:
        counts = {"rows_in": tally.rows + tally.malformed, "rows": tally.rows, "rejected": tally.malformed}
        click.echo(json.dumps({"file": job.file, "scorer": str(job.scorer), **counts, **planned}, indent=2))
        return
    console = make_console()
    console.print(f"{job.name} by {escape_controls(job.scorer.name)}: {tally.rows:,} rows")
    known = [f"{plan.answered:,} in the ledger"] if plan.answered else []
    known += [count_noun(plan.duplicates, "duplicate")] if plan.duplicates else []
    beside = f" ({', '.join(known)})" if known else ""
    console.print(f"{count_noun(plan.requests, 'request')}{beside}; {planned['to_send']:,} to send")
    several = len(planned["models"]) > 1
    for model, one in [*planned["models"].items(), *([("all", planned)] if several else [])]:
        cost = show_cost(job.prices, one["cost"])
        console.print(
            f"{escape_controls(model)}: {count_noun(one['to_send'], 'request')}, about {one['prompt_tokens']:,} tokens "
            f"to send and {one['completion_tokens']:,} to receive{cost and f', {cost}'}",
            soft_wrap=True,
        )
    console.print("the judge is asked again if a reply can't be read, so there may be more requests", style="dim")
