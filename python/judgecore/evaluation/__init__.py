"""Evaluation: scorers against human labels, and the durable list of what was measured."""

from __future__ import annotations

from judgecore.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "comparison": ["JointErrors", "ScorerComparison", "ScorerDifference", "compare_results", "differing_items"],
        "dataset": ["DatasetOptions", "HumanLabeledDataset"],
        "dataset_columns": ["ColumnOptions"],
        "dataset_definition": ["HarmDefinition"],
        "dataset_entry": ["HarmHumanLabeledEntry", "HumanLabeledEntry", "MetricsType", "ObjectiveHumanLabeledEntry"],
        "dataset_problem": ["DatasetProblem"],
        "default_data": ["LikertScaleEvalFiles", "ScorerEvalFiles", "TrueFalseEvalFiles", "default_files"],
        "evaluator": [
            "DEFAULT_TRIALS",
            "EvaluationOptions",
            "HarmScorerEvaluator",
            "ObjectiveScorerEvaluator",
            "ScorerEvaluator",
            "default_trials",
            "evaluate",
            "kept_result",
            "known_metrics",
            "results_folder",
        ],
        "item": ["ItemResult", "ItemTrial"],
        "metrics_file": ["RegistryEntry", "RegistryProblem"],
        "registry": [
            "Registry",
            "RegistryUpdateBehavior",
            "get_all_harm_metrics",
            "get_all_objective_metrics",
            "harm_name",
            "is_current",
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
