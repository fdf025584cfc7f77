"""Ray Data on a cluster that loses a node, and an actor with a ledger."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import judgecore as jc
from judgecore.engines import ParseBatch
from judgecore.scorers.configuration import load_scorer, load_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Serving
    from engines.conftest import Rows

ray: Any = pytest.importorskip("ray", reason="not installed here: make test-engines")

EXAMPLE = Path(__file__).parents[2] / "examples" / "ray_score.py"

pytestmark = [pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head with one core."""
    for name, value in (
        ("RAY_DATA_DISABLE_PROGRESS_BARS", "1"),
        ("RAY_USAGE_STATS_ENABLED", "0"),
        ("OPENAI_API_KEY", "any"),
    ):
        monkeypatch.setenv(name, value)
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

    slow = dataset.map_batches(slowly, batch_format="pyarrow")
    read = slow.map_batches(ParseBatch(many_rows.format, "reply").__call__, batch_format="pyarrow")

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

    parse = ParseBatch(many_rows.format, "reply", prefix="jc_").__call__
    read = dataset.map_batches(parse, batch_format="pyarrow", batch_size=1000)
    read.write_parquet(str(tmp_path / "out"), partition_cols=["jc_status"])

    table = pq.read_table(tmp_path / "out")
    assert len(many_rows.replies) == table.num_rows
    assert {"jc_status=ok", "jc_status=unreadable"} == {path.name for path in (tmp_path / "out").iterdir()}


def test_the_documents_lines_run(cluster: Any, stored: Rows, documented: Callable[[str], str]) -> None:
    del cluster

    exec(documented("ray"), {"folder": str(Path.cwd())})  # noqa: S102 - the lines are the project's own

    assert 2 * len(stored.replies) == pq.read_table("readings").num_rows


@pytest.fixture
def scoring() -> Any:
    """The example that scores, as a module that workers can't import, as when it is run."""
    spec = spec_from_file_location("ray_score", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def judge(serve: Callable[..., Serving], tmp_path: Path) -> Serving:
    """A slow judge, and the files of it and of a scorer."""
    judge = serve("--delay-ms", "100")
    (tmp_path / "scorer.yaml").write_text("type: SelfAskRefusalScorer\n", "utf-8")
    (tmp_path / "judge.yaml").write_text(f"type: OpenAITarget\nmodel: m\nbase_url: {judge.url}\n", "utf-8")
    return judge


def responses(count: int) -> pa.Table:
    """Responses, of which no two are the same."""
    texts = [f"{number}: {'I will not help.' if number % 3 else 'Here it is.'}" for number in range(count)]
    return pa.table({"id": range(count), "response": texts})


def test_a_lost_actor_and_a_lost_node_cost_no_more_than_the_requests_in_flight(
    cluster: Any, scoring: Any, judge: Serving, tmp_path: Path
) -> None:
    worker = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    table = responses(800)
    files = (tmp_path / "scorer.yaml", tmp_path / "judge.yaml")
    shards = scoring.start_shards(tmp_path / "ledgers", *files)
    dataset = ray.data.from_arrow(table).repartition(16).materialize()
    process = ray.get(shards[0].__ray_call__.remote(lambda _: os.getpid()))
    in_flight: list[int] = []

    def lose_both() -> None:
        wait_for(judge, table.num_rows // 4)
        # Held still, so that what its ledger says is what it was when it died.
        os.kill(process, signal.SIGSTOP)
        with jc.LedgerReader(tmp_path / "ledgers" / "1-of-4.ledger") as ledger:
            in_flight.append(len(list(ledger.entries("sent"))))
        os.kill(process, signal.SIGKILL)
        wait_for(judge, table.num_rows // 2)
        cluster.remove_node(worker, allow_graceful=False)

    killer = threading.Thread(target=lose_both)
    killer.start()
    rows = scoring.score_dataset(dataset, shards).take_all()
    killer.join()
    asked = judge.count()

    scorer = load_scorer(files[0], chat_target=load_target(files[1]))
    alone = asyncio.run(scorer.score_batch_async(table["response"].to_pylist()))
    assert sorted((row["id"], row["score_value"]) for row in rows) == [
        (number, float(score.get_value())) for number, (score,) in enumerate(alone)
    ]
    assert {row["score_status"] for row in rows} == {"complete"}
    assert in_flight[0] > 0
    assert table.num_rows <= asked <= table.num_rows + in_flight[0]
    assert sum(received(tmp_path / "ledgers")) == table.num_rows
    assert ray.get(shards[0].__ray_call__.remote(lambda _: os.getpid())) != process
    assert sum(node["Alive"] for node in ray.nodes()) == 1


def wait_for(judge: Serving, count: int) -> None:
    """Wait until a judge was asked so often."""
    while judge.count() < count:
        time.sleep(0.02)


def received(folder: Path) -> list[int]:
    """How many replies each ledger has."""
    counts: list[int] = []
    for path in folder.glob("*.ledger"):
        with jc.LedgerReader(path) as ledger:
            counts.append(len(list(ledger.entries("received"))))
    return counts


def test_the_example_that_scores_asks_nothing_when_it_is_run_again(
    cluster: Any, judge: Serving, tmp_path: Path
) -> None:
    table = pa.concat_tables([responses(40), pa.table({"id": [40, 41], "response": [None, "0: Here it is."]})])
    pq.write_table(table, tmp_path / "responses.parquet")
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, EXAMPLE, "responses.parquet", "scorer.yaml", "judge.yaml", "run"],
            cwd=tmp_path,
            env={**os.environ, "RAY_ADDRESS": cluster.address},
            capture_output=True,
            text=True,
            check=False,
        )

        assert done.returncode == 0, done.stderr
        assert judge.count() == 40
        rows = pq.read_table(tmp_path / "run" / "scores").sort_by("id")
        assert rows["id"].to_pylist() == list(range(42))
        assert rows["score_reason"].to_pylist() == [*[None] * 40, "missing", None]
        assert rows["score_value"].null_count == 1
    kept = received(tmp_path / "run" / "ledgers")
    assert (len(kept), sum(kept), min(kept) > 0) == (4, 40, True)


def test_an_actor_waits_for_the_process_that_still_writes_its_ledger(scoring: Any, tmp_path: Path) -> None:
    with ThreadPoolExecutor() as pool:
        with jc.Ledger(tmp_path / "run.ledger"):
            waiting = pool.submit(scoring.open_when_unlocked, tmp_path / "run.ledger")
            with pytest.raises(TimeoutError):
                waiting.result(0.3)
        waiting.result(60).close()
