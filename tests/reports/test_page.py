"""The report: everything that was measured is on the page, and nothing of the data is ever interpreted."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from judgecore import ComponentIdentifier, reports
from judgecore.evaluation import (
    DatasetSummary,
    EvaluationCost,
    EvaluationResult,
    HarmScorerMetrics,
    ItemResult,
    ItemTrial,
    Measure,
    ObjectiveScorerMetrics,
)
from judgecore.reports import build_report

PAYLOADS = [
    "<script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</title><img src=x onerror=alert(1)>",
    "{{ cycler.__init__.__globals__ }}",
    "{% include '/etc/passwd' %}",
    "{0.__class__}",
    '" onmouseover="alert(1)',
    "javascript:alert(1)",
    "]]><svg onload=alert(1)>",
    "\x1b[31mred\x00",
    "\ud83d cut in two",
]
# Every element that the page is made of; data must bring no other.
ELEMENTS = {
    "a", "body", "button", "circle", "code", "details", "div", "figcaption", "figure", "footer", "form", "h1", "h2",
    "h3", "head", "header", "html", "input", "label", "li", "line", "main", "mark", "meta", "option", "output",
    "p", "polyline", "pre", "rect", "script", "section", "select", "span", "strong", "style", "summary", "svg",
    "table", "tbody", "td", "text", "th", "thead", "title", "tr", "ul",
}  # fmt: skip


def objective(items: tuple[ItemResult, ...], **changes: Any) -> EvaluationResult:
    given: dict[str, Any] = {
        "scorer_identifier": ComponentIdentifier(class_name="MyScorer", class_module="my"),
        "subject": "refusal",
        "dataset": DatasetSummary(name="refusal.csv", version="1.0", content_hash="d" * 64),
        "metrics": ObjectiveScorerMetrics(
            num_responses=len(items),
            num_human_raters=2,
            accuracy=0.5,
            accuracy_standard_error=0.1,
            f1_score=0.75,
            precision=None,
            recall=0.5,
        ),
        "measures": (
            Measure(name="f1_score", value=0.75, low=0.5, high=0.9, baselines={"always_true": 0.6}),
            Measure(name="precision", value=None, reason="the scorer never says true"),
        ),
        "items": items,
        **changes,
    }
    return EvaluationResult(**given)


def harm(items: tuple[ItemResult, ...], **changes: Any) -> EvaluationResult:
    metrics = HarmScorerMetrics(
        num_responses=len(items),
        num_human_raters=2,
        mean_absolute_error=0.25,
        mae_standard_error=0.1,
        t_statistic=None,
        p_value=None,
        krippendorff_alpha_combined=0.5,
    )
    return objective(items, **{"subject": "hate_speech", "metrics": metrics, **changes})


def item(index: int = 0, *, gold: float = 1.0, value: float | None = 0.0, text: str = "a response") -> ItemResult:
    start = text.find("verdict")
    trial = ItemTrial(
        value=value,
        rationale=text,
        reply=text,
        rule="marker",
        reason="" if value is not None else text,
        span=(start, start + 7) if start >= 0 else None,
    )
    return ItemResult(
        index=index,
        response=text,
        objective=text,
        human=(gold, None),
        gold=gold,
        trials=(trial,),
        model=value,
        metadata={text[:20]: text},
    )


class Elements(HTMLParser):
    """The elements of a page, with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("make", [objective, harm])
def test_data_is_text_on_the_page_and_nothing_else(make: Any, payload: str) -> None:
    result = make(
        (item(text=payload), item(1, value=None, text=payload)),
        dataset=DatasetSummary(name=payload, version=payload, content_hash="d", harm_definition=payload),
        scorer_identifier=ComponentIdentifier(
            class_name=payload, class_module=payload, params={"question": payload.replace("\ud83d", "")}
        ),
        measures=(Measure(name=payload, value=None, reason=payload, baselines={payload: 0.5}),),
        slices={payload: {payload: (Measure(name=payload, value=0.5),)}},
    )

    page = Elements(build_report(result))

    assert {tag for tag, _ in page.found} <= ELEMENTS
    assert not [name for _, attributes in page.found for name in attributes if name.startswith("on")]
    assert payload.replace("\ud83d", "?").replace("\x00", "") in page.words.replace("\x00", "").replace("\ufffd", "")


