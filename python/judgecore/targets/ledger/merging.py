"""``merge_ledgers``: the ledgers of several processes become one."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from judgecore.errors import LedgerError
from judgecore.targets.ledger.row import CHANGING, FIXED
from judgecore.targets.ledger.schema import (
    SqliteProblem,
    WriterLock,
    check_rows,
    open_to_read,
    open_to_write,
    read_error,
    write_error,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from os import PathLike

_TARGETS = """
    INSERT INTO main.target (hash, identity, dialect, checksum)
    SELECT hash, identity, dialect, checksum FROM source.target WHERE hash NOT IN (SELECT hash FROM main.target)
"""
_JOINED = """
    FROM source.request AS theirs
    JOIN source.target AS their_target ON their_target.id = theirs.target
    JOIN main.target AS our_target ON our_target.hash = their_target.hash
"""
_CONFLICTS = f"""
    SELECT count(*) {_JOINED}
    JOIN main.request AS ours ON ours.content = theirs.content AND ours.target = our_target.id
        AND ours.trial = theirs.trial AND ours.ask = theirs.ask
    WHERE ours.state = 'received' AND theirs.state = 'received' AND ours.reply IS NOT theirs.reply
"""
_COLUMNS = (*FIXED, *CHANGING, "reply", "checksum")
# What a row without a reply becomes when another ledger's is further: that one's, with the attempts of both.
_TAKEN = {name: f"excluded.{name}" for name in (*CHANGING, "reply")} | {
    name: f"request.{name} + excluded.{name}" for name in ("attempts", "resent")
}
_SERVED = ", ".join((*(f"request.{name}" for name in FIXED), *_TAKEN.values()))
_ROWS = f"""
    INSERT INTO main.request (target, {", ".join(_COLUMNS)})
    SELECT our_target.id, {", ".join(f"theirs.{name}" for name in _COLUMNS)}
    {_JOINED}
    WHERE true ORDER BY theirs.id
    ON CONFLICT (content, target, trial, ask) DO UPDATE SET
        {", ".join(f"{name} = {value}" for name, value in _TAKEN.items())},
        checksum = row_checksum((SELECT hash FROM main.target WHERE id = request.target), {_SERVED})
    WHERE request.state <> 'received' AND (excluded.state = 'received' OR request.state = 'planned')
"""  # noqa: S608 - names of columns


@dataclass(frozen=True)
class LedgerMerge:
    """What a merge did.

    Attributes:
        rows: How many requests the ledger holds now.
        added: How many of them are new.
        received: How many of them have a reply.
        conflicts: How many were answered in two ledgers, differently; the first one's reply is kept.
    """

    rows: int
    added: int
    received: int
    conflicts: int


def merge_ledgers(into: str | PathLike[str], sources: Iterable[str | PathLike[str]]) -> LedgerMerge:
    """Add the rows of ledgers to another one, each ledger as a whole or not at all.

    A request that several hold stands once: with its reply, if one has it; with the reply that was there first, if
    several have.

    Args:
        into: The ledger to add to, made if it is not there.
        sources: The ledgers to add, which stay as they are.

    Returns:
        What was added.

    Raises:
        LedgerLockedError: If another process writes ``into``.
        LedgerDamagedError: If one of them is damaged; then nothing was added.
        LedgerError: If a source is no ledger, is ``into``, or has batches that are not collected.
        LedgerWriteError: If ``into`` can't be written; the ledgers before are then in it, and the rest is not.
    """
    path = Path(into)
    paths = [Path(source) for source in sources]
    for source in paths:
        with closing(open_to_read(source)) as connection:
            check_rows(connection, str(source))
            try:
                (pending,) = connection.execute("SELECT count(*) FROM batch WHERE state = 'submitted'").fetchone()
            except SqliteProblem as problem:
                raise read_error(str(source), problem) from problem
        if pending:
            raise LedgerError(f"{source}: {pending:,} batches are not collected; run `judgecore ledger collect` first")
        if source.absolute() == path.absolute():
            raise LedgerError(f"{path}: a ledger can't be merged into itself; name another one first")
    lock = WriterLock(path)
    try:
        with closing(open_to_write(path, is_durable=True)) as connection:
            try:
                check_rows(connection, str(path))
                return _merge(connection, paths)
            except SqliteProblem as problem:
                raise write_error(str(path), problem) from problem
    finally:
        lock.release()


def _merge(connection: sqlite3.Connection, paths: list[Path]) -> LedgerMerge:
    before = _count(connection)
    conflicts = 0
    # A database can't be attached inside a transaction, and ten at most are at once: they are copied one by one.
    for path in paths:
        connection.execute("ATTACH DATABASE ? AS source", (f"file:{quote(str(path.absolute()))}?mode=ro",))
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(_TARGETS)
            conflicts += int(connection.execute(_CONFLICTS).fetchone()[0])
            connection.execute(_ROWS)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        finally:
            connection.execute("DETACH DATABASE source")
    rows = _count(connection)
    (received,) = connection.execute("SELECT count(*) FROM request WHERE state = 'received'").fetchone()
    return LedgerMerge(rows, rows - before, int(received), conflicts)


def _count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM request").fetchone()[0])
