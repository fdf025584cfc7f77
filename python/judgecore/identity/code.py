"""Code as part of an identity: the import path, or the reason why there is no unambiguous one.

An identity holds names, not code. In a script, a notebook or a local function, the same name may later refer to other
code, whose metrics would then be confused; such code needs an explicit version.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from judgecore.errors import IdentityError
from judgecore.identity.component import SCRIPTS, ComponentIdentifier

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
