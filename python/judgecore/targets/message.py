"""The shape of Anthropic's messages: a reply validated.

This module imports pydantic, so it is imported when the first reply is read.
"""

from __future__ import annotations

from pydantic import BaseModel, ValidationError

from judgecore.targets.chat_completion import TokenCount, refuse
from judgecore.targets.reply import JudgeReply, ReplyOutcome, TokenUsage

_CUT = frozenset({"max_tokens", "model_context_window_exceeded"})


class _Block(BaseModel):
    type: str
    text: str | None = None


class _Usage(BaseModel):
    input_tokens: TokenCount | None = None
    output_tokens: TokenCount | None = None


class _Message(BaseModel):
    content: list[_Block]
    stop_reason: str | None = None
    model: str | None = None
    usage: _Usage | None = None


def read_message(raw: bytes) -> JudgeReply:
    """Read the body of a message.

    Args:
        raw: The bytes as they came.

    Returns:
        The reply; the text of several blocks is joined.

    Raises:
        MalformedReplyError: If it is no JSON, or no message.
    """
    try:
        message = _Message.model_validate_json(raw)
    except ValidationError as problem:
        refuse(problem, raw, "message")
    texts = [block.text for block in message.content if block.type == "text" and block.text is not None]
    text = "".join(texts) if texts else None
    usage = message.usage
    return JudgeReply(
        text=text,
        outcome=_outcome(message, text),
        finish_reason=message.stop_reason,
        model=message.model,
        usage=TokenUsage() if usage is None else TokenUsage(usage.input_tokens, usage.output_tokens),
        raw=raw,
    )


def _outcome(message: _Message, text: str | None) -> ReplyOutcome:
    if message.stop_reason == "refusal":
        return "refused"
    if message.stop_reason in _CUT:
        return "cut"
    calls_tools = any(block.type == "tool_use" for block in message.content)
    if text is not None and (text or not calls_tools):
        return "answered"
    return "tool_calls" if calls_tools else "no_text"
