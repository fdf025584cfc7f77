"""Connections: kept, dropped, and given back; bodies in every form that HTTP has."""

from __future__ import annotations

import asyncio
import gzip
import ssl
import subprocess
import traceback
import zlib
from shutil import which
from typing import TYPE_CHECKING, Any

import httpx  # noqa: TID251 - what a caller's own client is made of
import pytest

import judgecore as jc
from judgecore.errors import ConnectError, ConnectionLostError, ProtocolError, RequestError
from judgecore.server import JudgeServer

if TYPE_CHECKING:
    from pathlib import Path

    from targets.conftest import ScriptedServer

REQUEST = jc.JudgeRequest("Is it good? Answer yes or no.")
GOOD = b'{"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}]}'
ONCE = jc.Pacing(attempts=1)


def spelled(body: bytes, *headers: bytes) -> bytes:
    return b"\r\n".join([b"HTTP/1.1 200 OK", *headers, b"", b""]) + body


def send_to(scripted: ScriptedServer, answer: bytes, times: int = 1, **settings: Any) -> list[Any]:
    """What requests end with, one after another, at a server that gives one answer to all."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await scripted.read_request(reader):
            writer.write(answer)
            if b"content-length" not in answer and b"chunked" not in answer:
                return

    async def send() -> list[Any]:
        results: list[Any] = []
        options: dict[str, Any] = {"pacing": ONCE, **settings}
        async with scripted(converse), jc.OpenAITarget("m", base_url=scripted.url, api_key="k", **options) as target:
            for _ in range(times):
                results.extend(await jc.send_many(target, [REQUEST]))
        return results

    return asyncio.run(send())


LENGTH = b"content-length: %d" % len(GOOD)
CHUNKED = b"transfer-encoding: chunked"
ZIPPED = gzip.compress(GOOD)
MEMBERS = gzip.compress(GOOD[:9]) + gzip.compress(GOOD[9:])
DEFLATED = zlib.compress(GOOD)


@pytest.mark.parametrize(
    ("answer", "n_connections"),
    [
        (spelled(GOOD, LENGTH), 1),
        (spelled(GOOD, LENGTH, b"connection: close"), 3),
        (spelled(b"4\r\n" + GOOD[:4] + b"\r\n%x\r\n" % (len(GOOD) - 4) + GOOD[4:] + b"\r\n0\r\n\r\n", CHUNKED), 1),
        (spelled(GOOD), 3),
        (spelled(ZIPPED, b"content-length: %d" % len(ZIPPED), b"content-encoding: gzip"), 1),
        (spelled(MEMBERS, b"content-length: %d" % len(MEMBERS), b"content-encoding: x-gzip"), 1),
        (spelled(DEFLATED, b"content-length: %d" % len(DEFLATED), b"Content-Encoding: Deflate"), 1),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + spelled(GOOD, LENGTH), 1),
        (b"HTTP/1.0 200 OK\r\n" + LENGTH + b"\r\n\r\n" + GOOD, 3),
    ],
)
def test_a_body_in_any_form_is_read_and_the_connection_kept_where_it_can_be(
    scripted: ScriptedServer, answer: bytes, n_connections: int
) -> None:
    replies = send_to(scripted, answer, times=3)

    assert [reply.text for reply in replies] == ["Yes"] * 3
    assert n_connections == scripted.n_connections


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (spelled(GOOD, LENGTH, b"content-encoding: br"), ProtocolError),
        (spelled(GOOD, LENGTH, b"content-encoding: gzip"), ProtocolError),
        (spelled(ZIPPED[:-9], b"content-encoding: gzip"), ConnectionLostError),
        (spelled(b"zz\r\n", CHUNKED), ProtocolError),
        (spelled(GOOD, b"content-length: abc"), ProtocolError),
        (spelled(GOOD, b"x: " + b"y" * 1_000_000, LENGTH), ProtocolError),
        (b"", ConnectionLostError),
    ],
)
def test_a_body_that_is_none_is_an_error(scripted: ScriptedServer, answer: bytes, kind: type[Exception]) -> None:
    (result,) = send_to(scripted, answer)

    assert kind is type(result)


def test_a_connection_that_the_server_closed_meanwhile_is_not_used_again(scripted: ScriptedServer) -> None:
    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await scripted.read_request(reader)
        writer.write(spelled(GOOD, LENGTH))

    async def send() -> list[int]:
        async with scripted(converse), jc.OpenAITarget("m", base_url=scripted.url, api_key="k", pacing=ONCE) as target:
            attempts: list[int] = []
            for _ in range(3):
                attempts.append((await target.send(REQUEST)).attempts)
                await asyncio.sleep(0.05)
            return attempts

    assert asyncio.run(send()) == [1, 1, 1]
    assert scripted.n_connections == 3


def test_a_cancelled_request_ends_its_connection_and_no_other(scripted: ScriptedServer) -> None:
    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while body := await scripted.read_request(reader):
            if b"slow" in body:
                await asyncio.sleep(3600)
            writer.write(spelled(GOOD, LENGTH))

    async def send() -> tuple[str | None, int]:
        async with scripted(converse), jc.OpenAITarget("m", base_url=scripted.url, api_key="k") as target:
            slow = asyncio.ensure_future(target.send(jc.JudgeRequest("slow")))
            await asyncio.sleep(0.05)
            slow.cancel()
            await asyncio.wait([slow])
            return (await target.send(REQUEST)).text, target.pacer.in_flight

    assert asyncio.run(send()) == ("Yes", 0)


def test_a_target_serves_one_event_loop_after_another() -> None:
    async def send(target: jc.OpenAITarget) -> str | None:
        async with JudgeServer(port=port) as server:
            assert server.port == port
            return (await target.send(REQUEST)).text

    async def free_port() -> int:
        async with JudgeServer() as server:
            return server.port

    port = asyncio.run(free_port())
    target = jc.OpenAITarget("m", base_url=f"http://127.0.0.1:{port}/v1", api_key="k")

    assert [asyncio.run(send(target)) for _ in range(2)] == ["No", "No"]


class ShiftedLoop(asyncio.SelectorEventLoop):
    """An event loop whose time can be moved on."""

    shift_s = 0.0

    def time(self) -> float:
        return super().time() + self.shift_s


@pytest.mark.parametrize(("silence_s", "is_late"), [(90, False), (110, True)])
def test_each_wait_for_bytes_has_the_whole_timeout(
    scripted: ScriptedServer, silence_s: float, *, is_late: bool
) -> None:
    async def pass_time(seconds: float) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, ShiftedLoop)
        loop.shift_s += seconds
        for _ in range(5):
            await asyncio.sleep(0)

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for silence in (90, silence_s):
            await scripted.read_request(reader)
            await pass_time(silence)
            writer.write(spelled(GOOD, LENGTH))

    async def send() -> list[Any]:
        options: dict[str, Any] = {"read_timeout_s": 100, "pacing": ONCE}
        async with scripted(converse), jc.OpenAITarget("m", base_url=scripted.url, api_key="k", **options) as target:
            return await jc.send_many(target, [REQUEST, REQUEST], concurrency=1)

    with asyncio.Runner(loop_factory=ShiftedLoop) as runner:
        first, second = runner.run(send())

    assert first.text == "Yes"
    assert isinstance(second, jc.errors.DeadlineError) == is_late


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for the loopback address, signed by itself."""
    openssl = which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with")
    file = tmp_path / "server.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    subprocess.run(
        [openssl, *made, *subject, "-keyout", file, "-out", tmp_path / "cert.pem"], check=True, capture_output=True
    )
    file.write_text(file.read_text() + (tmp_path / "cert.pem").read_text())
    return file


