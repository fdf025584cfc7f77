"""The reader of score dictionaries agrees with PyRIT on every measured case, but for those that the document lists."""

from __future__ import annotations

import ast
import copy
import json
import math
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "json.md"
VALUES: dict[str, Any] = {"json": "any", "json_numeric": "number", "true_false": "true_false"}
CALLABLES = {"callable_missing_rationale", "callable_raises", "callable_returns_none"}


def table_of(heading: str) -> list[list[str]]:
    """The rows of the table under a heading of the document."""
    section = DOCUMENT.read_text("utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line[2:-2].split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return rows[2:]


def shown(cell: str) -> Any:
    """What a cell stands for: a Python value in backticks, or a word without."""
    if not cell.startswith("`"):
        return cell
    text = cell.strip("`")
    return math.nan if text == "nan" else ast.literal_eval(text)


def said(outcome: jc.Reading | jc.Unreadable) -> Any:
    """The value, or the reason where there is none."""
    return outcome.value if isinstance(outcome, jc.Reading) else outcome.reason


DIFFERENCES, OPINIONS = (
    [[shown(cell) for cell in row[:3]] for row in table_of(f"Differences from {others}")]
    for others in ("PyRIT", "other JSON repair libraries")
)
REPAIRS = [(shown(example), kind.strip("`")) for kind, _, example in table_of("Repairs")]


@pytest.fixture(scope="module")
def reference(shared: Path) -> dict[str, Any]:
    """The measured cases."""
    return json.loads((shared / "reference" / "pyrit_1_1_0.json").read_text("utf-8"))


def test_score_dictionaries_are_the_measured_ones(reference: dict[str, Any]) -> None:
    cases = reference["response_handlers"]
    assert len(cases) == 78
    # What a scorer makes of a parser's result is no matter of reading.
    assert {case["handler"] for case in cases} - VALUES.keys() == CALLABLES

    for case in cases:
        if case["handler"] in CALLABLES:
            continue
        parser = jc.compat.JsonResponseParser(value=VALUES[case["handler"]], category=case.get("category_arg"))
        if "error" in case["out"]:
            with pytest.raises(ValueError) as caught:  # noqa: PT011 - its class is what is compared
                parser(case["in"])
            assert case["out"]["error"] == type(caught.value).__name__, case
            continue
        want = case["out"]["ok"]

        got = parser(case["in"])

        assert got == {
            "score_value": want["raw_score_value"],
            "rationale": want["score_rationale"],
            "description": want["score_value_description"],
            "metadata": want["score_metadata"],
            "category": want["score_category"],
        }, case


def test_the_document_lists_every_reply_that_is_read_otherwise(reference: dict[str, Any]) -> None:
    cases = reference["remove_markdown_json"]
    assert len(cases) == 32

    differences: list[Any] = []
    for case in cases:
        is_refused = case["out"].startswith("Invalid JSON response")
        theirs = "nothing" if is_refused else json.loads(case["out"])
        outcome = jc.extract_json(case["in"])
        if not (is_refused and not outcome.ok) and repr(theirs) != repr(said(outcome)):
            differences.append([case["in"], theirs, said(outcome)])

    assert sorted(map(repr, differences)) == sorted(map(repr, DIFFERENCES))


@pytest.mark.parametrize(("reply", "theirs", "ours"), [*DIFFERENCES, *OPINIONS])
def test_what_is_read_otherwise_is_read_as_the_document_says(reply: str, theirs: object, ours: object) -> None:
    assert repr(ours) == repr(said(jc.extract_json(reply)))
    assert repr(theirs) != repr(ours)


@pytest.mark.parametrize(("reply", "kind"), REPAIRS)
def test_an_example_takes_the_repair_that_it_shows(reply: str, kind: str) -> None:
    reading = jc.extract_json(reply)

    assert isinstance(reading, jc.Reading)
    assert kind in [repair.kind for repair in reading.repairs]


def test_the_document_names_every_repair() -> None:
    source = (ROOT / "rust" / "judgecore" / "src" / "json" / "repair.rs").read_text("utf-8")

    assert re.findall(r'^        \w+ = "(\w+)",$', source, re.MULTILINE) == [kind for _, kind in REPAIRS]


@pytest.mark.parametrize(
    "reply",
    [
        '<think>{"score_value": "1", "rationale": "no"}</think>{"score_value": "2", "rationale": "r"}',
        "```json\n{'score_value': 2, 'rationale': 'r',}\n```",
        '{"example": true}\n{"score_value": 2, "rationale": "r"}',
    ],
)
def test_a_readable_reply_is_read_whatever_stands_around_it(reply: str) -> None:
    assert jc.compat.JsonResponseParser(value="number")(reply)["score_value"] == "2"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("I can't judge that.", "refused"),
        ('{"score_value": 1, "rationale": "a"} {"score_value": 2, "rationale": "a"}', "ambiguous"),
        ('{"score_value": 1, "ratio', "truncated"),
        ('{"score_value": 1}', "rationale"),
    ],
)
def test_an_exception_says_why_the_reply_can_not_be_read(reply: str, reason: str) -> None:
    with pytest.raises(jc.compat.InvalidJsonException, match=reason):
        jc.compat.JsonResponseParser()(reply)