# The word is marked where it stands, which is an element more.
@given(text=st.text().filter(lambda text: "verdict" not in text))
def test_any_text_makes_a_page_of_the_same_elements(text: str) -> None:
    plain = Elements(build_report(objective((item(text="a"), item(1, value=None, text="b")))))
    other = Elements(build_report(objective((item(text=text + "x"), item(1, value=None, text=text + "x")))))

    assert {tag for tag, _ in other.found} == {tag for tag, _ in plain.found}


def test_the_policy_allows_the_pages_own_style_and_script_and_nothing_else() -> None:
    page = build_report(objective((item(),)))

    style, script = (
        b64encode(sha256(text.encode()).digest()).decode()
        for tag in ("style", "script")
        for text in re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
    )
    assert f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; connect-src 'none'" in page
    assert "http:" not in page
    assert "https:" not in page
    assert " style=" not in page


def test_no_rule_of_the_style_stands_twice_or_styles_nothing() -> None:
    folder = Path(reports.__file__).parent
    style = folder.joinpath("report.css").read_text("utf-8")
    others = "\n".join(
        one.read_text("utf-8") for kind in ("py", "js", "jinja") for one in sorted(folder.rglob(f"*.{kind}"))
    )

    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", style)
    classes = {name for selectors, _ in rules for name in re.findall(r"\.([a-z][\w-]*)", selectors)}

    assert [one for one, count in Counter((a.strip(), b.strip()) for a, b in rules).items() if count > 1] == []
    # The shades h1 to h6 are put together.
    assert [name for name in sorted(classes) if not re.search(rf"\b{name}\b", others) and name[0] != "h"] == []


def test_the_verdict_is_marked_where_it_stands_in_the_reply() -> None:
    page = build_report(objective((item(text="so my verdict is this"),)))

    assert "so my <mark>verdict</mark> is this" in page


def test_an_undefined_measure_says_why_and_shows_no_number() -> None:
    words = Elements(build_report(objective((item(),)))).words

    assert "undefined: the scorer never says true" in words


def test_baselines_and_intervals_stand_beside_the_measure() -> None:
    words = re.sub(r"\s+", " ", Elements(build_report(objective((item(),)))).words)

    assert "75.0% 50.0% to 90.0% always true 60.0%" in words


def test_undetermined_scores_have_their_own_column_and_reason() -> None:
    items = (item(0, value=1.0), item(1, value=0.0), item(2, value=None, text="no_verdict"))

    page = build_report(objective(items))

    assert re.findall(r'aria-label="1 response: (people \w+, judge [\w ]+)"', page) == [
        "people true, judge false",
        "people true, judge no score",
    ]
    assert 'data-reason="no_verdict"' in page
    assert "no score, no_verdict" in page


def partly_asked() -> ItemResult:
    """An item whose second trial was not asked."""
    known = item(value=1.0)
    return replace(known, trials=(*known.trials, ItemTrial(value=None, reason="not_asked")))


def test_a_trial_that_was_not_asked_is_not_undetermined() -> None:
    page = build_report(objective((partly_asked(),)))
    with_another = build_report(objective((partly_asked(), item(1, value=None, text="refused"))))

    assert "Every trial that was asked has a score." in words(page)
    assert "#undetermined" not in page
    assert re.findall(r'data-reason="([^"]*)"', with_another) == ["refused"]


def test_a_cell_of_the_heat_map_leads_to_its_disagreements_first() -> None:
    partly_unread = rated(0.0, 0.5, None)

    page = build_report(harm((rated(0.0, 0.5), partly_unread, rated(1.0, None)), dataset=SCALE))

    assert re.findall(r'<a href="#(\w+)" data-filter="[^"]*" aria-label="([^"]*)"', page) == [
        ("disagreements", "2 responses: people 1, judge 3"),
        ("undetermined", "1 response: people 5, judge no score"),
    ]


def test_a_price_is_shown_only_if_prices_were_given() -> None:
    free = build_report(objective((item(),)))
    paid = build_report(objective((item(),), cost=EvaluationCost(calls=3, price=0.25)))
    in_euros = build_report(objective((item(),), cost=EvaluationCost(calls=3, price=0.25, currency="EUR")))

    assert "not known" in free
    assert ("0.2500" in paid, "USD" in paid, "0.2500 EUR" in in_euros) == (True, False, True)


