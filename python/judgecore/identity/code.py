"""Code as a part of an identity: where it is imported from, or why nothing tells it from other code.

An identity holds names, not code. Where a name can stand for other code tomorrow, in a script, a notebook or a function
that makes it anew, metrics of the one would be shown for the other; there only a version of the author's counts.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from judgecore.errors import IdentityError
from judgecore.identity.component import SCRIPTS, ComponentIdentifier

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The package stands for all modules in it, so that no hash changes with the station or the file of what it names.
_PACKAGE = "judgecore"

CLASS_CURE = (
    'set version = "1" on the class and raise it whenever its code gives something else, '
    "or move it into a module that can be imported"
)


def code_path(code: object) -> str:
    """Return where a function or a class is imported from.

    Args:
        code: The function or class.

    Raises:
        IdentityError: If no name stands for it and for nothing else; the message says why.
    """
    module, name = getattr(code, "__module__", None), getattr(code, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        raise IdentityError("it is no function")
    if "<" in name:
        raise IdentityError(f"{name} is made anew wherever its line runs")
    if getattr(code, "__closure__", None):
        raise IdentityError(f"{name} closes over values that no name shows")
    if module in SCRIPTS:
        raise IdentityError(f"{name} stands in a script or a notebook, and every script is called __main__")
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not code:
        raise IdentityError(f"{module}.{name} is something else by now")
    return f"{_public(module)}.{name}"


def why_unnamed(code: object, cure: str) -> str | None:
    """Return why no name stands for a function or a class and for nothing else, with the cure; None where one does.

    Args:
        code: The function or class.
        cure: What to do about it.
    """
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
    """Return what a component is, by its class.

    Args:
        component: The component. ``version``, where its class or itself has one, is a param.
        params: Everything that can change what it does, as JSON values by name.
        children: Components that it is made of.
        attributes: What describes it.
        unnamed_code: Why no name stands for other code that it runs; None where one does.
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
    """Whether it has a version of its own; one that its class inherits says nothing of the class."""
    own = (getattr(component, "__dict__", {}), vars(type(component)))
    return any(one.get("version") is not None for one in own)


def _public(module: str) -> str:
    return _PACKAGE if module.startswith(f"{_PACKAGE}.") else module
