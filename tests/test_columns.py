"""Columns in: every input that holds texts gives what its texts give one by one."""

from __future__ import annotations

import subprocess
import sys
from itertools import cycle, islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RATINGS = ["Rating: [[8]]", "no idea", None, "Rating: [[11]]", "é 界 Rating: [[2.5]], which is longer", "", "7", None]
KEYS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
# No lone surrogate, which UTF-8 has no form for, and no NUL, which NumPy leaves out at the end.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
REPLIES = st.lists(st.none() | st.sampled_from([text for text in RATINGS if text]) | TEXTS, max_size=40)

Rows = list[str | None]


def sliced(rows: Rows) -> Any:
    return pa.array(["[[1]]", None, *rows, "[[9]]"], pa.string()).slice(2, len(rows))


def chunked(rows: Rows, kind: Any = None) -> Any:
    third = len(rows) // 3
    parts = rows[:third], [], rows[third : third * 2], rows[third * 2 :]
    return pa.chunked_array([pa.array(part, pa.string()).cast(kind or pa.string()) for part in parts])


def with_text_under_nulls(rows: Rows) -> Any:
    """A null whose place in memory holds a verdict all the same."""
    full = pa.array(["[[5]]" if row is None else row for row in rows], pa.string())
    valid = pa.array([row is not None for row in rows], pa.bool_())
    return pa.Array.from_buffers(pa.string(), len(rows), [valid.buffers()[1], *full.buffers()[1:]])


def with_unused_entries(rows: Rows) -> Any:
    """A dictionary with a null, with two entries of one text, and with entries that no row points to."""
    entries = ["[[3]]", None, *rows, *rows]
    own = [(0 if nth % 3 else len(rows)) + 2 + nth for nth in range(len(rows))]
    keys = [key if row is not None else nth % 2 or None for nth, (key, row) in enumerate(zip(own, rows, strict=True))]
    return pa.DictionaryArray.from_arrays(pa.array(keys, pa.int32()), pa.array(entries, pa.string()))


def numpy_strings(rows: Rows) -> Any:
    kind: Any = np.dtypes.StringDType
    return np.array([np.nan if row is None else row for row in rows], dtype=kind(na_object=np.nan))


INPUTS: dict[str, Callable[[Rows], Any]] = {
    "tuple": tuple,
    "iterator": iter,
    "numpy_objects": lambda rows: np.array([*rows, None], dtype=object)[:-1],
    "numpy_nan": lambda rows: np.array([np.nan if row is None else row for row in [*rows, None]], dtype=object)[:-1],
    "numpy_every_other": lambda rows: np.array([cell for row in [*rows, None] for cell in (row, 8)], object)[:-2:2],
    "numpy_strings": numpy_strings,
    "utf8": lambda rows: pa.array(rows, pa.string()),
    "large_utf8": lambda rows: pa.array(rows, pa.large_string()),
    "utf8_view": lambda rows: pa.array(rows, pa.string_view()),
    "sliced": sliced,
    "sliced_view": lambda rows: sliced(rows).cast(pa.string_view()),
    "sliced_dictionary": lambda rows: sliced(rows).dictionary_encode(),
    "text_under_nulls": with_text_under_nulls,
    "chunked": chunked,
    "chunked_view": lambda rows: chunked(rows, pa.string_view()),
    "chunked_dictionary": lambda rows: chunked(rows).dictionary_encode(),
    "dictionary_of_views": lambda rows: pa.array(rows, pa.string()).cast(pa.dictionary(pa.int8(), pa.string_view())),
    "unused_entries": with_unused_entries,
    "table": lambda rows: pa.table({"reply": chunked(rows)}),
    "batches": lambda rows: pa.table({"reply": chunked(rows)}).to_reader(),
    "batch": lambda rows: pa.record_batch({"reply": pa.array(rows, pa.string())}),
    **{
        f"dictionary_{kind}": lambda rows, kind=kind: (
            pa.array(rows, pa.string()).cast(pa.dictionary(kind, pa.large_string()))
        )
        for kind in KEYS
    },
}  # fmt: skip


