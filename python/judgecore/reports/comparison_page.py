"""``build_comparison``: several judges on the same labels as one HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judgecore.reports.measures import interval, shown
from judgecore.reports.page import render_page
from judgecore.reports.plots import comparison_plot
from judgecore.stats import describe

if TYPE_CHECKING:
    from judgecore.evaluation import ScorerComparison


def build_comparison(comparison: ScorerComparison) -> str:
    """Return a comparison of scorers as an HTML page, made as ``build_report`` makes one.

    Args:
        comparison: What ``compare_results`` found.
    """
    return render_page(
        "comparison.html.jinja",
        title="Comparison of judges",
        comparison=comparison,
        plots=[comparison_plot(comparison, name) for name in comparison.measures],
        describe=describe,
        interval=interval,
        shown=shown,
    )
