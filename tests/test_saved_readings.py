"""Readings without their replies: pickles and deep copies hold the columns, checked when they are loaded."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable

QUALITY = jc.Format.fields({
    "Relevance": jc.Format.score(1, 5),
    "Safe": jc.Format.binary(true=["yes"], false=["no"]),
    "Better": jc.Format.choice({"A": ["A"], "B": ["B"]}),
})  # fmt: skip
RUBRIC = jc.Format.json_fields({"helpful.score": jc.Format.score(1, 5), "order": jc.Format.order(2)})
DOCUMENTS = '{"a": [1, 2.5, NaN, null, {"b": "\\u00e9"}], "long": 123456789012345678901234567890}'
# A reply that is read, for each kind of value.
BY_KIND: dict[str, tuple[jc.Format | str, str]] = {
    "binary": ("harmbench", "Yes"),
    "choice": ("mt_bench.pair", "[[C]]"),
    "score": ("mt_bench.single", "Rating: [[8]]"),
    "scores": ("judgelm", "8 7"),
    "fields": (QUALITY, "Relevance: 4\nSafe: no\nBetter: B"),
    "guard": ("llama_guard.3", "unsafe\nS1,S77"),
    "ranking": ("alpaca_eval.ranking", '[{"model": "model_2", "rank": 1}, {"model": "model_1", "rank": 2}]'),
    "order": (jc.Format.order(3), "B > A = C"),
    "json_field": (jc.Format.json_field("score", jc.Format.score(1, 10)), 'I say {"score": 8, "why": "good"}'),
    "json_fields": (RUBRIC, '{"helpful": {"score": 4}, "order": "2 > 1"}'),
}
FORMATS = [*jc.formats(), *(form for form, _ in BY_KIND.values() if isinstance(form, jc.Format))]
EXAMPLES = [example["reply"] for form in jc.formats() for example in form.examples]
REPLIES = st.lists(
    st.none() | st.text(max_size=20) | st.sampled_from([*EXAMPLES, *(reply for _, reply in BY_KIND.values())]),
    max_size=30,
)


def pickled(readings: jc.Readings) -> jc.Readings:
    return pickle.loads(pickle.dumps(readings))


COPIES: dict[str, Callable[[jc.Readings], jc.Readings]] = {
    "pickle": pickled,
    "deepcopy": copy.deepcopy,
    "pickle_of_deepcopy": lambda readings: pickled(copy.deepcopy(readings)),
}


def assert_same_columns(again: jc.Readings, readings: jc.Readings) -> None:
    assert (again.format, again.mode, len(again)) == (readings.format, readings.mode, len(readings))
    # Compared as text, because NaN is no equal of itself.
    assert repr(again.values) == repr(readings.values)
    assert repr(again.to_dicts()) == repr(readings.to_dicts())
    assert (again.reason, again.rule, again.counts()) == (readings.reason, readings.rule, readings.counts())
    assert again.ok.tolist() == readings.ok.tolist()
    table = pa.table(again)
    table.validate(full=True)
    assert table.equals(pa.table(readings))
    assert (again == readings, hash(again) == hash(readings)) == (True, True)
    assert repr(again) == repr(readings)


def of_columns(outcome: jc.Reading | jc.Unreadable) -> jc.Reading | jc.Unreadable:
    """What the columns know of an outcome."""
    if isinstance(outcome, jc.Unreadable):
        return jc.Unreadable(outcome.reason, format=outcome.format)
    fields = outcome.value.fields if isinstance(outcome.value, jc.GuardVerdict) else outcome.value
    fields = fields if isinstance(fields, dict) else None
    return jc.Reading(
        outcome.value, fields, outcome.format, outcome.mode, outcome.rule, outcome.span, None, (), outcome.invented
    )


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize(("form", "reply"), BY_KIND.values(), ids=BY_KIND)
def test_a_copy_of_each_kind_has_the_same_columns(
    form: jc.Format | str, reply: str, make: Callable[[jc.Readings], jc.Readings]
) -> None:
    readings = jc.parse_many([reply, "", None, f"é {reply}", reply], form)
    assert readings.counts()["ok"] >= 2

    again = make(readings)

    assert_same_columns(again, readings)
    assert [of_columns(one) for one in readings] == list(again)
    assert again[0] == again[-1] == again[0:1][0]


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_a_copy_of_documents_holds_them(make: Callable[[jc.Readings], jc.Readings]) -> None:
    replies = [DOCUMENTS, '"text"', "7", "[]", "null", None, "no document", '{"a": 1, "a": 2}', "true"]
    readings = jc.extract_json_many(replies)

    again = make(readings)

    assert_same_columns(again, readings)
    assert repr([one.value_or(None) for one in again]) == repr(readings.values)


def test_documents_of_a_copy_are_had_as_the_type_that_is_asked_for() -> None:
    readings = jc.extract_json_many(['{"a": 1, "b": [true]}', None, '{"a": 7}'])
    kinds = dict(zip(pa.table(readings).column_names, pa.table(readings).schema.types, strict=True))
    kinds["value"] = pa.struct({"a": pa.int64(), "b": pa.list_(pa.bool_())})

    for one in (readings, copy.deepcopy(readings)):
        values = pa.array(one, type=pa.struct(list(kinds.items()))).field("value").to_pylist()

        assert values == [{"a": 1, "b": [True]}, None, {"a": 7, "b": None}]
    kinds["value"] = pa.struct({"b": pa.int64()})
    with pytest.raises(ValueError, match=r"row 0: \$\.b is an array"):
        pa.array(copy.deepcopy(readings), type=pa.struct(list(kinds.items())))


def test_a_document_of_any_depth_survives() -> None:
    reply = "[" * 5_000 + "]" * 5_000
    readings = jc.extract_json_many([reply, "[1]"], max_depth=10_000)

    again = pickled(readings)

    assert again == readings
    assert pa.table(again)["value"].to_pylist() == [reply, "[1]"]
    value, depth = again.values[0], 1
    while value:
        value, depth = value[0], depth + 1
    assert depth == 5_000


@settings(max_examples=300)
@given(REPLIES, st.sampled_from(FORMATS), st.data())
def test_pickling_any_replies_of_any_format_keeps_the_columns(
    replies: list[str | None], form: jc.Format, data: st.DataObject
) -> None:
    mode = data.draw(st.sampled_from(form.modes))
    cut = data.draw(st.booleans())
    readings = jc.parse_many(replies, form, mode=mode, cut=cut)

    again = pickled(readings)

    assert_same_columns(again, readings)
    assert repr([one.value_or(None) for one in readings]) == repr(readings.values)
    assert [one.ok for one in again] == readings.ok.tolist()
    assert pickle.dumps(again) == pickle.dumps(readings)


@given(st.lists(st.none() | st.text(max_size=20) | st.sampled_from([DOCUMENTS, '{"a": {"b": 1}}']), max_size=20))
def test_pickling_any_documents_keeps_the_columns(replies: list[str | None]) -> None:
    readings = jc.extract_json_many(replies)

    assert_same_columns(pickled(readings), readings)
    assert repr([one.value_or(None) for one in readings]) == repr(readings.values)


def test_a_built_in_format_is_the_built_in_one_again() -> None:
    for form in jc.formats():
        again = pickled(jc.parse_many([], form))

        assert again.format == form
        assert again.format.__reduce__() == form.__reduce__()


def test_a_pickle_and_a_deep_copy_hold_no_replies() -> None:
    readings = jc.parse_many(["My secret words. Rating: [[8]]"] * 3, "mt_bench.single", material=[["what it read"] * 3])

    here: Any = readings[0]

    for again in (pickled(readings), copy.deepcopy(readings)):
        there: Any = again[0]
        assert b"secret" not in pickle.dumps(again)
        assert b"what it read" not in pickle.dumps(again)
        assert (there.span, there.evidence) == (here.span, None)
        assert (type(there), here.evidence) == (jc.Reading, "Rating: [[8]]")
        assert "evidence=None" in repr(again[0])
        assert pickle.loads(pickle.dumps(again[0])) == again[0]


def test_a_copy_that_is_not_deep_keeps_the_replies() -> None:
    readings = jc.parse_many(["Rating: [[8]]"], "mt_bench.single")

    assert copy.copy(readings) is readings
    outcome: Any = copy.copy(copy.deepcopy(readings))[0]
    assert outcome.evidence is None


def test_bytes_that_are_no_text_and_lone_surrogates_stand_in_no_pickles_way() -> None:
    broken = pa.Array.from_buffers(pa.utf8(), 1, [None, pa.py_buffer(b"\0\0\0\0\3\0\0\0"), pa.py_buffer(b"ab\xff")])

    for readings in (
        jc.parse_many(broken, "mt_bench.single"),
        jc.parse_many(["\ud800 Rating: [[8]]"], "mt_bench.single"),
        jc.extract_json_many(['{"a": "\udfff"}']),
    ):
        assert_same_columns(pickled(readings), readings)


def test_slices_of_columns_pickle_their_own_rows() -> None:
    column = pa.array(["unsafe\nS1", "safe", None, "unsafe\nS2"] * 3000)[1:9001]
    readings = jc.parse_many(column, "llama_guard.3", threads=2)

    assert_same_columns(pickled(readings), readings)
    assert readings == jc.parse_many(column.to_pylist(), "llama_guard.3", threads=1)


def test_readings_are_equal_where_all_columns_are() -> None:
    def read(replies: list[str | None], form: jc.Format | str = "mt_bench.single", **more: Any) -> jc.Readings:
        return jc.parse_many(replies, form, **more)

    readings = read(["[[8]]", None])

    assert readings == read(["[[8]]", None])
    assert readings != read(["[[7]]", None])
    assert readings != read(["[[8]]", ""])
    assert readings != read([" [[8]]", None])
    assert readings != read(["[[8]]"])
    assert readings != read(["[[8]]", None], mode="strict")
    assert readings != [8.0, None]
    assert read(["unsafe\nS1"], "llama_guard.3") != read(["unsafe\nS2"], "llama_guard.3")
    assert jc.extract_json_many(["[1]"]) == jc.extract_json_many(["[1]"])
    assert jc.extract_json_many(["[1]"]) != jc.extract_json_many(["[2]"])
    assert len({readings, read(["[[8]]", None]), read([None, "[[8]]"])}) == 2


def read_here(replies: list[str | None]) -> jc.Readings:
    return jc.parse_many(replies, QUALITY)


def count_here(readings: jc.Readings) -> tuple[dict[str, int], list[Any]]:
    return readings.counts(), readings.values


def test_readings_travel_between_processes() -> None:
    replies = ["Relevance: 4\nSafe: no\nBetter: B", None, "nothing"]

    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(jc.parse_many, (replies, QUALITY))
        counted = pool.apply(jc.Readings.counts, (there,))

    here = read_here(replies)
    assert_same_columns(there, here)
    assert (counted, here.values) == count_here(here)


def state_of(readings: jc.Readings) -> Any:
    make, (state,) = readings.__reduce__()
    assert make(state) == readings
    return state


LOAD: Any = getattr(jc.Readings, "_from_columns")  # noqa: B009 - a pickle's own way in
ALL_STATES = [
    state_of(jc.parse_many([reply, None, reply], form)) for form, reply in BY_KIND.values()
] + [state_of(jc.extract_json_many([DOCUMENTS, None, "[1]"]))]  # fmt: skip


@pytest.mark.parametrize("state", [None, (), 7, (1, 2, 3), ((), [], 0), ([], {}, "x"), "state", ((1,), [b""], 0)])
def test_what_is_no_state_is_refused(state: Any) -> None:
    with pytest.raises(ValueError, match="damaged"):
        LOAD(state)


@given(st.sampled_from(ALL_STATES), st.data())
def test_a_state_with_any_other_byte_is_refused(state: Any, data: st.DataObject) -> None:
    header, parts, checksum = state
    nth = data.draw(st.sampled_from([nth for nth, part in enumerate(parts) if part]))
    at = data.draw(st.integers(0, len(parts[nth]) - 1))
    other = bytearray(parts[nth])
    other[at] ^= data.draw(st.integers(1, 255))

    with pytest.raises(ValueError, match="checksum"):
        LOAD((header, [*parts[:nth], bytes(other), *parts[nth + 1 :]], checksum))


def checksum_of(header: Any, parts: list[bytes]) -> int:
    """The checksum that fits, as somebody has it who means harm."""
    said = f"({', '.join(shown(one) for one in header)})[{', '.join(str(len(part)) for part in parts)}]"
    total = zlib.crc32(said.encode())
    for part in parts:
        total = zlib.crc32(part, total)
    return total


def shown(one: Any) -> str:
    """A value as Rust shows it; texts of the header have no characters that the two show differently."""
    if isinstance(one, str):
        escaped = one.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return f'"{escaped}"'
    if isinstance(one, list | tuple):
        return f"[{', '.join(shown(part) for part in one)}]"
    return str(one)


@pytest.mark.parametrize("state", ALL_STATES, ids=[*BY_KIND, "json"])
def test_a_state_that_is_made_by_hand_is_loaded_where_it_fits(state: Any) -> None:
    header, parts, checksum = state

    assert checksum_of(header, parts) == checksum


@pytest.mark.parametrize("state", ALL_STATES, ids=[*BY_KIND, "json"])
@pytest.mark.parametrize("to", [b"", b"\0", b"\xff" * 7, b"\xff" * 8, b"\x7f" * 15, b"\0" * 16, b"\0" * 999])
def test_a_state_of_which_one_part_is_another_is_refused_or_harmless(state: Any, to: bytes) -> None:
    header, parts, _ = state
    for nth in range(len(parts)):
        forged = [*parts[:nth], to, *parts[nth + 1 :]]
        try:
            readings = LOAD((header, forged, checksum_of(header, forged)))
        except ValueError:
            continue
        assert len(readings.values) == len(readings.to_arrow()) == len(list(readings))


@settings(max_examples=1000)
@given(st.sampled_from(ALL_STATES), st.data())
def test_a_forged_state_is_refused_or_holds_values_of_the_format(state: Any, data: st.DataObject) -> None:
    header, parts, _ = state
    parts = list(parts)
    for _ in range(data.draw(st.integers(1, 3))):
        nth = data.draw(st.integers(0, len(parts) - 1))
        part = bytearray(parts[nth])
        if part and data.draw(st.booleans()):
            part[data.draw(st.integers(0, len(part) - 1))] = data.draw(st.sampled_from([0, 1, 2, 127, 128, 255]))
            parts[nth] = bytes(part)
        else:
            parts[nth] = data.draw(st.sampled_from([b"", bytes(part[:-1]), bytes(part) * 2, b"\xff" * 8, b"\0" * 8]))
    forged = (header, parts, checksum_of(header, parts))

    try:
        readings = LOAD(forged)
    except ValueError:
        return
    table = pa.table(readings)
    table.validate(full=True)
    assert len(readings.values) == len(list(readings)) == len(readings.to_dicts()) == table.num_rows
    assert [one.ok for one in readings] == readings.ok.tolist()
    assert_same_columns(pickled(readings), readings)


def changed(state: Any, nth: int, to: Any) -> Any:
    header, parts, _ = state
    header = (*header[:nth], to, *header[nth + 1 :])
    return header, parts, checksum_of(header, parts)


@pytest.mark.parametrize(
    ("nth", "to", "says"),
    [
        (0, 3, "pickled by judgecore .*, whose layout this version can't read"),
        (3, "big", "big-endian"),
        (4, "no TOML", "declaration"),
        (5, "loud", "mode must be"),
        (5, "paper", "no paper mode"),
        (6, ["missing", "bored"], 'no "bored"'),
        (7, [], "a row is not a valid outcome"),
        (8, 0, "the values do not match the rows"),
        (8, 2, "missing"),
    ],
)
def test_a_state_that_this_version_cannot_read_is_rejected_with_the_reason(nth: int, to: Any, says: str) -> None:
    state = state_of(jc.parse_many(["Relevance: 4\nSafe: no\nBetter: B", None], QUALITY))

    with pytest.raises(ValueError, match=says):
        LOAD(changed(state, nth, to))


def test_another_versions_order_of_reasons_and_rules_changes_nothing() -> None:
    readings = jc.parse_many(["[[8]]", None, ""], "mt_bench.single")
    header, parts, _ = state_of(readings)
    reasons, rules = list(reversed(header[6])), list(reversed(header[7]))
    status, reason, rule = (np.frombuffer(part, np.int8) for part in parts[:3])
    turned = [
        parts[0],
        np.where(status == 1, len(reasons) - 1 - reason, 0).astype(np.int8).tobytes(),
        np.where(status == 0, len(rules) - 1 - rule, 0).astype(np.int8).tobytes(),
        *parts[3:],
    ]
    header = (header[0], "99.0", 99, *header[3:6], reasons, rules, header[8])

    assert LOAD((header, turned, checksum_of(header, turned))) == readings
