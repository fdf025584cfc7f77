"""The entries in a table: each row checked, every problem named."""

from __future__ import annotations

import json
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


def read_rows(table: Table, scale: LabelScale) -> tuple[tuple[str, ...], tuple[HumanLabeledEntry, ...]]:
    """Read the entries of a table.

    Args:
        table: The table.
        scale: How its labels are written.

    Returns:
        The raters' columns, and an entry for each row.

    Raises:
        DatasetError: If anything is missing or wrong; all of it is named.
    """
    needed = (RESPONSE, OBJECTIVE if scale.metrics_type is MetricsType.OBJECTIVE else CATEGORY)
    listed = ", ".join(map(repr, table.columns)) or "none"
    problems = [
        DatasetProblem(f"the column is missing; there are {listed}", table.source, column=name)
        for name in needed
        if name not in table.columns
    ]
    raters = find_raters(table, scale)
    if not raters:
        text = f"no column holds labels; raters are {SCORE}, {SCORE}_1 or {SCORE}_<name>, and there are {listed}"
        problems.append(DatasetProblem(text, table.source))
    if not table.rows:
        problems = [DatasetProblem("holds no rows", table.source)]
    if problems:
        raise refuse(problems)
    reader = _RowReader(table, scale, raters)
    entries = tuple(reader.read(row) for row in table.rows)
    if reader.problems:
        raise refuse(reader.problems)
    return raters, entries


class _RowReader:
    """Reads row after row, and notes what is wrong.

    Attributes:
        problems: What was wrong so far.
    """

    def __init__(self, table: Table, scale: LabelScale, raters: tuple[str, ...]) -> None:
        """Read from a table."""
        self._source = table.source
        self._scale = scale
        self._raters = raters
        known = {RESPONSE, OBJECTIVE, DATA_TYPE, *raters}
        if scale.metrics_type is MetricsType.HARM:
            known.add(CATEGORY)
        self._others = tuple(name for name in table.columns if name not in known)
        self.problems: list[DatasetProblem] = []

    def read(self, row: TableRow) -> HumanLabeledEntry:
        """Read a row; where something is wrong, the entry stands for it until the problems are raised."""
        is_objective = self._scale.metrics_type is MetricsType.OBJECTIVE
        response = self._text(row, RESPONSE, is_needed=True) or ""
        objective = self._text(row, OBJECTIVE, is_needed=is_objective)
        data_type = self._text(row, DATA_TYPE, is_needed=False) or "text"
        metadata = {name: _to_text(cell) for name in self._others if (cell := row.cells.get(name)) is not None}
        scores = tuple(self._score(row, rater) for rater in self._raters)
        if is_objective:
            return ObjectiveHumanLabeledEntry(
                assistant_response=response,
                human_scores=tuple(None if score is None else bool(score) for score in scores),
                objective=objective or "",
                data_type=data_type,
                metadata=metadata,
                row=row.number,
            )
        return HarmHumanLabeledEntry(
            assistant_response=response,
            human_scores=scores,
            harm_category=self._text(row, CATEGORY, is_needed=True) or "",
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
            self._note(row, column, str(problem))
            return None

    def _note(self, row: TableRow, column: str, text: str) -> None:
        """Note what is wrong with a cell."""
        self.problems.append(DatasetProblem(text, self._source, row.number, row.line, column))


def _to_text(cell: Any) -> str:
    """Write a cell of the metadata, the same for every kind of file."""
    return cell if isinstance(cell, str) else json.dumps(cell, sort_keys=True, default=str)
