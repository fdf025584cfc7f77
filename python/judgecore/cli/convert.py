"""``judgecore convert``: other tools' logs become tables of replies, to be read again."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judgecore.errors import LogError, TableError
from judgecore.tables.files import as_output_errors, refuse_input
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
Exit status: 0 done, 2 a log can't be read, and nothing is written into OUT
then.
"""


@click.group("convert", epilog=EPILOG)
def convert_command() -> None:
    """Turn other tools' logs into tables of replies."""


@convert_command.command("inspect", epilog=EPILOG, short_help="Write the replies in logs of Inspect AI as a table.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("-o", "--output", metavar="OUT", default="-", help="Where the rows go.  [default: standard output]")
@click.option("--outputs", "is_outputs", is_flag=True, help="What was scored, in place of what the judges replied.")
@click.option("--scorer", metavar="NAME", help="Only the replies that this scorer asked for.")
def inspect_command(*, logs: tuple[Path, ...], output: str, is_outputs: bool, scorer: str | None) -> None:
    """Write the replies in LOGS of Inspect AI, .eval or .json, as a table.

    The name of OUT says what it is: .jsonl, .csv, .parquet, .arrow, and with .gz or .zst behind it how it is
    compressed.

    A row has log, sample_id, epoch, scorer, role, model, prompt, reply, finish_reason, cut, recorded (what the scorer
    made of the reply then, null where it left the sample unscored), recorded_reason and target, so that
    `judgecore parse --cut cut` reads the run again beside what was recorded.

    Needs inspect-ai: pip install 'judgecore[inspect]'.
    """
    if is_outputs and scorer is not None:
        raise click.UsageError("--scorer chooses among the judges' replies; leave it out with --outputs")
    for log in logs:
        refuse_input(str(log), output, "-o")
    found = rows(logs, "outputs" if is_outputs else "judges")
    with as_output_errors(output):
        n_rows = write_rows(output, (row for row in found if scorer is None or row["scorer"] == scorer))
    if output != "-":
        click.echo(f"{n_rows:,} replies of {len(logs):,} logs written to {escape_controls(output)}")


def rows(logs: tuple[Path, ...], which: str) -> Iterator[dict[str, Any]]:
    """Read logs one after the other.

    Args:
        logs: The files.
        which: As ``read_log`` takes it.

    Yields:
        Their replies.

    Raises:
        TableError: If a log can't be read, or inspect-ai is not installed.
    """
    try:
        read_log = import_module("judgecore.integrations.inspect_ai").read_log
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] != "inspect_ai":
            raise
        raise TableError("reading logs of Inspect AI needs inspect-ai: pip install 'judgecore[inspect]'") from None
    for log in logs:
        try:
            yield from read_log(log, which=which)
        except LogError as problem:
            raise TableError(escape_controls(str(problem))) from None
