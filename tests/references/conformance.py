"""Read the conformance cases through the public interface: formats in plain terms become formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import judgecore as jc

CASES = Path(__file__).parents[2] / "conformance" / "cases"


def format_of(plain: dict[str, Any]) -> jc.Format | None:  # noqa: PLR0911 - a line for each kind
    """Make the format that a case describes.

    Args:
        plain: A format in the plain terms of ``conformance/README.md``.

    Returns:
        The format; None for guards, whose words and codes only a file declares.
    """
    markers = plain.get("markers", [])
    match plain["kind"]:
        case "score":
            return jc.Format.score(plain["low"], plain["high"], integer=plain["integer"], markers=markers)
        case "scores":
            return jc.Format.scores(plain["n"], plain["low"], plain["high"])
        case "binary":
            words = {"true": plain["true"], "false": plain["false"]}
            return jc.Format.binary(**words, markers=markers, place=plain.get("place"))
        case "choice":
            return jc.Format.choice(plain["labels"], markers=markers, place=plain.get("place"))
        case "order":
            return jc.Format.order(plain["n"], names=plain["names"] or None)
        case "fields":
            return jc.Format.fields({name: made(one) for name, one in plain["fields"].items()})
        case "json" if plain["verdict"] is not None:
            return jc.Format.json_field(plain["verdict"], made(plain["fields"][plain["verdict"]]))
        case "json":
            return jc.Format.json_fields({name: made(one) for name, one in plain["fields"].items()})
        case _:
            return None


def made(plain: dict[str, Any]) -> jc.Format:
    """Make the format of a part, which is never a guard's."""
    form = format_of(plain)
    assert form is not None
    return form


def is_accepted(case: dict[str, Any], outcome: jc.Reading | jc.Unreadable) -> bool | None:
    """Whether a case accepts an outcome; None where it must be read and was not.

    Args:
        case: The case.
        outcome: What was read.
    """
    if isinstance(outcome, jc.Unreadable):
        return True if any("unreadable" in one for one in case["accept"]) else None
    return any("value" in one and is_value(one["value"], outcome.value) for one in case["accept"])


def is_value(want: Any, got: Any) -> bool:
    """Whether a value is the one that a case accepts.

    Args:
        want: A value of JSON; for a guard's verdict the attributes that the case names, and no others are compared.
        got: What was read.
    """
    if isinstance(got, jc.GuardVerdict):
        return all(is_value(one, getattr(got, name)) for name, one in want.items())
    if isinstance(want, dict):
        return isinstance(got, dict) and all(is_value(one, got.get(name)) for name, one in want.items())
    if isinstance(want, list):
        return isinstance(got, tuple) and len(want) == len(got) and all(map(is_value, want, got))
    # True equals 1.0 in Python, and a binary verdict is no score.
    return want == got and isinstance(want, bool) is isinstance(got, bool)


def tally(mode: Literal["lenient", "strict"]) -> dict[str, dict[str, int]]:
    """Count the cases of each class that are read as something else, and those that must be read and are not.

    Args:
        mode: ``lenient`` or ``strict``.

    Returns:
        By class: ``read``, ``wrong`` and ``missed``.
    """
    found: dict[str, dict[str, int]] = {}
    for path in sorted(CASES.glob("*.jsonl")):
        counts = found.setdefault(path.stem, {"read": 0, "wrong": 0, "missed": 0})
        for line in path.read_text("utf-8").splitlines():
            case = json.loads(line)
            form = format_of(case["format"])
            if form is None:
                continue
            outcome = jc.parse(case["reply"], form, mode=mode, cut=case["cut"], material=case["material"])
            counts["read"] += 1
            verdict = is_accepted(case, outcome)
            if not verdict:
                counts["missed" if verdict is None else "wrong"] += 1
    return found
