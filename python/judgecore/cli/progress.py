"""Progress: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING, Self

import click
from rich.cells import cell_len
from rich.progress import BarColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Column

from judgecore.terminal import make_console, shorten

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

# The bar is drawn ten times a second, so that words which come faster are never seen.
SECONDS_BETWEEN_DRAWINGS = 0.1
SECONDS_BETWEEN_LINES = 5.0
_LONGEST_NAME = 32
# What stands beside the name and the words: a bar, and where there is an end a percentage and what time is left.
_BAR_WIDTH = len(" ━━━━ ")
_END_WIDTH = len("100% 00:00 ")


class Progress:
    """How far a piece of work has come, told on standard error.

    Use it as a context manager; the bar is gone when the block ends.

    Attributes:
        seconds: How long it took so far.
        seconds_before: How long it took in runs before this one, which counts.
    """

    def __init__(self, name: str, total: int | None, *, is_silent: bool) -> None:
        """Prepare to tell of it.

        Args:
            name: What is done, such as ``reading replies.jsonl``.
            total: How much there is to do, in any unit, such as bytes or rows; None where it is not known.
            is_silent: Whether to tell nothing.
        """
        self._name = shorten(name, _LONGEST_NAME)
        self._total = total
        self._is_silent = is_silent
        self.seconds_before = 0.0
        self._started = self._updated = time.monotonic()
        self._pause = SECONDS_BETWEEN_LINES
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    @property
    def seconds(self) -> float:
        """How long it took so far."""
        return self.seconds_before + time.monotonic() - self._started

    def __enter__(self) -> Self:
        """Show the bar, or print that the work begins."""
        if self._is_silent:
            return self
        if not sys.stderr.isatty():
            click.echo(self._name, err=True)
            return self
        console = make_console(stderr=True)
        beside = cell_len(self._name) + _BAR_WIDTH + (_END_WIDTH if self._total else 0)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=None, complete_style="cyan", finished_style="green"),
            *((TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn(compact=True)) if self._total else ()),
            # Words that are too long go on below, and nothing else gives way.
            TextColumn(
                "{task.fields[rate]}",
                style="cyan",
                table_column=Column(max_width=max(console.width - beside, _LONGEST_NAME)),
            ),
        )
        self._bar = Bar(*columns, console=console, transient=True, expand=True)
        self._task = self._bar.add_task(self._name, total=self._total, rate="")
        self._bar.start()
        self._started = time.monotonic()
        # The first words are not waited for.
        self._updated, self._pause = -math.inf, SECONDS_BETWEEN_DRAWINGS
        return self

    def update(self, done: int, describe: Callable[[], str]) -> None:
        """Tell how far it has come, if it is time; at other times it costs next to nothing.

        Args:
            done: How much is done, in the unit of the total.
            describe: Says in words how much that is, and how fast; asked only when it is time.
        """
        now = time.monotonic()
        if self._is_silent or now - self._updated < self._pause:
            return
        self._updated = now
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, rate=describe())
        else:
            share = f"{done / self._total:.0%}, " if self._total else ""
            click.echo(f"{self._name}: {share}{describe()}", err=True)

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()


def format_rate(rows: int, n_bytes: int, seconds: float) -> str:
    """Say how much has been read, and how fast.

    Args:
        rows: How many rows.
        n_bytes: How many bytes.
        seconds: In how long; 0 counts as a millisecond.

    Returns:
        For example ``10,000 rows, 5,000 rows/s, 2.1 MB/s``.

    Examples:
        >>> format_rate(10_000, 4_200_000, 2.0)
        '10,000 rows, 5,000 rows/s, 2.1 MB/s'
    """
    seconds = max(seconds, 0.001)
    noun = "row" if rows == 1 else "rows"
    return f"{rows:,} {noun}, {rows / seconds:,.0f} rows/s, {n_bytes / seconds / 1e6:,.1f} MB/s"
