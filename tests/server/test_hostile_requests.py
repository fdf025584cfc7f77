"""Any request, down to the bytes: one well-formed answer of 200 or 4xx, and the server goes on serving."""

from __future__ import annotations

import json
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from targets.hostile_values import HOLE, with_holes

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Serving

CHAT, MESSAGES, AZURE = "/v1/chat/completions", "/v1/messages", "/openai/deployments/m/chat/completions?api-version=1"
HOST = b"host: 127.0.0.1\r\n"
GOOD = b'{"messages": [{"role": "user", "content": "yes or no?"}], "max_tokens": 5}'
MB = 1 << 20
# Far beyond what a request should take, and far below what a bomb would.
MOST_MEMORY_KB = 1 << 20

VALUES = [
    *("null", "true", "-1", "0", "0.5", "1e999", "-1e999", "NaN", "Infinity", "100000000", "1e300"),
    *(str(2**63), "1" + "0" * 30, "1" + "0" * 5000, '""', '"x"', '"\\ud800"', '"\\u0000"', "[]", "{}", "[null]"),
    *('[{}, 1, "x", null]', '{"": null, "$ref": "#"}', "[" * 100_000, "[" * 900 + "]" * 900, '{"a":' * 5000),
    '"' + "y" * 100_000 + '"',
]
FORM = {"type": "json_schema", "json_schema": {"name": "v", "schema": {"type": "object", "properties": {}}}}
ASKED: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "yes or no?"}]},
        {"role": "user", "content": "x"},
    ],
    "n": 1,
    "seed": 1,
    "max_tokens": 5,
    "max_completion_tokens": 5,
    "logprobs": True,
    "top_logprobs": 3,
    "temperature": 0,
    "stream": False,
    "response_format": FORM,
}
TOLD: dict[str, Any] = {
    "model": "m",
    "system": [{"type": "text", "text": "Judge."}],
    "messages": [{"role": "user", "content": [{"type": "text", "text": "yes or no?"}]}],
    "max_tokens": 5,
    "stream": False,
    "output_config": {"format": {"type": "json_schema", "schema": {"type": "object", "properties": {}}}},
}
KEYS = [
    *("type", "properties", "items", "minItems", "enum", "const", "minimum", "maximum", "exclusiveMinimum"),
    *("exclusiveMaximum", "anyOf", "oneOf", "allOf", "minLength", "maxLength", "$ref"),
]


def of_type(kind: str, **rest: Any) -> dict[str, Any]:
    return {"type": kind, **rest}


def branching(width: int) -> dict[str, Any]:
    return {"type": "object", "properties": {f"p{number}": {"$ref": "#"} for number in range(width)}}


def nested(depth: int, form: str) -> Any:
    schema: dict[str, Any] = of_type("string")
    for _ in range(depth):
        schema = {form: [schema]} if form.endswith("Of") else {"type": "array", "items": schema}
    return schema


BOMBS: list[Any] = [
    of_type("array", minItems=100_000_000, items=of_type("string")),
    of_type("array", minItems=100_000_000),
    of_type("array", minItems=100_000_000, items=of_type("null")),
    of_type("array", minItems=10**30),
    of_type("array", minItems=1000, items=of_type("array", minItems=1000, items=of_type("array", minItems=1000))),
    of_type("array", minItems=2000, items={"const": "x" * 2000}),
    of_type("array", minItems=2000, items={"enum": ["x" * 2000]}),
    of_type("string", minLength=10**9),
    of_type("string", minLength=10**30),
    of_type("string", maxLength=-1),
    of_type("number", maximum=10**400),
    of_type("number", minimum="x"),
    of_type("integer", minimum=-1e308, maximum=1e308),
    {"enum": []},
    {"enum": {}},
    branching(12),
    {"anyOf": [{"$ref": "#/anyOf/0"}]},
    {"$ref": "#/properties", "properties": [1]},
    {"properties": {"a": 1}},
]
HARMLESS: list[Any] = [
    {"$ref": "#"},
    branching(1),
    nested(400, "items"),
    nested(200, "anyOf"),
    of_type("string", maxLength=0),
    of_type("string", maxLength=10**9),
    of_type("array", minItems=3, items={"enum": [1, 2]}),
]


