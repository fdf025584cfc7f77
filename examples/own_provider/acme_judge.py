"""A custom provider: Acme's models as judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack

from judgecore import JudgeReply
from judgecore.errors import RequestError
from judgecore.targets import Endpoint, EndpointOptions, TokenUsage, parse_body, register_target

if TYPE_CHECKING:
    from judgecore import JudgeRequest


@dataclass
class Answer:
    """The fields that are read from a reply; others are ignored."""

    text: str
    end: Literal["stop", "length"] = "stop"
    tokens: int | None = None


@register_target("acme")
class AcmeTarget(Endpoint):
    """A model served by Acme.

    Args:
        model: Acme's name of the model.
        base_url: The base URL; default ``ACME_BASE_URL``, or Acme's own.
        region: Where the model runs.
        options: As ``EndpointOptions``; the key is in ``ACME_API_KEY``.
    """

    key_variable = "ACME_API_KEY"
    url_variable = "ACME_BASE_URL"
    default_url = "https://api.acme.example"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        region: Literal["eu", "us"] = "eu",
        **options: Unpack[EndpointOptions],
    ) -> None:
        super().__init__(model, base_url=base_url, **options)
        self.region = region

    def identity_params(self) -> dict[str, Any]:
        return {**super().identity_params(), "region": self.region}

    def url(self) -> str:
        return f"{self.base_url}/{self.region}/answers"

    def headers(self) -> dict[str, str]:
        return {"x-acme-key": self.reveal_key()}

    def body(self, request: JudgeRequest) -> dict[str, Any]:
        if len(request.turns) > 1 or request.turns[0].images or request.logprobs is not None:
            raise RequestError("Acme takes one text and gives no logprobs; use another target")
        body = {
            "model": self.model,
            "instruction": request.system_with_schema,
            "text": request.turns[0].text,
            "most_tokens": request.max_tokens,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": request.seed,
        }
        return {**self.extra, **{name: value for name, value in body.items() if value is not None}}

    @classmethod
    def read(cls, raw: bytes) -> JudgeReply:
        answer = parse_body(raw, Answer, "answer of Acme's")
        outcome = "cut" if answer.end == "length" else "answered"
        return JudgeReply(text=answer.text, outcome=outcome, usage=TokenUsage(None, answer.tokens))
