"""``Ledger``: the durable record of every request sent and every reply received."""

from __future__ import annotations

import asyncio
import hashlib
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args
from weakref import WeakValueDictionary

from judgecore.errors import (
    CallableError,
    JudgecoreError,
    LedgerError,
    MalformedReplyError,
    PendingReplyError,
    ReplyTooLargeError,
    RequestError,
    TargetError,
)
from judgecore.hashing import canonical_json
from judgecore.targets.batch_dialect import BatchPolicy
from judgecore.targets.budget import reserve_in_batch, send_within_budget
from judgecore.targets.dialect import PLAIN, dialect_of, read_reply, write_plain
from judgecore.targets.ledger.batches import LedgerBatch
from judgecore.targets.ledger.entry import key_of
from judgecore.targets.ledger.reader import LedgerReader
from judgecore.targets.ledger.row import LedgerRow, target_checksum
from judgecore.targets.ledger.schema import MEMORY, WriterLock, damaged, open_to_read, open_to_write
from judgecore.targets.ledger.writer import Writer
from judgecore.targets.reply import MOST, JudgeReply, ReplyOutcome, changed
from judgecore.targets.target import Record, sent_plainly

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from judgecore.targets.request import JudgeRequest
    from judgecore.targets.target import Recordable, Target

_Key = tuple[bytes, int, int, int]

_MOST_OF_ERROR = 1 << 16
_COLLECTED_TOGETHER = 256


@dataclass
class Planned:
    """A request in the ledger, with its reply if there is one."""

    key: str
    request: JudgeRequest
    payload: bytes
    dialect: str
    content: bytes = b""
    row: LedgerRow | None = None
    reply: JudgeReply | None = None

    @property
    def is_new(self) -> bool:
        """Whether it is not in the ledger yet."""
        return self.row is None and self.reply is None


@dataclass
class Deferred:
    """The requests to one target that wait for a batch."""

    target: Target
    policy: BatchPolicy
    requests: dict[int, Planned] = field(default_factory=dict[int, Planned])
    n_bytes: int = 0

    def add(self, planned: Planned) -> None:
        """Add a request, unless it has been added already."""
        row = cast("LedgerRow", planned.row)
        if row.id not in self.requests:
            self.requests[row.id] = planned
            self.n_bytes += len(planned.payload)

    def clear(self) -> None:
        """Remove all requests; asking again adds them again."""
        self.requests.clear()
        self.n_bytes = 0


@dataclass(frozen=True)
class _KnownTarget:
    id: int
    hash: str
    dialect: str


