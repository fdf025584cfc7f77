"""Real judges' replies, from the folder of reference data beside the project."""

from __future__ import annotations

import json
import os
from itertools import count, cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Families whose rows are no judges' replies but documents made to be broken.
MADE = ("baml_jsonish", "json_repair_asserts", "json_test_suite", "langchain_instructor_json", "peer_format_tests")


LETTERS = "bcdfghjkmpqrtvwz"


def folder() -> Path:
    """Where they are, or would be."""
    return Path(os.environ.get("JUDGECORE_SHARED") or Path(__file__).parents[2] / "shared") / "corpora"


def replies() -> list[str]:
    """All replies, in the order of their families; none where the folder is not there."""
    files = [file for file in sorted(folder().glob("*.jsonl")) if file.stem not in MADE]
    rows = (json.loads(line) for file in files for line in file.read_text("utf-8").splitlines())
    return [raw for row in rows if isinstance(raw := row.get("raw"), str) and raw]


def words() -> Iterator[str]:
    """Words of letters that say nothing, no two of the first million alike."""
    return ("".join(LETTERS[(nth >> shift) & 15] for shift in (16, 12, 8, 4, 0)) for nth in count())


def different(texts: list[str], wanted: int) -> list[str]:
    """So many of these texts, no two alike: behind a space near its middle, each has a word of its own."""
    made: list[str] = []
    for text, word in islice(zip(cycle(texts), words(), strict=False), wanted):
        middle = text.find(" ", len(text) // 2)
        made.append(f"{text} {word}" if middle < 0 else f"{text[:middle]} {word}{text[middle:]}")
    return made