@pytest.mark.parametrize("count", [10_000, 40_000, 100_000])
def test_a_column_that_grows_while_it_is_made_keeps_what_it_holds(count: int) -> None:
    # Four bytes a character become one to three, so that blocks grow from small to large and from large to larger.
    rows = [f"{chr(0xA000 + nth % 1000) * 24} [[{1 + nth % 10}]]" for nth in range(count)]

    readings: Any = jc.parse_many(np.array(rows), "mt_bench.single")

    assert readings.values == [float(1 + nth % 10) for nth in range(count)]
    assert all(readings[nth].evidence == rows[nth][25:] for nth in range(0, count, 997))


@pytest.mark.parametrize("make", INPUTS.values(), ids=INPUTS)
def test_every_input_gives_what_its_texts_give_one_by_one(make: Callable[[Rows], Any]) -> None:
    columns: list[Rows] = [RATINGS, RATINGS * 3, [], [None], ["8"]]
    for rows in columns:
        readings = jc.parse_many(make(rows), "mt_bench.single")

        want = [jc.parse(row, "mt_bench.single") for row in rows]
        assert want == list(readings)
        assert [one.value_or(None) for one in want] == readings.values
        assert [getattr(one, "reason", None) for one in want] == readings.reason


@given(REPLIES, st.sampled_from(list(INPUTS.values())), st.sampled_from([None, 1, 3]), st.data())
def test_any_texts_are_read_from_every_input(
    rows: Rows, make: Callable[[Rows], Any], threads: int | None, data: st.DataObject
) -> None:
    form = data.draw(st.sampled_from(["mt_bench.single", "llmbar.pair", "llama_guard.3"]))
    cut = data.draw(st.booleans() | st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))

    readings = jc.parse_many(make(rows), form, cut=cut, threads=threads)

    cuts = [cut] * len(rows) if isinstance(cut, bool) else cut
    want = [jc.parse(row, form, cut=one) for row, one in zip(rows, cuts, strict=True)]
    assert want == list(readings)
    assert [one.value_or(None) for one in want] == readings.values


@pytest.mark.parametrize("make", INPUTS.values(), ids=INPUTS)
def test_many_rows_are_read_by_many_threads_from_every_input(make: Callable[[Rows], Any]) -> None:
    # More rows than a thread takes at once.
    rows: Rows = RATINGS * 1500

    one, three = (jc.parse_many(make(rows), "mt_bench.single", threads=threads) for threads in (1, 3))

    want = [jc.parse(row, "mt_bench.single").value_or(None) for row in rows[: len(RATINGS)]] * 1500
    assert want == one.values
    assert want == three.values
    assert one.counts() == three.counts()


@pytest.mark.parametrize("cut", [False, True, [True, False, False], [False, True]], ids=str)
@pytest.mark.parametrize("threads", [1, 3])
def test_rows_of_one_entry_are_read_as_its_text_is_whole_or_cut_off(cut: Any, threads: int) -> None:
    entries = pa.array(
        ["Score: 1", "Score: 7, and so on", None, "\u754c Score: 8", "nothing"] * 2_000
    ).dictionary_encode()
    few_of_many = pa.array([f"Score: {nth % 9 + 1}{' ' * nth}" for nth in range(500)]).dictionary_encode()[7:19]
    column = pa.chunked_array([entries[:3_000], few_of_many, entries[3_000:]])
    rows, form = column.to_pylist(), jc.Format.score(1, 10)
    cuts = [cut] * len(rows) if isinstance(cut, bool) else list(islice(cycle(cut), len(rows)))

    read: Any = pa.array(jc.parse_many(column, form, cut=cut if isinstance(cut, bool) else cuts, threads=threads))

    known = {(row, is_cut): jc.parse(row, form, cut=is_cut) for row, is_cut in zip(rows, cuts, strict=True)}
    want: list[Any] = [known[pair] for pair in zip(rows, cuts, strict=True)]
    assert read.field("value").to_pylist() == [one.value_or(None) for one in want]
    assert read.field("reason").to_pylist() == [getattr(one, "reason", None) for one in want]
    assert read.field("start").to_pylist() == [one.span[0] if one.ok else None for one in want]


