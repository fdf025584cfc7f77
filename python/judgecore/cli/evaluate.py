"""``judgecore evaluate``: measure a scorer against human labels, and store its metrics in the registry."""

from __future__ import annotations

import difflib
import re
import shlex
import warnings
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judgecore.cli.arguments import Allowance, allow_unverified_option, harm_definitions_option, table_options
from judgecore.cli.asking import asking_options, check_batch, describe_batches, pending_hint, prepare_judge
from judgecore.cli.evaluate_inputs import EvaluationInputs, describe_ratings
from judgecore.cli.exit_status import MISSED, NOT_ASKED, PENDING, UNREAD
from judgecore.cli.first_replies import FirstReplies, describe_error, prompt_text
from judgecore.cli.interruption import ledger_resume_hint, run_interruptible
from judgecore.cli.message import print_message
from judgecore.cli.preflight import ReadAhead
from judgecore.cli.progress import Progress
from judgecore.cli.report import refuse_run_files, report_option, write_page
from judgecore.cli.score_plan import Plan, PlannedTarget
from judgecore.cli.score_stream import close_target
from judgecore.cli.score_tally import ScoreTally, show_cost
from judgecore.errors import FewerTrialsWarning, JudgecoreError, NotAskedError, PendingReplyError, TableError
from judgecore.evaluation import Registry, RegistryUpdateBehavior, ScorerEvaluator
from judgecore.evaluation.evaluator import default_trials, kept_result
from judgecore.evaluation.measuring import measure_names
from judgecore.identity import ScorerEvaluationIdentifier
from judgecore.reports import ConsoleScorerPrinter, build_report
from judgecore.reports.console import known_measures
from judgecore.stats import describe
from judgecore.tables.files import as_output_errors, check_folder, import_arrow, refuse_input
from judgecore.targets import BatchTally, Ledger, keep_replies
from judgecore.terminal import count_noun, escape_controls

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from judgecore.evaluation import EvaluationResult, HumanLabeledDataset, ScorerMetrics
    from judgecore.evaluation.item import ItemsKind
    from judgecore.scorers import Response, Score
    from judgecore.targets import Budget, PriceTable, Target

EPILOG = """\b
FILE is a table with columns of any name; each row is an answer with its
ratings. If something must be said about the columns, the message shows them
and suggests options.

\b
--dataset takes PyRIT's column names instead. The first line then gives the
version: # dataset_version=1.0 in CSV,
  {"dataset_version": "1.0"} in JSON lines. See `judgecore dataset validate`.

\b
Examples:
  judgecore evaluate labels.csv --judge judge.yaml --response answer \\
      --human rater_1 --human rater_2 --scale 1 5 \\
      --task "How helpful is the answer?"
  judgecore evaluate --scorer refusal.yaml --target judge.yaml \\
      --dataset refusals.csv
  judgecore evaluate --scorer refusal.yaml --target judge.yaml \\
      --ledger run.db -o runs/refusal
  judgecore evaluate --scorer violence.yaml --dataset violence.csv \\
      --fail-under f1_score=0.8
  judgecore evaluate --scorer refusal.yaml --target judge.yaml \\
      --ledger run.db --batch

\b
Exit status: 0 success, 1 a measure misses its --fail-under threshold, 2 usage
error or the first reply can't be read, 3 more undetermined scores than
--allow-unread allows or no score at all, 4 batches are pending: the registry
stores nothing, and running the same command later goes on, 5 some responses
were not asked, so that the registry stores nothing, 130 interrupted.
"""

SHORT = {"f1": "f1_score", "mae": "mean_absolute_error"}
HASH_SHOWN = 16


@dataclass(frozen=True)
class Threshold:
    """A threshold for one measure."""

    measure: str
    value: float

    def is_missed(self, values: Mapping[str, Any]) -> bool:
        """Return whether the measure misses the threshold; an undefined measure does."""
        value = values.get(self.measure)
        return value is None or not describe(self.measure).reaches(value, self.value)


