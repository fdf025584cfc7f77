"""The shapes of replies, by which a stored one is read again."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

from judgecore.errors import LedgerError, MalformedReplyError
from judgecore.hashing import canonical_json
from judgecore.targets.reply import JudgeReply, TokenUsage

PLAIN = "judgecore"
"""The shape of replies from targets that speak no endpoint's: a ``JudgeReply`` as JSON."""


def read_reply(dialect: str, raw: bytes, *, key: str | None = None) -> JudgeReply:
    """Read a stored reply.

    Args:
        dialect: Its shape.
        raw: The bytes as they came.
        key: The ledger's key.

    Returns:
        The reply, with no attempt of its own.

    Raises:
        MalformedReplyError: If it is none.
        LedgerError: If this version does not know the shape.
    """
    if dialect == PLAIN:
        reply = _read_plain(raw)
    elif dialect == "openai":
        from judgecore.targets.chat_completion import read_chat_completion  # noqa: PLC0415 - pydantic, when needed

        reply = read_chat_completion(raw)
    elif dialect == "anthropic":
        from judgecore.targets.message import read_message  # noqa: PLC0415 - pydantic, when needed

        reply = read_message(raw)
    else:
        raise LedgerError(f"a reply has the shape {dialect!r}, which this version does not know; upgrade judgecore")
    return replace(reply, key=key, attempts=0)


def write_plain(reply: JudgeReply) -> bytes:
    """Write a reply of a target that speaks no endpoint's shape."""
    return canonical_json(
        {
            "text": reply.text,
            "outcome": reply.outcome,
            "finish_reason": reply.finish_reason,
            "refusal": reply.refusal,
            "model": reply.model,
            "logprobs": None if reply.logprobs is None else [dict(one) for one in reply.logprobs],
            "prompt_tokens": reply.usage.prompt_tokens,
            "completion_tokens": reply.usage.completion_tokens,
        }
    )


def _read_plain(raw: bytes) -> JudgeReply:
    try:
        known = cast("dict[str, Any]", json.loads(raw))
        usage = TokenUsage(known.pop("prompt_tokens"), known.pop("completion_tokens"))
        return JudgeReply(**known, usage=usage, raw=raw)
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        damaged = MalformedReplyError(f"a stored reply is damaged: {problem}")
        damaged.raw = raw
        raise damaged from problem
