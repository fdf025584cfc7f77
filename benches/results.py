"""Results of benches: rows with targets, in groups, as text and as Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import Any

WIDTH = 80
COMPARED = ("bench", "judgecore", "reference", "ratio", "target")


class WrongResultError(Exception):
    """Raised if a bench's result is wrong, before it is timed."""


@dataclass(frozen=True)
class Row:
    """One row of a group; ``is_met`` is None without a target."""

    cells: tuple[str, ...]
    is_met: bool | None = None

    @property
    def met(self) -> str:
        """Format whether the target is met."""
        return {True: "yes", False: "no", None: ""}[self.is_met]


@dataclass(frozen=True)
class Group:
    """One table.

    Attributes:
        name: The name for ``--group``.
        about: What was timed, in a sentence or two.
        columns: The headings of the cells.
        rows: The table rows.
        notes: Text after the table.
        details: Replaces the notes on a terminal.
    """

    name: str
    about: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()

    @property
    def missed(self) -> int:
        """Return the number of missed targets."""
        return sum(row.is_met is False for row in self.rows)

    def text(self) -> str:
        """Format the table for a terminal."""
        lines = [(*self.columns, "met"), *((*row.cells, row.met) for row in self.rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
        first, *others = widths
        body = [
            "  ".join(
                [line[0].ljust(first), *(cell.rjust(width) for cell, width in zip(line[1:], others, strict=True))]
            )
            for line in lines
        ]
        rule = "-" * (sum(widths) + 2 * len(others))
        notes = [
            line
            for note in self.details or self.notes
            for line in wrap(note, WIDTH, initial_indent="- ", subsequent_indent="  ")
        ]
        return "\n".join([*wrap(f"{self.name}: {self.about}", WIDTH), rule, *body, *notes])

    def markdown(self) -> str:
        """Format the table as Markdown."""
        headings = [*self.columns, "met"]
        lines = [
            f"## {self.name}",
            self.about,
            "",
            f"| {' | '.join(headings)} |",
            f"|{' --- |' + ' ---: |' * (len(headings) - 1)}",
            *(f"| {' | '.join((*row.cells, row.met))} |" for row in self.rows),
        ]
        return "\n".join([*lines, *(["", *(f"- {note}" for note in self.notes)] if self.notes else [])])


def check(bench: str, want: Any, got: Any) -> None:
    """Check a bench's result before it is timed.

    Raises:
        WrongResultError: If the two differ.
    """
    if want != got:
        wanted, given = f"{want!r:.300}", f"{got!r:.300}"
        raise WrongResultError(f"{bench}: the result is wrong, so it is not timed\n  wanted {wanted}\n  got    {given}")


def shown_seconds(seconds: float) -> str:
    """Format a duration with three digits: ``412 ns``, ``1.83 µs``."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds < 1000 * size else f"{seconds / size:.0f} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def shown_ratio(ratio: float) -> str:
    """Format a speed ratio: ``0.93x``, ``14.2x``, ``3730x``."""
    return f"{ratio:.{2 if ratio < 10 else 1 if ratio < 100 else 0}f}x"


def compared(
    bench: str,
    seconds: float,
    reference: float | None = None,
    *,
    at_most_s: float | None = None,
    times_as_fast: float | None = None,
) -> Row:
    """Return a row of ``COMPARED``: the times of judgecore and the reference, with at most one target.

    Args:
        bench: The row's name.
        seconds: judgecore's time.
        reference: The reference's time.
        at_most_s: The maximum for judgecore.
        times_as_fast: The minimum speed ratio to the reference.
    """
    ratio = None if reference is None else reference / seconds
    target, is_met = "", None
    if at_most_s is not None:
        target, is_met = f"<= {shown_seconds(at_most_s)}", seconds <= at_most_s
    elif times_as_fast is not None and ratio is not None:
        target, is_met = f">= {times_as_fast:g}x", ratio >= times_as_fast
    beside = ("", "") if reference is None or ratio is None else (shown_seconds(reference), shown_ratio(ratio))
    return Row((bench, shown_seconds(seconds), *beside, target), is_met)
