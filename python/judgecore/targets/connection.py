"""One HTTP/1.1 connection to an endpoint: h11 on an asyncio transport, one exchange at a time."""

from __future__ import annotations

import asyncio
import math
import time
from typing import TYPE_CHECKING, cast

import h11
import httpx

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

# What may wait unread, so that an endless body fills no memory.
_UNREAD_BYTES = 1 << 18


class Connection(asyncio.Protocol):
    """One connection; the errors that it raises are httpx's."""

    def __init__(self) -> None:
        self.is_over = False
        self.idle_since = 0.0
        self._http = h11.Connection(h11.CLIENT)
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._expires_at = math.inf
        self._lost: Exception | None = None
        self._unread = 0
        self._is_paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Buffer received bytes, and pause reading if too many are unread."""
        self._http.receive_data(data)
        self._unread += len(data)
        if self._unread > _UNREAD_BYTES and self._transport is not None and not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        """Handle the end of the received data."""
        self.is_over = True
        self._http.receive_data(b"")
        self._wake()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Handle the end of the connection."""
        if not self.is_over:
            self.is_over = True
            if exc is None:
                self._http.receive_data(b"")
        self._lost = exc
        self._stop_timer()
        self._wake()

    def close(self) -> None:
        """Close the connection immediately; waiting calls fail."""
        self.is_over = True
        self._stop_timer()
        if self._transport is not None and not self._loop.is_closed():
            self._transport.abort()

    async def send(self, head: h11.Request, body: bytes, timeout_s: float | None) -> h11.Response:
        """Send a request and wait for the response headers."""
        transport = self._transport
        if transport is None or self.is_over:
            raise httpx.ConnectError("the connection is closed")
        spelled = [self._http.send(head), self._http.send(h11.Data(data=body)), self._http.send(h11.EndOfMessage())]
        transport.write(b"".join(part for part in spelled if part))
        while not isinstance(event := self._event(), h11.Response):
            if event is None:
                await self._more(timeout_s)
        return event

    async def body(self, timeout_s: float | None) -> AsyncIterator[bytes]:
        """Yield the pieces of the response body as they arrive."""
        while not isinstance(event := self._event(), h11.EndOfMessage):
            if event is None:
                await self._more(timeout_s)
            elif isinstance(event, h11.Data):
                yield bytes(event.data)

    def is_reusable(self) -> bool:
        """Prepare the connection for another request; return whether it can be reused."""
        if self.is_over or self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        self.idle_since = time.monotonic()
        return True

    def _event(self) -> h11.Event | None:
        """The next event of the response; None if more bytes are needed."""
        try:
            event = self._http.next_event()
        except h11.RemoteProtocolError as problem:
            # After the end the response is incomplete; before it, the data are not HTTP.
            kind = httpx.ReadError if self.is_over else httpx.RemoteProtocolError
            raise kind(str(problem)) from problem
        if isinstance(event, h11.Event):
            return event
        if self._lost is not None:
            raise httpx.ReadError(f"the connection was lost: {self._lost}")
        if event is h11.PAUSED or self.is_over:
            raise httpx.ReadError("the connection was closed before the response was complete")
        return None

    def _more(self, timeout_s: float | None) -> asyncio.Future[None]:
        """What is done when there are more bytes, or the end."""
        self._unread = 0
        if self._is_paused and self._transport is not None:
            self._is_paused = False
            self._transport.resume_reading()
        self._waiting = self._loop.create_future()
        self._expires_at = math.inf if timeout_s is None else self._loop.time() + timeout_s
        if self._timer is None or self._timer.when() > self._expires_at:
            self._set_timer()
        return self._waiting

    def _set_timer(self) -> None:
        self._stop_timer()
        if self._expires_at < math.inf:
            self._timer = self._loop.call_at(self._expires_at, self._expire)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        """End the wait if it is over; one timer serves all waits, because to set one for each costs more."""
        self._timer = None
        if self._waiting is None or self._waiting.done():
            return
        if self._loop.time() < self._expires_at:
            self._set_timer()
        else:
            self._waiting.set_exception(httpx.ReadTimeout("nothing was received in time"))

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
