"""``build_report`` and ``build_comparison``: evaluations as HTML pages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from judgecore.reports.measures import interval, shown
from judgecore.reports.page import render_page
from judgecore.reports.plots import Confusion, agreement_plot, calibration_plot, interval_plot, ranking_plot
from judgecore.stats import describe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from judgecore.evaluation import EvaluationResult, Measure, ScorerComparison

_AMONG_PEOPLE = ("krippendorff_alpha_humans", "human_ceiling", "krippendorff_alpha_model")


def build_report(result: EvaluationResult, *, disagreements: int = 10) -> str:
    """Return an evaluation as an HTML page: one file, light and dark, without network.

    Args:
        result: What the evaluation found.
        disagreements: How many of the worst disagreements are shown in full.
    """
    return render_page(
        "report.html.jinja",
        **_FUNCTIONS,
        title=f"{result.scorer_identifier.class_name} on {result.subject.replace('_', ' ')}",
        result=result,
        headline=[one for one in result.measures if describe(one.name).headline or one.name == "coverage"],
        agreement=[one for one in result.measures if one.name.startswith(_AMONG_PEOPLE)],
        confusion=Confusion.of(result.items),
        disagreements=result.disagreements(disagreements),
        undetermined=result.undetermined(),
        configuration=json.dumps(result.scorer_identifier.to_registry(), indent=2, ensure_ascii=False),
    )


def build_comparison(comparison: ScorerComparison) -> str:
    """Return a comparison of scorers as an HTML page, made as ``build_report`` makes one.

    Args:
        comparison: What ``compare_results`` found.
    """
    return render_page("comparison.html.jinja", **_FUNCTIONS, title="Comparison of scorers", comparison=comparison)


def _names_of(values: Mapping[str, Sequence[Measure]]) -> list[str]:
    """The measures that a table of slices has a column for."""
    return list(dict.fromkeys(one.name for measures in values.values() for one in measures))


def _labels(human: Sequence[float | None]) -> str:
    return ", ".join("–" if one is None else f"{one:g}" for one in human)


_FUNCTIONS = {
    "agreement_plot": agreement_plot,
    "calibration_plot": calibration_plot,
    "describe": describe,
    "interval": interval,
    "interval_plot": interval_plot,
    "labels": _labels,
    "names_of": _names_of,
    "ranking_plot": ranking_plot,
    "shown": shown,
}
