"""The references are right themselves: they give what was measured, and judgecore gives what they give."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from references import inherited, reading
from references.measured import decode

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FUNCTIONS = ["parse_binary_response", "parse_score_response", "parse_comparative_response", "parse_json_response"]
PIECES = [
    "0", "1", "7", "8.5", "-3", "10", ".5", "8.", "--4", "1e5", "８", "٣", "²", "½", " ", "  ", "\t", "\n", "\r\n",
    "\x1c", "\xa0", "\u200b", "yes", "Yes", "YES", "no", "ſ", "K", "İ", "Score: ", "/10", ", ", "{", "}", "[", "]",
    '{"a": 1}', '{"b": [1, {}]}', '"', "'", "nan", "NaN", "é", "😀",
]  # fmt: skip
# Python and the engine may know different versions of Unicode, whose digits are not the same.
known = st.characters(exclude_categories=["Cs", "Cn"])
texts = st.one_of(st.text(known), st.lists(st.one_of(st.sampled_from(PIECES), st.text(known, max_size=3))).map("".join))
scores = st.one_of(st.integers(-20, 20), st.floats(allow_nan=False, allow_infinity=False))
ranges = st.one_of(st.none(), st.tuples(scores, scores))


def shown(value: Any) -> str:
    """A value as text, in which NaN equals itself and an integer equals a float."""
    return repr(float(value) if type(value) is int else value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_reference_gives_every_measured_result(name: str, shared: Path) -> None:
    everything = json.loads((shared / "reference" / "lmms_eval_judge_utils.json").read_text("utf-8"))["vectors"]
    cases = [case for case in everything if case["function"] == name]
    assert len(cases) > 100

    for case in cases:
        function = partial(getattr(inherited, name), *decode(case["args"]), **decode(case["kwargs"]))
        want = case["result"]
        if "exception" in want:
            with pytest.raises((AttributeError, TypeError)) as problem:
                function()
            assert want["exception"] == problem.typename, case
        else:
            assert shown(decode(want["value"])) == shown(function()), case


@given(texts, st.sampled_from(["0/1", "1/0", "yes/no", ""]))
def test_binary_is_read_as_by_the_reference(text: str, output_format: str) -> None:
    want = inherited.parse_binary_response(text, output_format)
    got = jc.ResponseParser.parse_binary_response(text, output_format)

    assert (want, type(want)) == (got, type(got))


@given(texts, ranges)
def test_a_score_is_read_as_by_the_reference(text: str, score_range: Any) -> None:
    want = inherited.parse_score_response(text, score_range)
    got = jc.ResponseParser.parse_score_response(text, score_range)

    assert shown(want) == shown(got)


@given(texts)
def test_two_scores_are_read_as_by_the_reference(text: str) -> None:
    assert inherited.parse_comparative_response(text) == jc.ResponseParser.parse_comparative_response(text)


@given(texts)
def test_json_is_read_as_by_the_reference(text: str) -> None:
    assert shown(inherited.parse_json_response(text)) == shown(jc.ResponseParser.parse_json_response(text))


SENTENCES = [
    "The response covers the main points in plain words.",
    "It stays on topic, although the middle part repeats itself.",
    "The user asked for a short text (and got one).",
    "Some details are missing; the rest is right.",
]
prose = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6).map(" ".join)
ENDS = [
    ("mt_bench.single", reading.read_rating, ["", " [[7]]", " Rating: [[8]]", "\n\nRating: [[2.5]]", " [[11]]"]),
    ("mt_bench.pair", reading.read_verdict, ["", " [[A]]", "\n[[B]]", " My verdict is [[C]]"]),
]
STARTS = [
    ("lmms_eval.yes_no", reading.read_yes_no, ["Yes", "No", "Yes, ", "No. ", "yes\n"]),
    ("llama_guard.3", reading.read_guard, ["unsafe\nS1\n", "unsafe\nS1,S10\n", "unsafe\nS2, S3\n"]),
]


def outcome(reply: str, format_id: str) -> Any:
    """What ``parse`` says, in the reference's words."""
    got = jc.parse(reply, format_id)
    if not isinstance(got, jc.Reading):
        return got.reason
    value = got.value
    if isinstance(value, jc.GuardVerdict):
        value = reading.Unsafe(unsafe=bool(value.unsafe), categories=value.categories)
    return reading.Found(value, got.rule, got.span)


@pytest.mark.parametrize(("format_id", "reference", "ends"), ENDS)
@given(data=st.data(), text=prose)
def test_a_verdict_at_the_end_is_read_as_by_the_reference(
    format_id: str, reference: Callable[[str], Any], ends: list[str], data: Any, text: str
) -> None:
    reply = text + data.draw(st.sampled_from(ends))

    assert reference(reply) == outcome(reply, format_id)


@pytest.mark.parametrize(("format_id", "reference", "starts"), STARTS)
@given(data=st.data(), text=st.one_of(st.just(""), prose))
def test_a_verdict_at_the_start_is_read_as_by_the_reference(
    format_id: str, reference: Callable[[str], Any], starts: list[str], data: Any, text: str
) -> None:
    start = data.draw(st.sampled_from(starts))
    reply = start + text if start[-1].isspace() else start

    assert reference(reply) == outcome(reply, format_id)