@dataclass(frozen=True, kw_only=True)
class EvaluationJob:
    """The options of one run, as ``judgecore evaluate`` names and describes them."""

    inputs: EvaluationInputs
    trials: int | None
    registry: Path | None
    update: str
    allow_fewer_trials: bool
    ledger: Path | None
    concurrency: int
    slice_by: tuple[str, ...]
    allow_unverified: bool
    allowance: Allowance
    prices: PriceTable | None
    budget: Budget | None
    is_batch: bool
    is_waiting: bool
    has_preflight: bool
    report: Path | None
    thresholds: Sequence[Threshold]

    @property
    def behavior(self) -> RegistryUpdateBehavior:
        """When to replace the scorer's entry in the registry."""
        return RegistryUpdateBehavior(self.update)

    def stores(self, metrics: ScorerMetrics) -> bool:
        """Return whether the registry has an entry of this evaluation."""
        is_complete = metrics.has_scores and not (metrics.result and metrics.result.num_not_asked)
        return is_complete and self.behavior is not RegistryUpdateBehavior.NEVER_UPDATE


def take_thresholds(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> list[Threshold]:
    """Parse thresholds such as ``f1=0.8``."""
    found: list[Threshold] = []
    for value in values:
        parts = re.fullmatch(r"(\w+)=(-?\d+(?:\.\d+)?)", value.strip(), re.ASCII)
        if parts is None:
            raise click.BadParameter(f"{value!r}: write MEASURE=NUMBER, as in f1=0.8")
        found.append(Threshold(SHORT.get(parts[1], parts[1]), float(parts[2])))
    return found


def check_thresholds(thresholds: Sequence[Threshold], names: Sequence[str]) -> None:
    """Reject thresholds of unknown measures, before a judge is asked; suggest the nearest and list all."""
    for one in thresholds:
        if one.measure not in names:
            # The short names have as few as two letters, so one wrong letter is half of the name.
            short = difflib.get_close_matches(one.measure, SHORT, n=1, cutoff=0.5)
            near = difflib.get_close_matches(one.measure, names, n=1) or short
            cure = f"did you mean {near[0]}? " if near else ""
            problem = f"no measure {one.measure!r}; {cure}the measures are {', '.join(names)}"
            raise click.BadParameter(problem, param_hint="--fail-under")


@click.command("evaluate", epilog=EPILOG)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option(
    "--judge", type=click.Path(path_type=Path), help="The judge: a YAML file of a target, or of a complete scorer."
)
@click.option("--response", metavar="NAME", help="FILE's column of the responses under test.")
@click.option("--human", multiple=True, metavar="NAME", help="FILE's column of a rater's ratings. Repeatable.")
@click.option(
    "--scale", nargs=2, type=float, metavar="LOW HIGH", help="The lowest and the highest rating that raters could give."
)
@click.option(
    "--objective",
    metavar="NAME",
    help="FILE's column of the requests that were answered.  [default: objective, if any]",
)
@click.option("--item", metavar="NAME", help="FILE's column that identifies what was rated, if each row is one rating.")
@click.option("--rater", metavar="NAME", help="FILE's column of rater names, with --item.")
@click.option(
    "--true", multiple=True, metavar="LABEL", help="A label that means true, if ratings are categories. Repeatable."
)
@click.option(
    "--prefer",
    nargs=2,
    metavar="A B",
    help="FILE's columns of two responses, of which raters preferred one; instead of --response.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Evaluate at most N items.")
@click.option(
    "--task", metavar="TEXT", help="What raters judged, if --judge is a target; the judge is given the same task."
)
@click.option("--scorer", type=click.Path(path_type=Path), help="The scorer: a YAML file.")
@click.option("--target", type=click.Path(path_type=Path), help="The judge: a YAML file, if the scorer names none.")
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Labelled responses, in any table format that `judgecore parse` reads. Repeatable.  "
    "[default: the scorer's own data set]",
)
@harm_definitions_option
@table_options
@click.option(
    "--trials",
    type=click.IntRange(min=1),
    help="How often each response is scored.  [default: 1 if the judge's temperature is 0, else 3]",
)
@click.option(
    "--update",
    type=click.Choice([one.value for one in RegistryUpdateBehavior]),
    default=RegistryUpdateBehavior.SKIP_IF_EXISTS.value,
    show_default=True,
    help="When to replace the scorer's entry in the registry.",
)
@click.option("--allow-fewer-trials", is_flag=True, help="Let always_update replace an entry of more trials.")
@click.option(
    "--group",
    "--slice-by",
    "slice_by",
    multiple=True,
    metavar="COLUMN",
    help="Also measure each value of a column. Repeatable.",
)
@allow_unverified_option
@asking_options
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), help="Write the scored items to this folder."
)
@report_option
@click.option(
    "--items",
    type=click.Choice(["jsonl", "parquet"]),
    default="jsonl",
    show_default=True,
    help="The file format of the items; parquet needs judgecore[arrow].",
)
@click.option(
    "--fail-under",
    "thresholds",
    multiple=True,
    metavar="MEASURE=NUMBER",
    callback=take_thresholds,
    help="Exit with status 1 if a measure misses this threshold. Repeatable.",
)
def evaluate_command(*, output: Path | None, items: ItemsKind, dry_run: bool, show_prompt: bool, **options: Any) -> int:
    """Measure a judge against the human ratings in FILE, or a scorer against a data set.

    If the registry already has the metrics, no judge is asked.

    Prints the metrics and the scorer's eval_hash; `judgecore metrics show` prints what the hash identifies.

    With --ledger, a killed run can be resumed. Undetermined scores are counted, and never taken for a verdict; more
    than --allow-unread exit with status 3. If nothing was scored at all, for example because the judge can't be
    reached, the registry stores nothing and the next run asks again.
    """
    if items == "parquet":
        # Fail before a judge is paid if pyarrow is missing.
        import_arrow("pyarrow.parquet", "Parquet")
    inputs = EvaluationInputs(**{one.name: options.pop(one.name) for one in fields(EvaluationInputs) if one.init})
    job = EvaluationJob(**options, inputs=inputs)
    check_batch(job.ledger, job.inputs.file, is_batch=job.is_batch, is_waiting=job.is_waiting)
    check_outputs(job, output)
    if dry_run or show_prompt:
        print_plan(job, is_counted=dry_run, is_shown=show_prompt)
        return 0
    metrics, eval_hash, result = measure(job)
    printer = ConsoleScorerPrinter()
    if metrics.result is None:
        click.echo("the registry already has these metrics; --update always_update measures again")
    statistics = metrics.beyond.get("statistics", {})
    values: dict[str, Any] = {**statistics, **metrics.to_registry()}
    if result is None:
        printer.print_metrics(metrics)
        values |= {one.name: one.value for one in known_measures(metrics)}
        undetermined = statistics.get("num_undetermined", 0)
    else:
        printer.print_result(result)
        values |= {one.name: one.value for one in result.measures}
        undetermined = sum(item.model is None for item in result.items)
    if metrics.result is None or job.stores(metrics):
        named = "" if job.registry is None else f" --registry {escape_controls(shlex.quote(str(job.registry)))}"
        click.echo(f"details: judgecore metrics show {eval_hash[:HASH_SHOWN]}{named}")
    if has_fewer_trials(job, metrics):
        print_message(
            f"not stored: the registry's entry has more trials than {metrics.num_scorer_trials}; "
            "--allow-fewer-trials replaces it"
        )
    write_outputs(result, output, items, job.report)
    if result is not None and result.num_not_asked:
        more = " with a larger budget" if job.budget is not None and job.budget.is_reached else ""
        print_message(
            f"{result.num_not_asked:,} responses were not asked ({escape_controls(result.why_not_asked)}), so the "
            "registry stores nothing; the same "
            f"command{more} asks {'only them' if job.ledger else 'all again, unless --ledger stores replies'}"
        )
        return NOT_ASKED
    status = report_missed([one for one in job.thresholds if one.is_missed(values)], values)
    if not metrics.has_scores:
        print_message("nothing was scored, so the registry stores nothing; the next run asks again")
        return UNREAD
    return status or (0 if job.allowance.permits(undetermined, metrics.num_responses) else UNREAD)


