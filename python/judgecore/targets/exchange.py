"""One exchange with an endpoint: a body out, a bounded answer in, and every fault as one of judgecore's errors."""

from __future__ import annotations

import re
import ssl
import zlib
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
from judgecore.targets.transport import Address, ConnectionPool

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
    from typing import Self

    from judgecore.targets.redaction import Redactor
    from judgecore.targets.transport import PooledResponse


# zlib's value for detecting gzip or zlib automatically.
_GZIP_OR_ZLIB = 47
_PART_BYTES = 1 << 16


class Unpacker:
    """Decompresses gzip, with one or several members, and deflate."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP_OR_ZLIB)

    def parts(self, piece: bytes) -> Iterator[bytes]:
        """Decompress a piece, in parts of at most 64 kB."""
        while True:
            if self._member.eof and piece:
                self._member = zlib.decompressobj(_GZIP_OR_ZLIB)
            try:
                part = self._member.decompress(piece, _PART_BYTES)
            except zlib.error as problem:
                raise ProtocolError(f"the compressed response is damaged: {problem}") from None
            if part:
                yield part
            piece = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
            if not piece and not part:
                return

    def end(self) -> None:
        """Check that the data are complete."""
        if not self._member.eof:
            raise ConnectionLostError("the compressed response is incomplete")


_OK = 200
_NUMBER = re.compile(r"\[Errno -?\d+\] ")
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
    """What an endpoint answered, without the key."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Exchanger:
    """What posts bodies to one address."""

    def __init__(
        self,
        url: str,
        *,
        connect_timeout_s: float,
        read_timeout_s: float,
        max_bytes: int,
        client: httpx.AsyncClient | None,
    ) -> None:
        self.address = Address.parse(url)
        self._connect_timeout_s = connect_timeout_s
        self._read_timeout_s = read_timeout_s
        self._max_bytes = max_bytes
        self._client = client
        self._own: httpx.AsyncClient | ConnectionPool
        if client is None and not _is_proxied(self.address):
            self._own = ConnectionPool(connect_timeout_s=connect_timeout_s, read_timeout_s=read_timeout_s)
        else:
            watch_logs()
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
            self._own = client or httpx.AsyncClient(limits=limits)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections, unless they are the caller's."""
        if self._client is None:
            await self._own.aclose()

    async def request(
        self,
        method: str,
        address: Address | str,
        headers: Mapping[str, str],
        body: bytes,
        redactor: Redactor,
        *,
        take: Callable[[bytes], Awaitable[bool]] | None = None,
    ) -> Answered:
        """Send a request and read the answer, from which the key is removed before anybody sees it."""
        headers = {"content-type": "application/json", "accept-encoding": "gzip, deflate", **headers}
        try:
            known = Address.parse(address) if isinstance(address, str) else address
            if isinstance(self._own, ConnectionPool):
                return await self._read(await self._own.send(method, known, headers, body), redactor, take)
            with sending(redactor):
                response = await self._sent_by_client(self._own, method, known, headers, body)
                return await self._read(response, redactor, take)
        except TargetError:
            raise
        except Exception as problem:  # noqa: BLE001 - sorted by name, so that httpx2's are known; others go on
            fault, cause = self._fault(problem), _shown_cause(problem)
        # Outside of the clause above, so that what may show a key is not even the context.
        raise fault from cause

    async def _sent_by_client(
        self, client: httpx.AsyncClient, method: str, address: Address, headers: Mapping[str, str], body: bytes
    ) -> _ClientsResponse:
        timeouts = {
            "connect": self._connect_timeout_s,
            "read": self._read_timeout_s,
            "write": self._read_timeout_s,
            "pool": None,
        }
        # The client may be httpx2's, whose URL is another class.
        request = client.build_request(
            method, address.url, headers=headers, content=body, extensions={"timeout": timeouts}
        )
        origin = _origin_of(request.url)
        for _ in range(_MOST_REDIRECTS):
            response = await client.send(request, stream=True, follow_redirects=False)
            onward = response.next_request
            # httpx takes `authorization` away where the origin changes, and knows of no other header with a key.
            if onward is None or not client.follow_redirects or _origin_of(onward.url) != origin:
                return _ClientsResponse(response)
            await response.aclose()
            request = onward
        raise ProtocolError(f"the endpoint redirects more than {_MOST_REDIRECTS} times")

    async def _read(
        self,
        response: PooledResponse | _ClientsResponse,
        redactor: Redactor,
        take: Callable[[bytes], Awaitable[bool]] | None,
    ) -> Answered:
        is_reply = response.status == _OK
        try:
            pieces = self._pieces(response)
            if take is not None and is_reply:
                received = b""
                async for line in _lines(pieces, self._max_bytes, self._too_large):
                    if not await take(redactor.body(line, is_reply=True)):
                        break
            else:
                received = await self._gathered(pieces)
        finally:
            await response.aclose()
        body = redactor.body(received, is_reply=is_reply)
        return Answered(response.status, {} if is_reply else _shown_headers(response.headers, redactor), body)

    def _pieces(self, response: PooledResponse | _ClientsResponse) -> AsyncIterator[bytes]:
        claimed = _header(response, b"content-length")
        if claimed.isdigit() and int(claimed) > self._max_bytes:
            raise self._too_large()
        coding = _header(response, b"content-encoding").strip().lower()
        if coding in (b"", b"identity"):
            return response.pieces()
        if coding not in (b"gzip", b"x-gzip", b"deflate"):
            raise ProtocolError("the answer is packed in a way that was not asked for, which is gzip or deflate")
        return self._unpacked(response.pieces())

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
            refused = ConnectError(_said(problem))
            refused.is_final = _is_certificate_refused(problem)
            return refused
        if kind is not DeadlineError:
            return kind(_said(problem))
        is_connecting = names[0] in ("ConnectTimeout", "PoolTimeout")
        limit, seconds = ("connect", self._connect_timeout_s) if is_connecting else ("read", self._read_timeout_s)
        fault = DeadlineError(
            f"no connection in {seconds:g} s" if is_connecting else f"nothing came from the endpoint for {seconds:g} s"
        )
        fault.limit = limit
        return fault


class _ClientsResponse:
    """The response of a client of httpx or httpx2, as a ``PooledResponse``."""

    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        self.headers = [(name.lower(), value) for name, value in response.headers.raw]
        # A client's stream is async by its making, whatever the annotation allows.
        self._stream = cast("AsyncIterable[bytes]", response.stream)
        self.aclose = response.aclose

    def pieces(self) -> AsyncIterator[bytes]:
        return aiter(self._stream)


def _header(response: PooledResponse | _ClientsResponse, wanted: bytes) -> bytes:
    return b", ".join([value for name, value in response.headers if name == wanted])


def _shown_headers(headers: Sequence[tuple[bytes, bytes]], redactor: Redactor) -> Mapping[str, str]:
    """Headers without the key, in a mapping without regard to case."""
    decoded = httpx.Headers(headers)
    shown = redactor.headers(list(decoded.multi_items()))
    return httpx.Headers([(name.encode("utf-8", "replace"), text.encode("utf-8", "replace")) for name, text in shown])


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


def _said(problem: Exception) -> str:
    """Return the text of an exception of httpx, without the numbers of the system's errors."""
    return _NUMBER.sub("", str(problem)) or type(problem).__name__


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


def _is_proxied(address: Address) -> bool:
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - heavy, and once for each target

    proxies = getproxies()
    scheme, host, _ = address.origin
    return bool(proxies.get(scheme) or proxies.get("all")) and not proxy_bypass(host)
