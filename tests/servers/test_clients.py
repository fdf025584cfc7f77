"""Clients that others wrote ask `judgecore serve`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from judgecore.server import MODEL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Serving
    from servers.conftest import Environment

KEY = "the-right-key-for-all"


@pytest.fixture
def server(serve: Callable[..., Serving]) -> Serving:
    return serve("--api-key", KEY)


def test_openais_client_finds_all_it_looks_for(clients: Environment, server: Serving) -> None:
    said = clients.client("openai_client.py", server.url, KEY)

    assert (said["models"], said["model"]) == ([MODEL], MODEL)
    assert (said["text"], said["finish_reason"], said["streamed"], said["azure"]) == ("No", "stop", "No", "No")
    assert (said["top"][:2], said["tokens"]) == (["No", "Yes"], True)
    assert set(said["object"]) == {"score", "passed"}
    assert said["wrong key"] == "AuthenticationError"


def test_anthropics_client_finds_all_it_looks_for(clients: Environment, server: Serving) -> None:
    said = clients.client("anthropic_client.py", server.url, KEY)

    assert (said["text"], said["streamed"], said["model"], said["stop_reason"]) == ("No", "No", MODEL, "end_turn")
    assert (said["object"], said["tokens"]) == ({"passed": False}, True)
    assert said["wrong key"] == "AuthenticationError"


def test_litellm_asks_by_each_of_its_routes(litellm: Environment, server: Serving) -> None:
    said = litellm.client("litellm_client.py", server.url, KEY)

    routes = [said[route] for route in said if "/" in route]
    assert routes == ["No"] * 4
    assert said["wrong key"] == "AuthenticationError"


def test_inspect_ai_runs_a_task_and_grades_it(clients: Environment, server: Serving, tmp_path: Path) -> None:
    done = clients.run(
        "inspect",
        "eval",
        "inspect_task.py",
        "--model",
        "openai-api/local/m",
        "--display",
        "plain",
        "--log-dir",
        tmp_path,
        "--log-format",
        "json",
        LOCAL_API_KEY=KEY,
        LOCAL_BASE_URL=server.url,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = tmp_path.glob("*.json")
    log = json.loads(file.read_text())
    assert log["status"] == "success"
    assert {sample["scores"]["model_graded_qa"]["value"] for sample in log["samples"]} <= {"C", "I"}
    assert server.count() >= 4
