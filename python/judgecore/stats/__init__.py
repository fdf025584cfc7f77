"""Statistics for comparing judges with people, with their uncertainty.

Ratings are arrays of shape ``(n_raters, n_items)`` with NaN or None where one is missing. A statistic of one value
returns it, or None where it is undefined, and ``why_undefined`` says why; results with fields have the reasons in
``undefined``. They are frozen, and ``to_dict`` and ``to_json`` write them without NaN.
"""

from __future__ import annotations

from judgecore.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "agreement": ["cohen_kappa", "gwet_ac1", "gwet_ac2", "krippendorff_alpha", "mcc", "spearman", "weighted_kappa"],
        "comparison": ["McNemarTest", "PairedDifference", "mcnemar", "paired_bootstrap"],
        "correction": ["CorrectedMean", "CorrectedRate", "ppi_mean", "rogan_gladen"],
        "harm": ["HarmMetrics", "harm_metrics"],
        "interval": ["bootstrap_interval", "wilson_interval"],
        "jury": ["DawidSkene", "EffectiveVotes", "dawid_skene", "effective_votes", "majority"],
        "metric": ["Metric", "metrics_of"],
        "metrics": ["METRICS", "describe"],
        "objective": ["Baseline", "ConfusionMatrix", "HumanCeiling", "ObjectiveMetrics", "objective_metrics"],
        "probability": ["Calibration", "CalibrationBin", "auroc", "calibration"],
        "ranking": ["PositionBias", "RankedPlayer", "Ranking", "bradley_terry", "position_bias"],
        "result": ["Interval", "Measurement", "why_undefined"],
    },
)
