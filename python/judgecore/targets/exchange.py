"""One exchange with an endpoint: a body out, a bounded answer in, and every fault as one of judgecore's errors."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import httpx

from judgecore.errors import (
    ConnectError,
    ConnectionLostError,
    DeadlineError,
    ProtocolError,
    ReplyTooLargeError,
    RequestError,
    TargetError,
)
from judgecore.targets.redaction import sending, watch_logs
from judgecore.targets.transport import PooledTransport
from judgecore.targets.unpacking import Unpacker

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
    from types import TracebackType
    from typing import Self

    from judgecore.targets.redaction import Redactor

_OK = 200
# As many as httpx follows.
_MOST_REDIRECTS = 20

# By the names of httpx's exceptions, so that the successor httpx2 is understood as well; the nearest name decides.
_FAULTS: dict[str, type[TargetError]] = {
    "ConnectError": ConnectError,
    "ProxyError": ConnectError,
    "UnsupportedProtocol": RequestError,
    "TimeoutException": DeadlineError,
    "NetworkError": ConnectionLostError,
    "RemoteProtocolError": ProtocolError,
    "TransportError": ProtocolError,
    "TooManyRedirects": ProtocolError,
}


@dataclass(frozen=True)
class Answered:
    """What an endpoint answered, without the key.

    Attributes:
        status: The HTTP status.
        headers: By name, in any case.
        body: The bytes, unpacked.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


