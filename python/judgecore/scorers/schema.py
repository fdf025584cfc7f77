"""JSON Schemas of what judges are asked to answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOST_LISTED = 20


def verdict_schema(score_value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a verdict: reasons first, then the score."""
    return _object({"rationale": {"type": "string"}, "description": {"type": "string"}, "score_value": score_value})


def marks_schema(names: Sequence[str], mark: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of several marks: reasons first, then each under its name."""
    return _object({"rationale": {"type": "string"}, **dict.fromkeys(names, mark)})


def number_schema(low: float, high: float, *, integer: bool) -> dict[str, Any]:
    """Return the schema of a number on a scale; a few whole numbers are listed, because endpoints keep lists best."""
    if integer and high - low < _MOST_LISTED:
        return {"type": "integer", "enum": list(range(int(low), int(high) + 1))}
    return {"type": "integer" if integer else "number", "minimum": low, "maximum": high}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
