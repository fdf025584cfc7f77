"""``judgecore ledger``: show, export and merge ledgers of requests and replies."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from rich.table import Table

from judgecore.cli.arguments import check_mode, mode_option, take_format
from judgecore.cli.asking import describe_batches
from judgecore.cli.exit_status import PENDING
from judgecore.cli.interruption import ledger_resume_hint, run_interruptible
from judgecore.cli.message import print_message
from judgecore.cli.progress import Progress
from judgecore.errors import ConnectError, LedgerError, MalformedReplyError, PendingReplyError, TargetError
from judgecore.reading import Format, Reading
from judgecore.tables.files import as_output_errors, check_output, refuse_input
from judgecore.tables.opening import write_rows
from judgecore.targets import BatchRun, Ledger
from judgecore.targets.ledger import LedgerReader, LedgerSummary, merge_ledgers, salvage
from judgecore.terminal import count_noun, escape_controls, make_console

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from judgecore.reading import Mode
    from judgecore.targets import BatchTally
    from judgecore.targets.ledger import LedgerEntry

_PATH = click.Path(dir_okay=False, path_type=Path)

EPILOG = """\b
Examples:
  judgecore ledger show run.ledger
  judgecore ledger show run.ledger --format mt_bench.single
  judgecore ledger collect run.ledger --wait
  judgecore ledger export run.ledger -o run.jsonl
  judgecore parse run.jsonl --format mt_bench.single --cut finish_reason
  judgecore ledger merge all.ledger shard-*.ledger
  judgecore ledger export damaged.ledger --salvage -o whole.jsonl
