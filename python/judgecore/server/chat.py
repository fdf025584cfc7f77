"""OpenAI's chat completions and models, and Azure's path to them."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, cast

from judgecore.server import tokens
from judgecore.server.judge import MODEL, say, words_of
from judgecore.server.wire import HttpAnswer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judgecore.server.judge import Said


_MOST = (1 << 63) - 1


class UnacceptableError(Exception):
    """A request that this server does not take; the message says why.

    Attributes:
        status: The HTTP status that says so.
    """

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def models() -> HttpAnswer:
    """List the models: one, which is none."""
    return as_json(
        200, {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "judgecore"}]}
    )


def complete(asked: Mapping[str, Any], *, name: str, seed: int) -> HttpAnswer:
    """Answer a chat completion.

    Args:
        asked: The body.
        name: What the completion is called.
        seed: What the answer is drawn by, where the request has no seed.

    Raises:
        UnacceptableError: If the body is none, or asks for more than one choice.
    """
    messages = _messages(asked)
    if asked.get("n", 1) != 1:
        raise UnacceptableError("this server gives one choice; leave n out")
    drawn = whole_number(asked, "seed", low=-_MOST - 1)
    drawn_by = seed if drawn is None else drawn
    limits = [whole_number(asked, name, low=1) for name in ("max_completion_tokens", "max_tokens")]
    n_alternatives = whole_number(asked, "top_logprobs") or 0
    said = say(
        messages,
        model=asked.get("model"),
        schema=_schema(asked.get("response_format")),
        max_tokens=next((limit for limit in limits if limit is not None), None),
        seed=drawn_by,
    )
    choice: dict[str, Any] = {
        "index": 0,
        "message": {"role": "assistant", "content": said.text, "refusal": None},
        "logprobs": tokens.logprobs(said.text, n_alternatives, drawn_by) if asked.get("logprobs") else None,
        "finish_reason": "length" if said.is_cut else "stop",
    }
    completion = {
        "id": f"chatcmpl-{name}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL,
        "choices": [choice],
        "usage": usage(said),
        "system_fingerprint": None,
    }
    return _streamed(completion) if asked.get("stream") else as_json(200, completion)


def whole_number(asked: Mapping[str, Any], name: str, *, low: int = 0) -> int | None:
    """A number of the request, or None where it has none.

    Args:
        asked: The body.
        name: What the number is called.
        low: The least that it may be.

    Raises:
        UnacceptableError: If it is no whole number from ``low`` to 2^63 - 1.
    """
    value: object = asked.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= _MOST:
        raise UnacceptableError(f"{name} must be a whole number from {low} to {_MOST}")
    return value


def usage(said: Said) -> dict[str, int]:
    """The tokens, in OpenAI's shape."""
    return {
        "prompt_tokens": said.prompt_tokens,
        "completion_tokens": said.completion_tokens,
        "total_tokens": said.prompt_tokens + said.completion_tokens,
    }


def refusal(status: int, message: str, code: str | None = None) -> HttpAnswer:
    """An error in OpenAI's shape."""
    kind = "invalid_request_error" if status < 500 else "server_error"  # noqa: PLR2004 - the server's own begin here
    return as_json(status, {"error": {"message": message, "type": kind, "param": None, "code": code}})


def as_json(status: int, value: object, headers: tuple[tuple[str, str], ...] = ()) -> HttpAnswer:
    """An answer in JSON."""
    return HttpAnswer(status, json.dumps(value).encode(), headers=headers)


def _messages(asked: Mapping[str, Any]) -> list[tuple[str, str]]:
    given: object = asked.get("messages")
    if not isinstance(given, list) or not given:
        raise UnacceptableError("messages must be a list that is not empty")
    messages: list[tuple[str, str]] = []
    for message in cast("list[object]", given):
        if not isinstance(message, dict) or "role" not in message:
            raise UnacceptableError("each message must be an object with a role")
        known = cast("dict[str, Any]", message)
        messages.append((str(known["role"]), words_of(known.get("content"))))
    return messages


def _schema(form: object) -> dict[str, Any] | None:
    """The schema of a ``response_format``, in OpenAI's form or in llama.cpp's."""
    if not isinstance(form, dict):
        return None
    known = cast("dict[str, Any]", form)
    schema: object = known.get("schema")
    if known.get("type") == "json_schema":
        schema = cast("dict[str, Any]", known.get("json_schema", {})).get("schema")
    return cast("dict[str, Any]", schema) if isinstance(schema, dict) else None


def _streamed(completion: dict[str, Any]) -> HttpAnswer:
    """The completion as server-sent events: all words in one piece, then the end."""
    (choice,) = completion["choices"]
    shared = {name: completion[name] for name in ("id", "created", "model", "system_fingerprint")}
    shared["object"] = "chat.completion.chunk"
    said = {"index": 0, "delta": choice["message"], "logprobs": choice["logprobs"], "finish_reason": None}
    ended: dict[str, Any] = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": choice["finish_reason"]}
    chunks: list[dict[str, Any]] = [
        {**shared, "choices": [said]},
        {**shared, "choices": [ended], "usage": completion["usage"]},
    ]
    events = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return HttpAnswer(200, "".join([*events, "data: [DONE]\n\n"]).encode(), media_type="text/event-stream")
