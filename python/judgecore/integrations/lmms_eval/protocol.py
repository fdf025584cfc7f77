"""What a judge is asked and what it says, in the shapes that lmms-eval documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ServerConfig:
    """How a judge is asked.

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

    def __post_init__(self) -> None:
        for name in ("max_tokens", "num_retries", "max_concurrent"):
            _check(name, getattr(self, name), "at least 1", is_right=getattr(self, name) >= 1)
        _check("timeout", self.timeout, "more than 0 seconds", is_right=self.timeout > 0)
        _check("retry_delay", self.retry_delay, "at least 0 seconds", is_right=self.retry_delay >= 0)
        _check("temperature", self.temperature, "at least 0", is_right=self.temperature >= 0)
        _check("top_p", self.top_p, "above 0 and at most 1", is_right=self.top_p is None or 0 < self.top_p <= 1)
        is_known = self.response_format in ("json", "text", None)
        _check("response_format", self.response_format, "'json', 'text' or None", is_right=is_known)


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


def _check(name: str, value: object, wanted: str, *, is_right: bool) -> None:
    if not is_right:
        raise ValueError(f"{name} must be {wanted}, not {value!r}")
