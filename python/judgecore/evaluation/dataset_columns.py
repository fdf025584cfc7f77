"""Tables with columns of any name: which of them hold responses and ratings, and how the ratings are written."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypedDict

from judgecore.errors import ColumnsNeededError, DatasetError
from judgecore.evaluation.dataset_entry import MetricsType
from judgecore.evaluation.dataset_problem import DatasetProblem, refuse
from judgecore.evaluation.dataset_rating import TRUTHS, LabelScale
from judgecore.evaluation.dataset_rows import OBJECTIVE, Roles
from judgecore.prompts import plain_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from judgecore.evaluation.dataset_table import Table

BOOLEANS: Final[dict[str, float]] = {**TRUTHS, "yes": 1.0, "no": 0.0}

# A column with more values than this is no group and no rating.
_FEW = 20
_CERTAIN_NAMES: Final = ("response", "answer", "output", "completion", "assistant_response", "reply", "text")


class ColumnOptions(TypedDict, total=False):
    """What a caller says about a table's columns.

    Attributes:
        response: The column of the responses under test.
        human: The column of each rater; one column, if each row is one rating.
        scale: The lowest and the highest rating of the scale that raters used, such as ``(1, 5)``.
        objective: The column of the requests that were answered; by default ``objective``, if there is one.
    """

    response: str | None
    human: str | Sequence[str]
    scale: tuple[float, float] | None
    objective: str | None


@dataclass(frozen=True, slots=True)
class ColumnContent:
    """What a column holds.

    Attributes:
        name: Its name.
        numbers: Its distinct numbers in ascending order; empty if a cell holds anything else.
        words: Its distinct texts in order of occurrence, at most 21.
        missing: The number of rows without a value.
        length: The mean number of characters of its texts.
    """

    name: str
    numbers: tuple[float, ...]
    words: tuple[str, ...]
    missing: int
    length: float

    @property
    def is_rating(self) -> bool:
        """Whether it holds few different numbers, or booleans."""
        return 1 < len(self.numbers) <= _FEW or self.is_boolean

    @property
    def is_boolean(self) -> bool:
        """Whether it holds nothing but booleans, in words or as 0 and 1."""
        if self.numbers:
            return set(self.numbers) <= {0.0, 1.0}
        return bool(self.words) and {one.lower() for one in self.words} <= BOOLEANS.keys()

    def __str__(self) -> str:
        """Describe it in a few words."""
        if self.numbers:
            kind = "whole numbers" if all(one.is_integer() for one in self.numbers) else "numbers"
            about = f"{kind} from {self.numbers[0]:g} to {self.numbers[-1]:g}"
        elif len(self.words) > _FEW:
            about = f"texts of {self.length:,.0f} characters on average"
        else:
            about = " or ".join(repr(one[:20]) for one in self.words[:4]) or "nothing"
            about += f" or {len(self.words) - 4} more" if len(self.words) > 4 else ""  # noqa: PLR2004 - those shown
        return about + (f", {self.missing:,} missing" if self.missing else "")


def describe_column(table: Table, name: str) -> ColumnContent:
    """Describe a column by its cells.

    Args:
        table: The table.
        name: The column.
    """
    scale = LabelScale(MetricsType.HARM, decimal=table.decimal)
    filled = [cell for row in table.rows if (cell := row.cells.get(name)) is not None]
    texts = [cell if isinstance(cell, str) else str(cell) for cell in filled]
    found = [None if str(cell).lower() in TRUTHS else scale.to_number(cell) for cell in filled]
    numbers = sorted({one for one in found if one is not None}) if None not in found else []
    return ColumnContent(
        name=name,
        numbers=tuple(numbers),
        words=() if numbers else tuple(dict.fromkeys(texts))[: _FEW + 1],
        missing=len(table.rows) - len(filled),
        length=sum(map(len, texts)) / max(len(texts), 1),
    )


def settle_columns(table: Table, options: ColumnOptions, quality: str) -> tuple[Roles, LabelScale]:
    """Find out what each column holds, and how ratings are written.

    Args:
        table: The table.
        options: What the caller says.
        quality: The name of what raters judged.

    Returns:
        The columns by role, and the scale of the ratings.

    Raises:
        ColumnsNeededError: If something must be said that the caller didn't; its message has everything in one piece.
        DatasetError: If the table has no rows.
    """
    if not table.rows:
        raise refuse([DatasetProblem("holds no rows", table.source)])
    response, scale = options.get("response"), options.get("scale")
    given = options.get("human", ())
    human = (given,) if isinstance(given, str) else tuple(given)
    contents = {name: describe_column(table, name) for name in table.columns}
    ratings = [contents[name] for name in human if name in contents]
    unknown = [name for name in (response, options.get("objective"), *human) if name and name not in contents]
    missing = [name for name, value in (("response", response), ("human", human)) if not value]
    numbers = sorted({number for one in ratings for number in one.numbers})
    is_boolean = bool(ratings) and all(one.is_boolean for one in ratings)
    if scale is None and not is_boolean and (not ratings or numbers[-1:] > [1.0] or numbers[:1] < [0.0]):
        missing.append("scale")
    if unknown or missing:
        raise _ask(table.source, contents, options, unknown, missing)
    is_objective = scale is None and is_boolean
    objective = options.get("objective") or (OBJECTIVE if OBJECTIVE in contents else None)
    roles = Roles(response=response or "", objective=objective, raters=human, quality=quality)
    kind = MetricsType.OBJECTIVE if is_objective else MetricsType.HARM
    return roles, LabelScale(kind, scale, table.decimal, BOOLEANS if is_objective else TRUTHS)


def _ask(
    source: str,
    contents: Mapping[str, ColumnContent],
    options: ColumnOptions,
    unknown: Sequence[str],
    missing: Sequence[str],
) -> DatasetError:
    """Make the error that asks for everything at once, with a suggestion."""
    problems = [f"no column {name!r}{_nearest(name, contents)}" for name in unknown]
    suggested: dict[str, Any] = {}
    rating = [one for one in contents.values() if one.is_rating]
    if "response" in missing or options.get("response") in unknown:
        texts = sorted((one for one in contents.values() if not one.numbers), key=lambda one: -one.length)
        usual = [one for name in _CERTAIN_NAMES for one in texts if one.name.lower() == name]
        suggested["response"] = next((one.name for one in (*usual, *texts)), None)
    human = options.get("human", ())
    named = [contents[name] for name in ([human] if isinstance(human, str) else human) if name in contents]
    if "human" in missing or len(named) < len([human] if isinstance(human, str) else human):
        suggested["human"] = [one.name for one in named or rating]
    if "scale" in missing:
        numbers = [number for one in named or rating for number in one.numbers]
        suggested["scale"] = (plain_number(min(numbers)), plain_number(max(numbers))) if numbers else None
    error = ColumnsNeededError(source)
    error.source, error.problems, error.missing = source, tuple(problems), tuple(missing)
    error.columns = {name: str(one) for name, one in contents.items()}
    error.suggested = {name: value for name, value in suggested.items() if value}
    return error


def _nearest(name: str, columns: Mapping[str, object]) -> str:
    """Suggest the nearest column."""
    near = difflib.get_close_matches(name, columns, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
