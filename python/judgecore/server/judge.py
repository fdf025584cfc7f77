"""Answer a judge prompt, independent of the endpoint's API."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from judgecore.server import tokens
from judgecore.server.answering import answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judgecore.server.tokens import PrefixCache

MODEL = "judgecore-serve-is-no-model"
"""The model that every response names."""

_MAX_CHARACTERS = 1 << 20


@dataclass(frozen=True)
class ServerReply:
    """The judge's reply."""

    text: str
    is_cut: bool
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    written_tokens: int


def answer_request(
    messages: list[tuple[str, str]],
    *,
    model: object,
    schema: Mapping[str, Any] | None,
    max_tokens: int | None,
    seed: int,
    prefixes: PrefixCache,
    beginning: list[tuple[str, str]] | None = None,
) -> ServerReply:
    """Answer a judge prompt of at most a million characters.

    ``beginning`` are the messages that may be cached, the last one perhaps in part; None stands for all.
    """
    if sum(len(words) for _, words in messages) > _MAX_CHARACTERS:
        raise ValueError(f"the messages have more than {_MAX_CHARACTERS:,} characters")
    spelled = tokens.split(answer(messages, model=str(model or ""), schema=schema, seed=seed))
    kept = spelled if max_tokens is None else spelled[:max_tokens]
    prompt = _tokens_of(messages)
    kept_prompt = prompt if beginning is None else _tokens_of(beginning)
    cached = prefixes.read(kept_prompt, json.dumps([model, schema]))
    return ServerReply(
        text="".join(kept),
        is_cut=len(kept) < len(spelled),
        prompt_tokens=len(prompt),
        completion_tokens=len(kept),
        cached_tokens=cached,
        written_tokens=len(kept_prompt) - cached,
    )


def _tokens_of(messages: list[tuple[str, str]]) -> list[str]:
    """The tokens of all messages; the first of each names its role, so that equal words of two roles differ."""
    split = ((role, tokens.split(words)) for role, words in messages)
    return [token if place else f"{role}\0{token}" for role, found in split for place, token in enumerate(found)]


def text_of(content: object) -> str:
    """Return the text of a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = cast("list[dict[str, Any]]", content)
    return "\n".join(str(part.get("text", "")) for part in parts if part.get("type", "text") == "text")