def report_missed(missed: Sequence[Threshold], values: Mapping[str, Any]) -> int:
    """Print missed thresholds, and return the exit status."""
    for one in missed:
        print_message(f"missed: {one.measure} is {values.get(one.measure)}, not {one.value:g}")
    return MISSED if missed else 0


def has_fewer_trials(job: EvaluationJob, metrics: ScorerMetrics) -> bool:
    """Return whether the registry kept an entry because it has more trials than this evaluation."""
    result = metrics.result
    if result is None or not metrics.has_scores or job.behavior is not RegistryUpdateBehavior.ALWAYS_UPDATE:
        return False
    entry = Registry(job.registry).find(ScorerEvaluationIdentifier(result.scorer_identifier), result.subject)
    return entry is not None and entry.metrics.num_scorer_trials > metrics.num_scorer_trials


def measure(job: EvaluationJob) -> tuple[ScorerMetrics, str, EvaluationResult | None]:
    """Run ``evaluate``, with the errors of the command line; the result is None if the registry has no items."""
    try:
        with as_command_errors(job):
            metrics, eval_hash = run_interruptible(evaluate(job))
            return metrics, eval_hash, metrics.result or kept_result(metrics, Registry(job.registry), eval_hash)
    except KeyboardInterrupt:
        print_message(f"interrupted; {ledger_resume_hint(job.ledger)}")
        raise click.Abort from None


