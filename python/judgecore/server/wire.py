"""HTTP/1.1 over asyncio streams with h11, with access to the raw bytes for faults."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import h11

if TYPE_CHECKING:
    from collections.abc import Iterable

_CHUNK = 1 << 16
_CLOSE = ("connection", "close")

MAX_REQUEST_BYTES = 16 << 20
# The larger of the limits of OpenAI's files (200 MB) and Anthropic's batches (256 MB).
MAX_BATCH_BYTES = 257_000_000
_BATCHES = (b"/v1/files", b"/v1/messages/batches")
# How much is read after an error response, so that the client can finish sending and read the response.
_LINGER_BYTES, _LINGER_S = 64 << 20, 2.0
_FIRST_OF_SERVERS_OWN = 500


@dataclass(frozen=True)
class HttpRequest:
    """A received request."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class HttpResponse:
    """A response before faults are injected."""

    status: int
    body: bytes
    media_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = field(default=())

    def head(self, *, length: int | None = None) -> list[tuple[str, str]]:
        """Return the headers, with the body's length or the given one."""
        return [
            ("content-type", self.media_type),
            ("content-length", str(len(self.body) if length is None else length)),
            *self.headers,
        ]


class UnreadableRequestError(Exception):
    """An invalid HTTP request, after which its connection can't be read any more."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class HttpConnection:
    """One client connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer
        self._http = h11.Connection(h11.SERVER)
        self._is_head = False

    async def request(self) -> HttpRequest | None:
        """Read the next request, at most ``MAX_REQUEST_BYTES``; None when the client is done."""
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        self._is_head = False
        try:
            head = await self._event()
            if not isinstance(head, h11.Request):
                return None
            self._is_head = head.method == b"HEAD"
            _check_head(head)
            pieces: list[bytes] = []
            size = 0
            while isinstance(piece := await self._event(), h11.Data):
                size += len(piece.data)
                if size > _limit(head):
                    raise _too_large()
                pieces.append(bytes(piece.data))
        except h11.RemoteProtocolError as problem:
            hint = problem.error_status_hint
            raise UnreadableRequestError(str(problem), hint if hint < _FIRST_OF_SERVERS_OWN else 400) from problem
        if not isinstance(piece, h11.EndOfMessage):
            return None
        path, _, query = head.target.decode("ascii").partition("?")
        headers = {name.decode("ascii"): value.decode("latin-1") for name, value in head.headers}
        return HttpRequest(head.method.decode("ascii"), path, query, headers, b"".join(pieces))

    async def refuse(self, answer: HttpResponse) -> None:
        """Send the last response of a connection, and read for a while, so that the client receives it."""
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        await self.answer(HttpResponse(answer.status, answer.body, answer.media_type, (*answer.headers, _CLOSE)))
        left = _LINGER_BYTES
        # The client may have disconnected.
        with suppress(TimeoutError, OSError):
            self.writer.write_eof()
            async with asyncio.timeout(_LINGER_S):
                while left > 0 and (piece := await self._reader.read(_CHUNK)):
                    left -= len(piece)

    async def answer(self, answer: HttpResponse) -> bool:
        """Send a response, and return whether the connection can be reused."""
        head = h11.Response(status_code=answer.status, headers=answer.head())
        body = [] if self._is_head else [h11.Data(data=answer.body)]
        await self.send(self._encode([head, *body, h11.EndOfMessage()]))
        return self._http.our_state is h11.DONE

    async def send(self, data: bytes) -> None:
        """Send raw bytes."""
        self.writer.write(data)
        await self.writer.drain()

    def reset(self) -> None:
        """Reset the connection instead of closing it normally."""
        self.writer.transport.abort()

    async def _event(self) -> object:
        while True:
            event = self._http.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._http.they_are_waiting_for_100_continue:
                await self.send(self._encode([h11.InformationalResponse(status_code=100, headers=[])]))
            self._http.receive_data(await self._reader.read(_CHUNK))

    def _encode(self, events: Iterable[h11.Event]) -> bytes:
        return b"".join(self._http.send(event) or b"" for event in events)


def _check_head(head: h11.Request) -> None:
    """Check that a request is HTTP/1, states its length unambiguously, and is not too long."""
    if head.http_version not in (b"1.0", b"1.1"):
        raise UnreadableRequestError("this server supports HTTP/1.0 and HTTP/1.1")
    names = [name for name, _ in head.headers]
    if b"transfer-encoding" in names and b"content-length" in names:
        # Against request smuggling: a proxy may use the other header, and take the rest of the body for a request.
        raise UnreadableRequestError("a request must not have both content-length and transfer-encoding")
    for name, value in head.headers:
        if name == b"content-length" and int(value) > _limit(head):
            raise _too_large()


def _limit(head: h11.Request) -> int:
    return MAX_BATCH_BYTES if head.target in _BATCHES else MAX_REQUEST_BYTES


def _too_large() -> UnreadableRequestError:
    return UnreadableRequestError(f"the request exceeds {MAX_REQUEST_BYTES:,} bytes", 413)
