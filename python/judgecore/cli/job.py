"""A job of ``judgecore parse``: what is to be read, how, and where it goes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from judgecore.cli.files import say_input

if TYPE_CHECKING:
    from judgecore.cli.files import Kind
    from judgecore.reading import Format

Mode = Literal["lenient", "strict", "paper"]

ADDED = ("value", "status", "reason", "rule", "start", "end")


@dataclass(frozen=True)
class Job:
    """What is to be read, how, and where it goes.

    Attributes:
        file: The table; ``-`` is standard input.
        kind: The kind of table.
        format: What the judge was asked to answer.
        mode: How far to look for a verdict.
        column: The column that holds the replies; None for one of the usual names.
        cut: The column that says which replies are cut off; None where nothing says so.
        material: The columns of texts that the judge was shown.
        output: Where rows go; None for nowhere, ``-`` is standard output.
        prefix: What stands before the names of the added columns.
        is_strict: Whether a malformed line ends the job.
    """

    file: str
    kind: Kind
    format: Format
    mode: Mode
    column: str | None
    cut: str | None
    material: tuple[str, ...]
    output: str | None
    prefix: str
    is_strict: bool

    @property
    def name(self) -> str:
        """The table's name for people."""
        return say_input(self.file)

    @cached_property
    def added(self) -> tuple[str, ...]:
        """The names of the added columns."""
        return tuple(f"{self.prefix}{name}" for name in ADDED)
