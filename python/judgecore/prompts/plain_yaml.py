"""Load YAML as plain data: strings, numbers, booleans, null, lists and mappings."""

from __future__ import annotations

import re
from typing import Any, cast

import yaml
from yaml.error import MarkedYAMLError, YAMLError
from yaml.events import AliasEvent
from yaml.nodes import ScalarNode

# YAML 1.2's core schema: `no` is a string, `010` is ten, `2024-05-01` is a string.
_RESOLVED = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": (r"[-+]?[0-9]+", list("-+0123456789")),
    "float": (r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", list("-+.0123456789")),
}
_PREFIX = "tag:yaml.org,2002:"


def load_plain_yaml(text: str) -> Any:
    """Load one YAML document.

    Tags and aliases are rejected, so a document can neither create objects nor expand. Duplicate keys and keys that are
    not strings are rejected, too.
    """
    try:
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506 - a SafeLoader, made stricter
    except MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        raise ValueError(f"line {mark.line + 1 if mark else 1}: {problem.problem or problem.context}") from None
    except YAMLError as problem:
        raise ValueError(f"line 1: {str(problem).splitlines()[0]}") from None


class _PlainLoader(yaml.SafeLoader):
    """A safe loader without tags, aliases and duplicate keys."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Reject tags and aliases."""
        event = cast("Any", self).peek_event()
        if isinstance(event, AliasEvent):
            problem = f"the alias *{event.anchor} is not allowed; write the value itself"
            raise MarkedYAMLError(None, None, problem, event.start_mark)
        if getattr(event, "tag", None) is not None:
            problem = f"the tag {event.tag} is not allowed; write a plain value"
            raise MarkedYAMLError(None, None, problem, event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - PyYAML's
        """Reject duplicate keys and keys that are not strings."""
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, ScalarNode) or key.tag != f"{_PREFIX}str":
                what = repr(key.value) if isinstance(key, ScalarNode) else "here"
                raise MarkedYAMLError(None, None, f"the key {what} must be a string; quote it", key.start_mark)
            if key.value in seen:
                raise MarkedYAMLError(None, None, f"the key {key.value!r} occurs twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def _number(kind: type[float]) -> Any:
    """Make a constructor for numbers in decimal notation."""

    def construct(_: Any, node: Any) -> float:
        try:
            return kind(node.value)
        except ValueError:
            raise MarkedYAMLError(None, None, "a number with too many digits", node.start_mark) from None

    return construct


_loader: Any = _PlainLoader
_loader.yaml_implicit_resolvers = {}
for _tag, (_pattern, _starts) in _RESOLVED.items():
    _loader.add_implicit_resolver(_PREFIX + _tag, re.compile(rf"^(?:{_pattern})$"), _starts)
_loader.add_constructor(f"{_PREFIX}int", _number(int))
_loader.add_constructor(f"{_PREFIX}float", _number(float))
