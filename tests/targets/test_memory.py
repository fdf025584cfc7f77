"""The memory of a run does not grow with the number of its requests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "programs" / "many_requests.py"
IS_SOAK = "JUDGECORE_SOAK" in os.environ


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory from /proc")
def test_memory_does_not_grow_with_the_number_of_requests(tmp_path: Path) -> None:
    n, most_kb = (200_000, 8192) if IS_SOAK else (4_000, 4096)

    command = [sys.executable, str(PROGRAM), str(tmp_path / "run.ledger"), str(n)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)

    used = [int(line) for line in done.stdout.split()]
    assert len(used) == 8
    # The first quarter fills caches and pools.
    assert max(used[2:]) - used[1] < most_kb, used
