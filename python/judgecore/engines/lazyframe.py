"""Readings on a lazy frame of polars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgecore.reading import Format


def on_polars(lazyframe: Any, format: Format | str, column: str, *, prefix: str = "", **how: Any) -> Any:  # noqa: A002 - the contract's name
    """Put readings beside the replies of a lazy frame of polars.

    Args:
        lazyframe: A ``polars.LazyFrame``; a ``polars.DataFrame`` will do.
        format: What the judge was asked to answer.
        column: The column that holds the replies.
        prefix: What stands before the names of the added columns.
        **how: ``mode`` and ``cut``, the column that says which replies are cut off.

    Returns:
        The frame with six more columns: ``value``, ``status``, ``reason``, ``rule``, ``start`` and ``end``. It streams.
    """
    from judgecore.engines import polars  # noqa: PLC0415 - who does not use polars need not have it

    return polars.beside(lazyframe, format, column, prefix=prefix, **how)
