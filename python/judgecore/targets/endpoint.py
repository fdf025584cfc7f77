"""``Endpoint``: what all targets that are asked over HTTP share."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypedDict, Unpack, cast
from urllib.parse import urlsplit

from judgecore.errors import MalformedReplyError, RequestError, StatusError
from judgecore.hashing import canonical_json
from judgecore.identity import class_identifier
from judgecore.targets.asking import BlockingAsk
from judgecore.targets.budget import BYTES_PER_TOKEN
from judgecore.targets.delivery import deliver, kind_of_status, make_status_error
from judgecore.targets.dialect import read_body
from judgecore.targets.pacing import Pacer, Pacing
from judgecore.targets.redaction import Credential
from judgecore.targets.reply import escaped
from judgecore.targets.target import Record, to_sampling

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    import httpx

    from judgecore.identity import ComponentIdentifier
    from judgecore.targets.batch_dialect import BatchDialect, BatchPolicy
    from judgecore.targets.exchange import Answered, Exchanger
    from judgecore.targets.reply import JudgeReply
    from judgecore.targets.request import JudgeRequest

_ENDPOINTS_WORDS = 300


class EndpointOptions(TypedDict, total=False):
    """What every endpoint takes, by keyword.

    Attributes:
        api_key: The key; None for the environment variable ``key_variable``, looked up when a request is sent. It is
            never shown.
        temperature: How freely the model draws; None for the endpoint's default, and for models that take none.
        top_p: The probability mass that it draws from; None for the endpoint's default.
        extra: More keys of the body, for what the endpoint alone knows; part of the identity.
        pacing: How many requests at once and in a minute, and how often again; None for the defaults.
        connect_timeout_s: The most seconds until there is a connection; 10 if it is not given.
        read_timeout_s: The most seconds without a byte; 120 if it is not given.
        max_bytes: The most bytes of an answer, unpacked; 8 MB if it is not given.
        batch: How requests are sent in batches, which needs a ledger; None to send each by itself.
        client: An HTTP client of yours, which you close yourself; None for one that fits.
    """

    api_key: str | None
    temperature: float | None
    top_p: float | None
    extra: Mapping[str, Any] | None
    pacing: Pacing | None
    connect_timeout_s: float
    read_timeout_s: float
    max_bytes: int
    batch: BatchPolicy | None
    client: httpx.AsyncClient | None


class Endpoint(BlockingAsk, ABC):
    """A judge behind an address: one body for each request, sent with retries under one pace.

    A provider is a subclass with its variables and address, with ``body``, ``url`` and ``headers`` of a request, and
    with ``read`` for the answer. It belongs to one event loop at a time. Use it as an async context manager, or close
    it; under ``asyncio.run`` it closes by itself.

    Args:
        model: The model, as the endpoint names it.
        base_url: Where it is; None for the environment variable ``url_variable``, else ``default_url``.
        options: As ``EndpointOptions``.

    Attributes:
        key_variable: The environment variable that holds the key.
        url_variable: The environment variable that holds the address; None for none.
        default_url: The address where none is given; None for none.
        model: The model, as the endpoint names it.
        base_url: Where it is.
        temperature: How freely the model draws.
        top_p: The probability mass that it draws from.
        extra: More keys of the body.
        pacer: What lets its requests through; it shows how many are in flight.

    Raises:
        RequestError: If there is no model, or no address, or it is none, or holds a password.
        ValueError: If ``temperature`` is below 0, or ``top_p`` is not above 0 and at most 1.
    """

    key_variable: ClassVar[str]
    url_variable: ClassVar[str | None] = None
    default_url: ClassVar[str | None] = None

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        **options: Unpack[EndpointOptions],
    ) -> None:
        if unknown := options.keys() - EndpointOptions.__annotations__.keys():
            raise TypeError(f"{type(self).__name__} takes no argument {min(unknown)!r}")
        if not isinstance(model, str) or not model.strip():  # pyright: ignore[reportUnnecessaryIsInstance] - a caller's value
            raise RequestError(f"model must be the name of a model, as the endpoint names it; not {model!r:.40}")
        self.model = model
        self.base_url = _checked_url(base_url or self._usual_url())
        self.temperature = to_sampling("temperature", options.get("temperature"))
        self.top_p = to_sampling("top_p", options.get("top_p"))
        self.extra = dict(options.get("extra") or {})
        self.pacer = Pacer(options.get("pacing") or Pacing(), address=self.base_url)
        self._credential = Credential(options.get("api_key"), self.key_variable)
        self._connect_timeout_s = options.get("connect_timeout_s", 10.0)
        self._read_timeout_s = options.get("read_timeout_s", 120.0)
        self._max_bytes = options.get("max_bytes", 8 << 20)
        self._client = options.get("client")
        self.batch = options.get("batch")
        if self.batch is not None:
            self.batches()
        self._exchanger: Exchanger | None = None
        self._identified: tuple[str, ComponentIdentifier] | None = None

    @property
    def has_key(self) -> bool:
        """Whether there is a key to send."""
        return self._credential.is_there

    @abstractmethod
    def body(self, request: JudgeRequest) -> dict[str, Any]:
        """Write the body of a request, as JSON values; the same request must give the same body.

        Raises:
            RequestError: If the endpoint can't be asked that.
        """

    @abstractmethod
    def url(self) -> str:
        """Return the address that requests are sent to, which starts with ``base_url``."""

    @abstractmethod
    def headers(self) -> dict[str, str]:
        """Return the headers, with the key that ``reveal_key`` gives."""

    @classmethod
    @abstractmethod
    def read(cls, raw: bytes) -> JudgeReply:
        """Read the body of an answer of status 200; a ledger reads stored ones by it, too.

        Returns:
            The reply.

        Raises:
            ValueError: If it is none; the caller gets a ``MalformedReplyError``, which has the bytes.
        """

    @classmethod
    def error_kind(cls, status: int, body: bytes) -> type[StatusError]:
        """Return the error of an answer that is not of status 200, which decides whether it is tried again.

        Args:
            status: The HTTP status.
            body: The answer, where the status alone does not say it.
        """
        del body
        return kind_of_status(status)

    def batches(self) -> BatchDialect:
        """Return the provider's batch API.

        Raises:
            RequestError: If it has none.
        """
        raise RequestError(f"{type(self).__name__} has no batch API; leave out batch, or use another target")

    def identity_params(self) -> dict[str, Any]:
        """Return all that can change a reply, as JSON values by name; a subclass adds its own."""
        return {
            "underlying_model_name": self.model,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "endpoint": self.base_url,
            "extra": self.extra or None,
        }

    def get_identifier(self) -> ComponentIdentifier:
        """Return what the target is: model, sampling and endpoint, never a key."""
        params = self.identity_params()
        # It is needed for each request, and takes ten times as long to make as to compare.
        spelled = repr((params, getattr(self, "version", None)))
        if self._identified is None or self._identified[0] != spelled:
            self._identified = spelled, class_identifier(self, params=params)
        return self._identified[1]

    def reveal_key(self) -> str:
        """Return the key, for ``headers`` and nothing else.

        Raises:
            AuthenticationError: If there is none, or it could not stand in a header.
        """
        return self._credential.reveal()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what belongs to one process: connections, and what is in flight."""
        return {**self.__dict__, "_exchanger": None, "pacer": self.pacer.pacing}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the pacer anew, from its limits."""
        vars(self).update(state)
        self.pacer = Pacer(state["pacer"], address=self.base_url)

    async def aclose(self) -> None:
        """Close the connections; a client of the caller's stays open."""
        if self._exchanger is not None:
            await self._exchanger.aclose()

    def payload(self, request: JudgeRequest) -> bytes:
        """Return the body as it is sent, which holds no credentials.

        Raises:
            RequestError: If this endpoint can't be asked that.
        """
        try:
            return canonical_json(self.body(request))
        except (TypeError, ValueError) as problem:
            raise RequestError(f"the request has no JSON: {problem}") from problem

    async def send(self, request: JudgeRequest, /) -> JudgeReply:
        """Send a request and wait for the reply."""
        if self.batch is not None:
            raise RequestError("batches need a ledger: score with one, or leave out batch")
        return await self.deliver(request, self.payload(request), Record())

    async def call(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        *,
        media_type: str = "application/json",
        may_repeat: bool = True,
        take: Callable[[bytes], Awaitable[bool]] | None = None,
    ) -> Answered:
        """Send a request to another path of the endpoint, such as its batch API; see ``BatchClient``."""
        exchanger = self._exchanging()

        def exchange() -> Awaitable[Answered]:
            headers = {**self.headers(), "content-type": media_type}
            return exchanger.request(
                method, self.base_url + path, headers, body, self._credential.redactor(), take=take
            )

        delivered = await deliver(
            exchange, self.pacer, Record(), tokens=0, to_error=self._to_error, may_repeat=may_repeat
        )
        self.pacer.settle(delivered.permit, 0)
        return delivered.answer

    async def deliver(self, request: JudgeRequest, payload: bytes, record: Record, /) -> JudgeReply:
        """Send a request's payload, with all its attempts, and tell the record of them."""
        exchanger = self._exchanging()

        def exchange() -> Awaitable[Answered]:
            return exchanger.request("POST", exchanger.address, self.headers(), payload, self._credential.redactor())

        tokens = len(payload) // BYTES_PER_TOKEN + (request.max_tokens or 0)
        delivered = await deliver(exchange, self.pacer, record, tokens=tokens, to_error=self._to_error)
        used: int | None = None
        try:
            await record.received(delivered.answer.body)
            reply = read_body(type(self), delivered.answer.body)
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
                self.url(),
                connect_timeout_s=self._connect_timeout_s,
                read_timeout_s=self._read_timeout_s,
                max_bytes=self._max_bytes,
                client=self._client,
            )
        return self._exchanger

    def _to_error(self, answer: Answered) -> StatusError:
        return make_status_error(self.error_kind(answer.status, answer.body), answer, _explain(answer.body))

    def _usual_url(self) -> str:
        found = os.environ.get(self.url_variable or "") or self.default_url
        if not found:
            variable = f"{self.url_variable}, or " if self.url_variable else ""
            raise RequestError(f"there is no endpoint: set {variable}the target's base_url")
        return found

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, base_url={self.base_url!r})"


def _explain(body: bytes) -> str:
    """The endpoint's own words for an error, cut short."""
    try:
        said: object = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    for name in ("error", "message", "detail"):
        if isinstance(said, dict):
            named = cast("dict[str, object]", said)
            said = named.get(name, named)
    return escaped(said[:_ENDPOINTS_WORDS]) if isinstance(said, str) else ""


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
        raise RequestError("the endpoint's address holds a password; give the key by itself")
    if parts.query or parts.fragment:
        raise RequestError("the endpoint's address holds a query; pass it without")
    return url.rstrip("/")
