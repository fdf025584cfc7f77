"""Evaluation: scorers against human labels, and the durable list of what was measured."""

from __future__ import annotations

from judgecore.evaluation.comparison import Comparison, Difference, compare_results
from judgecore.evaluation.dataset import DatasetOptions, HumanLabeledDataset
from judgecore.evaluation.dataset_definition import HarmDefinition
from judgecore.evaluation.dataset_entry import (
    HarmHumanLabeledEntry,
    HumanLabeledEntry,
    MetricsType,
    ObjectiveHumanLabeledEntry,
)
from judgecore.evaluation.dataset_problem import Problem
from judgecore.evaluation.default_data import LikertScaleEvalFiles, ScorerEvalFiles, TrueFalseEvalFiles, default_files
from judgecore.evaluation.evaluator import (
    DEFAULT_TRIALS,
    HarmScorerEvaluator,
    ObjectiveScorerEvaluator,
    ScorerEvaluator,
    evaluate,
    kept_result,
    known_metrics,
    results_folder,
)
from judgecore.evaluation.item import ItemResult, Trial
from judgecore.evaluation.metrics_file import RegistryEntry, RegistryProblem
from judgecore.evaluation.prices import Prices
from judgecore.evaluation.registry import (
    Registry,
    RegistryUpdateBehavior,
    get_all_harm_metrics,
    get_all_objective_metrics,
    harm_name,
    is_current,
)
from judgecore.evaluation.result import Cost, DatasetSummary, EvaluationResult, Measure
from judgecore.evaluation.scorer_metrics import HarmScorerMetrics, ObjectiveScorerMetrics, ScorerMetrics
from judgecore.evaluation.scorer_registry import ScorerRegistry

__all__ = [
    "DEFAULT_TRIALS",
    "Comparison",
    "Cost",
    "DatasetOptions",
    "DatasetSummary",
    "Difference",
    "EvaluationResult",
    "HarmDefinition",
    "HarmHumanLabeledEntry",
    "HarmScorerEvaluator",
    "HarmScorerMetrics",
    "HumanLabeledDataset",
    "HumanLabeledEntry",
    "ItemResult",
    "LikertScaleEvalFiles",
    "Measure",
    "MetricsType",
    "ObjectiveHumanLabeledEntry",
    "ObjectiveScorerEvaluator",
    "ObjectiveScorerMetrics",
    "Prices",
    "Problem",
    "Registry",
    "RegistryEntry",
    "RegistryProblem",
    "RegistryUpdateBehavior",
    "ScorerEvalFiles",
    "ScorerEvaluator",
    "ScorerMetrics",
    "ScorerRegistry",
    "Trial",
    "TrueFalseEvalFiles",
    "compare_results",
    "default_files",
    "evaluate",
    "get_all_harm_metrics",
    "get_all_objective_metrics",
    "harm_name",
    "is_current",
    "kept_result",
    "known_metrics",
    "results_folder",
]
