"""Many replies: columns, counts, arrays, and the same outcomes as one by one."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable

RATINGS: list[str | None] = ["Rating: [[8]]", "no idea", None, "Rating: [[11]]", "Rating: [[2.5]]", ""]
QUALITY = jc.Format.fields({"Relevance": jc.Format.score(1, 5), "Safe": jc.Format.binary(true=["yes"], false=["no"])})
# One reply that is read and its value, for each kind.
BY_KIND: list[tuple[jc.Format | str, str, Any]] = [
    ("harmbench", "Yes", True),
    ("mt_bench.pair", "[[C]]", "tie"),
    ("mt_bench.single", "Rating: [[8]]", 8.0),
    ("judgelm", "8 7", (8.0, 7.0)),
    (QUALITY, "Relevance: 4\nSafe: no", {"Relevance": 4.0, "Safe": False}),
    (
        "llama_guard.3",
        "unsafe\nS1,S10",
        jc.GuardVerdict(unsafe=True, response_unsafe=True, categories=("S1", "S10")),
    ),
]
KIND_NAMES = ["binary", "choice", "score", "scores", "fields", "guard"]


def test_columns_hold_each_rows_outcome() -> None:
    readings = jc.parse_many(RATINGS, "mt_bench.single")

    assert len(readings) == 6
    assert readings.values == [8.0, None, None, None, 2.5, None]
    assert readings.reason == [None, "no_verdict", "missing", "out_of_range", None, "empty"]
    assert readings.rule == ["marker", None, None, None, "marker", None]
    assert readings.ok.tolist() == [True, False, False, False, True, False]
    assert readings.ok.dtype == np.bool_
    assert readings.format == jc.Format.get("mt_bench.single")
    assert readings.mode == "lenient"


def test_counts_name_ok_and_each_reason_that_occurs() -> None:
    readings = jc.parse_many([*RATINGS, None], "mt_bench.single")

    assert readings.counts() == {"ok": 2, "missing": 2, "empty": 1, "no_verdict": 1, "out_of_range": 1}


def test_a_row_is_the_outcome_of_its_reply() -> None:
    readings = jc.parse_many(RATINGS, "mt_bench.single")

    one_by_one = [jc.parse(reply, "mt_bench.single") for reply in RATINGS]
    assert [readings[row] for row in range(6)] == one_by_one
    assert [readings[row] for row in range(-6, 0)] == one_by_one
    assert list(readings) == one_by_one
    assert list(reversed(readings)) == one_by_one[::-1]


@pytest.mark.parametrize(
    "rows", [slice(None), slice(1, 3), slice(-2, None), slice(None, None, -1), slice(4, 0, -2), slice(9, 12)]
)
def test_a_slice_is_a_list_of_outcomes(rows: slice) -> None:
    readings = jc.parse_many(RATINGS, "mt_bench.single")

    assert list(readings)[rows] == readings[rows]


@pytest.mark.parametrize("row", [6, -7, sys.maxsize, -sys.maxsize])
def test_a_row_that_is_not_there_is_an_index_error(row: int) -> None:
    readings = jc.parse_many(RATINGS, "mt_bench.single")

    with pytest.raises(IndexError, match=f"row {row} is out of range; there are 6 rows"):
        readings[row]


def test_rows_are_asked_for_by_number() -> None:
    with pytest.raises(TypeError):
        jc.parse_many(RATINGS, "mt_bench.single")["0"]  # pyright: ignore[reportArgumentType, reportCallIssue]


def test_readings_can_be_walked_twice_and_at_once() -> None:
    readings = jc.parse_many(["Yes", "No"], "harmbench")

    pairs = [(one.unwrap(), other.unwrap()) for one in readings for other in readings]

    assert pairs == [(True, True), (True, False), (False, True), (False, False)]


def test_a_repr_takes_one_line() -> None:
    readings = jc.parse_many(RATINGS, "mt_bench.single")

    assert len(repr(readings).splitlines()) == 1
    assert "6 rows" in repr(readings)


def test_no_replies_give_no_rows() -> None:
    for form, _, _ in BY_KIND:
        readings = jc.parse_many([], form)

        assert (len(readings), list(readings), readings.values) == (0, [], [])
        assert readings.counts() == {"ok": 0}
        assert readings.to_numpy().shape == (0,)
        assert readings.ok.shape == (0,)


@pytest.mark.parametrize(("form", "reply", "value"), BY_KIND, ids=KIND_NAMES)
def test_each_kind_has_its_values(form: jc.Format | str, reply: str, value: Any) -> None:
    readings = jc.parse_many([reply, "", reply], form)

    assert readings.values == [value, None, value]
    assert type(value) is type(readings.values[0])
    assert readings.counts() == {"ok": 2, "empty": 1}


def test_a_guards_rows_keep_their_fields() -> None:
    readings = jc.parse_many(["unsafe\nS77", "safe"], "llama_guard.3")

    assert [outcome.unwrap().categories for outcome in readings] == [("S77",), ()]
    assert readings[0].unwrap().fields == {"unknown_categories": ["S77"]}
    assert readings[0].unwrap() == readings.values[0]


@pytest.mark.parametrize(
    ("form", "reply", "value", "dtype"),
    [(*row, dtype) for row, dtype in zip(BY_KIND, ["?", "O", "d", "O", "O", "O"], strict=True)],
    ids=KIND_NAMES,
)
def test_an_array_has_the_type_of_its_kind(form: jc.Format | str, reply: str, value: Any, dtype: str) -> None:
    array = jc.parse_many([reply, reply], form).to_numpy()

    assert (array.dtype.char, array.shape) == (dtype, (2,))
    assert array.tolist() == [value, value]


@pytest.mark.parametrize("form", [form for form, _, _ in BY_KIND], ids=KIND_NAMES)
def test_an_array_of_unread_rows_needs_a_word_for_them(form: jc.Format | str) -> None:
    readings = jc.parse_many(["", None], form)

    with pytest.raises(ValueError, match=r"row 0 is unreadable \(empty\).*unreadable="):
        readings.to_numpy()
    assert readings.to_numpy(unreadable=None).tolist() == [None, None]


def test_the_first_unread_row_is_named() -> None:
    with pytest.raises(ValueError, match=r"row 1 is unreadable \(missing\)"):
        jc.parse_many(["Yes", None], "harmbench").to_numpy()


def test_what_stands_for_an_unread_row_is_the_callers_word() -> None:
    ratings, answers = jc.parse_many(RATINGS, "mt_bench.single"), jc.parse_many(["Yes", "?"], "harmbench")
    pairs = jc.parse_many(["[[A]]", "?"], "mt_bench.pair")

    stood_in = ratings.to_numpy(unreadable=math.nan)

    assert stood_in.dtype == np.float64
    assert np.isnan(stood_in).tolist() == [not ok for ok in ratings.ok]
    assert stood_in[ratings.ok].tolist() == [8.0, 2.5]
    assert ratings.to_numpy(unreadable=-1).tolist() == [8.0, -1.0, -1.0, -1.0, 2.5, -1.0]
    assert answers.to_numpy(unreadable=False).tolist() == [True, False]
    assert answers.to_numpy(unreadable=False).dtype == np.bool_
    assert answers.to_numpy(unreadable="unread").tolist() == [True, "unread"]
    assert pairs.to_numpy(unreadable="unread").tolist() == ["A", "unread"]


def test_what_stands_for_an_unread_row_is_named() -> None:
    with pytest.raises(TypeError):
        jc.parse_many(RATINGS, "mt_bench.single").to_numpy(0)  # pyright: ignore[reportCallIssue]


def test_columns_are_the_callers_to_change() -> None:
    readings = jc.parse_many(RATINGS, "mt_bench.single")

    readings.ok[:] = True
    readings.values.clear()
    readings.to_numpy(unreadable=0)[:] = 5

    assert readings.ok.tolist() == [True, False, False, False, True, False]
    assert readings.values[0] == 8.0


def test_a_cut_is_said_once_or_for_each_row() -> None:
    score = jc.Format.score(1, 10)
    replies = ["Score: 1", "Score: 1", "Score: 1. Fine, and so on"]

    each = jc.parse_many(replies, score, cut=[True, False, True])

    assert each.reason == ["truncated", None, None]
    assert list(each) == [
        jc.parse(reply, score, cut=cut) for reply, cut in zip(replies, [True, False, True], strict=True)
    ]
    assert jc.parse_many(replies, score, cut=True).reason == ["truncated", "truncated", None]
    assert jc.parse_many(replies, score, cut=False).reason == [None, None, None]
    assert jc.parse_many(replies, score, cut=np.array([True, False, False])).reason == ["truncated", None, None]
    assert jc.parse_many(replies, score, cut=(cut for cut in (False, True, False))).reason == [None, "truncated", None]


@pytest.mark.parametrize("cut", [[], [True], [True] * 7])
def test_a_cut_column_of_another_length_is_refused(cut: list[bool]) -> None:
    with pytest.raises(ValueError, match=f"cut has {len(cut)} rows, replies has 6"):
        jc.parse_many(RATINGS, "mt_bench.single", cut=cut)


@pytest.mark.parametrize("make", [tuple, iter, lambda rows: (row for row in rows), dict.fromkeys])
def test_replies_come_in_any_iterable(make: Callable[[list[str]], Any]) -> None:
    replies = ["Rating: [[8]]", "no idea", "Rating: [[2.5]]"]

    readings = jc.parse_many(make(replies), "mt_bench.single")

    assert readings.values == [8.0, None, 2.5]
    assert list(readings) == [jc.parse(reply, "mt_bench.single") for reply in replies]


def test_one_reply_is_not_taken_for_its_letters() -> None:
    with pytest.raises(TypeError, match="call parse"):
        jc.parse_many("Rating: [[8]]", "mt_bench.single")


@pytest.mark.parametrize("bad", [8, b"8", ["8"]])
def test_a_row_that_is_no_text_is_named(bad: Any) -> None:
    with pytest.raises(TypeError, match=rf"replies\[2\] must be a str or None, not {type(bad).__name__}"):
        jc.parse_many(["8", None, bad], "mt_bench.single")


def test_what_breaks_inside_an_iterable_comes_out_unchanged() -> None:
    def replies() -> Any:
        yield "Rating: [[8]]"
        raise RuntimeError("the file ends here")

    with pytest.raises(RuntimeError, match="the file ends here"):
        jc.parse_many(replies(), "mt_bench.single")


def test_a_lone_surrogate_spoils_no_row() -> None:
    replies = ["\ud800 Rating: [[8]]", "Rating: [[2]]\udfff", "é Rating: [[3]]"]

    readings = jc.parse_many(replies, "mt_bench.single")

    assert readings.values == [8.0, 2.0, 3.0]
    assert list(readings) == [jc.parse(reply, "mt_bench.single") for reply in replies]


def replies_of_all_formats() -> list[str | None]:
    """Every example, often enough that all threads have work."""
    replies = [example["reply"] for form in jc.formats() for example in form.examples]
    return [*replies, None] * 60


@pytest.mark.parametrize("form", ["mt_bench.single", "llmbar.pair", "llama_guard.3"])
def test_threads_change_nothing(form: str) -> None:
    replies = replies_of_all_formats()
    serial = jc.parse_many(replies, form, threads=1)
    assert len(replies) > 2 * 4096

    for threads in (None, 2, 16):
        readings = jc.parse_many(replies, form, threads=threads)

        assert serial.values == readings.values
        assert serial.reason == readings.reason
        assert serial.rule == readings.rule


def test_every_mode_can_be_had_for_many() -> None:
    replies = ["On a scale of 1-10 I give 7", ""]

    assert jc.parse_many(replies, "lmms_eval.score").values == [7.0, None]
    assert jc.parse_many(replies, "lmms_eval.score", mode="strict").mode == "strict"
    paper = jc.parse_many(replies, "lmms_eval.score", mode="paper")
    assert (paper.values, paper.rule) == ([1.0, 0.0], ["publisher", "publisher_default"])
    assert [one.unwrap() for one in paper] == paper.values


def test_sixteen_threads_read_what_one_reads() -> None:
    forms = jc.formats()
    # A few replies, mostly with a verdict, because 16 threads read all of them in every format.
    replies = [form.examples[0]["reply"] for form in forms[::5]]
    want = [[jc.parse(reply, form) for reply in replies] for form in forms]
    start = threading.Barrier(16)

    def work(nth: int) -> bool:
        # All begin together, and each with another format, so that they meet in whatever is shared.
        start.wait()
        for turn in range(len(forms)):
            at = (nth + turn) % len(forms)
            form = jc.Format.get(forms[at].id)
            many = jc.parse_many(replies, form, threads=None if nth % 2 else 2)
            if list(many) != want[at] or [jc.parse(reply, form) for reply in replies] != want[at]:
                return False
        return True

    with ThreadPoolExecutor(16) as pool:
        agreed = list(pool.map(work, range(16)))

    assert agreed == [True] * 16


@pytest.mark.parametrize("cut", [False, [False, True, False, False]])
def test_documents_are_what_their_rows_say_one_by_one(cut: Any) -> None:
    replies = ['{"a": 1', '{"a": [2.5]}', None, "none"]

    readings = jc.extract_json_many(replies, cut=cut, material=[["x", None, None, '{"a": 7}']])

    assert [one.value_or(None) for one in readings] == readings.values
    assert readings.to_numpy(unreadable="unread").tolist() == [one.value_or("unread") for one in readings]


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_documents_of_many_rows_keep_their_order(threads: int | None) -> None:
    replies = [
        None if nth % 7 == 0 else f'Here: {{"nth": {nth}, "words": "{"x" * (nth % 90)}"}}' for nth in range(9000)
    ]
    want = [None if nth % 7 == 0 else {"nth": nth, "words": "x" * (nth % 90)} for nth in range(9000)]
    columns: list[Any] = [replies, pa.array(replies), pa.array(replies * 2).dictionary_encode()[:9000]]

    for column in columns:
        readings = jc.extract_json_many(column, threads=threads)

        assert readings.values == want
        assert [row["value"] for row in readings.to_dicts()] == want


def test_documents_of_one_entry_are_objects_of_their_own() -> None:
    readings = jc.extract_json_many(pa.array(['{"a": 1}'] * 3).dictionary_encode())

    first, *others = readings.values
    assert first is not None
    first["a"] = 2

    assert others == [{"a": 1}, {"a": 1}]
    assert readings.values == [{"a": 1}] * 3


VALUES = """
import os, signal, sys, threading
import judgecore as jc

readings = jc.extract_json_many(['{"a": [1, 2, 3]}'] * 300_000, threads=int(sys.argv[1]))
# A program that was started in the background may have been told to ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
# The system ends the process, unless the call ends by then.
signal.alarm(8)
try:
    while readings.values:
        pass
except KeyboardInterrupt:
    print("interrupted")
signal.alarm(0)
assert readings.values[-1] == {"a": [1, 2, 3]}
"""


@pytest.mark.parametrize("threads", ["1", "2"])
def test_ctrl_c_ends_the_making_of_many_documents(threads: str) -> None:
    done = subprocess.run([sys.executable, "-c", VALUES, threads], capture_output=True, text=True, check=True)

    assert done.stdout == "interrupted\n"
