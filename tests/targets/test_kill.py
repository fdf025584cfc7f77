"""Killed at any moment, a run loses no reply that it received, and asks twice only what was in flight.

``make soak`` kills runs of ten thousand items at fifty random moments; ``make test`` smaller ones at five.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Serving

PROGRAM = Path(__file__).parents[1] / "programs" / "ask.py"
SEEDS, ITEMS = (50, 10_000) if os.environ.get("JUDGECORE_SOAK") else (5, 2_000)
CONCURRENCY = 64


def command(server: Serving, path: Path) -> list[str]:
    return [sys.executable, str(PROGRAM), server.url, str(path), str(ITEMS), str(CONCURRENCY)]


def finished(server: Serving, path: Path) -> str:
    """What a run prints that nobody disturbs."""
    return subprocess.run(command(server, path), check=True, capture_output=True, text=True).stdout


def received(path: Path) -> dict[str, bytes | None]:
    with jc.LedgerReader(path) as ledger:
        return {entry.key: entry.raw for entry in ledger.entries("received")}


@pytest.fixture(scope="module")
def undisturbed(serve_all: Callable[..., Serving], tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a run prints that nobody kills."""
    return finished(serve_all(), tmp_path_factory.mktemp("undisturbed") / "run.ledger")


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_killed_run_goes_on_and_ends_like_one_that_was_not(
    serve: Callable[..., Serving], tmp_path: Path, undisturbed: str, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a moment, no secret
    server, path = serve(), tmp_path / "run.ledger"
    moments = sorted(chance.sample(range(1, ITEMS), 2))
    before: dict[str, bytes | None] = {}

    for moment in moments:
        run = subprocess.Popen(command(server, path), stdout=subprocess.DEVNULL)
        while run.poll() is None and server.count() < moment:
            time.sleep(chance.uniform(0.0, 0.01))
        run.kill()
        run.wait()
        kept, before = before, received(path)
        assert kept.items() <= before.items()
    said = finished(server, path)

    after = received(path)
    with jc.LedgerReader(path) as ledger:
        counts = ledger.counts()
    assert undisturbed == said
    assert before.items() <= after.items()
    assert counts == {**counts, "planned": 0, "sent": 0, "received": ITEMS}
    # What was sent again is what was in flight when the process was killed.
    assert ITEMS <= server.count() <= ITEMS + counts["resent"]
    assert counts["resent"] <= CONCURRENCY * len(moments)
