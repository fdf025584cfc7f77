"""``build_report``: an evaluation as one HTML page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from judgecore.evaluation.item import NOT_ASKED
from judgecore.reports.items import FilterField, column_of, group_fields, item_functions, matrix, options_of, shade
from judgecore.reports.levels import NO_SCORE, Levels
from judgecore.reports.measures import (
    better_end,
    in_scale,
    in_units,
    interval_in_scale,
    is_distance,
    shown,
    unit_of,
)
from judgecore.reports.page import render_page
from judgecore.reports.plots import calibration_plot, distribution_plot, level_error_plot
from judgecore.reports.sentence import judge_name, say_result
from judgecore.stats import cohen_kappa, describe, weighted_kappa
from judgecore.terminal import count_noun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from judgecore.evaluation import EvaluationResult, ItemResult, Measure
    from judgecore.reports.items import Matrix

DISAGREEMENTS: Final = 100
"""How many of the worst disagreements a report shows by default."""

_AMONG_PEOPLE = ("krippendorff_alpha_humans", "human_ceiling", "krippendorff_alpha_model")
_MOST_RATERS = 16
_MOST_WHOLE = 500


@dataclass(frozen=True)
class HeatCell:
    """One cell of a heat map: its number, its classes, and the list and filter that it leads to, if any."""

    count: int
    kind: str
    label: str
    link: str = ""
    filter: str = ""


@dataclass(frozen=True)
class HeatRow:
    """One row of a heat map."""

    level: str
    cells: tuple[HeatCell, ...]
    total: int


@dataclass(frozen=True)
class HeatMap:
    """How many responses have a label of people and one of the judge, with the totals of both."""

    columns: tuple[str, ...]
    rows: tuple[HeatRow, ...]
    totals: tuple[int, ...]


def build_report(result: EvaluationResult, *, disagreements: int = DISAGREEMENTS) -> str:
    """Return an evaluation as an HTML page: one file, light and dark, without network.

    Args:
        result: What the evaluation found.
        disagreements: How many of the worst disagreements are shown in full.
    """
    levels = Levels.of(result)
    scale = result.dataset.scale
    worst = result.disagreements(disagreements)
    undetermined = [item for item in result.items if _reasons_of(item)]
    columns = tuple(result.slices)
    among = [one for one in result.measures if one.name.startswith(_AMONG_PEOPLE)]
    low, high = levels.scale
    return render_page(
        "report.html.jinja",
        title=f"{judge_name(result)} on {result.dataset.name or result.subject}",
        result=result,
        scale=scale,
        levels=levels,
        columns=columns,
        sentences=say_result(result),
        headline=[one for one in result.measures if describe(one.name).headline or one.name == "coverage"],
        heat=_heat(levels, worst, undetermined),
        unit_note=f", {low:g} to {high:g}" if result.is_harm else "",
        distributions=_distributions(levels) if result.is_harm else "",
        error_plot=_error_plot(levels, scale) if result.is_harm else "",
        slices=result.slices,
        calibration=calibration_plot(result.calibration, is_scale=result.is_harm),
        raters=_raters(result),
        agreement=[one for one in among if one.value is not None],
        measures=[one for one in result.measures if one not in among],
        disagreements=worst,
        num_differing=sum(bool(item.difference) for item in result.items),
        disagreement_fields=_fields(levels, worst, columns),
        undetermined=result.undetermined(),
        undetermined_items=undetermined,
        undetermined_fields=_fields(levels, undetermined, columns),
        most_whole=_MOST_WHOLE,
        configuration=json.dumps(result.scorer_identifier.to_registry(), indent=2, ensure_ascii=False),
        **item_functions(levels),
        describe=describe,
        shown=shown,
        interval=partial(interval_in_scale, scale=None),
        in_units=in_units,
        in_scale=partial(in_scale, scale=scale),
        interval_in_units=partial(interval_in_scale, scale=scale),
        ends_of=partial(_ends_of, scale),
        names_of=_names_of,
        reason_of=_reason_of,
        reasons_of=_reasons_of,
    )


def _heat(levels: Levels, worst: Sequence[ItemResult], undetermined: Sequence[ItemResult]) -> HeatMap:
    columns = levels.judge
    if any(item.model is None for item in levels.items):
        columns = (*columns, NO_SCORE)
    most = max(levels.counts.values(), default=1)
    # The worst disagreements come last, so that theirs are the cells that both lists have.
    lists = [("undetermined", undetermined), ("disagreements", worst)]
    there = {
        (levels.level_of_people(item), levels.level_of_judge(item)): name for name, items in lists for item in items
    }
    rows = tuple(
        HeatRow(
            people,
            tuple(_cell(levels, people, judge, most, there.get((people, judge), "")) for judge in columns),
            sum(levels.counts[people, judge] for judge in columns),
        )
        for people in levels.people
    )
    totals = tuple(sum(levels.counts[people, judge] for people in levels.people) for judge in columns)
    return HeatMap(columns, rows, totals)


def _cell(levels: Levels, people: str, judge: str, most: int, link: str) -> HeatCell:
    count = levels.counts[people, judge]
    exact = "exact" if people == judge else ""
    label = f"{count_noun(count, 'response')}: people {people}, judge {judge}"
    chosen = json.dumps({"people": people, "judge": judge}, ensure_ascii=False) if link else ""
    return HeatCell(count, f"{shade(count, most)} {exact}".strip(), label, link, chosen)


def _distributions(levels: Levels) -> Any:
    """The shares of all ratings and of all scores on the levels of both."""
    people = [one for item in levels.items for one in item.human if one is not None]
    judge = [trial.value for item in levels.items for trial in item.trials if trial.value is not None]
    names = levels.levels_of((*people, *judge))
    low, high = levels.scale
    return distribution_plot(
        names,
        levels.shares(people, names),
        levels.shares(judge, names),
        unit="the better response" if levels.names else f"score, {low:g} to {high:g}",
    )


def _error_plot(levels: Levels, scale: tuple[float, float] | None) -> Any:
    errors = levels.errors()
    return level_error_plot(errors, unit="points" if scale is not None else "scale from 0 to 1") if errors else ""


def _raters(result: EvaluationResult) -> Matrix | None:
    """The agreement of each rater and the judge with each other; None without items or with too many raters."""
    count = max((len(item.human) for item in result.items), default=0)
    if not 0 < count <= _MOST_RATERS:
        return None
    names = result.dataset.raters if len(result.dataset.raters) == count else [f"rater {n + 1}" for n in range(count)]
    rows = [column_of(item.human[n] for item in result.items) for n in range(count)]
    rows.append(column_of(item.model for item in result.items))
    agreement = weighted_kappa if result.is_harm else cohen_kappa
    kind = "Cohen's kappa with quadratic weights" if result.is_harm else "Cohen's kappa"
    return matrix(
        (*names, "judge"),
        [[None if one is other else agreement(one, other) for other in rows] for one in rows],
        f"{kind} of each pair over the responses that both rated: 1 is full agreement, 0 is chance.",
    )


def _fields(levels: Levels, items: Sequence[ItemResult], columns: Sequence[str]) -> tuple[FilterField, ...]:
    """The selects by which items can be filtered, with the values that occur."""
    people = {levels.level_of_people(item) for item in items}
    judge = {levels.level_of_judge(item) for item in items}
    return (
        *group_fields(columns, items),
        FilterField("people", "people", tuple(one for one in levels.people if one in people)),
        FilterField("judge", "judge", tuple(one for one in (*levels.judge, NO_SCORE) if one in judge)),
        FilterField("reason", "reason", tuple(filter(None, options_of(_reason_of(one) for one in items)))),
    )


def _names_of(values: Mapping[str, Sequence[Measure]]) -> list[str]:
    """The measures that a table of slices has a column for."""
    return list(dict.fromkeys(one.name for measures in values.values() for one in measures))


def _ends_of(scale: tuple[float, float] | None, measure: Measure) -> str:
    """The unit of a number, and which end of it is better."""
    unit = unit_of(measure.name, scale) if is_distance(measure.name) else ""
    return ", ".join(filter(None, (unit, better_end(measure.name))))


def _reasons_of(item: ItemResult) -> tuple[str, ...]:
    """Why trials of an item that were asked have no score."""
    reasons = (trial.reason for trial in item.trials if trial.value is None and trial.reason != NOT_ASKED)
    return tuple(dict.fromkeys(reasons))


def _reason_of(item: ItemResult) -> str:
    """Why the first of these trials has none; empty if all have one."""
    return next(iter(_reasons_of(item)), "")
