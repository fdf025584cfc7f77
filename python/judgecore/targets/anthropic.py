"""``AnthropicTarget``: a model behind Anthropic's messages, and its batches."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack, cast

from judgecore.errors import RequestError
from judgecore.targets.batch_dialect import (
    CLOCKS_S,
    BatchDialect,
    BatchProgress,
    BatchResult,
    ProviderBatch,
    list_newest,
    split_custom_id,
    to_name,
    to_object,
)
from judgecore.targets.dialect import parse_body
from judgecore.targets.endpoint import Endpoint, EndpointOptions
from judgecore.targets.registration import register_target
from judgecore.targets.reply import JudgeReply, ReplyOutcome, TokenUsage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from judgecore.targets.batch_dialect import BatchClient
    from judgecore.targets.request import ConversationTurn, JudgeRequest, PromptImage


API_VERSION = "2023-06-01"
MAX_TOKENS = 4096
"""The most tokens of a reply where the request does not say; this endpoint wants it said."""

_CUT = frozenset({"max_tokens", "model_context_window_exceeded"})


@register_target("anthropic")
class AnthropicTarget(Endpoint):
    """A model behind Anthropic's messages, or behind any endpoint that speaks them.

    A request with ``logprobs`` or ``seed`` is refused, because these endpoints know neither.

    Args:
        model: The model, as the endpoint names it.
        base_url: The endpoint, without ``/v1``; None for ``ANTHROPIC_BASE_URL``, else Anthropic's own.
        schema_in: Where a request's schema goes: ``output_config``, which the endpoint sees to, or ``prompt``.
        prompt_cache: How long the endpoint is told to cache what requests have in common, ``5m`` or ``1h``: the system
            prompt, and the response where several criteria of a rubric are asked about. Writing to the cache has a
            price of its own, and endpoints cache no short prompts. None to cache nothing.
        options: As ``EndpointOptions``; the key is in ``ANTHROPIC_API_KEY``.

    Raises:
        RequestError: If ``base_url`` is no address, or holds a password.
    """

    key_variable: ClassVar[str] = "ANTHROPIC_API_KEY"
    url_variable: ClassVar[str | None] = "ANTHROPIC_BASE_URL"
    default_url: ClassVar[str | None] = "https://api.anthropic.com"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        schema_in: Literal["output_config", "prompt"] = "output_config",
        prompt_cache: Literal["5m", "1h"] | None = None,
        **options: Unpack[EndpointOptions],
    ) -> None:
        super().__init__(model, base_url=base_url, **options)
        self.schema_in: Literal["output_config", "prompt"] = schema_in
        if prompt_cache not in ("5m", "1h", None):
            raise RequestError(f"prompt_cache must be '5m', '1h' or None, not {prompt_cache!r}")
        self.prompt_cache: Literal["5m", "1h"] | None = prompt_cache

    def identity_params(self) -> dict[str, Any]:
        """Return all that can change a reply, as JSON values by name."""
        return {**super().identity_params(), "schema_in": self.schema_in}

    def body(self, request: JudgeRequest) -> dict[str, Any]:
        """Write the body of a request."""
        for name in ("logprobs", "seed"):
            if getattr(request, name) is not None:
                raise RequestError(f"Anthropic's messages have no {name}; leave {name} None, or use another target")
        system = request.system
        output: dict[str, Any] = {}
        if request.schema is not None and self.schema_in == "prompt":
            system = request.system_with_schema
        elif request.schema is not None:
            output["format"] = {"type": "json_schema", "schema": dict(request.schema)}
        if request.reasoning_effort is not None:
            output["effort"] = request.reasoning_effort
        settings = {
            "system": system if not system or self.prompt_cache is None else [self._cached(system)],
            "temperature": self.temperature,
            "top_p": self.top_p,
            "output_config": output or None,
        }
        return {
            "model": self.model,
            **self.extra,
            "max_tokens": MAX_TOKENS if request.max_tokens is None else request.max_tokens,
            "messages": [self._message(turn) for turn in request.turns],
            **{name: value for name, value in settings.items() if value is not None},
        }

    def _message(self, turn: ConversationTurn) -> dict[str, Any]:
        shared = turn.text[: turn.n_shared] if self.prompt_cache is not None else ""
        if not turn.images and not shared:
            return {"role": turn.role, "content": turn.text}
        content: list[dict[str, Any]] = [{"type": "image", "source": _source(image)} for image in turn.images]
        content += [self._cached(shared)] if shared else []
        return {"role": turn.role, "content": [*content, {"type": "text", "text": turn.text[len(shared) :]}]}

    def _cached(self, text: str) -> dict[str, Any]:
        """A block of text to whose end the endpoint caches the request."""
        return {"type": "text", "text": text, "cache_control": {"type": "ephemeral", "ttl": self.prompt_cache}}

    def batches(self) -> BatchDialect:
        """Return Anthropic's batch API."""
        return AnthropicBatches()

    def url(self) -> str:
        """Return the address that requests are sent to."""
        return f"{self.base_url}/v1/messages"

    def headers(self) -> dict[str, str]:
        """Return the headers, with the key."""
        return {"x-api-key": self.reveal_key(), "anthropic-version": API_VERSION}

    @classmethod
    def read(cls, raw: bytes) -> JudgeReply:
        """Read the body of a message."""
        answer = parse_body(raw, _Answer, "message")
        texts = [block.text for block in answer.content if block.type == "text" and block.text is not None]
        text = "".join(texts) if texts else None
        return JudgeReply(
            text=text,
            outcome=_outcome(answer, text),
            finish_reason=answer.stop_reason,
            model=answer.model,
            usage=(answer.usage or _Usage()).to_usage(),
        )


