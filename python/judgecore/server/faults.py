"""The faults that ``judgecore serve`` can inject, down to the bytes on the wire."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import struct
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import formatdate
from typing import TYPE_CHECKING, Any, TypeAlias

from judgecore.server.chat import error_response
from judgecore.server.wire import HttpConnection, HttpResponse

if TYPE_CHECKING:
    from collections.abc import Iterator

Fault: TypeAlias = Callable[[HttpConnection, HttpResponse], Awaitable[bool]]
"""Sends something in place of a response, and returns whether the connection can be reused."""

_STATUSES = (400, 401, 403, 404, 408, 409, 429, 500, 502, 503, 529)
_PIECE = b"x" * (1 << 16)
_ZEROS = 1 << 30
_SLOW_S = 0.5
_FOREVER_S = 3600.0
# What some proxies send with status 200.
_PAGE = b"<html><body><h1>It works!</h1></body></html>"
# A TLS alert record: handshake failure.
_TLS_ALERT = b"\x15\x03\x03\x00\x02\x02\x28"


def retry_after(now: float) -> dict[str, tuple[str, str] | None]:
    """Return the retry header of each rate-limit fault, by its name."""
    return {
        "rate_limit": None,
        "rate_limit.int": ("retry-after", "1"),
        "rate_limit.float": ("retry-after", "0.25"),
        "rate_limit.ms": ("retry-after-ms", "250"),
        "rate_limit.date": ("retry-after", formatdate(now + 2, usegmt=True)),
        "rate_limit.past": ("retry-after", formatdate(now - 3600, usegmt=True)),
        "rate_limit.negative": ("retry-after", "-5"),
        "rate_limit.word": ("retry-after", "abc"),
        "rate_limit.huge": ("retry-after", "1000000000"),
        "rate_limit.far": ("retry-after", "Fri, 31 Dec 100000 23:59:59 GMT"),
        "rate_limit.reset": ("x-ratelimit-reset-requests", "250ms"),
    }


def _instead(make: Callable[[HttpResponse], HttpResponse]) -> Fault:
    async def send(wire: HttpConnection, answer: HttpResponse) -> bool:
        return await wire.answer(make(answer))

    return send


def _limited(name: str) -> Fault:
    def make(_: HttpResponse) -> HttpResponse:
        header = retry_after(time.time())[name]
        limited = error_response(429, "rate limit reached", "rate_limit_exceeded")
        return HttpResponse(429, limited.body, headers=(header,) if header else ())

    return _instead(make)


def _status(status: int) -> Fault:
    return _instead(lambda _: error_response(status, f"injected fault: {status}"))


def _bytes(spell: Callable[[HttpResponse], bytes]) -> Fault:
    """Make a fault that sends bytes and closes the connection normally."""

    async def send(wire: HttpConnection, answer: HttpResponse) -> bool:
        await wire.send(spell(answer))
        return False

    return send


async def _reset(wire: HttpConnection, answer: HttpResponse) -> bool:
    """Reset the connection before anything is sent."""
    del answer
    _break(wire)
    return False


async def _reset_mid_body(wire: HttpConnection, answer: HttpResponse) -> bool:
    """Send half of the body, then reset the connection."""
    await wire.send(_head(answer) + _half(answer))
    # Wait until the bytes are sent; a reset discards buffered bytes.
    await asyncio.sleep(0.02)
    _break(wire)
    return False


def _stall(spell: Callable[[HttpResponse], bytes]) -> Fault:
    """Make a fault that sends bytes, and nothing more."""

    async def send(wire: HttpConnection, answer: HttpResponse) -> bool:
        await wire.send(spell(answer))
        await asyncio.sleep(_FOREVER_S)
        return False

    return send


async def _slow_body(wire: HttpConnection, answer: HttpResponse) -> bool:
    """Send one byte every half second, so that no read timeout expires."""
    await wire.send(_head(answer))
    for place in range(len(answer.body)):
        await wire.send(answer.body[place : place + 1])
        await asyncio.sleep(_SLOW_S)
    return False


async def _endless_body(wire: HttpConnection, answer: HttpResponse) -> bool:
    """Send an endless body without a length."""
    del answer
    await wire.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n")
    while True:
        await wire.send(_PIECE)


async def _huge_body(wire: HttpConnection, answer: HttpResponse) -> bool:
    """Send 1 GB in chunks, so that no header announces the size."""
    del answer
    await wire.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")
    for _ in range(_ZEROS // len(_PIECE)):
        await wire.send(b"%x\r\n%s\r\n" % (len(_PIECE), _PIECE))
    await wire.send(b"0\r\n\r\n")
    return False


def _packed_zeros() -> Iterator[bytes]:
    """Yield gzip members that together form one file."""
    member = gzip.compress(bytes(1 << 24), compresslevel=9)
    for _ in range(_ZEROS >> 24):
        yield member


def _changed(change: Callable[[dict[str, Any]], None]) -> Fault:
    def make(answer: HttpResponse) -> HttpResponse:
        completion = json.loads(answer.body)
        change(completion)
        return HttpResponse(answer.status, json.dumps(completion).encode())

    return _instead(make)


def _finished(finish_reason: str, **message: Any) -> Fault:
    """Make a fault that sends a choice without text."""

    def change(completion: dict[str, Any]) -> None:
        (choice,) = completion["choices"]
        choice["message"] |= {"content": None, **message}
        choice["finish_reason"] = finish_reason

    return _changed(change)


def _cut(completion: dict[str, Any]) -> None:
    (choice,) = completion["choices"]
    text = choice["message"]["content"]
    choice["message"]["content"] = text[: len(text) // 2]
    choice["finish_reason"] = "length"


_CALL = {"id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}

FAULTS: dict[str, Fault] = {
    **{name: _limited(name) for name in retry_after(0)},
    **{f"status.{status}": _status(status) for status in _STATUSES},
    "reset": _reset,
    "reset_mid_body": _reset_mid_body,
    "end_mid_body": _bytes(lambda answer: _head(answer) + _half(answer)),
    "tls_garbage": _bytes(lambda _answer: _TLS_ALERT * 20),
    "stall": _stall(lambda _answer: b""),
    "stall_header": _stall(lambda answer: _head(answer)[:24]),
    "slow_body": _slow_body,
    "endless_body": _endless_body,
    "huge_body": _huge_body,
    # 1 MB of gzip that decompresses to 1 GB.
    "gzip_bomb": _instead(
        lambda _: HttpResponse(200, b"".join(_packed_zeros()), headers=(("content-encoding", "gzip"),))
    ),
    "truncated_json": _bytes(lambda answer: _whole(HttpResponse(200, _half(answer)))),
    "length_too_long": _bytes(lambda answer: _head(answer, length=len(answer.body) + 10) + answer.body),
    "length_too_short": _bytes(lambda answer: _head(answer, length=len(answer.body) - 10) + answer.body),
    "invalid_utf8": _bytes(
        lambda answer: _whole(HttpResponse(200, answer.body.replace(b'"content": "', b'"content": "\xff', 1)))
    ),
    "html": _bytes(lambda _: _whole(HttpResponse(200, _PAGE, media_type="text/html"))),
    "no_choices": _changed(lambda completion: completion.update(choices=[])),
    "refusal": _finished("stop", refusal="I can't help with that."),
    "tool_calls": _finished("tool_calls", tool_calls=[_CALL]),
    "cut": _changed(_cut),
    "content_filter": _finished("content_filter"),
}
"""All faults by name. The last five change a chat completion; the others replace any response."""


@dataclass(frozen=True)
class FaultPlan:
    """The faults to inject, with their rates."""

    rates: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        for name, rate in self.rates:
            if name not in FAULTS:
                raise ValueError(f"there is no fault {name!r}; the faults are {', '.join(FAULTS)}")
            if not 0 <= rate <= 1:
                raise ValueError(f"the rate of {name} must be from 0 to 1, not {rate:g}")
        if sum(rate for _, rate in self.rates) > 1 + 1e-9:
            raise ValueError("the sum of all rates must be at most 1")

    def draw(self, number: float) -> str | None:
        """Return the fault for a random number from 0 to below 1; None for no fault."""
        for name, rate in self.rates:
            number -= rate
            if number < 0:
                return name
        return None


def _head(answer: HttpResponse, *, length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} OK", *(f"{name}: {value}" for name, value in answer.head(length=length))]
    return "\r\n".join([*lines, "connection: close", "", ""]).encode("ascii")


def _whole(answer: HttpResponse) -> bytes:
    return _head(answer) + answer.body


def _half(answer: HttpResponse) -> bytes:
    return answer.body[: len(answer.body) // 2]


def _break(wire: HttpConnection) -> None:
    connection = wire.writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.reset()
