"""Requests, responses and configurations, as lmms-eval documents them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


# The valid values of each setting, as text and as a predicate.
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
    """The configuration of a judge; changes apply to a server's next request.

    Attributes:
        model_name: The model's name at the endpoint.
        temperature: The sampling temperature.
        max_tokens: The maximum number of tokens of a reply.
        top_p: The probability mass for nucleus sampling; None for the endpoint's default.
        timeout: The read timeout in seconds.
        num_retries: The maximum number of attempts; permanent failures are not retried.
        retry_delay: The delay before the second attempt in seconds; it doubles with each attempt.
        max_concurrent: The maximum number of requests in flight.
        system_prompt: The system prompt, if the messages contain none.
        response_format: ``json`` asks the endpoint for a JSON object; ``text`` or None for no format.
        judge_type: Ignored; accepted for compatibility.
        output_format: Ignored; pass it in the call.
        score_range: Ignored; pass it in the call.
        evaluation_criteria: Ignored; accepted for compatibility.

    Raises:
        ValueError: If a value is invalid.
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
        wanted, is_right = _RULES.get(name, ("", None))
        if is_right is not None and not is_right(value):
            raise ValueError(f"{name} must be {wanted}, not {value!r}")
        super().__setattr__(name, value)


@dataclass
class Request:
    """A request: ``messages`` and ``images`` are sent, the other attributes are for the server's use.

    Attributes:
        messages: Messages as in OpenAI's API: ``role`` and ``content``, a string or a list of parts.
        images: Images before the last message's text: each a path, a URL, the bytes of a file or of its base64, or a
            PIL image.
        config: The configuration of this request; None for the server's. Rejected if the judge can't satisfy it.
        question: The question.
        answer: The reference answer.
        prediction: The answer under test.
        context: The context of the question.
        options: The choices of a multiple-choice question.
        response1: The first of two responses.
        response2: The second of two responses.
        custom_prompt: The template of the prompt.
        prompt_kwargs: Further slots of the template.
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
    """A response.

    Attributes:
        content: The judge's reply; empty if there is none.
        model_used: The model's name at the endpoint.
        usage: ``prompt_tokens``, ``completion_tokens`` and ``total_tokens``, as far as the endpoint reports them.
        raw_response: The server's own object; a ``JudgeReply`` of judgecore's servers.
        parsed_result: For servers that set it; judgecore does not.
        success: Whether the judge replied; the result dictionaries say whether the reply could be read.
        error_message: Why the judge did not reply; None if it did.
        cut: Whether the reply is known to have reached its token limit.
    """

    content: str
    model_used: str
    usage: dict[str, int] | None = None
    raw_response: Any = None
    parsed_result: Any = None
    success: bool = True
    error_message: str | None = None
    cut: bool = False
