"""Faults on the wire: each a typed error within its time, in bounded memory, with the bytes kept in the ledger."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore.errors import (
    ConnectError,
    ConnectionLostError,
    CutReplyError,
    DeadlineError,
    FilteredReplyError,
    MalformedReplyError,
    ProtocolError,
    RefusedReplyError,
    ReplyTooLargeError,
    TextlessReplyError,
    ToolCallReplyError,
    TransportError,
)
from judgecore.server import FAULTS, JudgeServer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Serving
    from targets.conftest import ScriptedServer

REQUEST = jc.JudgeRequest("Is it good? Answer yes or no.")
ONCE = jc.Pacing(attempts=1, deadline_s=30)
CAP = 8 << 20


def asked(server: JudgeServer, **settings: Any) -> tuple[jc.JudgeReply | jc.errors.TargetError, dict[str, Any]]:
    """What a request ends with, and its row in the ledger."""

    async def send() -> tuple[jc.JudgeReply | jc.errors.TargetError, dict[str, Any]]:
        options: dict[str, Any] = {"pacing": ONCE, **settings}
        with jc.Ledger() as ledger:
            async with server, jc.OpenAITarget("m", base_url=server.url, api_key="k", **options) as target:
                (result,) = await jc.send_many(target, [REQUEST], ledger=ledger)
            # What is noted after the reply was read is committed with what comes next.
            await asyncio.sleep(0.05)
            (entry,) = ledger.entries()
            return result, vars(entry)

    return asyncio.run(send())


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("reset", ConnectionLostError),
        ("reset_mid_body", ConnectionLostError),
        ("end_mid_body", ConnectionLostError),
        ("length_too_long", ConnectionLostError),
        ("tls_garbage", ProtocolError),
    ],
)
def test_a_broken_connection_is_an_error_of_its_own(fault: str, kind: type[TransportError]) -> None:
    result, entry = asked(JudgeServer(faults={fault: 1.0}))

    assert kind is type(result)
    assert (entry["state"], entry["attempts"], entry["raw"]) == ("sent", 1, None)
    assert entry["error"].startswith(kind.__name__)
    assert "Errno" not in str(result)


@pytest.mark.parametrize("fault", ["reset", "end_mid_body", "tls_garbage"])
def test_a_broken_connection_is_tried_again(fault: str) -> None:
    result, entry = asked(JudgeServer(faults={fault: 1.0}), pacing=jc.Pacing(attempts=3, backoff_s=0.01))

    assert isinstance(result, TransportError)
    assert (result.attempts, entry["attempts"]) == (3, 3)


@pytest.mark.parametrize("fault", ["stall", "stall_header"])
def test_a_stall_ends_with_the_wait_for_a_byte(fault: str) -> None:
    result, _ = asked(JudgeServer(faults={fault: 1.0}), read_timeout_s=0.2)

    assert isinstance(result, DeadlineError)
    assert (result.limit, str(result)) == ("read", "nothing came from the endpoint for 0.2 s")


@pytest.mark.parametrize("fault", ["stall", "slow_body"])
def test_an_answer_that_takes_too_long_in_all_ends_with_the_total_deadline(fault: str) -> None:
    result, _ = asked(JudgeServer(faults={fault: 1.0}), pacing=jc.Pacing(attempts=5, deadline_s=0.7))

    assert isinstance(result, DeadlineError)
    assert (result.limit, result.attempts) == ("total", 1)


@pytest.mark.parametrize("fault", ["endless_body", "huge_body", "gzip_bomb"])
def test_an_answer_without_end_fills_at_most_twice_the_cap(serve: Callable[..., Serving], fault: str) -> None:
    server = serve("--fault", fault)

    async def send() -> tuple[Any, int]:
        async with jc.OpenAITarget("m", base_url=server.url, api_key="k", pacing=ONCE, max_bytes=CAP) as target:
            (warm,) = await jc.send_many(target, [jc.JudgeRequest("first")])
            assert isinstance(warm, ReplyTooLargeError)
            del warm
            gc.collect()
            tracemalloc.start()
            (result,) = await jc.send_many(target, [REQUEST])
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return result, peak

    result, peak = asyncio.run(send())

    assert isinstance(result, ReplyTooLargeError)
    assert "exceeds 8,388,608 bytes; raise the target's max_bytes" in str(result)
    assert peak <= 2 * CAP
    assert server.count() == 2


def test_an_answer_that_says_that_it_is_too_large_is_not_read(scripted: ScriptedServer) -> None:
    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await scripted.read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n")
        await asyncio.sleep(3600)

    async def send() -> jc.JudgeReply:
        async with scripted(converse), jc.OpenAITarget("m", base_url=scripted.url, api_key="k") as target:
            return await target.send(REQUEST)

    with pytest.raises(ReplyTooLargeError):
        asyncio.run(send())


def test_where_nobody_listens_there_is_no_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    target = jc.OpenAITarget("m", base_url=f"http://127.0.0.1:{port}/v1", api_key="k", pacing=ONCE)

    with pytest.raises(ConnectError, match=f"no connection to 127.0.0.1:{port}"):
        asyncio.run(target.send(REQUEST))


def test_a_connection_that_is_not_taken_ends_with_its_own_limit() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        # Linux takes one more than the backlog says.
        queued = [socket.socket() for _ in range(3)]
        for one in queued:
            one.settimeout(0)
            one.connect_ex(full.getsockname())
        url = f"http://127.0.0.1:{full.getsockname()[1]}/v1"
        target = jc.OpenAITarget("m", base_url=url, api_key="k", pacing=ONCE, connect_timeout_s=0.2)

        with pytest.raises(DeadlineError) as caught:
            asyncio.run(target.send(REQUEST))
        for one in queued:
            one.close()

    assert (caught.value.limit, str(caught.value)) == ("connect", "no connection in 0.2 s")


def test_garbage_in_place_of_tls_is_no_secure_connection(scripted: ScriptedServer) -> None:
    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 this is not TLS\r\n\r\n" * 10)

    async def send() -> jc.JudgeReply:
        async with scripted(converse):
            url = scripted.url.replace("http:", "https:")
            async with jc.OpenAITarget("m", base_url=url, api_key="k", pacing=ONCE) as target:
                return await target.send(REQUEST)

    with pytest.raises(ConnectError):
        asyncio.run(send())


@pytest.mark.parametrize("fault", ["truncated_json", "length_too_short", "invalid_utf8", "html", "no_choices"])
def test_an_answer_that_is_no_reply_is_one_error_and_its_bytes_are_kept(fault: str) -> None:
    server = JudgeServer(faults={fault: 1.0})

    result, entry = asked(server, pacing=jc.Pacing(attempts=4, backoff_s=0.01))

    assert isinstance(result, MalformedReplyError)
    assert (entry["state"], server.seen, result.attempts) == ("sent", 1, 1)
    assert result.raw is not None
    assert result.raw == entry["raw"]
    assert entry["error"].startswith("MalformedReplyError: the ")
    starts = {"html": b"<html>", "no_choices": b'{"id": '}
    assert entry["raw"].startswith(starts.get(fault, b'{"id": '))
    assert (b"\xff" in entry["raw"]) is (fault == "invalid_utf8")


@pytest.mark.parametrize(
    ("fault", "outcome", "kind"),
    [
        ("refusal", "refused", RefusedReplyError),
        ("tool_calls", "tool_calls", ToolCallReplyError),
        ("cut", "cut", CutReplyError),
        ("content_filter", "filtered", FilteredReplyError),
    ],
)
def test_a_reply_that_is_no_answer_is_an_outcome_and_its_bytes_are_kept(
    fault: str, outcome: str, kind: type[TextlessReplyError]
) -> None:
    result, entry = asked(JudgeServer(faults={fault: 1.0}))

    assert isinstance(result, jc.JudgeReply)
    assert (outcome, outcome, "received", None) == (result.outcome, entry["outcome"], entry["state"], entry["error"])
    assert result.raw == entry["raw"]
    with pytest.raises(kind):
        result.unwrap()
    assert isinstance(result.read("lmms_eval.yes_no"), jc.Unreadable)


def test_every_fault_of_the_server_has_its_end(clock: Any) -> None:
    del clock
    named = {name for name in FAULTS if not name.startswith(("rate_limit", "status."))}

    ends: dict[str, str] = {}
    for fault in sorted(named - {"endless_body", "huge_body", "gzip_bomb"}):
        result, _ = asked(
            JudgeServer(faults={fault: 1.0}), read_timeout_s=0.3, pacing=jc.Pacing(attempts=1, deadline_s=0.6)
        )
        ends[fault] = result.outcome if isinstance(result, jc.JudgeReply) else type(result).__name__

    assert "answered" not in ends.values()
    assert len(ends) == len(named) - 3


def test_a_bad_item_among_two_thousand_costs_one_item(scripted: ScriptedServer) -> None:
    good = b'{"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}]}'

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while body := await scripted.read_request(reader):
            said = b"<html>" if b"number 1777 " in body else good
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(said), said))

    async def send() -> list[jc.JudgeReply | jc.errors.TargetError]:
        async with scripted(converse), jc.OpenAITarget("m", base_url=scripted.url, api_key="k") as target:
            requests = (jc.JudgeRequest(f"number {number} ?") for number in range(2000))
            with jc.Ledger() as ledger:
                return await jc.send_many(target, requests, ledger=ledger, concurrency=64)

    results = asyncio.run(send())

    failed = [place for place, result in enumerate(results) if isinstance(result, jc.errors.TargetError)]
    assert (failed, len(results)) == ([1777], 2000)


def test_an_endpoints_words_for_an_error_are_short_and_harmless(scripted: ScriptedServer) -> None:
    words = "\x1b[2Jno\r\n" + "x" * 5000
    body = json.dumps({"error": {"message": words}}).encode()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await scripted.read_request(reader)
        writer.write(b"HTTP/1.1 400 Bad\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))

    async def send() -> jc.JudgeReply:
        async with scripted(converse), jc.OpenAITarget("m", base_url=scripted.url, api_key="k") as target:
            return await target.send(REQUEST)

    with pytest.raises(jc.errors.TargetError) as caught:
        asyncio.run(send())

    assert str(caught.value).isprintable()
    assert "\\x1b[2Jno\\r\\n" in str(caught.value)
    assert len(str(caught.value)) < 400
    assert caught.value.raw == body


def test_a_disk_is_not_needed_for_the_ledger_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    asked(JudgeServer())

    assert list(tmp_path.iterdir()) == []
