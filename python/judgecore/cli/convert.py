"""``judgecore convert``: convert other tools' logs to tables of replies."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judgecore.errors import TableError
from judgecore.tables.files import as_output_errors, check_output, refuse_input
from judgecore.tables.opening import write_rows
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

EPILOG = """\b
Examples:
  judgecore convert inspect logs/2026-11-21_capitals.eval -o replies.jsonl
  judgecore parse replies.jsonl --format inspect.model_graded --cut cut
  judgecore convert inspect logs/*.json --outputs -o outputs.jsonl

\b
Exit status: 0 success, 2 a log can't be read; OUT is then not written.
"""


@click.group("convert", epilog=EPILOG)
def convert_command() -> None:
    """Convert other tools' logs to tables of replies."""


@convert_command.command("inspect", epilog=EPILOG, short_help="Write the replies in Inspect AI logs as a table.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("-o", "--output", metavar="OUT", default="-", help="The output file.  [default: standard output]")
@click.option("--outputs", "is_outputs", is_flag=True, help="Write the scored outputs instead of the judges' replies.")
@click.option("--scorer", metavar="NAME", help="Only the replies requested by this scorer.")
def inspect_command(*, logs: tuple[Path, ...], output: str, is_outputs: bool, scorer: str | None) -> None:
    """Write the replies in Inspect AI LOGS (.eval or .json) as a table.

    The extension of OUT sets its format: .jsonl, .csv, .parquet or .arrow; add .gz or .zst to compress JSONL and CSV.

    Each row has log, sample_id, epoch, scorer, role, model, prompt, reply, finish_reason, cut, recorded (the value that
    the scorer recorded, null if it left the sample unscored), recorded_reason and target. `judgecore parse --cut cut`
    reads the replies again, so you can compare its readings with the recorded values.

    Needs inspect-ai: pip install 'judgecore[inspect]'.
    """
    if is_outputs and scorer is not None:
        raise click.UsageError("--scorer selects judges' replies; don't combine it with --outputs")
    check_output(output)
    for log in logs:
        refuse_input(str(log), output, "-o")
    found = rows(logs, "outputs" if is_outputs else "judges")
    with as_output_errors(output):
        n_rows = write_rows(output, (row for row in found if scorer is None or row["scorer"] == scorer))
    if output != "-":
        click.echo(f"wrote {n_rows:,} replies from {len(logs):,} logs to {escape_controls(output)}")


def rows(logs: tuple[Path, ...], which: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of several logs."""
    try:
        read_log = import_module("judgecore.integrations.inspect_ai").read_log
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] != "inspect_ai":
            raise
        raise TableError("reading logs of Inspect AI needs inspect-ai: pip install 'judgecore[inspect]'") from None
    for log in logs:
        yield from read_log(log, which=which)
