"""Twice the text takes at most two and a half times as long, also where it floods a format with its own words.

Nothing here is held against a time: the processor time of a text is held against that of a quarter of it, the least of
several runs each, taken in turn.
"""

from __future__ import annotations

import os
import time
from itertools import islice, pairwise, product
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from references import floods
from references.floods import Flood

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Effort(NamedTuple):
    """How growth is looked for.

    Attributes:
        steps: Sizes in KiB that are held against each other, until they tell.
        attempts: How often each is timed at most, where it looks slow.
        is_brief: Whether sizes that are plainly linear spare the next ones.
    """

    steps: tuple[tuple[float, ...], ...]
    attempts: int
    is_brief: bool = False


KIB = 1024
STEPS = ((4, 16, 64), (16, 64, 256))
IS_SOAK = "JUDGECORE_SOAK" in os.environ
# Of what is linear only a busy machine makes anything else, and seldom again and again.
HELD = Effort((*STEPS, (256, 1024, 4096)), 25) if IS_SOAK else Effort(STEPS, 25, is_brief=True)
# What is slow is so either at once, or where texts are long, and shows in a few attempts.
SLOW = Effort(((1.5, 6, 24), (64, 256)), 4)
# Four times the text: 4 is linear, 16 the square.
GROWTH = 2.5**2
PLAINLY_LINEAR = 5.0
# What is faster is told apart by the clock and the caches rather than by the text: 1 GB/s.
BRIEF_S_PER_BYTE = 1e-9
FORMATS = [
    *jc.formats(),
    jc.Format.score(1, 10),
    jc.Format.score(1, 5, integer=True, markers=["Rating"]),
    jc.Format.choice({"A": ["A", "Output (a)"], "B": ["B", "Output (b)"], "tie": ["tie"]}),
    jc.Format.binary(true=["Yes", "是"], false=["No", "否"]),
    jc.Format.scores(3, 0, 5),
    jc.Format.fields({"Relevance": jc.Format.score(1, 5), "Clear": jc.Format.binary(true=["yes"], false=["no"])}),
    jc.Format.json_field("score", jc.Format.score(1, 10)),
    jc.Format.order(2, names=["Assistant 1", "Assistant 2"]),
    jc.Format.choice({"A": ["A"], "B": ["B"]}, markers=["WINNER:"], place="last_line"),
    jc.Format.json_fields({"helpful.score": jc.Format.score(1, 5), "safe": jc.Format.score(1, 5)}),
]
LINE_ENDS = "the end of the line is searched anew for each list of categories that stands on it"
LINE_BEGINS = "the beginning of the line is searched anew for each > that stands on it"
# Marks that open or hold something, behind a verdict.
MARKS = (
    "> ", ">", "- ", "* ", "| ", "# ", "1. ", '"', "“", "'", "`", "```\n", "(", "[", "{", "<", ",", ";", "not ", "\n",
)  # fmt: skip
# One format of each kind that replies of different shapes have.
MARKED = (
    "mt_bench.single", "prometheus.absolute", "mt_bench.pair", "inspect.model_graded", "judgelm", "harmbench",
    "llama_guard.3", "kanana", "qwen3_guard.prompt", "pyrit.scale", "alpaca_eval.ranking",
)  # fmt: skip
UNQUOTED = {"harmbench", "llama_guard.3", "pyrit.scale", "alpaca_eval.ranking"}
SLOW_MARKS = {(name, mark) for name, mark in product(MARKED, ("> ", ">")) if name not in UNQUOTED}


def seconds(text: str, form: jc.Format, mode: Any) -> float:
    """The processor time that reading takes; other processes have no part in it."""
    start = time.thread_time()
    jc.parse(text, form, mode=mode)
    return time.thread_time() - start


def factors(texts: list[str], form: jc.Format, mode: Any, attempts: int) -> list[float]:
    """By how much time grows from text to text; nothing where it is too short to tell."""
    least = [float("inf")] * len(texts)
    found: list[float] = []
    for attempt in range(attempts):
        least = [min(known, seconds(text, form, mode)) for known, text in zip(least, texts, strict=True)]
        found = [large / small for small, large in pairwise(least)]
        is_linear = max(found) <= PLAINLY_LINEAR or (attempt and found[-1] <= PLAINLY_LINEAR)
        if is_linear or (attempt and min(found) > 1.5 * GROWTH):
            break
    return found if least[-1] > BRIEF_S_PER_BYTE * len(texts[-1]) else []


