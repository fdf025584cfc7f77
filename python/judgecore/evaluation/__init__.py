"""Evaluation: scorers against human labels, and the durable list of what was measured."""

from __future__ import annotations

from judgecore.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "comparison": ["JointErrors", "ScorerComparison", "ScorerDifference", "compare_results"],
        "dataset": ["DatasetOptions", "HumanLabeledDataset"],
        "dataset_columns": ["ColumnOptions"],
        "dataset_definition": ["HarmDefinition"],
        "dataset_entry": [
            "DatasetProblem",
            "HarmHumanLabeledEntry",
            "HumanLabeledEntry",
            "MetricsType",
            "ObjectiveHumanLabeledEntry",
        ],
        "default_data": ["LikertScaleEvalFiles", "ScorerEvalFiles", "TrueFalseEvalFiles"],
        "evaluator": [
            "EvaluationOptions",
            "HarmScorerEvaluator",
            "ObjectiveScorerEvaluator",
            "ScorerEvaluator",
            "TableEvaluationOptions",
            "evaluate",
            "known_metrics",
        ],
        "item": ["ItemResult", "ItemTrial"],
        "metrics_file": ["RegistryEntry", "RegistryProblem"],
        "registry": [
            "Registry",
            "RegistryUpdateBehavior",
            "get_all_harm_metrics",
            "get_all_objective_metrics",
        ],
        "result": [
            "DatasetSummary",
            "EvaluationCost",
            "EvaluationResult",
            "HarmScorerMetrics",
            "Measure",
            "ObjectiveScorerMetrics",
            "ScorerMetrics",
        ],
        "scorer_registry": ["ScorerRegistry"],
    },
)
