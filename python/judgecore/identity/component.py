"""``ComponentIdentifier``: the identity of a component, and its hash."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeAlias, cast

from judgecore.hashing import canonical_json, content_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

RESERVED = frozenset(
    {
        "__module__",
        "__type__",
        "attributes",
        "children",
        "class_module",
        "class_name",
        "eval_hash",
        "hash",
        "params",
        "pyrit_version",
        "unnamed_code",
    }
)
"""The names that registry entries use themselves, and params must not have."""

# A registry entry with an eval_hash also holds metrics, which are not params.
_BESIDE_EVAL_HASH = "metrics"

SCRIPTS = frozenset({"__main__", "__mp_main__"})
"""The module names of scripts, notebooks, and the processes that they start."""

Children: TypeAlias = "ComponentIdentifier | tuple[ComponentIdentifier, ...]"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ComponentIdentifier:
    """The identity of a component: its class and its configuration, with a hash of both.

    Identifiers copy their arguments, compare by hash, and can be pickled and used as dictionary keys.

    Attributes:
        class_name: The component's class.
        class_module: The module of the class; ``judgecore`` for all of judgecore's classes, so that moving a file
            changes no hash.
        params: Everything that can change the component's behavior, as JSON values by name. None counts as absent.
        children: The components that this one consists of, one or several under a name.
        attributes: Descriptive values, part of ``hash`` but never of ``eval_hash``.
        pyrit_version: The version in the registry entry from which the identifier was read; never hashed.
        unnamed_code: Why the component's code has no unambiguous name, with the fix; it then has no ``eval_hash``.
            None if its name or version identifies it. Never hashed.
        hash: SHA-256 in 64 hex digits, equal to PyRIT's.

    Raises:
        TypeError: If a value does not have a JSON type, or a name is not a string; the message names the place.
        ValueError: If a param has a reserved name, or a value can't be JSON, such as NaN.

    Examples:
        >>> from judgecore import ComponentIdentifier
        >>> scorer = ComponentIdentifier(class_name="MyScorer", class_module="my.scorers", params={"threshold": 0.5})
        >>> scorer.hash[:8]
        'c3addd96'
        >>> ComponentIdentifier.from_registry(scorer.to_registry()) == scorer
        True
    """

    class_name: str
    class_module: str
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    children: Mapping[str, ComponentIdentifier | Sequence[ComponentIdentifier]] = field(
        default_factory=dict[str, "ComponentIdentifier | Sequence[ComponentIdentifier]"]
    )
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    pyrit_version: str | None = None
    unnamed_code: str | None = None
    hash: str = field(init=False)

    def __post_init__(self) -> None:
        for name in ("class_name", "class_module"):
            text: object = getattr(self, name)
            if not isinstance(text, str):
                raise TypeError(f"{name} must be a str, not {type(text).__name__}")
            if not text:
                raise ValueError(f"{name} must not be empty")
        reserved = sorted(RESERVED.intersection(self.params))
        if reserved:
            raise ValueError(
                f"{self.class_name}: params must not use reserved names: {', '.join(reserved)}; rename them"
            )
        settled = {
            "params": MappingProxyType(self._json("params")),
            "attributes": MappingProxyType(self._json("attributes")),
            "children": MappingProxyType(_settled_children(self.class_name, self.children)),
        }
        for name, value in settled.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "hash", content_hash(self._hashed()))

    def _json(self, name: str) -> dict[str, Any]:
        """Return a copy of params or attributes that consists of plain JSON types."""
        given = dict(getattr(self, name))
        try:
            canonical_json(given)
        except (TypeError, ValueError) as problem:
            raise type(problem)(f"{self.class_name}: {name}: {problem}") from None
        try:
            return cast("dict[str, Any]", _plain(given))
        except RecursionError:
            raise ValueError(f"{self.class_name}: {name}: nested too deeply for an identity") from None

    def _hashed(self) -> dict[str, Any]:
        """Return the value that is hashed."""
        hashed = {"class_name": self.class_name, "class_module": self.class_module, **without_none(self.params)}
        attributes = without_none(self.attributes)
        if attributes:
            hashed["attributes"] = attributes
        if self.children:
            hashed["children"] = self._each_child(lambda child: child.hash)
        return hashed

    def _each_child(self, give: Callable[[ComponentIdentifier], Any]) -> dict[str, Any]:
        """Apply a function to each child, and return the results in the structure of ``children``."""
        return {
            name: give(child) if isinstance(child, ComponentIdentifier) else [give(one) for one in child]
            for name, child in self.children.items()
        }

    def children_of(self, name: str) -> tuple[ComponentIdentifier, ...]:
        """Return the children under a name; empty if there is no such name."""
        child = self.children.get(name, ())
        return (child,) if isinstance(child, ComponentIdentifier) else tuple(child)

    def walk(self) -> Iterator[ComponentIdentifier]:
        """Yield the component and all components within it, each before its children."""
        yield self
        for name in self.children:
            for child in self.children_of(name):
                yield from child.walk()

    @classmethod
    def from_registry(cls, entry: Mapping[str, Any]) -> Self:
        """Read a registry entry, in flat form or in structured form with ``params``.

        Hashes are computed again instead of read. ``metrics`` beside an ``eval_hash`` are ignored. The class of an
        entry without one is ``Unknown``, as in PyRIT.

        Raises:
            ValueError: If the entry is in both forms at once, or has an invalid value.
            TypeError: If a part has the wrong type.
        """
        named = dict(entry)
        if "eval_hash" in named:
            named.pop(_BESIDE_EVAL_HASH, None)
        stray = {name: value for name, value in named.items() if name not in RESERVED}
        if "params" in named and stray:
            raise ValueError(
                f"params and stray top-level keys ({', '.join(sorted(stray))}): "
                "use either the flat form or the structured one, not both"
            )
        return cls(
            class_name=named.get("class_name") or named.get("__type__") or "Unknown",
            class_module=named.get("class_module") or named.get("__module__") or "unknown",
            params=_mapping("params", named.get("params", stray)),
            children={
                name: _child_from(cls, name, child)
                for name, child in _mapping("children", named.get("children")).items()
            },
            attributes=_mapping("attributes", named.get("attributes")),
            pyrit_version=named.get("pyrit_version"),
            unnamed_code=named.get("unnamed_code"),
        )

    def to_registry(self) -> dict[str, Any]:
        """Return the flat form of a registry entry, as plain dictionaries and lists."""
        entry: dict[str, Any] = {"class_name": self.class_name, "class_module": self.class_module, "hash": self.hash}
        if self.pyrit_version is not None:
            entry["pyrit_version"] = self.pyrit_version
        if self.unnamed_code is not None:
            entry["unnamed_code"] = self.unnamed_code
        entry.update(cast("dict[str, Any]", _plain(dict(self.params))))
        if self.attributes:
            entry["attributes"] = _plain(dict(self.attributes))
        if self.children:
            entry["children"] = self._each_child(lambda child: child.to_registry())
        return entry

    def __eq__(self, other: object) -> bool:
        return self.hash == other.hash if isinstance(other, ComponentIdentifier) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.hash)

    def __repr__(self) -> str:
        return f"ComponentIdentifier({self.class_module}.{self.class_name}, hash={self.hash[:8]})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_registry, (self.to_registry(),)


def without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a dictionary without the entries that are None."""
    return {name: value for name, value in values.items() if value is not None}


