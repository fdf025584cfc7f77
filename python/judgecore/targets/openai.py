"""``OpenAITarget``: any endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from judgecore.identity import class_identifier
from judgecore.targets.credential import Credential
from judgecore.targets.endpoint import CONNECT_TIMEOUT_S, MAX_BYTES, READ_TIMEOUT_S, Endpoint
from judgecore.targets.target import to_float

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

    from judgecore.identity import ComponentIdentifier
    from judgecore.targets.pacing import Pacing
    from judgecore.targets.reply import JudgeReply
    from judgecore.targets.request import ConversationTurn, JudgeRequest

SchemaPlace: TypeAlias = Literal["json_schema", "json_object", "prompt"]
"""Where a request's schema goes: ``response_format`` in OpenAI's form, in llama.cpp's, or the system prompt."""

DEFAULT_URL = "https://api.openai.com/v1"


class OpenAITarget(Endpoint):
    """A model behind OpenAI's chat completions, or behind any endpoint that speaks them (vLLM, llama.cpp, a proxy).

    Args:
        model: The model, as the endpoint names it.
        api_key: The key; None for ``OPENAI_API_KEY``, looked up when a request is sent. It is never shown.
        base_url: The endpoint, up to and with ``/v1``; None for ``OPENAI_BASE_URL``, else OpenAI's own.
        temperature: How freely the model draws; None for the endpoint's default, and for models that take none.
        top_p: The probability mass that it draws from; None for the endpoint's default.
        schema_in: Where a request's schema goes: ``json_schema`` (the endpoint sees that it is kept), ``json_object``
            (llama.cpp's form of the same), or ``prompt``, for endpoints that know neither.
        max_tokens_key: What the endpoint calls the most tokens of a reply; OpenAI's reasoning models want
            ``max_completion_tokens``.
        extra: More keys of the body, for what the endpoint alone knows; part of the identity.
        pacing: How many requests at once and in a minute, and how often again; None for the defaults.
        connect_timeout_s: The most seconds until there is a connection.
        read_timeout_s: The most seconds without a byte.
        max_bytes: The most bytes of an answer, unpacked.
        client: An HTTP client of yours, which you close yourself; None for one that fits.

    Raises:
        RequestError: If ``base_url`` is no address, or holds a password.
    """

    dialect = "openai"

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        schema_in: SchemaPlace = "json_schema",
        max_tokens_key: Literal["max_tokens", "max_completion_tokens"] = "max_tokens",
        extra: Mapping[str, Any] | None = None,
        pacing: Pacing | None = None,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        read_timeout_s: float = READ_TIMEOUT_S,
        max_bytes: int = MAX_BYTES,
        client: httpx.AsyncClient | None = None,
    ) -> None:
        super().__init__(
            base_url=base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_URL,
            credential=Credential(api_key, "OPENAI_API_KEY"),
            pacing=pacing,
            connect_timeout_s=connect_timeout_s,
            read_timeout_s=read_timeout_s,
            max_bytes=max_bytes,
            client=client,
        )
        self.model = model
        self.temperature = to_float(temperature)
        self.top_p = to_float(top_p)
        self.schema_in: SchemaPlace = schema_in
        self._max_tokens_key = max_tokens_key
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
                "max_tokens_key": None if self._max_tokens_key == "max_tokens" else self._max_tokens_key,
                "extra": self._extra or None,
            },
        )

    def _body(self, request: JudgeRequest) -> dict[str, Any]:
        system = request.system
        body: dict[str, Any] = {"model": self.model, **self._extra}
        if request.schema is not None:
            if self.schema_in == "prompt":
                system = schema_in_system(system, request.schema)
            else:
                body["response_format"] = _response_format(request, self.schema_in)
        messages = [] if system is None else [{"role": "system", "content": system}]
        body["messages"] = [*messages, *(_message(turn) for turn in request.turns)]
        if request.logprobs is not None:
            body["logprobs"] = True
            if request.logprobs:
                body["top_logprobs"] = request.logprobs
        settings = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": request.seed,
            self._max_tokens_key: request.max_tokens,
            "reasoning_effort": request.reasoning_effort,
        }
        return body | {name: value for name, value in settings.items() if value is not None}

    def _url(self) -> str:
        return f"{self.base_url}/chat/completions"

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._credential.reveal()}"}

    def read(self, raw: bytes) -> JudgeReply:
        """Read the body of a chat completion.

        Args:
            raw: The bytes as they came.

        Returns:
            The reply.

        Raises:
            MalformedReplyError: If it is none.
        """
        from judgecore.targets.chat_completion import read_chat_completion  # noqa: PLC0415 - pydantic, when needed

        return read_chat_completion(raw)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, base_url={self.base_url!r})"


def schema_in_system(system: str | None, schema: Mapping[str, Any]) -> str:
    """Put a schema into the system prompt, which stands before all that is judged."""
    asked = f"Answer with one JSON object that keeps this JSON Schema, and with nothing else:\n{json.dumps(schema)}"
    return asked if not system else f"{system}\n\n{asked}"


def _response_format(request: JudgeRequest, place: SchemaPlace) -> dict[str, Any]:
    schema = dict(request.schema or {})
    if place == "json_object":
        return {"type": "json_object", "schema": schema}
    return {"type": "json_schema", "json_schema": {"name": request.schema_name, "schema": schema, "strict": True}}


def _message(turn: ConversationTurn) -> dict[str, Any]:
    if not turn.images:
        return {"role": turn.role, "content": turn.text}
    shown = [{"type": "image_url", "image_url": {"url": image.address}} for image in turn.images]
    return {"role": turn.role, "content": [*shown, {"type": "text", "text": turn.text}]}
