"""What the pages of evaluations and of comparisons share: items, filters and matrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from judgecore.reports.levels import NO_SCORE
from judgecore.reports.measures import find_evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from judgecore.evaluation import ItemResult, ItemTrial
    from judgecore.reports.levels import Levels

NO_GROUP: Final = "(none)"
_SHADES: Final = 6


@dataclass(frozen=True)
class MatrixCell:
    """One cell of a matrix of pairs."""

    text: str
    kind: str


@dataclass(frozen=True)
class MatrixRow:
    """One row of a matrix of pairs."""

    name: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True)
class Matrix:
    """A number for each pair, and what it is."""

    names: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    about: str


@dataclass(frozen=True)
class FilterField:
    """One select of a filter form."""

    name: str
    label: str
    options: tuple[str, ...]


def shade(count: float, most: float) -> str:
    """Return the class that colours a cell of a heat map; a cell without a count has none."""
    return f"h{max(1, round(count / most * _SHADES))}" if count > 0 else ""


def matrix(names: Sequence[str], values: Sequence[Sequence[float | None]], about: str) -> Matrix:
    """Return a matrix of numbers up to 1, coloured by them, with an empty diagonal; None where there is none."""
    rows = tuple(
        MatrixRow(
            name,
            tuple(
                MatrixCell("" if place == nth else "–", "total")
                if value is None
                else MatrixCell(f"{value:.2f}", shade(value, 1.0))
                for nth, value in enumerate(row)
            ),
        )
        for place, (name, row) in enumerate(zip(names, values, strict=True))
    )
    return Matrix(tuple(names), rows, about)


def column_of(values: Iterable[float | None]) -> npt.NDArray[np.float64]:
    """Return numbers as an array, with NaN for None."""
    return np.array([np.nan if one is None else one for one in values])


def options_of(values: Iterable[str]) -> tuple[str, ...]:
    """Return the different values in order."""
    return tuple(sorted(set(values)))


def group_fields(columns: Sequence[str], items: Sequence[ItemResult]) -> tuple[FilterField, ...]:
    """Return a select for each column of groups."""
    return tuple(
        FilterField(f"g{place}", column, options_of(group_of(item, column) for item in items))
        for place, column in enumerate(columns)
    )


def group_of(item: ItemResult, column: str) -> str:
    """Return an item's value of a column of groups; a select has no option for an empty one."""
    return item.metadata.get(column) or NO_GROUP


def item_functions(levels: Levels) -> dict[str, Any]:
    """Return the functions by which templates show an item: labels, scores and evidence."""
    return {
        "group_of": group_of,
        "labels": partial(_labels, levels),
        "score_of": partial(_score_of, levels),
        "trial_score": partial(_trial_score, levels),
        "evidence": partial(_evidence, levels),
    }


def _value(levels: Levels, value: float) -> str:
    if not levels.is_scale:
        return "true" if value else "false"
    return levels.write(levels.to_units(value), digits=3)


def _labels(levels: Levels, item: ItemResult) -> str:
    return ", ".join("–" if one is None else _value(levels, one) for one in item.human)


def _score_of(levels: Levels, item: ItemResult) -> str:
    return NO_SCORE if item.model is None else _value(levels, item.model)


def _trial_score(levels: Levels, trial: ItemTrial) -> str:
    return f"{NO_SCORE}, {trial.reason}" if trial.value is None else _value(levels, trial.value)


def _evidence(levels: Levels, trial: ItemTrial) -> tuple[int, int] | None:
    value: object = trial.value
    if trial.value is not None:
        value = levels.to_units(trial.value) if levels.is_scale else bool(trial.value)
    return find_evidence(trial.reply or "", trial.span, value)
