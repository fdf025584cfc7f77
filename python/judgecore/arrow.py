"""The optional dependency pyarrow: import it, and prepare strings for it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable


def import_arrow(what: str, module: str = "pyarrow") -> Any:
    """Import pyarrow or one of its modules; without it, the error says what needs it, and names the extra."""
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(f"{what} needs pyarrow: pip install 'judgecore[arrow]'") from None


def without_surrogates(value: Any) -> Any:
    """Return a value with U+FFFD for each lone surrogate, which Arrow strings can't hold."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        cells = cast("dict[Any, Any]", value)
        return {without_surrogates(name): without_surrogates(one) for name, one in cells.items()}
    if isinstance(value, list | tuple):
        texts = [without_surrogates(one) for one in cast("Iterable[Any]", value)]
        return tuple(texts) if isinstance(value, tuple) else texts
    return value