class Exchanger:
    """What posts bodies to one address.

    Args:
        url: The address.
        connect_timeout_s: The most seconds until there is a connection.
        read_timeout_s: The most seconds without a byte.
        max_bytes: The most bytes of an answer, as it comes and unpacked.
        client: The caller's own client; None for connections of its own.
    """

    def __init__(
        self,
        url: str,
        *,
        connect_timeout_s: float,
        read_timeout_s: float,
        max_bytes: int,
        client: httpx.AsyncClient | None,
    ) -> None:
        self._url = httpx.URL(url)
        self._timeouts = {
            "connect": connect_timeout_s,
            "read": read_timeout_s,
            "write": read_timeout_s,
            "pool": None,
        }
        self._connect_timeout_s = connect_timeout_s
        self._read_timeout_s = read_timeout_s
        self._max_bytes = max_bytes
        self._client = client
        self._own = client or _own_sender(self._url)
        if not isinstance(self._own, PooledTransport):
            watch_logs()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections, unless they are the caller's."""
        if self._client is None:
            await self._own.aclose()

    async def post(self, headers: Mapping[str, str], body: bytes, redactor: Redactor) -> Answered:
        """Post a body as ``request`` does."""
        return await self.request("POST", self._url, headers, body, redactor)

    async def request(
        self,
        method: str,
        url: httpx.URL | str,
        headers: Mapping[str, str],
        body: bytes,
        redactor: Redactor,
        *,
        take: Callable[[bytes], Awaitable[bool]] | None = None,
    ) -> Answered:
        """Send a request and read the answer, from which the key is removed before anybody sees it.

        Args:
            method: The HTTP method.
            url: The address.
            headers: The headers.
            body: The body.
            redactor: Removes the key.
            take: Takes the lines of an answer of status 200, in place of its body, and returns whether it wants more;
                ``max_bytes`` then limits a line.

        Raises:
            TransportError: In one of its kinds, if no whole answer came back.
            RequestError: If the request is one that HTTP can't carry.
        """
        try:
            with sending(redactor):
                response = await self._sent(method, httpx.URL(url), headers, body)
                try:
                    if take is not None and response.status_code == _OK:
                        async for line in _lines(self._pieces(response), self._max_bytes, self._too_large):
                            if not await take(redactor.body(line, is_reply=True)):
                                break
                        received = b""
                    else:
                        received = await self._body_of(response)
                finally:
                    await response.aclose()
        except TargetError:
            raise
        except Exception as problem:  # noqa: BLE001 - sorted by name, so that httpx2's are known; others go on
            fault, cause = self._fault(problem), _shown_cause(problem)
        else:
            status = response.status_code
            # A mapping without regard to case, also of a client that is httpx2's.
            shown = redactor.headers(list(response.headers.multi_items()))
            known = httpx.Headers(
                [(name.encode("utf-8", "replace"), text.encode("utf-8", "replace")) for name, text in shown]
            )
            return Answered(status, known, redactor.body(received, is_reply=status == _OK))
        # Outside of the clause above, so that what may show a key is not even the context.
        raise fault from cause

    async def _sent(self, method: str, url: httpx.URL, headers: Mapping[str, str], body: bytes) -> httpx.Response:
        all_headers = {"content-type": "application/json", "accept-encoding": "gzip, deflate", **headers}
        if isinstance(self._own, httpx.AsyncBaseTransport):
            request = httpx.Request(
                method, url, headers=all_headers, content=body, extensions={"timeout": self._timeouts}
            )
            return await self._own.handle_async_request(request)
        # Of httpx or of httpx2, whose URL is another class.
        request = self._own.build_request(
            method, str(url), headers=all_headers, content=body, extensions={"timeout": self._timeouts}
        )
        origin = _origin_of(request.url)
        for _ in range(_MOST_REDIRECTS):
            response = await self._own.send(request, stream=True, follow_redirects=False)
            onward = response.next_request
            # httpx takes `authorization` away where the origin changes, and knows of no other header with a key.
            if onward is None or not self._own.follow_redirects or _origin_of(onward.url) != origin:
                return response
            await response.aclose()
            request = onward
        raise ProtocolError(f"the endpoint redirects more than {_MOST_REDIRECTS} times")

    async def _body_of(self, response: httpx.Response) -> bytes:
        claimed = response.headers.get("content-length", "")
        if claimed.isdecimal() and int(claimed) > self._max_bytes:
            raise self._too_large()
        return await self._gathered(self._pieces(response))

    def _pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        if coding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise ProtocolError("the answer is packed in a way that was not asked for, which is gzip or deflate")
        # A client's stream is async by its making, whatever the annotation allows.
        pieces = aiter(cast("AsyncIterable[bytes]", response.stream))
        return pieces if coding in ("", "identity") else self._unpacked(pieces)

    async def _gathered(self, pieces: AsyncIterator[bytes]) -> bytes:
        gathered: list[bytes] = []
        size = 0
        async for piece in pieces:
            size += len(piece)
            if size > self._max_bytes:
                raise self._too_large()
            gathered.append(piece)
        return gathered[0] if len(gathered) == 1 else b"".join(gathered)

    async def _unpacked(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        unpacker = Unpacker()
        async for piece in pieces:
            for part in unpacker.parts(piece):
                yield part
        unpacker.end()

    def _too_large(self) -> ReplyTooLargeError:
        return ReplyTooLargeError(
            f"the answer exceeds {self._max_bytes:,} bytes; raise the target's max_bytes if it may be longer"
        )

    def _fault(self, problem: Exception) -> TargetError:
        """What an exception of httpx means; one that is not httpx's is raised again as it is."""
        names = [one.__name__ for one in type(problem).__mro__]
        if "LocalProtocolError" in names or "InvalidURL" in names:
            # The message may show a header, and with it a key.
            return RequestError("the request can't be sent: a header or the address has a character that HTTP forbids")
        kind = next((_FAULTS[name] for name in names if name in _FAULTS), None)
        if kind is None:
            raise problem
        if kind is ProtocolError:
            # The message would show what came, and an endpoint may send the key back.
            return ProtocolError("what the endpoint sent is no HTTP/1.1")
        if kind is ConnectError:
            refused = ConnectError(str(problem) or names[0])
            refused.is_final = _is_certificate_refused(problem)
            return refused
        if kind is not DeadlineError:
            return kind(str(problem) or names[0])
        is_connecting = names[0] in ("ConnectTimeout", "PoolTimeout")
        limit, seconds = ("connect", self._connect_timeout_s) if is_connecting else ("read", self._read_timeout_s)
        fault = DeadlineError(
            f"no connection in {seconds:g} s" if is_connecting else f"nothing came from the endpoint for {seconds:g} s"
        )
        fault.limit = limit
        return fault


async def _lines(
    pieces: AsyncIterator[bytes], max_bytes: int, too_large: Callable[[], TargetError]
) -> AsyncIterator[bytes]:
    rest = b""
    async for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield line
        if len(rest) > max_bytes:
            raise too_large()
    if rest:
        yield rest


def _origin_of(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _shown_cause(problem: Exception) -> Exception | None:
    """The cause to show, unless it may show a key, as the request that httpx keeps in it does."""
    if "_request" in vars(problem):
        vars(problem)["_request"] = None
    return None if "Protocol" in type(problem).__name__ else problem


def _is_certificate_refused(problem: BaseException | None) -> bool:
    while problem is not None and not isinstance(problem, ssl.SSLCertVerificationError):
        problem = problem.__cause__
    return problem is not None


def _own_sender(url: httpx.URL) -> httpx.AsyncClient | PooledTransport:
    """What sends where the caller has no client: our connections, or httpx's own where a proxy stands between."""
    if not _is_proxied(url):
        return PooledTransport()
    return httpx.AsyncClient(limits=httpx.Limits(max_connections=None, max_keepalive_connections=None))


def _is_proxied(url: httpx.URL) -> bool:
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - heavy, and once for each target

    proxies = getproxies()
    return bool(proxies.get(url.scheme) or proxies.get("all")) and not proxy_bypass(url.host)
