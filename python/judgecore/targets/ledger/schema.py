"""The ledger's file: its tables, its version, and its writer lock."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from judgecore.errors import (
    LedgerDamagedError,
    LedgerError,
    LedgerLockedError,
    LedgerVersionError,
    LedgerWriteError,
)
from judgecore.replacement import missing_folder_problem
from judgecore.targets.ledger.row import CHANGING, FIXED, row_checksum, target_checksum

if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

MEMORY: Final = ":memory:"
"""The path of a ledger in memory."""

# "jcld", which distinguishes ledgers from other SQLite files.
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
    f"""
    ALTER TABLE target ADD COLUMN checksum BLOB;
    ALTER TABLE request ADD COLUMN checksum BLOB;
    UPDATE target SET checksum = target_checksum(hash, identity, dialect);
    UPDATE request SET checksum = row_checksum(
        (SELECT hash FROM target WHERE target.id = request.target), {", ".join((*FIXED, *CHANGING))}, reply
    );
    """,  # noqa: S608 - names of columns
    """
    CREATE TABLE batch (
        id INTEGER PRIMARY KEY,
        submission TEXT NOT NULL UNIQUE,
        target INTEGER NOT NULL REFERENCES target (id),
        name TEXT,
        state TEXT NOT NULL CHECK (state IN ('submitted', 'collected', 'expired', 'failed')),
        n_requests INTEGER NOT NULL,
        submitted_at REAL NOT NULL,
        ended_at REAL,
        error TEXT,
        checksum BLOB NOT NULL
    );
    CREATE TABLE batch_request (
        batch INTEGER NOT NULL REFERENCES batch (id),
        position INTEGER NOT NULL,
        request INTEGER NOT NULL REFERENCES request (id),
        PRIMARY KEY (batch, position)
    ) WITHOUT ROWID;
    CREATE INDEX batch_request_by_request ON batch_request (request);
    """,
)
"""The migrations: a ledger of version n has applied the first n."""

VERSION: Final = len(STEPS)

BUSY_S: Final = 10.0
"""The maximum time to wait for another process, in seconds."""

SERVED: Final = ", ".join(("target.hash", *(f"request.{name}" for name in (*FIXED, *CHANGING)), "request.reply"))
"""The columns in the checksum of a request, in order."""

SqliteProblem: Final = (sqlite3.Error, UnicodeDecodeError)
"""The exceptions of SQLite; a message about a damaged file may not be valid UTF-8."""

# Ledgers up to this size, for which it takes about a second, are checked completely when they are opened; the rows of
# larger ones are checked when they are read.
_CHECKED_BYTES = 1 << 30

_CURE = "`judgecore ledger export --salvage` recovers the intact rows"

# Errors that do not mean that the file is damaged.
_NOT_THE_FILES_FAULT = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
    }
)


class WriterLock:
    """The lock of the process that writes a ledger; the system releases it when the process ends."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}-lock")
        try:
            self._file: IO[bytes] = self._path.open("ab")
        except OSError as problem:
            cure = missing_folder_problem(path) or f"{problem.strerror}; choose a folder that may be written"
            raise LedgerWriteError(f"{path}: the ledger can't be written: {cure}") from problem
        try:
            _lock(self._file)
        except OSError as problem:
            self._file.close()
            raise LedgerLockedError(
                f"{path}: another process writes this ledger; wait for it, or use a separate ledger for each process "
                "and merge them with `judgecore ledger merge`"
            ) from problem

    def release(self) -> None:
        """Release the lock; the file is kept, because removing it would be a race condition."""
        self._file.close()


def open_to_write(path: Path | None, *, is_durable: bool) -> sqlite3.Connection:
    """Open a ledger for writing; create or migrate it if necessary."""
    name = MEMORY if path is None else str(path)
    address = MEMORY if path is None else f"file:{quote(str(path.absolute()))}"
    try:
        connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_S)
    except SqliteProblem as problem:
        raise write_error(name, problem) from problem
    try:
        _add_functions(connection)
        version = _checked_version(connection, name)
        _check_pages(connection, name)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {'FULL' if is_durable else 'NORMAL'}")
        if version < VERSION:
            _migrate(connection, version)
        _check_targets(connection, name)
    except SqliteProblem as problem:
        connection.close()
        raise write_error(name, problem) from problem
    except BaseException:
        connection.close()
        raise
    return connection