class Ledger(LedgerReader):
    """The durable record of every request sent and every reply received, in one SQLite file.

    A request is committed as sent before it is sent, and its reply as received before it is parsed. A received reply is
    never requested again: the key consists of the request as sent (without credentials), the target's identity, trial
    and ask. One process writes a ledger; any number of processes can read it with ``LedgerReader``.

    Use it as a context manager, or close it.

    Args:
        path: The file, which is created if it does not exist; ``:memory:`` for a ledger in memory.
        durable: Whether a commit survives a power failure, and not only the end of the process; slower.

    Raises:
        LedgerLockedError: If another process writes it.
        LedgerVersionError: If a newer judgecore wrote it.
        LedgerDamagedError: If it is damaged; all methods raise this if they read a damaged row.
        LedgerWriteError: If it can't be written.
        LedgerError: If the file is not a ledger.

    Examples:
        >>> import asyncio
        >>> from judgecore import CallableTarget, JudgeRequest, Ledger
        >>> target = CallableTarget(lambda request: "Yes", name="always_yes")
        >>> with Ledger(":memory:") as ledger:
        ...     first = asyncio.run(ledger.send(target, JudgeRequest("Is it good?")))
        ...     again = asyncio.run(ledger.send(target, JudgeRequest("Is it good?")))
        ...     [first.text, first.attempts, again.text, again.attempts]
        ['Yes', 1, 'Yes', 0]
    """

    def __init__(self, path: str | PathLike[str] = MEMORY, *, durable: bool = False) -> None:
        self.path = None if path == MEMORY else Path(path)
        self._lock = None if self.path is None else WriterLock(self.path)
        self._writing: sqlite3.Connection | None = None
        try:
            self._writing = open_to_write(self.path, is_durable=durable)
            self._reading = self._writing if self.path is None else open_to_read(self.path, is_checked=True)
            self._whole_targets = set()
            self._next_id = self._number_after("SELECT coalesce(max(id), 0) FROM request")
            self._next_target = self._number_after("SELECT coalesce(max(id), 0) FROM target")
            self._open_batches = {one.id: one for one in self.batches() if one.state == "submitted"}
            self._batch_of = {row: one.id for one in self._open_batches.values() for row in self._rows_of(one).values()}
            self._next_batch = self._number_after("SELECT coalesce(max(id), 0) FROM batch")
        except BaseException:
            if self._writing is not None:
                self._writing.close()
            self._unlock()
            raise
        self._known: dict[str, _KnownTarget] = {}
        # There is one ``LedgerRow`` per row, even if it was planned several times.
        self._unanswered: WeakValueDictionary[int, LedgerRow] = WeakValueDictionary()
        self._on_their_way: dict[int, asyncio.Future[JudgeReply]] = {}
        self._entering: dict[_Key, asyncio.Future[None]] = {}
        self.deferred: dict[str, Deferred] = {}
        self._given_up: dict[int, TargetError] = {}
        self._writer: Writer | None = Writer(self._writing, self._name, may_write_here=not durable)

    def _number_after(self, sql: str) -> int:
        (last,) = self._row(sql)
        if last >= MOST:
            raise damaged(self._name, "a row has the largest number, so that no row can follow")
        return int(last) + 1

    def close(self) -> None:
        """Commit the remaining changes and close the file; closing it again does nothing."""
        writer, self._writer = self._writer, None
        if writer is None or self._writing is None:
            return
        try:
            writer.close()
        finally:
            self._reading.close()
            self._writing.close()
            self._unlock()

    def _settle(self) -> None:
        if self._writer is not None:
            self._writer.drain()

    async def send(self, target: Target, request: JudgeRequest) -> JudgeReply:
        """Return the stored reply to a request, or send the request and store its reply.

        Args:
            target: The target.
            request: The request; its ``trial`` and ``ask`` are part of the key.

        Returns:
            The reply, with its ``key``; its ``attempts`` are 0 if nothing was sent.

        Raises:
            TargetError: One of its subclasses, if there is no reply.
            LedgerWriteError: If the ledger can't be written; then nothing was sent, or the reply is held in memory
                until it can be stored.
        """
        (planned,) = await self.plan(target, [request])
        return await self.answer(target, planned)

    async def plan(self, target: Target, requests: Sequence[JudgeRequest]) -> list[Planned]:
        """Add requests to the ledger, and find their stored replies.

        Returns:
            A planned request for each, in order. Requests with the same key share a row.

        Raises:
            RequestError: If the target does not support a request.
            LedgerError: If another event loop has requests in flight.
            LedgerWriteError: If the ledger can't be written.
        """
        writer = self._open_writer()
        planned: list[Planned] = []
        asked: dict[_Key, Planned] = {}
        with writer.answering():
            known = self._target(target, writer)
            pays = _plain_payload if known.dialect == PLAIN else cast("Recordable", target).payload
            for request in requests:
                payload = pays(request)
                if len(payload) > writer.most_bytes:
                    raise RequestError(f"the request has {len(payload):,} bytes; a ledger keeps {writer.most_bytes:,}")
                content = hashlib.sha256(payload).digest()
                name = key_of(content.hex(), known.hash, request.trial, request.ask)
                one = Planned(name, request, payload, known.dialect, content)
                planned.append(one)
                asked[content, known.id, request.trial, request.ask] = one
            await self._enter(known, asked, writer)
        by_key = {one.key: one for one in asked.values()}
        return [by_key[one.key] for one in planned]

    async def _enter(self, target: _KnownTarget, asked: dict[_Key, Planned], writer: Writer) -> None:
        """Assign existing or new rows to requests."""
        self._find(target, asked)
        # Rows that another task is adding are not in the file yet.
        while coming := {self._entering[key] for key, one in asked.items() if one.is_new and key in self._entering}:
            loop = asyncio.get_running_loop()
            for key in [key for key, entered in self._entering.items() if entered.get_loop() is not loop]:
                # Its event loop was stopped before the commit.
                del self._entering[key]
            here = [entered for entered in coming if entered.get_loop() is loop]
            await (asyncio.wait(here) if here else writer.commit())
            self._find(target, asked)
        new = {key: one for key, one in asked.items() if one.is_new}
        if not new:
            return
        for (content, target_id, trial, ask), one in new.items():
            number, self._next_id = self._next_id, self._next_id + 1
            text = canonical_json(one.request.to_json())
            # The same as the request's hash, computed from the text.
            question = hashlib.sha256(text).digest()
            fixed = (content, trial, ask, question, text.decode("ascii"), time.time())
            one.row = self._unanswered[number] = LedgerRow(number, target.hash, fixed)
            writer.gathering.plan(one.row, target_id, fixed)
        entered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._entering.update(dict.fromkeys(new, entered))

        def stand(commit: asyncio.Future[None] | None = None) -> None:
            if commit is not None and not commit.cancelled():
                commit.exception()
            entered.set_result(None)
            for key in new:
                self._entering.pop(key, None)

        try:
            commit = writer.begin_commit()
        except BaseException:
            stand()
            raise
        if commit is None:
            stand()
            return
        # If the caller is cancelled, the rows are still added.
        commit.add_done_callback(stand)
        await asyncio.shield(commit)

    async def answer(self, target: Target, planned: Planned) -> JudgeReply:
        """Return the reply to a planned request; if it has none, send it.

        Raises:
            TargetError: One of its subclasses, if there is no reply.
            LedgerWriteError: As in ``send``.
        """
        row = planned.row
        if planned.reply is not None or row is None:
            return _replayed(cast("JudgeReply", planned.reply))
        # A user's target may have another attribute of this name.
        policy = policy if isinstance(policy := getattr(target, "batch", None), BatchPolicy) else None
        if (number := self._batch_of.get(row.id)) is not None:
            # Batches are collected with this target, because it has the caller's key.
            self._deferring(target, policy or BatchPolicy())
            name = self._open_batches[number].name or "which the endpoint has not confirmed yet"
            raise self._pending(planned, f"batch {name} has the request; collect its replies first")
        if policy is not None:
            raise await self._deferred(target, planned, row, policy)
        loop = asyncio.get_running_loop()
        while (under_way := self._on_their_way.get(row.id)) is not None and under_way.get_loop() is loop:
            await asyncio.wait([under_way])
            if not under_way.cancelled():
                return _replayed(under_way.result())
        writer = self._open_writer()
        promise: asyncio.Future[JudgeReply] = loop.create_future()
        self._on_their_way[row.id] = promise
        try:
            with writer.answering():
                reply = await send_within_budget(
                    target,
                    planned.request,
                    partial(self._ask, target, planned, row),
                    payload=planned.payload,
                    ledger=self,
                )
        except BaseException as problem:
            if isinstance(problem, JudgecoreError):
                promise.set_exception(problem)
                promise.exception()
            else:
                promise.cancel()
            raise
        finally:
            if self._on_their_way.get(row.id) is promise:
                del self._on_their_way[row.id]
        planned.reply = reply
        promise.set_result(reply)
        return reply

    async def _deferred(self, target: Target, planned: Planned, row: LedgerRow, policy: BatchPolicy) -> TargetError:
        """Add a request to the next batch; return the error that says why it has no reply yet, or has failed."""
        if (problem := self._given_up.get(row.id)) is not None:
            return type(problem)(str(problem))
        waiting = self._deferring(target, policy)
        if row.id not in waiting.requests:
            await reserve_in_batch(target, planned.request, planned.payload, self)
        waiting.add(planned)
        return self._pending(planned, "the request waits for the next batch")

    def _deferring(self, target: Target, policy: BatchPolicy) -> Deferred:
        waiting = self.deferred.setdefault(target.get_identifier().hash, Deferred(target, policy))
        # The previous target may be closed.
        waiting.target, waiting.policy = target, policy
        return waiting

    @staticmethod
    def _pending(planned: Planned, said: str) -> PendingReplyError:
        problem = PendingReplyError(said)
        problem.key = planned.key
        return problem

    def open_batches(self) -> list[LedgerBatch]:
        """Return the batches whose replies have not been collected."""
        return list(self._open_batches.values())

    async def submit_batch(self, target: str, submission: str, requests: Sequence[Planned]) -> LedgerBatch:
        """Record a batch, and its requests as sent, in one commit before the batch is submitted.

        Args:
            target: The hash of the target's identity.
            submission: The id of the submission.
            requests: The requests in their order; each has a row.
        """
        writer, now = self._open_writer(), time.time()
        with writer.answering():
            batch = LedgerBatch(self._next_batch, submission, target, None, "submitted", len(requests), now, None, None)
            self._next_batch += 1
            rows = [cast("LedgerRow", one.row) for one in requests]
            for row in rows:
                row.send(now)
                writer.gathering.change(row)
            writer.gathering.batches.extend(batch.inserted(self._known[target].id, [row.id for row in rows]))
            self._open_batches[batch.id] = batch
            self._batch_of.update(dict.fromkeys((row.id for row in rows), batch.id))
            await writer.commit()
        return batch

    async def change_batch(self, batch: LedgerBatch, *, failed: Iterable[tuple[LedgerRow, TargetError]] = ()) -> None:
        """Store what became of a batch, and of the requests that it did not answer, in one commit.

        Args:
            batch: The batch as it is now.
            failed: The rows without a reply, and why.
        """
        writer = self._open_writer()
        with writer.answering():
            for row, problem in failed:
                _fail(writer, row, problem)
            writer.gathering.batches.append(batch.updated())
            await writer.commit()
        self._open_batches[batch.id] = batch
        if batch.state != "submitted":
            del self._open_batches[batch.id]
            self._batch_of = {row: number for row, number in self._batch_of.items() if number != batch.id}

    async def collect_reply(self, row: LedgerRow, raw: bytes, reply: JudgeReply) -> None:
        """Store the reply of a batch to a request; ``change_batch`` or ``flush`` commits it."""
        writer = self._open_writer()
        row.receive(raw, time.time())
        row.note(reply.outcome, reply.usage.prompt_tokens, reply.usage.completion_tokens)
        with writer.answering():
            writer.gathering.change(row, raw)
            if len(writer.gathering) >= _COLLECTED_TOGETHER:
                await writer.commit()

    async def flush(self) -> None:
        """Commit what was collected."""
        writer = self._open_writer()
        with writer.answering():
            await writer.commit()

    def give_up(self, row: int, problem: TargetError) -> None:
        """Let a request fail for the rest of this run."""
        self._given_up[row] = problem

    def unanswered(self, batch: LedgerBatch) -> dict[str, LedgerRow]:
        """Return the rows of a batch that have no reply, by their id in the batch."""
        found: dict[str, LedgerRow] = {}
        positions = {row: position for position, row in self._rows_of(batch).items()}
        where = "request.id IN (SELECT request FROM batch_request WHERE batch = ?)"
        for served in self._served(where, (batch.id,)):
            if served.changing[0] == "received":
                continue
            row = self._unanswered.get(served.id)
            if row is None:
                row = LedgerRow(served.id, batch.target, served.fixed, served.changing, served.values[-1])
                self._unanswered[served.id] = row
            found[batch.custom_id(positions[served.id], served.fixed[0])] = row
        return found

    async def _ask(self, target: Target, planned: Planned, row: LedgerRow) -> JudgeReply:
        writer = self._open_writer()
        record = _Delivery(writer, row)
        try:
            if planned.dialect != PLAIN:
                reply = await cast("Recordable", target).deliver(planned.request, planned.payload, record)
            else:
                await record.sent()
                # A target that never waits would else keep the event loop from hearing Ctrl-C.
                await asyncio.sleep(0)
                reply = await sent_plainly(target, planned.request)
                await record.received(_written(target, reply))
        except TargetError as problem:
            problem.key = planned.key
            if record.n_sent:
                _fail(writer, row, problem)
                await writer.commit()
            raise
        row.note(reply.outcome, reply.usage.prompt_tokens, reply.usage.completion_tokens)
        writer.gathering.change(row)
        writer.leave()
        return changed(reply, key=planned.key)

    def _open_writer(self) -> Writer:
        if self._writer is None:
            raise ValueError(f"{self._name}: the ledger is closed")
        return self._writer

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def _target(self, target: Target, writer: Writer) -> _KnownTarget:
        """The row of a target, made if it is new."""
        identity = target.get_identifier()
        known = self._known.get(identity.hash)
        if known is not None:
            return known
        dialect = dialect_of(target)
        rows = list(self._rows("SELECT id, identity, dialect, checksum FROM target WHERE hash = ?", (identity.hash,)))
        if not rows:
            number = self._next_target
            self._next_target += 1
            line = canonical_json(identity.to_registry()).decode("ascii")
            checksum = target_checksum(identity.hash, line, dialect)
            writer.gathering.targets.append((number, identity.hash, line, dialect, checksum))
        else:
            number, *said = rows[0]
            self._check_target(identity.hash, *said)
            spoken, dialect = dialect, said[1]
            # Any reply can be kept plainly, so a class that was registered since then goes on as before.
            if dialect not in (PLAIN, spoken):
                raise LedgerError(
                    f"{self._name}: replies of {identity.class_name} are kept there in the dialect {dialect!r}, which "
                    f"it does not speak now; register its class by that name again, or take a new ledger"
                )
        known = self._known[identity.hash] = _KnownTarget(number, identity.hash, dialect)
        return known

    def _find(self, target: _KnownTarget, asked: dict[_Key, Planned]) -> None:
        """Give the requests that stand in the ledger their rows, or the replies that were received."""
        contents = [content for content, *_ in asked]
        for served in self._served(
            f"request.target = ? AND request.content IN ({', '.join('?' * len(contents))})", (target.id, *contents)
        ):
            content, trial, ask, *_ = served.fixed
            one = asked.get((content, target.id, trial, ask))
            if one is None:
                continue
            state, raw = served.changing[0], served.values[-1]
            if state == "received":
                try:
                    one.reply = read_reply(target.dialect, raw, key=one.key)
                    continue
                except MalformedReplyError:
                    # A process ended between keeping it and finding it to be no reply.
                    pass
            row = self._unanswered.get(served.id)
            if row is None:
                row = LedgerRow(served.id, target.hash, served.fixed, served.changing, raw)
                self._unanswered[served.id] = row
            one.row = row


