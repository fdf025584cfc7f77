"""Read replies in a polars lazy frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgecore.reading import Format


def on_polars(lazyframe: Any, format: Format | str, column: str, *, prefix: str = "", **how: Any) -> Any:  # noqa: A002 - the contract's name
    """Add readings to a polars lazy frame.

    Args:
        lazyframe: A ``polars.LazyFrame`` or ``polars.DataFrame``.
        format: The format of the replies, or its id.
        column: The column that holds the replies.
        prefix: The prefix of the added columns' names.
        **how: ``mode``, and ``cut``, the column that marks cut-off replies.

    Returns:
        The frame with six more columns: ``value``, ``status``, ``reason``, ``rule``, ``start`` and ``end``. It can be
        streamed.
    """
    from judgecore.engines import polars  # noqa: PLC0415 - polars is an optional dependency

    return polars.add_readings(lazyframe, format, column, prefix=prefix, **how)
