"""``judgecore evaluate``: a scorer against human labels, kept in the registry."""

from __future__ import annotations

import difflib
import re
import shlex
import warnings
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judgecore.cli.arguments import table_options
from judgecore.cli.interruption import run_interruptible, say_kept
from judgecore.cli.prices import price_options
from judgecore.cli.progress import Progress
from judgecore.cli.score import close_target
from judgecore.errors import FewerTrialsWarning, JudgecoreError
from judgecore.evaluation import (
    HumanLabeledDataset,
    Registry,
    RegistryUpdateBehavior,
    ScorerEvaluator,
    default_files,
    kept_result,
)
from judgecore.evaluation.measuring import measure_names
from judgecore.identity import ScorerEvaluationIdentifier
from judgecore.reports import ConsoleScorerPrinter
from judgecore.reports.console import known_measures
from judgecore.scorers.configuration import load_scorer, load_target
from judgecore.stats import describe
from judgecore.tables.files import import_arrow, named_output
from judgecore.targets import Ledger
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from judgecore.evaluation import EvaluationResult, ScorerMetrics, TokenPrices
    from judgecore.evaluation.item import ItemsKind
    from judgecore.tables.opening import TableOptions
    from judgecore.targets import Target

EPILOG = """\b
The first line of a data set says its version: # dataset_version=1.0 in CSV,
{"dataset_version": "1.0"} in JSON lines. See `judgecore dataset validate`.

\b
Examples:
  judgecore evaluate --scorer refusal.yaml --target judge.yaml \\
      --dataset refusals.csv
  judgecore evaluate --scorer refusal.yaml --target judge.yaml \\
      --ledger run.db -o runs/refusal
  judgecore evaluate --scorer violence.yaml --dataset violence.csv \\
      --fail-under f1_score=0.8

\b
Exit status: 0 done, 1 a measure falls short of --fail-under, 2 wrong use,
3 more undetermined than --allow-unread permits, or nothing scored at all,
130 interrupted.
"""

MISSED, UNREAD = 1, 3
SHORT = {"f1": "f1_score", "mae": "mean_absolute_error"}
HASH_SHOWN = 16


@dataclass(frozen=True)
class Threshold:
    """What a measure must reach.

    Attributes:
        measure: The measure's name.
        value: At least this; at most this where lower is better; at most as far from 0 where 0 is best.
    """

    measure: str
    value: float

    def is_missed(self, values: Mapping[str, Any]) -> bool:
        """Tell whether the measure falls short; one that is undefined does.

        Args:
            values: All measures by name.

        Returns:
            True if it does.
        """
        value = values.get(self.measure)
        return value is None or not describe(self.measure).reaches(value, self.value)


