"""A value that keeps a JSON Schema, as far as judges' schemas go."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judgecore.server.heuristics import Case

_DEEPEST = 12
_MOST_CHARACTERS = 1 << 18
_LARGEST = 1e300


def keep_schema(schema: Mapping[str, Any], case: Case) -> Any:
    """Make a value that keeps a schema: enumerations by the verdict, numbers on their scale, words for words.

    It knows ``type``, ``properties``, ``items``, ``minItems``, ``enum``, ``const``, ``minimum``, ``maximum``,
    ``anyOf``, ``oneOf``, ``allOf``, ``minLength``, ``maxLength`` and ``$ref`` into the schema itself.

    Args:
        schema: The schema.
        case: The prompt and its counts.

    Returns:
        A JSON value; all properties are there, required or not.

    Raises:
        ValueError: If the schema asks for more than 262,144 characters, or makes no sense.
    """
    return _Keeper(schema, case).make(schema, 0)


class _Keeper:
    """Makes one value, of so many characters at most: a few lines of a schema may ask for any number."""

    def __init__(self, root: Mapping[str, Any], case: Case) -> None:
        self._root = root
        self._case = case
        self._left = _MOST_CHARACTERS

    def make(self, schema: Mapping[str, Any], depth: int) -> Any:
        """Make what keeps a schema."""
        schema = _resolved(schema, self._root)
        if "const" in schema:
            return self._spend(schema["const"])
        if "enum" in schema:
            return self._spend(_chosen(schema["enum"], self._case))
        several = next((schema[name] for name in ("anyOf", "oneOf", "allOf") if schema.get(name)), None)
        if several is not None:
            return self.make(several[0], depth + 1)
        kind = _kind(schema)
        if kind == "object":
            properties = cast("dict[str, dict[str, Any]]", {} if depth > _DEEPEST else schema.get("properties", {}))
            return {self._spend(name): self.make(one, depth + 1) for name, one in properties.items()}
        if kind == "array":
            n_items = 0 if depth > _DEEPEST else _size(schema, "minItems", 1)
            # Each item takes a comma at least, and an object without properties is spent nowhere else.
            self._take(3 * n_items)
            return [self.make(schema.get("items", {}), depth + 1) for _ in range(n_items)]
        return self._spend(self._scalar(kind, schema))

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
        self._take(shortest)
        words = self._case.rationale.ljust(shortest, ".")
        return words[: _size(schema, "maxLength", len(words))]

    def _spend(self, value: Any) -> Any:
        self._take(len(json.dumps(value)))
        return value

    def _take(self, n_characters: int) -> None:
        self._left -= n_characters
        if self._left < 0:
            raise ValueError(f"the schema asks for more than {_MOST_CHARACTERS:,} characters")


def _size(schema: Mapping[str, Any], name: str, default: int) -> int:
    """A number of items or characters."""
    value = schema.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name} must be a whole number, and not negative")
    return value


def _number(schema: Mapping[str, Any], name: str, default: float) -> float:
    """An end of a scale."""
    value = schema.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST:
        raise ValueError(f"{name} must be a number, and at most {_LARGEST:g}")
    return float(value)


def _kind(schema: Mapping[str, Any]) -> str:
    """The type of a value; of several the first that is not null."""
    kind: str | list[str] = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, str):
        return kind
    return next((one for one in kind if one != "null"), "null")


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema that a reference leads to."""
    for _ in range(_DEEPEST):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        found: Any = root
        for step in reference.lstrip("#/").split("/"):
            found = found.get(step, {}) if step else found
        schema = found
    return {}


def _chosen(values: Any, case: Case) -> Any:
    """The value of an enumeration that says the verdict."""
    if not isinstance(values, list) or not values:
        raise ValueError("enum must be a list that is not empty")
    return case.choose(cast("list[Any]", values))
