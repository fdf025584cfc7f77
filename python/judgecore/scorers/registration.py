"""The scorers that files know by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from judgecore.plugins import Plugins
from judgecore.scorers.scorer import Scorer

if TYPE_CHECKING:
    from collections.abc import Callable

_Class = TypeVar("_Class", bound=type[Any])


def _find_fault(kind: type[Any]) -> str | None:
    if not issubclass(kind, Scorer):
        return "it is no subclass of judgecore.scorers.Scorer"
    missing = sorted(kind.__abstractmethods__)
    return f"it does not define {', '.join(missing)}" if missing else None


SCORERS: Plugins[Scorer] = Plugins("scorer", "judgecore.scorers", _find_fault)
"""The registered scorers."""


def register_scorer(name: str) -> Callable[[_Class], _Class]:
    """Register a class of scorers by a name, as a decorator.

    Files of scorers then take the name, or that of the class, as their ``type``. A package that others install names
    the class as an entry point of the group ``judgecore.scorers``: ``brevity = "my_scorers:BrevityScorer"``. It is
    imported when the name is first used.

    Args:
        name: The name, such as ``brevity``.

    Returns:
        What registers a class and returns it as it is.

    Raises:
        ConfigurationError: If the name, or that of the class, belongs to another class, or the class is no ``Scorer``
            or lacks an abstract method.
    """
    return SCORERS.register(name)
