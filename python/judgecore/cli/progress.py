"""Progress: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

import click
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bar

from judgecore.terminal import make_console, shorten

if TYPE_CHECKING:
    from types import TracebackType

SECONDS_BETWEEN_LINES = 5.0


class Progress:
    """How far the reading of a table has come, told on standard error.

    Use it as a context manager; the bar is gone when the block ends.

    Attributes:
        rows: How many rows have been read.
        seconds: How long it took so far.
    """

    def __init__(self, name: str, n_bytes: int | None, *, is_silent: bool) -> None:
        """Prepare to tell of a table.

        Args:
            name: The table's name.
            n_bytes: Its size; None where it is not known.
            is_silent: Whether to tell nothing.
        """
        self.rows = 0
        self._name = shorten(name, 24)
        self._n_bytes = n_bytes
        self._is_silent = is_silent
        self._started = self._told = time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    @property
    def seconds(self) -> float:
        """How long it took so far."""
        return time.monotonic() - self._started

    def __enter__(self) -> Self:
        """Show the bar, or say that the reading begins."""
        if self._is_silent:
            return self
        if not sys.stderr.isatty():
            click.echo(f"reading {self._name}", err=True)
            return self
        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=None, complete_style="cyan", finished_style="green"),
            TextColumn("{task.percentage:>3.0f}%" if self._n_bytes else ""),
            TextColumn("{task.fields[pace]}", style="cyan"),
        )
        self._bar = Bar(*columns, console=make_console(stderr=True), transient=True, expand=True)
        self._task = self._bar.add_task(self._name, total=self._n_bytes, pace="")
        self._bar.start()
        self._started = time.monotonic()
        return self

    def advance(self, rows: int, n_bytes: int) -> None:
        """Tell how far the reading has come.

        Args:
            rows: How many rows have been read in all.
            n_bytes: How many bytes have been read in all.
        """
        self.rows = rows
        pace = say_pace(rows, n_bytes, self.seconds)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=n_bytes, pace=pace)
        elif not self._is_silent and time.monotonic() - self._told >= SECONDS_BETWEEN_LINES:
            self._told = time.monotonic()
            share = f"{n_bytes / self._n_bytes:.0%}, " if self._n_bytes else ""
            click.echo(f"{self._name}: {share}{pace}", err=True)

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()


def say_pace(rows: int, n_bytes: int, seconds: float) -> str:
    """Say how much has been read, and how fast.

    Args:
        rows: How many rows.
        n_bytes: How many bytes.
        seconds: In how long; 0 counts as a millisecond.

    Returns:
        For example ``10,000 rows, 5,000 rows/s, 2.1 MB/s``.

    Examples:
        >>> say_pace(10_000, 4_200_000, 2.0)
        '10,000 rows, 5,000 rows/s, 2.1 MB/s'
    """
    seconds = max(seconds, 0.001)
    noun = "row" if rows == 1 else "rows"
    return f"{rows:,} {noun}, {rows / seconds:,.0f} rows/s, {n_bytes / seconds / 1e6:,.1f} MB/s"