@pytest.fixture(scope="module")
def server(serve_all: Callable[..., Serving]) -> Serving:
    return serve_all()


def talk(server: Serving, sent: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", int(server.root.rpartition(":")[2])), timeout=60) as connection:
        try:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            # Refused before all of it was sent: the answer is there.
            pass
        return b"".join(iter(lambda: connection.recv(65536), b""))


def answers_in(said: bytes) -> list[tuple[int, bytes]]:
    """The answers that stand one after another, each as long as it says, and nothing else."""
    found: list[tuple[int, bytes]] = []
    while said:
        head, end, rest = said.partition(b"\r\n\r\n")
        assert end, head
        status, *lines = head.decode("ascii").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines)
        assert status.startswith("HTTP/1.1 "), status
        length = int(headers["content-length"])
        assert len(rest) >= length
        found.append((int(status.split()[1]), rest[:length]))
        said = rest[length:]
    return found


def post(path: str, body: bytes) -> bytes:
    return b"POST %s HTTP/1.1\r\n%scontent-length: %d\r\n\r\n%s" % (path.encode(), HOST, len(body), body)


def asked(server: Serving, path: str, body: bytes) -> tuple[int, dict[str, Any]]:
    (status, said), good = answers_in(talk(server, post(path, body) + post(CHAT, GOOD)))
    assert good[0] == 200
    if said.startswith((b"data: ", b"event: ")):
        return status, {}
    return status, json.loads(said, parse_constant=pytest.fail)


def memory_kb(server: Serving) -> int:
    status = Path(f"/proc/{server.process.pid}/status")
    if not status.exists():
        pytest.skip("this system does not tell what a process took")
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM"))


@pytest.mark.parametrize(("path", "whole"), [(CHAT, ASKED), (AZURE, {"messages": []}), (MESSAGES, TOLD)])
def test_any_value_in_any_field_is_answered_once(server: Serving, path: str, whole: dict[str, Any]) -> None:
    seen: set[int] = set()
    for body in map(json.dumps, with_holes(whole)):
        for value in VALUES:
            status, said = asked(server, path, body.replace(f'"{HOLE}"', value).encode())

            seen.add(status)
            assert status == 200 or isinstance(said["error"]["message"], str)
    assert seen <= {200, 400}
    assert 400 in seen


@pytest.mark.parametrize("key", KEYS)
def test_any_value_under_any_key_of_a_schema_is_answered_once(server: Serving, key: str) -> None:
    for kind in ("object", "array", "string", "integer", "number", "boolean"):
        for value in VALUES:
            schema = f'{{"type": "{kind}", "{key}": {value}}}'
            form = f'{{"type": "json_object", "schema": {{"type": "object", "properties": {{"a": {schema}}}}}}}'
            body = f'{{"messages": [{{"role": "user", "content": "x"}}], "response_format": {form}}}'
            status, said = asked(server, CHAT, body.encode())

            assert status in (200, 400), said
            if status == 200:
                json.loads(said["choices"][0]["message"]["content"], parse_constant=pytest.fail)


