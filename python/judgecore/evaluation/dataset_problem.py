"""Problems of a data set, with their positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from judgecore.errors import DatasetError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A file can have a problem in every cell; all of them are kept, and so many causes and rows are written out.
PROBLEMS_SHOWN = 20
ROWS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class DatasetProblem:
    """A problem of a data set.

    Attributes:
        text: The problem and its fix.
        source: The file's name, or the name of the records.
        row: The number of the row, from 1, without header and comments; None for the whole file.
        line: The line at which the row begins, from 1; None for binary files and records.
        column: The column; None for the whole row or file.
        cause: The key by which problems are grouped; by default the text.
    """

    text: str
    source: str
    row: int | None = None
    line: int | None = None
    column: str | None = None
    cause: str = ""

    def __str__(self) -> str:
        """Format the position and the problem."""
        where = [self.source]
        if self.row is not None:
            where.append(f"row {self.row}" + ("" if self.line is None else f" (line {self.line})"))
        elif self.line is not None:
            where.append(f"line {self.line}")
        if self.column is not None:
            where.append(f"column {self.column!r}")
        return f"{', '.join(where)}: {self.text}"


def refuse(problems: Sequence[DatasetProblem]) -> DatasetError:
    """Make the exception for problems; its message has a line for each of at most 20 causes."""
    error = DatasetError("\n".join(summarize(problems)))
    error.problems = tuple(problems)
    return error


def summarize(problems: Iterable[DatasetProblem]) -> list[str]:
    """Return a line for each of at most 20 causes: its first problem, and the rows of the others."""
    causes: dict[str, list[DatasetProblem]] = {}
    for problem in problems:
        causes.setdefault(problem.cause or problem.text, []).append(problem)
    shown = [_summarize_cause(ones) for ones in list(causes.values())[:PROBLEMS_SHOWN]]
    if len(causes) > PROBLEMS_SHOWN:
        shown.append(f"... and {len(causes) - PROBLEMS_SHOWN} more")
    return shown


def _summarize_cause(problems: Sequence[DatasetProblem]) -> str:
    """Format the first problem of a cause, and the rows of the others."""
    others = problems[1:]
    if not others:
        return str(problems[0])
    rows = list(dict.fromkeys(one.row for one in others if one.row is not None))
    columns = list(dict.fromkeys(one.column for one in others if one.column not in (None, problems[0].column)))
    where = f" in row{'s' * (len(rows) > 1)} {', '.join(map(str, rows[:ROWS_SHOWN]))}" if rows else ""
    where += ", ..." if len(rows) > ROWS_SHOWN else ""
    where += f", also of column {', '.join(map(repr, columns))}" if columns else ""
    return f"{problems[0]} (and {len(others):,} more{where})"
