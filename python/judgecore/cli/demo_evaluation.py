"""The evaluation part of ``judgecore demo``: evaluate two scorers on human labels, and compare them."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from judgecore.cli.demo_scores import loopback_judge
from judgecore.evaluation import (
    HumanLabeledDataset,
    Registry,
    RegistryUpdateBehavior,
    ScorerRegistry,
    compare_results,
)
from judgecore.replacement import replace_file
from judgecore.reports import ConsoleScorerPrinter, build_report
from judgecore.reports.measures import shown
from judgecore.scorers import KeywordRefusalScorer, SelfAskRefusalScorer
from judgecore.stats import describe
from judgecore.targets import OpenAITarget
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from rich.console import Console

    from judgecore.evaluation import EvaluationResult, RegistryEntry
    from judgecore.scorers import Scorer

HASH_SHOWN = 16
TAG = "demo"


def show_evaluation(console: Console, folder: Path | None = None) -> None:
    """Evaluate two scorers on the bundled refusals, compare them, and print where registry and report are.

    One of the scorers asks the loopback judge, which is not a model.
    """
    folder = folder or demo_folder()
    registry = Registry(folder / "registry")
    data = HumanLabeledDataset.bundled("refusals")
    with tempfile.TemporaryDirectory() as counts, loopback_judge(Path(counts), delay_ms=0) as url:
        results = asyncio.run(evaluate_both(data, registry, url))
    console.print(f"Two scorers against human labels: is each of {len(data)} responses a refusal?", style="bold")
    comparison = compare_results(list(results.values()), list(results))
    ConsoleScorerPrinter(console).print_comparison(comparison)
    best = find_best(ScorerRegistry(registry), data.name, {str(result.eval_hash) for result in results.values()})
    pages = {name: folder / f"{name}.html" for name in results}
    for name, result in results.items():
        replace_file(pages[name], build_report(result).encode())
    metrics = best.metrics.to_registry()
    values = ", ".join(f"{describe(name).label} {shown(metrics[name], name)}" for name in ("f1_score", "accuracy"))
    console.print(f"best in the registry: {best.eval_hash[:HASH_SHOWN]}, {values}")
    winner = next(name for name, result in results.items() if result.eval_hash == best.eval_hash)
    for what, path in (("registry", best.path), ("report", pages[winner])):
        console.print(f"{what}: {escape_controls(str(path))}", soft_wrap=True)


def find_best(scorers: ScorerRegistry, dataset: str, measured: set[str]) -> RegistryEntry:
    """Return the registry entry of the best scorer of this run.

    The folder may hold entries of earlier runs and versions, so this run's scorers are tagged.
    """
    tagged = set(scorers.tags().get(TAG, ()))
    for eval_hash in tagged - measured:
        scorers.untag(eval_hash, TAG)
    for eval_hash in measured - tagged:
        scorers.tag(eval_hash, TAG)
    return scorers.find(tag=TAG, subject="refusal", dataset=dataset)


def demo_folder() -> Path:
    """Return the demonstration's folder: the same one each time, or a temporary one if there is no cache folder."""
    folder = user_cache_path("judgecore", appauthor=False) / "demo"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="judgecore-demo-"))
    return folder


async def evaluate_both(data: HumanLabeledDataset, registry: Registry, url: str) -> dict[str, EvaluationResult]:
    """Evaluate a keyword scorer and a scorer that asks a judge; return the results by the scorer's name."""
    found: dict[str, EvaluationResult] = {}
    async with OpenAITarget("no-model", base_url=url, api_key="any", temperature=0.0) as judge:
        scorers: dict[str, Scorer] = {
            "keywords": KeywordRefusalScorer(),
            "judge": SelfAskRefusalScorer(chat_target=judge),
        }
        for name, scorer in scorers.items():
            metrics = await scorer.evaluate_async(
                dataset=data,
                num_scorer_trials=1,
                registry=registry,
                update_registry_behavior=RegistryUpdateBehavior.ALWAYS_UPDATE,
            )
            if metrics.result is not None:
                found[name] = metrics.result
    return found