@given(st.lists(TEXTS))
def test_arrays_of_characters_are_read(rows: list[str]) -> None:
    array = np.array([*rows, "[[8]]"])

    for one in (array, array.astype(array.dtype.newbyteorder()), np.repeat(array, 2)[::2]):
        readings = jc.parse_many(one, "mt_bench.single")

        assert [jc.parse(row, "mt_bench.single") for row in array.tolist()] == list(readings)


def test_a_column_without_a_type_has_only_missing_replies() -> None:
    nulls = pa.nulls(3)

    for one in (nulls, pa.chunked_array([nulls[:2], nulls[:1]]), pa.table({"reply": nulls})):
        assert jc.parse_many(one, "harmbench").reason == ["missing"] * 3
    assert jc.parse_many(["Yes", "No", "Yes"], "harmbench", material=[nulls], cut=nulls).ok.tolist() == [True] * 3


def test_a_table_row_that_is_null_is_missing() -> None:
    texts, null = pa.array(["Yes", "No", None]), pa.array([False, True, False])
    rows = pa.StructArray.from_arrays([texts], ["reply"], mask=null)

    assert jc.parse_many(rows, "harmbench").values == [True, None, None]
    coded = pa.StructArray.from_arrays([texts.dictionary_encode()], ["reply"], mask=null)
    assert jc.parse_many(coded, "harmbench").values == [True, None, None]


def raw(kind: Any, cells: Sequence[bytes]) -> Any:
    """An array of bytes that says it were text."""
    as_bytes = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    array = pa.array(cells, as_bytes[kind])
    return pa.Array.from_buffers(kind, len(cells), array.buffers())


BROKEN = [
    b"Rating: [[8]]",
    b"\xff",
    b"Rating: [[8]] \xc3",
    "é ".encode() + b"Rating: [[8]]\xed\xa0\x80",
    b"",
    b"Rating: [[7]]",
]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_a_row_that_is_not_utf8_is_malformed_and_says_where(kind: Any) -> None:
    array = raw(kind, BROKEN)

    for given_ in (array, pa.DictionaryArray.from_arrays(pa.array(range(6), pa.int8()), array)):
        readings = jc.parse_many(given_, "mt_bench.single")

        assert readings.values == [8.0, None, None, None, None, 7.0]
        assert readings.reason == [None, "malformed", "malformed", "malformed", "empty", None]
        places = [getattr(one, "detail", "") for one in readings[1:4]]
        assert places == ["byte 0 is not UTF-8", "byte 14 is not UTF-8", "byte 16 is not UTF-8"]
        assert readings.counts() == {"ok": 2, "empty": 1, "malformed": 3}


def test_a_character_that_two_rows_share_is_whole_in_neither() -> None:
    shared = raw(pa.string(), ["[[8]] é".encode()[:-1], "é [[8]]".encode()[1:]])

    assert jc.parse_many(shared, "mt_bench.single").reason == ["malformed", "malformed"]


