"""Progress on standard error: a bar on a terminal, plain lines elsewhere."""

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

from judgecore.terminal import count_noun, make_console, shorten

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

# The bar is drawn ten times a second; more frequent updates would never be seen.
SECONDS_BETWEEN_DRAWINGS = 0.1
SECONDS_BETWEEN_LINES = 5.0
_LONGEST_NAME = 32
# The width of the bar, and of the percentage and remaining time if the total is known.
_BAR_WIDTH = len(" ━━━━ ")
_END_WIDTH = len("100% 00:00 ")


class Progress:
    """The progress of one operation, shown on standard error.

    Use it as a context manager; the bar is removed when the block ends.

    Attributes:
        seconds: The elapsed time, including ``seconds_before``.
        seconds_before: The time spent by earlier runs that this one resumes.
    """

    def __init__(self, name: str, total: int | None, *, is_silent: bool) -> None:
        """Prepare the progress display.

        Args:
            name: The operation, such as ``reading replies.jsonl``.
            total: The total amount of work in any unit, such as bytes or rows; None if unknown.
            is_silent: Whether to show nothing.
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
        """The elapsed time in seconds, including earlier runs."""
        return self.seconds_before + time.monotonic() - self._started

    def __enter__(self) -> Self:
        """Show the bar, or print the operation's name."""
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
            # A long description wraps here, so the other columns keep their width.
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
        # Show the first update at once.
        self._updated, self._pause = -math.inf, SECONDS_BETWEEN_DRAWINGS
        return self

    def update(self, done: int, describe: Callable[[], str]) -> None:
        """Update the display if the last update is long enough ago; otherwise return at once.

        Args:
            done: The work done so far, in the unit of the total.
            describe: Returns a description of amount and rate; called only if the display is updated.
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
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()


def format_rate(rows: int, n_bytes: int, seconds: float) -> str:
    """Format the number of rows read, and the rate.

    Args:
        rows: The number of rows.
        n_bytes: The number of bytes.
        seconds: The elapsed time in seconds; at least a millisecond is assumed.

    Returns:
        For example ``10,000 rows, 5,000 rows/s, 2.1 MB/s``.

    Examples:
        >>> format_rate(10_000, 4_200_000, 2.0)
        '10,000 rows, 5,000 rows/s, 2.1 MB/s'
    """
    seconds = max(seconds, 0.001)
    return f"{count_noun(rows, 'row')}, {rows / seconds:,.0f} rows/s, {n_bytes / seconds / 1e6:,.1f} MB/s"