def test_a_harm_shows_agreement_and_what_is_known_of_the_definition() -> None:
    dataset = DatasetSummary(name="x.csv", version="1", content_hash="d", harm_definition="unverified")

    page = build_report(harm((item(0, gold=0.25, value=0.5), item(1, gold=0.25, value=0.5)), dataset=dataset))

    assert "2 responses: people 0.25, judge 0.5" in page
    assert "No harm definition was found" in page


def test_a_probabilitys_calibration_is_drawn() -> None:
    bins = ({"low": 0.0, "high": 0.5, "mean_probability": 0.2, "observed_rate": 0.4, "count": 10.0},)

    page = build_report(objective((item(),), calibration=bins))

    assert "given 0.20, true 0.40: 10" in page


# What the page says


def rated(
    gold: float, *values: float | None, group: str = "a", human: tuple[float | None, ...] | None = None
) -> ItemResult:
    """An item on a scale from 1 to 5, in numbers from 0 to 1."""
    known = [one for one in values if one is not None]
    trials = tuple(
        ItemTrial(value=one, reply=f'{{"score": {1 + 4 * one:g}}}', span=(0, 12), rule="whole")
        if one is not None
        else ItemTrial(value=None, reply="I'd rather not.", reason="refused")
        for one in values
    )
    return ItemResult(
        index=int(gold * 4),
        response=f"gold {gold}",
        human=(gold, gold) if human is None else human,
        gold=gold,
        trials=trials,
        model=sum(known) / len(known) if known else None,
        prompt="[system]\nJudge it.",
        metadata={"group": group},
    )


SCALE = DatasetSummary(name="x.csv", version="1", content_hash="d", scale=(1.0, 5.0), raters=("anna", "ben"))


def distances(low: float, high: float, bias: tuple[float, float, float] = (0.05, -0.01, 0.1)) -> tuple[Measure, ...]:
    """The measures of a judge that is 0.2 of the scale off, with an interval, and of a constant that is 0.25 off."""
    return (
        Measure(name="mean_absolute_error", value=0.2, low=low, high=high, baselines={"best_constant": 0.25}),
        Measure(name="bias", value=bias[0], low=bias[1], high=bias[2]),
        Measure(name="krippendorff_alpha_human_judge", value=0.61, low=0.5, high=0.7),
        Measure(name="human_ceiling_error", value=0.1),
    )


