"""A request in any endpoint's shape becomes a reply, by counting words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from judgecore.server import tokens
from judgecore.server.asked import answer

if TYPE_CHECKING:
    from collections.abc import Mapping

MODEL = "judgecore-serve-is-no-model"
"""What every reply names as its model."""

_MOST_CHARACTERS = 1 << 20


@dataclass(frozen=True)
class Said:
    """What the judge says.

    Attributes:
        text: The reply, cut at the token limit.
        is_cut: Whether it was cut.
        prompt_tokens: Tokens of the request.
        completion_tokens: Tokens of the reply.
    """

    text: str
    is_cut: bool
    prompt_tokens: int
    completion_tokens: int


def say(
    messages: list[tuple[str, str]],
    *,
    model: object,
    schema: Mapping[str, Any] | None,
    max_tokens: int | None,
    seed: int,
) -> Said:
    """Answer a judge prompt.

    Args:
        messages: Role and words of each.
        model: What the request names as its model.
        schema: The JSON Schema to keep, if there is one.
        max_tokens: The most tokens of the reply; None for all.
        seed: What the answer is drawn by.

    Raises:
        ValueError: If the messages have more than a million characters.
    """
    if sum(len(words) for _, words in messages) > _MOST_CHARACTERS:
        raise ValueError(f"the messages have more than {_MOST_CHARACTERS:,} characters")
    spelled = tokens.split(answer(messages, model=str(model or ""), schema=schema, seed=seed))
    kept = spelled if max_tokens is None else spelled[:max_tokens]
    n_prompt = sum(len(tokens.split(words)) for _, words in messages)
    return Said("".join(kept), len(kept) < len(spelled), n_prompt, len(kept))


def words_of(content: object) -> str:
    """The words of a message's content, which is text or a list of parts; pictures have none."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = cast("list[dict[str, Any]]", content)
    return "\n".join(str(part.get("text", "")) for part in parts if part.get("type", "text") == "text")
