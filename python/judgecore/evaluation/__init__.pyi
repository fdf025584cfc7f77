# Written by `make pages`; edit the list in __init__.py, not this file.

from judgecore.evaluation.comparison import (
    JointErrors,
    ScorerComparison,
    ScorerDifference,
    compare_results,
    differing_items,
)
from judgecore.evaluation.dataset import (
    DatasetOptions,
    HumanLabeledDataset,
)
from judgecore.evaluation.dataset_columns import (
    ColumnOptions,
)
from judgecore.evaluation.dataset_definition import (
    HarmDefinition,
)
from judgecore.evaluation.dataset_entry import (
    HarmHumanLabeledEntry,
    HumanLabeledEntry,
    MetricsType,
    ObjectiveHumanLabeledEntry,
)
from judgecore.evaluation.dataset_problem import (
    DatasetProblem,
)
from judgecore.evaluation.default_data import (
    LikertScaleEvalFiles,
    ScorerEvalFiles,
    TrueFalseEvalFiles,
    default_files,
)
from judgecore.evaluation.evaluator import (
    DEFAULT_TRIALS,
    EvaluationOptions,
    HarmScorerEvaluator,
    ObjectiveScorerEvaluator,
    ScorerEvaluator,
    default_trials,
    evaluate,
    kept_result,
    known_metrics,
    results_folder,
)
from judgecore.evaluation.item import (
    ItemResult,
    ItemTrial,
)
from judgecore.evaluation.metrics_file import (
    RegistryEntry,
    RegistryProblem,
)
from judgecore.evaluation.registry import (
    Registry,
    RegistryUpdateBehavior,
    get_all_harm_metrics,
    get_all_objective_metrics,
    harm_name,
    is_current,
)
from judgecore.evaluation.result import (
    DatasetSummary,
    EvaluationCost,
    EvaluationResult,
    HarmScorerMetrics,
    Measure,
    ObjectiveScorerMetrics,
    ScorerMetrics,
)
from judgecore.evaluation.scorer_registry import (
    ScorerRegistry,
)

__all__ = [
    "DEFAULT_TRIALS",
    "ColumnOptions",
    "DatasetOptions",
    "DatasetProblem",
    "DatasetSummary",
    "EvaluationCost",
    "EvaluationOptions",
    "EvaluationResult",
    "HarmDefinition",
    "HarmHumanLabeledEntry",
    "HarmScorerEvaluator",
    "HarmScorerMetrics",
    "HumanLabeledDataset",
    "HumanLabeledEntry",
    "ItemResult",
    "ItemTrial",
    "JointErrors",
    "LikertScaleEvalFiles",
    "Measure",
    "MetricsType",
    "ObjectiveHumanLabeledEntry",
    "ObjectiveScorerEvaluator",
    "ObjectiveScorerMetrics",
    "Registry",
    "RegistryEntry",
    "RegistryProblem",
    "RegistryUpdateBehavior",
    "ScorerComparison",
    "ScorerDifference",
    "ScorerEvalFiles",
    "ScorerEvaluator",
    "ScorerMetrics",
    "ScorerRegistry",
    "TrueFalseEvalFiles",
    "compare_results",
    "default_files",
    "default_trials",
    "differing_items",
    "evaluate",
    "get_all_harm_metrics",
    "get_all_objective_metrics",
    "harm_name",
    "is_current",
    "kept_result",
    "known_metrics",
    "results_folder",
]
