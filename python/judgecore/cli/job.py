"""``ParseJob``: the options of one run of ``judgecore parse``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from judgecore.tables.files import input_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from judgecore.reading import Format, Mode
    from judgecore.tables.files import Kind
    from judgecore.tables.opening import TableOptions

UsualPart = Literal["value", "status", "reason", "detail", "rule", "evidence", "start", "end"]
GuardPart = Literal["side", "codes", "names", "hazards", "uncertain_hazards"]
Part: TypeAlias = UsualPart | Literal["format"] | GuardPart

USUAL_PARTS: tuple[UsualPart, ...] = get_args(UsualPart)
"""The columns that are added by default."""
GUARD_PARTS: tuple[GuardPart, ...] = get_args(GuardPart)
"""The columns that exist for guards only."""
PARTS: tuple[Part, ...] = (*USUAL_PARTS, "format", *GUARD_PARTS)


@dataclass(frozen=True, kw_only=True)
class ParseJob:
    """The options of one run, as ``judgecore parse`` names and describes them, and the kind of its input."""

    file: str
    kind: Kind
    table: TableOptions
    format: Format
    mode: Mode
    columns: tuple[str, ...]
    cut: str | None
    material: tuple[str, ...]
    output: str | None
    report: Path | None
    prefix: str
    parts: tuple[Part, ...]
    is_unread_only: bool
    rejects: str | None
    is_resumable: bool
    sample: int | None
    is_strict: bool

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