def schema_asked(server: Serving, schema: Any, path: str) -> int:
    form: dict[str, Any] = {"response_format": {"type": "json_object", "schema": schema}}
    if path == MESSAGES:
        form = {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
    body = {"messages": [{"role": "user", "content": "x"}], "max_tokens": 9, **form}
    return asked(server, path, json.dumps(body).encode())[0]


@pytest.mark.parametrize("path", [CHAT, MESSAGES])
def test_a_schema_that_asks_for_a_huge_value_is_refused_cheaply(server: Serving, path: str) -> None:
    assert [schema_asked(server, schema, path) for schema in BOMBS] == [400] * len(BOMBS)
    assert [schema_asked(server, schema, path) for schema in HARMLESS] == [200] * len(HARMLESS)
    assert memory_kb(server) < MOST_MEMORY_KB


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "\n",
            " \n",
            "-",
            ".\n",
            "[The Start of A]\n",
            "[The Start of ",
            "<response>",
            "<answer_a>\n",
            "[Question]\n",
        ),
        *("# Output (a):\n", "0123456789abcdef\n", "0123456789abcdef ", "Response:\n", "score 1 ", "from 1.1 "),
        *('json "score_value": true ', 'json "a', "bomb ", "i'm ", "[[1", "unsafe S1 "),
        *("[Aaa]\n", "[Aaa]\n\n\n", "JSON Schema {", "## The criteria\n", "answer a if ", "Categories:\nS1: "),
    ],
)
def test_a_prompt_of_marks_alone_is_answered(server: Serving, unit: str) -> None:
    text = (unit * (MB // 8))[: MB // 8]
    body = json.dumps({"messages": [{"role": "user", "content": text}]}).encode()

    # What takes more than linear time takes hours here, and runs into the time limit of the test.
    assert asked(server, CHAT, body)[0] == 200


def test_numbers_of_choices_and_tokens_that_are_huge_are_refused_or_kept(server: Serving) -> None:
    for name, value, status in (("n", 10**9, 400), ("max_tokens", 10**9, 200), ("max_tokens", 10**30, 400)):
        body = json.dumps({"messages": [{"role": "user", "content": "x"}], name: value}).encode()
        assert asked(server, CHAT, body)[0] == status


CHUNKED = b"transfer-encoding: chunked\r\n"
SMUGGLED = b"0\r\n\r\n" + post(CHAT, GOOD)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"POST /v1/chat/completions HTTP/1.1\r\n" + HOST + CHUNKED + b"content-length: 5\r\n\r\n" + SMUGGLED, 400),
        (
            b"POST /v1/chat/completions HTTP/1.1\r\n" + HOST + b"content-length: 5\r\n" + CHUNKED + b"\r\n" + SMUGGLED,
            400,
        ),
        (
            b"POST /v1/chat/completions HTTP/1.1\r\n" + HOST + b"content-length: 5\r\ncontent-length: 6\r\n\r\n" + GOOD,
            400,
        ),
        (b"POST /v1/chat/completions HTTP/1.1\r\n" + HOST + b"content-length: -5\r\n\r\n" + GOOD, 400),
        (b"POST /v1/chat/completions HTTP/1.1\r\n" + HOST + b"content-length: 0x5\r\n\r\n" + GOOD, 400),
        (b"POST /v1/chat/completions HTTP/1.1\r\n" + HOST + b"content-length: " + b"9" * 5000 + b"\r\n\r\n", 400),
        (b"POST /v1/chat/completions HTTP/1.1\r\n" + HOST + b"content-length: 999999999999\r\n\r\n" + GOOD, 413),
        (b"POST /v1/chat/completions HTTP/1.1\r\n" + HOST + b"transfer-encoding: gzip\r\n\r\n" + GOOD, 400),
        (b"POST /v1/chat/completions HTTP/1.1\r\n" + HOST + CHUNKED + b"\r\nzz\r\nx\r\n0\r\n\r\n", 400),
        (
            b"POST /v1/chat/completions HTTP/1.1\r\n" + HOST + CHUNKED + b"\r\nffffffffffffffffffff\r\n" + b"x" * 100,
            400,
        ),
        (b"POST /v1/chat/completions HTTP/1.1\r\n" + HOST + b"content-length: 50\r\n\r\n{", 400),
        (b"GET /v1/models HTTP/1.1\r\n" + HOST + b"x: y\r\n" * 100_000 + b"\r\n", 431),
        (b"GET /v1/models HTTP/1.1\r\n" + HOST + b"x: " + b"y" * MB + b"\r\n\r\n", 431),
        (b"GET /" + b"v" * MB + b" HTTP/1.1\r\n" + HOST + b"\r\n", 431),
        (b"GET /v1/models HTTP/1.1\r\n" + HOST + b"x\x00: y\r\n\r\n", 400),
        (b"GET /v1/models HTTP/1.1\r\n" + HOST + b"x: a\r\n\tb\x00\r\n\r\n", 400),
        (b"GET /v1/models HTTP/9.9\r\n" + HOST + b"\r\n", 400),
        (b"GET /v1/models\xff HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"CONNECT evil.example:443 HTTP/1.1\r\n" + HOST + b"\r\n", 404),
        (b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", 404),
        (b"GET /v1/models HTTP/1.1\r\n" + HOST + b"upgrade: websocket\r\nconnection: upgrade\r\n\r\n", 200),
        (b"GET /v1/chat/completions HTTP/1.1\r\n" + HOST + b"\r\n", 405),
        (b"GET /v1/models HTTP/1.1\r\n\r\n", 400),
        (b"GET /v1/models HTTP/1.1\r\n" + HOST + HOST + b"\r\n", 400),
        (b"GET /v1/models HTTP/1.0\r\n\r\n", 403),
        (post(CHAT, b"x" * (17 * MB)), 413),
        (post(CHAT, b"[" * (10 * MB)), 400),
        (post(CHAT, b""), 400),
        (post(CHAT, b"\xff\xfe" + GOOD), 400),
        (post("/v1/../v1/models", GOOD), 404),
        (post("/v1/models%00", GOOD), 404),
    ],
)
def test_raw_bytes_are_answered_once(server: Serving, sent: bytes, status: int) -> None:
    answers = answers_in(talk(server, sent))

    assert [got for got, _ in answers] == [status]
    json.loads(answers[0][1])
    assert answers_in(talk(server, post(CHAT, GOOD)))[0][0] == 200


def test_a_request_for_the_head_alone_gets_no_body(server: Serving) -> None:
    said = talk(server, b"HEAD /v1/models HTTP/1.1\r\n" + HOST + b"\r\n")

    assert said.startswith(b"HTTP/1.1 405 ")
    assert said.endswith(b"\r\n\r\n")


def test_requests_behind_one_another_are_each_answered_in_their_order(server: Serving) -> None:
    bodies = [json.dumps({"messages": [], "max_tokens": number}).encode() for number in range(200)]

    answers = answers_in(talk(server, b"".join(post(CHAT, body) + post(CHAT, GOOD) for body in bodies)))

    assert [status for status, _ in answers] == [400, 200] * 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "", "10.0.0.1", "[::]"],
)
def test_a_request_for_another_host_is_refused(server: Serving, host: str) -> None:
    sent = post(CHAT, GOOD).replace(HOST, f"host: {host}\r\n".encode())

    ((status, said),) = answers_in(talk(server, sent))

    assert status == 403
    assert "--allow-host" in json.loads(said)["error"]["message"]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:1", "localhost", "LOCALHOST:8000", "[::1]", "[::1]:80"])
