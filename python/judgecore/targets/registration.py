"""The registry of targets by name, for files, options and ledgers."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeVar

from judgecore.plugins import Plugins

if TYPE_CHECKING:
    from collections.abc import Callable

    from judgecore.targets.target import Target

_Class = TypeVar("_Class", bound=type[Any])


def _find_fault(kind: type[Any]) -> str | None:
    abstract: frozenset[str] = getattr(kind, "__abstractmethods__", frozenset[str]())
    if missing := ({"send", "get_identifier"} - set(dir(kind))) | abstract:
        return f"it does not define {', '.join(sorted(missing))}"
    if not isinstance(inspect.getattr_static(kind, "read", None), classmethod | None):
        return "its read must be a class method, because stored replies are read without a target"
    return None


TARGETS: Plugins[Target] = Plugins("target", "judgecore.targets", _find_fault)
"""The registered targets."""


def register_target(name: str) -> Callable[[_Class], _Class]:
    """Register a class of targets by a name, as a decorator.

    The ``type`` in files can then be the name, or that of the class. If the class has a class method ``read``, ledgers
    store the raw replies with this name and parse them with it. Keep the name as long as such ledgers are in use.

    A package declares the class as an entry point of the group ``judgecore.targets``:
    ``acme = "acme_judge:AcmeTarget"``. It is imported when the name is first used.

    Args:
        name: The name, such as ``acme``.

    Returns:
        A decorator that registers a class and returns it unchanged.

    Raises:
        ConfigurationError: If the name, or that of the class, belongs to another class, or the class lacks ``send``,
            ``get_identifier`` or an abstract method.
    """
    return TARGETS.register(name)
