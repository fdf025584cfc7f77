"""Replies: every way in which one can end is an outcome or an error of its own, and each is logged once."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc
from judgecore.errors import (
    CutReplyError,
    FilteredReplyError,
    MalformedReplyError,
    RefusedReplyError,
    TextlessReplyError,
    ToolCallReplyError,
)
from judgecore.targets.dialect import read_body, read_reply, write_plain
from judgecore.targets.reply import escaped

read_chat_completion = partial(read_body, jc.OpenAITarget)
read_message = partial(read_body, jc.AnthropicTarget)
CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def completion(message: dict[str, Any], finish_reason: str | None = "stop", **more: Any) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": finish_reason}], **more}).encode()


def message(content: list[dict[str, Any]], stop_reason: str | None = "end_turn", **more: Any) -> bytes:
    return json.dumps({"content": content, "stop_reason": stop_reason, **more}).encode()


@pytest.mark.parametrize(
    ("said", "finish_reason", "text", "outcome"),
    [
        ({"content": "Yes"}, "stop", "Yes", "answered"),
        ({"content": "Yes"}, None, "Yes", "answered"),
        ({"content": ""}, "stop", "", "answered"),
        ({"content": [{"type": "text", "text": "Ye"}, {"type": "text", "text": "s"}]}, "stop", "Yes", "answered"),
        ({"content": "Ye"}, "length", "Ye", "cut"),
        ({"content": None}, "length", None, "cut"),
        ({"content": "Ye"}, "max_tokens", "Ye", "cut"),
        ({"content": None, "refusal": "No."}, "stop", None, "refused"),
        ({"content": None}, "content_filter", None, "filtered"),
        ({"content": "Ye"}, "content_filter", "Ye", "filtered"),
        ({"content": None, "tool_calls": [CALL]}, "tool_calls", None, "tool_calls"),
        ({"content": "", "tool_calls": [CALL]}, "tool_calls", "", "tool_calls"),
        ({"content": "Yes", "tool_calls": [CALL]}, "tool_calls", "Yes", "answered"),
        ({"content": None}, "stop", None, "no_text"),
        ({}, "stop", None, "no_text"),
    ],
)
def test_each_end_of_a_completion_is_an_outcome(
    said: dict[str, Any], finish_reason: str | None, text: str | None, outcome: str
) -> None:
    reply = read_chat_completion(completion(said, finish_reason))

    assert (text, outcome, finish_reason) == (reply.text, reply.outcome, reply.finish_reason)
    assert reply.cut is (outcome == "cut")


@pytest.mark.parametrize(
    ("content", "stop_reason", "text", "outcome"),
    [
        ([{"type": "text", "text": "Ye"}, {"type": "text", "text": "s"}], "end_turn", "Yes", "answered"),
        ([{"type": "thinking", "thinking": "No?"}, {"type": "text", "text": "Yes"}], "end_turn", "Yes", "answered"),
        ([{"type": "text", "text": "Ye"}], "max_tokens", "Ye", "cut"),
        ([], "model_context_window_exceeded", None, "cut"),
        ([], "refusal", None, "refused"),
        ([{"type": "tool_use", "id": "1", "name": "f", "input": {}}], "tool_use", None, "tool_calls"),
        ([], "end_turn", None, "no_text"),
    ],
)
def test_each_end_of_a_message_is_an_outcome(
    content: list[dict[str, Any]], stop_reason: str, text: str | None, outcome: str
) -> None:
    reply = read_message(message(content, stop_reason))

    assert (text, outcome) == (reply.text, reply.outcome)


def test_model_tokens_and_logprobs_are_kept() -> None:
    entry = {"token": "Yes", "logprob": -0.1, "bytes": [89], "top_logprobs": []}
    choice = {"message": {"content": "Yes"}, "finish_reason": "stop", "logprobs": {"content": [entry]}}
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    raw = json.dumps({"choices": [choice], "model": "m-1", "usage": usage}).encode()

    reply = read_chat_completion(raw)
    other = read_message(message([], model="c-1", usage={"input_tokens": 3, "output_tokens": 4}))

    assert ("m-1", [entry], raw) == (reply.model, reply.logprobs, reply.raw)
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.total_tokens) == (3, 4, 7)
    assert ("c-1", reply.usage) == (other.model, other.usage)


@pytest.mark.parametrize("read", [read_chat_completion, read_message])
@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"<html>It works!</html>",
        b'{"choices": [{"message"',
        b'{"choices": []}',
        b'{"content": 3}',
        b"[]",
        b"null",
        b'{"error": {"message": "no"}}',
        b'{"choices": [{"message": {"content": "\xff"}}], "content": [{"type": "text", "text": "\xff"}]}',
        b"[" * 100_000,
    ],
)
def test_an_answer_that_is_no_reply_is_an_error_with_its_bytes(read: Any, raw: bytes) -> None:
    with pytest.raises(MalformedReplyError) as caught:
        read(raw)

    assert raw == caught.value.raw
    assert len(str(caught.value)) < 300


@given(
    st.binary()
    | st.recursive(
        st.none() | st.text() | st.integers(),
        lambda one: (
            st.lists(one)
            | st.dictionaries(st.sampled_from(["choices", "message", "content", "text", "type", "stop_reason"]), one)
        ),
    ).map(lambda value: json.dumps(value).encode())
)
def test_any_bytes_are_a_reply_or_a_malformed_one(raw: bytes) -> None:
    for read in (read_chat_completion, read_message):
        with suppress(MalformedReplyError):
            assert read(raw).raw == raw


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        ("cut", CutReplyError),
        ("refused", RefusedReplyError),
        ("filtered", FilteredReplyError),
        ("tool_calls", ToolCallReplyError),
        ("no_text", TextlessReplyError),
    ],
)
def test_text_is_had_of_a_whole_answer_alone(outcome: Any, kind: type[Exception]) -> None:
    reply = jc.JudgeReply(text="Ye", outcome=outcome, key="k.1.0.0")

    with pytest.raises(kind, match=r"k\.1\.0\.0"):
        reply.unwrap()
    assert jc.JudgeReply(text="Yes").unwrap() == "Yes"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (jc.JudgeReply(text=None, outcome="refused", refusal="No."), "refused"),
        (jc.JudgeReply(text="Rating: [[8]]", outcome="filtered"), "refused"),
        (jc.JudgeReply(text=None, outcome="cut"), "truncated"),
        (jc.JudgeReply(text="Rating: [[1", outcome="cut"), "truncated"),
        (jc.JudgeReply(text=None, outcome="tool_calls"), "missing"),
        (jc.JudgeReply(text=None, outcome="no_text"), "missing"),
        (jc.JudgeReply(text=""), "empty"),
        (jc.JudgeReply(text="no idea"), "no_verdict"),
    ],
)
def test_a_reply_without_a_verdict_is_unreadable_and_logged_once(
    reply: jc.JudgeReply, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="judgecore")

    outcome = reply.read("mt_bench.single")

    assert isinstance(outcome, jc.Unreadable)
    assert (reason, "mt_bench.single") == (outcome.reason, outcome.format)
    (record,) = caplog.records
    assert record.getMessage() == f"unreadable reply: reason={reason} format=mt_bench.single key=None"


def test_a_readable_reply_is_read_and_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="judgecore")

    outcome = jc.JudgeReply(text="Rating: [[8]]").read(jc.Format.get("mt_bench.single"))

    assert outcome.unwrap() == 8
    assert caplog.records == []


def test_the_reply_itself_is_logged_at_debug_alone_short_and_harmless(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="judgecore")
    text = "\x1b[2J\r\n\u202e" + "ü" * 10_000

    jc.JudgeReply(text=text, key="k.1.0.0").read("mt_bench.single")

    first, second = caplog.records
    assert (first.levelno, second.levelno) == (logging.WARNING, logging.DEBUG)
    assert "\\x1b[2J\\r\\n\\u202eüüü" in second.getMessage()
    assert second.getMessage().isprintable()
    assert "ü" not in first.getMessage()
    assert "k.1.0.0" in first.getMessage()
    assert len(second.getMessage().encode()) < 2048 + 60


@given(st.text())
def test_escaped_text_is_printable_and_at_most_2_kb(text: str) -> None:
    shown = escaped(text * 50)

    assert shown.isprintable()
    assert len(shown.encode()) <= 2048


def test_nothing_is_printed_where_nobody_configured_logging(capfd: pytest.CaptureFixture[str]) -> None:
    handlers = logging.getLogger("judgecore").handlers

    jc.JudgeReply(text="no idea").read("mt_bench.single")

    assert any(isinstance(handler, logging.NullHandler) for handler in handlers)
    assert capfd.readouterr().err == ""


@given(
    st.builds(
        jc.JudgeReply,
        text=st.none() | st.text(),
        outcome=st.sampled_from(["answered", "cut", "refused", "filtered", "tool_calls", "no_text"]),
        finish_reason=st.none() | st.text(),
        refusal=st.none() | st.text(),
        model=st.none() | st.text(),
        logprobs=st.none() | st.lists(st.dictionaries(st.text(), st.floats(allow_nan=False, allow_infinity=False))),
        usage=st.builds(
            jc.targets.TokenUsage, st.none() | st.integers(0, 2**63 - 1), st.none() | st.integers(0, 2**63 - 1)
        ),
    )
)
def test_a_reply_of_any_target_is_the_same_after_it_was_kept(reply: jc.JudgeReply) -> None:
    raw = write_plain(reply)

    kept = read_reply("judgecore", raw)

    assert kept.raw == raw
    for name in ("text", "outcome", "finish_reason", "refusal", "model", "logprobs", "usage"):
        assert getattr(reply, name) == getattr(kept, name)


@pytest.mark.parametrize("number", ["-1" + "0" * 300 + "e20", "-1e999", "1" * 400, "-Infinity", "NaN"])
def test_a_log_probability_beyond_a_float_is_none_and_its_export_is_json(number: str) -> None:
    body = f"""{{"choices": [{{"message": {{"content": "7"}}, "logprobs": {{"content": [
        {{"token": "7", "logprob": {number}, "top_logprobs": []}}]}}}}]}}"""

    reply = jc.OpenAITarget("m", base_url="http://127.0.0.1:9/v1").read(body.encode())

    assert reply.logprobs is not None
    json.loads(json.dumps([dict(one) for one in reply.logprobs]), parse_constant=pytest.fail)
