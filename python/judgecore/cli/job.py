"""``ParseJob``: the options of one run of ``judgecore parse``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from judgecore.tables.files import input_name
from judgecore.tables.text import LONGEST_RECORD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.reading import Format
    from judgecore.tables.files import Kind

Mode = Literal["lenient", "strict", "paper"]
UsualPart = Literal["value", "status", "reason", "detail", "rule", "evidence", "start", "end"]
GuardPart = Literal["side", "codes", "names", "hazards", "uncertain_hazards"]
Part: TypeAlias = UsualPart | Literal["format"] | GuardPart

USUAL_PARTS: tuple[UsualPart, ...] = get_args(UsualPart)
"""The columns that are added by default."""
GUARD_PARTS: tuple[GuardPart, ...] = get_args(GuardPart)
"""The columns that exist for guards only."""
PARTS: tuple[Part, ...] = (*USUAL_PARTS, "format", *GUARD_PARTS)


@dataclass(frozen=True)
class ParseJob:
    """The options of one run.

    Attributes:
        file: The input table; ``-`` is standard input.
        kind: The kind of table.
        format: The format of the replies.
        mode: The mode of reading.
        columns: The reply columns; empty for the default name.
        cut: The column that marks cut-off replies; None for none.
        material: The columns of texts that the judge was shown.
        output: The output; None to write no rows, ``-`` is standard output.
        prefix: The prefix of the added columns' names.
        is_strict: Whether a malformed line ends the job.
        parts: The columns to add for each reply.
        is_unread_only: Whether to write only rows with an unread reply.
        rejects: The file for malformed lines; None to write none.
        delimiter: The CSV delimiter; None to detect it.
        encoding: The text encoding; None to detect it.
        longest: The maximum size of a record in bytes.
        is_resumable: Whether a killed run can be resumed.
        sample: The number of readings to show for a spot check; None for none.
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
        """The input's name in messages."""
        return input_name(self.file)

    @cached_property
    def added(self) -> tuple[str, ...]:
        """The names of all added columns."""
        return tuple(name for column in self.columns or ("",) for _, name in self.added_for(column))

    def added_for(self, column: str) -> list[tuple[Part, str]]:
        """Return the columns added for a reply column; with several reply columns, its name is part of the prefix."""
        return [(part, f"{self.prefix_for(column)}{part}") for part in self.parts]

    @property
    def replies(self) -> dict[str, str | None]:
        """Each reply column, by the prefix of the columns added for it; None for the default name."""
        job = self.reading(tuple(dict.fromkeys(self.columns)))
        return {job.prefix_for(one): one for one in job.columns} or {self.prefix: None}

    def prefix_for(self, column: str) -> str:
        """Return the prefix of the columns added for a reply column."""
        owner = f"{column}_" if len(self.columns) > 1 else ""
        return f"{self.prefix}{owner}"

    def reading(self, columns: Sequence[str]) -> ParseJob:
        """Return a copy of the job with other reply columns."""
        return replace(self, columns=tuple(columns))
