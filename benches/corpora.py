"""Replies of real judges, from the folder of reference data next to the project."""

from __future__ import annotations

import json
import os
from itertools import count, cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Families of deliberately broken documents instead of judges' replies.
MADE = ("baml_jsonish", "json_repair_asserts", "json_test_suite", "langchain_instructor_json", "peer_format_tests")


LETTERS = "bcdfghjkmpqrtvwz"


def folder() -> Path:
    """Return the folder of the corpora, which may not exist."""
    return Path(os.environ.get("JUDGECORE_SHARED") or Path(__file__).parents[2] / "shared") / "corpora"


def replies() -> list[str]:
    """Return all replies, ordered by family; none if the folder is missing."""
    files = [file for file in sorted(folder().glob("*.jsonl")) if file.stem not in MADE]
    rows = (json.loads(line) for file in files for line in file.read_text("utf-8").splitlines())
    return [raw for row in rows if isinstance(raw := row.get("raw"), str) and raw]


def words() -> Iterator[str]:
    """Generate meaningless words; the first million are distinct."""
    return ("".join(LETTERS[(nth >> shift) & 15] for shift in (16, 12, 8, 4, 0)) for nth in count())


def different(texts: list[str], wanted: int) -> list[str]:
    """Return a number of distinct texts: a unique word is inserted near the middle of each."""
    made: list[str] = []
    for text, word in islice(zip(cycle(texts), words(), strict=False), wanted):
        middle = text.find(" ", len(text) // 2)
        made.append(f"{text} {word}" if middle < 0 else f"{text[:middle]} {word}{text[middle:]}")
    return made
