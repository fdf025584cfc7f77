"""Columns out: readings as Arrow arrays, which others take without a copy."""

from __future__ import annotations

import json
import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc

QUALITY = jc.Format.fields({
    "Relevance": jc.Format.score(1, 5),
    "Safe": jc.Format.binary(true=["yes"], false=["no"]),
    "Better": jc.Format.choice({"A": ["A"], "B": ["B"]}),
})  # fmt: skip
NAMES = pa.dictionary(pa.int8(), pa.string())
GUARD = pa.struct({
    "unsafe": pa.bool_(),
    "prompt_unsafe": pa.bool_(),
    "response_unsafe": pa.bool_(),
    "categories": pa.list_(pa.string()),
    "fields": pa.string(),
    "side": pa.string(),
    "names": pa.list_(pa.string()),
    "hazards": pa.list_(pa.string()),
    "uncertain_hazards": pa.list_(pa.string()),
})  # fmt: skip
# For each kind a reply that is read, the type of its column, and the value there.
BY_KIND: dict[str, tuple[jc.Format | str, str, Any, Any]] = {
    "binary": ("harmbench", "Yes", pa.bool_(), True),
    "choice": ("mt_bench.pair", "[[C]]", pa.dictionary(pa.int32(), pa.string()), "tie"),
    "score": ("mt_bench.single", "Rating: [[8]]", pa.float64(), 8.0),
    "scores": ("judgelm", "8 7", pa.list_(pa.float64()), [8.0, 7.0]),
    "fields": (
        QUALITY,
        "Relevance: 4\nSafe: no\nBetter: B",
        pa.struct({"Relevance": pa.float64(), "Safe": pa.bool_(), "Better": pa.dictionary(pa.int32(), pa.string())}),
        {"Relevance": 4.0, "Safe": False, "Better": "B"},
    ),
    "guard": (
        "llama_guard.3",
        "unsafe\nS1,S77",
        GUARD,
        {
            "unsafe": True,
            "prompt_unsafe": None,
            "response_unsafe": True,
            "categories": ["S1", "S77"],
            "fields": '{"unknown_categories":["S77"]}',
            "side": "response",
            "names": ["Violent Crimes", "S77"],
            "hazards": ["Violent Crimes"],
            "uncertain_hazards": [],
        },
    ),
    "json_score": (jc.Format.json_field("score", jc.Format.score(1, 10)), '{"score": 8}', pa.float64(), 8.0),
}
ALL_FORMATS = [*jc.formats(), QUALITY]


def cell(value: Any) -> Any:
    """A reading's value as a column holds it."""
    if isinstance(value, jc.GuardVerdict):
        fields = json.dumps(value.fields, ensure_ascii=False, separators=(",", ":"))
        return {
            "unsafe": value.unsafe,
            "prompt_unsafe": value.prompt_unsafe,
            "response_unsafe": value.response_unsafe,
            "categories": list(value.categories),
            "fields": fields,
            "side": value.side,
            "names": list(value.names),
            "hazards": list(value.hazards),
            "uncertain_hazards": list(value.uncertain_hazards),
        }
    return list(value) if isinstance(value, tuple) else value


