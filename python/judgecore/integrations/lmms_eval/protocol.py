"""What a judge is asked and what it says, in the shapes that lmms-eval documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


# What a setting must be, in words and as a test.
_RULES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(("max_tokens", "num_retries", "max_concurrent"), ("at least 1", lambda value: value >= 1)),
    "timeout": ("more than 0 seconds", lambda value: value > 0),
    "retry_delay": ("at least 0 seconds", lambda value: value >= 0),
    "temperature": ("at least 0", lambda value: value >= 0),
    "top_p": ("above 0 and at most 1", lambda value: value is None or 0 < value <= 1),
    "response_format": ("'json', 'text' or None", lambda value: value in ("json", "text", None)),
}


@dataclass
class ServerConfig:
    """How a judge is asked; it can be changed, and a server's next request is asked as it says then.

    Attributes:
        model_name: The model, as the endpoint names it.
        temperature: How freely it draws.
        max_tokens: The most tokens of a reply.
        top_p: The probability mass that it draws from; None for the endpoint's default.
        timeout: The most seconds without a byte.
        num_retries: How often a request is sent at most; failures that would not pass are not tried again.
        retry_delay: Seconds before the second attempt; the wait doubles with each.
        max_concurrent: The most requests in flight.
        system_prompt: What the judge is told, where the messages hold no system prompt.
        response_format: ``json`` asks the endpoint for a JSON object; ``text`` or None for nothing.
        judge_type: Kept for callers that set it; nothing depends on it.
        output_format: Likewise; name it in the call.
        score_range: Likewise.
        evaluation_criteria: Likewise.

    Raises:
        ValueError: If a number makes no sense, or there is no such response format.
    """

    model_name: str
    temperature: float = 0.0
    max_tokens: int = 1024
    top_p: float | None = None
    timeout: float = 60
    num_retries: int = 5
    retry_delay: float = 10
    max_concurrent: int = 10
    system_prompt: str | None = None
    response_format: str | None = None
    judge_type: str = "general"
    output_format: str | None = None
    score_range: tuple[float, float] | None = None
    evaluation_criteria: dict[str, Any] | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a value that makes sense; one that makes none is refused, at the beginning and later."""
        wanted, is_right = _RULES.get(name, ("", None))
        if is_right is not None and not is_right(value):
            raise ValueError(f"{name} must be {wanted}, not {value!r}")
        super().__setattr__(name, value)


@dataclass
class Request:
    """What a judge is asked: ``messages`` and ``images`` are sent, all else is for the server's own use.

    Attributes:
        messages: As OpenAI has them: ``role`` and ``content``, a text or a list of parts.
        images: Shown before the last message's words: a path, an address, bytes of a file or of its base64, or a
            picture of PIL.
        config: What holds for this request; None for the server's. What its judge can't do is refused.
        question: What the prediction answers.
        answer: The reference answer.
        prediction: What is judged.
        context: What the question is about.
        options: The choices of a multiple-choice question.
        response1: The first of two responses.
        response2: The second.
        custom_prompt: The prompt's template.
        prompt_kwargs: Its further slots.
    """

    messages: list[dict[str, Any]]
    images: list[Any] | None = None
    config: ServerConfig | None = None
    question: str | None = None
    answer: str | None = None
    prediction: str | None = None
    context: str | None = None
    options: list[str] | None = None
    response1: str | None = None
    response2: str | None = None
    custom_prompt: str | None = None
    prompt_kwargs: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass
class Response:
    """What came back.

    Attributes:
        content: The judge's words; empty where there are none.
        model_used: The model, as the endpoint names it.
        usage: ``prompt_tokens``, ``completion_tokens`` and ``total_tokens``, as far as the endpoint tells.
        raw_response: The server's own object: of judgecore's servers a ``JudgeReply``.
        parsed_result: Kept for servers that set it.
        success: Whether the judge replied at all; whether the reply could be read, the dictionaries say.
        error_message: Why it did not.
        cut: Whether the reply is known to have run into its token limit.
    """

    content: str
    model_used: str
    usage: dict[str, int] | None = None
    raw_response: Any = None
    parsed_result: Any = None
    success: bool = True
    error_message: str | None = None
    cut: bool = False
