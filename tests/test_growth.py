"""Twice the text takes at most two and a half times as long, also where it floods a format with its own words."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from references import floods
from references.floods import Flood
from references.growth import GROWTH, IS_SOAK, growth

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


FORMATS = [
    *jc.formats(),
    jc.Format.score(1, 10),
    jc.Format.score(1, 5, integer=True, markers=["Rating"]),
    jc.Format.choice({"A": ["A", "Output (a)"], "B": ["B", "Output (b)"], "tie": ["tie"]}),
    jc.Format.binary(true=["Yes", "是"], false=["No", "否"]),
    jc.Format.scores(3, 0, 5),
    jc.Format.scores(3, 0, 5, names=["Style", "Facts", "Tone"]),
    jc.Format.fields({"Relevance": jc.Format.score(1, 5), "Clear": jc.Format.binary(true=["yes"], false=["no"])}),
    jc.Format.json_field("score", jc.Format.score(1, 10)),
    jc.Format.order(2, names=["Assistant 1", "Assistant 2"]),
    jc.Format.choice({"A": ["A"], "B": ["B"]}, markers=["WINNER:"], place="last_line"),
    jc.Format.json_fields({"helpful.score": jc.Format.score(1, 5), "safe": jc.Format.score(1, 5)}),
]
# Marks that open or hold something, behind a verdict.
MARKS = (
    "> ", ">", "- ", "* ", "| ", "# ", "1. ", '"', "“", "'", "`", "```\n", "(", "[", "{", "<", ",", ";", "not ", "\n",
    "\\", "<q> ", "<think> ", "<think>\n", "</think> ", "<|im_end|> ", "<|channel|>final<|message|>",
    "{'a':'b',", '{"a":"b"} ',
)  # fmt: skip
# One format of each kind that replies of different shapes have.
MARKED = (
    "mt_bench.single", "prometheus.absolute", "mt_bench.pair", "inspect.model_graded", "judgelm", "harmbench",
    "llama_guard.3", "kanana", "qwen3_guard.prompt", "pyrit.scale", "alpaca_eval.ranking",
)  # fmt: skip


def superlinear(found: Iterable[Flood], form: jc.Format, mode: Any) -> list[str]:
    """The first flood that takes more than its share of time."""

    def call(flood: Flood, size: int) -> Callable[[], object]:
        text = flood.text(size)
        return lambda: jc.parse(text, form, mode=mode)

    grown = ((growth(partial(call, flood)), flood) for flood in found)
    return list(islice((f"{by:.1f} for four times {flood}, {mode}" for by, flood in grown if by > GROWTH), 1))


def asked(make: Callable[[jc.Format], list[Flood]]) -> list[Any]:
    """Each format with its floods."""
    if IS_SOAK:
        return [pytest.param(form, make(form), id=form.id) for form in FORMATS]
    chosen: list[Any] = []
    known: set[tuple[Any, ...]] = set()
    for form in FORMATS:
        # What differs from another format in some words alone needs a part of its floods only.
        found = make(form)[:: 5 if floods.is_like_another(form) else 1]
        # Formats that look for a verdict in the same way read the same words alike.
        keys = {(floods.way(form), one.units, bool(one.before)): one for one in found}
        chosen.append(pytest.param(form, [one for key, one in keys.items() if key not in known], id=form.id))
        known.update(keys)
    return chosen


@pytest.mark.parametrize(("form", "found"), asked(floods.single))
def test_a_word_of_the_format_again_and_again_takes_its_share_of_time(form: jc.Format, found: list[Flood]) -> None:
    # Strict reading does less, so that a part of the floods shows what it does.
    few = [flood for flood in found if flood.units[0].endswith(": ")]

    assert (superlinear(found, form, "lenient") or superlinear(few, form, "strict")) == []


@pytest.mark.parametrize(("form", "found"), asked(floods.paired))
def test_two_words_of_the_format_again_and_again_take_their_share_of_time(form: jc.Format, found: list[Flood]) -> None:
    assert superlinear(found, form, "lenient") == []


@pytest.mark.parametrize(
    "units", [("A > ",), ("A > B ",), ("A > B\n",), ("1. A\n",), ("1. A, ",), ("A (", "> B "), ("> A ",), ("Order: ",)]
)
def test_parts_of_an_order_again_and_again_take_their_share_of_time(units: tuple[str, ...]) -> None:
    found = [Flood(units), Flood(units, "B > A\n\n")]

    assert superlinear(found, jc.Format.order(2), "lenient") == []


@pytest.mark.parametrize("unit", ["Score: 1 = ", "Score: 1 2 ", "Score: 1 (0-5) ", "Score (0-5): 1 "])
def test_a_marked_number_again_and_again_takes_its_share_of_time(unit: str) -> None:
    form = jc.Format.score(1, 10, markers=["Score: {}"])

    assert superlinear([Flood((unit,))], form, "lenient") == []


@pytest.mark.parametrize("name", MARKED)
def test_a_mark_again_and_again_behind_a_verdict_takes_its_share_of_time(name: str) -> None:
    form = jc.Format.get(name)
    found = [Flood((mark,), floods.verdict(form)) for mark in MARKS]

    assert superlinear(found, form, "lenient") == []


@pytest.mark.parametrize("unit", ["8. ", "eight. "])
def test_numbers_behind_many_blanks_take_their_share_of_time(unit: str) -> None:
    form = jc.Format.score(1, 10, markers=[])

    def call(size: int) -> Callable[[], object]:
        text = " " * size + unit * (size // len(unit))
        return lambda: jc.parse(text, form)

    assert growth(call) <= GROWTH
