"""``judgecore report``, and the option ``--report``: write a report as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from judgecore.cli.message import print_message
from judgecore.cli.view_entries import ViewOptions, open_output_of_run
from judgecore.evaluation import EvaluationResult
from judgecore.evaluation.item import ITEMS_FILES
from judgecore.evaluation.result import SUMMARY_FILE
from judgecore.replacement import replacing
from judgecore.reports import build_report
from judgecore.reports.evaluation_page import DISAGREEMENTS
from judgecore.reports.run_page import build_run_report
from judgecore.tables.files import as_output_errors, check_folder, is_same_output, refuse_input
from judgecore.tables.opening import TableOptions
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


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


report_option = click.option(
    "--report",
    metavar="OUT.html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write a report as one self-contained HTML file.",
)
"""The ``--report`` option; commands take it as ``report``: a path or None."""


def check_report(report: Path | None, file: str, output: str | None, *, is_unread_only: bool = False) -> None:
    """Check, before anything is asked or read, that a report can be made."""
    if report is None:
        return
    if output in (None, "-"):
        raise click.UsageError("--report shows the rows that -o writes; name a file with -o")
    if is_unread_only:
        raise click.UsageError("--report shows all rows; leave out --unread-only")
    refuse_input(file, str(report), "--report")
    check_folder(report)
    if is_same_output(str(report), str(output)):
        raise click.UsageError("-o and --report name the same file; name another for the report")


def write_run_report(
    report: Path | None,
    output: str | None,
    *,
    title: str,
    about: str,
    num_rejected: int,
    replies: Mapping[str, str | None] | None = None,
    prefix: str = "",
    ledger: Path | None = None,
    facts: Sequence[tuple[str, str]] = (),
) -> None:
    """Write the report of a run; ``replies`` is as for ``open_output_of_run``, None for ``score``."""
    if report is None or output is None:
        return
    options = ViewOptions(TableOptions(), prefix=prefix or None, ledger=ledger)
    with open_output_of_run(output, options, replies) as found:
        page = build_run_report(title, about, found.noun, found.entries, facts, num_rejected=num_rejected)
    write_page(report, page)
    print_message(f"wrote {escape_controls(str(report))}")
