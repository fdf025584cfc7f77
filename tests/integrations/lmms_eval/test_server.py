"""lmms-eval's judge interface on judgecore's targets: over HTTP, in a running loop, and without lmms-eval."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore.errors import RequestError
from judgecore.integrations.lmms_eval import (
    AsyncServerInterface,
    ProviderFactory,
    Request,
    Response,
    ServerConfig,
    ServerInterface,
    TargetServer,
    get_server,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DOCUMENTED = {"raw_response", "model", "prompt", "success"}


class Echo(ServerInterface):
    """A judge that says what it was made to say."""

    def __init__(self, said: str) -> None:
        super().__init__()
        self.said = said

    def is_available(self) -> bool:
        return True

    def evaluate(self, request: Request) -> Response:
        assert request.messages[-1]["role"] == "user"
        return Response(content=self.said, model_used=self.config.model_name)


class Picky(AsyncServerInterface):
    """A judge that fails where the prediction is bad."""

    busy = 0
    busiest = 0

    def is_available(self) -> bool:
        return True

    async def evaluate_async(self, request: Request) -> Response:
        self.busy += 1
        self.busiest = max(self.busiest, self.busy)
        await asyncio.sleep(0.01)
        self.busy -= 1
        if request.prediction == "bad":
            raise ConnectionError("the line is down")
        return Response(content="1", model_used=self.config.model_name)


def saying(reply: str) -> jc.CallableTarget:
    return jc.CallableTarget(lambda _: reply, name="demo")


@pytest.mark.parametrize(
    ("said", "form", "result"),
    [
        ("1", "0/1", 1),
        ("0 (step 1 is wrong)", "0/1", 0),
        ("I can't tell.", "0/1", None),
        ("**Yes**", "yes/no", True),
        ("Yesterday I could not decide.", "yes/no", None),
    ],
)
def test_a_reply_that_cannot_be_read_is_no_result_and_no_success(said: str, form: str, result: Any) -> None:
    got = Echo(said).evaluate_binary("2 + 2?", "4", "5", output_format=form)

    assert {"result", "reading", "error"} | DOCUMENTED == got.keys()
    assert (result, result is not None) == (got["result"], got["success"])
    assert type(result) is type(got["result"])
    assert got["raw_response"] == said
    assert got["reading"].ok is got["success"]


@pytest.mark.parametrize(
    ("said", "scores"),
    [("8 7", (8.0, 7.0)), ("Assistant 1: 8, Assistant 2: 9", (8.0, 9.0)), ("40 50", None), ("Both are fine.", None)],
)
def test_two_scores_are_on_their_scale_or_there_are_none(said: str, scores: Any) -> None:
    got = Echo(said).evaluate_comparative("Why?", "Because.", "Therefore.", score_range=(1, 10))

    assert (scores, scores is not None) == (got["scores"], got["success"])


def test_a_rubric_has_every_item_or_no_scores() -> None:
    rubric = {"helpful": "1 to 5", "correct": "1 to 5"}

    whole = Echo('Sure: {"helpful": 4, "correct": 5,}').evaluate_with_rubric("Why?", "Because.", rubric)
    half = Echo('{"helpful": 4}').evaluate_with_rubric("Why?", "Because.", rubric)

    assert whole["scores"] == {"helpful": 4, "correct": 5}
    assert (half["scores"], half["success"]) == (None, False)
    assert all(f"- {item}" in whole["prompt"] for item in rubric)


def test_a_failed_item_costs_one_item() -> None:
    server = Picky(ServerConfig("demo", max_concurrent=2))
    predictions = ["good", "bad", "good", "good"]

    got = asyncio.run(server.evaluate_binary_batch_async(["?"] * 4, ["!"] * 4, predictions))

    assert [one["result"] for one in got] == [1, None, 1, 1]
    assert [one["success"] for one in got] == [True, False, True, True]
    assert "the line is down" in got[1]["error"]
    assert server.busiest == 2


def test_what_is_asked_asynchronously_is_read_as_what_is_waited_for() -> None:
    scored, rated = saying("Assistant 1: 8, Assistant 2: 9"), saying('{"helpful": 4, "correct": 5}')
    rubric = {"helpful": "1 to 5", "correct": "1 to 5"}

    with TargetServer(scored) as server:
        pair = server.evaluate_comparative("Why?", "Because.", "So.")
        again = asyncio.run(server.evaluate_comparative_async("Why?", "Because.", "So."))
        both = asyncio.run(
            server.evaluate_comparative_batch_async(["Why?", "How?"], ["Because.", "Thus."], ["So.", "So."])
        )
    with TargetServer(rated) as server:
        items = server.evaluate_with_rubric("Why?", "Because.", rubric)
        items_again = asyncio.run(server.evaluate_with_rubric_async("Why?", "Because.", rubric))

    assert (pair, items) == (again, items_again)
    assert both[0] == pair
    assert [one["scores"] for one in both] == [(8.0, 9.0)] * 2
    assert "How?" in both[1]["prompt"]


def test_lists_of_unequal_length_are_refused() -> None:
    server = Picky()

    with pytest.raises(ValueError, match="2 questions, 1 answers"):
        asyncio.run(server.evaluate_binary_batch_async(["?", "?"], ["!"], ["good", "good"]))


@pytest.mark.parametrize("server", [Picky(), TargetServer(jc.CallableTarget(lambda _: "1", name="one"))])
def test_a_question_can_be_asked_where_an_event_loop_runs(server: ServerInterface) -> None:
    async def ask() -> dict[str, Any]:
        return server.evaluate_binary("2 + 2?", "4", "4")

    assert [asyncio.run(ask())["result"], server.evaluate_binary("2 + 2?", "4", "4")["result"]] == [1, 1]


def test_one_server_serves_several_loops_over_http(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    judge = serve()
    monkeypatch.setenv("OPENAI_API_URL", judge.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    server = get_server("openai", ServerConfig("loopback-judge", num_retries=1))
    assert isinstance(server, TargetServer)

    with server:
        first = server.evaluate_binary("Capital of France?", "Paris", "Paris", "yes/no")
        again = [
            asyncio.run(server.evaluate_binary_async("Capital of France?", "Paris", "Rome", "yes/no")) for _ in range(2)
        ]

    assert (first["result"], "is-no-model" in first["model"]) == (True, True)
    assert all(one["success"] for one in again)
    assert judge.count() == 3


def test_a_batch_over_http_loses_only_what_the_endpoint_refuses(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_URL", serve("--fault", "status.500=0.3", "--seed", "4").url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    server = get_server("async_openai", ServerConfig("loopback-judge", num_retries=1))
    assert isinstance(server, TargetServer)

    with server:
        predictions = [f"p{number}" for number in range(20)]
        got = asyncio.run(server.evaluate_binary_batch_async(["?"] * 20, ["Paris"] * 20, predictions, "yes/no"))

    failed = [one for one in got if not one["success"]]
    assert 0 < len(failed) < 20
    assert all("500" in one["error"] and one["result"] is None for one in failed)
    assert {bool} == {type(one["result"]) for one in got if one["success"]}


def test_a_reply_in_the_ledger_is_not_paid_for_twice(tmp_path: Path) -> None:
    asked: list[str] = []
    target = jc.CallableTarget(lambda request: asked.append(request.turns[-1].text) or "1", name="one")

    for _ in range(2):
        with jc.Ledger(tmp_path / "judge.sqlite") as ledger, TargetServer(target, ledger=ledger) as server:
            assert server.evaluate_binary("2 + 2?", "4", "4")["result"] == 1

    assert len(asked) == 1


def test_a_reply_that_was_cut_off_is_no_score() -> None:
    target = jc.CallableTarget(lambda _: jc.JudgeReply(text="Scores: 8 1", outcome="cut"), name="cut")

    with TargetServer(target) as server:
        got = server.evaluate_comparative("Why?", "a", "b")

    assert (got["scores"], got["reading"].reason) == (None, "truncated")


def test_a_filtered_reply_is_no_success() -> None:
    target = jc.CallableTarget(lambda _: jc.JudgeReply(text=None, outcome="filtered"), name="filtered")

    with TargetServer(target) as server:
        got = server.evaluate_binary("?", "a", "b")

    assert (got["result"], got["success"], got["error"][:8]) == (None, False, "filtered")


@pytest.mark.parametrize("url", ["{0}/a.png", "a.png", "../{0.name}/a.png", "file://{0}/a.png"])
def test_a_messages_address_of_a_picture_reads_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    monkeypatch.chdir(tmp_path)
    asked: list[Any] = []
    target = jc.CallableTarget(lambda request: asked.append(request) or "Yes", name="one")
    parts = [{"type": "image_url", "image_url": {"url": url.format(tmp_path)}}, {"type": "text", "text": "Is it red?"}]

    with TargetServer(target) as server, pytest.raises(RequestError, match="pass files in images="):
        server.evaluate(Request(messages=[{"role": "user", "content": parts}]))

    assert asked == []


def test_messages_images_and_the_system_prompt_reach_the_judge(tmp_path: Path) -> None:
    seen: list[jc.JudgeRequest] = []
    target = jc.CallableTarget(lambda request: seen.append(request) or "1", name="one")
    picture = b"\x89PNG\r\n\x1a\n"
    (tmp_path / "a.png").write_bytes(picture)
    parts = [
        {"type": "text", "text": "Look."},
        {"type": "image_url", "image_url": {"url": "https://example.org/b.png"}},
    ]
    request = Request(messages=[{"role": "user", "content": parts}], images=[str(tmp_path / "a.png")])

    with TargetServer(target, ServerConfig("demo", system_prompt="Be fair.", max_tokens=7)) as server:
        server.evaluate(request)

    [asked] = seen
    assert (asked.system, asked.max_tokens, asked.turns[0].text) == ("Be fair.", 7, "Look.")
    assert [picture, None] == [image.data for image in asked.turns[0].images]


def test_a_provider_of_ones_own_is_found_by_name() -> None:
    ProviderFactory.register_provider("echo", lambda _: Echo("1"))

    assert get_server("echo").evaluate_binary("?", "a", "b")["result"] == 1
    with pytest.raises(
        ValueError, match=r"the providers are .*anthropic, async_azure, async_openai, azure, dummy, echo, .*openai"
    ):
        get_server("azurite")


def test_a_registered_endpoint_is_found_by_name(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", serve().root)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "any")

    with get_server("anthropic", ServerConfig("m")) as server:
        assert server.evaluate_binary("2 + 2?", "4", "4")["success"] is True


def test_it_works_without_lmms_eval() -> None:
    code = "import sys; sys.modules['lmms_eval'] = None; from judgecore.integrations.lmms_eval import ServerConfig"

    subprocess.run([sys.executable, "-c", code], check=True)


class Slow:
    """A judge that never replies, and may fail to close."""

    def __init__(self, closing: Exception | None = None) -> None:
        self.asked = threading.Event()
        self._closing = closing

    def get_identifier(self) -> jc.ComponentIdentifier:
        return jc.ComponentIdentifier(class_name="Slow", class_module=__name__)

    async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError(request)

    async def aclose(self) -> None:
        if self._closing is not None:
            raise self._closing


ASKED = Request(messages=[{"role": "user", "content": "2 + 2 = 4?"}])


def judge_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "judgecore-judge"]


def test_closing_ends_the_requests_in_flight_with_an_error() -> None:
    target, before = Slow(), judge_threads()
    server = TargetServer(target)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(server.evaluate, ASKED)
        assert target.asked.wait(10)

        server.close()

        with pytest.raises(jc.errors.TargetError, match="closed before the judge replied"):
            waiting.result(10)
    assert judge_threads() == before


def test_closing_costs_an_awaited_request_an_error_and_not_its_task() -> None:
    target = Slow()
    server = TargetServer(target)

    async def ask() -> list[Response]:
        waiting = asyncio.create_task(server.evaluate_batch([ASKED]))
        await asyncio.to_thread(target.asked.wait, 10)
        await asyncio.to_thread(server.close)
        return await asyncio.wait_for(waiting, 10)

    [got] = asyncio.run(ask())

    assert (got.success, "closed before the judge replied" in (got.error_message or "")) == (False, True)


def test_a_target_that_cannot_close_leaves_no_thread() -> None:
    before = judge_threads()
    server = TargetServer(Slow(OSError("the line is down")))
    server._running()  # noqa: SLF001 - the loop starts with the first request, which would not end

    with pytest.raises(OSError, match="the line is down"):
        server.close()

    assert judge_threads() == before


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"model_name": "other"}, "model_name is 'other' instead of 'demo'"),
        ({"temperature": 0.7}, "temperature is 0.7 instead of 0.0"),
        (
            {"response_format": "json", "top_p": 0.5},
            "top_p is 0.5 instead of None, response_format is 'json' instead of None",
        ),
    ],
)
def test_settings_that_a_target_cannot_follow_are_refused(settings: dict[str, Any], named: str) -> None:
    asked: list[str] = []
    target = jc.CallableTarget(lambda request: asked.append(request.turns[-1].text) or "1", name="one")
    own = ServerConfig(**{"model_name": "demo", **settings})

    with TargetServer(target, ServerConfig("demo")) as server, pytest.raises(RequestError, match=named):
        server.evaluate(replace(ASKED, config=own))

    assert asked == []


def test_a_request_with_settings_of_its_own_is_asked_as_they_say() -> None:
    made: list[ServerConfig] = []

    def target_of(config: ServerConfig) -> jc.CallableTarget:
        made.append(config)
        return jc.CallableTarget(lambda _: f"{config.model_name} {config.temperature}", name=config.model_name)

    with TargetServer(target_of, ServerConfig("demo")) as server:
        got = [
            server.evaluate(replace(ASKED, config=config))
            for config in (None, ServerConfig("other", temperature=0.7), ServerConfig("other", temperature=0.7))
        ]

    assert [one.content for one in got] == ["demo 0.0", "other 0.7", "other 0.7"]
    assert [one.model_used for one in got] == ["demo", "other", "other"]
    assert len(made) == 2


def test_the_model_used_is_that_of_the_target() -> None:
    with TargetServer(jc.CallableTarget(lambda _: "1", name="one")) as server:
        assert server.evaluate(ASKED).model_used == "one"


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"max_concurrent": 0}, "max_concurrent must be at least 1, not 0"),
        ({"num_retries": 0}, "num_retries must be at least 1, not 0"),
        ({"max_tokens": 0}, "max_tokens must be at least 1, not 0"),
        ({"timeout": 0}, "timeout must be more than 0 seconds, not 0"),
        ({"retry_delay": -1}, "retry_delay must be at least 0 seconds, not -1"),
        ({"temperature": -0.1}, "temperature must be at least 0, not -0.1"),
        ({"top_p": 1.5}, "top_p must be above 0 and at most 1, not 1.5"),
        ({"response_format": "xml"}, "response_format must be 'json', 'text' or None, not 'xml'"),
    ],
)
def test_a_config_that_makes_no_sense_is_refused(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        ServerConfig("demo", **settings)


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("max_tokens", 0, "max_tokens must be at least 1, not 0"),
        ("temperature", -1, "temperature must be at least 0, not -1"),
        ("response_format", "xml", "response_format must be 'json', 'text' or None, not 'xml'"),
    ],
)
def test_a_config_can_be_changed_to_what_makes_sense(name: str, value: Any, named: str) -> None:
    config = ServerConfig("demo")

    config.max_tokens, config.system_prompt, config.response_format = 7, "Be fair.", "json"
    with pytest.raises(ValueError, match=named):
        setattr(config, name, value)

    assert config == ServerConfig("demo", max_tokens=7, system_prompt="Be fair.", response_format="json")
    assert replace(config, max_tokens=8).max_tokens == 8


def test_a_server_whose_config_was_changed_asks_as_it_says_now() -> None:
    made: list[ServerConfig] = []

    def target_of(config: ServerConfig) -> jc.CallableTarget:
        made.append(config)
        return jc.CallableTarget(lambda request: f"{config.temperature} {request.max_tokens}", name=config.model_name)

    with TargetServer(target_of, ServerConfig("demo")) as server:
        before = server.evaluate(ASKED)
        server.config.temperature, server.config.max_tokens = 0.7, 5
        after = server.evaluate(ASKED)
        server.config.temperature = 0.0
        back = server.evaluate(ASKED)

    assert [one.content for one in (before, after, back)] == ["0.0 1024", "0.7 5", "0.0 5"]
    assert [config.temperature for config in made] == [0.0, 0.7]


KEYS = (
    "OPENAI_API_KEY", "OPENAI_API_URL", "OPENAI_BASE_URL", "AZURE_API_KEY", "AZURE_ENDPOINT", "API_VERSION",
    "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION", "API_TYPE",
)  # fmt: skip


@pytest.mark.parametrize(
    ("provider", "keys"),
    [
        ("openai", {"OPENAI_API_KEY": "k"}),
        ("async_openai", {"OPENAI_API_KEY": "k"}),
        ("azure", {"AZURE_API_KEY": "k", "AZURE_ENDPOINT": "https://example.org"}),
        ("async_azure", {"AZURE_API_KEY": "k", "AZURE_ENDPOINT": "https://example.org"}),
        ("azure", {"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "https://example.org"}),
    ],
)
def test_a_server_is_available_where_its_key_and_address_are_set(
    provider: str, keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)

    for missing in keys:
        with monkeypatch.context() as some:
            for name in keys.keys() - {missing}:
                some.setenv(name, keys[name])
            server = get_server(provider, ServerConfig("a_model"))
            assert server.is_available() is False
            with pytest.raises(jc.errors.TargetError, match=r"set [A-Z_]+"):
                server.evaluate(ASKED)
    for name, value in keys.items():
        monkeypatch.setenv(name, value)

    # The key may come after the server, as with lmms-eval's tasks, which make theirs when they are imported.
    assert server.is_available() is True
    assert get_server(provider, ServerConfig("a_model")).is_available() is True


@pytest.mark.parametrize("address", ["http://[::1", "http://127.0.0.1:99999/v1"])
def test_a_server_with_an_address_that_is_none_is_not_available(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "k")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", address)

    assert get_server("azure", ServerConfig("a_model")).is_available() is False


def test_the_dummy_says_dummy_which_is_no_verdict() -> None:
    server = get_server("dummy")

    assert server.is_available() is True
    assert (server.evaluate(ASKED).content, server.evaluate(ASKED).model_used) == ("dummy", "dummy")
    got = server.evaluate_binary("?", "a", "b")
    assert (got["result"], got["success"], got["raw_response"]) == (None, False, "dummy")


@pytest.mark.parametrize("provider", ["azure", "async_azure"])
def test_azure_is_asked_at_the_address_that_lmms_evals_variables_name(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, str | None, dict[str, Any]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            seen.append((self.path, self.headers["api-key"], body))
            reply = {
                "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "1"}}]
            }
            raw = json.dumps({"model": "gpt-4o", **reply}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *args: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        monkeypatch.setenv("AZURE_ENDPOINT", f"http://127.0.0.1:{http.server_port}/")
        monkeypatch.setenv("AZURE_API_KEY", "a-key-of-azures")
        monkeypatch.setenv("API_VERSION", "2024-02-15-preview")
        server = get_server(provider, ServerConfig("a deployment", temperature=0.5, response_format="json"))
        assert isinstance(server, TargetServer)
        with server:
            got = server.evaluate_binary("2 + 2?", "4", "4")
    finally:
        http.shutdown()
        http.server_close()

    [(path, key, body)] = seen
    assert (got["result"], got["model"]) == (1, "gpt-4o")
    assert path == "/openai/deployments/a%20deployment/chat/completions?api-version=2024-02-15-preview"
    assert (key, body["temperature"], body["max_tokens"]) == ("a-key-of-azures", 0.5, 1024)
    assert body["response_format"] == {"type": "json_object"}