def test_a_request_for_the_loopback_address_is_taken_by_any_of_its_names(server: Serving, host: str) -> None:
    sent = post(CHAT, GOOD).replace(HOST, f"host: {host}\r\n".encode())

    assert answers_in(talk(server, sent))[0][0] == 200


def test_a_host_that_is_allowed_is_served(serve: Callable[..., Serving]) -> None:
    server = serve("--allow-host", "Host.Docker.Internal")

    sent = [post(CHAT, GOOD).replace(HOST, b"host: %s\r\n" % host) for host in (b"host.docker.internal:80", b"evil")]

    assert [answers_in(talk(server, one))[0][0] for one in sent] == [200, 403]


def test_clients_that_are_gone_in_mid_body_leave_no_traceback(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("judgecore")
    with (
        (tmp_path / "said").open("w") as said,
        subprocess.Popen([program, "serve"], stdout=subprocess.PIPE, stderr=said, text=True) as serving,
    ):
        assert serving.stdout is not None
        address = urlsplit(serving.stdout.readline().split()[-1])
        for size in range(1, 60):
            with socket.create_connection((address.hostname, address.port or 0), timeout=10) as client:
                head = b"POST " + CHAT.encode() + b" HTTP/1.1\r\n" + HOST + b"content-length: 64\r\n\r\n"
                client.sendall(head + b"x" * size)
                if size % 2:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with socket.create_connection((address.hostname, address.port or 0), timeout=10) as client:
            client.sendall(post(CHAT, GOOD))
            assert client.recv(100).startswith(b"HTTP/1.1 200")
        serving.send_signal(signal.SIGTERM)

    assert "Traceback" not in (tmp_path / "said").read_text()
