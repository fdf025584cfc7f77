"""Messages in Anthropic's API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from judgecore.server.chat import RejectedRequestError, json_response, whole_number
from judgecore.server.judge import MODEL, answer_request, text_of
from judgecore.server.wire import HttpResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judgecore.server.tokens import PrefixCache

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def message(body: Mapping[str, Any], *, name: str, seed: int, prefixes: PrefixCache) -> HttpResponse:
    """Answer a message. What ends with a ``cache_control`` may be cached."""
    given: object = body.get("messages")
    if not isinstance(given, list) or not given:
        raise RejectedRequestError("messages must be a non-empty list")
    max_tokens = whole_number(body, "max_tokens", low=1)
    if max_tokens is None:
        raise RejectedRequestError("max_tokens: Field required")
    contents = [(str(one["role"]), one.get("content")) for one in cast("list[dict[str, Any]]", given)]
    contents = [("system", body["system"]), *contents] if body.get("system") else contents
    form = cast("dict[str, Any]", cast("dict[str, Any]", body.get("output_config") or {}).get("format") or {})
    reply = answer_request(
        [(role, text_of(content)) for role, content in contents],
        model=body.get("model"),
        schema=cast("dict[str, Any] | None", form.get("schema")),
        max_tokens=max_tokens,
        seed=seed,
        prefixes=prefixes,
        beginning=_marked(contents),
    )
    whole = {
        "id": f"msg_{name}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [{"type": "text", "text": reply.text}],
        "stop_reason": "max_tokens" if reply.is_cut else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": reply.prompt_tokens - reply.cached_tokens - reply.written_tokens,
            "cache_creation_input_tokens": reply.written_tokens,
            "cache_read_input_tokens": reply.cached_tokens,
            "output_tokens": reply.completion_tokens,
        },
    }
    return _streamed(whole) if body.get("stream") else json_response(200, whole)


def _marked(contents: list[tuple[str, Any]]) -> list[tuple[str, str]]:
    """The messages up to the last block with a ``cache_control``."""
    marked: list[tuple[str, str]] = []
    for place, (role, content) in enumerate(contents):
        blocks = cast("list[dict[str, Any]]", content) if isinstance(content, list) else []
        ends = [end for end, block in enumerate(blocks, start=1) if block.get("cache_control") is not None]
        if ends:
            before = [(one, text_of(whole)) for one, whole in contents[:place]]
            marked = [*before, (role, text_of(blocks[: ends[-1]]))]
    return marked


def error_response(status: int, problem: str) -> HttpResponse:
    """Make an error response in Anthropic's schema."""
    return json_response(status, error_value(status, problem))


def error_value(status: int, problem: str) -> dict[str, Any]:
    """Make the JSON value of an error in Anthropic's schema."""
    return {"type": "error", "error": {"type": _KINDS.get(status, "api_error"), "message": problem}}


def _streamed(whole: dict[str, Any]) -> HttpResponse:
    """Make a response of server-sent events: the whole text in one chunk."""
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
    return HttpResponse(200, spelled.encode(), media_type="text/event-stream")
