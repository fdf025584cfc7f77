"""Measure rows per second of each engine on real replies, in the environment of `make test-engines`.

``--json`` prints JSON. Each engine is warmed up and may use all cores. Missing engines are skipped with a message on
standard error.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
import warnings
from importlib import import_module
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpora
import pyarrow as pa
import pyarrow.parquet as pq

import judgecore as jc
from judgecore.engines import ParseBatch, on_duckdb, on_polars, on_spark

if TYPE_CHECKING:
    from collections.abc import Callable

FORMAT = "mt_bench.single"
ROWS = 400_000
FILES = 4
REPEATS = 3


def write(folder: Path, count: int) -> tuple[int, int]:
    """Write the replies; return the number that can be read and the size in bytes."""
    texts = corpora.replies()
    known = [outcome.ok for outcome in jc.parse_many(texts, FORMAT)]
    share = count // FILES
    for nth in range(FILES):
        part = list(islice(cycle(texts), nth * share, (nth + 1) * share))
        pq.write_table(pa.table({"reply": part}), folder / f"{nth}.parquet", use_dictionary=False)
    rows = list(islice(cycle(range(len(texts))), share * FILES))
    return sum(known[row] for row in rows), sum(len(texts[row].encode()) for row in rows)


def with_polars(folder: str) -> Callable[[], int]:
    """Run the streaming engine."""
    pl: Any = import_module("polars")

    def run() -> int:
        read = on_polars(pl.scan_parquet(f"{folder}/*.parquet"), FORMAT, "reply")
        counts = read.group_by("status").len().collect(engine="streaming")
        return dict(counts.with_columns(pl.col("status").cast(pl.String)).iter_rows())["ok"]

    return run


def with_duckdb(folder: str) -> Callable[[], int]:
    """Run a stream of batches."""
    duckdb: Any = import_module("duckdb")

    def run() -> int:
        connection = duckdb.connect()
        batches = on_duckdb(connection.read_parquet(f"{folder}/*.parquet"), FORMAT, "reply")
        return sum(batch["value"].is_valid().sum().as_py() for batch in batches)

    return run


def with_ray(folder: str) -> Callable[[], int]:
    """Run on a local node."""
    os.environ.update(RAY_DATA_DISABLE_PROGRESS_BARS="1", RAY_USAGE_STATS_ENABLED="0")
    ray: Any = import_module("ray")

    ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR")

    def run() -> int:
        dataset = ray.data.read_parquet(folder).repartition(16)
        read = dataset.map_batches(ParseBatch(FORMAT, "reply").__call__, batch_format="pyarrow", zero_copy_batch=True)
        batches: Any = read.iter_batches(batch_format="pyarrow", batch_size=None)
        return sum(len(batch) - batch["value"].null_count for batch in batches)

    return run


def with_spark(folder: str) -> Callable[[], int]:
    """Run in local mode with one worker per core."""
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)

    made: Any = import_module("pyspark.sql").SparkSession.builder
    spark = made.master("local[*,4]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    def run() -> int:
        counts = on_spark(spark.read.parquet(folder), FORMAT, "reply").groupBy("status").count()
        return dict(counts.collect())["ok"]

    return run


ENGINES = {"polars": with_polars, "DuckDB": with_duckdb, "Ray": with_ray, "Spark": with_spark}
PACKAGES = {"polars": "polars", "DuckDB": "duckdb", "Ray": "ray", "Spark": "pyspark"}


def lacks(name: str) -> str | None:
    """Return what an engine is missing here, or None."""
    if find_spec(PACKAGES[name]) is None:
        return PACKAGES[name]
    if name == "Spark" and "JAVA_HOME" not in os.environ and shutil.which("java") is None:
        return "java"
    return None


def main() -> None:
    """Time each engine."""
    warnings.simplefilter("ignore")
    count = ROWS // 50 if "--quick" in sys.argv else ROWS
    rates: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        wanted, size = write(Path(folder), count)
        for name, prepare in ENGINES.items():
            if lacking := lacks(name):
                print(f"{name} is left out, because {lacking} is not there", file=sys.stderr)
                continue
            run = prepare(folder)
            times: list[float] = []
            for _ in range(1 + REPEATS):
                start = time.perf_counter()
                found = run()
                times.append(time.perf_counter() - start)
                if found != wanted:
                    sys.exit(f"{name}: {found} replies were read, not {wanted}")
            rates[name] = (count / min(times[1:]), size / min(times[1:]))
    if "--json" in sys.argv:
        print(json.dumps(rates))
        return
    for name, (rows, n_bytes) in rates.items():
        print(f"{name:8} {rows:12,.0f} rows/s {n_bytes / 1e6:8,.0f} MB/s")


if __name__ == "__main__":
    main()
