"""The columns of a table that are read: the judge's replies, and which of them are cut off."""

from __future__ import annotations

import difflib
import re
import shlex
from typing import TYPE_CHECKING, Any

from judgecore.errors import TableError
from judgecore.tables.files import import_arrow
from judgecore.tables.rows import Malformed, Row, name_json_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.cli.job import ParseJob

# The names under which most tables hold the judge's text, the first that is there.
USUAL_NAMES = ("raw", "reply")

# A row of hundreds of columns should not fill the screen when one of them is missing.
COLUMNS_NAMED = 20

# The finish reasons of a reply that reached its limit, as OpenAI and most servers name it, and as Anthropic and Google.
LIMITS = ("length", "max_tokens")

# How tables without a type for booleans write true.
TRUTHS = ("true", "1", "yes")


def find_reply_columns(columns: Sequence[str], asked: Sequence[str], *, is_nested: bool = False) -> list[str]:
    """Find the columns that hold the replies.

    Args:
        columns: The table's columns.
        asked: What the caller says; nothing for ``raw``, else ``reply``.
        is_nested: Whether a name may be a path into a column.

    Returns:
        The columns' names; those that were asked for while there are no columns.

    Raises:
        TableError: If one is not there, or can't be told from another.
    """
    if asked:
        found = (find_column(columns, one, "--column", is_nested=is_nested) for one in dict.fromkeys(asked))
        return [name or one for name, one in zip(found, dict.fromkeys(asked), strict=True)]
    usual = next((name for name in USUAL_NAMES if name in columns), None)
    if usual is None and columns:
        names = " or ".join(map(repr, USUAL_NAMES))
        raise TableError(f"no column {names}; there are {_list(columns)}; name one with --column")
    return [] if usual is None else [find_column(columns, usual, "--column") or usual]


def find_columns(
    job: ParseJob, columns: Sequence[str], *, is_nested: bool = False
) -> tuple[ParseJob, str | None, list[str]]:
    """Find all columns that a job names.

    Args:
        job: What to do.
        columns: The table's columns.
        is_nested: Whether a name may be a path into a column.

    Returns:
        The job with the columns that hold replies, the column that says which are cut off, and those of the material.

    Raises:
        TableError: If one is not there, or can't be told from another.
    """
    replies = find_reply_columns(columns, job.columns, is_nested=is_nested)
    cut = job.cut and find_column(columns, job.cut, "--cut", is_nested=is_nested)
    shown = (find_column(columns, one, "--material", is_nested=is_nested) for one in job.material)
    return job.reading(replies), cut, [name for name in shown if name]


def find_column(columns: Sequence[str], asked: str, option: str, *, is_nested: bool = False) -> str | None:
    """Find a column by its name.

    Args:
        columns: The table's columns.
        asked: The name.
        option: The option that names it.
        is_nested: Whether it may be a path into a column, such as ``output.judge``.

    Returns:
        The name, or None while there are no columns.

    Raises:
        TableError: If it is not there, or can't be told from another.
    """
    if asked in columns and columns.count(asked) > 1:
        raise TableError(f"{columns.count(asked)} columns are named {asked!r}; rename all but one")
    is_there = asked in columns or (is_nested and "." in asked and asked.split(".", 1)[0] in columns)
    if is_there or not columns:
        return asked if columns else None
    near = difflib.get_close_matches(asked, columns, n=1)
    cure = f"did you mean {option} {shlex.quote(near[0])}?" if near else f"name one with {option}"
    raise TableError(f"no column {asked!r}; there are {_list(columns)}; {cure}")


def _list(columns: Sequence[str]) -> str:
    """Name the columns that there are, or the first of many."""
    return ", ".join(map(repr, columns[:COLUMNS_NAMED])) + (", ..." if len(columns) > COLUMNS_NAMED else "")


def take_reply(row: Row, column: str | None) -> str | Malformed | None:
    """Take the reply out of a row.

    Args:
        row: The row.
        column: The column that holds the replies.

    Returns:
        Its text; None where it is null or absent; what is wrong where it is no text.
    """
    reply = row.cell(column) if column is not None else None
    if reply is None or isinstance(reply, str):
        return reply
    what = name_json_type(reply)
    return row.reject(f"column {column!r} holds {what}; a reply must be a string or null")


