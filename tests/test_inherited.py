"""The inherited functions are exact on every measured case of the reference."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from references.measured import decode

import judgecore as jc

if TYPE_CHECKING:
    from pathlib import Path


def is_equal(want: Any, got: Any) -> bool:
    """Equality under which NaN equals itself."""
    if isinstance(want, dict) and isinstance(got, dict):
        return want.keys() == got.keys() and all(is_equal(want[key], got[key]) for key in want)
    if isinstance(want, float) and math.isnan(want):
        return isinstance(got, float) and math.isnan(got)
    return want == got


@pytest.mark.filterwarnings("ignore::judgecore.errors.BlindPromptWarning")
def test_every_measured_case_is_reproduced(shared: Any) -> None:
    cases = json.loads((shared / "reference" / "lmms_eval_judge_utils.json").read_text("utf-8"))["vectors"]
    assert len(cases) == 754

    for case in cases:
        home = jc.ResponseParser if case["function"].startswith("parse") else jc.JudgePromptBuilder
        function = getattr(home, case["function"])
        args, kwargs, want = decode(case["args"]), decode(case["kwargs"]), case["result"]
        label = json.dumps(case)[:200]

        if "exception" in want:
            with pytest.raises(Exception) as caught:  # noqa: PT011 - any class may come, and it is what is compared
                function(*args, **kwargs)
            assert want["exception"] == type(caught.value).__name__, label
            continue
        got = function(*args, **kwargs)

        if "contains" in want:
            given_args = {f"arg{nth}": value for nth, value in enumerate(args)} | kwargs
            for found in want["contains"]:
                assert str(given_args[found["arg"]]) in got, label
            continue
        assert is_equal(decode(want["value"]), got), label
        if case["function"] == "parse_score_response" and want["type"] in ("int", "float"):
            assert type(got) is float, label
        else:
            assert type(got).__name__ == want["type"], label


PAPER = """family = "own"
title = "Own"
evidence = "code"
sources = ["a test"]
[[formats]]
id = "own.score"
about = "A number."
kind = "score"
low = {low!r}
high = {high!r}
[formats.paper]
function = "lmms_eval_score"
out_of_range = "clamp"
default = {default!r}
"""
# Where no range is given nothing is clamped.
WIDEST = (-1.7976931348623157e308, 1.7976931348623157e308)


def test_paper_mode_is_the_inherited_function_on_every_measured_case(shared: Any, tmp_path: Path) -> None:
    cases = json.loads((shared / "reference" / "lmms_eval_judge_utils.json").read_text("utf-8"))["vectors"]
    file, counts = tmp_path / "own.toml", Counter[str]()

    for case in cases:
        args, kwargs, want = decode(case["args"]), decode(case["kwargs"]), case["result"]
        name, reply = case["function"], args[0] if args else kwargs.get("response")
        if not name.startswith("parse_") or name == "parse_json_response" or not isinstance(reply, str):
            continue
        if "exception" in want:
            continue
        form: str | jc.Format
        given = None
        if name == "parse_comparative_response":
            form = "lmms_eval.comparative"
        elif name == "parse_binary_response":
            asked = kwargs.get("output_format", args[1] if len(args) > 1 else "0/1")
            form = "lmms_eval.binary_01" if asked in ("0/1", "1/0") else "lmms_eval.yes_no"
        else:
            given = kwargs.get("score_range", args[1] if len(args) > 1 else None)
            if given is not None and not is_scale(given):
                counts["no scale"] += 1
                continue
            low, high = map(float, given or WIDEST)
            file.write_text(PAPER.format(low=low, high=high, default=low if given else 0.0), "utf-8")
            form = "lmms_eval.score" if given == (0, 10) else jc.Format.from_toml(file)

        got = jc.parse(reply, form, mode="paper")

        counts[name] += 1
        label = json.dumps(case)[:200]
        value, wanted = got.unwrap(), decode(want["value"])
        if name == "parse_score_response" and not given and math.isinf(wanted):
            wanted = math.copysign(WIDEST[1], wanted)
        assert is_equal(wanted, value), label
        assert is_equal(wanted, jc.parse_many([reply], form, mode="paper").values[0]), label

    assert counts == {
        "parse_binary_response": 225,
        "parse_comparative_response": 110,
        "parse_score_response": 140,
        "no scale": 9,
    }


@pytest.mark.parametrize(("reply", "score"), [("15", 10.0), ("-3", 0.0), ("85%", 10.0), ("7.5", 7.5)])
def test_a_clamped_score_shows_what_it_was_made_of(reply: str, score: float) -> None:
    got = jc.parse(reply, "lmms_eval.score", mode="paper")

    assert isinstance(got, jc.Reading)
    assert (got.value, got.rule, got.invented) == (score, "publisher", False)
    assert got.evidence == reply.strip("%")
    assert jc.ResponseParser.parse_score_response(reply, (0, 10)) == score


def is_scale(given: Any) -> bool:
    """Whether a measured range is one that a format can declare."""
    is_numbers = len(given) == 2 and all(isinstance(end, int | float) and math.isfinite(end) for end in given)
    return is_numbers and given[0] < given[1]


@given(st.text(), st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_a_clamped_score_stays_in_its_range(text: str, one: float, other: float) -> None:
    low, high = min(one, other), max(one, other)

    score = jc.ResponseParser.parse_score_response(text, (low, high))

    assert low <= score <= high


@pytest.mark.parametrize(
    ("output_format", "wanted"),
    [("0/1", ("1", "0")), ("1/0", ("1", "0")), ("yes/no", ("Yes", "No")), ("x", ("Yes", "No"))],
)
def test_binary_prompts_ask_for_the_words_of_their_format(output_format: str, wanted: tuple[str, str]) -> None:
    prompt = jc.JudgePromptBuilder.build_binary_prompt("q", "a", "p", output_format=output_format)

    assert f"Reply with {wanted[0]} if" in prompt
    assert f"and with {wanted[1]} if" in prompt


@pytest.mark.parametrize(
    ("output_format", "wanted"), [("yes/no", ("Yes", "No")), ("0/1", ("1", "0")), ("x", ("1", "0"))]
)
def test_correctness_prompts_ask_for_the_words_of_their_format(output_format: str, wanted: tuple[str, str]) -> None:
    prompt = jc.JudgePromptBuilder.build_correctness_prompt("q", "a", "p", output_format=output_format)

    assert f"Reply with {wanted[0]} if" in prompt
    assert f"and with {wanted[1]} if" in prompt


def test_correctness_prompts_compare_what_is_meant_and_not_how_it_is_written() -> None:
    for output_format in ("yes/no", "0/1"):
        prompt = jc.JudgePromptBuilder.build_correctness_prompt("q", "a", "p", output_format=output_format).lower()

        assert all(
            words in prompt for words in ("ignore", "formatting", "latex", r"\boxed", "mathematical", "equivalent")
        )
        assert "how the predicted answer was reached" in prompt


def test_the_context_section_stands_only_where_there_is_context() -> None:
    build = jc.JudgePromptBuilder.build_comparative_prompt

    assert "[Context]\nthe context\n\n" in build("q", "one", "two", context="the context")
    assert "[Context]" not in build("q", "one", "two")
    assert "Please provide scores from 0 to 5." in build("q", "one", "two", score_range=(0, 5))


def test_a_prompt_without_the_judged_text_warns() -> None:
    with pytest.warns(jc.errors.BlindPromptWarning, match="prediction"):
        jc.JudgePromptBuilder.build_binary_prompt("q", "a", "p", custom_prompt="{question} {answer}")
    with pytest.warns(jc.errors.BlindPromptWarning, match="response2"):
        jc.JudgePromptBuilder.build_comparative_prompt("q", "a", "b", custom_prompt="{response1}")


def test_judged_text_is_never_interpreted() -> None:
    payload = "{0.__class__} {question} {{x}} %s"

    prompt = jc.JudgePromptBuilder.build_binary_prompt("q", "a", payload)

    assert payload in prompt
