"""The entries in a table: each row checked, every problem named."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judgecore.evaluation.dataset_entry import (
    HarmHumanLabeledEntry,
    HumanLabeledEntry,
    MetricsType,
    ObjectiveHumanLabeledEntry,
)
from judgecore.evaluation.dataset_problem import DatasetProblem, refuse
from judgecore.evaluation.dataset_rating import SCORE, LabelError, LabelScale, find_raters
from judgecore.evaluation.dataset_table import RESPONSE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judgecore.evaluation.dataset_table import Table, TableRow

OBJECTIVE, CATEGORY, DATA_TYPE = "objective", "harm_category", "data_type"


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Which column of a table holds what.

    Attributes:
        response: The column of responses.
        response_b: The column of the responses that they are compared with; None if there is none.
        objective: The column of what they answer; None if there is none.
        raters: The columns of labels; None to find them by their names.
        quality: What raters judged, if it is the same in all rows; None if the column ``harm_category`` says it.
    """

    response: str = RESPONSE
    response_b: str | None = None
    objective: str | None = OBJECTIVE
    raters: tuple[str, ...] | None = None
    quality: str | None = None

    def needed(self, kind: MetricsType) -> tuple[str, ...]:
        """Return the columns that a table must have.

        Args:
            kind: What its labels say.
        """
        if self.quality is not None:
            return (self.response,)
        return (self.response, OBJECTIVE if kind is MetricsType.OBJECTIVE else CATEGORY)


def find_type(table: Table, facts: Mapping[str, str]) -> MetricsType:
    """Tell what a table's labels say, where the caller did not.

    Args:
        table: The table.
        facts: What is known of the data set.

    Returns:
        Harm where a harm definition is named or there is no column ``objective``, else objective.
    """
    is_harm = "harm_definition" in facts or (OBJECTIVE not in table.columns and CATEGORY in table.columns)
    return MetricsType.HARM if is_harm else MetricsType.OBJECTIVE


def read_rows(table: Table, scale: LabelScale, roles: Roles) -> tuple[tuple[str, ...], tuple[HumanLabeledEntry, ...]]:
    """Read the entries of a table.

    Args:
        table: The table.
        scale: How its labels are written.
        roles: Which column holds what.

    Returns:
        The raters' columns, and an entry for each row.

    Raises:
        DatasetError: If anything is missing or wrong; all of it is named.
    """
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
    """Reads row after row, and notes what is wrong.

    Attributes:
        problems: What was wrong so far.
    """

    def __init__(self, table: Table, scale: LabelScale, roles: Roles, raters: tuple[str, ...]) -> None:
        """Read from a table."""
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
        """Read a row; where something is wrong, the entry stands for it until the problems are raised."""
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
        """Give a cell's text."""
        cell = row.cells.get(column)
        if isinstance(cell, str):
            return cell
        if cell is not None:
            self._note(row, column, f"holds {cell!r}, which is no text")
        elif is_needed:
            self._note(row, column, "is empty")
        return None

    def _score(self, row: TableRow, column: str) -> float | None:
        """Give a rater's label."""
        try:
            return self._scale.read(row.cells.get(column))
        except LabelError as problem:
            self._note(row, column, str(problem), problem.cause)
            return None

    def _note(self, row: TableRow, column: str, text: str, cause: str = "") -> None:
        """Note what is wrong with a cell."""
        self.problems.append(DatasetProblem(text, self._source, row.number, row.line, column, cause or text))


def _to_text(cell: Any) -> str:
    """Write a cell of the metadata, the same for every kind of file."""
    return cell if isinstance(cell, str) else json.dumps(cell, sort_keys=True, default=str)
