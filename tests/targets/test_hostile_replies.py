"""Any JSON value in any field of a server's answer: a typed outcome for that item, and the run goes on."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from typing import TYPE_CHECKING, Any

import httpx  # noqa: TID251 - a client of the caller's own
import pytest
from targets.hostile_values import COMPLETION, ERROR, HOLE, LONG, MB, MESSAGE, PARTS, VALUES, WHOLE, with_holes

import judgecore as jc

if TYPE_CHECKING:
    from pathlib import Path

    from targets.conftest import ScriptedServer

WATCHDOG_S = 120
# Long enough to be looked for in replies.
KEY = "sk-0123456789abcdefghijklmnopqrstuvwxyz8"


def bodies(*shapes: dict[str, Any]) -> list[bytes]:
    spelled = [json.dumps(one) for shape in shapes for one in with_holes(shape)]
    # A field that is there twice: as it should be, and hostile; whichever counts.
    twice = [
        f'{json.dumps(shape)[:-1]}, "{name}": "{HOLE}"}}'
        for shape in shapes
        for name in ("usage", "choices", "content")
    ]
    filled = [one.replace(f'"{HOLE}"', value) for one in [*spelled, *twice] for value in VALUES.values()]
    kept = [one for one in spelled if '"content": "<here>"' in one or '"model": "<here>"' in one]
    filled += [one.replace(f'"{HOLE}"', value) for one in kept[:2] for value in LONG.values()]
    return [*(one.encode("utf-8", "surrogatepass") for one in filled), *WHOLE]


def target_of(kind: str, server: ScriptedServer) -> jc.OpenAITarget | jc.AnthropicTarget:
    address, pacing = server.url.removesuffix("/v1"), jc.Pacing(attempts=1)
    if kind == "openai":
        return jc.OpenAITarget("m", base_url=server.url, api_key=KEY, pacing=pacing)
    if kind == "azure":
        return jc.AzureOpenAITarget("m", endpoint=address, api_key=KEY, pacing=pacing)
    return jc.AnthropicTarget("m", base_url=address, api_key=KEY, pacing=pacing)


def answers(path: Path, scripted: ScriptedServer, kind: str, sent: list[tuple[bytes, bytes]]) -> list[Any]:
    """What a run ends with whose n-th request is answered with the n-th status and body."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            asked = json.loads(await scripted.read_request(reader))
            status, body = sent[int(asked["messages"][-1]["content"])]
            writer.write(b"HTTP/1.1 %s x\r\ncontent-length: %d\r\n\r\n%s" % (status, len(body), body))
            await writer.drain()

    async def run() -> list[Any]:
        requests = [jc.JudgeRequest(f"{number}") for number in range(len(sent))]
        async with scripted(converse), target_of(kind, scripted) as target:
            with jc.Ledger(path) as ledger:
                async with asyncio.timeout(WATCHDOG_S):
                    results = await jc.send_many(target, requests, ledger=ledger, concurrency=8)
                assert sum(one.name == "judgecore-ledger" for one in threading.enumerate()) == 1
        return results

    return asyncio.run(run())


@pytest.mark.parametrize("own_client", [False, True])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_header_that_is_not_ascii_costs_no_reply(
    tmp_path: Path, scripted: ScriptedServer, encoding: str, *, own_client: bool
) -> None:
    body = json.dumps(COMPLETION).encode()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await scripted.read_request(reader)
            head = f"HTTP/1.1 200 OK\r\nserver: café\r\ncontent-length: {len(body)}\r\n\r\n"
            writer.write(head.encode(encoding) + body)
            await writer.drain()

    async def run() -> list[Any]:
        async with scripted(converse), httpx.AsyncClient(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)) as client:
            own = client if own_client else None
            async with jc.OpenAITarget("m", base_url=scripted.url, api_key=KEY, client=own) as target:
                with jc.Ledger(tmp_path / "run.ledger") as ledger:
                    return await jc.send_many(target, [jc.JudgeRequest("a"), jc.JudgeRequest("b")], ledger=ledger)

    assert all(isinstance(one, jc.JudgeReply) for one in asyncio.run(run()))


