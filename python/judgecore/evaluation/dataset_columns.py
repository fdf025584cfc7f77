"""The roles of columns with any name, and the scale of their ratings."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypedDict

from judgecore.errors import ColumnsNeededError, DatasetError
from judgecore.evaluation.dataset_entry import DatasetProblem, MetricsType, refuse
from judgecore.evaluation.dataset_rows import OBJECTIVE, TRUTHS, LabelScale, Roles, to_key
from judgecore.prompts.criteria import plain_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from judgecore.evaluation.dataset_entry import HumanLabeledEntry
    from judgecore.evaluation.dataset_table import Table

BOOLEANS: Final[dict[str, float]] = {**TRUTHS, "yes": 1.0, "no": 0.0}

# A column with more distinct values than this is neither a group nor a rating.
_FEW = 20
_CERTAIN_NAMES: Final = ("response", "answer", "output", "completion", "assistant_response", "reply", "text")


class ColumnOptions(TypedDict, total=False):
    """The roles of a table's columns.

    Attributes:
        response: The column of the responses under test.
        human: The column of each rater; one column, if each row is one rating.
        scale: The lowest and the highest rating of the scale that raters used, such as ``(1, 5)``.
        objective: The column of the requests that were answered; by default ``objective``, if there is one.
        item: The column that identifies what was rated, if each row is one rating.
        rater: The column that names the rater of each row; if None, the ratings of an item are counted.
        true: The labels that mean true, if ratings are categories; all others mean false.
        prefer: The columns of two responses, instead of ``response``; ratings name the better column, ``a``, ``b`` or
            ``tie``.
    """

    response: str | None
    human: str | Sequence[str]
    scale: tuple[float, float] | None
    objective: str | None
    item: str | None
    rater: str | None
    true: Sequence[str]
    prefer: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class ColumnContent:
    """A summary of a column's values."""

    name: str
    numbers: tuple[float, ...]
    words: tuple[str, ...]
    missing: int
    length: float

    @property
    def is_rating(self) -> bool:
        """Whether the column has few distinct numbers, or booleans."""
        return 1 < len(self.numbers) <= _FEW or self.is_boolean

    @property
    def is_boolean(self) -> bool:
        """Whether all values are booleans, as words or as 0 and 1."""
        if self.numbers:
            return set(self.numbers) <= {0.0, 1.0}
        return bool(self.words) and {one.lower() for one in self.words} <= BOOLEANS.keys()

    def __str__(self) -> str:
        """Describe the values in a few words."""
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
    """Summarize a column."""
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
    """Determine the roles of the columns and the scale of the ratings; one message asks for all that is missing."""
    if not table.rows:
        raise refuse([DatasetProblem("holds no rows", table.source)])
    prefer, scale = options.get("prefer"), options.get("scale")
    response = options.get("response") or (prefer[0] if prefer else None)
    human = _human(options)
    contents = {name: describe_column(table, name) for name in table.columns}
    named = (response, *(prefer or ()), *human, *(options.get(name) for name in ("objective", "item", "rater")))
    unknown = [name for name in dict.fromkeys(named) if isinstance(name, str) and name not in contents]
    missing = [name for name, value in (("response", response), ("human", human)) if not value]
    if options.get("rater") and not options.get("item"):
        missing.append("item")
    objective = options.get("objective") or (OBJECTIVE if OBJECTIVE in contents else None)
    if prefer and objective is None:
        missing.append("objective")
    labels = dict.fromkeys(
        to_key(cell) for row in table.rows for name in human if (cell := row.cells.get(name)) is not None
    )
    words, is_objective = _words(labels, options)
    is_unrated = bool(human) and not labels and not unknown
    if scale is None and words is None and not is_unrated:
        is_number = all(contents[name].numbers for name in human if name in contents)
        missing.append("scale" if is_number else "true")
    problems = [f"no column {name!r}{_nearest(name, contents)}" for name in unknown]
    problems += [f"column {name!r} is named twice as a rater" for name in dict.fromkeys(human) if human.count(name) > 1]
    if is_unrated:
        problems.append(f"no row has a rating in {' or '.join(map(repr, dict.fromkeys(human)))}")
    true = options.get("true") or ()
    if labels and true and not any(to_key(one) in labels for one in true):
        problems.append(f"no rating is {' or '.join(map(repr, true))}")
    strange = [label for label in labels if prefer and words and label not in words]
    if strange:
        known = f"{prefer[0]!r}, {prefer[1]!r}, 'a', 'b' or 'tie'" if prefer else ""
        problems.append(f"{', '.join(map(repr, strange[:4]))} is no preference; a preference is {known}")
    if problems or missing:
        raise _ask(table.source, contents, options, problems, missing)
    roles = Roles(
        response=response or "",
        response_b=prefer[1] if prefer else None,
        objective=objective,
        raters=human,
        quality=quality,
    )
    kind = MetricsType.OBJECTIVE if is_objective else MetricsType.HARM
    return roles, LabelScale(kind, scale, table.decimal, words or TRUTHS)