"""


@click.group("ledger", epilog=EPILOG)
def ledger_command() -> None:
    """Show, export or merge ledgers, which store each request and its reply.

    You can read a ledger while a run is writing to it.
    """


@ledger_command.command("collect", short_help="Store the replies of batches that have ended.")
@click.argument("file", type=_PATH)
@click.option("--wait", "is_waiting", is_flag=True, help="Wait until no batch is pending.")
def collect_command(*, file: Path, is_waiting: bool) -> int:
    r"""Store the replies of the batches in FILE that have ended; nothing is submitted.

    The API keys are in the environment, as for the run that submitted the batches. Then run that command again: it
    scores the replies, and asks again what has none.

    \b
    Exit status: 0 no batch is pending, 2 usage error, 4 batches are pending, 130
    interrupted.
    """
    if not file.is_file():
        raise LedgerError(f"{file}: there is no such ledger")

    async def collect() -> BatchTally:
        with Ledger(file) as ledger, Progress(f"collecting {file.name}", None, is_silent=not is_waiting) as progress:
            run = BatchRun(ledger, on_progress=lambda tally: progress.update(0, lambda: [(describe_batches(tally),)]))
            await (run.wait() if is_waiting else run.collect())
            return run.tally

    try:
        tally = run_interruptible(collect())
    except KeyboardInterrupt:
        print_message(f"interrupted; {ledger_resume_hint(file)}")
        raise click.Abort from None
    except PendingReplyError as problem:
        print_message(escape_controls(f"{file}: {problem}"))
        return PENDING
    except TargetError as problem:
        raise LedgerError(f"{file}: {problem}") from None
    click.echo(
        f"{count_noun(tally.collected, 'reply', 'replies')} collected, {tally.failed:,} failed; "
        f"{count_noun(tally.pending, 'request')} in {count_noun(tally.batches, 'batch', 'batches')} pending"
    )
    if tally.uncertain:
        click.echo(f"{count_noun(tally.uncertain, 'request')} of batches that were never confirmed may be asked twice")
    return PENDING if tally.batches else 0


@ledger_command.command("show", short_help="Count requests by state, model, outcome and error.")
@click.argument("file", type=_PATH)
@click.option("--format", "format_", metavar="ID", callback=take_format, help="Read the stored replies in this format.")
@mode_option
@click.option("--key", help="Print the request with this key as JSON; logs and errors show the key.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def show_command(
    *,
    file: Path,
    format_: Format | None,
    mode: Mode,
    key: str | None,
    as_json: bool,
) -> None:
    """Count the requests in FILE by state, model, outcome and error.

    An attempt is counted before its request is sent, so none is lost when a run is killed.

    With --format, the stored replies are read with this version's rules; nothing is sent. A ledger stores whole
    requests, not the texts inserted in them, so a verdict that a reply copied from such a text is taken for its own.
    """
    if format_ is not None:
        check_mode(format_, mode)
    with LedgerReader(file) as ledger:
        if key is not None:
            click.echo(json.dumps(to_line(ledger.find(key)), indent=2))
            return
        summary = ledger.summary()
        readings = None if format_ is None else Counter(read_again(ledger, format_, mode))
    if as_json:
        about = {"file": str(file), **vars(summary)}
        if readings is not None and format_ is not None:
            about["readings"] = {"format": format_.id, "mode": mode, "material": False, "counts": dict(readings)}
        click.echo(json.dumps(about, indent=2))
        return
    show_summary(file, summary, readings, f"read as {format_.id}, {mode}, without material" if format_ else "")


@ledger_command.command("export", short_help="Write requests and replies as a table.")
@click.argument("file", type=_PATH)
@click.option("-o", "--output", default="-", metavar="OUT", help="The output file.  [default: standard output]")
@click.option("--state", type=click.Choice(["planned", "sent", "received"]), help="Export only requests in this state.")
@click.option("--salvage", "is_salvage", is_flag=True, help="Export the intact rows of a damaged ledger.")
def export_command(
    *, file: Path, output: str, state: Literal["planned", "sent", "received"] | None, is_salvage: bool
) -> None:
    """Export FILE as a table: requests, replies, tokens, times, and the target's identity.

    The extension of OUT sets its format: .jsonl, .csv, .parquet or .arrow; add .gz or .zst to compress JSONL and CSV.
    RecordedTarget replays the JSONL export, and judgecore parse reads its column reply.

    With --salvage, FILE may be damaged: every page is searched for rows that match their checksums, and damaged rows
    are counted as far as the file still lists them. FILE is read into memory and not changed.
    """
    check_output(output)
    refuse_input(str(file), output, "-o")
    if is_salvage:
        saved = salvage(file)
        write_lines((entry for entry in saved.entries if state in (None, entry.state)), output)
        are = "is" if saved.damaged == 1 else "are"
        print_message(f"{len(saved.entries):,} rows are intact, {saved.damaged:,} {are} damaged")
        return
    with LedgerReader(file) as ledger:
        write_lines(ledger.entries(state), output)


def write_lines(entries: Iterable[LedgerEntry], output: str) -> None:
    """Write rows as a table."""
    with as_output_errors(output):
        write_rows(output, map(to_line, entries))


@ledger_command.command("merge", short_help="Add the requests of several ledgers to one.")
@click.argument("into", type=_PATH)
@click.argument("sources", nargs=-1, required=True, type=_PATH)
def merge_command(*, into: Path, sources: tuple[Path, ...]) -> None:
    """Add the requests of SOURCES to the ledger INTO, each once, with its reply if one of them has it."""
    merged = merge_ledgers(into, sources)
    console = make_console()
    console.print(f"{merged.added:,} added, {merged.rows:,} in all, {merged.received:,} of them with a reply")
    if merged.conflicts:
        console.print(f"{merged.conflicts:,} were answered differently in two ledgers; the first reply is kept")


def to_line(entry: LedgerEntry) -> dict[str, object]:
    """Return the line of an export; what was received and is no reply, because a run ended early, is named an error."""
    try:
        return entry.to_json()
    except MalformedReplyError as problem:
        return {"key": entry.key, "state": entry.state, "error": f"MalformedReplyError: {problem}"}


def read_again(ledger: LedgerReader, format_: Format, mode: Mode) -> Iterator[str]:
    """Read the stored replies again, and yield the outcome of each: ``ok``, or the reason."""
    for entry in ledger.entries("received"):
        try:
            outcome = entry.reply().read(format_, mode=mode)
        except MalformedReplyError:
            yield "malformed"
        else:
            yield "ok" if isinstance(outcome, Reading) else outcome.reason


def show_summary(file: Path, summary: LedgerSummary, readings: Counter[str] | None, heading: str) -> None:
    """Show a ledger in tables."""
    console = make_console()
    counts = summary.counts
    total = counts["planned"] + counts["sent"] + counts["received"]
    console.print(f"{escape_controls(str(file))}: {total:,} requests")
    # The ledger keeps a try before the request leaves, and of a request that failed the last error alone.
    unconnected = summary.errors.get(ConnectError.__name__, 0)
    states = {
        "received": counts["received"],
        "sent, no reply yet": counts["sent"] - counts["failed"],
        "sent, and failed": counts["failed"] - unconnected,
        "no connection at the last try": unconnected,
        "planned": counts["planned"],
    }
    tables = {
        "state": states,
        "batch, by state": summary.batches,
        "model": summary.models,
        "outcome": summary.outcomes,
        "error": summary.errors,
    }
    if readings is not None:
        tables[heading] = dict(readings.most_common())
    for name, rows in tables.items():
        if not rows:
            continue
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column(name, min_width=28, overflow="fold")
        table.add_column("requests", justify="right")
        for value, n in rows.items():
            table.add_row(escape_controls(value), f"{n:,}")
        console.print()
        console.print(table)
    console.print()
    console.print(
        f"tried {summary.attempts:,} times; {counts['resent']:,} may have been asked twice, because a run ended before "
        f"the reply came or a batch was never confirmed; {summary.prompt_tokens:,} tokens asked, "
        f"{summary.completion_tokens:,} answered"
    )
