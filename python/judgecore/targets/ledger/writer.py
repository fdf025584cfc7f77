"""``Writer``: group commits of ledger changes, in a thread; single changes are committed in the event loop."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypeAlias

from judgecore.errors import LedgerError, LedgerWriteError
from judgecore.targets.ledger.row import CHANGING, FIXED, Values
from judgecore.targets.ledger.schema import BUSY_S, SqliteProblem, write_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from judgecore.targets.ledger.row import LedgerRow

_ROWS_TOGETHER = 256
# SQLite takes 32,766 values in a statement, and a row has 18.
_ROWS_IN_STATEMENT = 1024
# Larger commits, and checkpoints of the log, are left to the thread.
_MOST_ROWS_HERE, _MOST_BYTES_HERE = 8, 1 << 16
# Of every 256 commits two go to the thread: one that may checkpoint the log, and the next, which waits for it.
_ROUND, _OF_THREAD = 256, 2
# In the event loop, a commit must not wait for another process or a checkpoint.
_PRAGMAS_IN_LOOP = ("PRAGMA busy_timeout = 0", "PRAGMA wal_autocheckpoint = 0")
_PRAGMAS_IN_THREAD = (f"PRAGMA busy_timeout = {BUSY_S * 1000:.0f}", "PRAGMA wal_autocheckpoint = 1000")

_TARGET = "INSERT OR IGNORE INTO target (id, hash, identity, dialect, checksum) VALUES (?, ?, ?, ?, ?)"
_PLANNED = ("id", "target", *FIXED, *CHANGING, "checksum")
_CHANGED = (*CHANGING, "checksum")
_ANSWERED = ("reply", *_CHANGED)

_Statement: TypeAlias = "tuple[str, Sequence[Any]]"


@dataclass
class Change:
    """The new values of a row."""

    values: Values
    reply: bytes | None = None

    @property
    def is_reply(self) -> bool:
        """Whether it contains a reply, which must not be lost."""
        return self.reply is not None and self.values[0] == "received"


@dataclass
class Changes:
    """Changes that are committed together, in the order of the fields."""

    targets: list[Values] = field(default_factory=list[Values])
    planned: list[Values] = field(default_factory=list[Values])
    changed: dict[int, Change] = field(default_factory=dict[int, Change])
    batches: list[_Statement] = field(default_factory=list["_Statement"])
    waiting: list[asyncio.Future[None]] = field(default_factory=list[asyncio.Future[None]])

    def __len__(self) -> int:
        return len(self.planned) + len(self.changed) + len(self.batches)

    def plan(self, row: LedgerRow, target: int, fixed: Values) -> None:
        """Add a new row."""
        self.planned.append((row.id, target, *fixed, *row.values()))

    def change(self, row: LedgerRow, reply: bytes | None = None) -> None:
        """Add a row's current values, with its reply, if one was received."""
        self._add(row.id, Change(row.values(), reply))

    def take(self, other: Changes) -> None:
        """Add the changes of another object."""
        self.targets.extend(other.targets)
        self.planned.extend(other.planned)
        self.batches.extend(other.batches)
        self.waiting.extend(other.waiting)
        for number, change in other.changed.items():
            self._add(number, change)

    def _add(self, number: int, change: Change) -> None:
        before = self.changed.get(number)
        if before is not None and change.reply is None:
            change = Change(change.values, before.reply)
        self.changed[number] = change


class _Counting:
    """Adds one to a count in a block; lighter than a generator, of which thousands are in flight."""

    __slots__ = ("_count",)

    def __init__(self, count: list[int]) -> None:
        self._count = count

    def __enter__(self) -> None:
        self._count[0] += 1

    def __exit__(self, *_: object) -> None:
        self._count[0] -= 1


