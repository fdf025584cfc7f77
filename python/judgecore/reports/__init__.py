"""Reports: what an evaluation found, on the terminal and as a page."""

from __future__ import annotations

from judgecore.reports.console import ConsoleScorerPrinter, metrics_shown
from judgecore.reports.page import build_comparison, build_report

__all__ = ["ConsoleScorerPrinter", "build_comparison", "build_report", "metrics_shown"]
