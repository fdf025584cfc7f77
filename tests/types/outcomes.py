"""What type checkers know of outcomes; each error that one must find is named behind its line.

pyright reads `pyright: ignore` alone, and mypy `type: ignore` alone; either is an error where nothing is found.
"""

from __future__ import annotations

from typing import Any, Literal, assert_type

import judgecore as jc

SCALE = jc.Format.score(1, 10)
ANSWER = jc.Format.binary(true=["yes"], false=["no"])
GRADE = jc.Format.choice({"A": ["good"], "B": ["bad"]})

assert_type(SCALE, jc.Format[float])
assert_type(ANSWER, jc.Format[bool])
assert_type(GRADE, jc.Format[str])
assert_type(jc.Format.scores(2, 1, 10), jc.Format[tuple[float, ...]])
assert_type(jc.Format.order(3), jc.Format[tuple[int, ...]])
assert_type(jc.Format.json_field("score", SCALE), jc.Format[float])
assert_type(jc.Format.json_field("score", "mt_bench.single"), jc.Format[Any])
assert_type(jc.Format.from_toml("judge.toml"), jc.Format[Any])
# Fields of one type have it; those of several have any.
assert_type(jc.Format.fields({"style": SCALE, "facts": jc.Format.score(1, 5)}), jc.Format[dict[str, float]])
assert_type(jc.Format.fields({"style": SCALE, "grade": GRADE}), jc.Format[dict[str, Any]])
assert_type(jc.Format.json_fields({"safe": ANSWER}), jc.Format[dict[str, bool]])
assert_type(jc.Format.json_fields({"safe": "simple_qa"}), jc.Format[dict[str, Any]])
# A built-in format that is named has its value's type.
assert_type(jc.Format.get("mt_bench.single"), jc.Format[float])
assert_type(jc.Format.get("lmms_eval.yes_no"), jc.Format[bool])
assert_type(jc.Format.get("arena_hard"), jc.Format[str])
assert_type(jc.Format.get("mt_bench.vicuna"), jc.Format[tuple[float, ...]])
assert_type(jc.Format.get("alpaca_eval.ranking"), jc.Format[tuple[str, ...]])
assert_type(jc.Format.get("llama_guard.3"), jc.Format[jc.GuardVerdict])


def parse(text: str, name: str, form: jc.Format[str] | str, anything: jc.Format) -> None:
    assert_type(jc.parse(text, SCALE), jc.Reading[float] | jc.Unreadable)
    assert_type(jc.parse(text, name), jc.Reading[Any] | jc.Unreadable)
    assert_type(jc.parse(text, anything), jc.Reading[Any] | jc.Unreadable)
    assert_type(jc.parse(text, SCALE).unwrap(), float)
    assert_type(jc.parse(text, SCALE).value_or(None), float | None)
    readings = jc.parse_many([text], SCALE)
    assert_type(readings, jc.Readings[float])
    assert_type(readings.values, list[float | None])
    assert_type(readings[0], jc.Reading[float] | jc.Unreadable)
    # The name is taken for that of such a format.
    assert_type(jc.parse(text, form), jc.Reading[str] | jc.Unreadable)


def a_wider_format_takes_a_narrower_one(form: jc.Format[bool]) -> jc.Format[float]:
    return form


def a_narrower_format_takes_no_wider_one(form: jc.Format[float]) -> jc.Format[bool]:
    return form  # type: ignore[return-value]  # pyright: ignore[reportReturnType]


def an_outcome_that_nobody_asked_has_no_value(text: str) -> float:
    return jc.parse(text, SCALE).value  # type: ignore[union-attr]  # pyright: ignore[reportAttributeAccessIssue]


def a_match_narrows(text: str) -> float | str:
    match jc.parse(text, SCALE):
        case jc.Reading(value=value):
            assert_type(value, float)
            return value
        case jc.Unreadable(reason=reason):
            return reason


def isinstance_narrows(text: str) -> float | None:
    outcome = jc.parse(text, SCALE)
    if not isinstance(outcome, jc.Reading):
        assert_type(outcome, jc.Unreadable)
        return None
    assert_type(outcome, jc.Reading[float])
    return outcome.value


def a_comparison_narrows(text: str) -> float | None:
    outcome = jc.parse(text, SCALE)
    if outcome.ok is False:
        assert_type(outcome, jc.Unreadable)
        return None
    assert_type(outcome.ok, Literal[True])
    return outcome.value


def truth_alone_narrows_for_mypy(text: str) -> float | None:
    outcome = jc.parse(text, SCALE)
    if outcome.ok:
        return outcome.value  # pyright: ignore[reportAttributeAccessIssue]
    return None
