"""``judgecore score``: the responses in a table get scores beside them."""

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
from judgecore.cli.interruption import run_interruptible, say_kept
from judgecore.cli.prices import price_options
from judgecore.cli.progress import Progress
from judgecore.cli.score_plan import Plan, PlannedTarget
from judgecore.cli.score_rows import ADDED, RESPONSES, ResponseColumns, find_columns, to_cells, to_response
from judgecore.cli.score_tally import ScoreTally
from judgecore.errors import ConfigurationError, IdentityError, JudgecoreError, LedgerError, RegistryError, TableError
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
    open_output,
    refuse_input,
    refuse_output,
    say_input,
    say_row,
)
from judgecore.tables.opening import make_row_writer, open_rows
from judgecore.tables.rows import Malformed, Row
from judgecore.targets import Ledger, keep_replies
from judgecore.targets.reply import MOST
from judgecore.terminal import escape_controls, make_console

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Generator, Iterator, Mapping

    from judgecore.evaluation import RegistryEntry, TokenPrices
    from judgecore.scorers import Score, Scorer
    from judgecore.tables.files import Kind
    from judgecore.tables.opening import Rows, RowWriter, TableOptions
    from judgecore.targets import Target

ROWS_AT_ONCE = 256
# JSON lines need not have the same columns; those that are used occur among so many rows.
ROWS_FOR_COLUMNS = 100
_PATH = click.Path(exists=True, dir_okay=False, path_type=Path)

EPILOG = """\b
The smallest files that do:
  type: SelfAskRefusalScorer        the scorer's
  {type: OpenAITarget, model: m}    the judge's; OPENAI_API_KEY has the key

\b
Examples:
  judgecore score responses.jsonl --scorer refusal.yaml --target judge.yaml \\
      --ledger run.db -o scores.jsonl
  judgecore score responses.csv --scorer refusal.yaml --target judge.yaml \\
      --ledger run.db --dry-run
  judgecore score responses.parquet --scorer s.yaml --target t.yaml \\
      --ledger shard-1.db --shard 1/4 -o shard-1.parquet

\b
Exit status: 0 done, 2 wrong use, 3 more undetermined than --allow-unread
permits, 130 interrupted: OUT is then as it was, the ledger keeps every reply
that came, and the same command goes on from there.
"""


@dataclass(frozen=True)
class ScoreJob:
    """What is to be scored, by what, and where it goes.

    Attributes:
        file: The table; ``-`` is standard input.
        kind: The kind of table.
        table: What else is known of it.
        scorer: The scorer's file.
        target: The target's file; None for scorers that ask no judge, or name their own.
        ledger: Where replies are kept; None for nowhere.
        output: Where rows go; None for nowhere, ``-`` is standard output.
        asked: Which column holds what, as far as the caller says.
        shard: Which part of how many, from 1.
        limit: The most rows.
        concurrency: How many rows are scored at once.
        trial: Which of several independent judgements it is.
        prefix: What stands before the names of the added columns.
        prices: What tokens cost; None where nobody said it.
        registry: The folder that knows what was measured of scorers; None for the default one.
        allow_outside: Whether files may be read that the table, the scorer or the judge name outside of their folder.
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
    prices: TokenPrices | None
    registry: Path | None = None
    allow_outside: bool = False

    @property
    def name(self) -> str:
        """The table's name for people."""
        return say_input(self.file)

    @property
    def added(self) -> tuple[str, ...]:
        """The names of the added columns."""
        return tuple(f"{self.prefix}{name}" for name in ADDED)