@contextmanager
def as_command_errors(job: EvaluationJob) -> Generator[None]:
    """Add cures to errors; end with status 4 if batches are pending, 5 if nothing was asked."""
    try:
        yield
    except PendingReplyError as problem:
        print_message(f"{escape_controls(str(problem))}, so the registry stores nothing")
        print_message(pending_hint(job.ledger))
        raise click.exceptions.Exit(PENDING) from None
    except NotAskedError as problem:
        print_message(f"nothing was asked, so there is nothing to measure: {escape_controls(str(problem))}")
        raise click.exceptions.Exit(NOT_ASKED) from None
    except JudgecoreError as problem:
        raise TableError(describe_error(problem, job.inputs.judge_file)) from None


async def read_ahead(job: EvaluationJob, *, budget: Budget | None = None) -> tuple[ReadAhead, HumanLabeledDataset, int]:
    """Fill the prompts of an evaluation without sending them; return also the labelled responses and the trials."""
    found = ReadAhead(Plan.for_ledger(job.ledger, is_batch=job.is_batch, budget=budget))

    def wrap(target: Target) -> Target:
        prepare_judge(target, None, is_batch=job.is_batch)
        return PlannedTarget(target, found.plan)

    scorer, data = job.inputs.load(wrap)
    trials = job.trials or default_trials(scorer)
    for trial in range(trials):
        places = iter(data.responses())
        async for scores in scorer.score_stream(data.responses(), trial=trial):
            found.add(scores, next(places).name)
    found.check(escape_controls(job.inputs.scorer_name), escape_controls(data.name))
    return found, data, trials


def print_plan(job: EvaluationJob, *, is_counted: bool, is_shown: bool) -> None:
    """Print the first prompt, what an evaluation would send, or both."""
    with as_command_errors(job):
        found, data, trials = run_interruptible(read_ahead(job))
    if is_shown:
        click.echo(prompt_text(found.plan.first))
    if is_counted:
        click.echo(describe_plan(found, data, trials, job.prices))


def describe_plan(found: ReadAhead, data: HumanLabeledDataset, trials: int, prices: PriceTable | None) -> str:
    """Return what an evaluation would send, in lines."""
    planned = found.plan.to_json(prices)
    requests = count_noun(found.plan.requests, "request")
    lines = [
        describe_ratings(data),
        f"{count_noun(trials, 'trial')}: {requests}, {planned['to_send']:,} to send",
        f"about {planned['prompt_tokens']:,} tokens to send and {planned['completion_tokens']:,} to receive",
        show_cost(prices, planned["cost"]).replace("cost ", "cost about ").replace("about unknown", "unknown"),
    ]
    return "\n".join(line for line in lines if line)


