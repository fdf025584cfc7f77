"""How the numbers that an evaluation found are shown to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judgecore.stats import describe

if TYPE_CHECKING:
    from judgecore.evaluation import Measure


def shown(value: float | None, measure_name: str) -> str:
    """Return a number as people read it: shares in per cent, others with three decimals, an undefined one as a dash."""
    if value is None:
        return "–"
    return format(value, {"share": ".1%", "number": ".3f", "count": ",.0f"}[describe(measure_name).unit])


def interval(measure: Measure) -> str:
    """Return a measure's interval as people read it; empty where it has none."""
    if measure.low is None or measure.high is None:
        return ""
    return f"{shown(measure.low, measure.name)} to {shown(measure.high, measure.name)}"