def _plain(value: object) -> object:
    """Return a copy of a JSON value in which arrays are lists."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in cast("dict[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in cast("list[object]", value)]
    return value


def _settled_children(owner: str, children: Mapping[str, object]) -> dict[str, Children]:
    settled: dict[str, Children] = {}
    for name, child in children.items():
        if not isinstance(cast("object", name), str):
            raise TypeError(f"{owner}: the name of a child must be a str, not {type(name).__name__}")
        if isinstance(child, ComponentIdentifier):
            settled[name] = child
            continue
        several = tuple(cast("list[object]", child)) if isinstance(child, list | tuple) else (child,)
        for one in several:
            if not isinstance(one, ComponentIdentifier):
                raise TypeError(
                    f"{owner}: children[{name!r}] must be a ComponentIdentifier or a list of them, "
                    f"not {type(one).__name__}"
                )
        settled[name] = cast("tuple[ComponentIdentifier, ...]", several)
    return settled


def _mapping(name: str, value: object) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict | MappingProxyType):
        raise TypeError(f"{name} must be a dictionary, not {type(value).__name__}")
    return dict(cast("dict[str, Any]", value))


def _child_from(cls: type[ComponentIdentifier], name: str, child: object) -> Children:
    if isinstance(child, list | tuple):
        return tuple(_one_child_from(cls, name, one) for one in cast("list[object]", child))
    return _one_child_from(cls, name, child)


def _one_child_from(cls: type[ComponentIdentifier], name: str, child: object) -> ComponentIdentifier:
    if isinstance(child, ComponentIdentifier):
        return child
    return cls.from_registry(_mapping(f"children[{name!r}]", child))
