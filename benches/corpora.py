"""Real judges' replies, from the folder of reference data beside the project."""

from __future__ import annotations

import json
import os
from pathlib import Path

# Families whose rows are no judges' replies but documents made to be broken.
MADE = ("baml_jsonish", "json_repair_asserts", "json_test_suite", "langchain_instructor_json", "peer_format_tests")


def folder() -> Path:
    """Where they are, or would be."""
    return Path(os.environ.get("JUDGECORE_SHARED") or Path(__file__).parents[2] / "shared") / "corpora"


def replies() -> list[str]:
    """All replies, in the order of their families; none where the folder is not there."""
    files = [file for file in sorted(folder().glob("*.jsonl")) if file.stem not in MADE]
    rows = (json.loads(line) for file in files for line in file.read_text("utf-8").splitlines())
    return [raw for row in rows if isinstance(raw := row.get("raw"), str) and raw]
