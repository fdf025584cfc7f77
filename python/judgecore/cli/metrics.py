"""``judgecore metrics``: list and show the metrics that a registry has of scorers."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich import box
from rich.table import Table

from judgecore.cli.arguments import registry_option
from judgecore.cli.message import print_message
from judgecore.evaluation import Registry
from judgecore.reports import ConsoleScorerPrinter, metrics_shown
from judgecore.reports.measures import shown
from judgecore.stats import describe
from judgecore.terminal import escape_controls, make_console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from judgecore.evaluation import RegistryEntry
    from judgecore.identity import ComponentIdentifier

EPILOG = """\b
Examples:
  judgecore metrics list --sort f1_score
  judgecore metrics list --subject violence --sort mean_absolute_error
  judgecore metrics list --model gpt-4o --temperature 0
  judgecore metrics show 1607ea13
"""

MODEL_PARAMS = ("underlying_model_name", "model_name")
HASH_SHOWN = 8
LONGEST_NAME = 24
ROOM_FOR_THREE, METRIC_CELLS = 100, 13


@click.group("metrics", epilog=EPILOG)
def metrics_command() -> None:
    """Show the metrics of evaluated scorers."""


published_option = click.option(
    "--published",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    help="Another registry to read, such as PyRIT's. Repeatable.",
)


@metrics_command.command("list")
@registry_option
@published_option
@click.option(
    "--subject", default="objective", show_default=True, metavar="NAME", help="objective, refusal, or a harm category."
)
@click.option("--sort", metavar="METRIC", help="Sort by a metric, best first.")
@click.option("--model", help="Only scorers that ask this model.")
@click.option("--temperature", type=float, help="Only scorers that ask at this temperature.")
@click.option("--scorer", help="Only scorers of this class.")
@click.option("--limit", type=click.IntRange(min=1), help="The maximum number of scorers.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines, one for each scorer.")
def list_command(
    *,
    registry: Path | None,
    published: Sequence[Path],
    subject: str,
    sort: str | None,
    model: str | None,
    temperature: float | None,
    scorer: str | None,
    limit: int | None,
    as_json: bool,
) -> None:
    """List scorers with their metrics, best first."""
    known = open_registry(registry, published)
    entries = entries_of(known, subject)
    asked = [
        one
        for one in entries
        if (model is None or model in models_of(one.scorer_identifier))
        and (temperature is None or temperature in temperatures_of(one.scorer_identifier))
        and (scorer is None or scorer == one.scorer_identifier.class_name)
    ]
    if sort is not None:
        asked = sorted_by(asked, sort, entries)
    asked = asked[:limit]
    if as_json:
        for one in asked:
            click.echo(
                json.dumps(
                    {
                        **one.scorer_identifier.to_registry(),
                        "eval_hash": one.eval_hash,
                        "metrics": one.metrics.to_registry(),
                    }
                )
            )
    elif asked:
        show_entries(make_console(), asked, sort)
    else:
        print_message(escape_controls(explain_empty_list(known, subject, entries)))
    for problem in known.problems():
        print_message(f"skipped an unreadable entry: {escape_controls(str(problem))}")


@metrics_command.command("show", short_help="Show a scorer with all its metrics.")
@registry_option
@published_option
@click.argument("eval_hash", metavar="HASH")
def show_command(*, registry: Path | None, published: Sequence[Path], eval_hash: str) -> None:
    """Show the scorer whose eval_hash starts with HASH, with all its metrics."""
    known = open_registry(registry, published)
    found = [
        one for subject in known.subjects() for one in entries_of(known, subject) if one.eval_hash.startswith(eval_hash)
    ]
    hashes = sorted({one.eval_hash for one in found})
    if len(hashes) != 1:
        asked = repr(escape_controls(eval_hash))
        if not hashes:
            raise click.BadParameter(f"no scorer's eval_hash starts with {asked}; see `judgecore metrics list`")
        several = ", ".join(one[:16] for one in hashes)
        raise click.BadParameter(
            f"{asked} is ambiguous: {len(hashes)} scorers have such an eval_hash: {several}; give more digits"
        )
    ConsoleScorerPrinter().print_scorer(found[0].scorer_identifier, found)


def open_registry(folder: Path | None, published: Sequence[Path]) -> Registry:
    """Open the registry that the options name."""
    for one in published:
        if not one.is_dir():
            raise click.UsageError(f"--published {escape_controls(str(one))}: no such folder")
    return Registry(folder, published=published)


def entries_of(registry: Registry, subject: str) -> list[RegistryEntry]:
    """Return a registry's entries on a subject."""
    try:
        return list(registry.entries(subject))
    except ValueError as problem:
        raise click.UsageError(str(problem)) from None


