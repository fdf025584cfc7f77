"""``judgecore view``: look at readings, scores or requests in the browser, and check a sample of them."""

from __future__ import annotations

import os
import sys
import webbrowser
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import click

from judgecore.cli.arguments import check_mode, mode_option, table_options, take_format
from judgecore.cli.report import refuse_run_files
from judgecore.cli.spot_check import MAX_SAMPLE
from judgecore.cli.view_entries import ViewOptions, open_output_to_view
from judgecore.errors import LedgerError, TableError
from judgecore.reports.view.index import ViewIndex
from judgecore.reports.view.judgements import Judgements, JudgementsError
from judgecore.reports.view.serving import ViewFile, ViewServer, build_view_page
from judgecore.tables.files import as_output_errors, open_output, output_name, refuse_input
from judgecore.terminal import count_noun, escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from judgecore.cli.view_entries import Output
    from judgecore.reading import Format, Mode
    from judgecore.reports.view.entry import ViewEntry
    from judgecore.tables.opening import TableOptions

# How long a thread that waits for a pipe is waited for.
_SECONDS_TO_STOP = 1.0

EPILOG = """\b
Examples:
  judgecore view readings.jsonl
  judgecore view readings.jsonl --judgements judged.jsonl
  judgecore view readings.jsonl --html readings.html
  judgecore view scores.jsonl --ledger run.ledger
  judgecore view runs/refusals
  judgecore view run.ledger --format mt_bench.single

\b
Exit status: 0 success, also after Ctrl-C; 2 usage error, or FILE is no such
output.
"""


@click.command("view", epilog=EPILOG)
@click.argument("file")
@click.option(
    "--html",
    "html",
    metavar="OUT",
    help="Write one self-contained HTML file instead of serving the page; - is standard output.",
)
@click.option(
    "--judgements",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save the judgements of the spot check in this file, and continue those that it has.",
)
@click.option(
    "--sample",
    type=click.IntRange(1, MAX_SAMPLE),
    default=100,
    show_default=True,
    help="The size of the spot check's random sample.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0, max=(1 << 64) - 1),
    default=0,
    show_default=True,
    help="The seed of the random sample.",
)
@click.option("--column", metavar="NAME", help="The column of the replies.  [default: raw, else reply]")
@click.option("--prefix", metavar="TEXT", help="The prefix of the added columns' names.  [default: detected for parse]")
@click.option(
    "--ledger",
    metavar="RUN.DB",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Show the replies in this ledger beside the scores in FILE.",
)
@click.option(
    "--format",
    "format_",
    metavar="ID",
    callback=take_format,
    help="Read the replies in FILE, a ledger, in this format.",
)
@mode_option
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port to listen on.  [default: any free port]"
)
@click.option("--no-open", "is_closed", is_flag=True, help="Do not open the page in the browser.")
@table_options
def view_command(
    *,
    file: str,
    html: str | None,
    judgements: Path | None,
    sample: int,
    seed: int,
    column: str | None,
    prefix: str | None,
    ledger: Path | None,
    format_: Format | None,
    mode: Mode,
    port: int,
    is_closed: bool,
    table: TableOptions,
) -> None:
    """Look at FILE in the browser: what `judgecore parse`, `score` or `evaluate` wrote, or a ledger.

    The page filters by value, reason, rule, format, any column with few values, and text; it shows each reply with its
    evidence highlighted. Its spot check shows a random sample, one by one: press 1 if the reading is right and 2 if it
    is wrong, and it computes the error rate with its interval. ? shows all keys.

    The page is served on the loopback address only, to whoever has the printed address with its token, until Ctrl-C.
    With --html it becomes one file that needs no server; if its rows exceed 64 MiB, it holds a random sample of them.
    """
    if format_ is not None:
        check_mode(format_, mode)
    if html is not None and judgements is not None:
        raise click.UsageError("--judgements is for the served page; the page of --html saves and loads its own file")
    for output, option in ((html, "--html"), (judgements and str(judgements), "--judgements")):
        refuse_input(file, output, option)
        if ledger is not None:
            refuse_input(str(ledger), output, option, read_as="the file of --ledger")
        if output is not None:
            refuse_run_files([Path(file)], Path(output), option)
    options = ViewOptions(table, column, prefix, ledger, format_, mode, seed)
    with open_output_to_view(file, options) as output:
        if html is None:
            _serve(output, judgements, sample=sample, port=port, is_closed=is_closed)
        else:
            _write(output, html, sample=sample)


def _write(output: Output, html: str, *, sample: int) -> None:
    with closing(ViewIndex()) as index:
        index.fill(output.entries)
        page = ViewFile(output.title, output.about, output.noun, index, sample=sample)
        with as_output_errors(html), open_output(html) as stream:
            stream.writelines(page.parts())
        every = count_noun(len(index), output.noun)
    kept = every if page.is_whole else f"a random sample of {page.n_entries:,} of {every}"
    click.echo(f"wrote {output_name(html)}: {kept}", err=html == "-")


def _serve(output: Output, path: Path | None, *, sample: int, port: int, is_closed: bool) -> None:
    """Serve the page until it is interrupted."""
    judgements = _open_judgements(path)
    page = build_view_page(output.title, output.about, output.noun, sample=sample, kept=str(path or ""))
    index = ViewIndex()
    stopped = Event()
    reader = Thread(target=_fill, args=(index, output.entries, stopped), daemon=True)
    try:
        with ViewServer(page, index, judgements, port=port) as server:
            reader.start()
            click.echo(f"{output.title} is at {server.url} until Ctrl-C")
            sys.stdout.flush()
            if not is_closed and _has_window():
                # Some browsers return only when they are closed.
                Thread(target=webbrowser.open, args=(server.url,), daemon=True).start()
            server.serve_forever()
    except OSError as problem:
        raise click.BadParameter(f"can't listen: {problem.strerror}", param_hint="--port") from None
    except KeyboardInterrupt:
        # Ctrl-C is how it is meant to end.
        pass
    finally:
        stopped.set()
        if reader.ident is not None:
            reader.join(_SECONDS_TO_STOP)
        judgements.close()
        index.close()


def _has_window() -> bool:
    """Return whether the browser has a window of its own, so that it does not take over the terminal."""
    try:
        is_in_terminal = type(webbrowser.get()) is webbrowser.GenericBrowser
    except webbrowser.Error:
        return False
    return not is_in_terminal or "BROWSER" in os.environ


def _open_judgements(path: Path | None) -> Judgements:
    try:
        return Judgements(path)
    except JudgementsError as problem:
        raise click.BadParameter(str(problem), param_hint="--judgements") from None
    except OSError as problem:
        raise click.BadParameter(f"can't write {path}: {problem.strerror}", param_hint="--judgements") from None


def _fill(index: ViewIndex, entries: Iterator[ViewEntry], stopped: Event) -> None:
    """Read the entries while the page is shown; what ends it early is shown there and printed."""
    try:
        index.fill(_until(stopped, entries))
    except (TableError, LedgerError) as problem:
        index.problem = f"Reading stopped after {len(index):,} entries: {problem}"
    except OSError as problem:
        index.problem = (
            f"Reading stopped after {len(index):,} entries: the temporary file can't be written: {problem.strerror}"
        )
    finally:
        if not index.is_complete and not index.problem:
            index.problem = f"Reading stopped after {len(index):,} entries."
    if index.problem and not stopped.is_set():
        click.echo(escape_controls(index.problem), err=True)


def _until(stopped: Event, entries: Iterator[ViewEntry]) -> Iterator[ViewEntry]:
    for entry in entries:
        if stopped.is_set():
            return
        yield entry
