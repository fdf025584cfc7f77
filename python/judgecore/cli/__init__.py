"""The command line: ``judgecore COMMAND``."""

from __future__ import annotations

import difflib
import os
import signal
import sys
import threading
from contextlib import suppress
from importlib import import_module
from io import StringIO
from itertools import dropwhile
from typing import IO, TYPE_CHECKING, Any, NoReturn

import click

from judgecore.cli.exit_status import BROKEN_PIPE, INTERRUPTED, USAGE
from judgecore.errors import JudgecoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

__all__ = ["main"]

SIGNALS = (signal.SIGINT, signal.SIGTERM)

# How long after an interruption that was lost the next one comes.
_AGAIN_S = 0.01

COMMANDS = {
    "compare": "Compare evaluated scorers, or two guards row by row.",
    "convert": "Convert other tools' logs to tables of replies.",
    "correct": "Correct a judge's pass rate for the judge's errors.",
    "dataset": "Validate human-labelled data sets.",
    "demo": "Show replies that a naive parser gets wrong.",
    "detect": "Detect the format of the replies in a file.",
    "evaluate": "Measure a scorer against human labels.",
    "formats": "List the known reply formats; show, check or write one.",
    "ledger": "Show, export or merge ledgers of requests and replies.",
    "metrics": "Show the metrics of evaluated scorers.",
    "parse": "Read the replies in a JSONL, CSV, Parquet or Arrow file.",
    "report": "Write an evaluation report as one self-contained HTML page.",
    "schema": "Print the JSON Schema of format, scorer or target files.",
    "score": "Score the responses in a JSONL, CSV, Parquet or Arrow file.",
    "serve": "Run a judge server without a model on the loopback address.",
    "view": "Look at readings or scores in the browser; check a sample.",
}

EPILOG = """\b
Examples:
  judgecore demo
  judgecore formats
  judgecore parse replies.jsonl --format mt_bench.single -o readings.jsonl
"""


class LazyGroup(click.Group):
    """A command group that imports a command on first use, so that ``judgecore --help`` starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        return getattr(import_module(f"judgecore.cli.{cmd_name}"), f"{cmd_name}_command")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands in the help, without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Treat ``help COMMAND`` as ``COMMAND --help``."""
        asked = list(dropwhile("help".__eq__, args))
        return super().parse_args(ctx, args if asked == args else [*asked, "--help"])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; for an unknown name, fail with the nearest one."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = difflib.get_close_matches(name, (*COMMANDS, "--help", "--version"), n=1)
            cure = f"Did you mean {near[0]}?" if near else f"The commands are {', '.join(COMMANDS)}."
            ctx.fail(f"No such command {name!r}. {cure}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command: a broken pipe ends it silently, an interruption with a message."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            return BROKEN_PIPE
        except (KeyboardInterrupt, RuntimeError) as ended:
            # Before Python 3.12, an interruption while a class is made is the cause of a RuntimeError.
            if isinstance(ended, RuntimeError) and not isinstance(ended.__cause__, KeyboardInterrupt):
                raise
            # A command that has already printed a message raises Abort instead.
            click.echo("interrupted", err=True)
            raise click.Abort from None


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="judgecore", message="%(prog)s %(version)s")
def judgecore() -> None:
    """Turn what a judge model writes into a verdict that people can trust.

    A reply that can't be read is never a score: it is counted, with its reason.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line."""
    status = _run(arguments)
    for stream in (sys.stdout, sys.stderr):
        if status == BROKEN_PIPE or not _is_flushed(stream):
            # The interpreter flushes again on exit, which would fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(status or 0)


def _run(arguments: Sequence[str] | None) -> int | None:
    """Run the command line, print the error if there is one, and return the exit status."""
    try:
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _interrupt)
        sys.unraisablehook = _interrupt_again
        _open_closed_streams()
        for stream in (sys.stdout, sys.stderr):
            _escape_unencodable(stream)
        # The arguments as they were typed, for messages that say how to go on.
        typed = list(sys.argv[1:] if arguments is None else arguments)
        status = judgecore.main(typed, prog_name="judgecore", standalone_mode=False, obj=typed)
        sys.stdout.flush()
    except click.ClickException as problem:
        shown = StringIO()
        problem.show(shown)
        _print_error(shown.getvalue())
        return problem.exit_code
    except JudgecoreError as problem:
        _print_error(f"Error: {problem}")
        return USAGE
    except (click.Abort, KeyboardInterrupt) as ended:
        if isinstance(ended, KeyboardInterrupt):
            _print_error("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
    except OSError as problem:
        # Code that opens files reports their names, so this is a standard stream.
        _print_error(f"Error: {problem.filename or 'standard output'}: {problem.strerror}")
        return USAGE
    return status


def _print_error(text: str) -> None:
    """Print lines to standard error, with what is not printable escaped; ignore it if they can't be written."""
    from judgecore.cli.message import print_message  # noqa: PLC0415 - as the next one
    from judgecore.terminal import escape_controls  # noqa: PLC0415 - it loads rich, and help starts without

    with suppress(OSError):
        print_message(escape_controls(text.rstrip("\n"), keep="\n"))


def _open_closed_streams() -> None:
    """Open the null device in place of closed standard streams, so that no other file gets their descriptors.

    Reading standard input or writing standard output then fails, so nothing is lost silently.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is not None:
            continue
        opened = os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_WRONLY)
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)
        setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", encoding="utf-8", closefd=False))


def _is_flushed(stream: IO[str]) -> bool:
    """Flush a stream, and return whether that succeeded."""
    try:
        stream.flush()
    except OSError:
        return False
    return True


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Handle SIGINT and SIGTERM alike, so that no file is left half written."""
    raise KeyboardInterrupt


def _interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Interrupt the program again where an interruption fell into a callback of the interpreter, which loses it."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        # Once the hook is left: within it, the interruption would be lost, too.
        main_thread = threading.main_thread().ident
        for number in [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN][:1]:
            again = threading.Timer(_AGAIN_S, signal.pthread_kill, (main_thread, number))
            again.daemon = True
            again.start()
    else:
        sys.__unraisablehook__(unraisable)


def _escape_unencodable(stream: IO[str]) -> None:
    """Escape characters that the stream's encoding can't represent, instead of failing."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
