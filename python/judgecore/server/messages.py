"""Anthropic's messages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from judgecore.server.chat import UnacceptableError, as_json, whole_number
from judgecore.server.judge import MODEL, say, words_of
from judgecore.server.wire import HttpAnswer

if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def message(asked: Mapping[str, Any], *, name: str, seed: int) -> HttpAnswer:
    """Answer a message.

    Args:
        asked: The body.
        name: What the message is called.
        seed: What the answer is drawn by.

    Raises:
        UnacceptableError: If the body is none.
    """
    given: object = asked.get("messages")
    if not isinstance(given, list) or not given:
        raise UnacceptableError("messages must be a list that is not empty")
    max_tokens = whole_number(asked, "max_tokens", low=1)
    if max_tokens is None:
        raise UnacceptableError("max_tokens: Field required")
    turns = [(str(one["role"]), words_of(one.get("content"))) for one in cast("list[dict[str, Any]]", given)]
    system = words_of(asked.get("system"))
    form = cast("dict[str, Any]", cast("dict[str, Any]", asked.get("output_config") or {}).get("format") or {})
    said = say(
        [("system", system), *turns] if system else turns,
        model=asked.get("model"),
        schema=cast("dict[str, Any] | None", form.get("schema")),
        max_tokens=max_tokens,
        seed=seed,
    )
    whole = {
        "id": f"msg_{name}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [{"type": "text", "text": said.text}],
        "stop_reason": "max_tokens" if said.is_cut else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": said.prompt_tokens, "output_tokens": said.completion_tokens},
    }
    return _streamed(whole) if asked.get("stream") else as_json(200, whole)


def refusal(status: int, says: str) -> HttpAnswer:
    """An error in Anthropic's shape."""
    return as_json(status, {"type": "error", "error": {"type": _KINDS.get(status, "api_error"), "message": says}})


def _streamed(whole: dict[str, Any]) -> HttpAnswer:
    """The message as server-sent events: all words in one piece."""
    started: dict[str, Any] = {**whole, "content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": started},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": whole["content"][0]["text"]},
        },
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
            "usage": {"output_tokens": whole["usage"]["output_tokens"]},
        },
        {"type": "message_stop"},
    ]
    spelled = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return HttpAnswer(200, spelled.encode(), media_type="text/event-stream")
