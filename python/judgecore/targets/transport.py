"""``PooledTransport``: httpx's transport for hundreds of calls in flight.

httpx's own transport searches all connections on each call, so that 256 calls in flight are slower than 32. This one
takes an idle connection from the end of a list. docs/decisions/transport.md has the figures.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import time
from collections import deque
from ipaddress import ip_address
from typing import TYPE_CHECKING

import h11
import httpx

from judgecore.targets.connection import Body, Connection

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

_Origin = tuple[str, str, int]

_PORTS = {"http": 80, "https": 443}
# Common servers close idle connections after 5 s or more; we close ours before.
_IDLE_S = 4.0
# The delay between addresses of one host, from RFC 8305.
_NEXT_ADDRESS_S = 0.25


class PooledTransport(httpx.AsyncBaseTransport):
    """A pool of connections to endpoints. The caller limits the number of calls in flight."""

    def __init__(self) -> None:
        self._idle: dict[_Origin, deque[Connection]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._guard: AsyncGenerator[None, None] | None = None
        self._tls: ssl.SSLContext | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and wait for the response headers."""
        timeouts = request.extensions.get("timeout", {})
        await self._settle()
        origin = _origin(request.url)
        connection = self._reused(origin) or await self._opened(origin, timeouts.get("connect"))
        try:
            head = h11.Request(method=request.method, target=request.url.raw_path, headers=request.headers.raw)
            answer = await connection.send(head, request.content, timeouts.get("read"))
        except h11.LocalProtocolError as problem:
            connection.close()
            raise httpx.LocalProtocolError(str(problem)) from problem
        except BaseException:
            connection.close()
            raise

        def give_back(used: Connection) -> None:
            if used.is_reusable():
                self._idle.setdefault(origin, deque()).append(used)
            else:
                used.close()

        return httpx.Response(
            answer.status_code,
            headers=answer.headers.raw_items(),
            stream=Body(connection, timeouts.get("read"), give_back),
            extensions={"http_version": b"HTTP/1.1", "reason_phrase": bytes(answer.reason)},
        )

    async def aclose(self) -> None:
        """Close the idle connections."""
        if self._guard is not None:
            guard, self._guard = self._guard, None
            await guard.aclose()
        self._close_idle()

    async def _settle(self) -> None:
        """Bind to the running event loop; connections of another loop can't be used."""
        loop = asyncio.get_running_loop()
        if loop is self._loop:
            return
        self._loop = loop
        self._close_idle()
        self._guard = self._closing_with_the_loop()
        await anext(self._guard)

    async def _closing_with_the_loop(self) -> AsyncGenerator[None, None]:
        """Close idle connections when the event loop shuts down its generators, as ``asyncio.run`` does."""
        try:
            yield
        finally:
            self._close_idle()

    def _close_idle(self) -> None:
        for connections in self._idle.values():
            for connection in connections:
                connection.close()
        self._idle.clear()

    def _reused(self, origin: _Origin) -> Connection | None:
        """Return the most recently used open connection; None if there is none."""
        connections = self._idle.get(origin)
        while connections:
            connection = connections.pop()
            if not connection.is_over and time.monotonic() - connection.idle_since < _IDLE_S:
                return connection
            connection.close()
        return None

    async def _opened(self, origin: _Origin, timeout_s: float | None) -> Connection:
        scheme, host, port = origin
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout_s):
                _, connection = await loop.create_connection(
                    Connection,
                    host,
                    port,
                    ssl=self._tls_context() if scheme == "https" else None,
                    # With one address it is useless, and leaks its socket when it is cancelled.
                    happy_eyeballs_delay=None if _is_address(host) else _NEXT_ADDRESS_S,
                )
        except TimeoutError as problem:
            raise httpx.ConnectTimeout(f"no connection to {host}:{port} in {timeout_s:g} s") from problem
        except OSError as problem:
            raise httpx.ConnectError(f"no connection to {host}:{port}: {_reason(problem)}") from problem
        return connection

    def _tls_context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = httpx.create_ssl_context()
        return self._tls


def _reason(problem: OSError) -> str:
    """Why there is no connection, in the system's words, where Python's have an address or a number."""
    if isinstance(problem, ssl.SSLError) or problem.errno is None:
        return str(problem)
    return str(problem.strerror) if isinstance(problem, socket.gaierror) else os.strerror(problem.errno)


def _origin(url: httpx.URL) -> _Origin:
    return url.scheme, url.host, url.port or _PORTS[url.scheme]


def _is_address(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
