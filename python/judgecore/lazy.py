"""Lazy exports: a package's public names, written once and imported when they are first used.

Type checkers read the stubs ``__init__.pyi``, which ``make pages`` writes from the same lists.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping


def lazy_exports(
    package: str, homes: Mapping[str, Collection[str]], modules: Collection[str] = ()
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's ``__all__``, ``__getattr__`` and ``__dir__``.

    ``homes`` has the public names by the submodule that defines them; ``modules`` are imported on first use, too.
    """
    home_of = {name: f"{package}.{home}" for home, names in homes.items() for name in names}
    names = sorted(home_of)

    def load(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home_of[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        return sorted([*names, *modules])

    return names, load, listed
