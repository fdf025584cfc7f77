"""``ConnectionPool``: connections for thousands of calls in flight.

httpx's transport searches all connections on each call, so that 256 calls in flight are slower than 32. This one
takes an idle connection from the end of a list. docs/decisions/transport.md has the figures.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import time
from collections import defaultdict, deque
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Self

import h11
import httpx

from judgecore.targets.connection import Connection

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence

_Origin = tuple[str, str, int]

_PORTS = {"http": 80, "https": 443}
# Common servers close idle connections after 5 s or more; we close ours before.
_IDLE_S = 4.0
# The delay between addresses of one host, from RFC 8305.
_NEXT_ADDRESS_S = 0.25


@dataclass(frozen=True, slots=True)
class Address:
    """An address, in the parts that a request needs."""

    url: str
    origin: _Origin
    authority: bytes
    path: bytes

    @classmethod
    def parse(cls, url: str) -> Self:
        """Parse an http or https address."""
        known = httpx.URL(url)
        origin = (known.scheme, known.host, known.port or _PORTS[known.scheme])
        return cls(url, origin, known.netloc, known.raw_path)


class PooledResponse:
    """A response whose body is still to be read."""

    __slots__ = ("_connection", "_idle", "_timeout_s", "headers", "status")

    def __init__(
        self, answer: h11.Response, connection: Connection, idle: deque[Connection], timeout_s: float | None
    ) -> None:
        self.status = answer.status_code
        self.headers: Sequence[tuple[bytes, bytes]] = answer.headers
        self._connection = connection
        self._idle = idle
        self._timeout_s = timeout_s

    def pieces(self) -> AsyncIterator[bytes]:
        """Yield the pieces of the body as they arrive."""
        return self._connection.body(self._timeout_s)

    async def aclose(self) -> None:
        """Return the connection to the pool if the body was read completely; otherwise close it."""
        if self._connection.is_reusable():
            self._idle.append(self._connection)
        else:
            self._connection.close()


class ConnectionPool:
    """A pool of connections to endpoints. The caller limits the number of calls in flight."""

    def __init__(self, *, connect_timeout_s: float | None = None, read_timeout_s: float | None = None) -> None:
        self._connect_timeout_s = connect_timeout_s
        self._read_timeout_s = read_timeout_s
        self._idle: defaultdict[_Origin, deque[Connection]] = defaultdict(deque)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._guard: AsyncGenerator[None, None] | None = None
        self._tls: ssl.SSLContext | None = None

    async def send(self, method: str, address: Address, headers: Mapping[str, str], body: bytes) -> PooledResponse:
        """Send a request and wait for the response headers; close what is returned."""
        if asyncio.get_running_loop() is not self._loop:
            await self._settle()
        idle = self._idle[address.origin]
        connection = _reused(idle) or await self._opened(address.origin)
        try:
            answer = await connection.send(_head(method, address, headers, body), body, self._read_timeout_s)
        except (h11.LocalProtocolError, UnicodeEncodeError) as problem:
            connection.close()
            raise httpx.LocalProtocolError(str(problem)) from problem
        except BaseException:
            connection.close()
            raise
        return PooledResponse(answer, connection, idle, self._read_timeout_s)

    async def aclose(self) -> None:
        """Close the idle connections."""
        if self._guard is not None:
            guard, self._guard = self._guard, None
            await guard.aclose()
        self._close_idle()

    async def _settle(self) -> None:
        """Bind to the running event loop; connections of another loop can't be used."""
        self._loop = asyncio.get_running_loop()
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
            connections.clear()

    async def _opened(self, origin: _Origin) -> Connection:
        scheme, host, port = origin
        timeout_s = self._connect_timeout_s
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


def _reused(idle: deque[Connection]) -> Connection | None:
    """Take the most recently used open connection; None if there is none."""
    while idle:
        connection = idle.pop()
        if not connection.is_over and time.monotonic() - connection.idle_since < _IDLE_S:
            return connection
        connection.close()
    return None


def _head(method: str, address: Address, headers: Mapping[str, str], body: bytes) -> h11.Request:
    fields = {b"host": address.authority}
    if body or method != "GET":
        fields[b"content-length"] = b"%d" % len(body)
    for name, value in headers.items():
        fields[name.lower().encode("ascii")] = value.encode("ascii")
    return h11.Request(method=method, target=address.path, headers=list(fields.items()))


def _reason(problem: OSError) -> str:
    """Why there is no connection, in the system's words, where Python's have an address or a number."""
    if isinstance(problem, ssl.SSLError) or problem.errno is None:
        return str(problem)
    return str(problem.strerror) if isinstance(problem, socket.gaierror) else os.strerror(problem.errno)


def _is_address(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
