"""Score a table on a Ray cluster, with one actor and one ledger for each shard. Needs `pip install 'judgecore[ray]'`.

    python ray_score.py responses.parquet scorer.yaml judge.yaml run

The table has a column named response; the scores are written to run/scores. Whatever ended a run, the same command
continues it, and pays for no reply again: they are in run/ledgers.
"""

import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

import judgecore as jc
from judgecore.errors import LedgerLockedError
from judgecore.scorers.configuration import load_scorer, load_target

SHARDS = 4  # Another number distributes the rows anew, and asks for them anew.
ADDED = pa.schema([("score_value", pa.float64()), ("score_status", pa.string()), ("score_reason", pa.string())])


class Shard:
    """The actor that scores a shard's rows; no other process writes its ledger."""

    def __init__(self, ledger: Path, scorer: Path, target: Path) -> None:
        self.ledger = open_when_unlocked(ledger)
        self.scorer = load_scorer(scorer, chat_target=load_target(target))

    async def score(self, responses: list[str | None]) -> list[dict[str, Any]]:
        with jc.targets.keep_replies(self.ledger):
            scored = await self.scorer.score_batch_async([jc.Response(text=response) for response in responses])
        return [to_cells(score) for score, *_ in scored]


def open_when_unlocked(path: Path) -> jc.Ledger:
    """Wait for the actor that is being replaced: its lock is released when its process ends."""
    while True:
        try:
            return jc.Ledger(path)
        except LedgerLockedError:
            time.sleep(0.1)


def to_cells(score: jc.Score) -> dict[str, Any]:
    value = None if score.is_undetermined else float(score.get_value())
    return dict(zip(ADDED.names, (value, score.status, score.undetermined_reason), strict=True))


def start_shards(ledgers: Path, scorer: Path, target: Path) -> list[Any]:
    """Start the actors on this node, where the ledgers are; Ray restarts them and repeats what they were asked."""
    ledgers.mkdir(parents=True, exist_ok=True)
    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    actor = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1, scheduling_strategy=here)(Shard)
    names = [f"{number}-of-{SHARDS}.ledger" for number in range(1, SHARDS + 1)]
    return [actor.remote(ledgers / name, scorer, target) for name in names]


def score_batch(batch: pa.Table, shards: list[Any]) -> pa.Table:
    """Send each response to its shard, by its hash: wherever Ray repeats a batch, the same ledger has its replies."""
    responses = batch["response"].to_pylist()
    rows_of: defaultdict[int, list[int]] = defaultdict(list)
    for row, response in enumerate(responses):
        rows_of[int(jc.content_hash(response), 16) % len(shards)].append(row)
    calls = [shards[shard].score.remote([responses[row] for row in rows]) for shard, rows in rows_of.items()]
    cells = [{}] * len(responses)
    for rows, scored in zip(rows_of.values(), ray.get(calls), strict=True):
        for row, of_row in zip(rows, scored, strict=True):
            cells[row] = of_row
    added = pa.Table.from_pylist(cells, schema=ADDED)
    for name in ADDED.names:
        batch = batch.append_column(name, added[name])
    return batch


def score_dataset(dataset: Any, shards: list[Any]) -> Any:
    """Score a Ray dataset; a batch takes little of a core, because it waits for judges."""
    return dataset.map_batches(score_batch, fn_args=[shards], batch_size=256, batch_format="pyarrow", num_cpus=0.25)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    table, scorer, target, run = (Path(name).absolute() for name in sys.argv[1:])
    dataset = ray.data.read_parquet(str(table)).repartition(16)
    scored = score_dataset(dataset, start_shards(run / "ledgers", scorer, target))
    scored.write_parquet(str(run / "scores"), mode=ray.data.SaveMode.OVERWRITE)
