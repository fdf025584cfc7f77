"""``ComponentIdentifier``: the identity of a component, and its hash; the identities of scorers, readers and code."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeAlias, cast

from judgecore.errors import IdentityError
from judgecore.hashing import canonical_json, content_hash
from judgecore.reading import READING_VERSION, to_format

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from judgecore.reading import Format, Mode


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


# PyRIT's rules: a target counts with its model and sampling parameters, not with its endpoint.
_TARGETS = frozenset({"prompt_target", "targets"})
_OF_A_TARGET = frozenset({"temperature", "top_p", "underlying_model_name"})
_MODEL, _MODEL_ELSE = "underlying_model_name", "model_name"
_WRAPPED = "targets"


@dataclass(frozen=True, repr=False)
class ScorerEvaluationIdentifier:
    """A scorer's identity for metrics.

    Two scorers with the same ``eval_hash`` give the same verdicts, so metrics of one are valid for the other. It covers
    the whole tree except ``attributes``. Children named ``prompt_target`` or ``targets`` count only with their class,
    ``temperature``, ``top_p`` and ``underlying_model_name`` (``model_name`` if that is missing or empty); one that
    wraps ``targets`` counts as the first of them. A list of one child counts as the child.

    Attributes:
        identifier: The scorer's identity.
        eval_hash: SHA-256 in 64 hex digits, equal to PyRIT's.

    Raises:
        IdentityError: If the code of a component has no unambiguous name, because it is defined in a script, a notebook
            or a function and has no version; the message names the component and the fix.

    Examples:
        >>> from judgecore import ComponentIdentifier, ScorerEvaluationIdentifier
        >>> def judged_by(endpoint):
        ...     target = ComponentIdentifier(
        ...         class_name="Target", class_module="m", params={"model_name": "gpt-4o", "endpoint": endpoint}
        ...     )
        ...     return ComponentIdentifier(class_name="Scorer", class_module="m", children={"prompt_target": target})
        >>> one, other = judged_by("https://one.example"), judged_by("https://other.example")
        >>> one.hash == other.hash
        False
        >>> ScorerEvaluationIdentifier(one).eval_hash == ScorerEvaluationIdentifier(other).eval_hash
        True
    """

    identifier: ComponentIdentifier = field(compare=False)
    eval_hash: str = field(init=False)

    def __post_init__(self) -> None:
        _refuse_unnamed(self.identifier)
        object.__setattr__(self, "eval_hash", _eval_hash(self.identifier))

    def __repr__(self) -> str:
        return f"ScorerEvaluationIdentifier({self.identifier!r}, eval_hash={self.eval_hash[:8]})"


def _refuse_unnamed(component: ComponentIdentifier) -> None:
    why = component.unnamed_code
    if why is None and component.class_module in SCRIPTS and component.params.get("version") is None:
        why = (
            "it is defined in a script or a notebook, where every module is named __main__; give it a version in its "
            "params"
        )
    if why is not None:
        raise IdentityError(f"{component.class_name} has no eval_hash, which metrics are stored under: {why}")
    for name in component.children:
        for child in component.children_of(name):
            _refuse_unnamed(child)


def _eval_hash(component: ComponentIdentifier, *, is_target: bool = False) -> str:
    params = _target_params(component) if is_target else without_none(component.params)
    hashed: dict[str, Any] = {"class_name": component.class_name, "class_module": component.class_module, **params}
    children: dict[str, Any] = {}
    for name in component.children:
        is_targets = name in _TARGETS
        each = component.children_of(name)
        if is_targets:
            each = [child.children_of(_WRAPPED)[0] if child.children_of(_WRAPPED) else child for child in each]
        hashes = [_eval_hash(child, is_target=is_targets) for child in each]
        children[name] = hashes[0] if len(hashes) == 1 else hashes
    if children:
        hashed["children"] = children
    return content_hash(hashed)


def _target_params(target: ComponentIdentifier) -> dict[str, Any]:
    params = {name: value for name, value in without_none(target.params).items() if name in _OF_A_TARGET}
    if params.get(_MODEL) in (None, ""):
        model = target.params.get(_MODEL_ELSE)
        if model not in (None, ""):
            params[_MODEL] = model
    return params


def reader_identifier(
    format: Format | str,  # noqa: A002 - the contract's name
    *,
    mode: Mode = "lenient",
) -> ComponentIdentifier:
    """Return the identity of reading one format in one mode.

    Args:
        format: The format, or its id.
        mode: The mode of reading.

    Returns:
        An identifier; its part in ``eval_hash`` depends on what in the declaration affects outcomes, on the mode, and
        on ``READING_VERSION``. The format's id is an attribute.

    Raises:
        UnknownFormatError: If no format has the id.
        ValueError: If the format has no such mode.

    Examples:
        >>> import judgecore as jc
        >>> jc.identity.reader_identifier("mt_bench.single").params["mode"]
        'lenient'
    """
    known = to_format(format, mode)
    return ComponentIdentifier(
        class_name="Format",
        class_module="judgecore",
        params={"declaration": known.hash, "mode": mode, "reading_version": READING_VERSION},
        attributes={"format": known.id},
    )


# All modules of the package are named by the package, so that moving code between files changes no hash.
_PACKAGE = "judgecore"

CLASS_CURE = (
    'set version = "1" on the class and increase it whenever its results change, '
    "or move it to a module that can be imported"
)


def code_path(code: object) -> str:
    """Return the import path of a function or a class."""
    module, name = getattr(code, "__module__", None), getattr(code, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        raise IdentityError("it is neither a function nor a class")
    if "<" in name:
        raise IdentityError(f"{name} is defined inside a function or is a lambda")
    if getattr(code, "__closure__", None):
        raise IdentityError(f"{name} is a closure, whose variables are not part of its name")
    if module in SCRIPTS:
        raise IdentityError(f"{name} is defined in a script or a notebook, where every module is named __main__")
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not code:
        raise IdentityError(f"{module}.{name} now refers to another object")
    return f"{_public(module)}.{name}"


def why_unnamed(code: object, cure: str) -> str | None:
    """Return why a function or a class has no unambiguous import path, with the fix; None if it has one."""
    try:
        code_path(code)
    except IdentityError as problem:
        return f"{problem}; {cure}"
    return None


def class_identifier(
    component: object,
    *,
    params: Mapping[str, Any],
    children: Mapping[str, ComponentIdentifier | Sequence[ComponentIdentifier]] | None = None,
    attributes: Mapping[str, Any] | None = None,
    unnamed_code: str | None = None,
) -> ComponentIdentifier:
    """Return the identity of an instance of a class.

    Args:
        component: The component. Its ``version``, if it or its class has one, is a param.
        params: Everything that can change its behavior, as JSON values by name.
        children: The components that it consists of.
        attributes: Descriptive values.
        unnamed_code: Why other code that it runs has no unambiguous import path; None if it has one.
    """
    kind = type(component)
    return ComponentIdentifier(
        class_name=kind.__qualname__,
        class_module=_public(kind.__module__),
        params={"version": getattr(component, "version", None), **params},
        children=children or {},
        attributes=attributes or {},
        unnamed_code=unnamed_code or (None if _is_versioned(component) else why_unnamed(kind, CLASS_CURE)),
    )


def _is_versioned(component: object) -> bool:
    """Return whether it or its own class has a version; an inherited version does not identify a subclass."""
    own = (getattr(component, "__dict__", {}), vars(type(component)))
    return any(one.get("version") is not None for one in own)


def _public(module: str) -> str:
    return _PACKAGE if module.startswith(f"{_PACKAGE}.") else module
