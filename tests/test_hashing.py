"""Canonical JSON and content hashes: the bytes of ``json.dumps``, and errors that say where."""

from __future__ import annotations

import hashlib
import json
import math
import struct
import sys
import threading
from collections import OrderedDict
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import judgecore as jc

if TYPE_CHECKING:
    from pathlib import Path

# Any code point, lone surrogates among them.
TEXTS = st.text(st.characters(codec=None, exclude_categories=()))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | st.integers() | st.integers(-(10**400), 10**400) | FLOATS | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(TEXTS, inner),
    max_leaves=30,
)


def written(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def hashed(value: Any) -> str:
    return hashlib.sha256(written(value)).hexdigest()


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


class Colour(str, Enum):  # noqa: UP042 - json knows both kinds, and this is the one that older code has
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Ratio(float):
    def __repr__(self) -> str:
        return "a ratio"


@given(VALUES)
@example({"": 0, "\ud800": 1, "\ue000": 2, "\U00010000": 3, "é": 4, "z": 5})
def test_the_bytes_are_those_of_json(value: Any) -> None:
    assert written(value) == jc.canonical_json(value)


@given(VALUES)
def test_the_hash_is_that_of_the_bytes(value: Any) -> None:
    assert hashed(value) == jc.content_hash(value)


@given(st.binary(min_size=8, max_size=8).map(lambda raw: struct.unpack("<d", raw)[0]).filter(math.isfinite))
@example(1e16)
@example(1e-05)
@example(9.999e-05)
@example(5e-324)
@example(-0.0)
@example(2.0**-25)
@example(-1113178120592002.25)
def test_floats_are_written_as_python_writes_them(number: float) -> None:
    assert repr(number).encode() == jc.canonical_json(number)


def test_powers_of_two_and_ten_are_written_as_python_writes_them() -> None:
    powers = [2.0**exponent for exponent in range(-1074, 1024)] + [float(f"1e{one}") for one in range(-323, 309)]

    assert written(powers) == jc.canonical_json(powers)


def test_every_code_point_is_written_as_python_writes_it() -> None:
    text = "".join(map(chr, range(sys.maxunicode + 1)))

    assert written(text) == jc.canonical_json(text)


@pytest.mark.parametrize("value", [Colour.RED, Level.HIGH, Ratio(0.5), OrderedDict(b=1, a=2), {Colour.RED: 1}])
def test_subclasses_are_written_as_json_writes_them(value: Any) -> None:
    assert written(value) == jc.canonical_json(value)


def test_an_integer_beyond_pythons_limit_of_digits_is_written() -> None:
    assert jc.canonical_json(-(10**5000)) == b"-1" + b"0" * 5000


def test_measured_cases_hold(shared: Path) -> None:
    cases = json.loads((shared / "reference" / "pyrit_1_1_0.json").read_text("utf-8"))["config_hash"]

    assert cases
    for case in cases:
        assert case["canonical"].encode() == jc.canonical_json(case["in"])
        assert case["out"] == jc.content_hash(case["in"])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (math.nan, r"^\$: JSON can't represent nan"),
        ({"a": [1, 2, {"b": math.inf}]}, r"^\$\.a\[2\]\.b: JSON can't represent inf"),
        ({"a": (0, -math.inf)}, r"^\$\.a\[1\]: "),
        ({"two words": [math.nan]}, r'^\$\["two words"\]\[0\]: '),
        ({"1st": {'"': math.nan}}, r'^\$\["1st"\]\["\\""\]: '),
        ({"é": {"\ud800": math.nan}}, r'^\$\["\\u00e9"\]\["\\ud800"\]: '),
    ],
)
def test_what_json_cannot_represent_is_a_value_error(value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        jc.canonical_json(value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (b"", r"^\$: .*not bytes"),
        ({"a": [0, {"b": {1}}]}, r"^\$\.a\[1\]\.b: .*not set"),
        ({"a": {1: 2}}, r"^\$\.a: keys must be str, not int \(1\)"),
        ({"a": {None: 2}}, r"^\$\.a: keys must be str, not NoneType"),
        ([{"x": 1, "y": [jc.Format.get("mt_bench.single")]}], r"^\$\[0\]\.y\[0\]: .*Format"),
    ],
)
def test_other_types_are_a_type_error(value: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        jc.content_hash(value)


def test_an_object_that_holds_itself_is_named_where_it_does() -> None:
    own: dict[str, Any] = {"n": 0}
    own["self"] = [1, own]

    with pytest.raises(ValueError, match=r"^\$\.self\[1\]: the object contains itself"):
        jc.canonical_json(own)
    with pytest.raises(ValueError, match=r"^\$\.a\.b\[0\]\.self\[1\]: the object contains itself"):
        jc.canonical_json({"a": {"b": [own]}})


@given(st.integers(1, 12), st.integers(0, 12))
def test_a_ring_of_any_length_is_found_at_any_depth(length: int, depth: int) -> None:
    first: list[Any] = []
    ring = first
    for _ in range(length - 1):
        ring = [ring]
    first.append(ring)
    value = ring
    for _ in range(depth):
        value = [value]

    with pytest.raises(ValueError, match="the object contains itself"):
        jc.canonical_json(value)


def test_the_same_object_twice_is_no_ring() -> None:
    same = {"a": [1]}

    assert written([same, same, [same]]) == jc.canonical_json([same, same, [same]])


def test_a_thousand_levels_are_written_and_no_more() -> None:
    assert jc.canonical_json(nested(1000)) == b"[" * 1000 + b"]" * 1000
    with pytest.raises(ValueError, match=r"^\$(\[0\])+…(\[0\])+: nested more than 1000 levels"):
        jc.canonical_json(nested(1001))


def test_depth_costs_no_machine_stack() -> None:
    outcomes: list[str] = []
    size = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=lambda: outcomes.append(jc.content_hash(nested(1000))))
        thread.start()
    finally:
        threading.stack_size(size)

    thread.join()

    assert outcomes == [jc.content_hash(nested(1000))]


def test_built_in_formats_share_a_hash_only_where_two_families_answer_alike() -> None:
    names: dict[str, list[str]] = {}
    for one in jc.formats():
        names.setdefault(one.hash, []).append(one.id)

    assert [alike for alike in names.values() if len(alike) > 1] == [
        ["azure_ai.json", "ragas.rubrics"],
        ["deepeval.g_eval", "opik.g_eval"],
        ["llama_guard.3", "llama_guard.4"],
        ["llama_guard.3_1b", "llama_guard.3_11b_vision"],
        ["llama_index.pair", "mt_bench.pair"],
        ["reward_bench.pair", "skywork_critic"],
    ]
    assert hashlib.sha256(b"").hexdigest() not in names


def test_a_formats_hash_is_that_of_what_it_declares() -> None:
    one, same = (jc.Format.score(1, 5, markers=["Rating"]) for _ in range(2))

    assert one.hash == same.hash
    assert len({one.hash, jc.Format.score(1, 5).hash, jc.Format.score(1, 6, markers=["Rating"]).hash}) == 3
    assert all(len(form.hash) == 64 for form in (one, jc.Format.fields({"a": one})))
