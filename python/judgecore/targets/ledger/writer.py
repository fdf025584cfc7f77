"""What writes a ledger: what comes together is committed together, by one thread; what comes alone, where it stands."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeAlias

from judgecore.errors import LedgerError
from judgecore.targets.ledger.schema import BUSY_S, write_error

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

_ROWS_TOGETHER = 256
# What the thread does better: many rows, long replies, and now and then the checkpoint that keeps the log short.
_MOST_ROWS_HERE, _MOST_BYTES_HERE = 8, 1 << 16
# Two of so many: the one that may make the checkpoint, and the next, which waits for the log's new beginning.
_ROUND, _OF_THREAD = 256, 2
# The event loop waits neither for another process nor for a checkpoint.
_PRAGMAS_IN_LOOP = ("PRAGMA busy_timeout = 0", "PRAGMA wal_autocheckpoint = 0")
_PRAGMAS_IN_THREAD = (f"PRAGMA busy_timeout = {BUSY_S * 1000:.0f}", "PRAGMA wal_autocheckpoint = 1000")

_TARGET = "INSERT OR IGNORE INTO target (id, hash, identity, dialect) VALUES (?, ?, ?, ?)"
_PLAN = "INSERT INTO request (id, content, target, trial, ask, question, request, planned_at) VALUES "
_PLAN_ROW = "(?, ?, ?, ?, ?, ?, ?, ?)"
_SEND = """
    UPDATE request SET
        resent = resent + (state = 'sent' AND error IS NULL),
        state = 'sent', attempts = attempts + 1, sent_at = ?, error = NULL
    WHERE id """
_SEND_AGAIN = "UPDATE request SET attempts = attempts + 1, sent_at = ? WHERE id "
_RECEIVE = "UPDATE request SET state = 'received', received_at = ?, reply = "
_NOTE = "UPDATE request SET (outcome, prompt_tokens, completion_tokens) = "
_FAIL = """
    UPDATE request SET state = 'sent', error = new.column2, reply = coalesce(new.column3, reply)
    FROM (VALUES """
_AMONG = "IN (SELECT value FROM json_each(?))"
_OF_ROW = ") AS new WHERE request.id = new.column1"


_Row: TypeAlias = "tuple[Any, ...]"
_Statement: TypeAlias = "tuple[str, Sequence[Any]]"


@dataclass
class Batch:
    """Changes that are committed together, in the order of the fields.

    Attributes:
        targets: Rows of the table of targets.
        planned: Rows of the table of requests.
        sent: Ids of requests that leave.
        sent_again: Ids of requests that leave once more for the same answer.
        received: Ids with what was received.
        noted: Ids with outcome and tokens.
        failed: Ids with the error, and the bytes where there are any.
        waiting: Who waits for the commit.
    """

    targets: list[tuple[int, str, str, str]] = field(default_factory=list[tuple[int, str, str, str]])
    planned: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    sent: list[int] = field(default_factory=list[int])
    sent_again: list[int] = field(default_factory=list[int])
    received: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])
    noted: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    failed: list[tuple[int, str, bytes | None]] = field(default_factory=list[tuple[int, str, bytes | None]])
    waiting: list[asyncio.Future[None]] = field(default_factory=list[asyncio.Future[None]])

    def __len__(self) -> int:
        changes = len(self.sent) + len(self.sent_again) + len(self.received) + len(self.noted) + len(self.failed)
        return len(self.planned) + changes

    def take(self, other: Batch) -> None:
        """Add what another one holds."""
        for name, added in vars(other).items():
            getattr(self, name).extend(added)


class Writer:
    """Gathers changes of one turn of the event loop, and commits them in its thread.

    A commit waits for nothing: what comes while another one is under way is the next one. While one request alone is
    under way, its changes are committed where they come up, because waking a thread and being woken by it costs more
    than the commit. Replies whose commit failed are kept, and tried again with the next.

    Args:
        connection: To the ledger; the writer's alone until it is closed.
        name: What messages call the ledger.
        may_write_here: Whether a commit is quick enough for the event loop; one that waits for the disk is not.
    """

    def __init__(self, connection: sqlite3.Connection, name: str, *, may_write_here: bool) -> None:
        # How many requests are under way in the loop; a list, which those of a loop that stopped share no longer.
        self._under_way = [0]
        self._connection = connection
        self._name = name
        self._may_write_here = may_write_here
        self._gathering = Batch()
        self._queue: SimpleQueue[tuple[Batch, asyncio.AbstractEventLoop | None] | None] = SimpleQueue()
        self._unkept: list[tuple[int, bytes]] = []
        self._is_handing = False
        self._loop: asyncio.AbstractEventLoop | None = None
        # What was handed to the thread, and what it has written: the first is counted here, the second there.
        self._n_handed = self._n_done = 0
        self._pragmas: tuple[str, ...] = ()
        self._n_commits = _OF_THREAD
        self._thread = Thread(target=self._work, name="judgecore-ledger", daemon=True)
        self._thread.start()

    @property
    def gathering(self) -> Batch:
        """The batch that changes are added to; call ``commit`` or ``leave`` after adding."""
        return self._gathering

    @contextmanager
    def answering(self) -> Generator[None]:
        """Count a request as under way.

        Raises:
            LedgerError: If another event loop has requests under way.
        """
        self._one_loop()
        count = self._under_way
        count[0] += 1
        try:
            yield
        finally:
            count[0] -= 1

    async def commit(self) -> None:
        """Wait until what was added is committed.

        Raises:
            LedgerError: If another event loop has requests under way.
            LedgerWriteError: If it could not be committed.
        """
        if (done := self.begin_commit()) is not None:
            await done

    def begin_commit(self) -> asyncio.Future[None] | None:
        """Have what was added committed; what to wait for, or None if it is.

        Raises:
            LedgerError: If another event loop has requests under way.
            LedgerWriteError: If it could not be committed.
        """
        loop = self._one_loop()
        if self._written_here():
            return None
        done = loop.create_future()
        self._gathering.waiting.append(done)
        self.leave()
        return done

    def leave(self) -> None:
        """Have what was added committed, without waiting."""
        if len(self._gathering) >= _ROWS_TOGETHER:
            self._hand_over()
        elif not self._is_handing:
            self._is_handing = True
            asyncio.get_running_loop().call_soon(self._hand_over)

    def close(self) -> None:
        """Commit what is left and end the thread.

        Raises:
            LedgerError: If replies could not be kept.
        """
        self._hand_over(is_last=True)
        self._queue.put(None)
        self._thread.join()
        if self._unkept:
            lost = len(self._unkept)
            self._unkept = []
            replies = "1 reply" if lost == 1 else f"{lost} replies"
            raise LedgerError(f"{self._name}: {replies} could not be kept, to be asked for again next time")

    def _one_loop(self) -> asyncio.AbstractEventLoop:
        """The running loop; what one loop gathered can't be answered in another."""
        loop = asyncio.get_running_loop()
        if loop is self._loop:
            return loop
        is_busy = self._under_way[0] or self._is_handing or self._gathering.waiting
        if is_busy and self._loop is not None and self._loop.is_running():
            raise LedgerError(
                f"{self._name}: another event loop has requests under way in this ledger; send all from one loop, "
                "or give each thread a ledger of its own"
            )
        # What a loop that was stopped had added is still to be written, and nobody waits for it.
        self._loop, self._under_way, self._is_handing = loop, [0], False
        self._gathering.waiting.clear()
        return loop

    def _hand_over(self, *, is_last: bool = False) -> None:
        self._is_handing = False
        if not is_last:
            # Nobody waits for it, so nobody is told.
            with suppress(LedgerError):
                if self._written_here():
                    return
        batch, self._gathering = self._gathering, Batch()
        if len(batch) or batch.targets or batch.waiting or is_last:
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                loop = None
            self._n_commits += 1
            self._n_handed += 1
            self._queue.put((batch, loop))

    def _written_here(self) -> bool:
        """Commit what was added in this thread, if that is little and no other process is in the way.

        Raises:
            LedgerWriteError: If it could not be committed.
        """
        batch, rest = self._gathering, Batch()
        n_rows = len(batch)
        if (
            not self._may_write_here
            or self._under_way[0] > 1
            or self._n_handed != self._n_done
            or batch.waiting
            or self._unkept
            or n_rows > _MOST_ROWS_HERE
            or self._n_commits % _ROUND < _OF_THREAD
            or any(len(raw) > _MOST_BYTES_HERE for _, raw in batch.received)
        ):
            return False
        if not (n_rows or batch.targets):
            return True
        n_before = self._connection.total_changes
        try:
            self._gathering = rest
            self._take_pragmas(_PRAGMAS_IN_LOOP)
            self._write(batch)
        except BaseException as cause:
            # An interruption may come between any two steps, also behind the last one.
            is_open = self._connection.in_transaction
            if is_open:
                self._connection.execute("ROLLBACK")
            is_kept = not is_open and self._connection.total_changes > n_before
            is_busy = getattr(cause, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
            if isinstance(cause, sqlite3.Error) and not is_busy:
                raise self._undone(batch, cause) from cause
            if not is_kept and self._gathering is not batch:
                batch.take(self._gathering)
                self._gathering = batch
            if is_busy:
                return False
            raise
        self._n_commits += 1
        return True

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            batch, loop = item
            problem: LedgerError | None = None
            try:
                self._take_pragmas(_PRAGMAS_IN_THREAD)
                self._write(batch)
            except sqlite3.Error as cause:
                problem = self._undone(batch, cause)
                problem.__cause__ = cause
            self._n_done += 1
            if batch.waiting and loop is not None and not loop.is_closed():
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(_answer, batch.waiting, problem)

    def _take_pragmas(self, pragmas: tuple[str, ...]) -> None:
        """Wait for others as long as who writes may."""
        if pragmas is not self._pragmas:
            for statement in pragmas:
                self._connection.execute(statement)
            self._pragmas = pragmas

    def _undone(self, batch: Batch, cause: sqlite3.Error) -> LedgerError:
        """Undo what was half written, keep its replies for the next commit, and say what happened."""
        with suppress(sqlite3.Error):
            self._connection.execute("ROLLBACK")
        self._unkept.extend(batch.received)
        return write_error(self._name, cause)

    def _write(self, batch: Batch) -> None:
        received = [*self._unkept, *batch.received]
        statements = list(_statements(batch, received, time.time()))
        run = self._connection.execute
        if len(statements) == 1:
            run(*statements[0])
        else:
            run("BEGIN IMMEDIATE")
            for statement, values in statements:
                run(statement, values)
            run("COMMIT")
        self._unkept = []


def _statements(batch: Batch, received: Sequence[_Row], now: float) -> Iterator[_Statement]:
    """Say a batch in few statements: after each one the thread waits for the interpreter."""
    for row in batch.targets:
        yield _TARGET, row
    if batch.planned:
        yield _PLAN + ", ".join([_PLAN_ROW] * len(batch.planned)), _flat(batch.planned)
    if batch.sent:
        yield _of_ids(_SEND, batch.sent, now)
    if batch.sent_again:
        yield _of_ids(_SEND_AGAIN, batch.sent_again, now)
    if received:
        yield _of_rows(_RECEIVE, received, now)
    if batch.noted:
        yield _of_rows(_NOTE, batch.noted)
    if batch.failed:
        yield _FAIL + ", ".join(["(?, ?, ?)"] * len(batch.failed)) + _OF_ROW, _flat(batch.failed)


def _of_ids(change: str, ids: list[int], now: float) -> _Statement:
    """Change the rows of these ids; one is named by itself, because a table of one costs more than the change."""
    if len(ids) == 1:
        return change + "= ?", (now, ids[0])
    return change + _AMONG, (now, json.dumps(ids))


def _of_rows(change: str, rows: Sequence[_Row], *before: Any) -> _Statement:
    """Set what a change ends with to the values of each row, which begins with its id; one is named by itself."""
    n_values = len(rows[0]) - 1
    if len(rows) == 1:
        number, *values = rows[0]
        return f"{change}({', '.join('?' * n_values)}) WHERE id = ?", (*before, *values, number)
    columns = ", ".join(f"new.column{place + 2}" for place in range(n_values))
    places = ", ".join([f"({', '.join('?' * (n_values + 1))})"] * len(rows))
    return f"{change}({columns}) FROM (VALUES {places}{_OF_ROW}", [*before, *_flat(rows)]


def _flat(rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    return [value for row in rows for value in row]


def _answer(waiting: list[asyncio.Future[None]], problem: LedgerError | None) -> None:
    for one in waiting:
        if one.done():
            continue
        if problem is None:
            one.set_result(None)
        else:
            one.set_exception(problem)
