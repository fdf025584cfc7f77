"""HTTP/1.1 over asyncio streams, with h11: a request read, and an answer that may be told to go wrong."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import h11

if TYPE_CHECKING:
    from collections.abc import Iterable

_PIECE = 1 << 16
_CLOSE = ("connection", "close")

MAX_REQUEST_BYTES = 16 << 20
# What a client may send after it was refused, so that it comes to read why.
_LINGER_BYTES, _LINGER_S = 64 << 20, 2.0
_FIRST_OF_SERVERS_OWN = 500


@dataclass(frozen=True)
class Incoming:
    """A request as it came.

    Attributes:
        method: Such as ``POST``.
        path: Without the query.
        query: What follows the question mark; empty without one.
        headers: By lower-case name; of several with one name, the last.
        body: The bytes.
    """

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class HttpAnswer:
    """An answer as it is meant.

    Attributes:
        status: The HTTP status.
        body: The bytes.
        media_type: What they are.
        headers: More headers.
    """

    status: int
    body: bytes
    media_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = field(default=())

    def head(self, *, length: int | None = None) -> list[tuple[str, str]]:
        """The headers, with the length of the body or the one that is to be claimed."""
        return [
            ("content-type", self.media_type),
            ("content-length", str(len(self.body) if length is None else length)),
            *self.headers,
        ]


class UnreadableRequestError(Exception):
    """What came is no request that the server reads; nothing more can be read of its connection.

    Attributes:
        status: The HTTP status that says so.
    """

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class Wire:
    """One connection of a client: requests come in, bytes go out."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer
        self._http = h11.Connection(h11.SERVER)
        self._is_head = False

    async def request(self) -> Incoming | None:
        """Read the next request; None when the client is done.

        Raises:
            UnreadableRequestError: If what came is no HTTP, or may be read in two ways, or exceeds
                ``MAX_REQUEST_BYTES``.
        """
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
                if size > MAX_REQUEST_BYTES:
                    raise _too_large()
                pieces.append(bytes(piece.data))
        except h11.RemoteProtocolError as problem:
            hint = problem.error_status_hint
            raise UnreadableRequestError(str(problem), hint if hint < _FIRST_OF_SERVERS_OWN else 400) from problem
        if not isinstance(piece, h11.EndOfMessage):
            return None
        path, _, query = head.target.decode("ascii").partition("?")
        headers = {name.decode("ascii"): value.decode("latin-1") for name, value in head.headers}
        return Incoming(head.method.decode("ascii"), path, query, headers, b"".join(pieces))

    async def refuse(self, answer: HttpAnswer) -> None:
        """Send the last answer of a connection, and read on for a while, so that a client hears of it."""
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        await self.answer(HttpAnswer(answer.status, answer.body, answer.media_type, (*answer.headers, _CLOSE)))
        left = _LINGER_BYTES
        # The client may be gone, and then nobody is told.
        with suppress(TimeoutError, OSError):
            self.writer.write_eof()
            async with asyncio.timeout(_LINGER_S):
                while left > 0 and (piece := await self._reader.read(_PIECE)):
                    left -= len(piece)

    async def answer(self, answer: HttpAnswer) -> bool:
        """Send an answer, and tell whether the connection can take another request."""
        head = h11.Response(status_code=answer.status, headers=answer.head())
        body = [] if self._is_head else [h11.Data(data=answer.body)]
        await self.send(self._spelled([head, *body, h11.EndOfMessage()]))
        return self._http.our_state is h11.DONE

    async def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.writer.write(data)
        await self.writer.drain()

    def reset(self) -> None:
        """End the connection with a reset where it would end in order."""
        self.writer.transport.abort()

    async def _event(self) -> object:
        while True:
            event = self._http.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._http.they_are_waiting_for_100_continue:
                await self.send(self._spelled([h11.InformationalResponse(status_code=100, headers=[])]))
            self._http.receive_data(await self._reader.read(_PIECE))

    def _spelled(self, events: Iterable[h11.Event]) -> bytes:
        return b"".join(self._http.send(event) or b"" for event in events)


def _check_head(head: h11.Request) -> None:
    """See that a request is of HTTP/1, says in one way how long it is, and is not too long.

    Raises:
        UnreadableRequestError: If it is not so.
    """
    if head.http_version not in (b"1.0", b"1.1"):
        raise UnreadableRequestError("this server speaks HTTP/1.1")
    names = [name for name, _ in head.headers]
    if b"transfer-encoding" in names and b"content-length" in names:
        # Whoever stands before or behind may take the other one, and the rest of the body for a request.
        raise UnreadableRequestError("a request has a content-length or a transfer-encoding, and not both")
    for name, value in head.headers:
        if name == b"content-length" and int(value) > MAX_REQUEST_BYTES:
            raise _too_large()


def _too_large() -> UnreadableRequestError:
    return UnreadableRequestError(f"the request exceeds {MAX_REQUEST_BYTES:,} bytes", 413)
