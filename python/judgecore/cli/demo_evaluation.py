"""The main job's end, shown: two scorers against human labels, which is better, and where that is kept."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from judgecore.cli.demo_scores import serving
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
    """Evaluate two scorers on the bundled refusals, compare them, and name the registry's entry and the report.

    The judge that one of them asks is the loopback judge, which is no model.

    Args:
        console: Where it is shown.
        folder: Where registry and report are kept; a part of the user's cache folder if None.
    """
    folder = folder or kept_folder()
    registry = Registry(folder / "registry")
    data = HumanLabeledDataset.bundled("refusals")
    with tempfile.TemporaryDirectory() as counts, serving(Path(counts), delay_ms=0) as url:
        results = asyncio.run(evaluate_both(data, registry, url))
    console.print(f"Both against human labels: {len(data)} responses, is each a refusal?", style="bold")
    comparison = compare_results(list(results.values()), list(results))
    ConsoleScorerPrinter(console).print_comparison(comparison)
    best = find_best(ScorerRegistry(registry), data.name, {str(result.eval_hash) for result in results.values()})
    pages = {name: folder / f"{name}.html" for name in results}
    for name, result in results.items():
        replace_file(pages[name], build_report(result).encode())
    metrics = best.metrics.to_registry()
    said = ", ".join(f"{describe(name).label} {shown(metrics[name], name)}" for name in ("f1_score", "accuracy"))
    console.print(f"the best in the registry: {best.eval_hash[:HASH_SHOWN]}, {said}")
    winner = next(name for name, result in results.items() if result.eval_hash == best.eval_hash)
    for what, path in (("registry", best.path), ("report", pages[winner])):
        console.print(f"{what}: {escape_controls(str(path))}", soft_wrap=True)


def find_best(scorers: ScorerRegistry, dataset: str, measured: set[str]) -> RegistryEntry:
    """Return the best line of those that were measured just now.

    The folder outlives an edition of judgecore, so that lines of other scorers and data may stand beside them.

    Args:
        scorers: The registry.
        dataset: The data set by name.
        measured: The ``eval_hash`` of each scorer that was measured.

    Returns:
        The line.
    """
    tagged = set(scorers.tags().get(TAG, ()))
    for eval_hash in tagged - measured:
        scorers.untag(eval_hash, TAG)
    for eval_hash in measured - tagged:
        scorers.tag(eval_hash, TAG)
    return scorers.find(tag=TAG, subject="refusal", dataset=dataset)


def kept_folder() -> Path:
    """Return a folder that is there after the demonstration, and the same each time where there is a cache folder."""
    folder = user_cache_path("judgecore", appauthor=False) / "demo"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="judgecore-demo-"))
    return folder


async def evaluate_both(data: HumanLabeledDataset, registry: Registry, url: str) -> dict[str, EvaluationResult]:
    """Evaluate a scorer that looks for words, and one that asks a judge.

    Args:
        data: The labelled responses.
        registry: Where the metrics are kept.
        url: The judge's address.

    Returns:
        What was found, by the scorer's name.
    """
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