def take_shard(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[int, int]:
    """Read a shard such as ``1/4``.

    Raises:
        click.BadParameter: If it is none.
    """
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", value.strip(), re.ASCII)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        problem = f"{value!r} is no shard; write 1/4 for the first of four"
        raise click.BadParameter(problem)
    return int(found[1]), int(found[2])


@click.command("score", epilog=EPILOG)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--scorer", required=True, type=_PATH, help="The scorer: a YAML file with its type and parameters.")
@click.option("--target", type=_PATH, help="The judge: a YAML file with its type and parameters; no keys in it.")
@click.option("-o", "--output", metavar="OUT", help="Write the rows with their scores here; - is standard output.")
@click.option(
    "--ledger",
    metavar="RUN.DB",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep every reply here, so that an interrupted run goes on and a repeated one costs nothing.",
)
@click.option("--response", metavar="NAME", help="The column that holds the responses.")
@click.option("--conversation", metavar="NAME", help="The column that holds conversations: lists of turns.")
@click.option(
    "--image", metavar="NAME", help="The column that holds images: files in the folder of FILE, or addresses."
)
@click.option("--allow-outside", is_flag=True, help="Read files that FILE or a YAML file names outside of its folder.")
@click.option("--objective", metavar="NAME", help="The column that holds what a response was to achieve.")
@click.option("--shard", default="1/1", metavar="I/N", callback=take_shard, help="Score every N-th row, from row I on.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Score at most N rows.")
@click.option("--concurrency", type=click.IntRange(min=1), default=32, show_default=True, help="Rows at once.")
@click.option(
    "--trial", type=click.IntRange(0, MOST), default=0, show_default=True, help="Which of several judgements."
)
@click.option("--dry-run", is_flag=True, help="Count what would be asked, and ask nothing.")
@price_options
@click.option(
    "--registry",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the scorer's known metrics are.  [default: JUDGECORE_REGISTRY, else in your data folder]",
)
@click.option("--prefix", default="", metavar="TEXT", help="Put this before the names of the added columns.")
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON document, and no progress.")
@click.option(
    "--allow-unread",
    "allowance",
    metavar="N|P%",
    callback=take_allowance,
    help="Exit with status 3 if more stay undetermined.  [default: 0]",
)
def score_command(**options: Any) -> int:
    """Score the responses in FILE, any table that `judgecore parse` takes; - is standard input.

    Each row is written with eleven more columns: score_value (true or false, a number from 0 to 1, or nothing where
    it is undetermined), score_type, score_status, score_reason, score_rationale, score_category, score_metadata,
    score_parts, score_attempts, ledger_key and scorer_hash. All other texts of a row reach prompts that show them.

    One bad row costs one row: it is undetermined, and counted. What a registry knows of the scorer is shown beside
    the counts.
    """
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
        registry=options["registry"],
        allow_outside=options["allow_outside"],
    )
    as_json: bool = options["as_json"]
    if job.output == "-" and as_json:
        raise click.UsageError("-o - and --json both write to standard output; name a file for the rows")
    check_output(job.output)
    with named_problems(job):
        for read in (job.file, job.scorer, job.target, job.ledger, job.target and recording_of(job.target)):
            if read is not None:
                refuse_input(str(read), job.output, "-o")
        if options["dry_run"]:
            tell_plan(job, *run_interruptible(plan(job)), as_json=as_json)
            return 0
        tally, pace, known = score(job, is_silent=as_json)
    tell(job, tally, pace, known, as_json=as_json)
    if not tally.rows + tally.malformed:
        part = "" if job.shard == (1, 1) else " of shard {}/{}".format(*job.shard)
        click.echo(f"{job.name} holds no rows{part}", err=True)
    if allowance.permits(tally.undetermined, tally.rows + tally.malformed):
        return 0
    total = tally.rows + tally.malformed
    said = f"{tally.undetermined:,} of {total:,} are undetermined, more than --allow-unread {allowance} permits"
    click.echo(said, err=True)
    return 3


def recording_of(target: str | Path) -> Path | None:
    """Name the recording that a target's file replays; None where it replays none.

    Args:
        target: The file.

    Raises:
        ConfigurationError: If it makes no sense.
    """
    source = read_document(Path(target), ConfigurationError).get("source")
    return Path(target).parent / source if isinstance(source, str) else None


