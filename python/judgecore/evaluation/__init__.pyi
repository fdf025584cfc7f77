# Written by `make pages`; edit the list in __init__.py, not this file.

from judgecore.evaluation.comparison import (
    JointErrors,
    ScorerComparison,
    ScorerDifference,
    compare_results,
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
    DatasetProblem,
    HarmHumanLabeledEntry,
    HumanLabeledEntry,
    MetricsType,
    ObjectiveHumanLabeledEntry,
)
from judgecore.evaluation.default_data import (
    LikertScaleEvalFiles,
    ScorerEvalFiles,
    TrueFalseEvalFiles,
)
from judgecore.evaluation.evaluator import (
    EvaluationOptions,
    HarmScorerEvaluator,
    ObjectiveScorerEvaluator,
    ScorerEvaluator,
    TableEvaluationOptions,
    evaluate,
    known_metrics,
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
    "TableEvaluationOptions",
    "TrueFalseEvalFiles",
    "compare_results",
    "evaluate",
    "get_all_harm_metrics",
    "get_all_objective_metrics",
    "known_metrics",
]