def check_outputs(job: EvaluationJob, output: Path | None) -> None:
    """Check, before a judge is paid, that an evaluation can be written."""
    if output is not None:
        check_folder(output, is_folder=True)
    if job.report is not None:
        for file in job.inputs.files:
            refuse_input(str(file), str(job.report), "--report")
        if job.ledger is not None:
            refuse_input(str(job.ledger), str(job.report), "--report", read_as="the file of --ledger")
        refuse_run_files([] if output is None else [output], job.report, "--report")
        check_folder(job.report)


def write_outputs(result: EvaluationResult | None, output: Path | None, items: ItemsKind, report: Path | None) -> None:
    """Write an evaluation's items and its report; the result is None if the registry has no items."""
    wanted = output or report
    if wanted is None:
        return
    if result is None:
        raise TableError(
            f"can't write {escape_controls(str(wanted))}: the metrics came from the registry, which has no items of "
            "them; --update always_update measures again"
        )
    if output is not None:
        with as_output_errors(output):
            result.save(output, items=items)
        shown = escape_controls(str(output))
        more = "" if report is not None else f"; judgecore report {shown} -o report.html"
        click.echo(f"wrote {shown}{more}")
    if report is not None:
        write_page(report, build_report(result))
        click.echo(f"wrote {escape_controls(str(report))}")


async def evaluate(job: EvaluationJob) -> tuple[ScorerMetrics, str]:
    """Evaluate a scorer; return the metrics, and the scorer's ``eval_hash``."""
    async with AsyncExitStack() as stack:

        def closing(judge: Target) -> Target:
            stack.push_async_callback(close_target, judge)
            prepare_judge(judge, job.budget, is_batch=job.is_batch)
            return judge

        made, data = job.inputs.load(closing)
        trials = job.trials or default_trials(made)
        check_thresholds(job.thresholds, measure_names(data.metrics_type))
        evaluator, registry = ScorerEvaluator.from_scorer(made), Registry(job.registry)
        if job.has_preflight and not (
            job.behavior is RegistryUpdateBehavior.SKIP_IF_EXISTS
            and evaluator.find_current(data, num_scorer_trials=trials, registry=registry)
        ):
            found, _, _ = await read_ahead(job, budget=job.budget)
            if (job.prices or job.budget) and (said := found.estimate(job.prices, job.budget)):
                print_message(said)
        kept = stack.enter_context(Ledger(job.ledger)) if job.ledger is not None else None
        tally = stack.enter_context(keep_replies(kept))
        first = FirstReplies(job.allowance, len(data), job.inputs.judge_file, tally)

        def check_first(response: Response, score: Score) -> bool:
            first.check(str(response), score)
            return first.is_done

        total = len(data) * trials
        if data.is_plain:
            print_message(describe_ratings(data))
        # The command prints its own message about metrics that are not stored.
        scored, pending = ScoreTally(judge=tally, noun="response"), BatchTally()

        def note_batches(batches: BatchTally) -> None:
            nonlocal pending
            pending = batches

        with Progress(f"evaluating {data.name}", total, is_silent=False) as progress, warnings.catch_warnings():
            warnings.simplefilter("ignore", FewerTrialsWarning)
            async with progress.following(
                lambda: scored.rows,
                lambda: scored.describe_progress(total, progress.rate, job.prices, job.budget),
                lambda: tally.outage or (describe_batches(pending) if pending.pending else ""),
            ):
                metrics = await evaluator.run_evaluation_async(
                    data,
                    num_scorer_trials=trials,
                    update_registry_behavior=job.behavior,
                    registry=registry,
                    allow_fewer_trials=job.allow_fewer_trials,
                    concurrency=job.concurrency,
                    ledger=kept,
                    allow_unverified=job.allow_unverified,
                    slice_by=job.slice_by or None,
                    prices=job.prices,
                    budget=job.budget,
                    wait_for_batches=job.is_waiting,
                    check_first=check_first if job.has_preflight and not job.is_batch else None,
                    on_batches=note_batches,
                    on_progress=scored.follow,
                )
        if tally.calls or tally.replayed:
            print_message(scored.describe_spending(job.prices, job.budget))
        return metrics, ScorerEvaluationIdentifier(made.get_identifier()).eval_hash