def growth(flood: Flood, form: jc.Format, mode: Any, effort: Effort) -> float:
    """By how much time grows where the text grows fourfold, at the first sizes that tell.

    Of three sizes the lesser growth counts, because the other may be where a reply becomes too long to be read in
    another way.
    """
    least = 0.0
    for sizes in effort.steps:
        found = factors([flood.text(int(size * KIB)) for size in sizes], form, mode, effort.attempts)
        least = min(found, default=0.0)
        if least > GROWTH or (effort.is_brief and found and found[-1] <= PLAINLY_LINEAR):
            break
    return least


def superlinear(found: Iterable[Flood], form: jc.Format, mode: Any, effort: Effort) -> list[str]:
    """The first flood that takes more than its share of time."""
    grown = ((growth(flood, form, mode, effort), flood) for flood in found)
    return list(islice((f"{by:.1f} for four times {flood}, {mode}" for by, flood in grown if by > GROWTH), 1))


def is_slow(flood: Flood, announced: list[str]) -> bool:
    """Whether a flood is known to be slow: lists on one line, or > behind a verdict."""
    is_listed = any(word in unit and "\n" not in unit for unit in flood.units for word in announced)
    return is_listed or (flood.units == ("> ",) and flood.before != "")


def asked(make: Callable[[jc.Format], list[Flood]]) -> list[Any]:
    """Each format with the floods that it reads in time, and with those that it does not."""
    params: list[Any] = []
    for form in FORMATS:
        # A tag announces its list too, and closes it.
        announced = [word if word[-1] == "]" else f"{word}:" for word in floods.lists(form) if word[-1] != ">"]
        found: dict[bool, list[Flood]] = {False: [], True: []}
        for flood in make(form):
            found[is_slow(flood, announced)].append(flood)
        # What differs from another format in some words alone needs a part of its floods only.
        part = 5 if floods.is_like_another(form) and not IS_SOAK else 1
        params.append(pytest.param(form, found[False][::part], HELD, id=form.id))
        if found[True]:
            mark = pytest.mark.xfail(reason=LINE_ENDS if announced else LINE_BEGINS, strict=True)
            params.append(pytest.param(form, found[True], SLOW, id=f"{form.id}-slow", marks=mark))
    return params


@pytest.mark.parametrize(("form", "found", "effort"), asked(floods.single))
def test_a_word_of_the_format_again_and_again_takes_its_share_of_time(
    form: jc.Format, found: list[Flood], effort: Effort
) -> None:
    # Strict reading does less, so that a part of the floods shows what it does.
    few = [flood for flood in found if flood.units[0].endswith(": ")]

    assert (superlinear(found, form, "lenient", effort) or superlinear(few, form, "strict", effort)) == []


@pytest.mark.parametrize(("form", "found", "effort"), asked(floods.paired))
def test_two_words_of_the_format_again_and_again_take_their_share_of_time(
    form: jc.Format, found: list[Flood], effort: Effort
) -> None:
    assert superlinear(found, form, "lenient", effort) == []


@pytest.mark.parametrize(
    "units", [("A > ",), ("A > B ",), ("A > B\n",), ("1. A\n",), ("1. A, ",), ("A (", "> B "), ("> A ",), ("Order: ",)]
)
def test_parts_of_an_order_again_and_again_take_their_share_of_time(units: tuple[str, ...]) -> None:
    found = [Flood(units), Flood(units, "B > A\n\n")]

    assert superlinear(found, jc.Format.order(2), "lenient", HELD) == []


@pytest.mark.parametrize(
    ("name", "mark"),
    [
        pytest.param(*one, marks=pytest.mark.xfail(reason=LINE_BEGINS, strict=True) if one in SLOW_MARKS else [])
        for one in product(MARKED, MARKS)
    ],
)
def test_a_mark_again_and_again_behind_a_verdict_takes_its_share_of_time(name: str, mark: str) -> None:
    form = jc.Format.get(name)
    flood = Flood((mark,), floods.verdict(form))
    effort = SLOW if (name, mark) in SLOW_MARKS else HELD

    assert superlinear([flood], form, "lenient", effort) == []
