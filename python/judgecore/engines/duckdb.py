"""Read replies in DuckDB, as a stream of batches or with an SQL function."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from judgecore.engines.batch import ADDED, ParseBatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from judgecore.reading import Format

# More than a DuckDB vector, so that a batch keeps all cores busy.
ROWS_IN_BATCH = 122_880


def on_duckdb(relation: Any, format: Format | str, column: str, **how: Any) -> Any:  # noqa: A002 - the contract's name
    """Add readings to a DuckDB relation.

    Args:
        relation: A ``duckdb.DuckDBPyRelation``.
        format: The format of the replies, or its id.
        column: The column that holds the replies.
        **how: As in ``ParseBatch``; ``threads`` is all cores by default.

    Returns:
        A lazy pyarrow ``RecordBatchReader``, for use in ``duckdb.from_arrow`` and anything else that accepts Arrow.
        Exhaust or close it before you use the relation's connection again.
    """
    how.setdefault("threads", None)
    read = ParseBatch(format, column, **how)
    reader = relation.to_arrow_reader(ROWS_IN_BATCH)
    try:
        schema = read.schema(reader.schema)
    except BaseException:
        # A reader that stays open blocks its connection.
        reader.close()
        raise
    return import_module("pyarrow").RecordBatchReader.from_batches(schema, _each(reader, read))


def _each(reader: Any, read: ParseBatch) -> Iterator[Any]:
    """Read the batches, and close the reader at the end or on an error."""
    try:
        for batch in reader:
            yield read(batch)
    finally:
        reader.close()


def register(connection: Any, format: Format | str, name: str | None = None, **how: Any) -> str:  # noqa: A002 - the contract's name
    """Register an SQL function that reads a reply: ``SELECT judgecore_arena_hard(reply).value FROM replies``.

    The function returns a struct of ``value``, ``status``, ``reason``, ``rule``, ``start`` and ``end``. DuckDB passes
    2,048 rows per call, so ``on_duckdb`` is faster for whole tables.

    Args:
        connection: A ``duckdb.DuckDBPyConnection``.
        format: The format of the replies, or its id.
        name: The function's name; by default ``judgecore_`` and the format's id, with ``_`` for ``.``.
        **how: ``mode`` and ``value``, as in ``ParseBatch``.

    Returns:
        The function's name.
    """
    pa = import_module("pyarrow")
    read = ParseBatch(format, "reply", **how)
    name = name or "judgecore_" + read.resolved.id.replace(".", "_")
    fields = [field.with_name(own) for field, own in zip(read.fields, ADDED, strict=True)]
    sql = import_module("duckdb")

    def parse(replies: Any) -> Any:
        table = read(pa.table({"reply": replies}))
        parts = [table.column(own).combine_chunks() for own in ADDED]
        return pa.StructArray.from_arrays(parts, fields=fields)

    # Let DuckDB map the Arrow types to its own.
    kinds = sql.from_arrow(pa.schema(fields).empty_table(), connection=connection).types
    returned = sql.struct_type(dict(zip(ADDED, kinds, strict=True)))
    # A null reply is read as missing, so the result is not null.
    connection.create_function(name, parse, [sql.sqltypes.VARCHAR], returned, type="arrow", null_handling="special")
    return name
