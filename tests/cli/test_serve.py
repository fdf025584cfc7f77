"""``judgecore serve``: as a program, from its first line to its end."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest

import judgecore as jc
from judgecore.server import BATCH_FAULTS, FAULTS, MODEL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Program
    from conftest import Serving


def ask(url: str, text: str, **settings: str) -> jc.JudgeReply:
    async def send() -> jc.JudgeReply:
        async with jc.OpenAITarget("m", base_url=url, api_key=settings.get("api_key", "any")) as target:
            return await target.send(jc.JudgeRequest(text))

    return asyncio.run(send())


def test_it_prints_its_address_answers_counts_and_says_that_it_is_no_model(serve: Callable[..., Serving]) -> None:
    server = serve()

    replies = [ask(server.url, f"{number}: is it good? Answer yes or no.") for number in range(3)]

    assert {reply.model for reply in replies} == {MODEL}
    assert "no-model" in MODEL
    assert {reply.text for reply in replies} <= {"Yes", "No"}
    assert server.count() == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_in_order_even_with_a_client_waiting(judgecore: Program, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [judgecore.path, "serve", "--fault", "stall"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    port = int(process.stdout.readline().rpartition(":")[2].removesuffix("/v1\n"))
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 45\r\n\r\n")
        client.sendall(b'{"messages": [{"role": "user", "content": 1}]}'[:45])
        process.send_signal(number)

        said = process.communicate(timeout=10)

    assert (process.returncode, *said) == (0, "", "")


def test_faults_happen_at_their_rate_and_the_same_seed_draws_the_same(serve: Callable[..., Serving]) -> None:
    async def ask_all(url: str) -> list[bool]:
        async with jc.OpenAITarget("m", base_url=url, api_key="any", pacing=jc.Pacing(attempts=1)) as target:
            results = await jc.send_many(target, [jc.JudgeRequest(f"{number}") for number in range(400)])
            return [isinstance(result, jc.JudgeReply) for result in results]

    options = ("--fault", "status.500=0.2", "--fault", "html=0.1")
    servers = [serve("--seed", seed, *options) for seed in ("1", "1", "2")]

    one, again, other = (asyncio.run(ask_all(server.url)) for server in servers)

    assert one == again != other
    faults = servers[0].faults()
    assert 50 <= faults["status.500"] <= 110
    assert 20 <= faults["html"] <= 60
    assert sum(faults.values()) == 400
    assert one.count(False) == faults["status.500"] + faults["html"]


def test_every_fault_is_listed(judgecore: Program) -> None:
    done = judgecore("serve", "--list-faults")

    assert done.stdout.split() == [*FAULTS, *BATCH_FAULTS]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--fault", "nothing"], "there is no fault 'nothing'; the faults are rate_limit, "),
        (["--fault", "reset=2"], "the rate of reset must be from 0 to 1, not 2"),
        (["--fault", "reset=0.7", "--fault", "html=0.7"], "must be at most 1"),
        (["--fault", "reset=often"], "write NAME=RATE, as in reset=0.05"),
        (["--port", "1x"], "is not a valid integer"),
        (["--port", "80000"], "80000 is not in the range 0<=x<=65535"),
        (["--port", "-5"], "-5 is not in the range 0<=x<=65535"),
        (
            ["--count", "none/count.sqlite"],
            "can't write none/count.sqlite: the folder none does not exist; create it first",
        ),
    ],
)
def test_a_usage_error_is_named(judgecore: Program, options: list[str], says: str) -> None:
    done = judgecore("serve", *options)

    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())


def test_a_port_that_is_taken_is_named(judgecore: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = judgecore("serve", "--port", f"{taken.getsockname()[1]}")

    assert done.returncode == 2
    assert "can't listen" in done.stderr


def test_the_key_that_it_was_started_with_is_asked_for(serve: Callable[..., Serving]) -> None:
    server = serve("--api-key", "the-right-key")

    with pytest.raises(jc.errors.TargetError, match="status 401"):
        ask(server.url, "yes or no?", api_key="another")
    assert ask(server.url, "yes or no?", api_key="the-right-key").text == "No"


def test_counts_add_up_over_several_runs(serve: Callable[..., Serving], tmp_path: Path) -> None:
    count = tmp_path / "count.sqlite"
    for _ in range(2):
        server = serve("--count", str(count))
        ask(server.url, "yes or no?")
        server.stop()

    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(count)) as file:
        assert file.execute("SELECT count(*), count(DISTINCT body) FROM request").fetchone() == (2, 1)
