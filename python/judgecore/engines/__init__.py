"""Engines: stored replies read where they are, on one machine or many.

``ParseBatch`` takes an Arrow batch and gives it back with six more columns. It is pure and picklable, so that whatever
schedules Arrow batches can run it; ``on_ray``, ``on_spark``, ``on_polars`` and ``on_duckdb`` are its use on four
engines, each of which is needed only where it is used. Nothing here schedules, retries or shuffles.

``import judgecore.engines.polars`` gives polars its namespace, and ``judgecore.engines.duckdb.register`` gives DuckDB a
function.
"""

from __future__ import annotations

from judgecore.engines.batch import ParseBatch
from judgecore.engines.duckdb import on_duckdb
from judgecore.engines.lazyframe import on_polars
from judgecore.engines.ray import on_ray
from judgecore.engines.spark import on_spark

__all__ = ["ParseBatch", "on_duckdb", "on_polars", "on_ray", "on_spark"]
