"""``Endpoint``: what all targets that are asked over HTTP share."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, cast
from urllib.parse import urlsplit

from judgecore.errors import MalformedReplyError, RequestError
from judgecore.hashing import canonical_json
from judgecore.targets.delivery import deliver
from judgecore.targets.pacing import Pacer, Pacing
from judgecore.targets.record import NoRecord
from judgecore.targets.reply import escaped

if TYPE_CHECKING:
    from types import TracebackType

    import httpx

    from judgecore.identity import ComponentIdentifier
    from judgecore.targets.credential import Credential
    from judgecore.targets.exchange import Answered, Exchanger
    from judgecore.targets.record import Record
    from judgecore.targets.reply import JudgeReply
    from judgecore.targets.request import JudgeRequest

MAX_BYTES = 8 << 20
CONNECT_TIMEOUT_S = 10.0
READ_TIMEOUT_S = 120.0

_BYTES_PER_TOKEN = 4
_ENDPOINTS_WORDS = 300


class Endpoint(ABC):
    """A judge behind an address: one body for each request, sent with retries under one pace.

    It belongs to one event loop at a time. Use it as an async context manager, or close it; under ``asyncio.run`` it
    closes by itself.

    Attributes:
        dialect: The shape of its replies.
        base_url: Where it is.
        pacer: What lets its requests through; it shows how many are in flight, and what was spent.
        has_key: Whether there is a key to send; whether it is accepted shows when the endpoint is asked.
    """

    dialect: str

    def __init__(
        self,
        *,
        base_url: str,
        credential: Credential,
        pacing: Pacing | None,
        connect_timeout_s: float,
        read_timeout_s: float,
        max_bytes: int,
        client: httpx.AsyncClient | None,
    ) -> None:
        self.base_url = _checked_url(base_url)
        self._credential = credential
        self.pacer = Pacer(pacing or Pacing())
        self._connect_timeout_s = connect_timeout_s
        self._read_timeout_s = read_timeout_s
        self._max_bytes = max_bytes
        self._client = client
        self._exchanger: Exchanger | None = None

    @property
    def has_key(self) -> bool:
        """Whether there is a key to send."""
        return self._credential.is_there

    @abstractmethod
    def _body(self, request: JudgeRequest) -> dict[str, Any]:
        """Write the body of a request."""

    @abstractmethod
    def _url(self) -> str:
        """Where requests go."""

    @abstractmethod
    def _headers(self) -> dict[str, str]:
        """The headers, with the key."""

    @abstractmethod
    def read(self, raw: bytes) -> JudgeReply:
        """Read the body of an answer of status 200.

        Args:
            raw: The bytes as they came.

        Returns:
            The reply.

        Raises:
            MalformedReplyError: If it is none.
        """

    @abstractmethod
    def get_identifier(self) -> ComponentIdentifier:
        """Return what the target is: model, sampling and endpoint, never a key."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what belongs to one process: connections, and what is in flight."""
        return {**self.__dict__, "_exchanger": None, "pacer": Pacer(self.pacer.pacing)}

    async def aclose(self) -> None:
        """Close the connections; a client of the caller's stays open."""
        if self._exchanger is not None:
            await self._exchanger.aclose()

    def payload(self, request: JudgeRequest) -> bytes:
        """Return the body as it is sent, which holds no credentials.

        Args:
            request: What to ask.

        Raises:
            RequestError: If this endpoint can't be asked that.
        """
        try:
            return canonical_json(self._body(request))
        except (TypeError, ValueError) as problem:
            raise RequestError(f"the request has no JSON: {problem}") from problem

    async def send(self, request: JudgeRequest, /) -> JudgeReply:
        """Send a request and wait for the reply.

        Args:
            request: What to ask.

        Returns:
            The reply. A refusal, a cut and the like are outcomes of a reply, not errors.

        Raises:
            TargetError: In one of its kinds, if there is no reply.
        """
        return await self.deliver(request, self.payload(request), NoRecord())

    async def deliver(self, request: JudgeRequest, payload: bytes, record: Record, /) -> JudgeReply:
        """Send a request's payload, with all its attempts, and tell the record of them."""
        exchanger = self._exchanging()

        async def exchange() -> Answered:
            return await exchanger.post(self._headers(), payload, self._credential.redactor())

        tokens = len(payload) // _BYTES_PER_TOKEN + (request.max_tokens or 0)
        delivered = await deliver(exchange, self.pacer, record, tokens=tokens, explain=self._explain)
        used: int | None = None
        try:
            await record.received(delivered.answer.body)
            reply = self.read(delivered.answer.body)
            used = reply.usage.total_tokens or None
        except MalformedReplyError as problem:
            problem.attempts = delivered.attempts
            raise
        finally:
            self.pacer.settle(delivered.permit, used)
        return reply if delivered.attempts == 1 else replace(reply, attempts=delivered.attempts)

    def _exchanging(self) -> Exchanger:
        if self._exchanger is None:
            from judgecore.targets.exchange import Exchanger  # noqa: PLC0415 - httpx, when the first request leaves

            self._exchanger = Exchanger(
                self._url(),
                connect_timeout_s=self._connect_timeout_s,
                read_timeout_s=self._read_timeout_s,
                max_bytes=self._max_bytes,
                client=self._client,
            )
        return self._exchanger

    def _explain(self, answer: Answered) -> str:
        """The endpoint's own words for an error, cut short."""
        try:
            said: object = json.loads(answer.body)
        except (ValueError, RecursionError):
            return ""
        for name in ("error", "message", "detail"):
            if isinstance(said, dict):
                named = cast("dict[str, object]", said)
                said = named.get(name, named)
        if not isinstance(said, str):
            return ""
        return escaped(said[:_ENDPOINTS_WORDS])


def _checked_url(url: str) -> str:
    # What may hold a password is not shown.
    shown = "the endpoint's address" if "@" in url else repr(url[:60])
    invalid = f"{shown} has no valid host and port; write http://host:port/path with a port from 1 to 65535"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise RequestError(invalid) from None
    if port == 0:
        raise RequestError(invalid)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise RequestError(f"{shown} is no http or https address of an endpoint")
    if parts.username is not None or parts.password is not None:
        raise RequestError("the endpoint's address holds a password; pass api_key= instead")
    if parts.query or parts.fragment:
        raise RequestError("the endpoint's address holds a query; pass it without")
    return url.rstrip("/")
