"""``judgecore score`` and an endpoint that is down: the run ends in order, or goes on when the endpoint is back."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest
from conftest import Serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from cli.conftest import Program

ROWS = 40
FAST = "pacing: {{backoff_s: 0.02, no_answer_s: 0.3, outage_s: {outage_s}}}\n"


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def files(write: Callable[..., Path]) -> tuple[str, ...]:
    """A table and a scorer, and the command that scores it."""
    write("refusal.yaml", "type: SelfAskRefusalScorer\ntrue_false_question_path: refusal_lenient\n")
    write("r.jsonl", "".join(json.dumps({"response": f"Answer number {one}."}) + "\n" for one in range(ROWS)))
    options = "--scorer refusal.yaml --target judge.yaml --ledger run.db -o out.jsonl --concurrency 4"
    return ("score", "r.jsonl", *options.split())


class Outage:
    """Starts judges that a test may kill."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory
        self.started: list[Serving] = []

    def start(self, *options: str) -> Serving:
        self.started.append(Serving(self._factory.mktemp("serve"), *options))
        return self.started[-1]


@pytest.fixture
def outage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outage]:
    """What starts judges; those that are left are ended."""
    outage = Outage(tmp_path_factory)
    yield outage
    for one in outage.started:
        kill(one)
        assert one.process.stdout is not None
        one.process.stdout.close()


def judge(url: str, *, outage_s: float = 600) -> str:
    return f"type: OpenAITarget\nmodel: judge\ntemperature: 0\nbase_url: {url}\n" + FAST.format(outage_s=outage_s)


def test_a_run_that_nothing_answers_ends_in_order_and_says_what_to_do(
    judgecore: Program, write: Callable[..., Path], files: tuple[str, ...], tmp_path: Path
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        write("judge.yaml", judge(f"http://127.0.0.1:{free.getsockname()[1]}/v1"))

    done = judgecore(*files, OPENAI_API_KEY="any-key-of-tests")

    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 5, said
    assert f"{ROWS} of {ROWS} rows were not asked" in said
    assert "has answered nothing for 0.3 s: no connection to 127.0.0.1:" in said
    assert "Error:" not in said
    assert "Errno" not in said
    assert "start it or check its address" in said
    assert [(row["score_status"], row["score_reason"]) for row in read(tmp_path / "out.jsonl")] == [
        ("not_asked", "endpoint_down")
    ] * ROWS


def start(command: tuple[str, ...], judgecore: Program) -> subprocess.Popen[bytes]:
    env = judgecore.environment(OPENAI_API_KEY="any-key-of-tests")
    return subprocess.Popen([judgecore.path, *command], cwd=judgecore.folder, env=env, stderr=subprocess.PIPE)


def wait_for(server: Serving, requests: int) -> None:
    while server.count() < requests:
        time.sleep(0.01)


def kill(server: Serving) -> None:
    server.process.kill()
    server.process.wait()


def test_a_judge_that_is_killed_in_mid_run_is_given_up_and_the_same_command_goes_on(
    judgecore: Program, write: Callable[..., Path], files: tuple[str, ...], tmp_path: Path, outage: Outage
) -> None:
    server = outage.start("--delay-ms", "30")
    write("judge.yaml", judge(server.url, outage_s=0.5))
    run = start(files, judgecore)
    wait_for(server, 20)
    kill(server)
    said = run.communicate(timeout=60)[1].decode()
    kept = [row["score_status"] for row in read(tmp_path / "out.jsonl")]
    asked_before = server.count()
    again = outage.start("--port", server.url.rsplit(":", 1)[1].removesuffix("/v1"))

    done = judgecore(*files, OPENAI_API_KEY="any-key-of-tests")

    assert run.returncode == 5, said
    assert set(kept) == {"complete", "not_asked"}
    assert kept.count("complete") >= 20 - 4
    assert done.returncode == 0, done.stderr
    assert [row["score_status"] for row in read(tmp_path / "out.jsonl")] == ["complete"] * ROWS
    assert asked_before + again.count() <= ROWS + 4


def until_down(run: subprocess.Popen[bytes]) -> list[str]:
    """The lines of a run up to the one that says that its endpoint is down."""
    assert run.stderr is not None
    lines: list[str] = []
    for line in run.stderr:
        lines.append(line.decode())
        if "endpoint down" in lines[-1]:
            break
    return lines


def test_a_judge_that_comes_back_is_found_by_probes_and_no_row_is_lost(
    judgecore: Program, write: Callable[..., Path], files: tuple[str, ...], tmp_path: Path, outage: Outage
) -> None:
    server = outage.start("--delay-ms", "30")
    write("judge.yaml", judge(server.url))
    run = start(files, judgecore)
    wait_for(server, 20)
    kill(server)
    lines = until_down(run)
    outage.start("--port", server.url.rsplit(":", 1)[1].removesuffix("/v1"))

    lines.append(run.communicate(timeout=60)[1].decode())

    assert run.returncode == 0, lines
    assert "endpoint down, " in lines[-2]
    assert [row["score_status"] for row in read(tmp_path / "out.jsonl")] == ["complete"] * ROWS


BATCH = "batch: {poll_s: 0.02, max_poll_s: 0.1, max_requests: 8, attempts: 9, confirm_within_s: 0.3}\n"
WAITING = ("--batch", "--wait")


def test_a_wait_for_batches_outlives_a_killed_server_that_comes_back(
    judgecore: Program, write: Callable[..., Path], files: tuple[str, ...], tmp_path: Path, outage: Outage
) -> None:
    server = outage.start()
    write("judge.yaml", judge(server.url) + BATCH)
    run = start((*files, *WAITING), judgecore)
    # Some batches are submitted, and none has ended.
    wait_for(server, 4)
    kill(server)
    lines = until_down(run)
    # It has forgotten the batches, so that they are submitted again.
    outage.start("--port", server.url.rsplit(":", 1)[1].removesuffix("/v1"))

    lines.append(run.communicate(timeout=60)[1].decode())

    assert run.returncode == 0, lines
    assert [row["score_status"] for row in read(tmp_path / "out.jsonl")] == ["complete"] * ROWS


def test_a_wait_for_batches_of_a_server_that_stays_away_ends_in_order_and_goes_on_later(
    judgecore: Program,
    write: Callable[..., Path],
    files: tuple[str, ...],
    outage: Outage,
) -> None:
    server = outage.start()
    write("judge.yaml", judge(server.url, outage_s=0.5) + BATCH)
    run = start((*files, *WAITING), judgecore)
    wait_for(server, 4)
    kill(server)
    said = run.communicate(timeout=60)[1].decode()
    had_output = (judgecore.folder / "out.jsonl").exists()
    outage.start("--port", server.url.rsplit(":", 1)[1].removesuffix("/v1"))

    done = judgecore(*files, *WAITING, OPENAI_API_KEY="any-key-of-tests")

    assert (run.returncode, had_output) == (4, False), said
    assert "are pending; " in said
    assert "no connection to 127.0.0.1:" in said
    assert "run the same command again later" in said
    assert done.returncode == 0, done.stderr
    assert [row["score_status"] for row in read(judgecore.folder / "out.jsonl")] == ["complete"] * ROWS