def score(job: ScoreJob, *, is_silent: bool) -> tuple[ScoreTally, str, list[RegistryEntry] | str]:
    """Score a table, and write its rows where the job says so.

    Args:
        job: What to do.
        is_silent: Whether to tell nothing of the progress.

    Returns:
        What was scored, how fast in words, and what ``find_known`` gives of the scorer.

    Raises:
        TableError: If the table can't be read or the rows can't be written; nothing is written then.
        JudgecoreError: If what failed is not one row's own.
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
            return tally, tally.say(progress.seconds, job.prices), known
    except KeyboardInterrupt:
        left = f"; {escape_controls(job.output)} is as it was before" if job.output not in (None, "-") else ""
        click.echo(f"interrupted after {tally.rows:,} rows{left}; {say_kept(job.ledger)}", err=True)
        raise click.Abort from None
    except TableError as problem:
        raise TableError(f"{job.name}: {problem}") from None


async def score_rows(
    job: ScoreJob, table: Rows, writer: RowWriter | None, tally: ScoreTally, progress: Progress
) -> list[RegistryEntry] | str:
    """Score all rows of a table, in bounded memory.

    Args:
        job: What to do.
        table: Where rows come from.
        writer: What writes them; None for nothing.
        tally: What counts them.
        progress: What tells of them.

    Returns:
        What ``find_known`` gives of the scorer.

    Raises:
        TableError: If a column is missing, or a name is taken.
        JudgecoreError: If what failed is not one row's own.
    """
    async with AsyncExitStack() as stack:
        ledger = stack.enter_context(Ledger(job.ledger)) if job.ledger else None
        tally.judge = stack.enter_context(keep_replies(ledger))

        def wrap(target: Target) -> Target:
            stack.push_async_callback(close_target, target)
            return target

        scorer = make_scorer(job, wrap)
        written: list[tuple[Row, dict[str, Any]]] = []
        async for row, scores in scored(scorer, job, table, tally):
            tally.add_scores(scores)
            progress.tell(tally.rows, lambda: tally.say(progress.seconds, job.prices))
            if writer is None:
                continue
            written.append((row, to_cells(scores, job.prefix, is_typed=isinstance(writer, TypedRowWriter))))
            if len(written) >= ROWS_AT_ONCE:
                writer.write(written)
                written = []
        if writer is not None:
            writer.write(written)
    if tally.malformed and not tally.rows:
        raise TableError(f"no line is a row of {job.kind}{say_row(job.asked['response'] or RESPONSES[0], job.kind)}")
    return find_known(scorer, job)


async def scored(
    scorer: Scorer, job: ScoreJob, table: Rows, tally: ScoreTally
) -> AsyncIterator[tuple[Row, list[Score]]]:
    """Score the rows of a table, in order.

    Args:
        scorer: What scores them.
        job: What to do.
        table: Where rows come from.
        tally: What counts lines that are no row.

    Yields:
        Each row with its scores; one that holds no response that can be scored has an undetermined one.

    Raises:
        TableError: If a column is missing, or a name is taken.
    """
    waiting: deque[tuple[Row, ValueError | None]] = deque()

    def responses() -> Iterator[Response]:
        for row, response in take_rows(job, table, tally):
            problem = response if isinstance(response, ValueError) else None
            waiting.append((row, problem))
            yield Response(text=None) if isinstance(response, ValueError) else response

    async for scores in scorer.score_stream(responses(), concurrency=job.concurrency, trial=job.trial):
        row, problem = waiting.popleft()
        if problem is None:
            yield row, scores
        else:
            yield row, [scorer.make_undetermined("error", error=problem, score_rationale=str(problem))]


def take_rows(job: ScoreJob, table: Rows, tally: ScoreTally) -> Iterator[tuple[Row, Response | ValueError]]:
    """Take the rows of a job's shard out of a table, as responses.

    Args:
        job: What to do.
        table: Where rows come from.
        tally: What counts lines that are no row.

    Yields:
        Each row, and its response or what is wrong with it.

    Raises:
        TableError: If a column is missing, or a name is taken.
    """
    part, parts = job.shard
    rows = iter(table)
    first = list(islice(rows, ROWS_FOR_COLUMNS))
    columns = find_columns(table.header, job.asked, is_nested=table.kind != "csv")
    of_shard = (row for number, row in enumerate(chain(first, rows)) if number % parts == part - 1)
    for row in islice(of_shard, job.limit):
        if isinstance(row, Malformed):
            tally.malformed += 1
            click.echo(
                f"{job.name}: {table.place} {row.line}: {escape_controls(row.problem)}; it is left out", err=True
            )
            continue
        taken = [name for name in row.cells if name in job.added]
        if taken:
            names = ", ".join(map(repr, taken))
            raise TableError(f"{row.where}: already has {names}; name the new columns otherwise, as with --prefix jc_")
        file = "input" if job.file == "-" else job.file
        yield row, to_response(row, columns, file=file, allow_outside=job.allow_outside)


async def plan(job: ScoreJob) -> tuple[Plan, ScoreTally]:
    """Count what a job would ask.

    Args:
        job: What to do.

    Returns:
        What would be asked, and of how many rows.
    """
    tally = ScoreTally()
    asked = Plan.beside(job.ledger)

    def wrap(target: Target) -> Target:
        return PlannedTarget(target, asked)

    scorer = make_scorer(job, wrap)
    with ExitStack() as stack:
        table = stack.enter_context(open_rows(job.file, job.kind, job.table))
        async for _ in scored(scorer, job, table, tally):
            tally.rows += 1
    return asked, tally


def make_scorer(job: ScoreJob, wrap: Any) -> Scorer:
    """Make a job's scorer.

    Args:
        job: What to do.
        wrap: What is made of each judge.

    Raises:
        ConfigurationError: If a file makes no sense.
    """
    target = None if job.target is None else wrap(load_target(job.target, allow_outside=job.allow_outside))
    return load_scorer(job.scorer, chat_target=target, wrap_target=wrap, allow_outside=job.allow_outside)


async def close_target(target: Any) -> None:
    """Close what a target holds open."""
    if hasattr(target, "aclose"):
        await target.aclose()
    elif hasattr(target, "close"):
        target.close()


def make_writer(job: ScoreJob, table: Rows, sink: BinaryIO) -> RowWriter:
    """Make what writes a job's rows.

    Args:
        job: What to do.
        table: Where rows come from.
        sink: Where they go.

    Raises:
        TableError: If pyarrow is needed and missing.
    """
    kind = "jsonl" if job.output == "-" and table.kind != "csv" else table.kind
    return make_row_writer(sink, job.output or "-", kind, table.header, job.added, delimiter=table.delimiter)


def count_rows(n_rows: int | None, job: ScoreJob) -> int | None:
    """Return how many rows of a table will be scored, where that is known."""
    if n_rows is None:
        return job.limit
    part, parts = job.shard
    of_shard = len(range(part - 1, n_rows, parts))
    return min(of_shard, job.limit or of_shard)


@contextmanager
def named_problems(job: ScoreJob) -> Generator[None]:
    """Turn what ends a run into an error of the command, with the note that says where it was met."""
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
        raise refuse_output(job.output, problem) from problem


def find_known(scorer: Scorer, job: ScoreJob) -> list[RegistryEntry] | str:
    """Find what a registry knows of a scorer.

    Args:
        scorer: The scorer.
        job: What names the registry.

    Returns:
        The registry's lines, or why nothing can be known.
    """
    try:
        return list(Registry(job.registry).find_all(ScorerEvaluationIdentifier(scorer.get_identifier())))
    except (IdentityError, RegistryError) as problem:
        return str(problem)


def tell(job: ScoreJob, tally: ScoreTally, pace: str, known: list[RegistryEntry] | str, *, as_json: bool) -> None:
    """Tell what was scored."""
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
    for error, count in tally.errors.most_common(1):
        console.print(f"commonest error ({count:,}): {escape_controls(error)}", style="yellow", soft_wrap=True)
    if tally.malformed:
        console.print(f"  {'no row':<14} {tally.malformed:>9,}", style="red")
    if isinstance(known, str):
        console.print(f"not evaluated: {escape_controls(known)}", style="yellow")
    else:
        ConsoleScorerPrinter(console).print_known(known)
    if job.output not in (None, "-"):
        console.print(f"written to {escape_controls(job.output)}")


def tell_plan(job: ScoreJob, plan: Plan, tally: ScoreTally, *, as_json: bool) -> None:
    """Tell what would be asked."""
    cost = None if job.prices is None else job.prices.cost(plan.prompt_tokens, plan.completion_tokens)
    if as_json:
        counts = {"rows_in": tally.rows + tally.malformed, "rows": tally.rows, "rejected": tally.malformed}
        about = {"file": job.file, "scorer": str(job.scorer), **counts}
        click.echo(json.dumps(about | plan.to_json() | {"cost": cost}, indent=2))
        return
    console = make_console()
    to_send = plan.requests - plan.answered
    console.print(f"{job.name} by {escape_controls(job.scorer.name)}: {tally.rows:,} rows")
    console.print(f"{plan.requests:,} requests, of which {plan.answered:,} are answered already; {to_send:,} to send")
    console.print(f"about {plan.prompt_tokens:,} tokens to send and {plan.completion_tokens:,} to receive")
    if cost is not None:
        console.print(f"about {cost:,.4f} at these prices")
    console.print("a reply that can't be read is asked for again, so it may be more", style="dim")
