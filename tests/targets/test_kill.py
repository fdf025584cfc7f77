"""Killed at any moment, a run loses no reply that it received, and asks twice only what was in flight.

``make soak`` kills runs of ten thousand items at fifty random moments; ``make test`` smaller ones at five.
"""

from __future__ import annotations

import functools
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
SEEDS, ITEMS = (50, 10_000) if os.environ.get("JUDGECORE_SOAK") else (5, 600)
CONCURRENCY = 64
# A request that is alone goes another way into the ledger, and is slower.
RUNS = [
    *(pytest.param(seed, (ITEMS, CONCURRENCY), id=f"{seed}") for seed in range(SEEDS)),
    *(pytest.param(seed, (ITEMS // 10, 1), id=f"{seed}-alone") for seed in range(SEEDS // 5)),
]


def command(server: Serving, path: Path, items: int, concurrency: int) -> list[str]:
    return [sys.executable, str(PROGRAM), server.url, str(path), str(items), str(concurrency)]


def finished(server: Serving, path: Path, items: int, concurrency: int) -> str:
    """What a run prints that nobody disturbs."""
    done = subprocess.run(command(server, path, items, concurrency), check=True, capture_output=True, text=True)
    return done.stdout


def received(path: Path) -> dict[str, bytes | None]:
    with jc.LedgerReader(path) as ledger:
        return {entry.key: entry.raw for entry in ledger.entries("received")}


@pytest.fixture(scope="module")
def undisturbed(serve_all: Callable[..., Serving], tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], str]:
    """What a run of so many items prints that nobody kills."""

    @functools.cache
    def said(items: int) -> str:
        return finished(serve_all(), tmp_path_factory.mktemp("undisturbed") / "run.ledger", items, CONCURRENCY)

    return said


@pytest.mark.parametrize(("seed", "size"), RUNS)
def test_a_killed_run_goes_on_and_ends_like_one_that_was_not(
    serve: Callable[..., Serving],
    tmp_path: Path,
    undisturbed: Callable[[int], str],
    seed: int,
    size: tuple[int, int],
) -> None:
    items, concurrency = size
    chance = random.Random(seed)  # noqa: S311 - a moment, no secret
    server, path = serve(), tmp_path / "run.ledger"
    moments = sorted(chance.sample(range(1, items), 2))
    before: dict[str, bytes | None] = {}

    for moment in moments:
        run = subprocess.Popen(command(server, path, items, concurrency), stdout=subprocess.DEVNULL)
        while run.poll() is None and server.count() < moment:
            time.sleep(chance.uniform(0.0, 0.01))
        run.kill()
        run.wait()
        kept, before = before, received(path)
        assert kept.items() <= before.items()
    said = finished(server, path, items, concurrency)

    after = received(path)
    with jc.LedgerReader(path) as ledger:
        counts = ledger.counts()
    assert undisturbed(items) == said
    assert before.items() <= after.items()
    assert counts == {**counts, "planned": 0, "sent": 0, "received": items}
    # What was sent again is what was in flight when the process was killed.
    assert items <= server.count() <= items + counts["resent"]
    assert counts["resent"] <= concurrency * len(moments)
