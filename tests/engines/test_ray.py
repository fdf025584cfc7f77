"""Ray Data on a cluster of two nodes, one of which is lost."""

from __future__ import annotations

import os
import threading
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from judgecore.engines import on_ray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engines.conftest import Rows

ray: Any = pytest.importorskip("ray", reason="not installed here: make test-engines")

pytestmark = [pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A head and a worker, each with one core."""
    os.environ.update(RAY_DATA_DISABLE_PROGRESS_BARS="1", RAY_USAGE_STATS_ENABLED="0")
    made = import_module("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    try:
        ray.init(address=made.address, log_to_driver=False)
        yield made
    finally:
        ray.shutdown()
        made.shutdown()


def test_a_dataset_is_read_although_a_node_is_lost(cluster: Any, tmp_path: Path, many_rows: Rows) -> None:
    worker = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    pq.write_table(pa.table(many_rows.columns()), tmp_path / "replies.parquet")
    dataset = ray.data.read_parquet(str(tmp_path / "replies.parquet")).repartition(60).materialize()
    marks = tmp_path / "marks"
    marks.mkdir()

    def slowly(batch: Any) -> Any:
        """Take a while, so that a node can be lost in between, and leave a mark of where and when."""
        import time
        import uuid

        (marks / f"{ray.get_runtime_context().get_node_id()}-{uuid.uuid4()}").touch()
        time.sleep(0.1)
        return batch

    read = on_ray(dataset.map_batches(slowly, batch_format="pyarrow"), many_rows.format, "reply")

    def lose_the_worker() -> None:
        while len(list(marks.iterdir())) < 10:
            pass
        cluster.remove_node(worker, allow_graceful=False)

    killer = threading.Thread(target=lose_the_worker)
    killer.start()
    rows = read.take_all()
    killer.join()

    assert many_rows.is_read([dict(row) for row in rows])
    nodes = {mark.name.split("-")[0] for mark in marks.iterdir()}
    assert len(nodes) == 2
    assert len(ray.nodes()) == 2
    assert sum(node["Alive"] for node in ray.nodes()) == 1


def test_readings_are_written_in_partitions(cluster: Any, tmp_path: Path, many_rows: Rows) -> None:
    del cluster
    dataset = ray.data.from_arrow(pa.table(many_rows.columns())).repartition(4)

    read = on_ray(dataset, many_rows.format, "reply", options={"batch_size": 1000}, prefix="jc_")
    read.write_parquet(str(tmp_path / "out"), partition_cols=["jc_status"])

    table = pq.read_table(tmp_path / "out")
    assert len(many_rows.replies) == table.num_rows
    assert {"jc_status=ok", "jc_status=unreadable"} == {path.name for path in (tmp_path / "out").iterdir()}


def test_the_documents_lines_run(cluster: Any, stored: Rows, documented: Callable[[str], str]) -> None:
    del cluster

    exec(documented("ray"), {"folder": str(Path.cwd())})  # noqa: S102 - the lines are the project's own

    assert 2 * len(stored.replies) == pq.read_table("readings").num_rows
