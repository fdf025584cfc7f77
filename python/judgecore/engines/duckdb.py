"""Readings on DuckDB: a stream of batches, and a function of SQL."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from judgecore.engines.batch import ADDED, ParseBatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from judgecore.reading import Format

# More than a vector of DuckDB's, so that a batch keeps all cores busy.
ROWS_IN_BATCH = 122_880


def on_duckdb(relation: Any, format: Format | str, column: str, **how: Any) -> Any:  # noqa: A002 - the contract's name
    """Put readings beside the replies of a DuckDB relation.

    Args:
        relation: A ``duckdb.DuckDBPyRelation``.
        format: What the judge was asked to answer.
        column: The column that holds the replies.
        **how: As in ``ParseBatch``; all cores are used unless ``threads`` says otherwise.

    Returns:
        A pyarrow ``RecordBatchReader``, read as it is used: ``duckdb.from_arrow`` and all that takes Arrow take it.
        Read it to its end, or close it, before the relation's connection is used again.
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
    """Read batch after batch, and let go of the connection however that ends."""
    try:
        for batch in reader:
            yield read(batch)
    finally:
        reader.close()


def register(connection: Any, format: Format | str, name: str | None = None, **how: Any) -> str:  # noqa: A002 - the contract's name
    """Give DuckDB a function that reads a reply: ``SELECT judgecore_arena_hard(reply).value FROM replies``.

    The function gives a struct of ``value``, ``status``, ``reason``, ``rule``, ``start`` and ``end``. DuckDB hands over
    2,048 rows a call, so that ``on_duckdb`` is faster for whole tables.

    Args:
        connection: A ``duckdb.DuckDBPyConnection``.
        format: What the judge was asked to answer.
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

    # DuckDB's own words for the types of such a struct.
    kinds = sql.from_arrow(pa.schema(fields).empty_table(), connection=connection).types
    returned = sql.struct_type(dict(zip(ADDED, kinds, strict=True)))
    # Null is a reply that is missing, and not a result that is null.
    connection.create_function(name, parse, [sql.sqltypes.VARCHAR], returned, type="arrow", null_handling="special")
    return name
