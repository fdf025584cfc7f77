# Written by `make pages`; edit the list in __init__.py, not this file.

from judgecore.stats.agreement import (
    cohen_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    mcc,
    spearman,
    weighted_kappa,
)
from judgecore.stats.comparison import (
    McNemarTest,
    PairedDifference,
    mcnemar,
    paired_bootstrap,
)
from judgecore.stats.correction import (
    CorrectedMean,
    CorrectedRate,
    ppi_mean,
    rogan_gladen,
)
from judgecore.stats.harm import (
    HarmMetrics,
    harm_metrics,
)
from judgecore.stats.interval import (
    bootstrap_interval,
    wilson_interval,
)
from judgecore.stats.jury import (
    DawidSkene,
    EffectiveVotes,
    dawid_skene,
    effective_votes,
    majority,
)
from judgecore.stats.metric import (
    Metric,
    metrics_of,
)
from judgecore.stats.metrics import (
    METRICS,
    describe,
)
from judgecore.stats.objective import (
    Baseline,
    ConfusionMatrix,
    HumanCeiling,
    ObjectiveMetrics,
    objective_metrics,
)
from judgecore.stats.probability import (
    Calibration,
    CalibrationBin,
    auroc,
    calibration,
)
from judgecore.stats.ranking import (
    PositionBias,
    RankedPlayer,
    Ranking,
    bradley_terry,
    position_bias,
)
from judgecore.stats.result import (
    Interval,
    Measurement,
    why_undefined,
)

__all__ = [
    "METRICS",
    "Baseline",
    "Calibration",
    "CalibrationBin",
    "ConfusionMatrix",
    "CorrectedMean",
    "CorrectedRate",
    "DawidSkene",
    "EffectiveVotes",
    "HarmMetrics",
    "HumanCeiling",
    "Interval",
    "McNemarTest",
    "Measurement",
    "Metric",
    "ObjectiveMetrics",
    "PairedDifference",
    "PositionBias",
    "RankedPlayer",
    "Ranking",
    "auroc",
    "bootstrap_interval",
    "bradley_terry",
    "calibration",
    "cohen_kappa",
    "dawid_skene",
    "describe",
    "effective_votes",
    "gwet_ac1",
    "gwet_ac2",
    "harm_metrics",
    "krippendorff_alpha",
    "majority",
    "mcc",
    "mcnemar",
    "metrics_of",
    "objective_metrics",
    "paired_bootstrap",
    "position_bias",
    "ppi_mean",
    "rogan_gladen",
    "spearman",
    "weighted_kappa",
    "why_undefined",
    "wilson_interval",
]
