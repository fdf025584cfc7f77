"""Convert values of readings to JSON, and to a few words."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, cast

from judgecore.reading import GuardVerdict
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from judgecore.reading import Format, Reading


def to_json_value(value: Any) -> Any:
    """Convert a reading's value to a JSON value: a guard's verdict to an object, scores to a list."""
    if isinstance(value, GuardVerdict):
        return {
            "unsafe": value.unsafe,
            "prompt_unsafe": value.prompt_unsafe,
            "response_unsafe": value.response_unsafe,
            "categories": list(value.categories),
            "fields": to_json_value(value.fields),
            "side": value.side,
            "names": list(value.names),
            "hazards": list(value.hazards),
            "uncertain_hazards": list(value.uncertain_hazards),
        }
    if isinstance(value, dict):
        return {name: to_json_value(part) for name, part in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [to_json_value(part) for part in cast("list[Any]", value)]
    return value


def to_cell(reading: Reading, format_: Format) -> Any:
    """Convert a reading's value to a table cell: documents and rankings to JSON text, so that a column has one type."""
    value: object = reading.value
    # A whole document has itself as fields, or none; a verdict from a document has fields but is not an object.
    is_document = format_.kind == "json" and (reading.fields is None or isinstance(value, dict))
    if is_document or format_.kind == "ranking":
        return json.dumps(value, ensure_ascii=False)
    return to_json_value(reading.value)


def format_value(value: Any) -> str:
    """Format a value in a word or two.

    Examples:
        >>> format_value((8.0, 7.5))
        '8 7.5'
    """
    value = to_json_value(value)
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.10g}"
    if isinstance(value, list):
        return " ".join(format_value(part) for part in cast("list[Any]", value))
    if isinstance(value, dict):
        return _format_fields(cast("dict[str, Any]", value))
    return escape_controls(str(value))


def _format_fields(fields: dict[str, Any]) -> str:
    """Format a guard's verdict with its categories, or all fields with their names."""
    if "unsafe" not in fields:
        return ", ".join(f"{escape_controls(name)} {format_value(part)}" for name, part in fields.items())
    side = {True: "unsafe", False: "safe"}.get(fields["unsafe"], "undecided")
    return escape_controls(f"{side} {','.join(fields.get('categories') or ())}".strip())
