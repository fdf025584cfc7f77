"""A job of ``judgecore parse``: what is to be read, how, and where it goes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from judgecore.tables.files import input_name
from judgecore.tables.text import LONGEST_RECORD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.reading import Format
    from judgecore.tables.files import Kind

Mode = Literal["lenient", "strict", "paper"]
Part = Literal["value", "status", "reason", "detail", "rule", "evidence", "start", "end", "format"]

PARTS: tuple[Part, ...] = ("value", "status", "reason", "detail", "rule", "evidence", "start", "end", "format")
USUAL_PARTS: tuple[Part, ...] = ("value", "status", "reason", "detail", "rule", "evidence", "start", "end")
"""What is told of a reply where nothing else was asked for."""


@dataclass(frozen=True)
class ParseJob:
    """What is to be read, how, and where it goes.

    Attributes:
        file: The table; ``-`` is standard input.
        kind: The kind of table.
        format: What the judge was asked to answer.
        mode: How far to look for a verdict.
        columns: The columns that hold replies; none for one of the usual names.
        cut: The column that says which replies are cut off; None where nothing says so.
        material: The columns of texts that the judge was shown.
        output: Where rows go; None for nowhere, ``-`` is standard output.
        prefix: What stands before the names of the added columns.
        is_strict: Whether a line that is no row ends the job.
        parts: What is told of each reply.
        is_unread_only: Whether only rows with an unread reply are written.
        rejects: Where lines go that are no row; None for nowhere.
        delimiter: What parts the fields of CSV; None to find out.
        encoding: How text is encoded; None to find out.
        longest: How many bytes a record may have.
        is_resumable: Whether another run can go on after this one was killed, and this one where another came to.
        sample: How many readings are shown to be checked; None for none.
    """

    file: str
    kind: Kind
    format: Format
    mode: Mode
    columns: tuple[str, ...]
    cut: str | None
    material: tuple[str, ...]
    output: str | None
    prefix: str
    is_strict: bool
    parts: tuple[Part, ...] = USUAL_PARTS
    is_unread_only: bool = False
    rejects: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    longest: int = LONGEST_RECORD
    is_resumable: bool = False
    sample: int | None = None

    @property
    def name(self) -> str:
        """The table's name for people."""
        return input_name(self.file)

    @cached_property
    def added(self) -> tuple[str, ...]:
        """The names of all columns that are added."""
        return tuple(name for column in self.columns or ("",) for _, name in self.added_for(column))

    def added_for(self, column: str) -> list[tuple[Part, str]]:
        """Name the columns that are added for a column of replies; among several its name stands before each."""
        owner = f"{column}_" if len(self.columns) > 1 else ""
        return [(part, f"{self.prefix}{owner}{part}") for part in self.parts]

    def reading(self, columns: Sequence[str]) -> ParseJob:
        """Return the same job with the columns that hold replies."""
        return replace(self, columns=tuple(columns))
