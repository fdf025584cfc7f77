"""Spark in local mode with two workers."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import judgecore as jc
from judgecore.engines import on_spark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engines.conftest import Rows

sql: Any = pytest.importorskip("pyspark.sql", reason="not installed here: make test-engines")

if shutil.which("java") is None:
    pytest.skip("Spark needs Java 17 or newer: apt-get install default-jre-headless", allow_module_level=True)

pytestmark = [pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """Two workers, and four attempts for a task."""
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    made = (
        sql.SparkSession.builder.master("local[2,4]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
        .getOrCreate()
    )
    yield made
    made.stop()


def parquet(folder: Path, rows: Rows) -> str:
    file = folder / "replies.parquet"
    pq.write_table(pa.table(rows.columns()), file)
    return str(file)


def test_a_dataframe_gets_six_columns(spark: Any, tmp_path: Path, many_rows: Rows) -> None:
    frame = spark.read.parquet(parquet(tmp_path, many_rows)).repartition(7)

    read = on_spark(frame, many_rows.format, "reply")

    assert many_rows.is_read([row.asDict() for row in read.collect()])


def test_a_worker_that_dies_is_replaced(spark: Any, tmp_path: Path, many_rows: Rows) -> None:
    frame = spark.read.parquet(parquet(tmp_path, many_rows)).repartition(7)
    died = tmp_path / "died"

    def die_once(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            if not died.exists():
                died.touch()
                os._exit(1)
            yield batch

    read = on_spark(frame.mapInArrow(die_once, frame.schema), many_rows.format, "reply")

    assert many_rows.is_read([row.asDict() for row in read.collect()])
    assert died.exists()


def test_readings_are_written_in_partitions(spark: Any, tmp_path: Path, many_rows: Rows) -> None:
    frame = spark.read.parquet(parquet(tmp_path, many_rows))

    on_spark(frame, many_rows.format, "reply").write.partitionBy("status").parquet(str(tmp_path / "out"))

    schema = pa.Table.from_pylist(many_rows.read()).schema
    table = pq.read_table(tmp_path / "out").select(schema.names).cast(schema)
    assert {"status=ok", "status=unreadable"} == {path.name for path in (tmp_path / "out").iterdir() if path.is_dir()}
    assert many_rows.is_read(table.to_pylist())


@pytest.mark.parametrize(
    ("form", "reply", "value"),
    [
        ("llama_guard.3", "unsafe\nS1", {"unsafe": True, "categories": ["S1"]}),
        ("judgelm", "8 7", [8.0, 7.0]),
        (jc.Format.fields({"Better": jc.Format.choice({"A": ["A"], "B": ["B"]})}), "Better: A", {"Better": "A"}),
        ("harmbench", "Yes", True),
    ],
)
def test_values_of_every_kind_have_their_type(spark: Any, form: jc.Format | str, reply: str, value: Any) -> None:
    frame = spark.createDataFrame([(reply,), (None,)], "reply string")

    first, second = on_spark(frame, form, "reply").collect()

    found = first["value"].asDict() if hasattr(first["value"], "asDict") else first["value"]
    assert value.items() <= found.items() if isinstance(value, dict) else value == found
    assert (second["value"], second["reason"]) == (None, "missing")


def test_a_column_of_that_name_is_refused_before_it_runs(spark: Any) -> None:
    frame = spark.createDataFrame([("8", 1)], "reply string, value int")

    with pytest.raises(ValueError, match="already has 'value'"):
        on_spark(frame, "mt_bench.single", "reply")


def test_the_documents_lines_run(spark: Any, stored: Rows, documented: Callable[[str], str]) -> None:
    exec(documented("spark"), {"spark": spark, "folder": str(Path.cwd())})  # noqa: S102 - the lines are the project's own

    assert 2 * len(stored.replies) == pq.read_table("readings").num_rows
