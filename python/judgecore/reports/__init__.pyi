# Written by `make pages`; edit the list in __init__.py, not this file.

from judgecore.reports.comparison_page import (
    build_comparison,
)
from judgecore.reports.console import (
    ConsoleScorerPrinter,
    metrics_shown,
)
from judgecore.reports.evaluation_page import (
    build_report,
)

__all__ = [
    "ConsoleScorerPrinter",
    "build_comparison",
    "build_report",
    "metrics_shown",
]
