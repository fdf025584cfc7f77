# Written by `make pages`; edit the list in __init__.py, not this file.

from judgecore.engines.batch import (
    ParseBatch,
)
from judgecore.engines.duckdb import (
    on_duckdb,
)
from judgecore.engines.polars import (
    on_polars,
)
from judgecore.engines.spark import (
    on_spark,
)

__all__ = [
    "ParseBatch",
    "on_duckdb",
    "on_polars",
    "on_spark",
]
