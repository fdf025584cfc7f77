"""Suggestions: which format replies are likely written in, and the command that reads them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from judgecore.detecting import detect
from judgecore.tables.text import LONGEST_RECORD
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.detecting import Detected
    from judgecore.tables.opening import TableOptions

# Of formats that read alike so many are named; the others are counted.
NAMED = 4


def find_likely(found: Sequence[Detected]) -> list[Detected]:
    """Choose the formats that fit best.

    Args:
        found: What was detected, best first.

    Returns:
        The first format and those that can't be told from it; empty if none fits.
    """
    return [one for one in found if one.rank == 1 and one.fits]


def list_names(names: Sequence[str], word: str = "and") -> str:
    """List names in a sentence, or the first of many.

    Args:
        names: At least one.
        word: What stands before the last.
    """
    if len(names) > NAMED:
        names = [*names[:NAMED], f"{len(names) - NAMED} more"]
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def make_command(file: str, format_: str, *, columns: Sequence[str], table: TableOptions) -> str:
    """Write the command that reads a file.

    Args:
        file: Its name.
        format_: The format's id, or its file.
        columns: The columns that hold the replies, as far as they were named.
        table: What was said of the table.

    Returns:
        The command, quoted for a shell.
    """
    options = [
        ("--format", format_),
        *(("--column", column) for column in columns),
        ("--input-format", table.kind),
        ("--delimiter", table.delimiter and table.delimiter.replace("\t", r"\t")),
        ("--encoding", table.encoding),
        ("--max-record-bytes", None if table.longest == LONGEST_RECORD else str(table.longest)),
    ]
    words = ["judgecore", "parse", file, *(word for name, value in options if value for word in (name, value))]
    return escape_controls(shlex.join(words))


def suggest_format(
    sample: Sequence[str], file: str, *, tried: str, columns: Sequence[str], table: TableOptions
) -> str | None:
    """Say which format would read replies that another did not.

    Args:
        sample: Replies that hold text.
        file: The file that they stand in.
        tried: The id of the format that was tried.
        columns: As ``make_command`` takes them.
        table: As ``make_command`` takes it.

    Returns:
        A line for people; None if no format fits, or none better than the one that was tried.
    """
    likely = find_likely(detect(sample))
    if not likely or any(one.format.id == tried for one in likely):
        return None
    best = likely[0].format.id
    others = [one.format.id for one in likely[1:]]
    equals = f"; {list_names(others)} fit{'s' if len(others) == 1 else ''} as well" if others else ""
    return f"these look like {best}: {make_command(file, best, columns=columns, table=table)}{equals}"
