"""``judgecore report``: write an evaluation report as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from judgecore.evaluation import EvaluationResult
from judgecore.evaluation.item import ITEMS_FILES
from judgecore.evaluation.result import SUMMARY_FILE
from judgecore.replacement import replacing
from judgecore.reports import build_report
from judgecore.reports.evaluation_page import DISAGREEMENTS
from judgecore.tables.files import as_output_errors, refuse_input
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterable

EPILOG = """\b
Examples:
  judgecore report runs/refusals -o report.html

\b
Exit status: 0 success, 2 usage error or the folder holds no evaluation.
"""


@click.command("report", epilog=EPILOG)
@click.argument("run", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The HTML file to write.")
@click.option(
    "--disagreements",
    type=click.IntRange(min=0),
    default=DISAGREEMENTS,
    show_default=True,
    help="The number of worst disagreements to show in full.",
)
def report_command(*, run: Path, output: Path, disagreements: int) -> None:
    """Write the evaluation in the folder RUN as one self-contained HTML page.

    At its top stand sentences that can be quoted. Its lists can be filtered and its tables sorted; the script for that
    is in the page, and nothing is loaded from the network. It adapts to small screens, dark mode and paper.
    """
    refuse_run_files([run], output)
    write_page(output, build_report(EvaluationResult.load(run), disagreements=disagreements))
    click.echo(f"wrote {escape_controls(str(output))}")


def refuse_run_files(runs: Iterable[Path], output: Path, option: str = "-o") -> None:
    """Reject a page that would replace a file of an evaluation."""
    for run in runs:
        for name in (SUMMARY_FILE, *ITEMS_FILES.values()):
            refuse_input(str(run / name), str(output), option)


def write_page(output: Path, page: str) -> None:
    """Write a page atomically."""
    with as_output_errors(output), replacing(output) as stream:
        stream.write(page.encode())