def document(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def row(outcome: jc.Reading | jc.Unreadable, *, is_document: bool = False) -> dict[str, Any]:
    """The row of an outcome."""
    if isinstance(outcome, jc.Unreadable):
        return {
            "status": "unreadable",
            "reason": outcome.reason,
            "value": None,
            "rule": None,
            "start": None,
            "end": None,
        }
    value = document(outcome.value) if is_document else cell(outcome.value)
    start, end = outcome.span
    return {"status": "ok", "reason": None, "value": value, "rule": outcome.rule, "start": start, "end": end}


@pytest.mark.parametrize(("form", "reply", "kind", "value"), BY_KIND.values(), ids=BY_KIND)
def test_each_kind_has_its_type(form: jc.Format | str, reply: str, kind: Any, value: Any) -> None:
    readings = jc.parse_many([reply, None, "?"], form)

    array = pa.array(readings)

    array.validate(full=True)
    names = ["status", "reason", "value", "rule", "start", "end"]
    assert pa.struct(list(zip(names, [NAMES, NAMES, kind, NAMES, pa.int64(), pa.int64()], strict=True))) == array.type
    assert [value, None, None] == array.field("value").to_pylist()
    assert array.field("status").to_pylist() == ["ok", "unreadable", "unreadable"]
    assert readings.reason == array.field("reason").to_pylist()
    assert readings.rule == array.field("rule").to_pylist()
    assert pa.schema(readings) == pa.schema(list(array.type))


@pytest.mark.parametrize("form", ALL_FORMATS, ids=[form.id for form in ALL_FORMATS])
def test_every_row_of_every_format_is_its_outcome(form: jc.Format) -> None:
    others = [form.examples[0]["reply"] for form in jc.formats()]
    replies = [*(example["reply"] for example in form.examples), *others]
    is_document = form.kind == "json" and not (form.labels or form.scale)
    for mode in form.modes:
        readings = jc.parse_many([*replies, None], form, mode=mode)

        table = pa.table(readings)

        table.validate(full=True)
        assert [row(one, is_document=is_document) for one in readings] == table.to_pylist()


@given(st.lists(st.none() | st.text(max_size=20), max_size=20), st.sampled_from(ALL_FORMATS))
def test_any_text_gives_rows_that_are_its_outcomes(replies: list[str | None], form: jc.Format) -> None:
    readings = jc.parse_many(replies, form)

    array = pa.array(readings)

    array.validate(full=True)
    is_document = form.kind == "json" and not (form.labels or form.scale)
    # Compared as text, because NaN is no equal of itself.
    assert repr([row(one, is_document=is_document) for one in readings]) == repr(array.to_pylist())


def test_places_count_code_points_and_not_bytes() -> None:
    replies = ["é 界 Rating: [[8]]", "\U0001f642\nRating: [[8]] \U0001f642", "Rating: [[8]]"]

    array = pa.array(jc.parse_many(pa.array(replies), "mt_bench.single"))

    places = zip(array.field("start").to_pylist(), array.field("end").to_pylist(), strict=True)
    assert [reply[start:end] for reply, (start, end) in zip(replies, places, strict=True)] == ["Rating: [[8]]"] * 3


def test_consumers_share_one_memory() -> None:
    readings = jc.parse_many(["Rating: [[8]]"] * 10_000, "mt_bench.single")

    one, other = pa.array(readings), pa.table(readings)

    for name in ("value", "start", "end"):
        assert one.field(name).buffers()[1].address == other[name].chunk(0).buffers()[1].address
    del readings
    assert one.field("value").to_pylist() == [8.0] * 10_000


def test_no_rows_have_the_types_of_rows() -> None:
    for form, reply, _, _ in BY_KIND.values():
        empty, full = pa.array(jc.parse_many([], form)), pa.array(jc.parse_many([reply], form))

        assert (0, full.type) == (len(empty), empty.type)
        assert pa.table(jc.parse_many([], form)).schema == pa.table(jc.parse_many([reply], form)).schema


def test_many_rows_of_every_kind_are_one_array() -> None:
    for form, reply, _, value in BY_KIND.values():
        replies = [reply, None, "?"] * 5000

        array = pa.array(jc.parse_many(replies, form, threads=2))

        array.validate(full=True)
        assert [value, None, None] * 5000 == array.field("value").to_pylist()


DOCUMENTS = [
    '{"score": 8, "why": "clear", "tags": ["a", "b"]}',
    "none",
    'So: {"score": 7.5, "why": {"short": "é"}, "more": NaN}',
    None,
    '{"score": null, "tags": [], "score": 3}',
    '[1, -0.0, 1e16, 12345678901234567890123, true, null, "\\u0001\\n\\""]',
    '[1, NaN, -Infinity, {"a": 1, "b": Infinity}]',
]


def test_documents_are_json_text() -> None:
    readings = jc.extract_json_many(DOCUMENTS)

    texts = pa.array(readings).field("value").to_pylist()

    assert [None if value is None else document(value) for value in readings.values] == texts


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)))
def test_any_document_is_the_text_that_python_writes(value: Any) -> None:
    readings = jc.extract_json_many([document(value)], mode="strict")

    texts = pa.array(readings).field("value").to_pylist()

    wanted = [None] if not readings.ok[0] else [document(readings.values[0])]
    assert wanted == texts


def test_a_deep_document_is_written_without_recursion() -> None:
    deep = "[" * 50_000 + "]" * 50_000

    readings = jc.extract_json_many([deep], max_depth=60_000)

    assert [deep] == pa.array(readings).field("value").to_pylist()


