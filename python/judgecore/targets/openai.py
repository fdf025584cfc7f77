"""``OpenAITarget``: any endpoint that speaks OpenAI's chat completions, and its batches."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, Unpack, cast

from judgecore.errors import QuotaError, RateLimitError
from judgecore.targets.batch_dialect import (
    CLOCKS_S,
    BatchDialect,
    BatchProgress,
    BatchResult,
    ProviderBatch,
    list_newest,
    to_name,
    to_object,
)
from judgecore.targets.dialect import parse_body
from judgecore.targets.endpoint import Endpoint, EndpointOptions
from judgecore.targets.registration import register_target
from judgecore.targets.reply import JudgeReply, ReplyOutcome, TokenUsage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from judgecore.errors import StatusError
    from judgecore.targets.batch_dialect import BatchClient
    from judgecore.targets.request import ConversationTurn, JudgeRequest


SchemaPlace: TypeAlias = Literal["json_schema", "json_object", "prompt"]
"""Where a request's schema goes: ``response_format`` in OpenAI's form, in llama.cpp's, or the system prompt."""

MaxTokensKey: TypeAlias = Literal["max_tokens", "max_completion_tokens"]
"""What the endpoint calls the most tokens of a reply."""

_CUT = frozenset({"length", "max_tokens", "model_length"})


@register_target("openai")
class OpenAITarget(Endpoint):
    """A model behind OpenAI's chat completions, or behind any endpoint that speaks them (vLLM, llama.cpp, a proxy).

    Args:
        model: The model, as the endpoint names it.
        base_url: The endpoint, up to and with ``/v1``; None for ``OPENAI_BASE_URL``, else OpenAI's own.
        schema_in: Where a request's schema goes: ``json_schema`` (the endpoint sees that it is kept), ``json_object``
            (llama.cpp's form of the same), or ``prompt``, for endpoints that know neither.
        max_tokens_key: What the endpoint calls the most tokens of a reply; OpenAI's reasoning models want
            ``max_completion_tokens``.
        options: As ``EndpointOptions``; the key is in ``OPENAI_API_KEY``.

    Raises:
        RequestError: If ``base_url`` is no address, or holds a password.
    """

    key_variable: ClassVar[str] = "OPENAI_API_KEY"
    url_variable: ClassVar[str | None] = "OPENAI_BASE_URL"
    default_url: ClassVar[str | None] = "https://api.openai.com/v1"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        schema_in: SchemaPlace = "json_schema",
        max_tokens_key: MaxTokensKey = "max_tokens",
        **options: Unpack[EndpointOptions],
    ) -> None:
        super().__init__(model, base_url=base_url, **options)
        self.schema_in: SchemaPlace = schema_in
        self._max_tokens_key = max_tokens_key

    def identity_params(self) -> dict[str, Any]:
        """Return all that can change a reply, as JSON values by name."""
        usual = self._max_tokens_key == "max_tokens"
        own = {"schema_in": self.schema_in, "max_tokens_key": None if usual else self._max_tokens_key}
        return {**super().identity_params(), **own}

    def body(self, request: JudgeRequest) -> dict[str, Any]:
        """Write the body of a request."""
        system = request.system
        body: dict[str, Any] = {"model": self.model, **self.extra}
        if request.schema is not None:
            if self.schema_in == "prompt":
                system = request.system_with_schema
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

    def batches(self) -> BatchDialect:
        """Return OpenAI's batch API."""
        return OpenAIBatches()

    def url(self) -> str:
        """Return the address that requests are sent to."""
        return f"{self.base_url}/chat/completions"

    def headers(self) -> dict[str, str]:
        """Return the headers, with the key."""
        return {"authorization": f"Bearer {self.reveal_key()}"}

    @classmethod
    def read(cls, raw: bytes) -> JudgeReply:
        """Read the body of a chat completion."""
        completion = parse_body(raw, _Completion, "chat completion")
        if not completion.choices:
            raise ValueError("the chat completion has no choices")
        choice = completion.choices[0]
        text = _text(choice.message.content)
        usage = completion.usage or _Usage()
        of_prompt = usage.prompt_tokens_details or _PromptTokens()
        content = None if choice.logprobs is None else choice.logprobs.content
        return JudgeReply(
            text=text,
            outcome=_outcome(choice, text),
            finish_reason=choice.finish_reason,
            refusal=choice.message.refusal,
            model=completion.model,
            fingerprint=completion.system_fingerprint if isinstance(completion.system_fingerprint, str) else None,
            logprobs=cast("list[dict[str, Any]] | None", _finite(content)),
            usage=TokenUsage(usage.prompt_tokens, usage.completion_tokens, of_prompt.cached_tokens),
        )

    @classmethod
    def error_kind(cls, status: int, body: bytes) -> type[StatusError]:
        """Return the error of an answer that is not of status 200; a spent account has the status of a rate limit."""
        kind = super().error_kind(status, body)
        return QuotaError if kind is RateLimitError and b"insufficient_quota" in body else kind


# What is read of a reply; whatever else stands in it is passed over.
@dataclass(frozen=True)
class _Part:
    type: str = "text"
    text: str | None = None


@dataclass(frozen=True)
class _Message:
    content: str | list[_Part] | None = None
    refusal: str | None = None
    tool_calls: list[Any] | None = None


@dataclass(frozen=True)
class _Logprobs:
    content: list[dict[str, Any]] | None = None


@dataclass(frozen=True)
class _Choice:
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


