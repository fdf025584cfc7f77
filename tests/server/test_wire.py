"""Faults, byte by byte, as a socket sees them."""

from __future__ import annotations

import asyncio
import json
import zlib
from typing import Any

import pytest

from judgecore.server import FAULTS, JudgeServer
from judgecore.server.faults import FaultPlan, retry_after

BODY = json.dumps({"messages": [{"role": "user", "content": "Is it good? Answer yes or no."}]}).encode()
ASKED = b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: %d\r\n\r\n%s" % (len(BODY), BODY)


def heard(fault: str, *, until: int | None = None) -> tuple[dict[str, str], bytes, str]:
    """Status and headers, what follows them, and how the connection ended."""

    async def listen() -> tuple[bytes, str]:
        async with JudgeServer(faults={fault: 1.0}) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(ASKED)
            raw, end = b"", "open"
            try:
                async with asyncio.timeout(10 if until else 0.7):
                    while until is None or len(raw) < until:
                        piece = await reader.read(65536)
                        if not piece:
                            end = "closed"
                            break
                        raw += piece
            except ConnectionResetError:
                end = "reset"
            except TimeoutError:
                end = "open"
            writer.close()
            return raw, end

    raw, end = asyncio.run(listen())
    head, _, body = raw.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines if ": " in line)
    return {"status": status, **headers}, body, end


def test_half_a_body_ends_in_order_or_with_a_reset() -> None:
    in_order, half, closed = heard("end_mid_body")
    _, same_half, reset = heard("reset_mid_body")
    _, nothing, at_once = heard("reset")

    assert (closed, reset, at_once) == ("closed", "reset", "reset")
    assert len(half) == int(in_order["content-length"]) // 2
    assert half[:60] == same_half[:60] or same_half == b""
    assert nothing == b""


@pytest.mark.parametrize(("fault", "missing"), [("length_too_long", 10), ("length_too_short", -10)])
def test_a_wrong_content_length_is_sent(fault: str, missing: int) -> None:
    headers, body, end = heard(fault)

    assert (int(headers["content-length"]) - len(body), end) == (missing, "closed")
    assert json.loads(body)["object"] == "chat.completion"


def test_faults_whose_body_is_not_a_reply() -> None:
    cut, html, invalid = (heard(fault)[1] for fault in ("truncated_json", "html", "invalid_utf8"))

    with pytest.raises(json.JSONDecodeError):
        json.loads(cut)
    assert html.startswith(b"<html>")
    with pytest.raises(UnicodeDecodeError):
        invalid.decode()
    assert json.loads(invalid.replace(b"\xff", b""))["object"] == "chat.completion"


@pytest.mark.parametrize(
    ("fault", "want"),
    [
        ("no_choices", None),
        ("refusal", ("stop", None)),
        ("tool_calls", ("tool_calls", None)),
        ("content_filter", ("content_filter", None)),
        ("cut", ("length", "N")),
    ],
)
def test_faults_whose_completion_has_no_answer(fault: str, want: tuple[str, str | None] | None) -> None:
    headers, body, _ = heard(fault, until=300)

    choices: list[dict[str, Any]] = json.loads(body)["choices"]
    got = [(choice["finish_reason"], choice["message"]["content"]) for choice in choices]
    assert headers["status"].startswith("HTTP/1.1 200")
    assert got == ([] if want is None else [want])


def test_stalls_send_nothing_or_half_a_header() -> None:
    nothing = heard("stall")
    half = heard("stall_header")

    assert (nothing[1:], half[1:]) == ((b"", "open"), (b"", "open"))
    assert half[0]["status"] == "HTTP/1.1 200 OK"


def test_a_slow_body_comes_byte_by_byte() -> None:
    headers, body, end = heard("slow_body")

    assert end == "open"
    assert 1 <= len(body) < 10 < int(headers["content-length"])


@pytest.mark.parametrize("fault", ["endless_body", "huge_body"])
def test_a_body_without_end_goes_on(fault: str) -> None:
    headers, body, end = heard(fault, until=2 << 20)

    assert (end, "content-length" in headers) == ("open", False)
    assert len(body) > 1 << 20


def test_a_bomb_is_small_until_it_is_unpacked() -> None:
    headers, body, _ = heard("gzip_bomb", until=100_000)

    assert headers["content-encoding"] == "gzip"
    assert int(headers["content-length"]) < 2 << 20
    assert len(zlib.decompressobj(47).decompress(body)) == 1 << 24


def test_garbage_is_refused_as_invalid_http() -> None:
    headers, _, end = heard("tls_garbage")

    assert end == "closed"
    assert headers["status"].startswith("\x15\x03\x03")


@pytest.mark.parametrize("fault", [name for name in FAULTS if name.startswith("rate_limit")])
def test_a_rate_limit_has_the_header_of_its_name(fault: str) -> None:
    headers, body, _ = heard(fault, until=150)

    want = retry_after(0)[fault]
    assert headers["status"].startswith("HTTP/1.1 429 ")
    assert json.loads(body)["error"]["code"] == "rate_limit_exceeded"
    if want is None:
        assert not {"retry-after", "retry-after-ms", "x-ratelimit-reset-requests"}.intersection(headers)
    else:
        assert want[0] in headers
        assert headers[want[0]] == want[1] or fault in ("rate_limit.date", "rate_limit.past")


def test_rates_are_shares_of_chance() -> None:
    plan = FaultPlan((("reset", 0.25), ("html", 0.5)))

    drawn = [plan.draw(pseudo_random) for pseudo_random in (0.0, 0.249, 0.25, 0.749, 0.75, 0.999)]

    assert drawn == ["reset", "reset", "html", "html", None, None]
