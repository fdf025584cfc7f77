"""``judgecore report``: an evaluation as one page."""

from __future__ import annotations

from pathlib import Path

import click

from judgecore.errors import EvaluationError
from judgecore.evaluation import EvaluationResult
from judgecore.replacement import replacing
from judgecore.reports import build_report
from judgecore.tables.files import as_output_errors
from judgecore.terminal import escape_controls

EPILOG = """\b
Examples:
  judgecore report runs/refusals -o report.html

\b
Exit status: 0 done, 2 wrong use or a folder that holds no evaluation.
"""


@click.command("report", epilog=EPILOG)
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="The page to write, one HTML file."
)
@click.option(
    "--disagreements",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="How many of the worst disagreements are shown in full.",
)
def report_command(*, run: Path, output: Path, disagreements: int) -> None:
    """Write the evaluation in folder RUN as one self-contained page.

    The page runs nothing, asks no network, and can be read on a phone, in light and in dark.
    """
    try:
        result = EvaluationResult.load(run)
    except EvaluationError as problem:
        raise click.UsageError(escape_controls(str(problem))) from None
    write_page(output, build_report(result, disagreements=disagreements))
    click.echo(f"wrote {escape_controls(str(output))}")


def write_page(output: Path, page: str) -> None:
    """Write a page, whole or not at all.

    Args:
        output: The file.
        page: The page.

    Raises:
        TableError: If it can't be written.
    """
    with as_output_errors(output), replacing(output) as stream:
        stream.write(page.encode())