@pytest.mark.parametrize("is_trusted", [True, False])
def test_a_certificate_is_checked_and_one_that_is_not_trusted_is_final(
    scripted: ScriptedServer, certificate: Path, monkeypatch: pytest.MonkeyPatch, *, is_trusted: bool
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    if is_trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await scripted.read_request(reader)
        writer.write(spelled(GOOD, LENGTH))

    async def send() -> jc.JudgeReply | jc.errors.TargetError:
        async with scripted(converse, ssl=context):
            url = scripted.url.replace("http:", "https:")
            async with jc.OpenAITarget("m", base_url=url, api_key="k") as target:
                (result,) = await jc.send_many(target, [REQUEST])
                return result

    result = asyncio.run(send())

    if is_trusted:
        assert isinstance(result, jc.JudgeReply)
    else:
        assert isinstance(result, ConnectError)
        assert (result.attempts, result.is_final) == (1, True)


def test_a_client_of_the_callers_is_used_and_left_open() -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["x-mine"])
        return httpx.Response(200, content=GOOD)

    async def send() -> tuple[str | None, bool]:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer), headers={"x-mine": "1"}) as client:
            async with jc.OpenAITarget("m", base_url="http://judge.example/v1", api_key="k", client=client) as target:
                text = (await target.send(REQUEST)).text
            return text, client.is_closed

    assert asyncio.run(send()) == ("Yes", False)
    assert seen == ["1"]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (httpx.ConnectTimeout("late"), "DeadlineError"),
        (httpx.ReadTimeout("late"), "DeadlineError"),
        (httpx.ConnectError("no"), "ConnectError"),
        (httpx.ReadError("lost"), "ConnectionLostError"),
        (httpx.RemoteProtocolError("what"), "ProtocolError"),
        (httpx.ProxyError("no"), "ConnectError"),
        (httpx.LocalProtocolError("Illegal header value b'secret'"), "RequestError"),
    ],
)
def test_a_fault_of_the_callers_client_is_an_error_of_judgecores(fault: httpx.TransportError, kind: str) -> None:
    def answer(_request: httpx.Request) -> httpx.Response:
        raise fault

    async def send() -> jc.JudgeReply:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
            target = jc.OpenAITarget("m", base_url="http://judge.example/v1", api_key="k", client=client, pacing=ONCE)
            return await target.send(REQUEST)

    with pytest.raises(jc.errors.TargetError) as caught:
        asyncio.run(send())

    assert kind == type(caught.value).__name__
    assert "secret" not in str(caught.value)


