"""The memory of a run does not grow with the number of its requests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Serving

PROGRAM = Path(__file__).parents[1] / "programs" / "many_requests.py"
IS_SOAK = "JUDGECORE_SOAK" in os.environ


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory from /proc")
def test_memory_does_not_grow_with_the_number_of_requests(tmp_path: Path) -> None:
    n, most_kb = (200_000, 8192) if IS_SOAK else (4_000, 4096)

    used = memory_kb(tmp_path / "run.ledger", n)

    # The first quarter fills caches and pools.
    assert max(used[2:]) - used[1] < most_kb, used


@pytest.mark.skipif(not IS_SOAK, reason="takes minutes: make soak")
def test_memory_does_not_grow_with_the_number_of_requests_over_http(
    serve: Callable[..., Serving], tmp_path: Path
) -> None:
    used = memory_kb(tmp_path / "run.ledger", 100_000, serve("--delay-ms", "20").url)

    assert max(used[2:]) - used[1] < 8192, used


def memory_kb(ledger: Path, n: int, *url: str) -> list[int]:
    """The memory of a process at eight times of a run."""
    command = [sys.executable, str(PROGRAM), str(ledger), str(n), *url]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    used = [int(line) for line in done.stdout.split()]
    assert len(used) == 8
    return used
