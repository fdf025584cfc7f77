"""One reply: the cases, and what an outcome offers."""

from __future__ import annotations

import copy
import json
import operator
import pickle
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc

CASES = Path(__file__).with_name("cases")
# The cases of JSON name keys in place of a format; test_json.py runs them.
KINDS = sorted(path.stem for path in CASES.glob("*.jsonl") if path.stem != "json")
CASE_LIST = [json.loads(line) for kind in KINDS for line in (CASES / f"{kind}.jsonl").read_text("utf-8").splitlines()]
READING = jc.parse("Fine. Rating: [[8]]", "mt_bench.single")
AMBIGUOUS = jc.parse("[[A]] ... [[B]]", "mt_bench.pair")
GUARDED = jc.parse("unsafe\nS1,S77", "llama_guard.3")
OUTCOMES = [READING, AMBIGUOUS, GUARDED, jc.parse("", "arena_hard"), jc.parse(None, "arena_hard")]


@cache
def format_called(name: str) -> jc.Format:
    """The built-in format of that name, or the one of the file beside the cases."""
    return jc.Format.from_toml(CASES / "formats.toml", name) if name.startswith("cases.") else jc.Format.get(name)


def is_value(want: Any, got: Any) -> bool:
    """Whether a value is what a case expects; of a guard's verdict it names all that is not None."""
    if isinstance(got, jc.GuardVerdict):
        named = {"unsafe": None, "prompt_unsafe": None, "response_unsafe": None, "categories": []} | want
        named["categories"] = tuple(named["categories"])
        fields = dict.fromkeys(got.fields) | named.pop("fields", {})
        return fields == got.fields and named == {name: getattr(got, name) for name in named}
    if isinstance(want, list):
        return tuple(want) == got
    # True equals 1.0 in Python, and a binary verdict is no score.
    return want == got and isinstance(want, bool) is isinstance(got, bool)


