"""Several judges on one page and on the terminal: shared axes, joint errors, and numbers that are never cut."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from rich.console import Console

from judgecore import ComponentIdentifier
from judgecore.evaluation import (
    DatasetSummary,
    EvaluationResult,
    HarmScorerMetrics,
    ItemResult,
    ItemTrial,
    Measure,
    ScorerComparison,
    compare_results,
)
from judgecore.evaluation.comparison import differing_items
from judgecore.reports import ConsoleScorerPrinter, build_comparison

GOLD = (0.0, 0.25, 0.5, 0.75, 1.0, 0.5)


def evaluated(*values: float | None, error: float = 0.2) -> EvaluationResult:
    items = tuple(
        ItemResult(
            index=n,
            response=f"response {n}",
            human=(gold,),
            gold=gold,
            trials=(ItemTrial(value=value, reply=None if value is None else f"Score: {1 + 4 * value:g}"),),
            model=value,
            metadata={"group": "even" if n % 2 == 0 else "odd"},
        )
        for n, (gold, value) in enumerate(zip(GOLD, values, strict=True))
    )
    return EvaluationResult(
        scorer_identifier=ComponentIdentifier(class_name="Judge", class_module="my"),
        subject="quality",
        dataset=DatasetSummary(name="x.csv", version="1", content_hash="d", scale=(1.0, 5.0)),
        metrics=HarmScorerMetrics(
            num_responses=len(items),
            num_human_raters=1,
            mean_absolute_error=error,
            mae_standard_error=0.1,
            t_statistic=None,
            p_value=None,
            krippendorff_alpha_combined=0.5,
        ),
        measures=(
            Measure(name="mean_absolute_error", value=error, low=error - 0.1, high=error + 0.1),
            Measure(name="bias", value=error, low=error - 0.1, high=error + 0.1),
        ),
        slices={"group": {}},
        items=items,
    )


@pytest.fixture
def comparison() -> ScorerComparison:
    """Three judges: two that err together, and a low one that did not judge one item."""
    return compare_results(
        [
            evaluated(0.25, 0.5, 0.5, 0.75, 1.0, 0.75, error=0.125),
            evaluated(0.25, 0.5, 0.5, 0.75, 0.75, 0.5, error=0.15),
            evaluated(0.0, 0.0, 0.0, 0.25, 0.5, None, error=0.4),
        ],
        ["first", "second <b>", "third"],
    )


def test_joint_errors_are_counted_over_the_items_that_all_judged(comparison: ScorerComparison) -> None:
    joint = comparison.joint

    # Off by a point or more: items 0 and 1; 0, 1 and 4; 1, 2, 3 and 4; of the five that all judged.
    assert dict(joint.wrong) == {"first": 0.4, "second <b>": 0.6, "third": 0.8}
    assert (joint.num_items, joint.all_wrong) == (5, 0.2)
    assert joint.if_independent == pytest.approx(0.4 * 0.6 * 0.8)
    assert joint.votes.votes is not None
    assert 1 < joint.votes.votes <= 3


def test_verdicts_are_wrong_where_people_say_something_else() -> None:
    rights = [evaluated(*GOLD), evaluated(*(1 - one for one in GOLD))]
    plain: Any = {"dataset": DatasetSummary(name="x", version="1", content_hash="d", scale=None)}
    changed = [EvaluationResult(**{**vars(one), **plain}) for one in rights]

    joint = compare_results(changed, ["a", "b"]).joint

    assert joint.tolerance == 0.25
    assert dict(joint.wrong) == {"a": 0.0, "b": pytest.approx(4 / 6)}


def test_items_on_which_judges_differ_come_widest_first(comparison: ScorerComparison) -> None:
    rows = differing_items(comparison)

    spreads = [
        max(known) - min(known) for row in rows if (known := [one.model for one in row if one.model is not None])
    ]
    assert spreads == sorted(spreads, reverse=True)
    assert 0 not in spreads
    assert len(differing_items(comparison, 2)) == 2


def test_the_page_has_all_judges_on_one_axis_in_the_raters_units(comparison: ScorerComparison) -> None:
    page = build_comparison(comparison)

    [axis] = re.findall(r'aria-label="Mean absolute error\. ([^"]*)"', page)
    assert axis == "first 0.50; second &lt;b&gt; 0.60; third 1.60"
    assert "Mean absolute error (points on 1 to 5, lower is better)" in page
    assert "first has the best mean absolute error of 3 judges on 6 responses" in page
    assert "independent votes (95 % CI" in page
    assert "A score is wrong where it is 1 or more off people&#39;s median." in page
    assert "<b>" not in page
    assert page.count('<details class="item"') == len(differing_items(comparison))
    assert '<option value="no score">' in page


def test_the_better_one_is_named_wherever_the_interval_excludes_0(comparison: ScorerComparison) -> None:
    high, low = ([min(1.0, max(0.0, one + by)) for one in GOLD] for by in (0.1, -0.5))
    sure = compare_results([evaluated(*low), evaluated(*high)], ["low", "high"])

    for one in (*comparison.differences, *sure.differences):
        assert one.low is not None
        assert one.high is not None
        assert (one.better is None) == (one.low <= 0 <= one.high)
    # One bias is above 0 and the other below; the nearer one is better.
    assert [(one.measure_name, one.better) for one in sure.differences] == [
        ("mean_absolute_error", "high"),
        ("bias", "high"),
    ]
    assert "not known" in build_comparison(comparison)
    assert "not known" not in build_comparison(sure)


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_a_narrow_terminal_cuts_no_number(comparison: ScorerComparison, width: int) -> None:
    file = io.StringIO()

    ConsoleScorerPrinter(Console(file=file, width=width)).print_comparison(comparison)

    said = file.getvalue()
    assert "…" not in said
    for text in ("0.50", "0.10 to 0.90", "1.20 to 2.00"):
        assert text in said
    for one in comparison.differences:
        assert f"{4 * (one.difference or 0):+.2f}" in said


@pytest.mark.parametrize("width", [20, 40, 80])
def test_measures_are_whole_at_any_width(width: int) -> None:
    file = io.StringIO()

    ConsoleScorerPrinter(Console(file=file, width=width)).print_measures(
        [Measure(name="mean_absolute_error", value=0.123, low=-0.111, high=0.999, baselines={"best_constant": 0.5})],
        (1, 5),
    )

    said = file.getvalue()
    for text in ("0.123", "0.49", "-0.111 to 0.999"):
        assert text in said
