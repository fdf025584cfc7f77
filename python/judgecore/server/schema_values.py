"""Make values that conform to a JSON Schema, with the keywords that judges' schemas use."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judgecore.server.heuristics import PromptAnalysis

_MAX_DEPTH = 12
_MAX_CHARACTERS = 1 << 18
_MAX_NUMBER = 1e300


def make_value(schema: Mapping[str, Any], analysis: PromptAnalysis) -> Any:
    """Make a value that conforms to a schema, with enumerations and numbers chosen by the verdict.

    Supported are ``type``, ``properties``, ``items``, ``minItems``, ``enum``, ``const``, ``minimum``, ``maximum``,
    ``anyOf``, ``oneOf``, ``allOf``, ``minLength``, ``maxLength`` and ``$ref`` within the schema. Properties are made
    whether they are required or not. A value of more than 262,144 characters is refused.
    """
    return _ValueBuilder(schema, analysis).make(schema, 0)


class _ValueBuilder:
    """Builds one value of limited size, because a short schema may ask for a huge one."""

    def __init__(self, root: Mapping[str, Any], analysis: PromptAnalysis) -> None:
        self._root = root
        self._case = analysis
        self._left = _MAX_CHARACTERS

    def make(self, schema: Mapping[str, Any], depth: int) -> Any:
        """Make a value that conforms to a schema."""
        schema = _resolve(schema, self._root)
        if "const" in schema:
            return self._count(schema["const"])
        if "enum" in schema:
            return self._count(_choose(schema["enum"], self._case))
        several = next((schema[name] for name in ("anyOf", "oneOf", "allOf") if schema.get(name)), None)
        if several is not None:
            return self.make(several[0], depth + 1)
        kind = _kind(schema)
        if kind == "object":
            properties = cast("dict[str, dict[str, Any]]", {} if depth > _MAX_DEPTH else schema.get("properties", {}))
            return {self._count(name): self.make(one, depth + 1) for name, one in properties.items()}
        if kind == "array":
            n_items = 0 if depth > _MAX_DEPTH else _size(schema, "minItems", 1)
            # Each item takes at least a comma; this also counts items that are empty objects.
            self._charge(3 * n_items)
            return [self.make(schema.get("items", {}), depth + 1) for _ in range(n_items)]
        return self._count(self._scalar(kind, schema))

    def _scalar(self, kind: str, schema: Mapping[str, Any]) -> Any:
        if kind == "boolean":
            return self._case.is_true
        if kind in ("integer", "number"):
            low = _number(schema, "minimum", _number(schema, "exclusiveMinimum", 0.0))
            value = self._case.on_scale(low, _number(schema, "maximum", _number(schema, "exclusiveMaximum", low + 10)))
            return round(value) if kind == "integer" else value
        if kind == "null":
            return None
        shortest = _size(schema, "minLength", 0)
        self._charge(shortest)
        words = self._case.rationale.ljust(shortest, ".")
        return words[: _size(schema, "maxLength", len(words))]

    def _count(self, value: Any) -> Any:
        self._charge(len(json.dumps(value)))
        return value

    def _charge(self, n_characters: int) -> None:
        self._left -= n_characters
        if self._left < 0:
            raise ValueError(f"the schema asks for more than {_MAX_CHARACTERS:,} characters")


def _size(schema: Mapping[str, Any], name: str, default: int) -> int:
    """Return a number of items or characters."""
    value = schema.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name} must be a non-negative integer")
    return value


def _number(schema: Mapping[str, Any], name: str, default: float) -> float:
    """Return an end of a scale."""
    value = schema.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _MAX_NUMBER:
        raise ValueError(f"{name} must be a number of at most {_MAX_NUMBER:g}")
    return float(value)


def _kind(schema: Mapping[str, Any]) -> str:
    """Return the type of a value; if there are several, the first that is not null."""
    kind: str | list[str] = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, str):
        return kind
    return next((one for one in kind if one != "null"), "null")


def _resolve(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow references to a schema."""
    for _ in range(_MAX_DEPTH):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        found: Any = root
        for step in reference.lstrip("#/").split("/"):
            found = found.get(step, {}) if step else found
        schema = found
    return {}


def _choose(values: Any, analysis: PromptAnalysis) -> Any:
    """Return the value of an enumeration that states the verdict."""
    if not isinstance(values, list) or not values:
        raise ValueError("enum must be a non-empty list")
    return analysis.choose(cast("list[Any]", values))
