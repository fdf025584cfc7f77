"""``ServerTally``: record requests in an SQLite file, which other processes may read meanwhile."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TABLE = """
    CREATE TABLE IF NOT EXISTS request (
        id INTEGER PRIMARY KEY,
        at REAL NOT NULL,
        path TEXT NOT NULL,
        body TEXT NOT NULL,
        fault TEXT
    )
"""


class ServerTally:
    """The recorded requests, with their faults."""

    def __init__(self, path: Path | None) -> None:
        self._seen: Counter[str] = Counter()
        self._file = sqlite3.connect(":memory:" if path is None else path, isolation_level=None)
        # The records need not survive a power failure.
        for pragma in ("journal_mode = WAL", "synchronous = OFF"):
            self._file.execute(f"PRAGMA {pragma}")
        self._file.execute(_TABLE)

    def seen(self, body: str) -> int:
        """Return how often a body was received before, by this process."""
        return self._seen[body]

    def count(self, path: str, body: str, fault: str | None) -> None:
        """Record a request: its path, the SHA-256 of its body, and the injected fault."""
        self._seen[body] += 1
        self._file.execute(
            "INSERT INTO request (at, path, body, fault) VALUES (?, ?, ?, ?)", (time.time(), path, body, fault)
        )

    def close(self) -> None:
        """Close the file."""
        self._file.close()
