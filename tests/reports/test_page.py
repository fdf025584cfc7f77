"""The report: everything that was measured is on the page, and nothing of the data is ever interpreted."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecore import ComponentIdentifier
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