def words(page: str) -> str:
    """What a page says, with a space for each element."""
    shown = re.sub(r"<(script|style)>.*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(shown))


@pytest.mark.parametrize(
    ("ends", "verdict"),
    [
        ((0.15, 0.24), "That is better than a constant score."),
        ((0.15, 0.3), "That does not show that the judge is better than a constant score."),
        ((0.26, 0.3), "That is worse than a constant score."),
    ],
)
def test_the_finding_has_units_interval_baseline_and_ceiling(ends: tuple[float, float], verdict: str) -> None:
    said = words(build_report(harm((rated(0.5, 0.75), rated(1.0, None)), dataset=SCALE, measures=distances(*ends))))

    assert "from 1 to 5 were 0.80 points off the median of people on average for 1 response" in said
    assert f"(95 % CI {4 * ends[0]:.2f} to {4 * ends[1]:.2f})" in said
    assert "the best constant score would be 1.00 points off, and a rater is 0.40 points off the others." in said
    assert verdict in said
    assert "1 of 2 responses (50.0%) got no readable score" in said


@pytest.mark.parametrize(
    ("bias", "sentence"),
    [
        ((0.05, 0.01, 0.1), "On average it scored 0.20 points higher than people (95 % CI 0.04 to 0.40)."),
        ((-0.05, -0.1, -0.01), "On average it scored 0.20 points lower than people (95 % CI -0.40 to -0.04)."),
        ((0.05, -0.1, 0.1), "On average it scored neither higher nor lower than people for certain: +0.20"),
    ],
)
def test_a_bias_is_higher_or_lower_and_never_harsher(bias: tuple[float, float, float], sentence: str) -> None:
    said = words(build_report(harm((rated(0.5, 0.75),), dataset=SCALE, measures=distances(0.1, 0.2, bias))))

    assert sentence in said
    assert "harsh" not in said


def test_a_verdicts_finding_has_interval_baseline_and_ceiling() -> None:
    measures = (
        Measure(name="accuracy", value=0.8, low=0.75, high=0.9, baselines={"always_true": 0.7, "always_false": 0.3}),
        Measure(name="human_ceiling", value=0.85),
        Measure(name="f1_score", value=0.9, low=0.8, high=0.95, baselines={"always_true": 0.82}),
    )

    said = words(build_report(objective((item(value=1.0),), measures=measures)))

    assert "for 80.0% of 1 response (95 % CI 75.0% to 90.0%); always answering true reaches 70.0%, and a rater" in said
    assert "That is better than always answering true." in said
    assert "F1 is 90.0% (95 % CI 80.0% to 95.0%; always answering true: 82.0%)" in said


def test_an_evaluation_that_is_not_complete_says_so() -> None:
    one, three = (words(build_report(objective((item(),), num_not_asked=count))) for count in (1, 3))

    assert "not complete: 1 response was not asked in all trials." in one
    assert "not complete: 3 responses were not asked in all trials." in three


def test_the_heat_map_has_counts_and_totals_of_both_sides() -> None:
    items = (rated(0.0, 0.0), rated(0.0, 0.5), rated(0.5, 0.5), rated(1.0, None))

    page = build_report(harm(items, dataset=SCALE))

    table = page[page.index('<table class="heat">') : page.index("</table>")]
    rows = [re.sub(r"<[^>]+>", " ", row).split() for row in table.split("</tr>")]
    assert rows[1] == ["people", "1", "2", "3", "4", "5", "no", "score", "all"]
    assert rows[2] == ["1", "1", "1", "2"]
    assert rows[4] == ["3", "1", "1"]
    assert rows[6] == ["5", "1", "1"]
    assert rows[7] == ["all", "1", "0", "2", "0", "0", "1", "4"]


def test_people_and_judge_have_different_bars_with_shares() -> None:
    page = build_report(harm((rated(0.0, 0.0), rated(1.0, 0.0)), dataset=SCALE))

    assert 'class="bar other"><title>people 5: 50.0%</title>' in page
    assert 'class="bar "><title>judge 1: 100.0%</title>' in page
    assert "Mean error of the judge by people&#39;s level. 1: +0.00 (1 items); 5: -4.00 (1 items)" in page


def test_every_pair_of_raters_and_judge_has_its_agreement() -> None:
    items = tuple(rated(n / 4, n / 4, human=(n / 4, 1 - n / 4)) for n in range(5))

    page = build_report(harm(items, dataset=SCALE))

    table = page[page.index('<th scope="col">anna</th>') :]
    rows = [re.sub(r"<[^>]+>", " ", row).split() for row in table[: table.index("</table>")].split("</tr>")]
    assert rows[1:4] == [["anna", "-1.00", "1.00"], ["ben", "-1.00", "-1.00"], ["judge", "1.00", "-1.00"]]


def test_the_deciding_value_is_marked_inside_the_json_and_the_prompt_is_there() -> None:
    page = build_report(harm((rated(0.5, 0.75),), dataset=SCALE))

    assert "{&#34;score&#34;: <mark>4</mark>}" in page
    assert "<summary>What the judge was shown</summary>" in page
    assert "[system]\nJudge it." in page


def test_items_say_labels_and_scores_in_the_raters_units() -> None:
    said = words(build_report(harm((rated(0.5, 0.75, None, human=(0.25, None)),), dataset=SCALE)))

    assert "people 2, – · judge 4" in said
    assert "Judge, trial 2: no score, refused" in said


def test_groups_are_measured_in_the_raters_units_and_can_be_chosen() -> None:
    measures = (Measure(name="items", value=2.0), Measure(name="mean_absolute_error", value=0.25, low=0.1, high=0.5))

    page = build_report(harm((rated(0.5, 0.75, group="x"),), dataset=SCALE, slices={"group": {"x": measures}}))

    assert "x 2 1.00 0.40 to 2.00" in words(page)
    assert '<label>group<select name="g0"><option value="">all</option><option value="x">x</option></select>' in page


def test_items_without_a_group_can_be_chosen_too() -> None:
    page = build_report(harm((rated(0.5, 0.75, group=""),), dataset=SCALE, slices={"group": {"": ()}}))

    assert '<option value="">all</option><option value="(none)">(none)</option>' in page
    assert 'data-g0="(none)"' in page


def test_only_so_many_disagreements_are_shown_as_asked() -> None:
    page = build_report(harm((rated(0.0, 1.0), rated(0.5, 0.75)), dataset=SCALE), disagreements=1)

    assert page.count('<details class="item"') == 1
    assert "The 1 worst of 2 responses" in words(page)


@pytest.mark.parametrize("scale", [None, (0.0, 100.0), (1.0, 5.0), (-2.0, 2.0)])
@settings(max_examples=25)
@example(values=[(5e-324, 0.0)])
@example(values=[(0.0, 5e-324)])
@given(values=st.lists(st.tuples(st.floats(0, 1), st.none() | st.floats(0, 1)), min_size=1, max_size=30))
def test_any_scores_make_a_page(scale: tuple[float, float] | None, values: list[tuple[float, float | None]]) -> None:
    dataset = DatasetSummary(name="x.csv", version="1", content_hash="d", scale=scale)

    page = build_report(harm(tuple(rated(gold, value) for gold, value in values), dataset=dataset))

    cells = re.findall(r'<td class="total">(\d+)</td>', page)
    assert str(len(values)) in cells
    assert "nan" not in words(page).split()


def test_of_very_many_undetermined_items_all_have_their_reason_and_the_first_their_words() -> None:
    page = build_report(harm(tuple(rated(0.5, None) for _ in range(502)), dataset=SCALE))

    assert page.count('data-reason="refused"') == 502
    assert page.count("I&#39;d rather not.") == 500


def heat_rows(page: str) -> list[list[str]]:
    """The rows of a report's heat map below its head, with 0 for an empty cell."""
    table = page[page.index('<table class="heat">') : page.index("</table>")]
    rows = re.findall(r"<tr><th[^>]*>(.*?)</tr>", table)[1:]
    return [[re.sub(r"<[^>]+>", "", cell) or "0" for cell in re.split(r"</t[hd]>", row)[:-1]] for row in rows]


def test_levels_that_differ_in_the_seventh_digit_are_counted_apart() -> None:
    dataset = DatasetSummary(name="x.csv", version="1", content_hash="d", scale=(0.0, 5e6))
    golds = (1234567, 1234568, 1234568)

    page = build_report(harm(tuple(rated(gold / 5e6, 1234567 / 5e6) for gold in golds), dataset=dataset))

    assert heat_rows(page) == [["1234567", "1", "1"], ["1234568", "2", "2"], ["all", "3", "3"]]


def test_halves_between_ten_levels_are_levels_and_no_ranges() -> None:
    dataset = DatasetSummary(name="x.csv", version="1", content_hash="d", scale=(1.0, 10.0))

    page = build_report(harm(tuple(rated(n / 18, n // 2 / 9) for n in range(19)), dataset=dataset))

    assert [row[0] for row in heat_rows(page)[:4]] == ["1", "1.5", "2", "2.5"]
    assert "Framed: both are on the same level." in words(page)


def test_nothing_is_called_framed_where_no_level_is_of_both() -> None:
    dataset = DatasetSummary(name="x.csv", version="1", content_hash="d", scale=(0.0, 100.0))

    page = build_report(harm(tuple(rated(n / 100, 0.5) for n in range(30)), dataset=dataset))

    assert "Framed" not in words(page)


def test_no_agreement_is_claimed_where_nothing_was_scored() -> None:
    said = words(build_report(harm((rated(0.5, None),), dataset=SCALE)))

    assert "No response has a score." in said
    assert "agree on every response" not in said


def test_axes_are_labelled_with_what_they_are() -> None:
    items = tuple(rated(gold, gold) for gold in (0.0, 0.25, 0.5, 0.75, 1.0, 1.0))

    page = build_report(harm(items, dataset=SCALE))

    labels = re.findall(r'<text[^>]*class="tick[^"]*">([^<]*)</text>', page)
    assert not [one for one in labels if "e-" in one]
    shares = [float(one.removesuffix("%")) for one in labels if one.endswith("%")]
    steps = {round(b - a, 6) for a, b in pairwise(shares)}
    assert len(steps) == 1, shares
