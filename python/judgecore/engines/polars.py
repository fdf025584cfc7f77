"""The namespace ``judgecore`` for polars; importing this module registers it.

import judgecore.engines.polars
frame["reply"].judgecore.parse("arena_hard")
frame.lazy().with_columns(pl.col("reply").judgecore.parse("arena_hard").alias("reading")).unnest("reading")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from judgecore.engines.batch import ADDED
from judgecore.reading import Format, extract_json_many, parse_many, to_format

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from judgecore.reading import Mode, Readings

__all__ = ["ExpressionNamespace", "SeriesNamespace", "add_readings"]

pl: Any = import_module("polars")


@pl.api.register_series_namespace("judgecore")
class SeriesNamespace:
    """The namespace ``series.judgecore``."""

    def __init__(self, series: Any) -> None:
        """Wrap a series of replies."""
        self._series = series

    def parse(
        self,
        format: Format | str,  # noqa: A002 - the contract's name
        *,
        mode: Mode = "lenient",
        cut: Any = None,
        material: Sequence[Any] = (),
        threads: int | None = None,
    ) -> Any:
        """Read each reply.

        Args:
            format: The format of the replies, or its id.
            mode: As in ``judgecore.parse``.
            cut: Whether the replies are cut off: one bool, or a series of them.
            material: Series of texts that the judges were shown.
            threads: The number of threads; None for one per core.

        Returns:
            A series of structs with the fields ``status``, ``reason``, ``value``, ``rule``, ``start`` and ``end``; it
            has the name of the replies.
        """
        return self._named(
            parse_many(self._series, format, mode=mode, cut=cut, material=list(material), threads=threads)
        )

    def extract_json(
        self,
        keys: Sequence[str] = (),
        *,
        cut: Any = None,
        material: Sequence[Any] = (),
        threads: int | None = None,
    ) -> Any:
        """Find the JSON document of each reply.

        Args:
            keys: Keys that the document, an object, must have.
            cut: As in ``parse``.
            material: As in ``parse``.
            threads: As in ``parse``.

        Returns:
            A series as returned by ``parse``, with the document's JSON text as ``value``.
        """
        return self._named(
            extract_json_many(self._series, keys=keys, cut=cut, material=list(material), threads=threads)
        )

    def _named(self, readings: Readings) -> Any:
        return pl.Series(readings).alias(self._series.name)


@pl.api.register_expr_namespace("judgecore")
class ExpressionNamespace:
    """The namespace ``pl.col("reply").judgecore``; it supports lazy frames and streaming."""

    def __init__(self, expression: Any) -> None:
        """Wrap an expression of replies."""
        self._expression = expression

    def parse(
        self,
        format: Format | str,  # noqa: A002 - the contract's name
        *,
        mode: Mode = "lenient",
        cut: Any = None,
        material: Sequence[Any] = (),
        threads: int | None = None,
    ) -> Any:
        """Read each reply.

        Args:
            format: The format of the replies, or its id.
            mode: As in ``judgecore.parse``.
            cut: Whether the replies are cut off: one bool, or an expression or column of them.
            material: Expressions or columns of texts that the judges were shown.
            threads: The number of threads; None for one per core.

        Returns:
            An expression of structs, as returned by ``SeriesNamespace.parse``.
        """
        resolved = to_format(format)

        def read(replies: Any, cuts: Any, shown: Sequence[Any]) -> Readings:
            return parse_many(replies, resolved, mode=mode, cut=cuts, material=list(shown), threads=threads)

        return self._mapped(read, cut, material)

    def extract_json(
        self,
        keys: Sequence[str] = (),
        *,
        cut: Any = None,
        material: Sequence[Any] = (),
        threads: int | None = None,
    ) -> Any:
        """Find the JSON document of each reply.

        Args:
            keys: Keys that the document, an object, must have.
            cut: As in ``parse``.
            material: As in ``parse``.
            threads: As in ``parse``.

        Returns:
            An expression of structs, with the document's JSON text as ``value``.
        """

        def read(replies: Any, cuts: Any, shown: Sequence[Any]) -> Readings:
            return extract_json_many(replies, keys=keys, cut=cuts, material=list(shown), threads=threads)

        return self._mapped(read, cut, material)

    def _mapped(self, read: Callable[[Any, Any, Sequence[Any]], Readings], cut: Any, material: Sequence[Any]) -> Any:
        """Return an expression that reads this one's replies elementwise."""
        # Wrong arguments raise here, not when the frame is collected.
        kind = pl.Series(read([], None, ())).dtype
        is_one = cut is None or isinstance(cut, bool)
        if is_one and not material:

            def alone(replies: Any) -> Any:
                return pl.Series(read(replies, cut, ())).alias(replies.name)

            return self._expression.map_batches(alone, return_dtype=kind, is_elementwise=True)

        def together(columns: Sequence[Any]) -> Any:
            replies, cuts, shown = columns[0], cut, columns[1:]
            if not is_one:
                cuts, shown = shown[0], shown[1:]
            return pl.Series(read(replies, cuts, shown)).alias(replies.name)

        others = [*([] if is_one else [cut]), *material]
        return pl.map_batches([self._expression, *others], together, return_dtype=kind, is_elementwise=True)


def add_readings(frame: Any, format: Format | str, column: str, *, prefix: str = "", **how: Any) -> Any:  # noqa: A002 - the contract's name
    """Add readings to a frame; the arguments are those of ``on_polars``.

    Raises:
        ValueError: If an added column's name is taken.
    """
    added = {f"{prefix}{name}": name for name in ADDED}
    names = frame.lazy().collect_schema().names()
    if taken := [name for name in names if name in added]:
        cure = "rename the added columns, for example with prefix='jc_'"
        raise ValueError(f"the frame already has {', '.join(map(repr, taken))}; {cure}")
    reading = pl.col(column).judgecore.parse(format, **how)
    whole = next(
        name for name in ("reading", *(f"reading_{nth}" for nth in range(len(names) + 1))) if name not in names
    )
    parts = [pl.col(whole).struct.field(own).alias(name) for name, own in added.items()]
    return frame.with_columns(reading.alias(whole)).with_columns(parts).drop(whole)
