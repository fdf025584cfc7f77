"""Arguments that several commands take: a format by name or file, and an allowance of unread replies."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import click

from judgecore.errors import FormatError
from judgecore.reading import Format, extract_json_many
from judgecore.terminal import escape_controls


@dataclass(frozen=True)
class Allowance:
    """How many of the replies may stay unread.

    Attributes:
        limit: A number of replies, or a percentage of them; infinity permits all.
        is_percentage: Whether it is a percentage.
    """

    limit: float = math.inf
    is_percentage: bool = False

    def permits(self, unread: int, total: int) -> bool:
        """Tell whether so many unread replies are permitted.

        Args:
            unread: How many were not read.
            total: Of how many.

        Returns:
            True when the limit is kept.
        """
        return unread * 100 <= self.limit * total if self.is_percentage else unread <= self.limit

    def __str__(self) -> str:
        """Write it as it is given on the command line."""
        return f"{self.limit:g}%" if self.is_percentage else f"{self.limit:g}"


def find_format(name: str) -> Format:
    """Find the format that an argument names.

    Args:
        name: A built-in format's name, or ``file.toml``, with ``:variant`` where the file has several formats.

    Returns:
        The format.

    Raises:
        click.BadParameter: If there is no such format; the message names the nearest or the cure.
    """
    path, variant = name, None
    if ".toml:" in name:
        path, _, variant = name.rpartition(":")
    try:
        return Format.from_toml(path, variant) if path.endswith(".toml") else Format.get(name)
    except FormatError as problem:
        lines = "\n".join(map(escape_controls, str(problem).splitlines()))
        cure = "; on the command line: FILE.toml:VARIANT" if "pass variant=" in lines else ""
        raise click.BadParameter(f"{lines}{cure}") from None
    except UnicodeDecodeError:
        raise click.BadParameter(f"{escape_controls(path)} is not UTF-8") from None
    except OSError as problem:
        raise click.BadParameter(f"can't read {escape_controls(path)}: {problem.strerror}") from None


def take_format(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Format | None:
    """Find the format that an option names.

    Args:
        value: As ``find_format`` takes it.

    Returns:
        The format, or None where none is named.
    """
    return None if value is None else find_format(value)


def take_keys(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Format | None:
    """Make the format of a JSON object with certain keys.

    Args:
        value: The keys, with commas between them.

    Returns:
        The format, or None where no keys are named.

    Raises:
        click.BadParameter: If a key is empty.
    """
    if value is None:
        return None
    keys = [key.strip() for key in value.split(",")]
    if not all(keys):
        problem = f"{value!r} has an empty key; write them as in score,reason"
        raise click.BadParameter(problem)
    return extract_json_many([], keys=keys).format


def take_allowance(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Allowance:
    """Read an allowance of unread replies.

    Args:
        value: A count such as ``20``, or a percentage such as ``0.5%``.

    Returns:
        The allowance; where none was given, one that permits all.

    Raises:
        click.BadParameter: If the value is neither.
    """
    if value is None:
        return Allowance()
    found = re.fullmatch(r"(\d+)|(\d+(?:\.\d+)?)%", value.strip(), re.ASCII)
    if found is None:
        problem = f"{value!r} is neither a count such as 20 nor a percentage such as 0.5%"
        raise click.BadParameter(problem)
    return Allowance(float(found[1] or found[2]), is_percentage=found[1] is None)
