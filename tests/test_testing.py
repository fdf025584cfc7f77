"""The strategies make what they say: judgecore's own reader does justice to every reply, and bad parsers do not."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

import judgecore as jc
from judgecore.testing import KnownReply, damaged_json, formats, noisy, planted, replies, retold, truncated
from judgecore.testing.replies import FILLER, RETELLINGS

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
SAYS_IT_OUTRIGHT = ["binary", "choice", "score", "scores", "order"]
# Half of the formats are drawn, too.
ALL = st.sampled_from([*jc.formats(), *MADE, DOCUMENTS]) | formats()
ALL_PLAIN = st.sampled_from(PLAIN) | formats(SAYS_IT_OUTRIGHT)

# What is found need not be small.
# Rare draws are found among so many.
at_once = settings(phases=[Phase.generate], database=None, deadline=None, max_examples=5000)
several = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow], deadline=None)


def read(known: KnownReply, **options: Any) -> jc.Reading | jc.Unreadable:
    assert known.format is not None
    return jc.parse(known.text, known.format, cut=known.cut, **options)


@several
@given(replies(ALL))
def test_replies_have_the_outcome_that_they_name(known: KnownReply) -> None:
    assert known.allows(read(known))


@several
@given(noisy(ALL))
def test_noise_changes_no_outcome(known: KnownReply) -> None:
    assert known.allows(read(known))


def test_a_byte_order_mark_before_reasoning_hides_no_lines_that_stand_for_json() -> None:
    reply = "extracted_final_answer: Paris\n\nreasoning: It is.\n\ncorrect: yes\n\nconfidence: 90"
    assert jc.parse(f"<think>Hm.</think>\n{reply}", "hle").unwrap() is True

    assert jc.parse(f"\ufeff<think>Hm.</think>\n{reply}", "hle").value_or(None) is True


@several
@given(truncated(ALL_PLAIN))
def test_what_is_left_of_a_reply_is_no_other_verdict(known: KnownReply) -> None:
    assert known.allows(read(known))


@several
@given(planted(ALL_PLAIN))
def test_a_planted_verdict_is_not_taken_for_the_judges(known: KnownReply) -> None:
    assert known.allows(read(known))
    assert known.allows(read(known, material=known.material))


@several
@given(retold(ALL), st.sampled_from(["lenient", "strict"]))
def test_a_verdict_of_the_material_is_not_taken_for_the_judges(known: KnownReply, mode: Any) -> None:
    assert known.allows(read(known, mode=mode, material=known.material))


@pytest.mark.parametrize("is_own", [False, True])
@pytest.mark.parametrize("way", RETELLINGS)
def test_each_way_of_retelling_is_drawn_alone_and_before_a_verdict(way: str, is_own: bool) -> None:
    def is_drawn(known: KnownReply) -> bool:
        (shown,) = known.material
        retelling = RETELLINGS[way](shown.removeprefix(f"{FILLER} ").removesuffix(f"\n{FILLER}"))
        return known.text.startswith(f"{retelling}\n\n") if is_own else known.text == retelling

    known = find(retold("mt_bench.single"), is_drawn, settings=at_once)

    assert (known.value is not None) is is_own


@pytest.mark.parametrize("kind", sorted({form.kind for form in jc.formats()} | {"fields", "order"}))
def test_a_declared_format_has_replies_with_and_without_a_verdict(kind: str) -> None:
    declared = formats([kind])

    assert find(declared, lambda _: True, settings=at_once).kind == kind
    for is_verdict in (True, False):
        known = find(replies(declared), lambda one, want=is_verdict: (one.value is not None) is want, settings=at_once)
        assert known.format is not None
        assert known.format.kind == kind


def test_a_kind_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="no kind 'scale'; name some of binary, choice, score"):
        formats(["scale"])
    with pytest.raises(ValueError, match="name at least one kind"):
        formats([])


@several
@given(damaged_json())
def test_a_damaged_object_is_the_one_that_was_meant(known: KnownReply) -> None:
    assert known.allows(jc.extract_json(known.text))


def test_replies_have_as_many_scores_as_their_format() -> None:
    find(replies(jc.Format.scores(13, 0, 5)), lambda known: known.value is not None and len(known.value) == 13)
    with pytest.raises(NoSuchExample):
        find(
            replies(jc.Format.scores(13, 0, 5)),
            lambda known: known.value is not None and len(known.value) != 13,
            settings=several,
        )


def test_no_score_is_below_its_scale() -> None:
    find(truncated(jc.Format.score(0.5, 5)), lambda known: known.value == 1.0)
    with pytest.raises(NoSuchExample):
        find(
            truncated(jc.Format.score(0.5, 5)),
            lambda known: known.value is not None and known.value < 0.5,
            settings=several,
        )
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
    fields = jc.Format.fields({"Relevance": jc.Format.score(0.2, 0.8)})

    with pytest.raises(ValueError, match="has no examples"):
        replies(fields)
    with pytest.raises(ValueError, match="has no examples"):
        retold(fields)
    with pytest.raises(ValueError, match="of the kind guard"):
        truncated("llama_guard.3")
    with pytest.raises(jc.errors.UnknownFormatError):
        planted("mt_bench.singel")
