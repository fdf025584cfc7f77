"""The strategies make what they say: judgecore's own reader does justice to every reply, and bad parsers do not."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

import judgecore as jc
from judgecore.testing import KnownReply, damaged_json, noisy, planted, replies, truncated

MADE = [
    jc.Format.score(1, 10),
    jc.Format.score(1, 5, integer=True, markers=["Rating"]),
    jc.Format.choice({"A": ["Output (a)"], "B": ["Output (b)"], "tie": ["tie"]}),
    jc.Format.binary(true=["helpful"], false=["unhelpful"]),
    jc.Format.scores(3, 0, 5),
    jc.Format.scores(13, 0, 5),
    jc.Format.score(0.5, 5),
    jc.Format.order(3),
    jc.Format.order(2, names=["Assistant 1", "Assistant 2"]),
    jc.Format.choice({"A": ["Output (a)"], "B": ["Output (b)"]}, markers=["WINNER:", "<verdict>{}</verdict>"]),
    jc.Format.choice({"A": ["Output (a)"], "B": ["Output (b)"]}, place="last_line"),
    jc.Format.binary(true=["yes"], false=["no"], place="first_line"),
    jc.Format.binary(true=["yes"], false=["no"], place="first_word"),
]
PLAIN = [form for form in (*jc.formats(), *MADE) if form.kind in {"binary", "choice", "score", "scores", "order"}]
# Its score is worked out of three answers.
PLAIN.remove(jc.Format.get("strong_reject"))
# One document holds all of its values.
DOCUMENTS = jc.Format.json_fields(
    {
        "helpful.score": jc.Format.score(1, 5),
        "helpful.pair": jc.Format.scores(2, 1, 5),
        "safe": jc.Format.binary(true=["yes"], false=["no"]),
        "order": jc.Format.order(3),
    }
)
ALL = [*jc.formats(), *MADE, DOCUMENTS]

several = settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow], deadline=None)


def of(strategy: Any, formats: list[jc.Format]) -> st.SearchStrategy[tuple[jc.Format, KnownReply]]:
    return st.sampled_from(formats).flatmap(lambda form: st.tuples(st.just(form), strategy(form)))


@several
@given(of(replies, ALL))
def test_replies_have_the_outcome_that_they_name(drawn: tuple[jc.Format, KnownReply]) -> None:
    form, known = drawn

    assert known.allows(jc.parse(known.text, form, cut=known.cut))


@several
@given(of(noisy, ALL))
def test_noise_changes_no_outcome(drawn: tuple[jc.Format, KnownReply]) -> None:
    form, known = drawn

    assert known.allows(jc.parse(known.text, form, cut=known.cut))


def test_a_byte_order_mark_before_reasoning_hides_no_lines_that_stand_for_json() -> None:
    reply = "extracted_final_answer: Paris\n\nreasoning: It is.\n\ncorrect: yes\n\nconfidence: 90"
    assert jc.parse(f"<think>Hm.</think>\n{reply}", "hle").unwrap() is True

    assert jc.parse(f"\ufeff<think>Hm.</think>\n{reply}", "hle").value_or(None) is True


@several
@given(of(truncated, PLAIN))
def test_what_is_left_of_a_reply_is_no_other_verdict(drawn: tuple[jc.Format, KnownReply]) -> None:
    form, known = drawn

    assert known.allows(jc.parse(known.text, form, cut=known.cut))


@several
@given(of(planted, PLAIN))
def test_a_planted_verdict_is_not_taken_for_the_judges(drawn: tuple[jc.Format, KnownReply]) -> None:
    form, known = drawn

    assert known.allows(jc.parse(known.text, form))


@several
@given(damaged_json())
def test_a_damaged_object_is_the_one_that_was_meant(known: KnownReply) -> None:
    assert known.allows(jc.extract_json(known.text))


def test_replies_have_as_many_scores_as_their_format() -> None:
    find(replies(jc.Format.scores(13, 0, 5)), lambda known: known.value is not None and len(known.value) == 13)
    with pytest.raises(NoSuchExample):
        find(replies(jc.Format.scores(13, 0, 5)), lambda known: known.value is not None and len(known.value) != 13)


def test_no_score_is_below_its_scale() -> None:
    find(truncated(jc.Format.score(0.5, 5)), lambda known: known.value == 1.0)
    with pytest.raises(NoSuchExample):
        find(truncated(jc.Format.score(0.5, 5)), lambda known: known.value is not None and known.value < 0.5)
    with pytest.raises(ValueError, match="in words or whole numbers"):
        truncated(jc.Format.score(0.2, 0.8))


def first_number(text: str) -> float | None:
    """A parser as many people write it."""
    found = re.search(r"\d+", text)
    return float(found[0]) if found else None


def whole_number(text: str) -> float | None:
    """A parser for a judge that answers as it was asked to."""
    text = text.strip()
    return float(text) if text.isdecimal() else None


@pytest.mark.parametrize(
    ("strategy", "parser"), [(noisy, whole_number), (truncated, first_number), (planted, first_number)]
)
def test_a_naive_parser_is_caught(strategy: Any, parser: Any) -> None:
    caught = find(strategy(jc.Format.score(1, 10)), lambda known: not known.allows(parser(known.text)))

    assert caught.allows(jc.parse(caught.text, jc.Format.score(1, 10), cut=caught.cut))


@pytest.mark.parametrize(
    ("known", "found", "is_allowed"),
    [
        (KnownReply("8", 8.0), 8, True),
        (KnownReply("8", 8.0), None, False),
        (KnownReply("8", 8.0, may_be_unread=True), None, True),
        (KnownReply("1", 1.0), True, False),
        (KnownReply("", None), None, True),
        (KnownReply("", None), 0, False),
        (KnownReply("8 7", (8.0, 7.0)), [8, 7], True),
        (KnownReply("safe", value=False), jc.GuardVerdict(unsafe=False), True),
        (KnownReply('{"a": 1}', {"a": 1}), {"a": 1.0}, True),
    ],
)
def test_a_result_is_held_against_what_is_known(known: KnownReply, found: Any, is_allowed: bool) -> None:
    assert known.allows(found) is is_allowed


def test_a_format_that_nothing_can_be_made_of_is_refused() -> None:
    fields = jc.Format.fields({"Relevance": jc.Format.score(1, 5)})

    with pytest.raises(ValueError, match="has no examples"):
        replies(fields)
    with pytest.raises(ValueError, match="of the kind guard"):
        truncated("llama_guard.3")
    with pytest.raises(jc.errors.UnknownFormatError):
        planted("mt_bench.singel")
