"""``--report``: write a run of ``parse`` or ``score`` as one HTML page, from the rows that it wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from judgecore.cli.message import print_message
from judgecore.cli.report import write_page
from judgecore.cli.view_entries import ViewOptions, open_output_of_run
from judgecore.reports.run_page import build_run_report
from judgecore.tables.files import check_folder, is_same_output, refuse_input
from judgecore.tables.opening import TableOptions
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
