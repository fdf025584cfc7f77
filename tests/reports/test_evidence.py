"""Inside a JSON document the value alone is marked, and never another entry."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecore.reports.measures import find_evidence
from judgecore.reports.page import highlight


@pytest.mark.parametrize(
    ("reply", "value", "marked"),
    [
        ('{"rationale": "a 4, é 😀 say", "score": 4}', 4.0, "4"),
        ('{"score": "4", "rationale": "x"}', 4.0, '"4"'),
        ("{'verdict': True, why: 'so'}", True, "True"),
        ("{verdict: no, why: 'true'}", False, "no"),
        ('```json\n{"score": 4.50}\n```', 4.5, "4.50"),
        ('{"a": {"label": "Harmful"}, "n": 3}', "harmful", '"Harmful"'),
        ('{"says \\"score\\": 4": 3, "score": 4}', 4.0, "4"),
        ("{“评分”：8，“理由”：“好”}", 8.0, "8"),
    ],
)
def test_the_value_of_a_document_is_marked(reply: str, value: object, marked: str) -> None:
    start, end = find_evidence(reply, (0, len(reply)), value) or (0, 0)

    assert reply[start:end] == marked


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"score": 4, "confidence": 4}', 4.0),
        ('{"score": 4}', 3.0),
        ("Rating: [[4]]", 4.0),
        ('{"broken', 4.0),
    ],
)
def test_what_is_not_one_entry_leaves_the_place_as_it_is(reply: str, value: object) -> None:
    assert find_evidence(reply, (0, len(reply)), value) == (0, len(reply))


def test_an_unknown_place_stays_unknown() -> None:
    assert find_evidence('{"score": 4}', None, 4.0) is None
    assert find_evidence('{"score": 4}', (0, 12), None) == (0, 12)


@given(before=st.text(), words=st.text(), score=st.integers(1, 5))
def test_any_document_has_its_score_found_by_code_points(before: str, words: str, score: int) -> None:
    document = json.dumps({"why": f"x{words}", "score": score}, ensure_ascii=False)
    reply = f"{before}{document} after"

    start, end = find_evidence(reply, (len(before), len(before) + len(document)), float(score)) or (0, 0)

    assert reply[start:end] == str(score)


@given(text=st.text(alphabet="{}[]\"'\\:, a1", max_size=200))
def test_any_text_gives_a_place_inside_the_given_one(text: str) -> None:
    start, end = find_evidence("{" + text, (0, len(text) + 1), 1.0) or (-1, -1)

    assert 0 <= start <= end <= len(text) + 1


def test_a_place_is_marked_by_code_points_and_escaped() -> None:
    assert highlight("😀<é>&", (1, 4)) == "😀<mark>&lt;é&gt;</mark>&amp;"
    assert highlight("<b>", None) == highlight("<b>", (1, 1)) == "&lt;b&gt;"
