"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data beside the project, or the one that ``JUDGECORE_SHARED`` names."""
    folder = Path(os.environ.get("JUDGECORE_SHARED") or Path(__file__).parents[2] / "shared")
    if not (folder / "reference").is_dir():
        pytest.skip(f"no reference data in {folder}; set JUDGECORE_SHARED to the folder that holds it")
    return folder
