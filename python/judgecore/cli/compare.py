"""``judgecore compare``: rank evaluated scorers, with confidence intervals of their differences."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judgecore.cli.report import write_page
from judgecore.errors import EvaluationError
from judgecore.evaluation import EvaluationResult, compare_results
from judgecore.reports import ConsoleScorerPrinter, build_comparison
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import Sequence

EPILOG = """\b
Examples:
  judgecore compare runs/strict runs/lenient
  judgecore compare runs/* -o comparison.html

\b
Exit status: 0 success, 2 usage error or the runs can't be compared.
"""


@click.command("compare", epilog=EPILOG)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the comparison as one HTML file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare_command(*, runs: Sequence[Path], output: Path | None, as_json: bool) -> None:
    """Compare the evaluations in the folders RUNS, which must share one data set.

    Prints a ranking of the scorers, and for each pair the difference with its confidence interval, over the responses
    that both scored.
    """
    try:
        comparison = compare_results([EvaluationResult.load(run) for run in runs], run_names(runs))
    except EvaluationError as problem:
        raise click.UsageError(escape_controls(str(problem))) from None
    if as_json:
        click.echo(json.dumps(asdict(comparison), allow_nan=False))
    else:
        ConsoleScorerPrinter().print_comparison(comparison)
    if output is not None:
        write_page(output, build_comparison(comparison))
        click.echo(f"wrote {escape_controls(str(output))}", err=as_json)


def run_names(runs: Sequence[Path]) -> list[str]:
    """Return a name for each evaluation.

    Args:
        runs: The folders.

    Returns:
        The folders' names, or their paths if two names are equal.
    """
    names = [run.resolve().name for run in runs]
    return names if len(set(names)) == len(names) else [str(run) for run in runs]
