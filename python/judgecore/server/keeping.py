"""A value that keeps a JSON Schema, as far as judges' schemas go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judgecore.server.contract import Case

_DEEPEST = 12


def keep_schema(schema: Mapping[str, Any], case: Case) -> Any:
    """Make a value that keeps a schema: enumerations by the verdict, numbers on their scale, words for words.

    It knows ``type``, ``properties``, ``items``, ``minItems``, ``enum``, ``const``, ``minimum``, ``maximum``,
    ``anyOf``, ``oneOf``, ``allOf``, ``minLength``, ``maxLength`` and ``$ref`` into the schema itself.

    Args:
        schema: The schema.
        case: The prompt and its counts.

    Returns:
        A JSON value; all properties are there, required or not.
    """
    return _made(schema, case, schema, 0)


def _made(schema: Mapping[str, Any], case: Case, root: Mapping[str, Any], depth: int) -> Any:
    schema = _resolved(schema, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return _chosen(schema["enum"], case)
    several = next((schema[name] for name in ("anyOf", "oneOf", "allOf") if schema.get(name)), None)
    if several is not None:
        return _made(several[0], case, root, depth + 1)
    kind = _kind(schema)
    if kind == "object":
        properties = cast("dict[str, dict[str, Any]]", {} if depth > _DEEPEST else schema.get("properties", {}))
        return {name: _made(one, case, root, depth + 1) for name, one in properties.items()}
    if kind == "array":
        n_items = 0 if depth > _DEEPEST else schema.get("minItems", 1)
        return [_made(schema.get("items", {}), case, root, depth + 1) for _ in range(n_items)]
    return _scalar(kind, schema, case)


def _kind(schema: Mapping[str, Any]) -> str:
    """The type of a value; of several the first that is not null."""
    kind: str | list[str] = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, str):
        return kind
    return next((one for one in kind if one != "null"), "null")


def _scalar(kind: str, schema: Mapping[str, Any], case: Case) -> Any:
    if kind == "boolean":
        return case.is_true
    if kind in ("integer", "number"):
        low = float(schema.get("minimum", schema.get("exclusiveMinimum", 0)))
        value = case.on_scale(low, float(schema.get("maximum", schema.get("exclusiveMaximum", low + 10))))
        return round(value) if kind == "integer" else value
    if kind == "null":
        return None
    words = case.rationale.ljust(schema.get("minLength", 0), ".")
    return words[: schema.get("maxLength", len(words))]


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


def _chosen(values: list[Any], case: Case) -> Any:
    """The value of an enumeration that says the verdict, or stands where it stands on the scale of all."""
    words = {str(value).lower(): value for value in values}
    for yes, no in (("true", "false"), ("yes", "no"), ("pass", "fail"), ("correct", "incorrect"), ("unsafe", "safe")):
        if yes in words and no in words:
            is_yes = case.first.harm > 0 if yes == "unsafe" else case.is_true
            return words[yes] if is_yes else words[no]
    winner = case.winner.lower()
    if winner in words:
        return words[winner]
    return values[min(len(values) - 1, int(case.first.quality * len(values)))]
