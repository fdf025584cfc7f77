"""HTTP/1.1 over asyncio streams, with h11: a request read, and an answer that may be told to go wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import h11

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterable

_PIECE = 1 << 16

MAX_REQUEST_BYTES = 64 << 20


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
class Answer:
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


class RequestTooLargeError(Exception):
    """A request exceeds what the server takes."""


class Wire:
    """One connection of a client: requests come in, bytes go out."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer
        self._http = h11.Connection(h11.SERVER)

    async def request(self) -> Incoming | None:
        """Read the next request; None when the client is done.

        Raises:
            h11.RemoteProtocolError: If what came is no HTTP.
            RequestTooLargeError: If the body exceeds ``MAX_REQUEST_BYTES``.
        """
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        head = await self._event()
        if not isinstance(head, h11.Request):
            return None
        pieces: list[bytes] = []
        size = 0
        while isinstance(piece := await self._event(), h11.Data):
            size += len(piece.data)
            if size > MAX_REQUEST_BYTES:
                raise RequestTooLargeError
            pieces.append(bytes(piece.data))
        path, _, query = head.target.decode("ascii").partition("?")
        headers = {name.decode("ascii"): value.decode("latin-1") for name, value in head.headers}
        return Incoming(head.method.decode("ascii"), path, query, headers, b"".join(pieces))

    async def answer(self, answer: Answer) -> bool:
        """Send an answer, and tell whether the connection can take another request."""
        head = h11.Response(status_code=answer.status, headers=answer.head())
        await self.send(self._spelled([head, h11.Data(data=answer.body), h11.EndOfMessage()]))
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
