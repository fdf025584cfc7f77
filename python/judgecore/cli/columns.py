"""Find and read a table's columns: replies, material, and which replies are cut off."""

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

# Default column names, in order of preference.
USUAL_NAMES = ("raw", "reply")

# Limits the column names listed in an error message.
COLUMNS_NAMED = 20

# The finish reason of a reply at its token limit, in the APIs of OpenAI and of Anthropic and Google.
LIMITS = ("length", "max_tokens")

# How tables without a boolean type write true.
TRUTHS = ("true", "1", "yes")


def find_reply_columns(columns: Sequence[str], asked: Sequence[str], *, is_nested: bool = False) -> list[str]:
    """Find the columns that hold the replies: those asked for, else ``raw`` or ``reply``."""
    if asked:
        found = (find_column(columns, one, "--column", is_nested=is_nested) for one in dict.fromkeys(asked))
        return [name or one for name, one in zip(found, dict.fromkeys(asked), strict=True)]
    usual = next((name for name in USUAL_NAMES if name in columns), None)
    if usual is None and columns:
        names = " or ".join(map(repr, USUAL_NAMES))
        raise TableError(f"no column {names}; the columns are {_list(columns)}; name one with --column")
    return [] if usual is None else [find_column(columns, usual, "--column") or usual]


def find_columns(
    job: ParseJob, columns: Sequence[str], *, is_nested: bool = False
) -> tuple[ParseJob, str | None, list[str]]:
    """Return the job with its reply columns, the column of ``--cut`` or None, and those of ``--material``."""
    replies = find_reply_columns(columns, job.columns, is_nested=is_nested)
    cut = job.cut and find_column(columns, job.cut, "--cut", is_nested=is_nested)
    shown = (find_column(columns, one, "--material", is_nested=is_nested) for one in job.material)
    return job.reading(replies), cut, [name for name in shown if name]


def find_column(columns: Sequence[str], asked: str, option: str, *, is_nested: bool = False) -> str | None:
    """Find a column by its name, which may be a path if nested; None if the table has no columns yet."""
    if asked in columns and columns.count(asked) > 1:
        raise TableError(f"{columns.count(asked)} columns are named {asked!r}; rename all but one")
    is_there = asked in columns or (is_nested and "." in asked and asked.split(".", 1)[0] in columns)
    if is_there or not columns:
        return asked if columns else None
    near = difflib.get_close_matches(asked, columns, n=1)
    cure = f"did you mean {option} {shlex.quote(near[0])}?" if near else f"name one with {option}"
    raise TableError(f"no column {asked!r}; the columns are {_list(columns)}; {cure}")


def _list(columns: Sequence[str]) -> str:
    """Format the column names, or the first of many."""
    return ", ".join(map(repr, columns[:COLUMNS_NAMED])) + (", ..." if len(columns) > COLUMNS_NAMED else "")


def take_reply(row: Row, column: str | None) -> str | Malformed | None:
    """Return a row's reply: None if it is null or absent, the rejected row if it is not a string."""
    reply = row.cell(column) if column is not None else None
    if reply is None or isinstance(reply, str):
        return reply
    what = name_json_type(reply)
    return row.reject(f"column {column!r} holds {what}; a reply must be a string or null")


def take_cut(row: Row, column: str | None) -> bool | Malformed:
    """Return whether a row's reply is marked as cut off, by a boolean or a finish reason; null is false."""
    cell = row.cell(column) if column is not None else None
    if cell is None or isinstance(cell, bool):
        return bool(cell)
    if isinstance(cell, str):
        return cell.strip().lower() in (*LIMITS, *TRUTHS)
    if cell in (0, 1):
        return cell == 1
    what = name_json_type(cell)
    return row.reject(f"column {column!r} holds {what}; it must hold true, false or a finish reason")


def take_material(row: Row, columns: Sequence[str]) -> tuple[str | None, ...] | Malformed:
    """Return the texts of a row that the judge was shown; the rejected row if one is not a string."""
    texts: list[str | None] = []
    for column in columns:
        text = row.cell(column)
        if text is not None and not isinstance(text, str):
            what = name_json_type(text)
            return row.reject(f"--material: column {column!r} holds {what}; it must hold a string or null")
        texts.append(text)
    return tuple(texts)


def name_material(problem: ValueError, columns: Sequence[str], rows: Sequence[int]) -> TableError:
    """Convert an error of ``parse_many`` about a material text to one that names the table's row and column."""
    parts = re.fullmatch(r"material\[(\d+)\], row (\d+) (.*)", str(problem))
    if parts is None:
        raise problem
    column, row = columns[int(parts[1])], rows[int(parts[2])]
    return TableError(f"--material: row {row}, column {column!r} {parts[3]}")


def check_texts(column: str, kind: Any, *, what: str = "a reply", option: str = "--column") -> None:
    """Check that an Arrow column has a string type."""
    types = import_arrow("pyarrow", "a table of Parquet or Arrow IPC").types
    held = kind.value_type if types.is_dictionary(kind) else kind
    if not (types.is_string(held) or types.is_large_string(held) or types.is_string_view(held) or types.is_null(held)):
        raise TableError(f"column {column!r} holds {kind}; {what} must be a string or null; name another with {option}")


def take_cuts(column: str, values: Any) -> Any:
    """Return which replies an Arrow column marks as cut off, by the rules of ``take_cut``."""
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
        words = compute.utf8_lower(compute.utf8_trim_whitespace(values.cast(pa.large_string())))
        return compute.is_in(words, pa.array([*LIMITS, *TRUTHS], pa.large_string()))
    raise TableError(f"column {column!r} holds {kind}; it must hold true, false or a finish reason")