@pytest.mark.parametrize(
    ("kind", "shapes"),
    [("openai", (COMPLETION, PARTS)), ("anthropic", (MESSAGE,)), ("azure", ({"choices": [], "usage": {}},))],
)
def test_any_value_in_any_field_of_an_answer_costs_at_most_its_item(
    tmp_path: Path, scripted: ScriptedServer, kind: str, shapes: tuple[dict[str, Any], ...]
) -> None:
    path = tmp_path / "run.ledger"
    sent = bodies(*shapes)

    results = answers(path, scripted, kind, [(b"200", body) for body in sent])

    assert len(results) == len(sent)
    replies = [one for one in results if isinstance(one, jc.JudgeReply)]
    assert all(isinstance(one, jc.JudgeReply | jc.errors.TargetError) for one in results)
    for reply in replies:
        assert isinstance(reply.read("mt_bench.single"), jc.Reading | jc.Unreadable)
        assert isinstance(reply.read_logprobs("mt_bench.single"), jc.Reading | jc.Unreadable)
        assert all(0 <= (n or 0) < 2**63 for n in (reply.usage.prompt_tokens, reply.usage.completion_tokens))
    with jc.LedgerReader(path) as reader:
        assert reader.counts()["received"] >= len(replies)
        reader.summary()
        for entry in reader.entries("received"):
            try:
                line = entry.to_json()
            except jc.errors.TargetError:
                continue
            json.loads(json.dumps(line), parse_constant=pytest.fail)
    for reply in replies:
        json.dumps([dict(one) for one in reply.logprobs or ()], allow_nan=False)


def test_any_value_in_an_error_costs_at_most_its_item(tmp_path: Path, scripted: ScriptedServer) -> None:
    # An endpoint that answers nothing else is given up, and the rest is not asked.
    good = (b"200", json.dumps(COMPLETION).encode())

    for status in (b"400", b"429", b"500"):
        sent = [one for body in bodies(ERROR) for one in ((status, body), good)]
        results = answers(tmp_path / f"{status.decode()}.ledger", scripted, "openai", sent)

        assert {type(one).__name__ for one in results[1::2]} == {"JudgeReply"}
        assert all(isinstance(one, jc.errors.StatusError) for one in results[::2])


@pytest.mark.parametrize("tokens", [2**63, 10**30, -1, True, 1.5, "7"])
def test_tokens_that_a_ledger_can_not_keep_are_refused_with_their_name(tokens: Any) -> None:
    with pytest.raises(ValueError, match=r"completion_tokens must be a whole number from 0 to 2\^63 - 1, not "):
        jc.targets.TokenUsage(1, tokens)


@pytest.mark.parametrize("value", [2**63, pytest.param(10**5000, id="huge"), -1, True, 1.5, "0", None])
@pytest.mark.parametrize("name", ["trial", "ask"])
def test_a_trial_or_ask_that_a_ledger_can_not_keep_is_refused_with_its_name(name: str, value: Any) -> None:
    with pytest.raises(jc.errors.TargetError, match=rf"^{name} must be a whole number from 0 to 2\^63 - 1, not "):
        jc.JudgeRequest("x", **{name: value})
    numbers: dict[str, Any] = {"trial": 0, "ask": 0, name: value}
    with jc.Ledger() as ledger, pytest.raises(ValueError, match=rf"^{name} must be a whole number"):
        ledger.answered("00" * 32, target="x", **numbers)


@pytest.mark.parametrize("name", ["logprobs", "max_tokens", "seed"])
def test_other_numbers_of_a_request_are_bounded_too(name: str) -> None:
    values: list[Any] = [2**63, 1e999, True, "7"]
    for value in values:
        with pytest.raises(jc.errors.TargetError, match=f"^{name} must be a whole number from "):
            jc.JudgeRequest("x", **{name: value})


@pytest.mark.parametrize("name", ["trial", "ask", "prompt_tokens", "completion_tokens"])
def test_a_number_of_a_recording_that_is_none_is_named_with_its_line(name: str) -> None:
    with pytest.raises(jc.errors.TargetError, match=r"^the recording can't be written as JSON"):
        jc.RecordedTarget([{"prompt": "a", "reply": "b", name: 1e999}])
    values: list[Any] = [2**63, -1, True, "7", []]
    for value in values:
        with pytest.raises(
            jc.errors.TargetError, match=rf"^line 2 of the recording: {name} must be a whole number from 0"
        ):
            jc.RecordedTarget([{"prompt": "a", "reply": "b"}, {"prompt": "c", "reply": "d", name: value}])


def anyhow(**values: Any) -> jc.JudgeReply:
    return jc.JudgeReply(**values)


