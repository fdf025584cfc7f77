"""The ledger's file: its tables, its version, and the lock that keeps it to one writing process."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from judgecore.errors import LedgerError, LedgerLockedError, LedgerVersionError, LedgerWriteError
from judgecore.replacement import say_missing_folder

if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

MEMORY: Final = ":memory:"
"""The path of a ledger that ends with its process."""

# "jcld", by which the file is told from other SQLite files.
APPLICATION_ID: Final = 0x6A636C64

STEPS: Final = (
    """
    CREATE TABLE target (
        id INTEGER PRIMARY KEY,
        hash TEXT NOT NULL UNIQUE,
        identity TEXT NOT NULL,
        dialect TEXT NOT NULL
    );
    CREATE TABLE request (
        id INTEGER PRIMARY KEY,
        content BLOB NOT NULL,
        target INTEGER NOT NULL REFERENCES target (id),
        trial INTEGER NOT NULL,
        ask INTEGER NOT NULL,
        question BLOB NOT NULL,
        request TEXT NOT NULL,
        state TEXT NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'sent', 'received')),
        attempts INTEGER NOT NULL DEFAULT 0,
        resent INTEGER NOT NULL DEFAULT 0,
        planned_at REAL NOT NULL,
        sent_at REAL,
        received_at REAL,
        reply BLOB,
        error TEXT,
        outcome TEXT,
        prompt_tokens INTEGER,
        completion_tokens INTEGER,
        UNIQUE (content, target, trial, ask)
    );
    """,
    "CREATE INDEX request_by_question ON request (question, trial, ask);",
)
"""What made the tables, step by step: a ledger of version n has gone through the first n."""

VERSION: Final = len(STEPS)

BUSY_S: Final = 10.0
"""How long a write waits for another process, in seconds."""


class WriterLock:
    """The lock of the one process that writes a ledger; the system lets go of it when the process ends.

    Args:
        path: The ledger.

    Raises:
        LedgerLockedError: If another process, or another ``Ledger`` of this one, has it.
        LedgerWriteError: If the folder can't be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}-lock")
        try:
            self._file: IO[bytes] = self._path.open("ab")
        except OSError as problem:
            cure = say_missing_folder(path) or f"{problem.strerror}; choose a folder that may be written"
            raise LedgerWriteError(f"{path}: the ledger can't be written: {cure}") from problem
        try:
            _lock(self._file)
        except OSError as problem:
            self._file.close()
            raise LedgerLockedError(
                f"{path}: another process writes this ledger; wait for it, or give each process a ledger of its own "
                "and merge them with `judgecore ledger merge`"
            ) from problem

    def release(self) -> None:
        """Let go; the file stays, because removing it would race with the next process."""
        self._file.close()


def open_to_write(path: Path | None, *, is_durable: bool) -> sqlite3.Connection:
    """Open a ledger, made or migrated where that is needed.

    Args:
        path: The file; None for one in memory.
        is_durable: Whether a commit survives a power cut.

    Raises:
        LedgerVersionError: If a newer judgecore wrote it.
        LedgerError: If the file is no ledger.
        LedgerWriteError: If it can't be written.
    """
    name = MEMORY if path is None else str(path)
    address = MEMORY if path is None else f"file:{quote(str(path.absolute()))}"
    try:
        connection = sqlite3.connect(
            address, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_S, cached_statements=1024
        )
    except sqlite3.Error as problem:
        raise write_error(name, problem) from problem
    try:
        version = _checked_version(connection, name)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {'FULL' if is_durable else 'NORMAL'}")
        if version < VERSION:
            _migrate(connection, version)
    except sqlite3.Error as problem:
        connection.close()
        raise write_error(name, problem) from problem
    except BaseException:
        connection.close()
        raise
    return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a ledger that another process may be writing.

    Raises:
        LedgerError: If there is no such file, or it is no ledger.
        LedgerVersionError: If a newer judgecore wrote it, or an older one whose ledger was not opened since.
    """
    if not path.is_file():
        raise LedgerError(f"{path}: there is no such ledger")
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        connection = _connected(address)
    except sqlite3.OperationalError:
        # Without a log beside it nobody is writing; in a folder that is read-only SQLite must be told so.
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise
        connection = _connected(f"{address}&immutable=1")
    except sqlite3.DatabaseError as problem:
        raise LedgerError(f"{path}: this is no ledger: {problem}") from problem
    try:
        version = _checked_version(connection, str(path))
    except BaseException:
        connection.close()
        raise
    if version < VERSION:
        connection.close()
        raise LedgerVersionError(
            f"{path}: the ledger has version {version}, this judgecore reads {VERSION}; "
            "open it once to write, with judgecore.Ledger, to bring it up to date"
        )
    return connection


def write_error(name: str, problem: sqlite3.Error) -> LedgerError:
    """Say what a failed write means, and what to do."""
    said = str(problem)
    if isinstance(problem, sqlite3.DatabaseError) and "not a database" in said:
        return LedgerError(f"{name}: this is no ledger: {said}")
    cure = "free some space, then run again; what was kept is whole" if "full" in said else "what was kept is whole"
    return LedgerWriteError(f"{name}: the ledger can't be written: {said}; {cure}")


def _connected(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_S)
    try:
        connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _checked_version(connection: sqlite3.Connection, name: str) -> int:
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.DatabaseError as problem:
        if isinstance(problem, sqlite3.OperationalError):
            raise
        raise LedgerError(f"{name}: this is no ledger: {problem}") from problem
    if application != APPLICATION_ID and (application or version or tables):
        raise LedgerError(f"{name}: this is an SQLite file, and no ledger; choose another path")
    if version > VERSION:
        raise LedgerVersionError(
            f"{name}: the ledger has version {version}, this judgecore knows {VERSION}; upgrade judgecore to use it"
        )
    return int(version)


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    """Go through the steps that are missing, all or none."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        for step in STEPS[version:]:
            for statement in filter(str.strip, step.split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _lock(file: IO[bytes]) -> None:
    """Take the system's lock on a file, or fail at once."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        import msvcrt  # noqa: PLC0415 - on Windows alone

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
