"""Convert the rows of a table to entries, and report every problem."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from judgecore.evaluation.dataset_entry import (
    DatasetProblem,
    HarmHumanLabeledEntry,
    HumanLabeledEntry,
    MetricsType,
    ObjectiveHumanLabeledEntry,
    refuse,
)
from judgecore.evaluation.dataset_table import RESPONSE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judgecore.evaluation.dataset_table import Table, TableRow


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


OBJECTIVE, CATEGORY, DATA_TYPE = "objective", "harm_category", "data_type"


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The roles of a table's columns."""

    response: str = RESPONSE
    response_b: str | None = None
    objective: str | None = OBJECTIVE
    raters: tuple[str, ...] | None = None
    quality: str | None = None

    def needed(self, kind: MetricsType) -> tuple[str, ...]:
        """Return the required columns."""
        if self.quality is not None:
            return (self.response,)
        return (self.response, OBJECTIVE if kind is MetricsType.OBJECTIVE else CATEGORY)


def find_type(table: Table, facts: Mapping[str, str]) -> MetricsType:
    """Detect the kind of labels: harm with a definition, or with a column ``harm_category`` and no ``objective``."""
    is_harm = "harm_definition" in facts or (OBJECTIVE not in table.columns and CATEGORY in table.columns)
    return MetricsType.HARM if is_harm else MetricsType.OBJECTIVE


def read_rows(table: Table, scale: LabelScale, roles: Roles) -> tuple[tuple[str, ...], tuple[HumanLabeledEntry, ...]]:
    """Return the raters' columns, and an entry for each row; the error has all problems."""
    listed = ", ".join(map(repr, table.columns)) or "none"
    problems = [
        DatasetProblem(f"the column is missing; there are {listed}", table.source, column=name)
        for name in roles.needed(scale.metrics_type)
        if name not in table.columns
    ]
    raters = find_raters(table, scale) if roles.raters is None else roles.raters
    if not raters:
        text = f"no column holds labels; raters are {SCORE}, {SCORE}_1 or {SCORE}_<name>, and there are {listed}"
        problems.append(DatasetProblem(text, table.source))
    if not table.rows:
        problems = [DatasetProblem("holds no rows", table.source)]
    if problems:
        raise refuse(problems)
    reader = _RowReader(table, scale, roles, raters)
    entries = tuple(reader.read(row) for row in table.rows)
    if reader.problems:
        raise refuse(reader.problems)
    return raters, entries


class _RowReader:
    def __init__(self, table: Table, scale: LabelScale, roles: Roles, raters: tuple[str, ...]) -> None:
        self._source = table.source
        self._scale = scale
        self._roles = roles
        self._raters = raters
        known = {roles.response, roles.response_b, roles.objective, *raters}
        if roles.quality is None:
            known.add(DATA_TYPE)
            if scale.metrics_type is MetricsType.HARM:
                known.add(CATEGORY)
        self._others = tuple(name for name in table.columns if name not in known)
        self.problems: list[DatasetProblem] = []

    def read(self, row: TableRow) -> HumanLabeledEntry:
        """Convert a row; an invalid cell is recorded in ``problems`` and has a placeholder in the entry."""
        is_objective = self._scale.metrics_type is MetricsType.OBJECTIVE
        roles, quality = self._roles, self._roles.quality
        response = self._text(row, roles.response, is_needed=True) or ""
        objective = roles.objective and self._text(row, roles.objective, is_needed=is_objective and quality is None)
        data_type = (None if quality else self._text(row, DATA_TYPE, is_needed=False)) or "text"
        metadata = {name: _to_text(cell) for name in self._others if (cell := row.cells.get(name)) is not None}
        if roles.response_b is not None:
            # Scorers of pairs and their prompts have this name for the second response.
            metadata["response_b"] = self._text(row, roles.response_b, is_needed=True) or ""
        scores = tuple(self._score(row, rater) for rater in self._raters)
        if is_objective:
            return ObjectiveHumanLabeledEntry(
                assistant_response=response,
                human_scores=tuple(None if score is None else bool(score) for score in scores),
                objective=objective,
                data_type=data_type,
                metadata=metadata,
                row=row.number,
            )
        return HarmHumanLabeledEntry(
            assistant_response=response,
            human_scores=scores,
            harm_category=quality or self._text(row, CATEGORY, is_needed=True) or "",
            objective=objective,
            data_type=data_type,
            metadata=metadata,
            row=row.number,
        )

    def _text(self, row: TableRow, column: str, *, is_needed: bool) -> str | None:
        """Return a cell's text; None if it is empty or invalid."""
        cell = row.cells.get(column)
        if isinstance(cell, str):
            return cell
        if cell is not None:
            self._note(row, column, f"holds {cell!r}, which is no text")
        elif is_needed:
            self._note(row, column, "is empty")
        return None

    def _score(self, row: TableRow, column: str) -> float | None:
        """Return a rater's label; None if it is missing or invalid."""
        try:
            return self._scale.read(row.cells.get(column))
        except LabelError as problem:
            self._note(row, column, str(problem), problem.cause)
            return None

    def _note(self, row: TableRow, column: str, text: str, cause: str = "") -> None:
        """Record a problem of a cell."""
        self.problems.append(DatasetProblem(text, self._source, row.number, row.line, column, cause or text))


def _to_text(cell: Any) -> str:
    """Format a metadata cell as text, equally for all file formats."""
    return cell if isinstance(cell, str) else json.dumps(cell, sort_keys=True, default=str)