def test_what_is_no_fault_of_http_is_not_hidden() -> None:
    def answer(_request: httpx.Request) -> httpx.Response:
        raise ZeroDivisionError

    async def send() -> jc.JudgeReply:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
            target = jc.OpenAITarget("m", base_url="http://judge.example/v1", api_key="k", client=client)
            return await target.send(REQUEST)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(send())


def test_a_proxy_of_the_environment_is_asked(scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    heads: list[bytes] = []

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n"))
        await scripted.read_request(reader)
        writer.write(spelled(GOOD, LENGTH))

    async def send() -> str | None:
        async with scripted(converse):
            monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{scripted.port}")
            monkeypatch.delenv("no_proxy", raising=False)
            monkeypatch.delenv("NO_PROXY", raising=False)
            async with jc.OpenAITarget("m", base_url="http://judge.example/v1", api_key="k") as target:
                return (await target.send(REQUEST)).text

    assert asyncio.run(send()) == "Yes"
    assert heads == [b"POST http://judge.example/v1/chat/completions HTTP/1.1\r\n"]


def test_a_key_that_no_header_can_hold_is_refused_without_showing_it() -> None:
    target = jc.OpenAITarget("m", base_url="http://127.0.0.1:9/v1", api_key="se\ncret")

    with pytest.raises(jc.errors.TargetError) as caught:
        asyncio.run(target.send(REQUEST))

    assert "not allowed in headers" in str(caught.value)
    assert "cret" not in str(caught.value)


def test_a_header_that_http_can_not_carry_is_refused_without_showing_it(scripted: ScriptedServer) -> None:
    class Named(jc.OpenAITarget):
        def headers(self) -> dict[str, str]:
            return {**super().headers(), "x-name": "Zoë"}

    async def converse(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await scripted.read_request(reader)

    async def send() -> None:
        async with scripted(converse):
            await Named("m", base_url=scripted.url, api_key="k").send(REQUEST)

    with pytest.raises(RequestError, match="a character that HTTP forbids") as caught:
        asyncio.run(send())

    assert "Zo" not in "".join(traceback.format_exception(caught.value))


def test_a_header_of_an_endpoint_replaces_ours_in_any_case(scripted: ScriptedServer) -> None:
    class Named(jc.OpenAITarget):
        def headers(self) -> dict[str, str]:
            return {"Host": "judge.example", "Content-Type": "text/json"}

    heads: list[bytes] = []

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).lower())
        writer.write(spelled(GOOD, LENGTH))

    async def send() -> None:
        async with scripted(converse):
            await Named("m", base_url=scripted.url, api_key="k").send(REQUEST)

    asyncio.run(send())

    assert [line for line in heads[0].split(b"\r\n") if line.startswith((b"host:", b"content-type:"))] == [
        b"host: judge.example",
        b"content-type: text/json",
    ]


def test_a_missing_key_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    target = jc.OpenAITarget("m", base_url="http://127.0.0.1:9/v1")

    with pytest.raises(jc.errors.TargetError, match="there is no key: set OPENAI_API_KEY"):
        asyncio.run(target.send(REQUEST))


def test_a_request_without_json_is_refused() -> None:
    target = jc.OpenAITarget("m", base_url="http://127.0.0.1:9/v1", extra={"x": object()})

    with pytest.raises(RequestError, match="no JSON"):
        target.payload(REQUEST)
