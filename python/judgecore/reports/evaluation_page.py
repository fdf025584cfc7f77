"""``build_report``: an evaluation as one HTML page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from judgecore.reports.evidence import find_evidence
from judgecore.reports.levels import NO_SCORE, Levels
from judgecore.reports.measures import in_scale, in_units, interval, interval_in_scale, shown
from judgecore.reports.page import render_page
from judgecore.reports.plots import calibration_plot, distribution_plot, level_error_plot
from judgecore.reports.sentence import judge_name, say_result
from judgecore.stats import cohen_kappa, describe, weighted_kappa
from judgecore.terminal import count_noun

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from judgecore.evaluation import EvaluationResult, ItemResult, ItemTrial, Measure

DISAGREEMENTS: Final = 100
"""How many of the worst disagreements a report shows by default."""

_AMONG_PEOPLE = ("krippendorff_alpha_humans", "human_ceiling", "krippendorff_alpha_model")
_SHADES = 6
_MOST_RATERS = 16


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


@dataclass(frozen=True)
class MatrixCell:
    """One cell of a matrix of pairs."""

    text: str
    kind: str


@dataclass(frozen=True)
class MatrixRow:
    """One row of a matrix of pairs."""

    name: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True)
class Matrix:
    """A number for each pair, and what it is."""

    names: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    about: str


@dataclass(frozen=True)
class FilterField:
    """One select of a filter form."""

    name: str
    label: str
    options: tuple[str, ...]


def build_report(result: EvaluationResult, *, disagreements: int = DISAGREEMENTS) -> str:
    """Return an evaluation as an HTML page: one file, light and dark, without network.

    Args:
        result: What the evaluation found.
        disagreements: How many of the worst disagreements are shown in full.
    """
    levels = Levels.of(result)
    scale = result.dataset.scale
    worst = result.disagreements(disagreements)
    undetermined = [item for item in result.items if any(trial.value is None for trial in item.trials)]
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
        calibration=calibration_plot(result.calibration),
        raters=_raters(result),
        agreement=[one for one in among if one.value is not None],
        measures=[one for one in result.measures if one not in among],
        disagreements=worst,
        num_differing=sum(bool(item.difference) for item in result.items),
        disagreement_fields=_fields(levels, worst, columns),
        undetermined=result.undetermined(),
        undetermined_items=undetermined,
        undetermined_fields=_fields(levels, undetermined, columns),
        configuration=json.dumps(result.scorer_identifier.to_registry(), indent=2, ensure_ascii=False),
        describe=describe,
        shown=shown,
        interval=interval,
        in_units=in_units,
        in_scale=partial(in_scale, scale=scale),
        interval_in_units=partial(interval_in_scale, scale=scale),
        ends_of=partial(_ends_of, scale),
        names_of=_names_of,
        labels=partial(_labels, levels),
        score_of=partial(_score_of, levels),
        trial_score=partial(_trial_score, levels),
        evidence=partial(_evidence, levels),
        reason_of=_reason_of,
        reasons_of=_reasons_of,
    )


def shade(count: float, most: float) -> str:
    """Return the class that colours a cell of a heat map; a cell without a count has none.

    Args:
        count: The cell's number, at least 0.
        most: The greatest number of all cells.
    """
    return f"h{max(1, round(count / most * _SHADES))}" if count > 0 else ""


def _heat(levels: Levels, worst: Sequence[ItemResult], undetermined: Sequence[ItemResult]) -> HeatMap:
    columns = levels.judge
    if any(item.model is None for item in levels.items):
        columns = (*columns, NO_SCORE)
    most = max(levels.counts.values(), default=1)
    lists = [("disagreements", worst), ("undetermined", undetermined)]
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
        names, levels.shares(people, names), levels.shares(judge, names), unit=f"score, {low:g} to {high:g}"
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
    rows = [np.array([_or_nan(item.human[n]) for item in result.items]) for n in range(count)]
    rows.append(np.array([_or_nan(item.model) for item in result.items]))
    agreement = weighted_kappa if result.is_harm else cohen_kappa
    kind = "Cohen's kappa with quadratic weights" if result.is_harm else "Cohen's kappa"
    return matrix(
        (*names, "judge"),
        [[None if one is other else agreement(one, other) for other in rows] for one in rows],
        f"{kind} of each pair over the responses that both rated: 1 is full agreement, 0 is chance.",
    )


def matrix(names: Sequence[str], values: Sequence[Sequence[float | None]], about: str) -> Matrix:
    """Return a matrix of numbers up to 1, coloured by them, with an empty diagonal.

    Args:
        names: The names of rows and columns.
        values: The numbers; None where there is none.
        about: What they are.
    """
    rows = tuple(
        MatrixRow(
            name,
            tuple(
                MatrixCell("" if place == nth else "–", "total")
                if value is None
                else MatrixCell(f"{value:.2f}", shade(value, 1.0))
                for nth, value in enumerate(row)
            ),
        )
        for place, (name, row) in enumerate(zip(names, values, strict=True))
    )
    return Matrix(tuple(names), rows, about)


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value


def _fields(levels: Levels, items: Sequence[ItemResult], columns: Sequence[str]) -> tuple[FilterField, ...]:
    """The selects by which items can be filtered, with the values that occur."""
    groups = [
        FilterField(f"g{place}", column, _options(item.metadata.get(column, "") for item in items))
        for place, column in enumerate(columns)
    ]
    people = {levels.level_of_people(item) for item in items}
    judge = {levels.level_of_judge(item) for item in items}
    return (
        *groups,
        FilterField("people", "people", tuple(one for one in levels.people if one in people)),
        FilterField("judge", "judge", tuple(one for one in (*levels.judge, NO_SCORE) if one in judge)),
        FilterField("reason", "reason", tuple(filter(None, _options(_reason_of(one) for one in items)))),
    )


def _options(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(values)))


def _names_of(values: Mapping[str, Sequence[Measure]]) -> list[str]:
    """The measures that a table of slices has a column for."""
    return list(dict.fromkeys(one.name for measures in values.values() for one in measures))


def _ends_of(scale: tuple[float, float] | None, measure: Measure) -> str:
    """The unit of a number, and which end of it is better."""
    about = describe(measure.name)
    is_own = scale is not None and about.unit == "distance"
    unit = f"points on {scale[0]:g} to {scale[1]:g}" if is_own and scale is not None else ""
    ends = {"higher": "higher is better", "lower": "lower is better", "zero": "0 is best"}.get(about.better or "", "")
    return ", ".join(filter(None, (unit, ends)))


def _value(levels: Levels, value: float) -> str:
    if not levels.is_scale:
        return "true" if value else "false"
    return f"{levels.to_units(value):.3g}"


def _labels(levels: Levels, item: ItemResult) -> str:
    return ", ".join("–" if one is None else _value(levels, one) for one in item.human)


def _score_of(levels: Levels, item: ItemResult) -> str:
    return NO_SCORE if item.model is None else _value(levels, item.model)


def _trial_score(levels: Levels, trial: ItemTrial) -> str:
    return f"{NO_SCORE}, {trial.reason}" if trial.value is None else _value(levels, trial.value)


def _reasons_of(item: ItemResult) -> tuple[str, ...]:
    """Why trials of an item have no score."""
    return tuple(dict.fromkeys(trial.reason for trial in item.trials if trial.value is None))


def _reason_of(item: ItemResult) -> str:
    """Why the first trial without a score has none; empty if all have one."""
    return next(iter(_reasons_of(item)), "")


def _evidence(levels: Levels, trial: ItemTrial) -> tuple[int, int] | None:
    value: object = trial.value
    if trial.value is not None:
        value = levels.to_units(trial.value) if levels.is_scale else bool(trial.value)
    return find_evidence(trial.reply or "", trial.span, value)
