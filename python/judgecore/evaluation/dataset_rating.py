"""Labels in a table: finding the raters' columns, and converting cells."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from judgecore.evaluation.dataset_entry import MetricsType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judgecore.evaluation.dataset_table import Table

SCORE = "human_score"

# Words for columns with remarks about labels, which may hold numbers.
REMARKS = frozenset({
    "comment", "comments", "confidence", "date", "explanation", "justification", "note", "notes", "rationale", "reason",
    "reasoning", "remark", "remarks", "source", "time", "timestamp",
})  # fmt: skip

NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)

# Above every scale; an integer may be too large for a float.
BEYOND = 10**12

# Excel turns these words into booleans as they are typed, and writes them in capitals.
TRUTHS = {"true": 1.0, "false": 0.0}


class LabelError(ValueError):
    """A cell is not a valid label; the message has the reason and the fix."""

    def __init__(self, shown: str, cause: str) -> None:
        super().__init__(f"{shown} {cause}")
        self.cause = cause


@dataclass(frozen=True, slots=True)
class LabelScale:
    """The conversion of a rater's cells to labels."""

    metrics_type: MetricsType
    scale: tuple[float, float] | None = None
    decimal: str = "."
    words: Mapping[str, float] = field(default_factory=lambda: TRUTHS, hash=False)

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for a scale whose lowest rating is not below the highest, or is not finite."""
        if self.scale is not None and not -math.inf < self.scale[0] < self.scale[1] < math.inf:
            raise ValueError(f"scale={self.scale}: the lowest number must be below the highest, and both finite")

    def read(self, cell: Any) -> float | bool | None:
        """Convert a rater's cell to a label: true or false, a number from 0 to 1, or None if it is empty."""
        if cell is None:
            return None
        number = self.to_number(cell)
        if self.metrics_type is MetricsType.OBJECTIVE:
            if number not in (0.0, 1.0):
                cause = "is no label; an objective label is 0 or 1, and an empty cell is none"
                raise LabelError(_show(cell), cause)
            return number == 1.0
        if isinstance(cell, bool) or number is None or (isinstance(cell, str) and cell.lower() in TRUTHS):
            raise LabelError(_show(cell), "is no number; leave the cell empty where the rater gave no label")
        if self.scale is not None:
            low, high = self.scale
            if not low <= number <= high:
                raise LabelError(f"{number:g}", f"lies outside the scale from {low:g} to {high:g}")
            return (number - low) / (high - low)
        if not 0.0 <= number <= 1.0:
            cause = (
                "lies outside 0 to 1; if raters used a scale from 1 to 5, pass scale=(1, 5), "
                "which makes (x - 1) / (5 - 1) of each x"
            )
            raise LabelError(f"{number:g}", cause)
        return number

    def to_number(self, cell: Any) -> float | None:
        """Return a cell as a number: true is 1, false is 0, and words are looked up; None for anything else."""
        word = self.words.get(to_key(cell))
        if word is not None:
            return word
        if isinstance(cell, bool | int | float):
            return float(max(-BEYOND, min(BEYOND, cell)))
        if not isinstance(cell, str):
            return None
        text = cell.replace(",", ".") if self.decimal == "," else cell
        return float(text) if NUMBER.fullmatch(text) else None


def to_key(cell: Any) -> str:
    """Return the key of a label: text in lower case, or a number in its shortest form."""
    is_number = isinstance(cell, int | float) and not isinstance(cell, bool) and abs(cell) < BEYOND
    return f"{cell:g}" if is_number else str(cell).lower()


def _show(cell: Any) -> str:
    """Format a cell, shortened."""
    return f"{cell!r}"[:80]


def find_raters(table: Table, scale: LabelScale) -> tuple[str, ...]:
    """Return the columns of labels, in order.

    They are ``human_score``, ``human_score_N`` with a number N, and ``human_score_<name>``, unless the name is a word
    for remarks or fewer than half of the non-empty cells are numbers.
    """
    return tuple(name for name in table.columns if _is_rater(table, name, scale))


def _is_rater(table: Table, name: str, scale: LabelScale) -> bool:
    """Return whether a column holds labels, some of which may be invalid."""
    if name == SCORE:
        return True
    suffix = name.removeprefix(f"{SCORE}_")
    if suffix == name or not suffix:
        return False
    if suffix.isdecimal():
        return True
    if REMARKS.intersection(re.split(r"[_\W]+", suffix.lower())):
        return False
    filled = [cell for row in table.rows if (cell := row.cells.get(name)) is not None]
    numbers = sum(scale.to_number(cell) is not None for cell in filled)
    return bool(filled) and 2 * numbers >= len(filled)
