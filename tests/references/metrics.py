"""The page docs/metrics.md: every metric as it is described where its result declares it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from judgecore.stats import METRICS, Calibration, HarmMetrics, ObjectiveMetrics, PositionBias, metrics_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from judgecore.stats import Metric

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"

INTRODUCTION = """\
# Metrics

Written by `make pages` from the fields of the results in `judgecore.stats`. Each number has its name in results, files
and `--fail-under`, its label in tables and pages, its range, the better end, where it is None, and the source of its
formula. All are None where no response has a label and a value. Scores are on the scale from 0 to 1. PyRIT's registries
hold those marked **PyRIT** under the same name. Tables leave out those in *italics*.
`judgecore.stats.METRICS` has the same by name, and `metrics_of` the metrics of one class of results.
[statistics.md](statistics.md) has the exact definitions and how intervals are made."""

SECTIONS = {
    ObjectiveMetrics: "True-or-false verdicts: `ObjectiveMetrics`",
    HarmMetrics: "Scores: `HarmMetrics`",
    Calibration: "Probabilities: `Calibration`",
    PositionBias: "Pairs in both orders: `PositionBias`",
}
BEYOND = "What an evaluation counts beside them"

HEAD = [
    "| name | label | what it says | range | better | None where | source |",
    "| --- | --- | --- | --- | --- | --- | --- |",
]
BETTER = {"higher": "higher", "lower": "lower", "zero": "near 0", None: ""}


def ends(one: Metric) -> str:
    """The range of a metric."""
    if one.unit == "count":
        return "from 0"
    low, high = (f"{end:g}".replace("inf", "∞") for end in (one.low, one.high))
    return f"{low} to {high}"


def row(one: Metric) -> str:
    """A metric's row."""
    name = f"*`{one.name}`*" if one.role == "detail" else f"`{one.name}`"
    cells = (
        f"{name} **PyRIT**" if one.is_published else name,
        one.label,
        one.about,
        ends(one),
        BETTER[one.better],
        one.undefined,
        one.source,
    )
    return " ".join(["|", *(f"{cell} |" if cell else "|" for cell in cells)])


def section(title: str, metrics: Iterable[Metric]) -> list[str]:
    """A table of metrics under a heading."""
    return ["", f"## {title}", "", *HEAD, *map(row, metrics)]


def page() -> str:
    """The whole page."""
    lines = [INTRODUCTION]
    told: set[str] = set()
    for result, title in SECTIONS.items():
        lines += section(title, metrics_of(result))
        told |= {one.name for one in metrics_of(result)}
    lines += section(BEYOND, [one for name, one in METRICS.items() if name not in told])
    return "\n".join(lines) + "\n"


def write() -> None:
    """Write the page anew."""
    PAGE.write_text(page(), "utf-8")
