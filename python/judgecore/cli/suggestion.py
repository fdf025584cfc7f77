"""Suggest the likely format of replies, and the command that reads them."""

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

# More names than this are replaced by their number.
NAMED = 4


def find_likely(found: Sequence[Detected]) -> list[Detected]:
    """Return the detected formats of rank 1; empty if none fits."""
    return [one for one in found if one.rank == 1 and one.fits]


def list_names(names: Sequence[str], word: str = "and") -> str:
    """Join names for use in a sentence; of more than four, the rest is only counted."""
    if len(names) > NAMED:
        names = [*names[:NAMED], f"{len(names) - NAMED} more"]
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def make_command(file: str, format_: str, *, columns: Sequence[str], table: TableOptions) -> str:
    """Return the command that reads a file."""
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
    """Suggest a format in one line for replies that another did not read; None if none fits better."""
    likely = find_likely(detect(sample))
    if not likely or any(one.format.id == tried for one in likely):
        return None
    best = likely[0].format.id
    others = [one.format.id for one in likely[1:]]
    equals = f"; {list_names(others)} fit{'s' if len(others) == 1 else ''} as well" if others else ""
    return f"the format is probably {best}: {make_command(file, best, columns=columns, table=table)}{equals}"
