"""Checking: whether a format reads its own examples as its file says, and holds each of its verdicts."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from judgecore.declaring import write_entry, write_outcome, write_toml
from judgecore.reading import REASONS, Format, GuardVerdict, Reading, Unreadable, key_lines, parse, read_formats

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = ["Difference", "FormatCheck", "check_file", "check_format", "holds", "read_examples"]

TO_CONFIRM = "to confirm"
"""The note of an example that judgecore wrote, until its author has looked at it."""

# A reply that was given as text is never missing, and has no probabilities.
OF_NO_TEXT = ("missing", "low_mass")
SIDES = ("unsafe", "prompt_unsafe", "response_unsafe")
OF_GUARD = (*SIDES, "categories", "fields")
OUTCOMES = ("unreadable", "invented")
# A marker that ends in a text between signs that open and close.
ENCLOSED = re.compile(
    r"""(?P<before>.*[\[(<{「『【*"'`“])(?P<verdict>[^\W_].*?)(?P<after>[\])>}」』】*"'`”]+)""", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that a format says of itself and that does not hold.

    Attributes:
        where: What it is about: ``example 2, strict``, or ``markers``.
        line: The line of the file, from 1; None if the format is of no file.
        problem: What the file says that can't be; empty where it could be, but is read otherwise.
        reply: The reply that shows it.
        expected: What the file says, as ``examples`` of a format have it, or the value that was put into a marker.
        outcome: What is read.
        write: The line to write if what is read is right; empty where there is none.
    """

    where: str
    line: int | None
    problem: str
    reply: str
    expected: Mapping[str, Any]
    outcome: Reading | Unreadable
    write: str


@dataclass(frozen=True, slots=True)
class FormatCheck:
    """What came of checking one format.

    Attributes:
        format: The format.
        unconfirmed: How many examples have the note "to confirm".
        differences: What does not hold; empty where all holds.
    """

    format: Format
    unconfirmed: int
    differences: tuple[Difference, ...]


def check_file(path: Path) -> tuple[FormatCheck, ...]:
    """Check all formats of a file.

    Args:
        path: The file.

    Returns:
        What came of each format, in the order of the file.

    Raises:
        FormatError: If a key or a value is wrong; the message names file, line, key and cure.
        OSError: If the file can't be read.
        UnicodeDecodeError: If it is not UTF-8.
    """
    text = path.read_text("utf-8")
    formats = read_formats(str(path), text)
    lines = key_lines(text)
    return tuple(check_format(one, lines, f"formats.{nth}.") for nth, one in enumerate(formats))


def check_format(format_: Format, lines: Mapping[str, int] | None = None, path: str = "") -> FormatCheck:
    """Check one format: its examples in every mode, and each marker around each verdict.

    Args:
        format_: The format.
        lines: The lines of its file by the path of each key, as ``key_lines`` gives them.
        path: What stands before its own keys in such a path.

    Returns:
        What does not hold.
    """
    known = lines or {}
    differences = [*_check_markers(format_, known.get(f"{path}markers"))]
    for nth, (example, outcomes) in enumerate(read_examples(format_)):
        for mode, outcome in outcomes.items():
            expected = example[mode]
            problem = _find_impossible(format_, mode, expected)
            if problem or not holds(expected, outcome):
                line = known.get(f"{path}examples.{nth}.{mode}", known.get(f"{path}examples.{nth}"))
                written = write_outcome(outcome)
                write = "" if written is None else write_entry(mode, written)
                where = f"example {nth + 1}, {mode}"
                differences.append(Difference(where, line, problem, example["reply"], expected, outcome, write))
    unconfirmed = sum(TO_CONFIRM in example["note"] for example in format_.examples)
    return FormatCheck(format_, unconfirmed, tuple(differences))


def read_examples(format_: Format) -> Iterator[tuple[dict[str, Any], dict[str, Reading | Unreadable]]]:
    """Read a format's examples.

    Args:
        format_: The format.

    Yields:
        Each example, and what it gives in each mode that it says something of.
    """
    for example in format_.examples:
        yield (
            example,
            {
                mode: parse(example["reply"], format_, mode=mode, cut=example["cut"])
                for mode in format_.modes
                if example.get(mode) is not None
            },
        )


def holds(expected: Mapping[str, Any], outcome: Reading | Unreadable) -> bool:
    """Tell whether an outcome is the one that an example expects.

    Args:
        expected: With one key: ``value``, ``invented`` or ``unreadable``.
        outcome: What was read.

    Returns:
        True if it is. Of a guard's verdict all sides and categories must be named, its fields need not.
    """
    if isinstance(outcome, Unreadable):
        return expected.get("unreadable") == outcome.reason
    name = "invented" if outcome.invented else "value"
    return name in expected and _is_value(expected[name], outcome.value)


def _is_value(want: Any, got: Any) -> bool:
    """Whether a value is what an example expects."""
    if isinstance(got, GuardVerdict):
        if not isinstance(want, dict):
            return False
        named = cast("dict[str, Any]", want)
        fields = named.get("fields", {})
        return (
            all(named.get(side) == getattr(got, side) for side in SIDES)
            and tuple(named.get("categories", ())) == got.categories
            and all(name in got.fields and value == got.fields[name] for name, value in fields.items())
        )
    if isinstance(want, bool) or isinstance(got, bool):
        return want is got
    return tuple(cast("list[Any]", want)) == got if isinstance(want, list) and isinstance(got, tuple) else want == got


def _find_impossible(format_: Format, mode: str, expected: Mapping[str, Any]) -> str:
    """Say why no reply could give what an example expects; empty where one could."""
    if "unreadable" in expected:
        reason = expected["unreadable"]
        known = [one for one in REASONS if one not in OF_NO_TEXT]
        return "" if reason in known else f"no reply gives the reason {reason}; {_nearest(reason, known)}"
    if "invented" in expected and mode != "paper":
        return f"{mode} reading invents nothing; write the value, or {{ unreadable = ... }}"
    value = expected.get("value", expected.get("invented"))
    if isinstance(value, dict) and len(cast("dict[str, Any]", value)) == 1 and not format_.parts:
        [name] = cast("dict[str, Any]", value)
        near = difflib.get_close_matches(name, OUTCOMES, n=1)
        if near and name not in OF_GUARD:
            return f"{name} is no outcome; did you mean {near[0]}?"
    # A publisher's rule may keep numbers that are off the scale, and make labels up.
    return _find_impossible_value(format_, value) if mode != "paper" else ""


def _find_impossible_value(format_: Format, value: Any) -> str:
    """Say why a format has no such value; empty where it may have."""
    kind, problem = format_.kind, ""
    if kind == "binary" and not isinstance(value, bool):
        problem = f"a binary format gives true or false, not {_say(value)}"
    elif kind == "choice" or (kind == "json" and format_.labels and isinstance(value, str)):
        labels = list(format_.labels)
        problem = "" if value in labels else f"{_say(value)} is no label; {_nearest(str(value), labels)}"
    elif kind == "fields":
        problem = _find_impossible_fields(format_, value)
    elif kind == "guard":
        problem = _find_impossible_verdict(value)
    elif kind in ("scores", "ranking", "order") and not isinstance(value, list):
        problem = f"a {kind} format gives a list, not {_say(value)}"
    elif format_.scale:
        numbers = cast("list[Any]", value) if isinstance(value, list) else [value]
        problem = next((found for one in numbers if (found := _find_off_scale(format_.scale, one))), "")
    return problem


def _find_impossible_verdict(value: Any) -> str:
    """Say why no guard has such a verdict."""
    if not isinstance(value, dict):
        return f"a guard gives a table, such as {{ unsafe = true }}, not {_say(value)}"
    wrong = [name for name in cast("dict[str, Any]", value) if name not in OF_GUARD]
    return f"{wrong[0]} is nothing that a guard gives; {_nearest(wrong[0], OF_GUARD)}" if wrong else ""


def _find_off_scale(scale: tuple[float, float], value: Any) -> str:
    """Say why a value is not on a scale."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"a score is a number, not {_say(value)}"
    low, high = scale
    return "" if low <= value <= high else f"{value:g} is not on the scale from {low:g} to {high:g}"


def _find_impossible_fields(format_: Format, value: Any) -> str:
    """Say why a format of fields has no such value."""
    if not isinstance(value, dict):
        return f"a format of fields gives a table, not {_say(value)}"
    for name, part in cast("dict[str, Any]", value).items():
        if name not in format_.parts:
            return f"{name} is no field; {_nearest(name, format_.parts)}"
        problem = _find_impossible_value(format_.parts[name], part)
        if problem:
            return f"{name}: {problem}"
    return ""


def _check_markers(format_: Format, line: int | None) -> Iterator[Difference]:
    """Find the markers that hold a verdict of their own, or around which a verdict is not read as what it is."""
    verdicts: list[tuple[Any, str]] = []
    if format_.kind in ("binary", "choice"):
        is_binary = format_.kind == "binary"
        labels = format_.labels.items()
        verdicts = [(label == "true" if is_binary else label, form) for label, forms in labels for form in forms]
    elif format_.kind == "score" and format_.scale and not format_.parts:
        verdicts = [(end, f"{end:g}") for end in format_.scale]
    markers = list(format_.markers)
    for nth, marker in enumerate(markers):
        if not verdicts:
            return
        bare = marker.replace("{}", "")
        enclosed = None if "{}" in marker else ENCLOSED.fullmatch(marker)
        alone = parse(bare, format_)
        if enclosed and parse(enclosed["verdict"], format_).ok:
            slotted = f"{enclosed['before']}{{}}{enclosed['after']}"
            problem = f"the marker {marker} holds a verdict; put {{}} in its place"
            written = write_entry("markers", [*markers[:nth], slotted, *markers[nth + 1 :]])
            yield Difference("markers", line, problem, marker, {"value": slotted}, alone, written)
        elif isinstance(alone, Reading):
            problem = (
                f"the marker {marker} is read as {_say(alone.value)} where no verdict stands in it; change its words"
            )
            yield Difference("markers", line, problem, bare, {"unreadable": "no_verdict"}, alone, "")
        else:
            yield from _check_around(format_, marker, verdicts, line)


def _check_around(
    format_: Format, marker: str, verdicts: Iterable[tuple[Any, str]], line: int | None
) -> Iterator[Difference]:
    """Find the first verdict that a marker swallows or changes."""
    has_place = "{}" in marker
    for value, form in verdicts:
        reply = marker.replace("{}", form) if has_place else f"{marker}: {form}"
        # Strict reading need not accept a word that only announces a verdict.
        for mode in ("lenient", "strict") if has_place else ("lenient",):
            outcome = parse(reply, format_, mode=mode)
            if not (isinstance(outcome, Reading) and outcome.value == value):
                problem = (
                    f"the marker {marker} around {form} is not read as {_say(value)} in {mode} mode; change one of them"
                )
                yield Difference("markers", line, problem, reply, {"value": value}, outcome, "")
                return


def _nearest(name: str, known: Iterable[str]) -> str:
    """Say which of the known names is meant, or which there are."""
    names = list(known)
    near = difflib.get_close_matches(name.lower(), [one.lower() for one in names], n=1)
    if near:
        return f"did you mean {next(one for one in names if one.lower() == near[0])}?"
    return f"there are {', '.join(names)}"


def _say(value: Any) -> str:
    """Say a value as TOML has it, or what it is where it is long."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a table"
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return write_toml(value)
