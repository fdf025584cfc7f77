"""Chat completions and models in OpenAI's API."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, cast

from judgecore.server import tokens
from judgecore.server.judge import MODEL, answer_request, text_of
from judgecore.server.wire import HttpResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judgecore.server.judge import ServerReply
    from judgecore.server.tokens import PrefixCache


_MAX_INTEGER = (1 << 63) - 1


class RejectedRequestError(Exception):
    """A request that this server rejects; the message says why."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def models() -> HttpResponse:
    """List the models: the single placeholder model."""
    return json_response(
        200, {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "judgecore"}]}
    )


def complete(body: Mapping[str, Any], *, name: str, seed: int, prefixes: PrefixCache) -> HttpResponse:
    """Answer a chat completion, which may not ask for more than one choice; the request's own seed comes first."""
    messages = _messages(body)
    if body.get("n", 1) != 1:
        raise RejectedRequestError("this server returns one choice; omit n")
    drawn = whole_number(body, "seed", low=-_MAX_INTEGER - 1)
    drawn_by = seed if drawn is None else drawn
    limits = [whole_number(body, name, low=1) for name in ("max_completion_tokens", "max_tokens")]
    n_alternatives = whole_number(body, "top_logprobs") or 0
    reply = answer_request(
        messages,
        model=body.get("model"),
        schema=_schema(body.get("response_format")),
        max_tokens=next((limit for limit in limits if limit is not None), None),
        seed=drawn_by,
        prefixes=prefixes,
    )
    choice: dict[str, Any] = {
        "index": 0,
        "message": {"role": "assistant", "content": reply.text, "refusal": None},
        "logprobs": tokens.logprobs(reply.text, n_alternatives, drawn_by) if body.get("logprobs") else None,
        "finish_reason": "length" if reply.is_cut else "stop",
    }
    completion = {
        "id": f"chatcmpl-{name}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL,
        "choices": [choice],
        "usage": usage(reply),
        "system_fingerprint": None,
    }
    return _streamed(completion) if body.get("stream") else json_response(200, completion)


def whole_number(body: Mapping[str, Any], name: str, *, low: int = 0) -> int | None:
    """Return an integer of the request, from ``low`` to 2^63 - 1, or None if it is missing."""
    value: object = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= _MAX_INTEGER:
        raise RejectedRequestError(f"{name} must be a whole number from {low} to {_MAX_INTEGER}")
    return value


def usage(reply: ServerReply) -> dict[str, Any]:
    """Return the token counts, in OpenAI's schema."""
    return {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "total_tokens": reply.prompt_tokens + reply.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
    }


def error_response(status: int, message: str, code: str | None = None) -> HttpResponse:
    """Make an error response in OpenAI's schema."""
    kind = "invalid_request_error" if status < 500 else "server_error"  # noqa: PLR2004 - server errors begin here
    return json_response(status, {"error": {"message": message, "type": kind, "param": None, "code": code}})


def json_response(status: int, value: object, headers: tuple[tuple[str, str], ...] = ()) -> HttpResponse:
    """Make a JSON response."""
    return HttpResponse(status, json.dumps(value).encode(), headers=headers)


def _messages(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    given: object = body.get("messages")
    if not isinstance(given, list) or not given:
        raise RejectedRequestError("messages must be a non-empty list")
    messages: list[tuple[str, str]] = []
    for message in cast("list[object]", given):
        if not isinstance(message, dict) or "role" not in message:
            raise RejectedRequestError("each message must be an object with a role")
        known = cast("dict[str, Any]", message)
        messages.append((str(known["role"]), text_of(known.get("content"))))
    return messages


def _schema(form: object) -> dict[str, Any] | None:
    """Return the schema of a ``response_format``, in OpenAI's or llama.cpp's form."""
    if not isinstance(form, dict):
        return None
    known = cast("dict[str, Any]", form)
    schema: object = known.get("schema")
    if known.get("type") == "json_schema":
        schema = cast("dict[str, Any]", known.get("json_schema", {})).get("schema")
    return cast("dict[str, Any]", schema) if isinstance(schema, dict) else None


def _streamed(completion: dict[str, Any]) -> HttpResponse:
    """Make a response of server-sent events: the whole text in one chunk, then the end."""
    (choice,) = completion["choices"]
    shared = {name: completion[name] for name in ("id", "created", "model", "system_fingerprint")}
    shared["object"] = "chat.completion.chunk"
    reply = {"index": 0, "delta": choice["message"], "logprobs": choice["logprobs"], "finish_reason": None}
    ended: dict[str, Any] = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": choice["finish_reason"]}
    chunks: list[dict[str, Any]] = [
        {**shared, "choices": [reply]},
        {**shared, "choices": [ended], "usage": completion["usage"]},
    ]
    events = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return HttpResponse(200, "".join([*events, "data: [DONE]\n\n"]).encode(), media_type="text/event-stream")
