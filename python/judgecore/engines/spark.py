"""Readings on Spark."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from judgecore.engines.batch import ParseBatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from judgecore.reading import Format


def on_spark(dataframe: Any, format: Format | str, column: str, **how: Any) -> Any:  # noqa: A002 - the contract's name
    """Put readings beside the replies of a Spark dataframe.

    Spark hands Arrow batches to a Python worker for each core, which needs judgecore and pyarrow installed.

    Args:
        dataframe: A ``pyspark.sql.DataFrame``.
        format: What the judge was asked to answer.
        column: The column that holds the replies.
        **how: As in ``ParseBatch``.

    Returns:
        The dataframe with six more columns, to be worked out when it is used.
    """
    read = ParseBatch(format, column, **how)
    types = import_module("pyspark.sql.pandas.types")
    pa = import_module("pyarrow")
    schema = dataframe.schema
    # Taken names are refused here and not on a worker.
    read.schema(pa.schema([(name, pa.null()) for name in schema.names]))
    added = types.from_arrow_schema(pa.schema(read.fields))
    return dataframe.mapInArrow(_Each(read), type(schema)([*schema.fields, *added.fields]))


class _Each:
    """Reads batch after batch."""

    def __init__(self, read: ParseBatch) -> None:
        self._read = read

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        return map(self._read, batches)
