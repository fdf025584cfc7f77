"""The command line: ``judgecore COMMAND``."""

from __future__ import annotations

import difflib
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from itertools import dropwhile
from typing import IO, TYPE_CHECKING, Any, NoReturn

import click

from judgecore.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

__all__ = ["main"]

INTERRUPTED = 130
SIGNALS = (signal.SIGINT, signal.SIGTERM)
# What a shell reports of a program that wrote to a closed pipe: 128 and the number of SIGPIPE.
BROKEN_PIPE = 141

COMMANDS = {
    "compare": "Compare evaluated scorers on the same labelled data.",
    "convert": "Turn other tools' logs into tables of replies.",
    "correct": "Say what a judge's pass rate says about the truth.",
    "dataset": "Check responses that people labelled.",
    "demo": "See replies that a naive parser gets wrong.",
    "detect": "Find the format that the replies in a file are written in.",
    "evaluate": "Measure a scorer against human labels.",
    "formats": "List the formats that judges answer in; show, check or write one.",
    "ledger": "Show, export or merge the durable record of requests and replies.",
    "metrics": "Show what was measured of scorers.",
    "parse": "Read the replies in a JSONL, CSV, Parquet or Arrow file.",
    "report": "Write an evaluation as one self-contained page.",
    "schema": "Print the JSON Schema of files of formats, scorers or targets.",
    "score": "Score the responses in a JSONL, CSV, Parquet or Arrow file.",
    "serve": "Answer judge prompts on the loopback address, by no model.",
}

EPILOG = """\b
Examples:
  judgecore demo
  judgecore formats
  judgecore parse replies.jsonl --format mt_bench.single -o readings.jsonl
"""


class LazyGroup(click.Group):
    """Commands that are imported when they are used, so that ``judgecore --help`` costs little."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands."""
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
        """Take ``help COMMAND`` for ``COMMAND --help``."""
        asked = list(dropwhile("help".__eq__, args))
        return super().parse_args(ctx, args if asked == args else [*asked, "--help"])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; of a name that none has, the nearest is named."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = difflib.get_close_matches(name, (*COMMANDS, "--help", "--version"), n=1)
            cure = f"Did you mean {near[0]}?" if near else f"There are {', '.join(COMMANDS)}."
            ctx.fail(f"No such command {name!r}. {cure}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a reader that went away ends it without a word, an interruption with one."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            return BROKEN_PIPE
        except KeyboardInterrupt:
            # A command that has said more raises Abort in its place.
            click.echo("interrupted", err=True)
            raise click.Abort from None


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="judgecore", message="%(prog)s %(version)s")
def judgecore() -> None:
    """Turn what a judge model writes into a verdict that people can trust.

    A reply that can't be read is never a score: it is counted, with its reason.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line.

    Args:
        arguments: What follows the program's name; None for those of the process.

    Raises:
        SystemExit: Always, with status 0 done, 2 wrong use, 3 more unread than permitted, or 130 interrupted.
    """
    status = _run(arguments)
    for stream in (sys.stdout, sys.stderr):
        if status == BROKEN_PIPE or not _is_flushed(stream):
            # The interpreter flushes once more when it leaves, which would fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(status or 0)


def _run(arguments: Sequence[str] | None) -> int | None:
    """Run the command line, say what went wrong, and give the exit status."""
    try:
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _interrupt)
        _open_closed_streams()
        for stream in (sys.stdout, sys.stderr):
            _spell_out_what_does_not_fit(stream)
        status = judgecore.main(arguments, prog_name="judgecore", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as problem:
        with suppress(OSError):
            problem.show()
        return problem.exit_code
    except TableError as problem:
        _say(f"Error: {problem}")
        return click.UsageError.exit_code
    except (click.Abort, KeyboardInterrupt) as ended:
        if isinstance(ended, KeyboardInterrupt):
            _say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
    except OSError as problem:
        # Files are named by whoever opens them.
        _say(f"Error: {problem.filename or 'standard output'}: {problem.strerror}")
        return click.UsageError.exit_code
    return status


def _say(line: str) -> None:
    """Say what went wrong, where standard error takes it."""
    with suppress(OSError):
        click.echo(line, err=True)


def _open_closed_streams() -> None:
    """Put the null device for standard streams that are closed, so that no file takes their numbers.

    What is read from standard input then fails, and what is written to standard output too: nothing is lost in silence.
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
    """Flush a stream, and tell whether it could be done."""
    try:
        stream.flush()
    except OSError:
        return False
    return True


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    """End on Ctrl-C and on SIGTERM alike, so that nothing is left half written."""
    raise KeyboardInterrupt


def _spell_out_what_does_not_fit(stream: IO[str]) -> None:
    """Escape characters that the terminal's encoding lacks, where they would be an error."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
