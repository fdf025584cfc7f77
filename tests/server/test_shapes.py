"""The shapes that clients look for, over plain HTTP."""

from __future__ import annotations

import asyncio
import http.client
import json
import math
import socket
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore.server import MODEL, JudgeServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Serving

CHAT = "/v1/chat/completions"
MESSAGES = "/v1/messages"
AZURE = "/openai/deployments/any%20name/chat/completions?api-version=2024-10-21"
ASKED = {"model": "m", "messages": [{"role": "user", "content": "Is it good? Answer yes or no."}]}


@pytest.fixture(scope="module")
def server(serve_all: Callable[..., Serving]) -> Serving:
    return serve_all("--api-key", "right")


def port_of(server: Serving) -> int:
    return int(server.root.rpartition(":")[2])


@pytest.fixture
def call(server: Serving) -> Iterator[Callable[..., tuple[int, Any]]]:
    """What sends a request on one connection, and gives status and body."""
    with closing(http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=30)) as connection:

        def send(path: str, body: Any = None, method: str = "POST", **headers: str) -> tuple[int, Any]:
            headers = {"authorization": "Bearer right"} | {name.replace("_", "-"): is_ for name, is_ in headers.items()}
            spelled = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
            connection.request(method, path, spelled, headers)
            answer = connection.getresponse()
            raw = answer.read()
            is_json = answer.headers["content-type"] == "application/json"
            return answer.status, json.loads(raw) if is_json else raw

        yield send


def test_a_chat_completion_has_all_that_clients_look_for(call: Callable[..., tuple[int, Any]]) -> None:
    status, said = call(CHAT, ASKED)

    assert status == 200
    assert said["id"].startswith("chatcmpl-")
    assert (said["object"], said["model"]) == ("chat.completion", MODEL)
    assert isinstance(said["created"], int)
    (choice,) = said["choices"]
    assert choice == {
        "index": 0,
        "message": {"role": "assistant", "content": "No", "refusal": None},
        "logprobs": None,
        "finish_reason": "stop",
    }
    usage = said["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"] > 0


def test_azures_path_answers_equally_and_needs_an_api_version(call: Callable[..., tuple[int, Any]]) -> None:
    status, said = call(AZURE, ASKED)
    refused, why = call(AZURE.partition("?")[0], ASKED)

    assert (status, said["choices"][0]["message"]["content"]) == (200, "No")
    assert (refused, "api-version is missing" in why["error"]["message"]) == (404, True)


def test_a_message_has_all_that_clients_look_for(call: Callable[..., tuple[int, Any]]) -> None:
    status, said = call(MESSAGES, {**ASKED, "max_tokens": 10, "system": [{"type": "text", "text": "You judge."}]})

    assert status == 200
    assert said["id"].startswith("msg_")
    assert (said["type"], said["role"], said["model"], said["stop_reason"]) == (
        "message",
        "assistant",
        MODEL,
        "end_turn",
    )
    assert said["content"] == [{"type": "text", "text": "No"}]
    assert set(said["usage"]) == {
        *("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
    }


def test_the_list_of_models_has_only_the_placeholder_model(call: Callable[..., tuple[int, Any]]) -> None:
    status, said = call("/v1/models", method="GET")

    assert (status, [one["id"] for one in said["data"]]) == (200, [MODEL])


@pytest.mark.parametrize(
    ("headers", "want"),
    [
        ({"authorization": "Bearer right"}, 200),
        ({"x_api_key": "right"}, 200),
        ({"api_key": "right"}, 200),
        ({"authorization": "Bearer wrong"}, 401),
        ({"x_api_key": "wrong"}, 401),
        ({"authorization": "right-not"}, 401),
        ({"authorization": ""}, 401),
    ],
)
@pytest.mark.parametrize("path", [CHAT, MESSAGES, AZURE])
def test_a_key_is_taken_in_each_of_the_three_headers(
    call: Callable[..., tuple[int, Any]], path: str, headers: dict[str, str], want: int
) -> None:
    status, said = call(path, {**ASKED, "max_tokens": 9}, **{"authorization": "", **headers})

    assert want == status
    assert ("error" in said) is (want == 401)


@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("/v1/nothing", ASKED, 404, "no such path"),
        (CHAT, None, 405, "method not allowed"),
        (CHAT, b"{", 400, "not valid JSON"),
        (CHAT, b"[" * 100_000, 400, "not valid JSON"),
        (CHAT, [], 400, "not a JSON object"),
        (CHAT, {"messages": []}, 400, "must be a non-empty list"),
        (CHAT, {"messages": ["x"]}, 400, "an object with a role"),
        (CHAT, {**ASKED, "n": 2}, 400, "one choice"),
        (CHAT, {**ASKED, "seed": "x"}, 400, "seed must be a whole number from "),
        (MESSAGES, ASKED, 400, "max_tokens: Field required"),
        (MESSAGES, {"messages": [{}], "max_tokens": 3}, 400, "invalid request"),
    ],
)
def test_an_invalid_request_is_refused_in_the_endpoints_schema(
    call: Callable[..., tuple[int, Any]], path: str, body: Any, status: int, says: str
) -> None:
    got, said = call(path, body, "GET" if body is None else "POST")
    after, _ = call(CHAT, ASKED)

    assert (status, 200) == (got, after)
    assert says in said["error"]["message"]
    assert ("type" in said) is (path == MESSAGES)