class Writer:
    """Collects the changes of one iteration of the event loop, and commits them together in a thread.

    Changes that arrive during a commit are part of the next one. If only one request is in flight, its changes are
    committed in the event loop, because a thread switch costs more than the commit. Replies whose commit failed are
    committed with the next one. After any other error of SQLite the writer stops, and all callers receive the cause.
    """

    def __init__(self, connection: sqlite3.Connection, name: str, *, may_write_here: bool) -> None:
        # The number of requests in flight in this loop; a list, so that requests of a stopped loop don't share it.
        self._under_way = [0]
        self._connection = connection
        self._name = name
        self._may_write_here = may_write_here
        self._gathering = Changes()
        self._queue: SimpleQueue[tuple[Changes, asyncio.AbstractEventLoop | None] | Event | None] = SimpleQueue()
        self._unkept = Changes()
        self._end: Exception | None = None
        self._is_handing = False
        self._loop: asyncio.AbstractEventLoop | None = None
        # The batches passed to the thread, counted here, and those that it has written, counted there.
        self._n_handed = self._n_done = 0
        self._pragmas: tuple[str, ...] = ()
        self._n_commits = _OF_THREAD
        self._thread = Thread(target=self._work, name="judgecore-ledger", daemon=True)
        self._thread.start()

    @property
    def most_bytes(self) -> int:
        """The maximum size of a request or a reply, in bytes."""
        # SQLite's limit is for a row, which holds both.
        return self._connection.getlimit(sqlite3.SQLITE_LIMIT_LENGTH) // 3

    @property
    def gathering(self) -> Changes:
        """The current batch of changes; call ``commit`` or ``leave`` after adding to it."""
        return self._gathering

    def answering(self) -> AbstractContextManager[None]:
        """Count a request as in flight, in a block."""
        self._one_loop()
        return _Counting(self._under_way)

    async def commit(self) -> None:
        """Commit the batch and wait for it."""
        if (done := self.begin_commit()) is not None:
            await done

    def begin_commit(self) -> asyncio.Future[None] | None:
        """Start to commit the batch; return the future to wait for, or None if it is committed already."""
        loop = self._one_loop()
        if self._end is not None:
            raise self._ended(self._end)
        if self._written_here():
            return None
        done = loop.create_future()
        self._gathering.waiting.append(done)
        self.leave()
        return done

    def leave(self) -> None:
        """Schedule the batch for the next commit, without waiting."""
        if len(self._gathering) >= _ROWS_TOGETHER:
            self._hand_over()
        elif not self._is_handing:
            self._is_handing = True
            asyncio.get_running_loop().call_soon(self._hand_over)

    def drain(self) -> None:
        """Block until all changes so far are committed, or have failed."""
        self._hand_over()
        is_done = Event()
        self._queue.put(is_done)
        is_done.wait()

    def close(self) -> None:
        """Commit the remaining changes and stop the thread."""
        self._hand_over(is_last=True)
        self._queue.put(None)
        self._thread.join()
        if self._unkept:
            lost = len(self._unkept)
            self._unkept = Changes()
            replies = "1 reply" if lost == 1 else f"{lost} replies"
            raise LedgerError(f"{self._name}: {replies} could not be stored, and will be requested again next time")

    def _one_loop(self) -> asyncio.AbstractEventLoop:
        """Return the running event loop; futures of one loop can't be resolved in another."""
        loop = asyncio.get_running_loop()
        if loop is self._loop:
            return loop
        is_busy = self._under_way[0] or self._is_handing or self._gathering.waiting
        if is_busy and self._loop is not None and self._loop.is_running():
            raise LedgerError(
                f"{self._name}: another event loop has requests in flight in this ledger; send all from one loop, "
                "or use a separate ledger for each thread"
            )
        # Changes of a stopped loop are still written, but nothing waits for them.
        self._loop, self._under_way, self._is_handing = loop, [0], False
        self._gathering.waiting.clear()
        return loop

    def _hand_over(self, *, is_last: bool = False) -> None:
        self._is_handing = False
        if not is_last:
            # No caller waits for this commit.
            with suppress(LedgerError):
                if self._written_here():
                    return
        batch, self._gathering = self._gathering, Changes()
        if len(batch) or batch.targets or batch.waiting or is_last:
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                loop = None
            self._n_commits += 1
            self._n_handed += 1
            self._queue.put((batch, loop))

    def _written_here(self) -> bool:
        """Commit the batch in this thread if it is small and no other process holds the lock; return whether it was."""
        batch, rest = self._gathering, Changes()
        n_rows = len(batch)
        if (
            not self._may_write_here
            or self._under_way[0] > 1
            or self._n_handed != self._n_done
            or batch.waiting
            or self._unkept
            or n_rows > _MOST_ROWS_HERE
            or self._n_commits % _ROUND < _OF_THREAD
            or any(len(change.reply or b"") > _MOST_BYTES_HERE for change in batch.changed.values())
            or self._end is not None
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
            # An interruption can occur between any two steps, even after the commit.
            is_open = self._connection.in_transaction
            if is_open:
                self._connection.execute("ROLLBACK")
            is_kept = not is_open and self._connection.total_changes > n_before
            is_busy = getattr(cause, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
            if isinstance(cause, Exception) and not is_busy:
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
            if isinstance(item, Event):
                item.set()
                continue
            batch, loop = item
            problem: LedgerError | None = None
            if self._end is not None:
                problem = self._undone(batch, self._end)
            else:
                try:
                    self._take_pragmas(_PRAGMAS_IN_THREAD)
                    self._write(batch)
                except Exception as cause:  # noqa: BLE001 - waiting callers must receive any error
                    problem = self._undone(batch, cause)
                    problem.__cause__ = cause
            self._n_done += 1
            if batch.waiting and loop is not None and not loop.is_closed():
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(_answer, batch.waiting, problem)

    def _take_pragmas(self, pragmas: tuple[str, ...]) -> None:
        """Apply the pragmas of the calling thread."""
        if pragmas is not self._pragmas:
            for statement in pragmas:
                self._connection.execute(statement)
            self._pragmas = pragmas

    def _undone(self, batch: Changes, cause: Exception) -> LedgerError:
        """Roll back, keep the replies for the next commit, and return the error."""
        with suppress(sqlite3.Error):
            self._connection.execute("ROLLBACK")
        self._unkept.take(Changes(changed={number: one for number, one in batch.changed.items() if one.is_reply}))
        if isinstance(cause, SqliteProblem):
            return write_error(self._name, cause)
        self._end = cause
        return self._ended(cause)

    def _ended(self, cause: Exception) -> LedgerWriteError:
        said = f"{type(cause).__name__}: {cause}"
        problem = LedgerWriteError(
            f"{self._name}: the ledger can't be written any more: {said}; the stored rows are intact"
        )
        problem.__cause__ = cause
        return problem

    def _write(self, batch: Changes) -> None:
        whole = batch
        if self._unkept:
            whole = Changes()
            whole.take(self._unkept)
            whole.take(batch)
        statements = list(_statements(whole))
        run = self._connection.execute
        if len(statements) == 1:
            run(*statements[0])
        else:
            run("BEGIN IMMEDIATE")
            for statement, values in statements:
                run(statement, values)
            run("COMMIT")
        self._unkept = Changes()


def _statements(batch: Changes) -> Iterator[_Statement]:
    """Convert a batch to few statements, because the thread waits for the GIL after each one."""
    for row in batch.targets:
        yield _TARGET, row
    for rows in _parts(batch.planned):
        yield _insert_statement(_PLANNED, len(rows)), _flat(rows)
    for rows in _parts([(number, *one.values) for number, one in batch.changed.items() if one.reply is None]):
        yield _update(_CHANGED, rows)
    answered = [(number, one.reply, *one.values) for number, one in batch.changed.items() if one.reply is not None]
    for rows in _parts(answered):
        yield _update(_ANSWERED, rows)
    yield from batch.batches


def _parts(rows: list[Values]) -> Iterator[list[Values]]:
    """Split rows to stay below SQLite's limit of values, and fill up each part with empty rows to a power of two.

    SQLite keeps prepared statements, of some 100 kB for hundreds of rows, so there must be few different ones.
    """
    for start in range(0, len(rows), _ROWS_IN_STATEMENT):
        part = rows[start : start + _ROWS_IN_STATEMENT]
        n_empty = (1 << (len(part) - 1).bit_length()) - len(part)
        yield [*part, *[(None,) * len(part[0])] * n_empty]


def _update(columns: tuple[str, ...], rows: Sequence[Values]) -> _Statement:
    """Make an update of rows, each of which begins with its id."""
    if len(rows) == 1:
        number, *values = rows[0]
        return _update_statement(columns, 1), (*values, number)
    return _update_statement(columns, len(rows)), _flat(rows)


@cache
def _insert_statement(columns: tuple[str, ...], n_rows: int) -> str:
    """The text that adds rows, the first column of which is not null."""
    insert = f"INSERT INTO request ({', '.join(columns)})"
    places = _places(n_rows, len(columns))
    if n_rows == 1:
        return f"{insert} VALUES {places}"
    return f"{insert} SELECT * FROM (VALUES {places}) WHERE column1 IS NOT NULL"  # noqa: S608 - names of columns


@cache
def _update_statement(columns: tuple[str, ...], n_rows: int) -> str:
    """Return the SQL of an update; for one row, a simple form is faster."""
    change = f"UPDATE request SET ({', '.join(columns)}) = "  # noqa: S608 - names of columns
    if n_rows == 1:
        return f"{change}({', '.join('?' * len(columns))}) WHERE id = ?"
    new = ", ".join(f"new.column{place + 2}" for place in range(len(columns)))
    places = _places(n_rows, len(columns) + 1)
    return f"{change}({new}) FROM (VALUES {places}) AS new WHERE request.id = new.column1"


def _places(n_rows: int, n_values: int) -> str:
    return ", ".join([f"({', '.join('?' * n_values)})"] * n_rows)


def _flat(rows: Sequence[Values]) -> list[Any]:
    return [value for row in rows for value in row]


def _answer(waiting: list[asyncio.Future[None]], problem: LedgerError | None) -> None:
    for one in waiting:
        if one.done():
            continue
        if problem is None:
            one.set_result(None)
        else:
            one.set_exception(problem)
