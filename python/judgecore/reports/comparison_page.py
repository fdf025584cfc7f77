"""``build_comparison``: several judges on the same labels as one HTML page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from judgecore.evaluation.comparison import differing_items
from judgecore.reports.items import FilterField, column_of, group_fields, item_functions, matrix, options_of
from judgecore.reports.levels import Levels
from judgecore.reports.measures import difference, in_scale, show_p
from judgecore.reports.page import render_page
from judgecore.reports.plots import comparison_plot
from judgecore.stats import cohen_kappa, describe, weighted_kappa
from judgecore.terminal import count_noun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.evaluation import ItemResult, ScorerComparison
    from judgecore.reports.items import Matrix


def build_comparison(comparison: ScorerComparison, *, differing: int = 100) -> str:
    """Return a comparison of scorers as an HTML page, made as ``build_report`` makes one.

    Args:
        comparison: What ``compare_results`` found.
        differing: How many of the items on which they differ are shown.
    """
    first = comparison.results[comparison.names[0]]
    levels = Levels.of(*comparison.results.values())
    rows = differing_items(comparison, differing)
    columns = tuple(first.slices)
    return render_page(
        "comparison.html.jinja",
        title="Comparison of judges",
        comparison=comparison,
        sentences=_say(comparison),
        plots=[comparison_plot(comparison, name, first.dataset.scale) for name in comparison.measures],
        agreement=_agreement(comparison, is_scale=first.is_harm),
        correlations=matrix(
            comparison.names,
            [
                [None if place == nth else value for nth, value in enumerate(row)]
                for place, row in enumerate(comparison.joint.votes.correlations)
            ],
            "Correlation of the errors of each pair: 1 is the same errors, 0 is independent ones.",
        ),
        joint=comparison.joint,
        wrong_means=_wrong_means(comparison, levels),
        differing=rows,
        levels=levels,
        columns=columns,
        fields=_fields(comparison, levels, columns, rows),
        **item_functions(levels),
        describe=describe,
        difference=partial(difference, scale=first.dataset.scale),
        p_shown=show_p,
    )


def _say(comparison: ScorerComparison) -> tuple[str, ...]:
    name = comparison.measures[0]
    scale = comparison.results[comparison.names[0]].dataset.scale
    best, second = comparison.names[:2]
    found = next(one for one in comparison.differences if one.measure_name == name)
    values = [one for scorer in (best, second) for one in comparison.values[scorer] if one.name == name]
    said = f"{best} has the best {_in_sentence(describe(name).label)} of {count_noun(len(comparison.names), 'judge')}"
    said += f" on {count_noun(comparison.num_items, 'response')}"
    if len(values) > 1 and found.low is not None and found.high is not None:
        said += (
            f": {in_scale(values[0].value, name, scale)}, and {second} {in_scale(values[1].value, name, scale)} "
            f"(difference {difference(found.difference, name, scale)}, 95 % CI {difference(found.low, name, scale)} to "
            f"{difference(found.high, name, scale)})"
        )
    is_sure = f"{best} is better." if found.better == best else "That does not show which of the two is better."
    votes = comparison.joint.votes
    together = ""
    if votes.votes is not None and votes.interval is not None:
        together = (
            f"The errors of the {votes.num_judges} judges correlate by {votes.mean_correlation:.2f} on average: "
            f"together they are worth {votes.votes:.1f} independent votes (95 % CI {votes.interval.low:.1f} to "
            f"{votes.interval.high:.1f})."
        )
    return tuple(filter(None, (f"{said}.", is_sure, together)))


def _in_sentence(label: str) -> str:
    """A label inside a sentence: small, unless it is an abbreviation such as F1."""
    return label if label[1:2].isdigit() else label[0].lower() + label[1:]


def _agreement(comparison: ScorerComparison, *, is_scale: bool) -> Matrix:
    """The agreement of judges and people with each other."""
    items = comparison.results[comparison.names[0]].items
    rows = [column_of(item.gold for item in items)]
    rows += [column_of(item.model for item in comparison.results[name].items) for name in comparison.names]
    agreement = weighted_kappa if is_scale else cohen_kappa
    kind = "Cohen's kappa with quadratic weights" if is_scale else "Cohen's kappa"
    return matrix(
        ("people", *comparison.names),
        [[None if one is other else agreement(one, other) for other in rows] for one in rows],
        f"{kind} of each pair: 1 is full agreement, 0 is chance.",
    )


def _wrong_means(comparison: ScorerComparison, levels: Levels) -> str:
    if not levels.is_scale:
        return "A verdict is wrong where it is not that of people."
    return f"A score is wrong where it is {comparison.joint.tolerance * levels.length:g} or more off people's median."


def _fields(
    comparison: ScorerComparison, levels: Levels, columns: Sequence[str], rows: Sequence[Sequence[ItemResult]]
) -> tuple[FilterField, ...]:
    judges = [
        FilterField(f"j{place}", name, options_of(levels.level_of_judge(row[place]) for row in rows))
        for place, name in enumerate(comparison.names)
    ]
    people = {levels.level_of_people(row[0]) for row in rows}
    return (
        *group_fields(columns, [row[0] for row in rows]),
        FilterField("people", "people", tuple(one for one in levels.people if one in people)),
        *judges,
    )
