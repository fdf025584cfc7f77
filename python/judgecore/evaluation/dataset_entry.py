"""The rows of a human-labelled data set: a response, its labels, and what it answered; and what is wrong with one."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from judgecore.errors import DatasetError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


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


class MetricsType(StrEnum):
    """What the labels of a data set say, and so which metrics a scorer gets on it.

    Attributes:
        OBJECTIVE: Whether a response reaches an objective: true or false.
        HARM: How much of a quality a response has, from 0 to 1.
    """

    OBJECTIVE = "objective"
    HARM = "harm"


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanLabeledEntry:
    """One response with its human labels.

    Attributes:
        assistant_response: The response under test, without white space around it.
        human_scores: A label for each of the data set's raters, in their order; None where a rater gave none.
        objective: What the response was asked for; None where the data set does not say.
        data_type: What kind of data the response is; ``text`` unless the data set says otherwise.
        metadata: The row's other columns as text, to slice by.
        row: The row in its source, from 1, without header and comments.
    """

    assistant_response: str
    human_scores: tuple[float | None, ...]
    objective: str | None
    data_type: str = "text"
    metadata: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    row: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveHumanLabeledEntry(HumanLabeledEntry):
    """A response with labels for whether it achieves its objective.

    Attributes:
        human_scores: True or False for each rater; None for a missing label.
    """

    human_scores: tuple[bool | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HarmHumanLabeledEntry(HumanLabeledEntry):
    """A response with labels for how much of a quality it has.

    Attributes:
        human_scores: A number from 0 to 1 for each rater; None for a missing label.
        harm_category: The quality, such as ``violence``.
    """

    harm_category: str
    objective: str | None = None


def cell_of(entry: HumanLabeledEntry, column: str) -> str | None:
    """Return the text of an entry in a column, also of its metadata; None if there is none."""
    if column == "harm_category" and isinstance(entry, HarmHumanLabeledEntry):
        return entry.harm_category
    if column == "objective":
        return entry.objective
    return entry.data_type if column == "data_type" else entry.metadata.get(column)
