"""How the numbers and the evidence of an evaluation are shown to people."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from judgecore.stats import describe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from judgecore.evaluation import Measure


def shown(value: float | None, measure_name: str) -> str:
    """Return a number as people read it: shares in per cent, others with three decimals, an undefined one as a dash."""
    if value is None:
        return "–"
    return format(
        value, {"share": ".1%", "number": ".3f", "count": ",.0f", "distance": ".3f"}[describe(measure_name).unit]
    )


def show_p(value: float | None) -> str:
    """Return a p-value as people read it."""
    return "–" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"  # noqa: PLR2004 - as papers do


def to_points(value: float, measure_name: str, scale: tuple[float, float] | None) -> float:
    """Return a distance, whose scale's length is 1, in the units of the raters' scale; other measures as they are."""
    return value * (scale[1] - scale[0]) if scale is not None and is_distance(measure_name) else value


def is_distance(measure_name: str) -> bool:
    """Return whether a measure is a distance on the scale."""
    return describe(measure_name).unit == "distance"


def in_units(value: float | None, measure_name: str, scale: tuple[float, float]) -> str:
    """Return a distance in the units of the scale that raters used; empty for other measures."""
    return "" if value is None or not is_distance(measure_name) else f"{to_points(value, measure_name, scale):.2f}"


def in_scale(value: float | None, measure_name: str, scale: tuple[float, float] | None) -> str:
    """Return a measure's value: a distance in the units of the scale, others as they are."""
    return (in_units(value, measure_name, scale) if scale is not None else "") or shown(value, measure_name)


def interval_in_scale(measure: Measure, scale: tuple[float, float] | None) -> str:
    """Return a measure's interval in the units of ``in_scale``; empty where it has none."""
    if measure.low is None or measure.high is None:
        return ""
    return " to ".join(in_scale(one, measure.name, scale) for one in (measure.low, measure.high))


def difference(value: float | None, measure_name: str, scale: tuple[float, float] | None) -> str:
    """Return a difference with its sign: of shares in percentage points, of distances in the units of the scale."""
    if value is None:
        return "–"
    if describe(measure_name).unit == "share":
        return f"{100 * value:+.1f} pp"
    is_own = scale is not None and is_distance(measure_name)
    return f"{to_points(value, measure_name, scale):+.{2 if is_own else 3}f}"


def unit_of(measure_name: str, scale: tuple[float, float] | None) -> str:
    """Return the unit in which ``in_scale`` shows a measure; empty where it has none."""
    points = "scale from 0 to 1" if scale is None else f"points on {scale[0]:g} to {scale[1]:g}"
    return {"share": "share of items", "distance": points, "number": "", "count": "items"}[describe(measure_name).unit]


def better_end(measure_name: str) -> str:
    """Return which values of a measure are better; empty where none are."""
    ends = {"higher": "higher is better", "lower": "lower is better", "zero": "0 is best"}
    return ends.get(describe(measure_name).better or "", "")


# A token of a lenient document. A string that is not closed ends with the text, so that the search stays linear.
_TOKEN: Final = re.compile(
    r"""(?P<colon>[:：])|(?P<scalar>"(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?|[^\s,，:：{}\[\]"']++)|(?P<other>\S)""",
    re.DOTALL,
)
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


def find_evidence(text: str, span: tuple[int, int] | None, value: object) -> tuple[int, int] | None:
    """Narrow a verdict's place to the value that decides, if it stands in a JSON document.

    It stays as it is if the text there is no document, or not exactly one of its entries has this value.
    """
    if span is None or value is None:
        return span
    start, end = span
    document = text[start:end]
    if not document.lstrip().startswith(("{", "[", "```")):
        return span
    found = [one for one in _values(document) if _is_same(document[slice(*one)], value)]
    return (start + found[0][0], start + found[0][1]) if len(found) == 1 else span


def _values(document: str) -> Iterator[tuple[int, int]]:
    """The places of scalars that follow a colon."""
    last = ""
    for token in _TOKEN.finditer(document):
        kind = token.lastgroup or ""
        if (last, kind) == ("colon", "scalar"):
            yield token.span()
        last = kind


def _is_same(written: str, value: object) -> bool:
    words = written.strip("\"'").strip().casefold()
    if isinstance(value, bool):
        return words in (_TRUE if value else _FALSE)
    if isinstance(value, int | float):
        try:
            return float(words) == value
        except ValueError:
            return False
    return words == str(value).casefold()
