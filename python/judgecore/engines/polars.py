"""The namespace ``judgecore`` of polars, which importing this module registers.

import judgecore.engines.polars
frame["reply"].judgecore.parse("arena_hard")
frame.lazy().with_columns(pl.col("reply").judgecore.parse("arena_hard").alias("reading")).unnest("reading")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from judgecore.engines.batch import ADDED
from judgecore.reading import Format, extract_json_many, parse_many

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from judgecore.engines.batch import Mode
    from judgecore.reading import Readings

__all__ = ["ExpressionNamespace", "SeriesNamespace", "beside"]

pl: Any = import_module("polars")


@pl.api.register_series_namespace("judgecore")
class SeriesNamespace:
    """What ``series.judgecore`` offers."""

    def __init__(self, series: Any) -> None:
        """Read a series of replies."""
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
            format: What the judge was asked to answer.
            mode: As in ``judgecore.parse``.
            cut: Whether the replies are cut off: one bool, or a series of them.
            material: Series of texts that the judges were shown.
            threads: How many threads to use; one for each core by default.

        Returns:
            A series of structs, named like the replies: ``status``, ``reason``, ``value``, ``rule``, ``start`` and
            ``end``.
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
            keys: The document must be an object that has all of these.
            cut: As in ``parse``.
            material: As in ``parse``.
            threads: As in ``parse``.

        Returns:
            A series as ``parse`` gives it, in which ``value`` is the document's text.
        """
        return self._named(
            extract_json_many(self._series, keys=keys, cut=cut, material=list(material), threads=threads)
        )

    def _named(self, readings: Readings) -> Any:
        return pl.Series(readings).alias(self._series.name)


@pl.api.register_expr_namespace("judgecore")
class ExpressionNamespace:
    """What ``pl.col("reply").judgecore`` offers; it works in lazy frames and streams."""

    def __init__(self, expression: Any) -> None:
        """Read an expression that gives replies."""
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
            format: What the judge was asked to answer.
            mode: As in ``judgecore.parse``.
            cut: Whether the replies are cut off: one bool, or an expression or column of them.
            material: Expressions or columns of texts that the judges were shown.
            threads: How many threads to use; one for each core by default.

        Returns:
            An expression that gives structs, as ``SeriesNamespace.parse`` does.
        """
        resolved = Format.get(format) if isinstance(format, str) else format

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
            keys: The document must be an object that has all of these.
            cut: As in ``parse``.
            material: As in ``parse``.
            threads: As in ``parse``.

        Returns:
            An expression that gives structs, in which ``value`` is the document's text.
        """

        def read(replies: Any, cuts: Any, shown: Sequence[Any]) -> Readings:
            return extract_json_many(replies, keys=keys, cut=cuts, material=list(shown), threads=threads)

        return self._mapped(read, cut, material)

    def _mapped(self, read: Callable[[Any, Any, Sequence[Any]], Readings], cut: Any, material: Sequence[Any]) -> Any:
        """An expression that reads what this one gives, row by row."""
        # What is wrong with the arguments is said here and not when the frame is collected.
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


def beside(frame: Any, format: Format | str, column: str, *, prefix: str = "", **how: Any) -> Any:  # noqa: A002 - the contract's name
    """Put readings beside the replies of a frame; ``on_polars`` says the rest.

    Raises:
        ValueError: If the frame has a column of a name that is to be added.
    """
    added = {f"{prefix}{name}": name for name in ADDED}
    names = frame.lazy().collect_schema().names()
    if taken := [name for name in names if name in added]:
        cure = "name the new columns otherwise, as with prefix='jc_'"
        raise ValueError(f"the frame already has {', '.join(map(repr, taken))}; {cure}")
    reading = pl.col(column).judgecore.parse(format, **how)
    whole = next(
        name for name in ("reading", *(f"reading_{nth}" for nth in range(len(names) + 1))) if name not in names
    )
    parts = [pl.col(whole).struct.field(own).alias(name) for name, own in added.items()]
    return frame.with_columns(reading.alias(whole)).with_columns(parts).drop(whole)
