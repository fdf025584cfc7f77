"""Engines: stored replies read where they are, on one machine or many.

``ParseBatch`` takes an Arrow batch and gives it back with six more columns. It is pure and picklable, so that whatever
schedules Arrow batches can run it; ``on_ray``, ``on_spark``, ``on_polars`` and ``on_duckdb`` are its use on four
engines, each of which is needed only where it is used. Nothing here schedules, retries or shuffles.

``import judgecore.engines.polars`` gives polars its namespace, and ``judgecore.engines.duckdb.register`` gives DuckDB a
function.
"""

from __future__ import annotations

from judgecore.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "batch": ["ParseBatch"],
        "duckdb": ["on_duckdb"],
        "lazyframe": ["on_polars"],
        "ray": ["on_ray"],
        "spark": ["on_spark"],
    },
)