def test_a_reply_is_cut_at_the_token_limit_and_says_so(call: Callable[..., tuple[int, Any]]) -> None:
    long = {"model": "m", "messages": [{"role": "user", "content": "Rate it from 1 to 10."}]}

    whole = call(CHAT, long)[1]["choices"][0]
    cut = call(CHAT, {**long, "max_tokens": 3})[1]
    of_message = call(MESSAGES, {**long, "max_tokens": 3})[1]

    (choice,) = cut["choices"]
    assert whole["message"]["content"].startswith(choice["message"]["content"])
    assert (choice["finish_reason"], of_message["stop_reason"]) == ("length", "max_tokens")
    assert cut["usage"]["completion_tokens"] == of_message["usage"]["output_tokens"] == 3


def test_logprobs_are_of_the_reply_and_are_probabilities(call: Callable[..., tuple[int, Any]]) -> None:
    _, said = call(CHAT, {**ASKED, "logprobs": True, "top_logprobs": 5})
    _, bare = call(CHAT, {**ASKED, "logprobs": True})

    (choice,) = said["choices"]
    content = choice["logprobs"]["content"]
    assert "".join(entry["token"] for entry in content) == choice["message"]["content"]
    for entry in content:
        top = entry["top_logprobs"]
        assert len(top) == 5
        assert len({one["token"] for one in top}) == 5
        assert top[0] == {name: entry[name] for name in ("token", "logprob", "bytes")}
        assert sum(math.exp(one["logprob"]) for one in top) <= 1
        assert [one["logprob"] for one in top] == sorted((one["logprob"] for one in top), reverse=True)
        assert bytes(entry["bytes"]).decode() == entry["token"]
    assert [one["token"] for one in content[0]["top_logprobs"][:2]] == ["No", "Yes"]
    assert bare["choices"][0]["logprobs"]["content"][0]["top_logprobs"] == []


def test_streams_say_the_same_and_end_in_order(call: Callable[..., tuple[int, Any]]) -> None:
    _, chat = call(CHAT, {**ASKED, "stream": True})
    _, message = call(MESSAGES, {**ASKED, "stream": True, "max_tokens": 9})

    lines = chat.decode().split("\n\n")
    first, last = (json.loads(line.removeprefix("data: ")) for line in lines[:2])
    assert (first["choices"][0]["delta"]["content"], last["choices"][0]["finish_reason"]) == ("No", "stop")
    assert lines[2:] == ["data: [DONE]", ""]
    events = [json.loads(part.partition("data: ")[2]) for part in message.decode().strip().split("\n\n")]
    assert [events[0]["type"], events[-1]["type"]] == ["message_start", "message_stop"]
    assert events[2]["delta"]["text"] == "No"


def test_the_same_request_has_the_same_answer_and_a_seed_may_change_it() -> None:
    async def answers(seed: int) -> list[str | None]:
        async with JudgeServer(seed=seed) as server, jc.OpenAITarget("m", base_url=server.url, api_key="k") as target:
            requests = [jc.JudgeRequest(f"{number}: rate it from 1 to 100.") for number in range(30)]
            replies = await jc.send_many(target, requests)
            return [reply.text for reply in replies if isinstance(reply, jc.JudgeReply)]

    one, again, other = (asyncio.run(answers(seed)) for seed in (1, 1, 2))

    assert one == again
    assert one != other


def talk(server: Serving, sent: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port_of(server)), timeout=30) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_other_valid_forms_of_http_are_accepted(server: Serving) -> None:
    body = json.dumps(ASKED).encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer right\r\n"
    chunked = head + b"transfer-encoding: chunked\r\n\r\n5\r\n" + body[:5] + b"\r\n%x\r\n" % (len(body) - 5) + body[5:]
    chunked += b"\r\n0\r\n\r\n"
    plain = head + b"content-length: %d\r\n\r\n" % len(body) + body
    expecting = head + b"expect: 100-continue\r\ncontent-length: %d\r\n\r\n" % len(body)

    assert talk(server, chunked).startswith(b"HTTP/1.1 200 ")
    assert talk(server, plain + plain).count(b"HTTP/1.1 200 ") == 2
    assert talk(server, expecting).startswith(b"HTTP/1.1 100 \r\n\r\nHTTP/1.1 400 ")
    assert talk(server, b"this is no HTTP\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_a_request_that_is_too_large_is_refused(server: Serving) -> None:
    head = b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port_of(server)), timeout=30) as connection:
        connection.sendall(head)
        piece = b"%x\r\n%s\r\n" % (1 << 20, b"x" * (1 << 20))
        with pytest.raises(ConnectionError):  # noqa: PT012 - which piece is refused is a matter of buffers
            for _ in range(100):
                connection.sendall(piece)
            assert connection.recv(100) == b"", "the server took it all"
            raise ConnectionError


def test_a_batch_that_finds_no_room_is_listed_with_the_time_at_which_it_was_made() -> None:
    async def listed() -> tuple[str, list[str]]:
        async with (
            JudgeServer(faults={"batch.queue_full": 1.0}) as server,
            jc.OpenAITarget("m", base_url=server.url, api_key="k") as target,
        ):
            dialect = target.batches()
            lines = [dialect.line(f"{n}", json.dumps(ASKED).encode()) for n in range(30)]
            name = await dialect.submit(target, "0", lines)
            return name, [one.name async for one in dialect.latest(target, time.time())]

    name, names = asyncio.run(listed())
    assert names == [name]
