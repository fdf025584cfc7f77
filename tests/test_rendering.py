"""Replies that are written in a format say, to the reader of that format, what they were to say."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import judgecore as jc
from judgecore.reading import Format, GuardVerdict, formats, parse
from judgecore.rendering import render

SEVERAL = {"scores": [8, 3], "ranking": ["model_2", "model_1"]}


def verdicts(form: Format) -> list[Any]:
    """Verdicts of all sides that a format has."""
    if form.kind == "guard":
        values = [example["strict"].get("value") or {} for example in form.examples]
        has_both = any({"prompt_unsafe", "response_unsafe"} <= value.keys() for value in values)
        sides = [{"prompt_unsafe": one, "response_unsafe": other} for one, other in product((True, False), repeat=2)]
        return [{"unsafe": True}, {"unsafe": False}, *(sides if has_both else [])]
    if form.kind in SEVERAL or form.id == "distilabel.ultrafeedback":
        return [SEVERAL.get(form.kind, [5, 1])]
    if form.labels:
        return [True, False] if form.labels.keys() == {"true", "false"} else list(form.labels)
    assert form.scale, f"say what a verdict of the kind {form.kind} is"
    low, high = form.scale
    return [low, high, low + 1, *([0.25, 0.5] if high - low <= 1 else [round((low + high) / 2)])]


@pytest.mark.parametrize("form", formats(), ids=lambda form: form.id)
def test_what_is_written_in_a_built_in_format_is_read_strictly(form: Format) -> None:
    for verdict in verdicts(form):
        found = parse(render(form, verdict), form, mode="strict").unwrap()
        if isinstance(found, GuardVerdict):
            found = {name: getattr(found, name) for name in verdict}
        assert found == (tuple(verdict) if isinstance(found, tuple) else verdict)


@pytest.mark.parametrize("form", [one for one in formats() if one.kind == "guard" and one.categories], ids=str)
def test_a_guard_names_a_category(form: Format) -> None:
    verdict = {"unsafe": True, "categories": [list(form.categories)[1]]}

    found = parse(render(form, verdict), form, mode="strict").unwrap()

    assert list(found.categories) == verdict["categories"]


@pytest.mark.parametrize(
    ("form", "verdict"),
    [
        (jc.Format.binary(true=["ja"], false=["nein"], markers=["Urteil: {}"]), False),
        (jc.Format.choice({"good": ["fine"], "bad": ["poor"]}), "bad"),
        (jc.Format.score(-2, 2), -1.5),
        (jc.Format.scores(3, 0, 10), (1, 5, 9)),
        (jc.Format.order(3), (2, 1, 2)),
        (jc.Format.json_field("score", jc.Format.score(0, 1)), 0.5),
        (jc.Format.json_field("ok", jc.Format.binary(true=["yes"], false=["no"])), True),
        (jc.Format.json_fields({"a": jc.Format.score(0, 9), "b": "lmms_eval.yes_no"}), {"a": 3, "b": True}),
        (jc.Format.fields({"Depth": jc.Format.score(0, 9), "Fair": "lmms_eval.yes_no"}), {"Depth": 3, "Fair": False}),
    ],
)
def test_what_is_written_in_a_format_of_the_callers_is_read(form: Format, verdict: Any) -> None:
    assert parse(render(form, verdict), form).unwrap() == verdict


def test_a_verdict_that_a_format_has_no_words_for_is_refused() -> None:
    with pytest.raises(ValueError, match=r"found no reply in mt_bench\.single that states 99"):
        render("mt_bench.single", 99)