@pytest.mark.parametrize(("args", "named"), [(["no stars"], {}), ([], {"message": "no stars"})])
def test_the_exception_is_raised_as_pyrit_spells_it_and_by_position(args: Any, named: Any) -> None:
    raised = jc.compat.InvalidJsonException(*args, **named)

    for one in (raised, copy.deepcopy(raised), pickle.loads(pickle.dumps(raised))):
        assert (str(one), one.message, one.status_code) == ("no stars", "no stars", 500)
        assert isinstance(one, jc.JudgecoreError | ValueError)


def test_the_exception_without_words_has_those_of_pyrit() -> None:
    assert jc.compat.InvalidJsonException().message == "Invalid JSON Response"


@pytest.mark.parametrize("metadata", ["S1", 3, 0.5, True])
def test_one_value_as_metadata_is_kept_under_a_name(metadata: str | float) -> None:
    reply = json.dumps({"score_value": 1, "rationale": "r", "metadata": metadata})

    assert jc.compat.JsonResponseParser()(reply)["metadata"] == {"metadata": metadata}


def test_every_key_can_be_named_otherwise() -> None:
    parser = jc.compat.JsonResponseParser(
        score_value_key="verdict",
        rationale_key="why",
        description_key="label",
        metadata_key="more",
        category_key="kind",
        value="true_false",
    )

    got = parser('{"verdict": false, "why": "w", "label": "l", "more": {"a": 1}, "kind": ["k"]}')

    assert got == {
        "score_value": "false",
        "rationale": "w",
        "description": "l",
        "metadata": {"a": 1},
        "category": ["k"],
    }
    assert pickle.loads(pickle.dumps(parser)) == parser


def test_a_kind_of_value_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="'any', 'number' or 'true_false', not 'float'"):
        jc.compat.JsonResponseParser(value="float")  # pyright: ignore[reportArgumentType] - what a caller may get wrong


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(
    st.dictionaries(st.text(max_size=3), JSON, max_size=3).map(json.dumps)
    | st.text(alphabet='{}[]":,\\ud80cNaInfty-+.e01 \t\u00e9')
)
def test_the_inherited_reader_takes_what_python_takes(text: str) -> None:
    braced = text[text.find("{") : text.rfind("}") + 1]
    try:
        want = json.loads(braced) if "{" in text else {}
    except (ValueError, RecursionError):
        want = {}

    assert repr(want) == repr(jc.ResponseParser.parse_json_response(text))


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "\\ud800"}',
        '{"a": "\\udc00 \\ud83d\\u0041"}',
        '{"a": ' + "[" * 300 + "]" * 300 + "}",
        '{"a": ' + "1" * 400 + ', "b": 1e999}',
        '{"a": -Infinity, "a": -0}',
    ],
)
def test_the_inherited_reader_takes_what_only_python_takes(text: str) -> None:
    assert repr(json.loads(text)) == repr(jc.ResponseParser.parse_json_response(text))
