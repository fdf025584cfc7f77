"""The shape of OpenAI's chat completions: a request written, a reply validated.

This module imports pydantic, so it is imported when the first reply is read.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NoReturn, cast

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from judgecore.errors import MalformedReplyError
from judgecore.targets.reply import MOST, JudgeReply, ReplyOutcome, TokenUsage

_CUT = frozenset({"length", "max_tokens", "model_length"})


def _no_bool(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a number is not true or false")  # noqa: TRY004 - what pydantic takes for a wrong value
    return value


TokenCount = Annotated[int, BeforeValidator(_no_bool), Field(ge=0, le=MOST)]
"""Tokens as an endpoint counts them."""


class _Part(BaseModel):
    type: str = "text"
    text: str | None = None


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    tool_calls: list[Any] | None = None


class _Logprobs(BaseModel):
    content: list[dict[str, Any]] | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _Usage(BaseModel):
    prompt_tokens: TokenCount | None = None
    completion_tokens: TokenCount | None = None


class _Completion(BaseModel):
    choices: list[_Choice]
    model: str | None = None
    usage: _Usage | None = None


def read_chat_completion(raw: bytes) -> JudgeReply:
    """Read the body of a chat completion.

    Args:
        raw: The bytes as they came.

    Returns:
        The reply, with the first choice's text.

    Raises:
        MalformedReplyError: If it is no JSON, no completion, or has no choice.
    """
    try:
        completion = _Completion.model_validate_json(raw)
    except ValidationError as problem:
        refuse(problem, raw, "chat completion")
    if not completion.choices:
        raise malformed("the chat completion has no choices", raw)
    choice = completion.choices[0]
    text = _text(choice.message.content)
    usage = completion.usage
    return JudgeReply(
        text=text,
        outcome=_outcome(choice, text),
        finish_reason=choice.finish_reason,
        refusal=choice.message.refusal,
        model=completion.model,
        logprobs=_logprobs(choice),
        usage=TokenUsage() if usage is None else TokenUsage(usage.prompt_tokens, usage.completion_tokens),
        raw=raw,
    )


def _logprobs(choice: _Choice) -> list[dict[str, Any]] | None:
    """The entries, with None for numbers that JSON has not."""
    content = None if choice.logprobs is None else choice.logprobs.content
    return None if content is None else cast("list[dict[str, Any]]", _finite(content))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_finite(one) for one in cast("list[Any]", value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def refuse(problem: ValidationError, raw: bytes, shape: str) -> NoReturn:
    """Raise what a failed validation means, naming the place and never the content."""
    first = problem.errors(include_input=False, include_url=False, include_context=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    said = f"{place}: {first['msg']}" if place else first["msg"]
    raise malformed(f"the endpoint's answer is no {shape}: {said}", raw) from None


def malformed(says: str, raw: bytes) -> MalformedReplyError:
    """Make the error of an answer that is no reply, with its bytes."""
    problem = MalformedReplyError(says)
    problem.raw = raw
    return problem


def _text(content: str | list[_Part] | None) -> str | None:
    if isinstance(content, list):
        texts = [part.text for part in content if part.text is not None]
        return "".join(texts) if texts else None
    return content


def _outcome(choice: _Choice, text: str | None) -> ReplyOutcome:
    if choice.finish_reason == "content_filter":
        return "filtered"
    if choice.message.refusal is not None:
        return "refused"
    if choice.finish_reason in _CUT:
        return "cut"
    if text is not None and (text or not choice.message.tool_calls):
        return "answered"
    return "tool_calls" if choice.message.tool_calls else "no_text"
