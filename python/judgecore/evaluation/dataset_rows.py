"""Convert the rows of a table to entries, and report every problem."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judgecore.evaluation.dataset_entry import (
    DatasetProblem,
    HarmHumanLabeledEntry,
    HumanLabeledEntry,
    MetricsType,
    ObjectiveHumanLabeledEntry,
    refuse,
)
from judgecore.evaluation.dataset_rating import SCORE, LabelError, LabelScale, find_raters
from judgecore.evaluation.dataset_table import RESPONSE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judgecore.evaluation.dataset_table import Table, TableRow

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
    """Converts rows, and collects their problems."""

    def __init__(self, table: Table, scale: LabelScale, roles: Roles, raters: tuple[str, ...]) -> None:
        """Prepare to convert the rows of a table."""
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