class Own:
    """A target of the caller's own, which replies what it should not, or raises it."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def get_identifier(self) -> jc.ComponentIdentifier:
        return jc.ComponentIdentifier(class_name="Own", class_module="tests", params={})

    async def send(self, request: jc.JudgeRequest, /) -> Any:
        if "bad" not in request.turns[-1].text:
            return jc.JudgeReply(text="fine")
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.mark.parametrize(
    "answer",
    [
        RuntimeError("lone \ud800 surrogate"),
        RuntimeError("NUL \0"),
        RuntimeError("x" * (2 * MB)),
        "text",
        None,
        jc.JudgeReply(text="x", logprobs=[{"logprob": float("nan")}]),
        jc.JudgeReply(text="x", logprobs=[{"logprob": object()}]),
        anyhow(text=7),
        anyhow(text="x", outcome=["answered"]),
        anyhow(text="x", model=b"\xff"),
        jc.JudgeReply(text="lone \ud800 surrogate", model="\0"),
    ],
)
def test_what_a_target_of_ones_own_gives_costs_at_most_its_item(tmp_path: Path, answer: Any) -> None:
    async def run() -> list[Any]:
        with jc.Ledger(tmp_path / "run.ledger") as ledger:
            requests = [jc.JudgeRequest(text) for text in ("one", "bad", "two", "three")]
            async with asyncio.timeout(WATCHDOG_S):
                return await jc.send_many(Own(answer), requests, ledger=ledger, concurrency=4)

    one, bad, two, three = asyncio.run(run())

    assert [getattr(reply, "text", None) for reply in (one, two, three)] == ["fine"] * 3
    assert isinstance(bad, jc.errors.TargetError | jc.JudgeReply)
    with jc.LedgerReader(tmp_path / "run.ledger") as reader:
        states = [entry.state for entry in reader.entries()]
    assert states.count("received") == 3 + isinstance(bad, jc.JudgeReply)


@jc.targets.register_target("unkeepable")
class Unkeepable:
    """A target that hands its ledger what SQLite does not take."""

    def payload(self, request: jc.JudgeRequest, /) -> bytes:
        return request.turns[-1].text.encode()

    async def deliver(self, request: jc.JudgeRequest, payload: bytes, record: Any, /) -> jc.JudgeReply:
        del request
        await record.sent()
        # The second one of its commit: the writer's thread takes it.
        await asyncio.sleep(0)
        await record.received(Hostile(payload))
        return jc.JudgeReply(text="x")

    @classmethod
    def read(cls, raw: bytes, /) -> jc.JudgeReply:
        return jc.JudgeReply(text=raw.decode())

    async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
        raise NotImplementedError(request)

    def get_identifier(self) -> jc.ComponentIdentifier:
        return jc.ComponentIdentifier(class_name="Unkeepable", class_module="tests", params={})


class Hostile(bytes):
    """Bytes that are none when SQLite asks for them."""

    def __conform__(self, protocol: object) -> object:
        raise OverflowError("Python int too large to convert to SQLite INTEGER")


@pytest.mark.parametrize("n_at_once", [1, 4])
def test_what_ends_the_writer_ends_the_run_with_its_cause_and_later_ones_too(tmp_path: Path, n_at_once: int) -> None:
    ended = "can't be written any more: OverflowError: Python int too large to convert to SQLite INTEGER"
    requests = [jc.JudgeRequest(f"{number}") for number in range(n_at_once)]

    async def run(ledger: jc.Ledger) -> None:
        async with asyncio.timeout(WATCHDOG_S):
            await jc.send_many(Unkeepable(), requests, ledger=ledger, concurrency=4)

    ledger = jc.Ledger(tmp_path / "run.ledger")
    for _ in range(2):
        with pytest.raises(jc.errors.LedgerError, match=ended):
            asyncio.run(run(ledger))
    with pytest.raises(jc.errors.LedgerError, match=r"repl(y|ies) could not be stored"):
        ledger.close()
    with jc.Ledger(tmp_path / "run.ledger") as again:
        assert again.counts()["received"] == 0


def test_a_reply_that_is_too_long_for_a_row_costs_its_item(tmp_path: Path) -> None:
    with jc.Ledger(tmp_path / "run.ledger") as ledger:
        # SQLite's own limit is a gigabyte, and may be lowered.
        vars(ledger)["_writing"].setlimit(0, 100_000)
        target = jc.CallableTarget(lambda request: "x" * int(request.turns[-1].text), name="tells_so_much")
        texts = ["1", "40000", "1".rjust(40_000, "0"), "2"]

        results = asyncio.run(jc.send_many(target, [jc.JudgeRequest(text) for text in texts], ledger=ledger))

    kinds = [type(one).__name__ for one in results]
    assert kinds == ["JudgeReply", "ReplyTooLargeError", "RequestError", "JudgeReply"]