def take_thresholds(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> list[Threshold]:
    """Read thresholds.

    Args:
        values: Each as in ``f1=0.8``.

    Returns:
        The thresholds.

    Raises:
        click.BadParameter: If one is none.
    """
    found: list[Threshold] = []
    for value in values:
        parts = re.fullmatch(r"(\w+)=(-?\d+(?:\.\d+)?)", value.strip(), re.ASCII)
        if parts is None:
            raise click.BadParameter(f"{value!r}: write MEASURE=NUMBER, as in f1=0.8")
        found.append(Threshold(SHORT.get(parts[1], parts[1]), float(parts[2])))
    return found


def check_thresholds(thresholds: Sequence[Threshold], names: Sequence[str]) -> None:
    """Refuse a threshold of what is no measure, before anything is asked.

    Args:
        thresholds: What measures must reach.
        names: The measures there are.

    Raises:
        click.BadParameter: If one is of another name; the message has the nearest one and lists all.
    """
    for one in thresholds:
        if one.measure not in names:
            # Of two letters one may be wrong.
            short = difflib.get_close_matches(one.measure, SHORT, n=1, cutoff=0.5)
            near = difflib.get_close_matches(one.measure, names, n=1) or short
            cure = f"did you mean {near[0]}? " if near else ""
            said = f"no measure {one.measure!r}; {cure}there are {', '.join(names)}"
            raise click.BadParameter(said, param_hint="--fail-under")


@click.command("evaluate", epilog=EPILOG)
@click.option("--scorer", required=True, type=click.Path(path_type=Path), help="The scorer, in YAML.")
@click.option("--target", type=click.Path(path_type=Path), help="The judge, in YAML, where the scorer names none.")
@click.option(
    "--dataset",
    type=click.Path(path_type=Path),
    help="Labelled responses, any table that `judgecore parse` takes.  [default: the scorer's own]",
)
@table_options
@click.option("--trials", type=click.IntRange(min=1), default=3, show_default=True, help="How often each is scored.")
@click.option(
    "--registry",
    type=click.Path(path_type=Path, file_okay=False),
    help="The registry's folder [default: JUDGECORE_REGISTRY, else in your data folder].",
)
@click.option(
    "--update",
    type=click.Choice([one.value for one in RegistryUpdateBehavior]),
    default=RegistryUpdateBehavior.SKIP_IF_EXISTS.value,
    show_default=True,
    help="What to do about the line that the registry has.",
)
@click.option("--allow-fewer-trials", is_flag=True, help="Let always_update replace a line that rests on more trials.")
@click.option("--ledger", type=click.Path(path_type=Path, dir_okay=False), help="Keep replies; a killed run goes on.")
@click.option("--concurrency", type=click.IntRange(min=1), default=32, show_default=True, help="Scored at once.")
@click.option("--slice-by", multiple=True, metavar="COLUMN", help="Measure by this column's values too; repeatable.")
@click.option("--allow-unverified", is_flag=True, help="Go on where a harm definition is missing.")
@click.option("--allow-outside", is_flag=True, help="Read files that a data set or YAML file names outside its folder.")
@click.option(
    "--allow-unread",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Exit with status 3 if more responses stay undetermined.",
)
@price_options
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), help="Keep the items in this folder.")
@click.option(
    "--items",
    type=click.Choice(["jsonl", "parquet"]),
    default="jsonl",
    show_default=True,
    help="In what kind of file the items are kept there; parquet needs judgecore[arrow].",
)
@click.option(
    "--fail-under",
    "thresholds",
    multiple=True,
    metavar="MEASURE=NUMBER",
    callback=take_thresholds,
    help="End with status 1 if a measure falls short; repeatable.",
)
def evaluate_command(
    *, thresholds: list[Threshold], allow_unread: int, output: Path | None, items: ItemsKind, **options: Any
) -> int:
    """Measure a scorer against human labels, unless the registry has the answer already.

    What was measured is shown, and the scorer's eval_hash; `judgecore metrics show` has all that the hash stands for.

    With --ledger, a run that was killed goes on where it stopped. Undetermined scores are counted and bounded,
    never taken for a verdict; more than --allow-unread end with status 3. Where nothing was scored at all, as of a
    judge that is not there, the registry keeps nothing, and the next run asks again.
    """
    if items == "parquet":
        # What is missing is said before anything is paid for.
        import_arrow("pyarrow.parquet", "Parquet")
    metrics, eval_hash, result = measure(thresholds, options)
    printer = ConsoleScorerPrinter()
    if metrics.result is None:
        click.echo("the registry has the answer already; --update always_update asks again")
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
    if metrics.result is None or is_kept(metrics, options["update"]):
        named = (
            ""
            if options["registry"] is None
            else f" --registry {escape_controls(shlex.quote(str(options['registry'])))}"
        )
        click.echo(f"what it is made of: judgecore metrics show {eval_hash[:HASH_SHOWN]}{named}")
    if is_behind(metrics, options["update"], Registry(options["registry"])):
        click.echo(
            f"not kept: the registry's line rests on more trials than these {metrics.num_scorer_trials}; "
            "--allow-fewer-trials replaces it",
            err=True,
        )
    if output is not None:
        write_items(result, output, items)
    missed = [one for one in thresholds if one.is_missed(values)]
    for one in missed:
        click.echo(f"missed: {one.measure} is {values.get(one.measure)}, not {one.value:g}", err=True)
    if not metrics.has_scores:
        click.echo("nothing was scored, so the registry keeps nothing of it; the next run asks again", err=True)
        return UNREAD
    if missed:
        return MISSED
    return UNREAD if undetermined > allow_unread else 0


def is_kept(metrics: ScorerMetrics, update: str) -> bool:
    """Tell whether the registry has the line of what was just evaluated.

    Args:
        metrics: What was measured.
        update: What was to be done about the registry's line.
    """
    return metrics.has_scores and RegistryUpdateBehavior(update) is not RegistryUpdateBehavior.NEVER_UPDATE


def is_behind(metrics: ScorerMetrics, update: str, registry: Registry) -> bool:
    """Tell whether the registry kept a line that rests on more trials than what was just evaluated.

    Args:
        metrics: What was measured.
        update: What was to be done about the registry's line.
        registry: The registry.
    """
    result = metrics.result
    if (
        result is None
        or not metrics.has_scores
        or RegistryUpdateBehavior(update) is not RegistryUpdateBehavior.ALWAYS_UPDATE
    ):
        return False
    entry = registry.find(ScorerEvaluationIdentifier(result.scorer_identifier), result.subject)
    return entry is not None and entry.metrics.num_scorer_trials > metrics.num_scorer_trials


def measure(thresholds: list[Threshold], options: dict[str, Any]) -> tuple[ScorerMetrics, str, EvaluationResult | None]:
    """Evaluate as ``evaluate`` does, and say what ends it early.

    Args:
        thresholds: What the measures are held against.
        options: The rest of what ``evaluate`` takes.

    Returns:
        The metrics, the evaluated scorer's hash, and the items, where the registry has them or they were scored now.

    Raises:
        click.Abort: If the run was interrupted.
        click.UsageError: If something is wrong with what was given, or with a file.
    """
    try:
        metrics, eval_hash = run_interruptible(evaluate(thresholds=thresholds, **options))
        return metrics, eval_hash, metrics.result or kept_result(metrics, Registry(options["registry"]), eval_hash)
    except KeyboardInterrupt:
        click.echo(f"interrupted; {say_kept(options['ledger'])}", err=True)
        raise click.Abort from None
    except JudgecoreError as problem:
        lines = getattr(problem, "problems", None) or [problem]
        raise click.UsageError("\n".join(escape_controls(str(one)) for one in lines)) from None