def _human(options: ColumnOptions) -> tuple[str, ...]:
    given = options.get("human", ())
    return (given,) if isinstance(given, str) else tuple(given)


def _words(labels: Iterable[str], options: ColumnOptions) -> tuple[Mapping[str, float] | None, bool]:
    """Return the numbers of word labels, and whether they mean true and false; None if they are unknown."""
    if prefer := options.get("prefer"):
        sides = ((prefer[0], 1.0), (prefer[1], 0.0), ("a", 1.0), ("b", 0.0), ("tie", 0.5))
        return {to_key(name): value for name, value in reversed(sides)}, False
    if options.get("scale") is not None:
        return TRUTHS, False
    if true := {to_key(one) for one in options.get("true") or ()}:
        return {one: float(one in true) for one in (*labels, *true)}, True
    found = set(labels)
    if found and found <= {"0", "1", *BOOLEANS}:
        return BOOLEANS, True
    is_normalized = bool(found) and all(re.fullmatch(r"0(?:[.,]\d+)?|1(?:[.,]0+)?", one) for one in found)
    return (TRUTHS if is_normalized else None), False


def _ask(
    source: str,
    contents: Mapping[str, ColumnContent],
    options: ColumnOptions,
    problems: Sequence[str],
    missing: Sequence[str],
) -> DatasetError:
    """Make the error that lists everything that is missing, with a suggestion."""
    suggested: dict[str, Any] = {}
    rating = [one for one in contents.values() if one.is_rating]
    response = options.get("response")
    if "response" in missing or (response is not None and response not in contents):
        texts = sorted((one for one in contents.values() if not one.numbers), key=lambda one: -one.length)
        usual = [one for name in _CERTAIN_NAMES for one in texts if one.name.lower() == name]
        suggested["response"] = next((one.name for one in (*usual, *texts)), None)
    human = _human(options)
    named = [contents[name] for name in human if name in contents]
    if "human" in missing or len(named) < len(human):
        suggested["human"] = [one.name for one in named or rating]
    if "scale" in missing:
        numbers = [number for one in named or rating for number in one.numbers]
        suggested["scale"] = (plain_number(min(numbers)), plain_number(max(numbers))) if numbers else None
    if "true" in missing:
        suggested["true"] = [word for one in named for word in one.words][:1]
    if "item" in missing:
        suggested["item"] = response
    if "objective" in missing:
        used = {*human, *(options.get("prefer") or ())}
        suggested["objective"] = next(
            (one.name for one in contents.values() if one.words and one.name not in used), None
        )
    error = ColumnsNeededError(source)
    error.source, error.problems, error.missing = source, tuple(problems), tuple(missing)
    error.columns = {name: str(one) for name, one in contents.items()}
    error.suggested = {name: value for name, value in suggested.items() if value}
    return error


def _nearest(name: str, columns: Mapping[str, object]) -> str:
    near = difflib.get_close_matches(name, columns, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def merge_items(
    source: str, entries: Sequence[HumanLabeledEntry], raters: Sequence[str], roles: Roles, options: ColumnOptions
) -> tuple[tuple[str, ...], tuple[HumanLabeledEntry, ...]]:
    """Merge rows that are ratings of one item; return the raters, and an entry for each item, in order.

    Without rater names, the n-th ratings of all items are one rater. Rows of one item must have the same response, and
    a rater must not rate an item twice.
    """
    item, rater = options.get("item") or "", options.get("rater")
    problems: list[DatasetProblem] = []
    groups: dict[str, list[HumanLabeledEntry]] = {}
    for entry in entries:
        key = entry.assistant_response if item == roles.response else entry.metadata.get(item)
        if key is None:
            problems.append(DatasetProblem("is empty", source, entry.row, column=item))
        groups.setdefault(key or "", []).append(entry)
    scores: list[dict[str, float | None]] = []
    for key, group in groups.items():
        given: dict[str, float | None] = {}
        for number, entry in enumerate(group, 1):
            if entry.assistant_response != group[0].assistant_response:
                cause = "has another response than the first row of its item"
                problems.append(
                    DatasetProblem(f"{cause} {key!r}", source, entry.row, column=roles.response, cause=cause)
                )
            name = f"rating {number}" if rater is None else entry.metadata.get(rater, "unnamed")
            names = [name] if len(raters) == 1 else [f"{name}, {one}" for one in raters]
            if rater is not None and names[0] in given:
                cause = "rates an item that this rater has already rated"
                problems.append(DatasetProblem(f"{name!r} {cause}", source, entry.row, column=rater, cause=cause))
            given.update(zip(names, entry.human_scores, strict=True))
        scores.append(given)
    if problems:
        raise refuse(problems)
    names = tuple(dict.fromkeys(name for given in scores for name in given))
    merged = tuple(
        replace(
            group[0],
            human_scores=tuple(given.get(name) for name in names),
            metadata={name: cell for name, cell in group[0].metadata.items() if name != rater},
        )
        for group, given in zip(groups.values(), scores, strict=True)
    )
    return names, merged