@pytest.mark.parametrize(
    ("column", "says"),
    [
        (pa.array([8]), "must be a column of strings, not of Int64; cast it"),
        (pa.array([b"8"]), "must be a column of strings, not of Binary; cast it"),
        (pa.array([["8"]]), "must be a column of strings, not of List"),
        (pa.array([8]).dictionary_encode(), "must be a column of strings, not of Dictionary"),
        (pa.table({"id": [1], "reply": ["8"]}), 'is a table with the columns "id", "reply"; give one of them'),
        (pa.table({"id": [1]}), "must be a column of strings, not of Int64"),
        (np.array([8]), "must be an array of strings, not of int64"),
        (np.array([b"8"]), r"must be an array of strings, not of \|S1"),
        (np.array(["8", 8.5], dtype=object), r"replies\[1\] must be a str or None, not float"),
    ],
)
def test_a_column_of_something_else_is_refused(column: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        jc.parse_many(column, "mt_bench.single")


def test_an_array_of_two_dimensions_is_refused() -> None:
    with pytest.raises(ValueError, match=r"one dimension, not the shape \(1, 2\)"):
        jc.parse_many(np.array([["8", "9"]]), "mt_bench.single")


def test_a_stream_that_breaks_off_says_why() -> None:
    def batches() -> Any:
        yield pa.record_batch({"reply": ["8"]})
        raise OSError("the disk is gone")

    stream = pa.RecordBatchReader.from_batches(pa.schema({"reply": pa.string()}), batches())

    with pytest.raises(ValueError, match="the disk is gone"):
        jc.parse_many(stream, "mt_bench.single")


def test_a_stream_that_was_read_already_is_refused() -> None:
    class Spent:
        def __init__(self) -> None:
            self.capsule = pa.table({"reply": ["8"]}).__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self.capsule

    spent = Spent()
    jc.parse_many(spent, "mt_bench.single")

    with pytest.raises(ValueError, match="released"):
        jc.parse_many(spent, "mt_bench.single")


@pytest.mark.parametrize("words", ["", "because " * 100, "\ud800 "])
def test_rows_are_what_they_were_when_they_were_read(words: str) -> None:
    reply = f"{words}Rating: [[8]]"
    replies = [reply, "Rating: [[2]]"]
    array, objects = np.array(replies), np.array(replies, dtype=object)
    want = jc.parse(reply, "mt_bench.single")
    all_readings = [jc.parse_many(one, "mt_bench.single") for one in (replies, array, objects)]

    replies[0] = array[0] = objects[0] = "nothing"
    del reply

    for readings in all_readings:
        assert want.unwrap() == readings[0].unwrap() == 8.0
        assert jc.parse_many(["nothing"], "mt_bench.single")[0] != readings[0]


def test_strings_of_every_length_are_read_in_their_order() -> None:
    rows: list[str | None] = []
    for length in [*range(20, 40), *range(240, 260), *range(500, 520), 65_600]:
        score = length % 10 + 1
        rows += [f"Rating: [[{score}]]".rjust(length), None, "é" * (length - 20) + f" Rating: [[{score}]]", ""]

    for given_ in (rows, tuple(rows), iter(rows), np.array(rows, dtype=object)):
        readings = jc.parse_many(given_, "mt_bench.single")

        assert [jc.parse(row, "mt_bench.single") for row in rows] == list(readings)
        assert [jc.parse(row, "mt_bench.single").value_or(None) for row in rows] == readings.values


CUTS: list[Callable[[list[bool]], Any]] = [
    tuple,
    iter,
    np.array,
    lambda cuts: np.repeat(np.array(cuts), 2)[::2],
    lambda cuts: [np.bool_(cut) for cut in cuts],
    lambda cuts: [cut or None for cut in cuts],
    pa.array,
    lambda cuts: pa.array([cut or None for cut in cuts]),
    lambda cuts: pa.chunked_array([cuts[:1], cuts[1:]]),
    lambda cuts: pa.table({"cut": cuts}),
]


@pytest.mark.parametrize("make", CUTS)
def test_a_cut_is_a_column_too(make: Callable[[list[bool]], Any]) -> None:
    replies, score = ["Score: 1"] * 3, jc.Format.score(1, 10)

    for given_ in (replies, pa.array(replies), pa.array(replies).dictionary_encode()):
        assert jc.parse_many(given_, score, cut=make([True, False, True])).reason == ["truncated", None, "truncated"]


@pytest.mark.parametrize(
    ("cut", "says"),
    [
        (["length", "stop"], r"cut\[0\] must be a bool or None, not str"),
        ("length", "not a str"),
        (pa.array(["length", "stop"]), "cut must be a column of booleans, not of Utf8"),
        (pa.array([1, 0]), "cut must be a column of booleans, not of Int64"),
    ],
)
def test_a_cut_that_is_no_boolean_is_refused(cut: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        jc.parse_many(["8", "9"], "mt_bench.single", cut=cut)


@pytest.mark.parametrize("threads", [0, -1, 1025, 10**30, -(10**30)])
def test_so_many_threads_are_refused_with_the_cure(threads: int) -> None:
    for call in (
        lambda: jc.parse_many(["8"], "mt_bench.single", threads=threads),
        lambda: jc.extract_json_many(["8"], threads=threads),
    ):
        with pytest.raises(ValueError, match=rf"threads must be from 1 to 1024, not {threads}; leave it out"):
            call()


@pytest.mark.parametrize("threads", ["2", 2.0])
def test_threads_are_a_whole_number(threads: Any) -> None:
    with pytest.raises(TypeError):
        jc.parse_many(["8"], "mt_bench.single", threads=threads)


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter, because a test's own has threads, warnings and memory of its own."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stderr
    return done


FORKS = """
import os, sys, threading
import judgecore as jc

replies = ["Rating: [[8]]", "none"] * 20_000
def is_right():
    counts = [jc.parse_many(replies, "mt_bench.single", threads=threads).counts() for threads in (None, 2, 3)]
    return counts == [{"ok": 20_000, "no_verdict": 20_000}] * 3
assert is_right()
stop = threading.Event()
def keep_busy():
    while not stop.is_set():
        is_right()
other = threading.Thread(target=keep_busy)
other.start()
for _ in range(3):
    child = os.fork()
    if child == 0:
        grandchild = os.fork()
        right = is_right()
        if grandchild == 0:
            os._exit(0 if right else 1)
        os._exit(0 if right and os.waitpid(grandchild, 0)[1] == 0 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert is_right()
stop.set()
other.join()
"""


def test_a_fork_reads_with_threads_of_its_own() -> None:
    run(FORKS)


INTERRUPTED = """
import functools, os, signal, sys, threading
import pyarrow as pa
import judgecore as jc

kind, threads = sys.argv[1], int(sys.argv[2])
parse = functools.partial(jc.parse_many, format="mt_bench.single", threads=threads)
find_json = functools.partial(jc.extract_json_many, threads=threads)
weigh = functools.partial(jc.score_logprobs_many, format="mt_bench.single")
weigh_one = functools.partial(jc.score_logprobs, format="mt_bench.single")
text = "word " * 200_000
token = {"token": "8", "logprob": -0.5, "top_logprobs": [{"token": "8", "logprob": -0.5}] * 10}
# Each is more work than there is time for.
call, given = {
    "list": lambda: (parse, [text] * 1_000_000),
    "surrogates": lambda: (parse, ["\\ud800" + text] * 5_000),
    "arrow": lambda: (parse, pa.chunked_array([pa.array([text])] * 100_000)),
    "json": lambda: (find_json, ["{}" + text] * 1_000_000),
    "logprobs": lambda: (weigh, [[token] * 1_000] * 1_000_000),
    "logprobs of one": lambda: (weigh_one, [token] * 3_000_000),
}[kind]()
# A program that was started in the background may have been told to ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
timer.start()
# The system ends the process, unless the call ends by then.
signal.alarm(8)
try:
    call(given)
except KeyboardInterrupt:
    print("interrupted")
signal.alarm(0)
# The threads are free again.
again = jc.parse_many(["Rating: [[8]]"] * 10_000, "mt_bench.single", threads=threads)
assert again.counts() == {"ok": 10_000}
"""
LONG_CALLS = ("list", "surrogates", "arrow", "json")
LONG_CALLS_WITHOUT_THREADS = ("logprobs", "logprobs of one")


@pytest.mark.parametrize(
    ("kind", "threads"), [*product(LONG_CALLS, ("1", "2")), *product(LONG_CALLS_WITHOUT_THREADS, ("2",))]
)
def test_ctrl_c_ends_a_long_call(kind: str, threads: str) -> None:
    assert run(INTERRUPTED, kind, threads).stdout == "interrupted\n"


OTHERS = """
import sys, threading, time
import judgecore as jc

# No thread is made to let another go on.
sys.setswitchinterval(100)
turns, is_over = 0, False
def turn():
    global turns
    while not is_over:
        turns += 1
        time.sleep(0)
other = threading.Thread(target=turn)
other.start()
reply = "word " * 2_000_000 + "Rating: [[8]]"
# The formats are made now.
jc.parse("", "mt_bench.single")
before = turns
# A busy machine may give the other thread no turn during one call; without the release it gets none during any.
for _ in range(100):
    assert jc.parse(reply, "mt_bench.single").value == 8
    if turns - before > 1:
        break
print(turns - before)
is_over = True
"""


def test_other_threads_go_on_while_a_long_reply_is_read() -> None:
    assert int(run(OTHERS).stdout) > 1


# The most memory of this process; what getrusage counts is also its parent's, from which it was forked.
MOST = """
import re
def most():
    return 1024 * int(re.search("VmHWM:\\s*([0-9]+) kB", open("/proc/self/status").read())[1])
"""
MEMORY = f"""{MOST}
import sys
import pyarrow as pa
import judgecore as jc

reply = "The answer is clear and complete, and follows the question in every part. " * 13 + "Rating: [[8]]"
column = pa.array([reply], pa.string()).cast(getattr(pa, sys.argv[1])()).take(pa.array([0] * 200_000, pa.int32()))
jc.parse_many(column[:20_000], "mt_bench.single")
before = most()
readings = jc.parse_many(column, "mt_bench.single")
grown = most() - before
assert readings.counts() == {{"ok": 200_000}}
print(grown / (len(reply) * 200_000))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory from /proc")
@pytest.mark.parametrize("kind", ["string", "large_string"])
def test_text_in_arrow_is_not_copied(kind: str) -> None:
    share = float(run(MEMORY, kind).stdout)

    # 27 bytes a row of columns for a kilobyte of text, and a twentieth of the text.
    assert share < 27 / 1000 + 0.05


@pytest.mark.parametrize("bad", [8, 8.5, b"8", ["8"], object()], ids=["int", "float", "bytes", "list", "object"])
@pytest.mark.parametrize(
    "make",
    [list, tuple, iter, lambda rows: (row for row in rows), lambda rows: np.array([*rows, None], dtype=object)[:-1]],
    ids=["list", "tuple", "iterator", "generator", "numpy_objects"],
)
def test_a_value_that_is_no_text_is_named_with_its_row(make: Callable[[Any], Any], bad: Any) -> None:
    rows = ["[[1]]", None] * 8 + ["[[1]]", bad, "[[2]]", 9]

    with pytest.raises(TypeError, match=rf"^replies\[17\] must be a str or None, not {type(bad).__name__}$"):
        jc.parse_many(make(rows), "mt_bench.single")
    material = [None] * 17 + [bad, "x", "x"]
    with pytest.raises(TypeError, match=rf"^material\[1\]\[17\] must be a str or None, not {type(bad).__name__}$"):
        jc.parse_many(["[[1]]"] * len(material), "mt_bench.single", material=[["x"] * 20, make(material)])


@pytest.mark.parametrize(
    "column",
    [
        pa.array([None] * 17 + [8, 9]),
        pa.chunked_array([pa.nulls(10, pa.int64()), pa.nulls(7, pa.int64()), pa.array([8]), pa.array([9])]),
        pa.array([None] * 17 + [8, 9]).dictionary_encode(),
        pa.array([None] * 17 + [b"8"]),
        pa.table({"reply": [None] * 17 + [8]}),
        pa.table({"reply": [None] * 17 + [8]}).to_reader(max_chunksize=3),
        pa.UnionArray.from_sparse(
            pa.array([0] * 17 + [1, 1], pa.int8()), [pa.array(["[[1]]"] * 19), pa.array([8] * 19)]
        ),
    ],
    ids=["array", "chunks", "dictionary", "bytes", "table", "batches", "union"],
)
def test_the_first_value_of_an_arrow_column_that_is_no_text_is_named_with_its_row(column: Any) -> None:
    with pytest.raises(TypeError, match=r"^replies must be a column of strings, not of .*\(replies\[17\] is the first"):
        jc.parse_many(column, "mt_bench.single")


def test_a_column_of_another_type_that_has_no_values_is_refused_without_a_row() -> None:
    with pytest.raises(TypeError, match=r"must be a column of strings, not of Int64; cast it first$"):
        jc.parse_many(pa.nulls(3, pa.int64()), "mt_bench.single")
