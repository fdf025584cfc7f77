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
    return format(
        value, {"share": ".1%", "number": ".3f", "count": ",.0f", "distance": ".3f"}[describe(measure_name).unit]
    )


def interval(measure: Measure) -> str:
    """Return a measure's interval as people read it; empty where it has none."""
    if measure.low is None or measure.high is None:
        return ""
    return f"{shown(measure.low, measure.name)} to {shown(measure.high, measure.name)}"


def in_units(value: float | None, measure_name: str, scale: tuple[float, float]) -> str:
    """Return a distance in the units of the scale that raters used; empty for other measures.

    Args:
        value: The distance, where the scale's length is 1; None if it is undefined.
        measure_name: The measure.
        scale: The lowest and the highest rating.
    """
    if value is None or describe(measure_name).unit != "distance":
        return ""
    return f"{value * (scale[1] - scale[0]):.2f}"


def in_scale(measure: Measure, scale: tuple[float, float] | None) -> str:
    """Return a measure's value: a distance in the units of the scale, others as they are.

    Args:
        measure: The measure.
        scale: The lowest and the highest rating; None if raters gave numbers from 0 to 1.
    """
    own = "" if scale is None else in_units(measure.value, measure.name, scale)
    return own or shown(measure.value, measure.name)


def interval_in_scale(measure: Measure, scale: tuple[float, float] | None) -> str:
    """Return a measure's interval in the units of ``in_scale``; empty where it has none.

    Args:
        measure: The measure.
        scale: The lowest and the highest rating; None if raters gave numbers from 0 to 1.
    """
    if scale is None or measure.low is None or measure.high is None:
        return interval(measure)
    ends = [in_units(one, measure.name, scale) for one in (measure.low, measure.high)]
    return " to ".join(ends) if all(ends) else interval(measure)