class _Delivery(Record):
    def __init__(self, writer: Writer, row: LedgerRow) -> None:
        self._writer = writer
        self._row = row
        self.n_sent = 0

    async def sent(self) -> None:
        """Keep that the request leaves now; what returns is committed."""
        row = self._row
        before = row.send_again(time.time()) if self.n_sent else row.send(time.time())
        self._writer.gathering.change(row)
        try:
            await self._writer.commit()
        except LedgerError:
            row.restore(before)
            raise
        self.n_sent += 1

    async def received(self, raw: bytes) -> None:
        """Keep the answer as it came, before anything is read in it; what returns is committed."""
        if len(raw) > self._writer.most_bytes:
            raise ReplyTooLargeError(f"the answer has {len(raw):,} bytes; a ledger keeps {self._writer.most_bytes:,}")
        self._row.receive(raw, time.time())
        self._writer.gathering.change(self._row, raw)
        await self._writer.commit()


def _fail(writer: Writer, row: LedgerRow, problem: TargetError) -> None:
    """Store why a request has no reply."""
    # What an endpoint or a function says may hold what is no text for SQLite.
    said = f"{type(problem).__name__}: {problem}"[:_MOST_OF_ERROR].encode("utf-8", "backslashreplace")
    row.fail(said.decode("utf-8"), problem.raw)
    writer.gathering.change(row, problem.raw)


def _written(target: Target, reply: JudgeReply) -> bytes:
    said = f"{type(target).__name__}.send returned a reply that can't be kept"
    if reply.outcome not in get_args(ReplyOutcome):
        raise CallableError(f"{said}: its outcome is {reply.outcome!r:.60}")
    try:
        return write_plain(reply)
    except (TypeError, ValueError) as problem:
        raise CallableError(f"{said}: {problem}") from problem


def _replayed(reply: JudgeReply) -> JudgeReply:
    return reply if reply.attempts == 0 else changed(reply, attempts=0)


def _plain_payload(request: JudgeRequest) -> bytes:
    try:
        return canonical_json(request.to_json())
    except (TypeError, ValueError) as problem:
        raise RequestError(f"the request has no JSON: {problem}") from problem
