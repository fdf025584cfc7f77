"""Options that several commands share: formats, limits on unread replies, and how a table is read."""

from __future__ import annotations

import math
import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from judgecore.errors import FormatError
from judgecore.reading import Format, Mode, extract_json_many, to_format
from judgecore.tables.opening import TableOptions
from judgecore.tables.text import LONGEST_RECORD
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from judgecore.tables.files import Kind

_Result = TypeVar("_Result")

SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True)
class Allowance:
    """The limit on unread replies."""

    limit: float = math.inf
    is_percentage: bool = False

    def permits(self, unread: int, total: int) -> bool:
        """Return whether a number of unread replies is within the limit."""
        return unread * 100 <= self.limit * total if self.is_percentage else unread <= self.limit

    def __str__(self) -> str:
        return f"{self.limit:g}%" if self.is_percentage else f"{self.limit:g}"


def find_format(name: str) -> Format:
    """Find a built-in format, or one of ``FILE.toml[:VARIANT]``; the message names the nearest one or the fix."""
    path, variant = name, None
    if ".toml:" in name:
        path, _, variant = name.rpartition(":")
    with open_format_file(path):
        return Format.from_toml(path, variant) if path.endswith(".toml") else Format.get(name)


@contextmanager
def open_format_file(path: str) -> Generator[None]:
    """Convert what is wrong with a format, or with its file, to ``click.BadParameter``."""
    try:
        yield
    except FormatError as problem:
        cure = "; on the command line: FILE.toml:VARIANT" if "pass variant=" in str(problem) else ""
        raise click.BadParameter(f"{problem}{cure}") from None
    except UnicodeDecodeError:
        raise click.BadParameter(f"{escape_controls(path)} is not valid UTF-8") from None
    except OSError as problem:
        raise click.BadParameter(f"can't read {escape_controls(path)}: {problem.strerror}") from None


def take_format(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Format | None:
    """Find the format that an option names."""
    return None if value is None else find_format(value)


def take_keys(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Format | None:
    """Make the format of a JSON object with the given keys."""
    if value is None:
        return None
    keys = [key.strip() for key in value.split(",")]
    if not all(keys):
        problem = f"{value!r} has an empty key; separate keys with single commas, as in score,reason"
        raise click.BadParameter(problem)
    return extract_json_many([], keys=keys).format


def take_allowance(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Allowance:
    """Parse a limit on unread replies: a count such as ``20``, or a percentage such as ``0.5%``."""
    if value is None:
        return Allowance()
    found = re.fullmatch(r"(\d+)|(\d+(?:\.\d+)?)%", value.strip(), re.ASCII)
    if found is None:
        problem = f"{value!r} is neither a count such as 20 nor a percentage such as 0.5%"
        raise click.BadParameter(problem)
    return Allowance(float(found[1] or found[2]), is_percentage=found[1] is None)


def take_delimiter(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    r"""Parse a CSV delimiter: one ASCII character, or ``\t`` for a tab."""
    delimiter = "\t" if value == "\\t" else value
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n'):
        problem = (
            f"{value!r} is not a delimiter; give one ASCII character other than a quotation mark, such as ; or \\t"
        )
        raise click.BadParameter(problem)
    return delimiter


def take_size(_ctx: click.Context, _param: click.Parameter, value: str | None) -> int:
    """Parse a number of bytes, such as ``500000``, ``64M`` or ``1G``."""
    if value is None:
        return LONGEST_RECORD
    digits, unit = value.strip().rstrip("KMG"), value.strip().lstrip("0123456789")
    if not digits.isascii() or not digits.isdigit() or unit not in SIZES or int(digits) == 0:
        problem = f"{value!r} is not a number of bytes; write 500000, 64M or 1G"
        raise click.BadParameter(problem)
    # A larger limit would overflow in the extension, and no text is longer.
    return min(int(digits) * SIZES[unit], sys.maxsize)


columns_option = click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="NAME",
    help="The column that holds the replies; in JSON also a path such as output.judge. Repeatable.  "
    "[default: raw, else reply]",
)
"""The ``--column`` option of commands that read replies; they take it as ``columns``."""


registry_option = click.option(
    "--registry",
    type=click.Path(path_type=Path, file_okay=False),
    help="The registry's folder.  [default: JUDGECORE_REGISTRY, else in your data folder]",
)
"""The ``--registry`` option of commands that read or write metrics."""

harm_definitions_option = click.option(
    "--harm-definitions",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Also look for harm definitions in this folder. Repeatable.",
)
"""The ``--harm-definitions`` option of commands that read data sets."""

allow_unverified_option = click.option(
    "--allow-unverified", is_flag=True, help="Accept harm data without its harm definition."
)
"""The ``--allow-unverified`` option of commands that read data sets."""


def allow_unread_option(default: str | None, what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the ``--allow-unread`` option, which a command takes as ``allowance``; a default of None is no limit."""
    return click.option(
        "--allow-unread",
        "allowance",
        metavar="N|P%",
        default=default,
        callback=take_allowance,
        help=f"Exit with status 3 if more {what}.  [default: {default or 'no limit'}]",
    )


mode_option = click.option(
    "--mode",
    type=click.Choice(get_args(Mode)),
    default="lenient",
    show_default=True,
    help="The mode of reading; paper is the publisher's own rule, including its defects.",
)
"""The ``--mode`` option of commands that read replies in a format."""


def check_mode(format_: Format, mode: Mode) -> None:
    """Reject a mode that a format does not have."""
    try:
        to_format(format_, mode)
    except ValueError as problem:
        raise click.UsageError(str(problem)) from None


def table_options(command: Callable[..., _Result]) -> Callable[..., _Result]:
    """Add the options that describe the input table; the command takes them as ``table``: ``TableOptions``."""

    @click.option(
        "--input-format",
        "kind",
        type=click.Choice(["jsonl", "json", "csv", "parquet", "arrow"]),
        help="The input's file format, overriding its extension; json is an array of objects.",
    )
    @click.option(
        "--delimiter",
        metavar="C",
        callback=take_delimiter,
        help="The CSV delimiter; \\t for a tab.  [default: detected]",
    )
    @click.option(
        "--encoding", metavar="NAME", help="The text encoding, such as utf-16 or cp1252.  [default: detected]"
    )
    @click.option(
        "--max-record-bytes",
        "longest",
        metavar="N",
        callback=take_size,
        help="Reject records with more bytes than this.  [default: 64M]",
    )
    @wraps(command)
    def with_table(
        *args: Any, kind: Kind | None, delimiter: str | None, encoding: str | None, longest: int, **options: Any
    ) -> _Result:
        return command(*args, table=TableOptions(kind, delimiter, encoding, longest), **options)

    return with_table
