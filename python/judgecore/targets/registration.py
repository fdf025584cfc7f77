"""The registry of targets by name, for files, options and ledgers."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeVar

from judgecore.errors import ConfigurationError
from judgecore.plugins import Plugins
from judgecore.targets.target import Target

if TYPE_CHECKING:
    from collections.abc import Callable

_Made = TypeVar("_Made", bound="Callable[..., Any]")


def _find_fault(kind: type[Any]) -> str | None:
    abstract: frozenset[str] = getattr(kind, "__abstractmethods__", frozenset[str]())
    if missing := ({"send", "get_identifier"} - set(dir(kind))) | abstract:
        return f"it does not define {', '.join(sorted(missing))}"
    if not isinstance(inspect.getattr_static(kind, "read", None), classmethod | None):
        return "its read must be a class method, because stored replies are read without a target"
    return None


TARGETS: Plugins[Target] = Plugins("target", "judgecore.targets", _find_fault)
"""The registered targets."""


def register_target(name: str) -> Callable[[_Made], _Made]:
    """Register a class of targets, or a function that makes one, by a name, as a decorator.

    The ``type`` in files can then be the name, or that of the class or function; the other keys are its parameters. If
    a class has a class method ``read``, ledgers store the raw replies with this name and parse them with it. Keep the
    name as long as such ledgers are in use.

    A package declares the class or function as an entry point of the group ``judgecore.targets``:
    ``acme = "acme_judge:AcmeTarget"``. It is imported when the name is first used.

    Args:
        name: The name, such as ``acme``.

    Returns:
        A decorator that registers a class or a function and returns it unchanged.

    Raises:
        ConfigurationError: If the name, or that of the class or function, belongs to another one, a class lacks
            ``send``, ``get_identifier`` or an abstract method, or a function is async.

    Examples:
        >>> import judgecore as jc
        >>> from judgecore.scorers.configuration import build_target
        >>> @jc.targets.register_target("strict_judge")
        ... def strict_judge(model: str, *, port: int = 8000) -> jc.OpenAITarget:
        ...     return jc.OpenAITarget(model, base_url=f"http://127.0.0.1:{port}/v1", temperature=0)
        >>> build_target({"type": "strict_judge", "model": "judge"})
        OpenAITarget('judge', base_url='http://127.0.0.1:8000/v1')
    """
    register = TARGETS.register(name)

    def decorate(made: _Made) -> _Made:
        kind: Any = made
        register(_to_class(kind) if inspect.isfunction(kind) else kind)
        return made

    return decorate


def _to_class(factory: Callable[..., Any]) -> type[Any]:
    """Return a class with the parameters of a function; an instance is what the function returns."""
    said = f"{factory.__module__}.{factory.__qualname__}"
    if inspect.iscoroutinefunction(factory):
        raise ConfigurationError(
            f"{said} is async, and can't make a target; for a function that judges, return CallableTarget(function)"
        )

    def make(_kind: type[Any], *arguments: Any, **options: Any) -> Target:
        made = factory(*arguments, **options)
        if not isinstance(made, Target):
            raise TypeError(f"{said} returned {type(made).__name__}; return a target")
        return made

    names = {one: getattr(factory, one) for one in ("__doc__", "__qualname__")}
    # Code that is executed as text has no module.
    names["__module__"] = factory.__module__ or "__main__"
    # As those of a class with this constructor, for files and their schema.
    parameters = {"__init__": factory, "__signature__": inspect.signature(factory)}
    methods = {one: vars(Target)[one] for one in ("send", "get_identifier")}
    return type(factory.__name__, (), {**names, **parameters, **methods, "__new__": make})
