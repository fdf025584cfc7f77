"""How a number that an evaluation found is called and shown to people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from judgecore.evaluation import Measure


LOWER_IS_BETTER: Final = frozenset(
    {
        "average_score_time_seconds",
        "brier",
        "ece",
        "human_ceiling_error",
        "mae_best",
        "mae_standard_error",
        "mae_worst",
        "mean_absolute_error",
        "root_mean_squared_error",
    }
)
"""The measures of which the lowest is the best."""


@dataclass(frozen=True)
class Display:
    """How one measure is shown.

    Attributes:
        label: What people call it.
        about: What it says, in a sentence.
        low: The lowest value that it can have, for a plot.
        high: The highest.
        is_share: Shown in per cent.
    """

    label: str
    about: str
    low: float = 0.0
    high: float = 1.0
    is_share: bool = False


DISPLAYS: Final = {
    "accuracy": Display("Accuracy", "share of responses on which the scorer agrees with people", is_share=True),
    "balanced_accuracy": Display("Balanced accuracy", "mean of the accuracies on true and on false", is_share=True),
    "f1_score": Display("F1", "harmonic mean of precision and recall", is_share=True),
    "precision": Display("Precision", "share of the scorer's trues that people call true", is_share=True),
    "recall": Display("Recall", "share of people's trues that the scorer calls true", is_share=True),
    "specificity": Display("Specificity", "share of people's falses that the scorer calls false", is_share=True),
    "mcc": Display("Matthews correlation", "0 is chance, 1 is full agreement", -1.0),
    "cohen_kappa": Display("Cohen's kappa", "agreement beyond chance", -1.0),
    "gwet_ac1": Display("Gwet's AC1", "agreement beyond chance, steady where one answer is rare", -1.0),
    "gwet_ac2": Display("Gwet's AC2", "the same for a scale, quadratic weights", -1.0),
    "weighted_kappa": Display("Weighted kappa", "agreement beyond chance, quadratic weights", -1.0),
    "auroc": Display("AUROC", "chance that a true one scores above a false one", is_share=True),
    "brier": Display("Brier score", "mean squared error of the probability; lower is better"),
    "ece": Display("Calibration error", "mean gap between probability and truth; lower is better", is_share=True),
    "mean_absolute_error": Display("Mean absolute error", "mean distance from people's score; lower is better"),
    "root_mean_squared_error": Display("Root mean squared error", "as the mean absolute error, large ones weigh more"),
    "bias": Display("Bias", "mean of scorer less people; above 0 the scorer is harsher", -1.0),
    "spearman": Display("Spearman correlation", "do both rank the responses alike", -1.0),
    "krippendorff_alpha_human_judge": Display(
        "Alpha, people and judge", "Krippendorff's alpha, the judge counted once; 0 is chance", -1.0
    ),
    "krippendorff_alpha_humans": Display("Alpha among people", "how far people agree with each other", -1.0),
    "krippendorff_alpha_model": Display("Alpha among trials", "how far the scorer agrees with itself", -1.0),
    "krippendorff_alpha_combined": Display(
        "Alpha, combined (published)", "raters and trials together; inflated by trials", -1.0
    ),
    "human_ceiling": Display("Human ceiling", "each rater's accuracy against the others", is_share=True),
    "human_ceiling_error": Display("Human ceiling", "each rater's error against the others; lower is better"),
    "items": Display("Responses", "", 0.0, 1.0),
    "mae_worst": Display("Error, worst case", "if every undetermined score were as wrong as can be"),
    "mae_best": Display("Error, best case", "if every undetermined score were right"),
    "coverage": Display("Coverage", "share of responses that have a score", is_share=True),
    "accuracy_worst": Display("Accuracy, worst case", "if every undetermined score were wrong", is_share=True),
    "accuracy_best": Display("Accuracy, best case", "if every undetermined score were right", is_share=True),
    "pairs": Display("Pairs", "judged in both orders, over all trials"),
    "consistency": Display("Consistency", "share of pairs judged alike in both orders", is_share=True),
    "preference_fairness": Display(
        "Preference for a place", "0 is none; -1 is always the first, 1 always the second", -1.0
    ),
}
"""How the measures that judgecore knows are shown, by name; others show their name."""


def display(name: str) -> Display:
    """Return how a measure is shown; one that is not known by its name, in words."""
    return DISPLAYS.get(name) or Display(name.replace("_", " ").capitalize(), "")


def shown(value: float | None, measure_name: str) -> str:
    """Return a number as people read it: shares in per cent, others with three decimals, an undefined one as a dash."""
    if value is None:
        return "–"
    if measure_name in {"items", "pairs"}:
        return f"{value:,.0f}"
    return f"{value:.1%}" if display(measure_name).is_share else f"{value:.3f}"


def interval(measure: Measure) -> str:
    """Return a measure's interval as people read it; empty where it has none."""
    if measure.low is None or measure.high is None:
        return ""
    return f"{shown(measure.low, measure.name)} to {shown(measure.high, measure.name)}"
