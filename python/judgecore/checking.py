"""Check a format: its examples, and its markers with each verdict."""

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

TO_CONFIRM = "to confirm"
"""The note of an example that judgecore generated and the author has not confirmed."""

# Reasons that text alone can't have.
OF_NO_TEXT = ("missing", "low_mass")
SIDES = ("unsafe", "prompt_unsafe", "response_unsafe")
OF_GUARD = (*SIDES, "categories", "fields")
OUTCOMES = ("unreadable", "invented")
# A marker that ends in text between brackets or quotation marks.
ENCLOSED = re.compile(
    r"""(?P<before>.*[\[(<{「『【*"'`“])(?P<verdict>[^\W_].*?)(?P<after>[\])>}」』】*"'`”]+)""", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between what a format's file claims and what is read."""

    where: str
    line: int | None
    problem: str
    reply: str
    expected: Mapping[str, Any]
    outcome: Reading | Unreadable
    write: str


@dataclass(frozen=True, slots=True)
class FormatCheck:
    """The result of checking a format."""

    format: Format
    unconfirmed: int
    differences: tuple[Difference, ...]


def check_file(path: Path) -> tuple[FormatCheck, ...]:
    """Check all formats of a file."""
    text = path.read_text("utf-8")
    formats = read_formats(str(path), text)
    lines = key_lines(text)
    return tuple(check_format(one, lines, f"formats.{nth}.") for nth, one in enumerate(formats))


def check_format(format_: Format, lines: Mapping[str, int] | None = None, path: str = "") -> FormatCheck:
    """Check one format: its examples in every mode, and each marker around each verdict.

    ``lines`` has the line of each key in its file, by path, from ``key_lines``; ``path`` is the prefix of the format's
    own keys in these paths.
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
    """Yield a format's examples, with the outcome in each mode for which it has an expectation."""
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
    """Return whether an outcome is the expected one; of a guard's verdict, only expected fields are compared."""
    if isinstance(outcome, Unreadable):
        return expected.get("unreadable") == outcome.reason
    name = "invented" if outcome.invented else "value"
    return name in expected and _is_value(expected[name], outcome.value)


def _is_value(want: Any, got: Any) -> bool:
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
    """Explain why no reply can have an expected outcome; empty if one can."""
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
    # A publisher's rule may return numbers off the scale, and unknown labels.
    return _find_impossible_value(format_, value) if mode != "paper" else ""


def _find_impossible_value(format_: Format, value: Any) -> str:
    """Explain why a format can't have a value; empty if it can."""
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
    """Explain why no guard can have a verdict; empty if one can."""
    if not isinstance(value, dict):
        return f"a guard gives a table, such as {{ unsafe = true }}, not {_say(value)}"
    wrong = [name for name in cast("dict[str, Any]", value) if name not in OF_GUARD]
    return f"{wrong[0]} is nothing that a guard gives; {_nearest(wrong[0], OF_GUARD)}" if wrong else ""


def _find_off_scale(scale: tuple[float, float], value: Any) -> str:
    """Explain why a value is not on a scale; empty if it is."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"a score is a number, not {_say(value)}"
    low, high = scale
    return "" if low <= value <= high else f"{value:g} is not on the scale from {low:g} to {high:g}"


def _find_impossible_fields(format_: Format, value: Any) -> str:
    """Explain why a format of fields can't have a value; empty if it can."""
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
    """Find markers that contain a verdict, or inside which a verdict is misread."""
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
    """Find the first verdict that is misread in or after a marker."""
    has_place = "{}" in marker
    for value, form in verdicts:
        reply = marker.replace("{}", form) if has_place else f"{marker}: {form}"
        # Strict reading does not have to accept a marker without a slot.
        for mode in ("lenient", "strict") if has_place else ("lenient",):
            outcome = parse(reply, format_, mode=mode)
            if not (isinstance(outcome, Reading) and outcome.value == value):
                problem = (
                    f"the marker {marker} around {form} is not read as {_say(value)} in {mode} mode; change one of them"
                )
                yield Difference("markers", line, problem, reply, {"value": value}, outcome, "")
                return


def _nearest(name: str, known: Iterable[str]) -> str:
    """Suggest the nearest known name, or list all of them."""
    names = list(known)
    near = difflib.get_close_matches(name.lower(), [one.lower() for one in names], n=1)
    if near:
        return f"did you mean {next(one for one in names if one.lower() == near[0])}?"
    return f"there are {', '.join(names)}"


def _say(value: Any) -> str:
    """Format a value as TOML, or name its type if it is a list or a table."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a table"
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return write_toml(value)