def take_cut(row: Row, column: str | None) -> bool | Malformed:
    """Take out of a row whether its reply is known to be cut off.

    Args:
        row: The row.
        column: The column that says so.

    Returns:
        The boolean, or whether the finish reason is that of a limit; False where it is null or absent; what is wrong
        where it is neither.
    """
    said = row.cell(column) if column is not None else None
    if said is None or isinstance(said, bool):
        return bool(said)
    if isinstance(said, str):
        return said.strip().lower() in (*LIMITS, *TRUTHS)
    if said in (0, 1):
        return said == 1
    what = name_json_type(said)
    return row.reject(f"column {column!r} holds {what}; it must hold true, false or a finish reason")


def take_material(row: Row, columns: Sequence[str]) -> tuple[str | None, ...] | Malformed:
    """Take out of a row the texts that the judge was shown.

    Args:
        row: The row.
        columns: The columns that hold them.

    Returns:
        The text of each; None where it is null or absent; what is wrong where one is no text.
    """
    texts: list[str | None] = []
    for column in columns:
        text = row.cell(column)
        if text is not None and not isinstance(text, str):
            what = name_json_type(text)
            return row.reject(f"--material: column {column!r} holds {what}; it must hold a string or null")
        texts.append(text)
    return tuple(texts)


def name_material(problem: ValueError, columns: Sequence[str], rows: Sequence[int]) -> TableError:
    """Say in the table's own terms what ``parse_many`` says of a text that the judge was shown.

    Args:
        problem: What it says: such a text is too long, or not UTF-8.
        columns: The columns that hold the texts.
        rows: The number of each row in the table.

    Raises:
        ValueError: As it is, if it says something else.
    """
    said = re.fullmatch(r"material\[(\d+)\], row (\d+) (.*)", str(problem))
    if said is None:
        raise problem
    column, row = columns[int(said[1])], rows[int(said[2])]
    return TableError(f"--material: row {row}, column {column!r} {said[3]}")


def check_texts(column: str, kind: Any, *, what: str = "a reply", option: str = "--column") -> None:
    """See that a column of Arrow can hold texts.

    Args:
        column: Its name.
        kind: Its type, of pyarrow.
        what: What a text of it is.
        option: The option that names it.

    Raises:
        TableError: If it holds no text.
    """
    types = import_arrow("pyarrow", "a table of Parquet or Arrow IPC").types
    held = kind.value_type if types.is_dictionary(kind) else kind
    if not (types.is_string(held) or types.is_large_string(held) or types.is_string_view(held) or types.is_null(held)):
        raise TableError(f"column {column!r} holds {kind}; {what} must be a string or null; name another with {option}")


def take_cuts(column: str, values: Any) -> Any:
    """Take out of a column of Arrow which replies are known to be cut off.

    Args:
        column: Its name.
        values: The column, of pyarrow.

    Returns:
        A column of booleans, by the rules of ``take_cut``.

    Raises:
        TableError: If it holds neither booleans nor finish reasons.
    """
    pa = import_arrow("pyarrow", "a table of Parquet or Arrow IPC")
    compute = import_arrow("pyarrow.compute", "a table of Parquet or Arrow IPC")
    kind = values.type
    if pa.types.is_dictionary(kind):
        values = values.cast(kind.value_type)
        kind = kind.value_type
    if pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return values.cast(pa.bool_())
    if (
        pa.types.is_integer(kind)
        and compute.all(compute.is_in(values, pa.array([0, 1, None], kind))).as_py() is not False
    ):
        return values.cast(pa.bool_())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        said = compute.utf8_lower(compute.utf8_trim_whitespace(values.cast(pa.large_string())))
        return compute.is_in(said, pa.array([*LIMITS, *TRUTHS], pa.large_string()))
    raise TableError(f"column {column!r} holds {kind}; it must hold true, false or a finish reason")
