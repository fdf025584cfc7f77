"""``AnthropicTarget``: a model behind Anthropic's messages."""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING, Any, Literal

from judgecore.errors import RequestError
from judgecore.identity import class_identifier
from judgecore.targets.credential import Credential
from judgecore.targets.endpoint import CONNECT_TIMEOUT_S, MAX_BYTES, READ_TIMEOUT_S, Endpoint
from judgecore.targets.openai import schema_in_system
from judgecore.targets.target import to_float

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

    from judgecore.identity import ComponentIdentifier
    from judgecore.targets.pacing import Pacing
    from judgecore.targets.reply import JudgeReply
    from judgecore.targets.request import ConversationTurn, JudgeRequest, PromptImage

DEFAULT_URL = "https://api.anthropic.com"
API_VERSION = "2023-06-01"
MAX_TOKENS = 4096
"""The most tokens of a reply where the request does not say; this endpoint wants it said."""


class AnthropicTarget(Endpoint):
    """A model behind Anthropic's messages, or behind any endpoint that speaks them.

    A request with ``logprobs`` or ``seed`` is refused, because these endpoints know neither.

    Args:
        model: The model, as the endpoint names it.
        api_key: The key; None for ``ANTHROPIC_API_KEY``, looked up when a request is sent. It is never shown.
        base_url: The endpoint, without ``/v1``; None for ``ANTHROPIC_BASE_URL``, else Anthropic's own.
        temperature: How freely the model draws; None for the endpoint's default.
        top_p: The probability mass that it draws from; None for the endpoint's default.
        schema_in: Where a request's schema goes: ``output_config``, which the endpoint sees to, or ``prompt``.
        extra: More keys of the body; part of the identity.
        pacing: How many requests at once and in a minute, and how often again; None for the defaults.
        connect_timeout_s: The most seconds until there is a connection.
        read_timeout_s: The most seconds without a byte.
        max_bytes: The most bytes of an answer, unpacked.
        client: An HTTP client of yours, which you close yourself; None for one that fits.

    Raises:
        RequestError: If ``base_url`` is no address, or holds a password.
    """

    dialect = "anthropic"

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        schema_in: Literal["output_config", "prompt"] = "output_config",
        extra: Mapping[str, Any] | None = None,
        pacing: Pacing | None = None,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        read_timeout_s: float = READ_TIMEOUT_S,
        max_bytes: int = MAX_BYTES,
        client: httpx.AsyncClient | None = None,
    ) -> None:
        super().__init__(
            base_url=base_url or os.environ.get("ANTHROPIC_BASE_URL") or DEFAULT_URL,
            credential=Credential(api_key, "ANTHROPIC_API_KEY"),
            pacing=pacing,
            connect_timeout_s=connect_timeout_s,
            read_timeout_s=read_timeout_s,
            max_bytes=max_bytes,
            client=client,
        )
        self.model = model
        self.temperature = to_float(temperature)
        self.top_p = to_float(top_p)
        self.schema_in: Literal["output_config", "prompt"] = schema_in
        self._extra = dict(extra or {})

    def get_identifier(self) -> ComponentIdentifier:
        """Return what the target is: model, sampling and endpoint, never a key."""
        return class_identifier(
            self,
            params={
                "underlying_model_name": self.model,
                "temperature": self.temperature,
                "top_p": self.top_p,
                "endpoint": self.base_url,
                "schema_in": self.schema_in,
                "extra": self._extra or None,
            },
        )

    def read(self, raw: bytes) -> JudgeReply:
        """Read the body of a message.

        Args:
            raw: The bytes as they came.

        Returns:
            The reply.

        Raises:
            MalformedReplyError: If it is none.
        """
        from judgecore.targets.message import read_message  # noqa: PLC0415 - pydantic, when needed

        return read_message(raw)

    def _body(self, request: JudgeRequest) -> dict[str, Any]:
        for name in ("logprobs", "seed"):
            if getattr(request, name) is not None:
                raise RequestError(f"Anthropic's messages have no {name}; leave {name} None, or use another target")
        system = request.system
        output: dict[str, Any] = {}
        if request.schema is not None and self.schema_in == "prompt":
            system = schema_in_system(system, request.schema)
        elif request.schema is not None:
            output["format"] = {"type": "json_schema", "schema": dict(request.schema)}
        if request.reasoning_effort is not None:
            output["effort"] = request.reasoning_effort
        settings = {
            "system": system,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "output_config": output or None,
        }
        return {
            "model": self.model,
            **self._extra,
            "max_tokens": MAX_TOKENS if request.max_tokens is None else request.max_tokens,
            "messages": [_message(turn) for turn in request.turns],
            **{name: value for name, value in settings.items() if value is not None},
        }

    def _url(self) -> str:
        return f"{self.base_url}/v1/messages"

    def _headers(self) -> dict[str, str]:
        return {"x-api-key": self._credential.reveal(), "anthropic-version": API_VERSION}

    def __repr__(self) -> str:
        return f"AnthropicTarget({self.model!r}, base_url={self.base_url!r})"


def _message(turn: ConversationTurn) -> dict[str, Any]:
    if not turn.images:
        return {"role": turn.role, "content": turn.text}
    shown = [{"type": "image", "source": _source(image)} for image in turn.images]
    return {"role": turn.role, "content": [*shown, {"type": "text", "text": turn.text}]}


def _source(image: PromptImage) -> dict[str, str]:
    if image.data is None:
        return {"type": "url", "url": image.url or ""}
    data = base64.b64encode(image.data).decode("ascii")
    return {"type": "base64", "media_type": image.media_type or "", "data": data}