def write_items(result: EvaluationResult | None, output: Path, items: ItemsKind) -> None:
    """Write an evaluation's items.

    Args:
        result: The evaluation; None where nothing was asked and the registry keeps no items.
        output: The folder.
        items: In what kind of file.

    Raises:
        click.UsageError: If there is nothing to write.
    """
    shown = escape_controls(str(output))
    if result is None:
        raise click.UsageError(
            f"nothing is written to {shown}: nothing was asked, and the registry keeps no items of that answer; "
            "--update always_update asks again"
        )
    with named_output(output):
        result.save(output, items=items)
    click.echo(f"wrote {shown}; judgecore report {shown} -o report.html")


async def evaluate(
    *,
    scorer: Path,
    target: Path | None,
    dataset: Path | None,
    table: TableOptions,
    trials: int,
    registry: Path | None,
    update: str,
    allow_fewer_trials: bool,
    ledger: Path | None,
    concurrency: int,
    slice_by: tuple[str, ...],
    allow_unverified: bool,
    allow_outside: bool,
    prices: TokenPrices | None,
    thresholds: Sequence[Threshold] = (),
) -> tuple[ScorerMetrics, str]:
    """Evaluate what the options name.

    Args:
        scorer: The scorer's file.
        target: The judge's file.
        dataset: The labelled responses.
        table: What is known of their table.
        trials: How often each is scored.
        registry: The registry's folder.
        update: What to do about the registry's line.
        allow_fewer_trials: Whether one that rests on more trials may be replaced.
        ledger: Where replies are kept.
        concurrency: How many are scored at once.
        slice_by: Columns to measure by.
        allow_unverified: Whether a harm definition may be missing.
        allow_outside: Whether files may be read that other files name outside of their folder.
        prices: What tokens cost; None where nobody said it.
        thresholds: What measures must reach; only whether there are such measures is looked at.

    Returns:
        The metrics, and the scorer's ``eval_hash``.

    Raises:
        JudgecoreError: If a file makes no sense, or the judge can't be asked.
        click.UsageError: If there is no data, or no such measure.
    """
    async with AsyncExitStack() as stack:

        def closing(judge: Target) -> Target:
            stack.push_async_callback(close_target, judge)
            return judge

        judge = None if target is None else closing(load_target(target, allow_outside=allow_outside))
        made = load_scorer(scorer, chat_target=judge, wrap_target=closing, allow_outside=allow_outside)
        files = default_files(made)
        if dataset is None and files is None:
            raise click.UsageError(f"{type(made).__name__} names no labelled data of its own; give --dataset")
        data = (
            files.load()
            if dataset is None and files is not None
            else load(dataset or Path(), table, allow_outside=allow_outside)
        )
        check_thresholds(thresholds, measure_names(data.metrics_type))
        kept = stack.enter_context(Ledger(ledger)) if ledger is not None else None
        total = len(data) * trials
        # The command says in its own words what is not kept.
        with Progress(f"evaluating {data.name}", total, is_silent=False) as progress, warnings.catch_warnings():
            warnings.simplefilter("ignore", FewerTrialsWarning)
            metrics = await ScorerEvaluator.from_scorer(made).run_evaluation_async(
                data,
                num_scorer_trials=trials,
                update_registry_behavior=RegistryUpdateBehavior(update),
                registry=Registry(registry),
                allow_fewer_trials=allow_fewer_trials,
                concurrency=concurrency,
                ledger=kept,
                allow_unverified=allow_unverified,
                slice_by=slice_by or None,
                prices=prices,
                on_progress=lambda done, _: progress.tell(done, lambda: f"{done:,} of {total:,} responses"),
            )
        return metrics, ScorerEvaluationIdentifier(made.get_identifier()).eval_hash


def load(path: Path, table: TableOptions, *, allow_outside: bool = False) -> HumanLabeledDataset:
    """Load labelled responses.

    Args:
        path: The file; ``-`` is standard input.
        table: What is known of it as a table.
        allow_outside: Whether its harm definition may lie outside of its folder.

    Returns:
        The data set.

    Raises:
        click.UsageError: If it is not there.
    """
    try:
        return HumanLabeledDataset.from_table(path, **asdict(table), allow_outside=allow_outside)
    except OSError as problem:
        raise click.UsageError(f"{escape_controls(str(path))}: {problem.strerror}") from None
    except ImportError as problem:
        raise click.UsageError(str(problem)) from None
