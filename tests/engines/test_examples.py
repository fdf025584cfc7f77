"""The examples that need an engine run as they are written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pl: Any = pytest.importorskip("polars", reason="not installed here: make test-engines")

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_example_of_polars_reads_a_column_and_counts_what_is_unread(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / "bulk_polars.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("{'ok': 60000, 'missing': 20000, 'refused': 20000}\n")
