"""``ServerTally``: every request that came, counted in an SQLite file that others may read meanwhile."""

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
    """What came, and what was done to it.

    Args:
        path: The file, which is added to if it is there; None to count in memory.

    Raises:
        sqlite3.Error: If the file can't be written.
    """

    def __init__(self, path: Path | None) -> None:
        self._seen: Counter[str] = Counter()
        self._file = sqlite3.connect(":memory:" if path is None else path, isolation_level=None)
        # A count need not survive a power cut.
        for pragma in ("journal_mode = WAL", "synchronous = OFF"):
            self._file.execute(f"PRAGMA {pragma}")
        self._file.execute(_TABLE)

    def seen(self, body: str) -> int:
        """How often a body came before, in this process."""
        return self._seen[body]

    def count(self, path: str, body: str, fault: str | None) -> None:
        """Count a request: its path, the SHA-256 of its body, and the fault that it met."""
        self._seen[body] += 1
        self._file.execute(
            "INSERT INTO request (at, path, body, fault) VALUES (?, ?, ?, ?)", (time.time(), path, body, fault)
        )

    def close(self) -> None:
        """Close the file."""
        self._file.close()
