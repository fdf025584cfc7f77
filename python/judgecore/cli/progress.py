"""Progress on standard error: one line with a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import asyncio
import math
import sys
import time
from collections import deque
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Self, TypeAlias

import click
from rich.cells import cell_len, set_cell_size
from rich.progress import Progress as Bar
from rich.progress import TaskID, TextColumn
from rich.table import Column

from judgecore.terminal import count_noun, make_console, shorten

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

Part: TypeAlias = tuple[str, ...]
"""One fact of a progress line: its wordings, from the longest to the shortest."""

# The line is drawn ten times a second; more frequent updates would never be seen.
SECONDS_BETWEEN_DRAWINGS = 0.1
SECONDS_BETWEEN_LINES = 5.0
# The rate, and the time left, follow from so many seconds.
RATE_SECONDS = 60.0
_LONGEST_NAME = 32
_BAR_CELLS = 10
_LEAST_OF_LAST = 40


class Progress:
    """The progress of one operation, shown on standard error.

    Use it as a context manager; the line is removed when the block ends.
    """

    def __init__(self, name: str, total: int | None, *, is_silent: bool) -> None:
        """Prepare the display of an operation with a total in any unit, None if unknown."""
        self._name = shorten(name, _LONGEST_NAME)
        self._total = total
        self._is_silent = is_silent
        self.seconds_before = 0.0
        self._started = self._updated = time.monotonic()
        self._pause = SECONDS_BETWEEN_LINES
        self._samples: deque[tuple[float, int]] = deque([(self._started, 0)])
        self._alert = ""
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    @property
    def seconds(self) -> float:
        """The elapsed time in seconds, including earlier runs."""
        return self.seconds_before + time.monotonic() - self._started

    @property
    def rate(self) -> float:
        """The work done per second in the last minute."""
        (then, before), (_, done) = self._samples[0], self._samples[-1]
        return (done - before) / max(time.monotonic() - then, 0.001)

    def __enter__(self) -> Self:
        """Show the line, or print the operation's name."""
        if self._is_silent:
            return self
        if not sys.stderr.isatty():
            click.echo(self._name, err=True)
            return self
        # The line is as wide as the terminal at most, so that it never wraps.
        column = TextColumn("{task.description}", style="cyan", markup=False, table_column=Column(no_wrap=True))
        self._bar = Bar(column, console=make_console(stderr=True), transient=True)
        self._task = self._bar.add_task(self._name, total=self._total)
        self._bar.start()
        self._started = time.monotonic()
        self._samples = deque([(self._started, 0)])
        # Show the first update at once.
        self._updated, self._pause = -math.inf, SECONDS_BETWEEN_DRAWINGS
        return self

    def update(self, done: int, describe: Callable[[], Sequence[Part]]) -> None:
        """Update the display, unless that was done too recently; ``describe`` returns the facts, first the amount."""
        now = time.monotonic()
        if self._is_silent or now - self._updated < self._pause:
            return
        self._updated = now
        self._samples.append((now, done))
        while now - self._samples[0][0] > RATE_SECONDS:
            self._samples.popleft()
        percent, left = self._describe_end(done)
        amount, *others = describe()
        facts = [amount, (self._alert,)] if self._alert else [amount, (left,), *others]
        if self._bar is not None and self._task is not None:
            decorations = [self._name, self._draw(done), percent]
            self._bar.update(self._task, description=fit(decorations, facts, self._bar.console.width))
        else:
            said = ", ".join(one for one in (percent, *(fact[0] for fact in facts)) if one)
            click.echo(f"{self._name}: {said}", err=True)

    @asynccontextmanager
    async def following(
        self, count: Callable[[], int], describe: Callable[[], Sequence[Part]], alert: Callable[[], str]
    ) -> AsyncGenerator[None]:
        """Keep the display up to date inside a block; ``alert`` returns what holds the work up, shown at once."""

        async def follow() -> None:
            while True:
                before, self._alert = self._alert, alert()
                if bool(before) != bool(self._alert):
                    self._updated = -math.inf
                self.update(count(), describe)
                await asyncio.sleep(SECONDS_BETWEEN_DRAWINGS)

        following = asyncio.ensure_future(follow())
        try:
            yield
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following

    def _draw(self, done: int) -> str:
        if not self._total:
            return ""
        full = min(_BAR_CELLS, done * _BAR_CELLS // self._total)
        return "━" * full + "─" * (_BAR_CELLS - full)

    def _describe_end(self, done: int) -> tuple[str, str]:
        """Return the share that is done, and the time that is left."""
        if not self._total:
            return "", ""
        percent = f"{min(done / self._total, 1.0):.0%}"
        return percent, f"{format_seconds((self._total - done) / rate)} left" if (rate := self.rate) > 0 else ""

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def fit(decorations: Sequence[str], facts: Sequence[Part], width: int) -> str:
    """Join decorations and facts to one line that fits.

    The first decoration is left out first. Then facts are shortened, from the first on, the other decorations are left
    out, and then whole facts, from the third on: the first two are always there.

    Examples:
        >>> line = ["counting", "42%"], [("12 rows", "12"), ("0:15 left",), ("6/s",), ("3 undetermined", "3 undet.")]
        >>> [fit(*line, width) for width in (50, 42, 36, 27, 24, 22)]
        ['counting 42% 12 rows 0:15 left 6/s 3 undetermined', '42% 12 rows 0:15 left 6/s 3 undetermined', \
'42% 12 0:15 left 6/s 3 undetermined', '12 0:15 left 6/s 3 undet.', '12 0:15 left 3 undet.', '12 0:15 left 3 undet.']
    """
    left = [[one] for one in decorations if one]
    forms = [list(fact) for fact in facts if fact[0]]
    n_kept = sum(1 for fact in facts[:2] if fact[0])

    def line() -> str:
        return " ".join(one[0] for one in (*left, *forms))

    if left and cell_len(line()) > width:
        left.pop(0)
    for fact in forms:
        while len(fact) > 1 and cell_len(line()) > width:
            fact.pop(0)
    while left and cell_len(line()) > width:
        left.pop(0)
    while len(forms) > n_kept and cell_len(line()) > width:
        # Enough of a long last fact is better than none of it.
        if width - cell_len(line()) + cell_len(forms[-1][0]) >= _LEAST_OF_LAST:
            break
        forms.pop(n_kept)
    return line() if cell_len(line()) <= width else set_cell_size(line(), width - 1) + "…"


def format_seconds(seconds: float) -> str:
    """Format a duration as minutes and seconds, or as hours, minutes and seconds.

    Examples:
        >>> format_seconds(27.4), format_seconds(3725)
        ('0:28', '1:02:05')
    """
    minutes, rest = divmod(math.ceil(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def format_rate(rows: int, n_bytes: int, seconds: float) -> str:
    """Format the number of rows read, and the rate; at least a millisecond is assumed.

    Examples:
        >>> format_rate(10_000, 4_200_000, 2.0)
        '10,000 rows, 5,000 rows/s, 2.1 MB/s'
    """
    seconds = max(seconds, 0.001)
    return f"{count_noun(rows, 'row')}, {rows / seconds:,.0f} rows/s, {n_bytes / seconds / 1e6:,.1f} MB/s"
