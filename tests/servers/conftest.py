"""What the tests with foreign clients and servers share; ``make test-servers`` runs them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / "tests" / "programs" / "clients"
# Nothing may leave the machine, not even for a price list.
QUIET = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "HF_HUB_OFFLINE": "1", "NO_COLOR": "1"}
STARTS_IN_S = 90


class Environment:
    """An environment of its own, with what others wrote."""

    def __init__(self, name: str) -> None:
        if os.environ.get("JUDGECORE_SERVERS") != "1":
            pytest.skip("`make test-servers` runs this")
        self.folder = ROOT / name
        if not (self.folder / ".made").exists():
            pytest.skip(f"there is no {name}; `make {name}/.made` makes it")

    def program(self, name: str) -> str:
        """A program of the environment."""
        return str(self.folder / "bin" / name)

    def run(self, *command: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment to its end, where our own clients are."""
        name, *arguments = map(str, command)
        return subprocess.run(
            [self.program(name), *arguments],
            env={**os.environ, **QUIET, **env},
            cwd=CLIENTS,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def client(self, name: str, *arguments: str) -> dict[str, Any]:
        """What a client of ours prints, run in the environment."""
        done = self.run("python", CLIENTS / name, *arguments)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="session")
def clients() -> Environment:
    """OpenAI's and Anthropic's clients, and Inspect AI."""
    return Environment(".venv-clients")


@pytest.fixture(scope="session")
def litellm() -> Environment:
    """litellm: its client and its proxy."""
    return Environment(".venv-litellm")


@pytest.fixture(scope="session")
def llama() -> Environment:
    """llama.cpp and its server."""
    return Environment(".venv-llama")


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """What starts a foreign server, and waits until its port answers; it is stopped at the end."""
    started: list[subprocess.Popen[bytes]] = []
    log = tmp_path_factory.mktemp("server") / "log.txt"

    def run(environment: Environment, name: str, *arguments: str | Path) -> str:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [environment.program(name), *map(str, arguments), "--host", "127.0.0.1", "--port", f"{port}"]
        with log.open("ab") as output:
            server = subprocess.Popen(
                command, stdout=output, stderr=output, env={**os.environ, **QUIET}, cwd=log.parent
            )
        started.append(server)
        until = time.monotonic() + STARTS_IN_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
            except OSError:
                assert server.poll() is None, log.read_text()
                assert time.monotonic() < until, log.read_text()
                time.sleep(0.1)
            else:
                return f"http://127.0.0.1:{port}"

    yield run
    for server in started:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
