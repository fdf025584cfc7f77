"""Read replies in a polars frame."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from judgecore.engines.batch import ADDED
from judgecore.reading import parse_many, to_format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.reading import Format, Mode


def on_polars(
    lazyframe: Any,
    format: Format | str,  # noqa: A002 - the contract's name
    column: str,
    *,
    prefix: str = "",
    mode: Mode = "lenient",
    cut: str | None = None,
    material: Sequence[str] = (),
    threads: int | None = None,
) -> Any:
    """Add readings to a polars frame.

    Args:
        lazyframe: A ``polars.LazyFrame`` or ``polars.DataFrame``.
        format: The format of the replies, or its id.
        column: The column that holds the replies.
        prefix: The prefix of the added columns' names.
        mode: As in ``parse``.
        cut: The column of booleans that marks cut-off replies; None for none.
        material: The columns of texts that the judge was shown.
        threads: The number of threads; None for one per core.

    Returns:
        The frame with six more columns: ``value``, ``status``, ``reason``, ``rule``, ``start`` and ``end``. It can be
        streamed.

    Raises:
        UnknownFormatError: If no format has the id.
        ValueError: If the format has no such mode, or an added column's name is taken.
    """
    pl = import_module("polars")
    form = to_format(format)
    kind = pl.Series(parse_many([], form, mode=mode)).dtype
    added = {f"{prefix}{name}": name for name in ADDED}
    names = lazyframe.lazy().collect_schema().names()
    if taken := [name for name in names if name in added]:
        cure = "rename the added columns, for example with prefix='jc_'"
        raise ValueError(f"the frame already has {', '.join(map(repr, taken))}; {cure}")

    def read(columns: Any) -> Any:
        fields = columns.struct
        cuts = None if cut is None else fields.field(cut)
        shown = [fields.field(name) for name in material]
        readings = parse_many(fields.field(column), form, mode=mode, cut=cuts, material=shown, threads=threads)
        return pl.Series(readings)

    given = pl.struct(*dict.fromkeys((column, *([] if cut is None else [cut]), *material)))
    reading = given.map_batches(read, return_dtype=kind, is_elementwise=True)
    whole = next(name for name in ("reading", *(f"reading_{nth}" for nth in range(len(names)))) if name not in names)
    parts = [pl.col(whole).struct.field(own).alias(name) for name, own in added.items()]
    return lazyframe.with_columns(reading.alias(whole)).with_columns(parts).drop(whole)
