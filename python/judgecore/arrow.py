"""``import_arrow``: pyarrow, which not everybody needs, or the cure where it is missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def import_arrow(what: str, module: str = "pyarrow") -> Any:
    """Import pyarrow.

    Args:
        what: What needs it, as the message begins.
        module: One of its modules, such as ``pyarrow.parquet``.

    Returns:
        The module.

    Raises:
        ImportError: If it is not installed, which the extra ``judgecore[arrow]`` brings.
    """
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(f"{what} needs pyarrow: pip install 'judgecore[arrow]'") from None
