"""Ctrl-C and SIGTERM stop a run cleanly: at once, with status 130, and ready to go on."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli.conftest import Program
    from conftest import Serving

ASK = Path(__file__).parents[1] / "programs" / "ask.py"
CONCURRENCY = 8
STOPS_IN_S = 2


def wait_for(server: Serving, requests: int) -> None:
    while server.count() < requests:
        time.sleep(0.01)


def received(path: Path) -> int:
    with jc.LedgerReader(path) as ledger:
        return ledger.counts()["received"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_waits_for_a_slow_endpoint_stops_at_once(
    serve: Callable[..., Serving], tmp_path: Path, number: signal.Signals
) -> None:
    server, path = serve("--delay-ms", "600000"), tmp_path / "run.ledger"
    run = subprocess.Popen([sys.executable, ASK, server.url, path, "100", f"{CONCURRENCY}"], stderr=subprocess.PIPE)
    wait_for(server, CONCURRENCY)

    run.send_signal(number)
    said = run.communicate(timeout=STOPS_IN_S)[1]

    assert (run.returncode, said) == (130, b"")
    with jc.LedgerReader(path) as ledger:
        assert ledger.counts() == {"planned": 92, "sent": 8, "received": 0, "failed": 0, "resent": 0}


def test_ctrl_c_on_a_terminal_keeps_what_was_received_and_the_run_goes_on(
    serve: Callable[..., Serving], judgecore: Program, tmp_path: Path
) -> None:
    server, path = serve("--delay-ms", "20"), tmp_path / "run.ledger"
    judgecore.path = Path(sys.executable)
    command = [str(ASK), server.url, str(path), "300", f"{CONCURRENCY}"]

    with judgecore.on_terminal(*command) as terminal:
        wait_for(server, 100)
        terminal.press(b"\x03")
        shown, status = terminal.wait()
    kept = received(path)
    done = judgecore.process(*command)

    assert (status, shown.replace("^C", "").strip()) == (130, "")
    assert kept >= 100 - CONCURRENCY
    assert (done.returncode, received(path)) == (0, 300)
    assert server.count() <= 300 + CONCURRENCY


def test_signal_handlers_are_restored_afterwards() -> None:
    code = (
        "import asyncio, os, signal\n"
        "from judgecore.cli.interruption import run_interruptible\n"
        "before = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]\n"
        "async def work(): return 7\n"
        "assert run_interruptible(work()) == 7\n"
        "assert before == [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]\n"
        "os.kill(os.getpid(), signal.SIGTERM)\n"
    )

    done = subprocess.run([sys.executable, "-c", code], check=False)

    assert done.returncode == -signal.SIGTERM


def test_work_that_cancels_itself_is_not_taken_for_interrupted() -> None:
    code = (
        "import asyncio\n"
        "from judgecore.cli.interruption import run_interruptible\n"
        "async def work(): raise asyncio.CancelledError\n"
        "try: run_interruptible(work())\n"
        "except asyncio.CancelledError: print('cancelled')\n"
    )

    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert done.stdout == "cancelled\n"
