"""What the tests of scorers share: a judge over HTTP that answers as it is told, and judges that are functions."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import judgecore as jc

Answer = Callable[[dict[str, Any]], Any]


class HttpJudge:
    """A judge on the loopback address; it keeps the bodies that it was sent."""

    def __init__(self, server: ThreadingHTTPServer, bodies: list[dict[str, Any]]) -> None:
        self.bodies = bodies
        self.url = f"http://127.0.0.1:{server.server_port}/v1"

    def target(self, **options: Any) -> jc.OpenAITarget:
        return jc.OpenAITarget("judge", api_key="key", base_url=self.url, **options)


@contextmanager
def http_judge(answer: Answer) -> Generator[HttpJudge]:
    bodies: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            bodies.append(body)
            said = answer(body)
            message = said if isinstance(said, dict) else {"message": {"role": "assistant", "content": said}}
            choice = {"index": 0, "finish_reason": "stop", **message}
            usage = {"prompt_tokens": 7, "completion_tokens": 2}
            reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "judge", "choices": [choice]}
            raw = json.dumps({**reply, "usage": usage}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield HttpJudge(server, bodies)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def serve_judge() -> Any:
    """Serve a judge whose answers a function makes of the bodies it is sent."""
    return http_judge


class ScriptedJudge:
    """A judge that gives one answer after the other, and the last one ever after; it keeps the requests."""

    def __init__(self, *answers: Any, model: str = "scripted", **params: Any) -> None:
        self.requests: list[jc.JudgeRequest] = []
        self._answers = answers
        self._identifier = jc.ComponentIdentifier(
            class_name="ScriptedJudge", class_module="tests", params={"underlying_model_name": model, **params}
        )

    async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
        self.requests.append(request)
        answer: Any = self._answers[min(len(self.requests), len(self._answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        if callable(answer):
            answer = answer(request)
        return answer if isinstance(answer, jc.JudgeReply) else jc.JudgeReply(text=answer)

    def get_identifier(self) -> jc.ComponentIdentifier:
        return self._identifier


@pytest.fixture
def judge() -> type[ScriptedJudge]:
    """A judge that gives scripted answers."""
    return ScriptedJudge
