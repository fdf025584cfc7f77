"""Read replies inside data engines: polars, DuckDB, Ray and Spark.

``ParseBatch`` adds six columns to an Arrow batch. It is a pure, picklable function, so any scheduler of Arrow batches
can run it; Ray takes it directly. ``on_spark``, ``on_polars`` and ``on_duckdb`` apply it on other engines, each
imported only when used. Scheduling, retries and shuffles are left to the engine.

``judgecore.engines.duckdb.register`` registers a function in DuckDB.
"""

from __future__ import annotations

from judgecore.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "batch": ["ParseBatch"],
        "duckdb": ["on_duckdb"],
        "polars": ["on_polars"],
        "spark": ["on_spark"],
    },
)
