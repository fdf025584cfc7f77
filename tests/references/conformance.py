"""Which outcomes a case with a key `accept` accepts."""

from __future__ import annotations

from typing import Any

import judgecore as jc


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
