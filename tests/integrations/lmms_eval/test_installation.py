"""The readers under lmms-eval's own judges, in both modes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import judgecore as jc
from judgecore.integrations.lmms_eval import install, uninstall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

utils: Any = pytest.importorskip("lmms_eval.llm_judge.utils", reason="not installed here: make test-integrations")

REPLIES = [
    "1", "0", "0 (step 1 is wrong)", "**Yes**", "yes", "No.", "Yesterday I could not decide.", "", "I refuse",
    "8 7", "Assistant 1: 8, Assistant 2: 9", "7.5, 3\nbecause", "On a scale of 1-10 I give 7", "-3", "Score: 50",
    '{"a": 1}', 'x {"a": {"b": [1]}} y', '{"a": 1} {"b": 2}', "{broken", "[1, 2]",
]  # fmt: skip


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    yield
    uninstall()


def read_all(parser: Any) -> list[Any]:
    """What a parser makes of every reply, in every way that it has."""
    return [
        [
            parser.parse_binary_response(reply),
            parser.parse_binary_response(reply, "yes/no"),
            parser.parse_score_response(reply, (1, 10)),
            parser.parse_score_response(reply),
            parser.parse_comparative_response(reply),
            parser.parse_json_response(reply),
        ]
        for reply in REPLIES
    ]


def test_compatible_readers_give_what_lmms_eval_gives() -> None:
    theirs = read_all(utils.ResponseParser)

    install()

    assert utils.ResponseParser.parse_binary_response is jc.ResponseParser.parse_binary_response
    assert theirs == read_all(utils.ResponseParser)


@given(st.text(st.sampled_from('01589-.,; \n{}":[]aeyYsSno'), max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=500)
def test_compatible_readers_give_the_same_for_any_text(text: str) -> None:
    ways = [
        ("parse_binary_response", ()),
        ("parse_binary_response", ("yes/no",)),
        ("parse_score_response", ((1, 10),)),
        ("parse_comparative_response", ()),
        ("parse_json_response", ()),
    ]

    for name, further in ways:
        assert getattr(utils.ResponseParser, name)(text, *further) == getattr(jc.ResponseParser, name)(text, *further)


@pytest.mark.parametrize(
    ("ask", "want"),
    [
        (lambda parser: parser.parse_binary_response("0 (step 1 is wrong)"), 0),
        (lambda parser: parser.parse_binary_response("**Yes**", "yes/no"), True),
        (lambda parser: parser.parse_score_response("On a scale of 1-10 I give 7", (1, 10)), 7.0),
        (lambda parser: parser.parse_comparative_response("Assistant 1: 8, Assistant 2: 9"), (8.0, 9.0)),
        (lambda parser: parser.parse_json_response('{"a": 1,}'), {"a": 1}),
    ],
)
def test_safe_readers_read_what_a_careful_person_would(ask: Callable[[Any], Any], want: Any) -> None:
    wrong = ask(utils.ResponseParser)

    install(mode="safe")

    assert want == ask(utils.ResponseParser) != wrong


@pytest.mark.parametrize(
    ("reply", "want"),
    [
        ("8/10", 8.0),
        ("7 out of 10", 7.0),
        ("Score: 4.5 / 5", 4.5),
        ("2 of 3 steps hold. Score: 8/10", 8.0),
        ("8", 8.0),
        ("Score: 150", 150.0),
        ("-3", -3.0),
    ],
)
def test_without_a_range_a_fraction_brings_its_own_scale(reply: str, want: float) -> None:
    install(mode="safe")

    assert want == utils.ResponseParser.parse_score_response(reply)


@pytest.mark.parametrize("reply", ["12/10", "I refuse", "8/10 or 4/5"])
def test_without_a_range_a_number_beyond_its_own_scale_is_no_score(reply: str) -> None:
    install(mode="safe")

    with pytest.raises(jc.errors.UnreadableReplyError):
        utils.ResponseParser.parse_score_response(reply)


@pytest.mark.parametrize(("reply", "want"), [("8/10 7/10", (8.0, 7.0)), ("8 7", (8.0, 7.0)), ("80 95", (80.0, 95.0))])
def test_two_fractions_bring_their_own_scale(reply: str, want: tuple[float, float]) -> None:
    install(mode="safe")

    assert want == utils.ResponseParser.parse_comparative_response(reply)


@pytest.mark.parametrize(
    ("ask", "made_up"),
    [
        (lambda parser: parser.parse_binary_response("I can't tell."), 0),
        (lambda parser: parser.parse_binary_response("Yesterday I could not decide.", "yes/no"), True),
        (lambda parser: parser.parse_score_response("I refuse", (1, 10)), 1),
        (lambda parser: parser.parse_comparative_response("Both are fine."), (-1.0, -1.0)),
        (lambda parser: parser.parse_json_response("[1]"), {}),
    ],
)
def test_safe_readers_raise_where_a_value_would_be_made_up(ask: Callable[[Any], Any], made_up: Any) -> None:
    assert made_up == ask(utils.ResponseParser)

    install(mode="safe")

    with pytest.raises(jc.errors.UnreadableReplyError):
        ask(utils.ResponseParser)


def test_lmms_evals_own_judge_uses_the_readers() -> None:
    judge = import_module("lmms_eval.llm_judge").get_server("dummy")
    assert judge.evaluate_binary("?", "a", "b")["result"] == 0

    install(mode="safe")

    with pytest.raises(jc.errors.UnreadableReplyError):
        judge.evaluate_binary("?", "a", "b")


def test_uninstalling_gives_the_own_readers_back() -> None:
    before = {name: utils.ResponseParser.__dict__[name] for name in dir(utils.ResponseParser) if name[:5] == "parse"}

    install(mode="safe")
    install()
    uninstall()
    uninstall()

    assert before == {name: utils.ResponseParser.__dict__[name] for name in before}


def test_a_mode_that_there_is_none_of_is_refused() -> None:
    with pytest.raises(ValueError, match="'compatible' or 'safe'"):
        install(mode="careful")  # pyright: ignore[reportArgumentType]
