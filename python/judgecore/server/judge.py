"""Answer a judge prompt, independent of the endpoint's API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from judgecore.server import tokens
from judgecore.server.answering import answer

if TYPE_CHECKING:
    from collections.abc import Mapping

MODEL = "judgecore-serve-is-no-model"
"""The model that every response names."""

_MAX_CHARACTERS = 1 << 20


@dataclass(frozen=True)
class ServerReply:
    """The judge's reply.

    Attributes:
        text: The text, cut at the token limit.
        is_cut: Whether it was cut.
        prompt_tokens: The number of tokens of the request.
        completion_tokens: The number of tokens of the reply.
    """

    text: str
    is_cut: bool
    prompt_tokens: int
    completion_tokens: int


def answer_request(
    messages: list[tuple[str, str]],
    *,
    model: object,
    schema: Mapping[str, Any] | None,
    max_tokens: int | None,
    seed: int,
) -> ServerReply:
    """Answer a judge prompt.

    Args:
        messages: The role and text of each message.
        model: The request's model.
        schema: The JSON Schema of the answer; None if there is none.
        max_tokens: The maximum number of tokens of the reply; None for no limit.
        seed: The seed of the answer.

    Raises:
        ValueError: If the messages have more than a million characters.
    """
    if sum(len(words) for _, words in messages) > _MAX_CHARACTERS:
        raise ValueError(f"the messages have more than {_MAX_CHARACTERS:,} characters")
    spelled = tokens.split(answer(messages, model=str(model or ""), schema=schema, seed=seed))
    kept = spelled if max_tokens is None else spelled[:max_tokens]
    n_prompt = sum(len(tokens.split(words)) for _, words in messages)
    return ServerReply("".join(kept), len(kept) < len(spelled), n_prompt, len(kept))


def text_of(content: object) -> str:
    """Return the text of a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = cast("list[dict[str, Any]]", content)
    return "\n".join(str(part.get("text", "")) for part in parts if part.get("type", "text") == "text")