def test_of_many_equal_keys_the_last_is_written_once() -> None:
    many = "{" + ", ".join(f'"k{nth % 50}": {nth}' for nth in range(100)) + "}"

    readings = jc.extract_json_many([many, '{"a": 1, "b": 2, "a": 3}'])

    texts = pa.array(readings).field("value").to_pylist()
    assert [document(value) for value in readings.values] == texts
    assert texts[1] == '{"a":3,"b":2}'


def typed(value: Any) -> Any:
    """The type of readings whose documents are had as ``value``."""
    fields = list(pa.array(jc.extract_json_many([])).type)
    return pa.struct([pa.field("value", value) if field.name == "value" else field for field in fields])


def test_documents_are_structs_for_who_asks_for_them() -> None:
    kind = pa.struct({"score": pa.float64(), "why": pa.string(), "tags": pa.list_(pa.string())})
    readings = jc.extract_json_many(DOCUMENTS[:5])

    array = pa.array(readings, type=typed(kind))

    array.validate(full=True)
    assert array.field("value").to_pylist() == [
        {"score": 8.0, "why": "clear", "tags": ["a", "b"]},
        None,
        {"score": 7.5, "why": '{"short":"é"}', "tags": None},
        None,
        {"score": 3.0, "why": None, "tags": []},
    ]
    # And the next who does not ask has text.
    assert pa.string() == pa.array(readings).type.field("value").type


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.int64(), pa.uint16(), pa.float32(), pa.large_string(), pa.string_view()]
)
def test_an_entry_is_had_as_many_types(kind: Any) -> None:
    readings = jc.extract_json_many(['{"n": 8}', '{"n": 8.0}', "{}"])

    array = pa.array(readings, type=typed(pa.struct({"n": kind, "deep": pa.struct({"er": pa.bool_()})})))

    values = [value and value["n"] for value in array.field("value").to_pylist()]
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    assert values == ([8, 8, None] if is_number else ["8", "8.0", None])


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ('{"score": "high"}', {"score": pa.float64()}, r"\$\.score is a string, but the schema requires a number"),
        ('{"score": 8.5}', {"score": pa.int64()}, r"\$\.score is another number, .* an integer of type Int64"),
        ('{"score": 300}', {"score": pa.int8()}, r"\$\.score is another number, .* an integer of type Int8"),
        ('{"ok": 1}', {"ok": pa.bool_()}, r"\$\.ok is another number, .* a boolean"),
        ('{"tags": "a"}', {"tags": pa.list_(pa.string())}, r"\$\.tags is a string, .* an array"),
        (
            '{"tags": [1, true]}',
            {"tags": pa.list_(pa.int8())},
            r"\$\.tags\[\] is a boolean, .* an integer of type Int8",
        ),
        ('{"a": {"b": []}}', {"a": pa.struct({"b": pa.struct({})})}, r"\$\.a\.b is an array, .* an object"),
        ("[1]", {"score": pa.float64()}, r"\$ is an array, .* an object"),
    ],
)
def test_a_document_that_does_not_fit_is_named_with_the_cure(text: str, kind: dict[str, Any], says: str) -> None:
    readings = jc.extract_json_many([None] * 1000 + [text] + [None] * 9000)

    with pytest.raises(ValueError, match=f"row 1000: {says}; use a string type there"):
        pa.array(readings, type=typed(pa.struct(kind)))


def test_a_wish_that_cant_be_met_is_passed_over() -> None:
    class Wish:
        def __arrow_c_array__(self, requested_schema: object = None) -> Any:
            return jc.parse_many(["8"], "mt_bench.single").__arrow_c_array__(pa.int64().__arrow_c_schema__())

    assert pa.array(Wish()).field("value").to_pylist() == [8.0]


def test_cut_documents_are_read_again_as_they_were() -> None:
    texts = ['{"score": 8, "why": "cl'] * 2

    readings = jc.extract_json_many(texts, keys=["score"], cut=[True, False])

    assert pa.array(readings).field("value").to_pylist() == ['{"score":8,"why":"cl"}'] * 2
    assert math.isclose(8, readings[0].unwrap()["score"])


def test_broken_text_has_a_row_too() -> None:
    bad = pa.Array.from_buffers(pa.string(), 2, pa.array([b"\xff", b"{}"]).buffers())

    readings = jc.extract_json_many(bad)

    assert pa.array(readings).field("value").to_pylist() == [None, "{}"]
    assert pa.array(readings).field("reason").to_pylist() == ["malformed", None]