# What is read of a reply; whatever else stands in it is passed over.
@dataclass(frozen=True)
class _Block:
    type: str
    text: str | None = None


@dataclass(frozen=True)
class _Usage:
    # With bool in the type `true` stays what it is, and TokenUsage refuses it; else it would be 1.
    input_tokens: int | bool | None = None
    output_tokens: int | bool | None = None
    cache_read_input_tokens: int | bool | None = None
    cache_creation_input_tokens: int | bool | None = None

    def to_usage(self) -> TokenUsage:
        """Count what was cached among the tokens of the request, as other endpoints do."""
        counts = TokenUsage(
            self.input_tokens, self.output_tokens, self.cache_read_input_tokens, self.cache_creation_input_tokens
        )
        if counts.prompt_tokens is None:
            return counts
        cached = (counts.cached_tokens or 0) + (counts.cache_write_tokens or 0)
        return replace(counts, prompt_tokens=counts.prompt_tokens + cached)


@dataclass(frozen=True)
class _Answer:
    content: list[_Block]
    stop_reason: str | None = None
    model: str | None = None
    usage: _Usage | None = None


def _outcome(answer: _Answer, text: str | None) -> ReplyOutcome:
    if answer.stop_reason == "refusal":
        return "refused"
    if answer.stop_reason in _CUT:
        return "cut"
    calls_tools = any(block.type == "tool_use" for block in answer.content)
    if text is not None and (text or not calls_tools):
        return "answered"
    return "tool_calls" if calls_tools else "no_text"


def _source(image: PromptImage) -> dict[str, str]:
    if image.data is None:
        return {"type": "url", "url": image.url or ""}
    data = base64.b64encode(image.data).decode("ascii")
    return {"type": "base64", "media_type": image.media_type or "", "data": data}


_PATH = "/v1/messages/batches"
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
}


class AnthropicBatches(BatchDialect):
    """Batches of messages: one request has them all, and the results are JSON lines.

    A batch has no metadata. The list of batches does not tell which submission made one; the ids of the requests in
    its results do, once it has ended.
    """

    max_requests: ClassVar[int] = 100_000
    max_bytes: ClassVar[int] = 256_000_000

    def line(self, custom_id: str, payload: bytes) -> bytes:
        """Write one request of a batch."""
        return b'{"custom_id":"%s","params":%s}\n' % (custom_id.encode("ascii"), payload)

    async def submit(self, client: BatchClient, submission: str, lines: Sequence[bytes]) -> str:
        """Create the batch and return the provider's id of it."""
        del submission
        body = b'{"requests":[%s]}' % b",".join(lines)
        return to_name(to_object((await client.call("POST", _PATH, body, may_repeat=False)).body))

    async def status(self, client: BatchClient, name: str) -> ProviderBatch:
        """Return how far a batch is."""
        return _described(to_object((await client.call("GET", f"{_PATH}/{name}")).body))

    async def latest(self, client: BatchClient, since: float) -> AsyncIterator[ProviderBatch]:
        """Yield the batches made since a time, newest first."""
        async for one in list_newest(client, _PATH, "after_id"):
            if datetime.fromisoformat(one["created_at"]).timestamp() < since - CLOCKS_S:
                return
            yield _described(one)

    async def submission(self, client: BatchClient, batch: ProviderBatch) -> str | None:
        """Return the id of the submission that made a batch, as the first readable line of its results names it."""
        found = None if batch.progress == "running" else ""

        async def take(line: bytes) -> bool:
            nonlocal found
            try:
                found, _ = split_custom_id(self.result(line).custom_id)
            except (ValueError, KeyError, TypeError, AttributeError):
                return True
            return False

        for path in batch.results:
            await client.call("GET", path, take=take)
        return found

    def result(self, line: bytes) -> BatchResult:
        """Read one line of the results."""
        known = to_object(line)
        custom_id, result = str(known["custom_id"]), cast("dict[str, Any]", known["result"])
        if result["type"] == "succeeded" and isinstance(result.get("message"), dict):
            return BatchResult(custom_id, json.dumps(result["message"]).encode("ascii"))
        outer = cast("dict[str, Any]", result.get("error") or {})
        inner = cast("dict[str, Any]", outer.get("error") or {})
        kind = str(inner.get("type") or result["type"])
        said = f"{kind}: {inner['message']}" if inner.get("message") else kind
        return BatchResult(custom_id, status=_STATUS.get(kind), error=said)


def _described(batch: dict[str, Any]) -> ProviderBatch:
    name, counts = to_name(batch), cast("dict[str, Any]", batch.get("request_counts") or {})
    progress: BatchProgress = "running"
    if batch.get("processing_status") == "ended":
        progress = "expired" if counts.get("expired") else "cancelled" if counts.get("canceled") else "ended"
    # The key goes to no address that the answer names, so the path is not taken from it.
    results = (f"{_PATH}/{name}/results",) if progress != "running" and batch.get("results_url") else ()
    total = sum(count for count in counts.values() if isinstance(count, int))
    return ProviderBatch(name, progress, total or None, None, results)
