"""What benches find: rows with their targets, in groups, as text and as Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import Any

WIDTH = 80
COMPARED = ("bench", "judgecore", "reference", "ratio", "target")


class WrongResultError(Exception):
    """A bench whose result is wrong has no time."""


@dataclass(frozen=True)
class Row:
    """One line of a group; ``is_met`` is None where there is no target."""

    cells: tuple[str, ...]
    is_met: bool | None = None

    @property
    def met(self) -> str:
        """Whether the target is met, for people."""
        return {True: "yes", False: "no", None: ""}[self.is_met]


@dataclass(frozen=True)
class Group:
    """One table.

    Attributes:
        name: As ``--group`` knows it.
        about: What was timed, in a sentence or two.
        columns: The headings of the cells.
        rows: The lines.
        notes: What the table has no room for.
        details: What a terminal has room for in place of the notes.
    """

    name: str
    about: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()

    @property
    def missed(self) -> int:
        """How many targets are missed."""
        return sum(row.is_met is False for row in self.rows)

    def text(self) -> str:
        """The table for a terminal."""
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
        """The table for a document."""
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
    """Prove a bench's result right before it is timed.

    Raises:
        WrongResultError: If the two differ.
    """
    if want != got:
        wanted, given = f"{want!r:.300}", f"{got!r:.300}"
        raise WrongResultError(f"{bench}: the result is wrong, so it is not timed\n  wanted {wanted}\n  got    {given}")


def shown_seconds(seconds: float) -> str:
    """A duration with three digits: ``412 ns``, ``1.83 µs``."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds < 1000 * size else f"{seconds / size:.0f} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def shown_ratio(ratio: float) -> str:
    """How many times as fast, with three digits where they matter: ``0.93x``, ``14.2x``, ``3730x``."""
    return f"{ratio:.{2 if ratio < 10 else 1 if ratio < 100 else 0}f}x"


def compared(
    bench: str,
    seconds: float,
    reference: float | None = None,
    *,
    at_most_s: float | None = None,
    times_as_fast: float | None = None,
) -> Row:
    """A row of ``COMPARED``: judgecore's time beside the reference's, with at most one target.

    Args:
        bench: The row's name.
        seconds: What judgecore took.
        reference: What the reference took.
        at_most_s: The most that judgecore may take.
        times_as_fast: How many times as fast as the reference judgecore must be.
    """
    ratio = None if reference is None else reference / seconds
    target, is_met = "", None
    if at_most_s is not None:
        target, is_met = f"<= {shown_seconds(at_most_s)}", seconds <= at_most_s
    elif times_as_fast is not None and ratio is not None:
        target, is_met = f">= {times_as_fast:g}x", ratio >= times_as_fast
    beside = ("", "") if reference is None or ratio is None else (shown_seconds(reference), shown_ratio(ratio))
    return Row((bench, shown_seconds(seconds), *beside, target), is_met)
