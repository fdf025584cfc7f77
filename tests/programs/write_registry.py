"""Write lines into a registry: ``write_registry.py FOLDER NAME COUNT``, or the same line for ever without a count."""

from __future__ import annotations

import itertools
import sys

from judgecore.evaluation import ObjectiveScorerMetrics, Registry
from judgecore.identity import ComponentIdentifier, ScorerEvaluationIdentifier


def main(folder: str, name: str, count: str | None = None) -> None:
    registry = Registry(folder)
    for number in itertools.count() if count is None else range(int(count)):
        called = name if count is None else f"{name}-{number}"
        identifier = ComponentIdentifier(class_name="MyScorer", class_module="my", params={"name": called})
        metrics = ObjectiveScorerMetrics(
            num_responses=10,
            num_human_raters=3,
            num_scorer_trials=3,
            accuracy=(number % 1000) / 1000,
            accuracy_standard_error=0.1,
            f1_score=None,
            precision=None,
            recall=0.5,
        )
        registry.replace(ScorerEvaluationIdentifier(identifier), "objective", metrics)


main(*sys.argv[1:])
