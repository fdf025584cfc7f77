"""Declaring: the text of a file that declares a format."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, cast

from judgecore.reading import GuardVerdict, Unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from judgecore.reading import Reading

TRUTHS = (("yes", "no"), ("true", "false"))


def write_file(
    name: str,
    keys: Mapping[str, Any],
    *,
    evidence: str,
    sources: Sequence[str],
    examples: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Write the file that declares one format.

    Examples:
        >>> print(write_file("essay", {"kind": "score", "low": 1, "high": 6}, evidence="convention", sources=["us"]))
        family = "essay"
        title = "Essay"
        evidence = "convention"
        sources = ["us"]
        <BLANKLINE>
        [[formats]]
        id = "essay"
        kind = "score"
        low = 1
        high = 6
        <BLANKLINE>
    """
    lines = [
        f"family = {write_toml(name)}",
        f"title = {write_toml(name.replace('_', ' ').capitalize())}",
        f"evidence = {write_toml(evidence)}",
        f"sources = {write_toml(list(sources))}",
        "",
        "[[formats]]",
        f"id = {write_toml(name)}",
        *(line for key, value in keys.items() for line in _write_lines(key, value)),
    ]
    for example in examples:
        lines += ["", "[[formats.examples]]", *(write_entry(key, value) for key, value in example.items())]
    return "\n".join(lines) + "\n"


def declare_labels(labels: Sequence[str]) -> dict[str, Any]:
    """Declare labels, each written as it is called; yes and no, or true and false, make a binary format.

    Examples:
        >>> declare_labels(["Yes", "No"])
        {'kind': 'binary', 'true': ['Yes'], 'false': ['No']}
    """
    words = {label.lower(): label for label in labels}
    for true, false in TRUTHS:
        if words.keys() == {true, false}:
            return {"kind": "binary", "true": [words[true]], "false": [words[false]]}
    return {"kind": "choice", "labels": {label: [label] for label in labels}}


def write_entry(key: str, value: Any) -> str:
    """Write a key and its value on one line."""
    return f"{_write_key(key)} = {write_toml(value)}"


def write_outcome(outcome: Reading | Unreadable) -> Any:
    """Return what an example of a format file says of an outcome; None where TOML can't hold the value."""
    if isinstance(outcome, Unreadable):
        return {"unreadable": outcome.reason}
    try:
        value = _to_toml(outcome.value)
    except TypeError:
        return None
    return {"invented": value} if outcome.invented else value


def _to_toml(value: Any) -> Any:
    """Turn a reading's value into lists, tables, texts, numbers and truth values."""
    if isinstance(value, GuardVerdict):
        sides = {name: getattr(value, name) for name in ("unsafe", "prompt_unsafe", "response_unsafe")}
        told = {name: side for name, side in sides.items() if side is not None}
        return {**told, "categories": list(value.categories)} if value.categories else told
    if isinstance(value, dict):
        return {name: _to_toml(part) for name, part in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_to_toml(part) for part in cast("list[Any]", value)]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, bool | int | float | str):
        raise TypeError(type(value).__name__)
    return value


def _write_lines(name: str, value: Any) -> list[str]:
    """Write a key of a format, a table with a line for each of its keys."""
    if isinstance(value, dict):
        cells = cast("dict[str, Any]", value).items()
        return [f"{_write_key(name)}.{write_entry(key, one)}" for key, one in cells]
    return [write_entry(name, value)]


def write_toml(value: Any) -> str:
    """Write a value as TOML on one line.

    Examples:
        >>> write_toml({"unreadable": "no_verdict"})
        '{ unreadable = "no_verdict" }'
    """
    if isinstance(value, dict):
        cells = cast("dict[str, Any]", value).items()
        return "{ " + ", ".join(f"{_write_key(name)} = {write_toml(one)}" for name, one in cells) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(write_toml(one) for one in cast("list[Any]", value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def _write_key(name: str) -> str:
    """Write a key, in quotation marks where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else write_toml(name)