def sorted_by(asked: list[RegistryEntry], metric: str, entries: Sequence[RegistryEntry]) -> list[RegistryEntry]:
    """Sort entries by a metric, best first and undefined last; ``entries`` have the valid names."""
    names = sorted({name for one in entries for name, value in one.metrics.to_registry().items() if _is_number(value)})
    if entries and metric not in names:
        raise click.BadParameter(f"no metric {metric!r}; the metrics are {', '.join(names)}", param_hint="--sort")

    def place(one: RegistryEntry) -> float:
        value = one.metrics.to_registry().get(metric)
        return math.inf if value is None else describe(metric).cost(value)

    return sorted(asked, key=place)


def show_entries(console: Console, entries: Sequence[RegistryEntry], sort: str | None) -> None:
    """Print registry entries as a table, the metric that they are sorted by first."""
    all_names = list(dict.fromkeys(name for one in entries for name in metrics_shown(one.metrics.to_registry())))
    names = ([sort] if sort else []) + [name for name in all_names if name != sort]
    names = names[: 3 if console.width >= ROOM_FOR_THREE else 2]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("eval_hash", no_wrap=True)
    longest = max(len(one.scorer_identifier.class_name) for one in entries)
    table.add_column("scorer", overflow="fold", style="cyan", min_width=min(longest, LONGEST_NAME))
    table.add_column("asked", overflow="fold")
    for name in names:
        table.add_column(describe(name).label, justify="right", overflow="fold", max_width=METRIC_CELLS)
    for one in entries:
        metrics = one.metrics.to_registry()
        asked = [
            *sorted(models_of(one.scorer_identifier)),
            *(f"T={value:g}" for value in sorted(temperatures_of(one.scorer_identifier))),
        ]
        table.add_row(
            one.eval_hash[:HASH_SHOWN],
            escape_controls(one.scorer_identifier.class_name),
            escape_controls(", ".join(asked)),
            *(shown(metrics.get(name), name) for name in names),
        )
    console.print(table)
    console.print("Show a scorer: judgecore metrics show HASH")


def explain_empty_list(registry: Registry, subject: str, entries: Sequence[RegistryEntry]) -> str:
    """Explain why the list is empty: name the subjects, or the values to filter by, that exist."""
    if not entries:
        subjects = ", ".join(registry.subjects())
        held = [one for one in registry.subjects() if entries_of(registry, one)]
        cure = f"; try --subject {held[0]}" if held else ""
        return f"the registry has no scorer of {subject}; subjects: {subjects}{cure}"
    models = sorted({model for one in entries for model in models_of(one.scorer_identifier)})
    temperatures = sorted({value for one in entries for value in temperatures_of(one.scorer_identifier)})
    classes = sorted({one.scorer_identifier.class_name for one in entries})
    return (
        f"none of the {len(entries)} scorers of {subject} matches; models: {', '.join(models) or 'none'}; "
        f"temperatures: {', '.join(f'{one:g}' for one in temperatures) or 'none'}; scorers: {', '.join(classes)}"
    )


def models_of(scorer: ComponentIdentifier) -> set[str]:
    """Return the models that a scorer or its children ask."""
    named = ((one.params.get(name) for name in MODEL_PARAMS if one.params.get(name)) for one in scorer.walk())
    return {str(model) for names in named if (model := next(names, None)) is not None}


def temperatures_of(scorer: ComponentIdentifier) -> set[float]:
    """Return the temperatures at which a scorer or its children ask."""
    values = (one.params.get("temperature") for one in scorer.walk())
    return {float(value) for value in values if isinstance(value, int | float)}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
