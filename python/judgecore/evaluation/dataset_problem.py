"""What is wrong with a data set, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from judgecore.errors import DatasetError

if TYPE_CHECKING:
    from collections.abc import Sequence

# A file in the wrong scale has a problem in every cell; all of them are kept, and so many are written out.
PROBLEMS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class DatasetProblem:
    """One thing that is wrong with a data set.

    Attributes:
        text: What is wrong, and the cure.
        source: The file's name, or what stands for it.
        row: The row, from 1, without header and comments; None where it concerns no row.
        line: The line of the file on which the row begins, from 1; None where there are no lines.
        column: The column; None where it concerns the whole row or file.
    """

    text: str
    source: str
    row: int | None = None
    line: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        """Name the place and what is wrong there."""
        where = [self.source]
        if self.row is not None:
            where.append(f"row {self.row}" + ("" if self.line is None else f" (line {self.line})"))
        elif self.line is not None:
            where.append(f"line {self.line}")
        if self.column is not None:
            where.append(f"column {self.column!r}")
        return f"{', '.join(where)}: {self.text}"


def refuse(problems: Sequence[DatasetProblem]) -> DatasetError:
    """Make the exception that names problems.

    Args:
        problems: At least one.

    Returns:
        The exception, with all of them in ``problems`` and the first 20 in its message.
    """
    shown = [str(problem) for problem in problems[:PROBLEMS_SHOWN]]
    if len(problems) > PROBLEMS_SHOWN:
        shown.append(f"... and {len(problems) - PROBLEMS_SHOWN} more")
    error = DatasetError("\n".join(shown))
    error.problems = tuple(problems)
    return error
