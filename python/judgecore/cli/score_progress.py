"""How far a scoring has come: rate, tokens, cost, and what stayed undetermined."""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import click
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bar

from judgecore.targets import Tally
from judgecore.terminal import make_console

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from judgecore.scorers import Score

SECONDS_BETWEEN_LINES = 5.0
_MILLION = 1e6


@dataclass(frozen=True)
class Prices:
    """What a million tokens cost; None where nobody said.

    Attributes:
        prompt: Tokens of requests.
        completion: Tokens of replies.
    """

    prompt: float | None = None
    completion: float | None = None

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Return what tokens cost; None where no price is known."""
        if self.prompt is None and self.completion is None:
            return None
        return ((self.prompt or 0) * prompt_tokens + (self.completion or 0) * completion_tokens) / _MILLION


@dataclass
class ScoreTally:
    """What has been scored so far, and what it took.

    Attributes:
        rows: Rows that have a score.
        malformed: Lines that are no row.
        reasons: How many are undetermined, by reason.
        judge: What the judge was asked.
    """

    rows: int = 0
    malformed: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    judge: Tally = field(default_factory=Tally)

    @property
    def undetermined(self) -> int:
        """Rows without a verdict, and lines that are no row."""
        return self.reasons.total() + self.malformed

    def add_scores(self, scores: Sequence[Score]) -> None:
        """Count the scores of one response."""
        self.rows += 1
        if scores[0].is_undetermined:
            self.reasons[scores[0].undetermined_reason or "undecided"] += 1

    def to_json(self, prices: Prices) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "rows": self.rows,
            "malformed": self.malformed,
            "undetermined": self.reasons.total(),
            "reasons": dict(self.reasons.most_common()),
            "asked": self.judge.calls,
            "replayed": self.judge.replayed,
            "prompt_tokens": self.judge.prompt_tokens,
            "completion_tokens": self.judge.completion_tokens,
            "cost": prices.cost(self.judge.prompt_tokens, self.judge.completion_tokens),
        }

    def say(self, seconds: float, prices: Prices) -> str:
        """Say it in a line.

        Args:
            seconds: In how long; 0 counts as a millisecond.
            prices: What tokens cost.
        """
        judge = self.judge
        cost = prices.cost(judge.prompt_tokens, judge.completion_tokens)
        parts = [
            f"{self.rows:,} {'row' if self.rows == 1 else 'rows'}",
            f"{self.rows / max(seconds, 0.001):,.0f} rows/s",
            f"{judge.calls:,} asked",
            f"{judge.replayed:,} replayed" if judge.replayed else "",
            f"{judge.prompt_tokens + judge.completion_tokens:,} tokens" if judge.calls else "",
            "" if cost is None else f"cost {cost:,.4f}",
            f"{self.undetermined:,} undetermined",
        ]
        return ", ".join(part for part in parts if part)


class ScoreProgress:
    """Tells on standard error how far a scoring has come: a bar on a terminal, plain lines elsewhere.

    Use it as a context manager; the bar is gone when the block ends.
    """

    def __init__(self, tally: ScoreTally, prices: Prices, total: int | None, *, is_silent: bool) -> None:
        self._tally = tally
        self._prices = prices
        self._total = total
        self._is_silent = is_silent
        self._started = self._told = time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    @property
    def seconds(self) -> float:
        """How long it took so far."""
        return time.monotonic() - self._started

    def __enter__(self) -> Self:
        """Show the bar, if there is a terminal for it."""
        if not self._is_silent and sys.stderr.isatty():
            columns = (
                BarColumn(bar_width=24, complete_style="cyan", finished_style="green"),
                TextColumn("{task.percentage:>3.0f}%" if self._total else ""),
                TextColumn("{task.fields[said]}", style="cyan"),
            )
            self._bar = Bar(*columns, console=make_console(stderr=True), transient=True, expand=True)
            self._task = self._bar.add_task("scoring", total=self._total, said="")
            self._bar.start()
        return self

    def tell(self) -> None:
        """Tell how far it has come, if it is time."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._tally.rows, said=self._tally.say(self.seconds, self._prices))
        elif not self._is_silent and time.monotonic() - self._told >= SECONDS_BETWEEN_LINES:
            self._told = time.monotonic()
            share = f"{self._tally.rows / self._total:.0%}, " if self._total else ""
            click.echo(share + self._tally.say(self.seconds, self._prices), err=True)

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