@dataclass(frozen=True)
class _PromptTokens:
    cached_tokens: int | bool | None = None


@dataclass(frozen=True)
class _Usage:
    # With bool in the type `true` stays what it is, and TokenUsage refuses it; else it would be 1.
    prompt_tokens: int | bool | None = None
    completion_tokens: int | bool | None = None
    prompt_tokens_details: _PromptTokens | None = None


@dataclass(frozen=True)
class _Completion:
    choices: list[_Choice]
    model: str | None = None
    usage: _Usage | None = None
    # Nothing in a reply depends on it, so that a value of another type is no fault.
    system_fingerprint: Any = None


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


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_finite(one) for one in cast("list[Any]", value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _text(content: str | list[_Part] | None) -> str | None:
    if isinstance(content, list):
        texts = [part.text for part in content if part.text is not None]
        return "".join(texts) if texts else None
    return content


def _outcome(choice: _Choice, text: str | None) -> ReplyOutcome:
    if choice.finish_reason == "content_filter":
        return "filtered"
    if choice.message.refusal is not None:
        return "refused"
    if choice.finish_reason in _CUT:
        return "cut"
    if text is not None and (text or not choice.message.tool_calls):
        return "answered"
    return "tool_calls" if choice.message.tool_calls else "no_text"


_OK = 200
_URL = "/v1/chat/completions"
_SUBMISSION = "judgecore_submission"
_QUEUE_FULL = "token_limit_exceeded"
_PROGRESS: dict[str, BatchProgress] = {
    "completed": "ended",
    "expired": "expired",
    "cancelled": "cancelled",
    "failed": "failed",
}


class OpenAIBatches(BatchDialect):
    """Batches of chat completions: a file of JSON lines is uploaded, and results are files too."""

    max_requests: ClassVar[int] = 50_000
    max_bytes: ClassVar[int] = 200_000_000

    def is_queue_full(self, problem: StatusError) -> bool:
        """Return whether a batch was rejected because the queue holds too many tokens."""
        return super().is_queue_full(problem) or _QUEUE_FULL.encode() in (problem.raw or b"")

    def line(self, custom_id: str, payload: bytes) -> bytes:
        """Write one request of a batch."""
        return b'{"custom_id":"%s","method":"POST","url":"%s","body":%s}\n' % (
            custom_id.encode("ascii"),
            _URL.encode("ascii"),
            payload,
        )

    async def submit(self, client: BatchClient, submission: str, lines: Sequence[bytes]) -> str:
        """Upload the file and create the batch; return the provider's id of it."""
        boundary = f"judgecore-{submission}"
        head = (
            f'--{boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="{boundary}.jsonl"\r\n'
            "content-type: application/jsonl\r\n\r\n"
        )
        body = b"".join([head.encode("ascii"), *lines, f"\r\n--{boundary}--\r\n".encode("ascii")])
        form = f"multipart/form-data; boundary={boundary}"
        file = to_object((await client.call("POST", "/files", body, media_type=form)).body)
        order = {
            "input_file_id": to_name(file),
            "endpoint": _URL,
            "completion_window": "24h",
            "metadata": {_SUBMISSION: submission},
        }
        made = await client.call("POST", "/batches", json.dumps(order).encode(), may_repeat=False)
        return to_name(to_object(made.body))

    async def status(self, client: BatchClient, name: str) -> ProviderBatch:
        """Return how far a batch is."""
        return _described(to_object((await client.call("GET", f"/batches/{name}")).body))

    async def latest(self, client: BatchClient, since: float) -> AsyncIterator[ProviderBatch]:
        """Yield the batches made since a time, newest first."""
        async for one in list_newest(client, "/batches", "after"):
            if isinstance(one.get("created_at"), int | float) and one["created_at"] < since - CLOCKS_S:
                return
            yield _described(one)

    def result(self, line: bytes) -> BatchResult:
        """Read one line of the results."""
        known = to_object(line)
        response = cast("dict[str, Any]", known.get("response") or {})
        body, status = response.get("body"), response.get("status_code")
        problem = known.get("error") or (body if status != _OK else None)
        if problem is not None or not isinstance(body, dict):
            said = json.dumps(problem) if problem is not None else "the result has no body"
            return BatchResult(str(known["custom_id"]), status=status if isinstance(status, int) else None, error=said)
        return BatchResult(str(known["custom_id"]), json.dumps(body).encode("ascii"))


def _described(batch: dict[str, Any]) -> ProviderBatch:
    counts = cast("dict[str, Any]", batch.get("request_counts") or {})
    metadata = cast("dict[str, Any]", batch.get("metadata") or {})
    files = [batch.get(key) for key in ("output_file_id", "error_file_id")]
    errors = cast("list[dict[str, Any]]", cast("dict[str, Any]", batch.get("errors") or {}).get("data") or [])
    said = [(one.get("line"), str(one.get("message") or one.get("code") or "")[:300]) for one in errors]
    return ProviderBatch(
        to_name(batch),
        _PROGRESS.get(str(batch.get("status")), "running"),
        counts.get("total") or None,
        str(metadata.get(_SUBMISSION, "")),
        tuple(f"/files/{to_name({'id': file})}/content" for file in files if file),
        said[0][1] if said else "",
        # Lines are counted from 1.
        {line - 1: why for line, why in said if isinstance(line, int)},
        any(one.get("code") == _QUEUE_FULL for one in errors),
    )
