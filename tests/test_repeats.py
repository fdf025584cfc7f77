"""What was read before is known: it has to be what reading anew gives, for every mode, cut and place in a column."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = Path(__file__).parents[1] / "rust" / "judgecore" / "formats"
FORMATS = [form.id for form in jc.formats() if form.kind in {"binary", "choice", "score", "guard"}]
EXAMPLES = [(form, example["reply"]) for form in jc.formats() for example in form.examples]
# More than a memo holds at first, and than it looks at before it asks whether that pays.
MANY = 30_000


def parts(outcome: Any) -> tuple[Any, ...]:
    """All that an outcome says, which is what its pickle holds."""
    return outcome.__reduce__()


def read_anew(reply: str, form: str, mode: Any, *, cut: bool) -> Any:
    """Read with the same format made once more, which has read nothing yet."""
    another = jc.Format.from_toml(FILES / f"{form.split('.', 1)[0]}.toml", variant=form)
    return jc.parse(reply, another, mode=mode, cut=cut)


@pytest.mark.parametrize(("form", "reply"), EXAMPLES, ids=lambda one: getattr(one, "id", "")[:40])
def test_an_example_read_again_and_again_gives_what_it_gives_anew(form: jc.Format, reply: str) -> None:
    modes: list[Any] = [mode for mode in form.modes if mode != "paper"]
    asked = list(product(modes, (False, True)))
    want = [parts(read_anew(reply, form.id, mode, cut=cut)) for mode, cut in asked]

    for _ in range(3):
        assert [parts(jc.parse(reply, form.id, mode=mode, cut=cut)) for mode, cut in asked] == want


@given(st.sampled_from(FORMATS), st.text(max_size=12), st.sampled_from(["lenient", "strict"]), st.booleans())
def test_any_short_text_read_twice_gives_what_it_gives_anew(form: str, text: str, mode: Any, cut: bool) -> None:
    reply = f"{text} Rating: [[8]]"
    twice = [parts(jc.parse(reply, form, mode=mode, cut=cut)) for _ in range(2)]

    assert twice == [parts(read_anew(reply, form, mode, cut=cut))] * 2


def test_evidence_is_a_part_of_the_reply_that_was_given_last() -> None:
    class Marked(str):
        __slots__ = ()

    first = jc.parse("Rating: [[8]] and so on", "mt_bench.single")
    again: Any = jc.parse(Marked("Rating: [[8]] and so on"), "mt_bench.single")

    assert parts(first) == parts(again)
    assert again.evidence == "Rating: [[8]]"


def test_what_is_done_to_a_verdicts_fields_stays_with_that_verdict() -> None:
    first: Any = jc.parse("unsafe\nS1,S10", "llama_guard.3")
    first.value.fields["note"] = "mine"
    again: Any = jc.parse("unsafe\nS1,S10", "llama_guard.3")

    assert again.value.fields == {}
    assert again.fields is again.value.fields
    assert again.value.categories == ("S1", "S10")


def test_two_formats_of_one_name_know_nothing_of_each_other() -> None:
    out_of_ten, out_of_five = jc.Format.score(1, 10), jc.Format.score(1, 5)

    for _ in range(3):
        assert jc.parse("Score: 8", out_of_ten).value_or(None) == 8.0
        assert jc.parse("Score: 8", out_of_five).value_or("no score") == "no score"


def row_of(outcome: Any) -> dict[str, Any]:
    """What a column holds of an outcome."""
    if isinstance(outcome, jc.Unreadable):
        empty = dict.fromkeys(("value", "rule", "start", "end"))
        return {"status": "unreadable", "reason": outcome.reason, **empty}
    start, end = outcome.span
    said = {"value": outcome.value, "rule": outcome.rule, "start": start, "end": end}
    return {"status": "ok", "reason": None, **said}


def rows_of(different: int, seed: int) -> list[str]:
    """Many rows in no order, of so many different texts, some longer than what lists copy."""
    random_of = random.Random(seed)  # noqa: S311 - the same rows each time
    tails = ["", " 界", " " + "very " * 60 + "good"]
    texts = [f"Text {nth:x}.{tails[nth % 3]} Rating: [[{nth % 11}]]" for nth in range(different)]
    return [random_of.choice(texts) for _ in range(MANY * 3)]


@pytest.mark.parametrize("different", [5, 3_000, MANY, MANY * 30])
@pytest.mark.parametrize("column", [list, pa.array], ids=["list", "arrow"])
@pytest.mark.parametrize("threads", [1, 2])
def test_rows_that_repeat_are_read_as_each_text_is(
    different: int, column: Callable[[list[str]], Any], threads: int
) -> None:
    rows = rows_of(different, seed=different)

    read: Any = pa.array(jc.parse_many(column(rows), "mt_bench.single", threads=threads))

    want = {text: row_of(jc.parse(text, "mt_bench.single")) for text in set(rows)}
    assert read.to_pylist() == [want[text] for text in rows]


def test_more_texts_than_are_known_at_once_are_each_read_as_it_is() -> None:
    # Twice one after the other, so that looking pays, and more of them than one thread keeps outcomes of.
    scores = [float(1 + nth % 10) for nth in range(70_000) for _ in range(2)]
    rows = [f"Text {nth // 2:x}. Rating: [[{score:g}]]" for nth, score in enumerate(scores)]

    assert jc.parse_many(rows, "mt_bench.single", threads=1).values == scores


def test_a_text_that_is_cut_off_in_some_rows_is_read_as_each_row_says() -> None:
    rows = ["Rating: [[8]", "Rating: [[8]]"] * 2_000
    cut = [nth % 3 == 0 for nth in range(len(rows))]

    read: Any = pa.array(jc.parse_many(rows, "mt_bench.single", cut=cut))

    want = [row_of(jc.parse(row, "mt_bench.single", cut=is_cut)) for row, is_cut in zip(rows, cut, strict=True)]
    assert read.to_pylist() == want


# Sentences before the last one: prose, and what changes how a last sentence is read or is evidence itself.
BEFORE = (
    *("Clear and short.", "It isn't 'good'.", "Is it? Yes!", "It names five of the facts.", "A **bold** claim."),
    *("Score: 3.", "Rating: [[3]].", "One of eight.", "A score of eight.", "<think>Hm.", "Été.", "> Quoted.", "So:"),
)
LAST = {
    "mt_bench.single": ("Rating: [[8]]", "[[2.5]].", "Rating: [[11]]", "Score: 7", "not [[4]]", "[[5]] [[6]]"),
    "arena_hard": ("My verdict: [[A>B]]", "[[B>>A]].", "[[A=B]]", "[[A]]", "A is better.", "[[A>B]] or [[B>A]]"),
    "score": ("Score: 8", "Final score: 8/10.", "I give it 7", "Score: 11", "The reference score is 2", "Step 4"),
}


@pytest.mark.parametrize("form", LAST)
@given(st.data())
def test_rows_that_end_alike_are_read_as_each_row_is(form: str, data: st.DataObject) -> None:
    befores = st.lists(st.sampled_from(BEFORE), max_size=3).map(" ".join)
    row = st.tuples(
        befores, st.sampled_from([" ", "\n", "\n\n"]), st.sampled_from(LAST[form]), st.sampled_from(["", "\n"])
    )
    rows = ["".join(parts) for parts in data.draw(st.lists(row, min_size=2, max_size=40))]
    cut = data.draw(st.sampled_from([None, [nth % 5 == 0 for nth in range(len(rows))]]))
    asked: Any = jc.Format.score(1, 10) if form == "score" else form

    read = [pa.array(jc.parse_many(column, asked, cut=cut)).to_pylist() for column in (rows, pa.array(rows))]

    cuts = cut or [False] * len(rows)
    want = [row_of(jc.parse(row, asked, cut=is_cut)) for row, is_cut in zip(rows, cuts, strict=True)]
    assert read == [want, want]


@pytest.mark.parametrize(
    ("form", "rows"),
    [
        (jc.Format.score(1, 10, markers=['{"score": {}}']), ["Good. [[8]]", 'It is {"score": 3}. [[8]]']),
        (jc.Format.score(1, 10, markers=["Verdict. [[{}]]"]), ["Good. [[8]]", "Final Verdict. [[8]]"]),
        (jc.Format.score(0, 3000), ["Good. Score\n1950", "It is a clear and complete answer to it. Score\n1950"]),
        (jc.Format.score(1, 10), ["Good. Score: 8", "A score of eight. Score: 8", "Score: eight. Score: 8"]),
        (jc.Format.score(1, 10), ["Good. assistantfinal Score: 8", "analysis. assistantfinal Score: 8"]),
    ],
    ids=["brace", "stop in a marker", "heading", "number words", "channel"],
)
def test_the_same_last_words_count_only_where_nothing_before_them_does(form: jc.Format, rows: list[str]) -> None:
    for column in (rows, rows[::-1]):
        assert pa.array(jc.parse_many(column, form)).to_pylist() == [row_of(jc.parse(row, form)) for row in column]


def test_texts_that_differ_only_where_no_hash_looks_are_told_apart() -> None:
    # Of a text of more than 256 bytes its beginning, middle and end make the hash.
    rows = [f"{'a' * 70}. Rating: [[{nth % 11}]] {'b' * 300}" for nth in range(3_000)]

    for column in (rows, pa.array(rows)):
        read: Any = pa.array(jc.parse_many(column, "mt_bench.single", threads=2))
        assert [row["value"] for row in read.to_pylist()] == [float(nth % 11) or None for nth in range(3_000)]
    for _ in range(2):
        found = [jc.parse(text, "mt_bench.single").value_or(None) for text in rows[:22]]
        assert found == [float(nth % 11) or None for nth in range(22)]
