"""Write a scorer with its own scale from 1 to 10, evaluate it against labels, compare and report.

It uses no model. Its level is mapped to 0 to 1, the range of the human scores.
"""

import asyncio
from pathlib import Path

import judgecore as jc


class LengthScorer(jc.Scorer):
    """Scores length from 1 to 10: one point per ``words_per_point`` words."""

    score_type = "float_scale"
    low, high = 1, 10
    # The module name __main__ doesn't identify a script's code, so raise the version with each change.
    version = "1"

    def __init__(self, *, words_per_point: int) -> None:
        self.words_per_point = words_per_point

    def params(self) -> dict[str, int]:
        return {"words_per_point": self.words_per_point, "low": self.low, "high": self.high}

    async def score_async(self, response: jc.Response, *, trial: int = 0) -> list[jc.Score]:
        words = len((response.text or "").split())
        level = min(self.high, self.low + words // self.words_per_point)
        value = (level - self.low) / (self.high - self.low)
        return [self.make_score(value, score_rationale=f"{words} words", score_metadata={"level": level})]


async def measure() -> list[jc.evaluation.EvaluationResult]:
    data = jc.HumanLabeledDataset.bundled("helpfulness")
    registry = jc.evaluation.Registry("registry")
    results: list[jc.evaluation.EvaluationResult] = []
    for words_per_point in (3, 12):
        scorer = LengthScorer(words_per_point=words_per_point)
        print(scorer, "in registry:", scorer.get_scorer_metrics(registry=registry) is not None)
        metrics = await scorer.evaluate_async(dataset=data, num_scorer_trials=1, registry=registry)
        # None if the registry already had the metrics.
        if metrics.result is not None:
            results.append(metrics.result)
    best = jc.evaluation.ScorerRegistry(registry).find(tag="best", subject="helpfulness")
    print("best:", best.scorer_identifier.params["words_per_point"], "words per point")
    return results


def report(results: list[jc.evaluation.EvaluationResult]) -> None:
    for result in results:
        words = result.scorer_identifier.params["words_per_point"]
        result.save(Path("runs", f"words-{words}"))
        Path(f"words-{words}.html").write_text(jc.reports.build_report(result), "utf-8")
    if len(results) > 1:
        comparison = jc.evaluation.compare_results(results, ["3 words", "12 words"])
        jc.reports.ConsoleScorerPrinter().print_comparison(comparison)
        Path("comparison.html").write_text(jc.reports.build_comparison(comparison), "utf-8")


report(asyncio.run(measure()))
