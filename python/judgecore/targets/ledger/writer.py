"""The one thread that writes a ledger: what comes together is committed together."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from judgecore.errors import LedgerError
from judgecore.targets.ledger.schema import write_error

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROWS_TOGETHER = 256

_PLAN = "INSERT INTO request (id, content, target, trial, ask, question, request, planned_at) VALUES "
_PLAN_ROW = "(?, ?, ?, ?, ?, ?, ?, ?)"
_SEND = """
    UPDATE request SET
        resent = resent + (state = 'sent' AND error IS NULL),
        state = 'sent', attempts = attempts + 1, sent_at = ?, error = NULL
    WHERE id IN (SELECT value FROM json_each(?))
"""
_SEND_AGAIN = """
    UPDATE request SET attempts = attempts + 1, sent_at = ? WHERE id IN (SELECT value FROM json_each(?))
"""
_RECEIVE = "UPDATE request SET state = 'received', received_at = ?, reply = new.column2 FROM (VALUES "
_NOTE = """
    UPDATE request SET outcome = new.column2, prompt_tokens = new.column3, completion_tokens = new.column4
    FROM (VALUES """
_FAIL = """
    UPDATE request SET state = 'sent', error = new.column2, reply = coalesce(new.column3, reply)
    FROM (VALUES """
_OF_ROW = ") AS new WHERE request.id = new.column1"


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
        rows = (self.planned, self.sent, self.sent_again, self.received, self.noted, self.failed)
        return sum(map(len, rows))


class Writer:
    """Gathers changes of one turn of the event loop, and commits them in its thread.

    A commit waits for nothing: what comes while another one is under way is the next one. Replies whose commit failed
    are kept, and tried again with the next.

    Args:
        connection: To the ledger; the writer's alone until it is closed.
        name: What messages call the ledger.
    """

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self._connection = connection
        self._name = name
        self._gathering = Batch()
        self._queue: SimpleQueue[tuple[Batch, asyncio.AbstractEventLoop | None] | None] = SimpleQueue()
        self._unkept: list[tuple[int, bytes]] = []
        self._is_handing = False
        self._thread = Thread(target=self._work, name="judgecore-ledger", daemon=True)
        self._thread.start()

    @property
    def gathering(self) -> Batch:
        """The batch that changes are added to; call ``commit`` or ``leave`` after adding."""
        return self._gathering

    async def commit(self) -> None:
        """Wait until what was added is committed.

        Raises:
            LedgerWriteError: If it could not be.
        """
        done = asyncio.get_running_loop().create_future()
        self._gathering.waiting.append(done)
        self.leave()
        await done

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
            LedgerWriteError: If replies could not be kept.
        """
        self._hand_over(is_last=True)
        self._queue.put(None)
        self._thread.join()
        if self._unkept:
            lost = len(self._unkept)
            self._unkept = []
            replies = "1 reply" if lost == 1 else f"{lost} replies"
            raise LedgerError(f"{self._name}: {replies} could not be kept, to be asked for again next time")

    def _hand_over(self, *, is_last: bool = False) -> None:
        self._is_handing = False
        batch, self._gathering = self._gathering, Batch()
        if len(batch) or batch.targets or batch.waiting or is_last:
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                loop = None
            self._queue.put((batch, loop))

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            batch, loop = item
            problem: LedgerError | None = None
            try:
                self._write(batch)
            except sqlite3.Error as cause:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                self._unkept.extend(batch.received)
                problem = write_error(self._name, cause)
                problem.__cause__ = cause
            if batch.waiting and loop is not None and not loop.is_closed():
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(_answer, batch.waiting, problem)

    def _write(self, batch: Batch) -> None:
        """Write a batch in few statements: after each one this thread waits for the interpreter."""
        received = [*self._unkept, *batch.received]
        run = self._connection.execute
        now = time.time()
        run("BEGIN IMMEDIATE")
        for row in batch.targets:
            run("INSERT OR IGNORE INTO target (id, hash, identity, dialect) VALUES (?, ?, ?, ?)", row)
        if batch.planned:
            run(_PLAN + ", ".join([_PLAN_ROW] * len(batch.planned)), _flat(batch.planned))
        if batch.sent:
            run(_SEND, (now, json.dumps(batch.sent)))
        if batch.sent_again:
            run(_SEND_AGAIN, (now, json.dumps(batch.sent_again)))
        if received:
            run(_RECEIVE + ", ".join(["(?, ?)"] * len(received)) + _OF_ROW, [now, *_flat(received)])
        if batch.noted:
            run(_NOTE + ", ".join(["(?, ?, ?, ?)"] * len(batch.noted)) + _OF_ROW, _flat(batch.noted))
        if batch.failed:
            run(_FAIL + ", ".join(["(?, ?, ?)"] * len(batch.failed)) + _OF_ROW, _flat(batch.failed))
        run("COMMIT")
        self._unkept = []


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