def open_to_read(path: Path, *, is_checked: bool = False) -> sqlite3.Connection:
    """Open a ledger that another process may be writing."""
    if not path.is_file():
        raise LedgerError(f"{path}: there is no such ledger")
    try:
        connection = _connected_to_read(path)
    except SqliteProblem as problem:
        raise read_error(str(path), problem) from problem
    try:
        _add_functions(connection)
        version = _checked_version(connection, str(path))
        if not is_checked:
            _check_pages(connection, str(path))
        _check_old(version, path)
        _check_targets(connection, str(path))
    except SqliteProblem as problem:
        connection.close()
        raise read_error(str(path), problem) from problem
    except BaseException:
        connection.close()
        raise
    return connection


def _check_old(version: int, path: Path) -> None:
    """Check that a ledger does not have to be migrated."""
    if version < VERSION:
        raise LedgerVersionError(
            f"{path}: the ledger has version {version}, this judgecore reads {VERSION}; "
            "open it once to write, with judgecore.Ledger, to bring it up to date"
        )


def check_rows(connection: sqlite3.Connection, name: str) -> None:
    """Check the checksums of all rows."""
    sql = f"""
        SELECT request.id FROM request LEFT JOIN target ON target.id = request.target
        WHERE request.checksum IS NOT row_checksum({SERVED}) LIMIT 1
    """  # noqa: S608 - names of columns
    try:
        _check_targets(connection, name)
        for (row,) in connection.execute(sql):
            raise damaged(name, f"the row of request {row} has been altered")
    except SqliteProblem as problem:
        raise read_error(name, problem) from problem


def damaged(name: str, said: str) -> LedgerDamagedError:
    """Make the error of a damaged ledger."""
    return LedgerDamagedError(f"{name}: the ledger is damaged: {said}; {_CURE}")


def read_error(name: str, problem: Exception) -> LedgerError:
    """Make the error of a failed read, with its fix."""
    code = getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code == sqlite3.SQLITE_NOTADB:
        return LedgerError(f"{name}: this is not a ledger: {problem}; if it was one, {_CURE}")
    if code in _NOT_THE_FILES_FAULT:
        return LedgerError(f"{name}: the ledger can't be read: {problem}")
    # SQLite's message may contain text from the file, such as a reply.
    said = "a text in it is not valid UTF-8" if "decode" in str(problem) else str(problem)
    return damaged(name, said)


def write_error(name: str, problem: Exception) -> LedgerError:
    """Make the error of a failed write, with its fix."""
    said = str(problem)
    code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
    # With intact rows no constraint is violated, and all tables exist.
    if isinstance(problem, UnicodeDecodeError) or code in (
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_ERROR,
    ):
        return read_error(name, problem)
    intact = "the stored rows are intact"
    cure = f"free some space, then run again; {intact}" if "full" in said else intact
    return LedgerWriteError(f"{name}: the ledger can't be written: {said}; {cure}")


def _connected_to_read(path: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        return _connected(address)
    except sqlite3.OperationalError:
        # Without a log nothing is being written; in a read-only folder SQLite needs this option then.
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise
        return _connected(f"{address}&immutable=1")


def _connected(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_S)
    try:
        connection.execute("PRAGMA user_version").fetchone()
    except SqliteProblem:
        connection.close()
        raise
    return connection


def _add_functions(connection: sqlite3.Connection) -> None:
    connection.create_function("target_checksum", 3, target_checksum, deterministic=True)
    connection.create_function("row_checksum", -1, row_checksum, deterministic=True)


def _check_pages(connection: sqlite3.Connection, name: str) -> None:
    """Check the pages with SQLite, unless the file is large."""
    (n_pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
    if n_pages * page_bytes > _CHECKED_BYTES:
        return
    for (said,) in connection.execute("PRAGMA quick_check(1)"):
        if said != "ok":
            raise damaged(name, said)


def _check_targets(connection: sqlite3.Connection, name: str) -> None:
    sql = "SELECT id FROM target WHERE checksum IS NOT target_checksum(hash, identity, dialect) LIMIT 1"
    for (row,) in connection.execute(sql):
        raise damaged(name, f"the row of target {row} has been altered")


def _checked_version(connection: sqlite3.Connection, name: str) -> int:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != APPLICATION_ID and (application or version or tables):
        raise LedgerError(f"{name}: this is an SQLite file, but not a ledger; choose another path")
    if version > VERSION:
        raise LedgerVersionError(
            f"{name}: the ledger has version {version}, this judgecore knows {VERSION}; upgrade judgecore to use it"
        )
    return int(version)


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    """Apply the missing migrations in one transaction."""
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
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - on Windows alone

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415 - not on Windows

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
