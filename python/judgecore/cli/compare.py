"""``judgecore compare``: rank evaluated scorers by confidence intervals of their differences, or compare two guards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judgecore.cli.compare_guards import compare_guards
from judgecore.cli.report import refuse_run_files, write_page
from judgecore.evaluation import EvaluationResult, compare_results
from judgecore.reports import ConsoleScorerPrinter, build_comparison
from judgecore.tables.files import as_output_errors, check_output, refuse_input
from judgecore.tables.opening import write_rows
from judgecore.terminal import count_noun, escape_controls, make_console

if TYPE_CHECKING:
    from collections.abc import Sequence

EPILOG = """\b
Examples:
  judgecore compare runs/strict runs/lenient
  judgecore compare runs/* -o comparison.html
  judgecore compare llama_guard.jsonl qwen3_guard.jsonl -o rows.csv

\b
Exit status: 0 success, 2 usage error or the runs or tables can't be compared.
"""


@click.command("compare", epilog=EPILOG)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write the comparison as one HTML file, or that of two guards as a table of rows.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--column", metavar="NAME", help="The column of two guards' verdicts.  [default: value]")
@click.option(
    "--key", metavar="NAME", help="The column by which rows of two guards belong together.  [default: their order]"
)
def compare_command(
    *, runs: Sequence[Path], output: Path | None, as_json: bool, column: str | None, key: str | None
) -> None:
    """Compare the evaluations in the folders RUNS, which must share one data set.

    Prints a ranking of the scorers, and for each pair the difference with its confidence interval, over the responses
    that both scored.

    Or compare two guards row by row: RUNS are then two tables that `judgecore parse` wrote of the guards' replies about
    the same conversations. Categories are compared as hazards of MLCommons AILuminate. A hazard is possible if a guard
    names a category that is wider than the hazard, and may therefore mean something else.
    """
    if any(run.is_file() for run in runs):
        show_guards(runs, output, as_json=as_json, column=column or "value", key=key)
        return
    if column is not None or key is not None:
        raise click.UsageError("--column and --key belong to two guards' tables; leave them out with folders")
    if output is not None:
        refuse_run_files(runs, output)
    comparison = compare_results([EvaluationResult.load(run) for run in runs], run_names(runs))
    if as_json:
        click.echo(json.dumps(comparison.to_json(), allow_nan=False))
    else:
        ConsoleScorerPrinter().print_comparison(comparison)
    if output is not None:
        write_page(output, build_comparison(comparison))
        click.echo(f"wrote {escape_controls(str(output))}", err=as_json)


def show_guards(runs: Sequence[Path], output: Path | None, *, as_json: bool, column: str, key: str | None) -> None:
    """Compare two guards' tables, and show and write what was found."""
    folder = next((run for run in runs if not run.is_file()), None)
    if len(runs) != 2 or folder is not None:  # noqa: PLR2004 - two guards
        what = f"{folder} is no file" if folder is not None else f"{count_noun(len(runs), 'table')} named"
        raise click.UsageError(f"{what}; name two tables of guards' verdicts, or folders alone")
    if output is not None:
        check_output(str(output))
        for run in runs:
            refuse_input(str(run), str(output), "-o")
    found = compare_guards([str(run) for run in runs], run_names(runs), column=column, key=key)
    if output is not None:
        with as_output_errors(output):
            write_rows(str(output), (pair.to_row() for pair in found.pairs))
    if as_json:
        click.echo(json.dumps(found.to_json(), allow_nan=False))
    else:
        found.show(make_console())
        if output is not None:
            click.echo(f"wrote {escape_controls(str(output))}")


def run_names(runs: Sequence[Path]) -> list[str]:
    """Return the folders' names, or their paths if two names are equal."""
    names = [run.resolve().name for run in runs]
    return names if len(set(names)) == len(names) else [str(run) for run in runs]
