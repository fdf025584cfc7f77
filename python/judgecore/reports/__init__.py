"""Reports: what an evaluation found, on the terminal and as a page."""

from __future__ import annotations

from judgecore.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "console": ["ConsoleScorerPrinter", "metrics_shown"],
        "comparison_page": ["build_comparison"],
        "evaluation_page": ["build_report"],
    },
)
