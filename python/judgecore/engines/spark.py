"""Read replies in Spark."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from judgecore.engines.batch import ParseBatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from judgecore.reading import Format


def on_spark(dataframe: Any, format: Format | str, column: str, **how: Any) -> Any:  # noqa: A002 - the contract's name
    """Add readings to a Spark dataframe.

    Spark passes Arrow batches to one Python worker per core; the workers need judgecore and pyarrow.

    Args:
        dataframe: A ``pyspark.sql.DataFrame``.
        format: The format of the replies, or its id.
        column: The column that holds the replies.
        **how: As in ``ParseBatch``.

    Returns:
        The lazy dataframe with six more columns.
    """
    read = ParseBatch(format, column, **how)
    types = import_module("pyspark.sql.pandas.types")
    pa = import_module("pyarrow")
    schema = dataframe.schema
    # Raise here, not on a worker, if an added column's name is taken.
    read.schema(pa.schema([(name, pa.null()) for name in schema.names]))
    added = types.from_arrow_schema(pa.schema(read.fields))
    return dataframe.mapInArrow(_Each(read), type(schema)([*schema.fields, *added.fields]))


class _Each:
    """A function that reads an iterator of batches."""

    def __init__(self, read: ParseBatch) -> None:
        self._read = read

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        return map(self._read, batches)