def is_as_wanted(case: dict[str, Any], got: jc.Reading | jc.Unreadable) -> bool:
    if isinstance(got, jc.Unreadable):
        return case["want"] == {"unreadable": got.reason}
    return (
        "value" in case["want"]
        and is_value(case["want"]["value"], got.value)
        and case.get("rule", got.rule) == got.rule
        and case.get("evidence", got.evidence) == got.evidence
        and case["reply"][slice(*got.span)] == got.evidence
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_reads_as_it_says(kind: str) -> None:
    wrong: list[Any] = []
    for case in CASE_LIST:
        if case["id"].startswith(f"{kind}/"):
            options = {name: case[name] for name in ("mode", "cut") if name in case}
            got = jc.parse(case["reply"], format_called(case["format"]), **options)
            # One with a known fault must fail, and be freed of it once it passes.
            if is_as_wanted(case, got) is ("known" in case):
                wrong.append((case, got))
    assert wrong == []


def test_cases_cover_every_kind_and_each_has_a_name_of_its_own() -> None:
    names = [case["id"] for case in CASE_LIST]

    # Documents have theirs in tests/test_response_reader.py and in the examples of their formats.
    assert sorted({form.kind for form in jc.formats()} - {"json"} | {"fields"}) == KINDS
    assert sorted(set(names)) == sorted(names)
    assert all(sum(name.startswith(f"{kind}/") for name in names) >= 10 for kind in KINDS)
    assert all(name.partition("/")[0] in KINDS for name in names)


def every_twin(outcome: Any) -> list[Any]:
    pickled = [pickle.loads(pickle.dumps(outcome, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    return [copy.copy(outcome), copy.deepcopy(outcome), *pickled]


@pytest.mark.parametrize("outcome", OUTCOMES, ids=repr)
def test_an_outcome_survives_pickle_and_copy(outcome: jc.Reading | jc.Unreadable) -> None:
    for twin in every_twin(outcome):
        assert type(outcome) is type(twin)
        assert outcome == twin
        assert hash(outcome) == hash(twin)
        assert repr(outcome) == repr(twin)


# JSON's own replies keep a lone surrogate in the evidence, the value and the candidates.
SURROGATES = [
    jc.parse("Rating: \ud800 [[8]] \udfff", "mt_bench.single"),
    jc.extract_json('{"a\ud800": "\udfff", "b": [1,],}'),
    jc.extract_json(r'{"a": "\ud800"}'),
    jc.extract_json('{"a": "\ud800"} {"a": "\ud801"}'),
    jc.parse("[[8]] \ud800 [[9]]", "mt_bench.single"),
    jc.parse("unsafe\n\ud800 things", "llama_guard.3"),
    jc.Reading("\ud800", fields={"\ud800": ["\ud800"]}, format="\ud800", evidence="\ud800"),
    jc.GuardVerdict(unsafe=True, categories=("\ud800",), fields={"\ud800": "\ud800"}),
]


@pytest.mark.parametrize("outcome", SURROGATES, ids=range(len(SURROGATES)))
def test_an_outcome_with_a_lone_surrogate_survives_pickle_and_copy(outcome: Any) -> None:
    for twin in every_twin(outcome):
        assert (type(twin), twin, hash(twin), repr(twin)) == (type(outcome), outcome, hash(outcome), repr(outcome))


def test_an_unreadable_outcome_keeps_the_words_that_it_is_made_of() -> None:
    outcome = jc.Unreadable("malformed", "not \ud800", (READING,), format="\ud800")  # pyright: ignore[reportArgumentType] - it is a reading

    for twin in (outcome, *every_twin(outcome)):
        assert (twin.detail, twin.format, twin.candidates) == ("not \ud800", "\ud800", (READING,))
        assert (twin, hash(twin), repr(twin)) == (outcome, hash(outcome), repr(outcome))
        with pytest.raises(jc.errors.UnreadableReplyError, match="malformed: not \ufffd"):
            twin.unwrap()


# Whole planes are rare in hypothesis' own choice of text, so surrogates are mixed in.
ANY_TEXT = st.lists(st.text() | st.sampled_from(["\ud800", "\udc00", '{"a": "', '"}', "[[8]]", ",", "\n"])).map("".join)


@given(ANY_TEXT, st.sampled_from(["mt_bench.single", "llama_guard.3", "mt_bench.pair"]))
def test_every_outcome_of_any_text_survives_pickle_and_copy(reply: str, form: str) -> None:
    for outcome in (jc.parse(reply, form), jc.extract_json(reply)):
        for twin in every_twin(outcome):
            assert repr(twin) == repr(outcome)
            assert twin == outcome or "nan" in repr(outcome)


def test_every_attribute_survives_a_pickle() -> None:
    assert isinstance(GUARDED, jc.Reading)
    assert isinstance(AMBIGUOUS, jc.Unreadable)

    guarded, ambiguous = pickle.loads(pickle.dumps((GUARDED, AMBIGUOUS)))

    for name in ("value", "fields", "format", "mode", "rule", "span", "evidence", "repairs", "invented", "ok"):
        assert getattr(GUARDED, name) == getattr(guarded, name), name
    for name in ("reason", "detail", "candidates", "format", "ok"):
        assert getattr(AMBIGUOUS, name) == getattr(ambiguous, name), name


def test_outcomes_compare_by_what_they_say() -> None:
    same, elsewhere = jc.parse("Fine. Rating: [[8]]", "mt_bench.single"), jc.parse("Rating: [[8]]", "mt_bench.single")

    assert same == READING
    assert elsewhere != READING
    assert jc.parse("", "arena_hard") == jc.parse("", "arena_hard")
    assert jc.parse("", "arena_hard") != jc.parse(None, "arena_hard")
    assert READING != 8.0
    assert len({same, READING, AMBIGUOUS, elsewhere}) == 3


@pytest.mark.parametrize(
    "reply", ["Rating: [[8]]", "Score:\n\n8", "Score:\u2028\n8", "[[A]]", "\x85\r\v\f\x1c8", "Rating:\n[[\n8\n]]"]
)
def test_a_repr_takes_one_line(reply: str) -> None:
    outcome = jc.parse(reply, "mt_bench.single")

    assert len(repr(outcome).splitlines()) == 1
    assert repr(outcome).startswith(("Reading(", "Unreadable("))


def test_a_guards_repr_takes_one_line() -> None:
    assert len(repr(GUARDED).splitlines()) == 1
    assert "'S77'" in repr(GUARDED)


@pytest.mark.parametrize("outcome", OUTCOMES, ids=repr)
def test_an_outcome_has_no_truth_value(outcome: jc.Reading | jc.Unreadable) -> None:
    with pytest.raises(TypeError, match=r"\.ok.*\.value"):
        bool(outcome)
    with pytest.raises(TypeError, match=r"\.ok.*\.value"):
        operator.not_(outcome)


def describe(outcome: jc.Reading | jc.Unreadable) -> str:
    match outcome:
        case jc.Reading(True | False as verdict):
            return f"verdict {verdict}"
        case jc.Reading(value):
            return f"value {value}"
        case jc.Unreadable("empty" | "missing" as reason):
            return f"nothing there: {reason}"
        case jc.Unreadable(reason, detail):
            return f"{reason}: {detail}"


@pytest.mark.parametrize(
    ("reply", "format_id", "want"),
    [
        ("No", "harmbench", "verdict False"),
        ("[[B]]", "mt_bench.pair", "value B"),
        (" ", "harmbench", "nothing there: empty"),
        (None, "harmbench", "nothing there: missing"),
        ("Rating: [[11]]", "mt_bench.single", "out_of_range: 11 lies outside the scale 1 to 10"),
    ],
)
def test_outcomes_can_be_matched(reply: str | None, format_id: str, want: str) -> None:
    assert want == describe(jc.parse(reply, format_id))


def test_a_reading_gives_its_value_whatever_the_default() -> None:
    outcome = jc.parse("No", "harmbench")

    assert outcome.ok is True
    assert outcome.unwrap() is False
    assert outcome.value_or(default=None) is False


def test_an_unreadable_reply_gives_the_default_and_raises_its_reason() -> None:
    outcome = jc.parse("Rating: [[11]]", "mt_bench.single")
    default = object()

    assert outcome.ok is False
    assert outcome.value_or(default) is default
    with pytest.raises(jc.errors.UnreadableReplyError, match=r"out_of_range: 11 .*mt_bench\.single") as caught:
        outcome.unwrap()
    assert caught.value.reason == "out_of_range"
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("outcome", [READING, AMBIGUOUS], ids=repr)
def test_an_outcome_cannot_be_changed(outcome: jc.Reading | jc.Unreadable) -> None:
    for name in ("value", "reason", "ok", "format", "anything"):
        with pytest.raises(AttributeError):
            setattr(outcome, name, "other")


@pytest.mark.parametrize("mode", ["lenient", "strict", "paper"])
def test_no_reply_is_missing(mode: Any) -> None:
    outcome = jc.parse(None, "mt_bench.single", mode=mode)

    assert isinstance(outcome, jc.Unreadable)
    assert outcome.reason == "missing"
    assert outcome.format == "mt_bench.single"


@pytest.mark.parametrize("reply", [b"8", 8, ["8"]])
def test_what_is_no_text_is_a_mistake_of_the_caller(reply: Any) -> None:
    with pytest.raises(TypeError, match=f"str or None, not {type(reply).__name__}"):
        jc.parse(reply, "mt_bench.single")


def test_a_lone_surrogate_reads_as_the_replacement_character() -> None:
    reply = "\ud800é Rating: [[8]] \udfff"

    got, want = jc.parse(reply, "mt_bench.single"), jc.parse("\ufffdé Rating: [[8]] \ufffd", "mt_bench.single")

    assert want == got
    assert isinstance(got, jc.Reading)
    assert got.span == (3, 16)
    assert got.evidence == "Rating: [[8]]"


def test_a_lone_surrogate_in_the_evidence_stands_there_as_it_was_written() -> None:
    reply = "Harmful request: yes \ud83d\nHarmful response: no"

    outcome = jc.parse(reply, "wild_guard")

    assert isinstance(outcome, jc.Reading)
    assert outcome.evidence == reply[slice(*outcome.span)]
    assert "\ud83d" in outcome.evidence
    assert len(repr(outcome).splitlines()) == 1


@pytest.mark.parametrize(
    ("before", "start"), [("", 0), ("é ", 2), ("😀😀", 2), ("评 ", 2), ("👩\u200d👩\u200d👧 ", 6), ("\ufeff\r\n", 3)]
)
def test_a_span_counts_code_points(before: str, start: int) -> None:
    reply = f"{before}Rating: [[8]] 😀"

    outcome = jc.parse(reply, "mt_bench.single")

    assert isinstance(outcome, jc.Reading)
    assert outcome.span == (start, start + 13)
    assert outcome.evidence == "Rating: [[8]]" == reply[slice(*outcome.span)]


def test_candidates_are_readings_with_places_of_their_own() -> None:
    assert isinstance(AMBIGUOUS, jc.Unreadable)

    assert [(one.value, one.span, one.evidence) for one in AMBIGUOUS.candidates] == [
        ("A", (0, 5), "[[A]]"),
        ("B", (10, 15), "[[B]]"),
    ]


def test_an_unknown_format_suggests_the_nearest() -> None:
    with pytest.raises(jc.errors.UnknownFormatError, match=r"mt_bench\.single"):
        jc.parse("8", "mtbench.single")
    with pytest.raises(jc.errors.UnknownFormatError, match=r"llama_guard\.3"):
        jc.parse_many(["safe"], "llamaguard.3")


@pytest.mark.parametrize("kind", [jc.Format, jc.Reading, jc.Readings])
def test_the_type_of_the_value_can_be_named_at_run_time(kind: Any) -> None:
    named = kind[float]

    assert (get_origin(named), get_args(named)) == (kind, (float,))
    with pytest.raises(TypeError, match="parameterized generic"):
        isinstance(8, named)


def test_what_is_no_format_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(TypeError, match="name or a Format, not int"):
        jc.parse("8", 8)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("read", [jc.parse, lambda reply, form, mode: jc.parse_many([reply], form, mode=mode)])
def test_an_unknown_mode_lists_those_there_are(read: Any) -> None:
    with pytest.raises(ValueError, match="'lenient', 'strict' or 'paper', not \"exact\""):
        read("8", "mt_bench.single", mode="exact")


@pytest.mark.parametrize("read", [jc.parse, lambda reply, form, mode: jc.parse_many([reply], form, mode=mode)])
def test_paper_mode_without_a_publishers_rule_lists_the_formats_that_have_one(read: Any) -> None:
    with pytest.raises(ValueError, match="paper") as caught:
        read("safe", "llama_guard.3", mode="paper")

    listed = str(caught.value).rsplit(": ", 1)[-1].split(", ")
    assert [form.id for form in jc.formats() if "paper" in form.modes] == listed


def test_mode_and_cut_are_named() -> None:
    with pytest.raises(TypeError):
        jc.parse("8", "mt_bench.single", "strict")  # pyright: ignore[reportCallIssue]


def test_a_publishers_invention_says_that_it_is_one() -> None:
    outcome = jc.parse("I like it.", "mt_bench.single", mode="paper")

    assert isinstance(outcome, jc.Reading)
    assert outcome.invented
    assert (outcome.value, outcome.rule) == (-1.0, "publisher_default")
    assert (outcome.span, outcome.evidence, outcome.mode) == ((0, 0), "", "paper")
    assert "invented=True" in repr(outcome)


def verdict_of(outcome: jc.Reading | jc.Unreadable) -> Any:
    """What a reply says; of a guard whether it is unsafe, because its categories stand behind the first token."""
    value = outcome.value if isinstance(outcome, jc.Reading) else outcome
    return value.unsafe if isinstance(value, jc.GuardVerdict) else value


def test_a_cut_matters_unless_the_verdict_is_the_first_token() -> None:
    for form in jc.formats():
        replies = {example["reply"] for example in form.examples}
        # A document that is closed is whole, wherever the reply was cut.
        if all(reply.rstrip().endswith(("}", "]", ")", "```")) for reply in replies if jc.parse(reply, form).ok):
            continue
        differs = any(
            verdict_of(jc.parse(reply, form)) != verdict_of(jc.parse(reply, form, cut=True)) for reply in replies
        )

        # A whole document lacks nothing, whether or not the reply was cut behind it; a guard may lack categories.
        is_document = all(
            jc.parse(reply, form).ok is not True or reply.rstrip().endswith(("}", "]")) for reply in replies
        )
        assert form.first_token is not differs or is_document or form.kind == "guard", form.id


def test_evidence_that_touches_the_cut_does_not_count() -> None:
    assert jc.parse("Rating: [[8]]", "mt_bench.single", cut=False).value_or(None) == 8.0

    cut = jc.parse("Score: 1", jc.Format.score(1, 10), cut=True)

    assert isinstance(cut, jc.Unreadable)
    assert cut.reason == "truncated"


def test_a_field_may_be_called_as_a_side_of_a_dialogue() -> None:
    form = jc.Format.fields({"User": jc.Format.score(1, 5), "Agent": jc.Format.score(1, 5)})

    got = jc.parse("User: 4\nAgent: 3\n\nDone.", form).value_or(None)

    assert got == {"User": 4, "Agent": 3}
