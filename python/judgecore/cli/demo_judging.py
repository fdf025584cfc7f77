"""The judging part of ``judgecore demo``: a run that is killed and resumed, and two scorers against human labels.

The judge is the loopback judge, which is not a model.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from judgecore.evaluation import HumanLabeledDataset, Registry, RegistryUpdateBehavior, compare_results
from judgecore.replacement import replace_file
from judgecore.reports import ConsoleScorerPrinter, build_report
from judgecore.reports.measures import shown
from judgecore.scorers import KeywordRefusalScorer, SelfAskRefusalScorer
from judgecore.server import JudgeServer
from judgecore.stats import describe
from judgecore.targets import LedgerReader, OpenAITarget
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from asyncio.subprocess import Process

    from rich.console import Console

    from judgecore.evaluation import EvaluationResult
    from judgecore.scorers import Scorer

SCORER = "type: SelfAskLikertScorer\nlikert_scale_path: harm\n"
# The schema is put into the prompt, where the loopback judge finds the scale.
JUDGE = "type: OpenAITarget\nmodel: no-model\ntemperature: 0\nschema_in: prompt\n"
CONCURRENCY = 8
COMMAND = [
    *(sys.executable, "-c", "from judgecore.cli import main; main()", "score", "responses.jsonl"),
    *("--scorer", "harm.yaml", "--target", "judge.yaml", "--ledger", "harm.db", "-o", "harm.jsonl"),
    *("--concurrency", str(CONCURRENCY), "--allow-unread", "100%"),
]
# Slow enough that the run can be killed halfway.
DELAY_S = 0.04
KILLED_AFTER = 40


def show_judging(console: Console, folder: Path | None = None) -> None:
    """Score the bundled responses in a run that is killed once, then evaluate two scorers and compare them."""
    asyncio.run(_show_resumed_run(console))
    console.print()
    asyncio.run(_show_evaluation(console, folder or demo_folder()))


def demo_folder() -> Path:
    """Return the demonstration's folder: the same one each time, or a temporary one if there is no cache folder."""
    folder = user_cache_path("judgecore", appauthor=False) / "demo"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="judgecore-demo-"))
    return folder


async def _show_resumed_run(console: Console) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = (files("judgecore.cli") / "demo_responses.jsonl").read_text("utf-8")
        for file, content in (("responses.jsonl", text), ("harm.yaml", SCORER), ("judge.yaml", JUDGE)):
            (folder / file).write_text(content, "utf-8")
        n_rows = len(text.splitlines())
        async with JudgeServer(delay_s=DELAY_S) as server:
            killed = await _start(folder, server)
            while server.seen < KILLED_AFTER and killed.returncode is None:  # noqa: ASYNC110 - as long as it runs
                await asyncio.sleep(0.005)
            killed.kill()
            await killed.communicate()
            with LedgerReader(folder / "harm.db") as ledger:
                left = ledger.counts()
            resumed = await _start(folder, server)
            _, said = await resumed.communicate()
            if resumed.returncode:
                raise RuntimeError(f"judgecore score ended with status {resumed.returncode}: {said.decode().strip()}")
            asked = server.seen
        rows = [json.loads(line) for line in (folder / "harm.jsonl").read_text("utf-8").splitlines()]
    console.print(f"{n_rows} responses scored over HTTP; the judge is not a model: it counts words", style="bold")
    values = Counter("undetermined" if row["score_value"] is None else f"{row['score_value']:g}" for row in rows)
    console.print(f"harm: {', '.join(f'{value} {count}' for value, count in values.most_common())}")
    kept, in_flight = left["received"], left["sent"]
    console.print(f"the run was killed: {kept} of {n_rows} replies kept, {in_flight} requests in flight")
    console.print(f"and resumed: {asked} requests for {n_rows} scores; {asked - n_rows} in flight were sent twice")


async def _start(folder: Path, server: JudgeServer) -> Process:
    environment = {**os.environ, "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "any"}
    return await asyncio.create_subprocess_exec(
        *COMMAND, cwd=folder, env=environment, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )


async def _show_evaluation(console: Console, folder: Path) -> None:
    registry = Registry(folder / "registry")
    data = HumanLabeledDataset.bundled("refusals")
    results: dict[str, EvaluationResult] = {}
    async with JudgeServer() as server, OpenAITarget("no-model", base_url=server.url, api_key="any") as judge:
        scorers: dict[str, Scorer] = {
            "keywords": KeywordRefusalScorer(),
            "judge": SelfAskRefusalScorer(chat_target=judge),
        }
        for name, scorer in scorers.items():
            always = RegistryUpdateBehavior.ALWAYS_UPDATE
            metrics = await scorer.evaluate_async(
                dataset=data, num_scorer_trials=1, registry=registry, update_registry_behavior=always
            )
            if metrics.result is not None:
                results[name] = metrics.result
    console.print(f"Two scorers against human labels: is each of {len(data)} responses a refusal?", style="bold")
    ConsoleScorerPrinter(console).print_comparison(compare_results(list(results.values()), list(results)))
    measures = {name: one.measure("f1_score") for name, one in results.items()}
    f1 = {name: one.value for name, one in measures.items() if one is not None and one.value is not None}
    best = max(f1, key=lambda name: f1[name])
    page = folder / f"{best}.html"
    replace_file(page, build_report(results[best]).encode())
    console.print(f"best: {best}, {describe('f1_score').label} {shown(f1[best], 'f1_score')}")
    for what, path in (("registry", registry.folder), ("report", page)):
        console.print(f"{what}: {escape_controls(str(path))}", soft_wrap=True)
