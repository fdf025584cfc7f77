"""``BatchRun``: submit requests in batches and collect their replies, whatever happens in between."""

from __future__ import annotations

import asyncio
import math
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from judgecore.errors import (
    AuthenticationError,
    BatchError,
    ConnectError,
    EndpointDownError,
    LedgerError,
    MalformedReplyError,
    NotAskedError,
    PendingReplyError,
    QuotaError,
    RequestError,
    ServerError,
    StatusError,
    TargetError,
)
from judgecore.targets.batch_dialect import BatchPolicy, split_custom_id
from judgecore.targets.budget import recount_spending
from judgecore.targets.delivery import MAY_PASS, kind_of_status
from judgecore.targets.dialect import read_body
from judgecore.targets.endpoint import Endpoint
from judgecore.targets.keeping import count_collected, count_malformed, replays_counted_once
from judgecore.targets.registration import TARGETS
from judgecore.terminal import count_noun

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from judgecore.targets.batch_dialect import BatchDialect, ProviderBatch
    from judgecore.targets.ledger import Ledger
    from judgecore.targets.ledger.batches import BatchState, LedgerBatch
    from judgecore.targets.ledger.ledger import Deferred, Planned
    from judgecore.targets.ledger.row import LedgerRow

_Answer = TypeVar("_Answer")

_STATES: dict[str, BatchState] = {
    "ended": "collected",
    "expired": "expired",
    "cancelled": "failed",
    "failed": "failed",
}
# Failures of an endpoint that is asked again later.
_PASSING = (EndpointDownError, MalformedReplyError, *MAY_PASS)
_CLIENTS_FAULT = range(400, 500)
_GONE = (404, 410)
_MALFORMED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
# The ledger's record of a batch that begins so tells later runs to make smaller ones.
_TOO_LARGE = "the endpoint has no room for so large a batch"
_CONTENT_TOO_LARGE = 413


@dataclass
class BatchTally:
    """What a run of batches did, and what is left.

    Attributes:
        submitted: Requests submitted.
        collected: Replies stored.
        failed: Results without a usable reply.
        damaged: Lines of results that can't be read.
        uncertain: Requests of batches that the endpoint never confirmed; they may be asked twice.
        pending: Requests in batches that have not ended.
        batches: Batches that have not ended.
        held: Requests that are submitted when the endpoint's queue has room for them.
        trouble: Why the endpoint could not be asked the last time; empty if it could.
    """

    submitted: int = 0
    collected: int = 0
    failed: int = 0
    damaged: int = 0
    uncertain: int = 0
    pending: int = 0
    batches: int = 0
    held: int = 0
    trouble: str = ""


@dataclass
class _Results:
    """What the results of one batch brought so far; after a lost connection their lines come again."""

    waiting: dict[str, LedgerRow]
    problems: dict[int, TargetError] = field(default_factory=dict[int, TargetError])
    damaged: set[int] = field(default_factory=set[int])


class BatchRun:
    """Submits what waits in a ledger, and collects the replies of its batches.

    Args:
        ledger: The ledger.
        on_progress: Called after each step.
    """

    def __init__(self, ledger: Ledger, *, on_progress: Callable[[BatchTally], None] | None = None) -> None:
        self.tally = BatchTally()
        self._ledger = ledger
        self._on_progress = on_progress
        # Targets that nobody asked in this process.
        self._made: dict[str, Endpoint] = {}
        self._tries: Counter[int] = Counter()
        # Why a target's queue is full, until a batch of it ends.
        self._full: dict[str, TargetError] = {}
        # How many requests a target's next batch may have, until the ledger's batches change.
        self._most: dict[str, int] = {}
        # The submissions of batches that are not in the ledger.
        self._submissions: dict[str, str] = {}
        self._poll_s = 0.0
        self._failing_since = math.inf
        self._is_leaving = False

    async def settle(self, ask: Callable[[], Awaitable[bool]], *, is_waiting: bool) -> None:
        """Ask, submit and collect, in turn, until no reply is pending.

        What batches have spent is counted in the budget that applies, before each turn: a batch that takes less than
        was reserved for it leaves room for others.

        Args:
            ask: Asks everything through the ledger, and returns whether a reply is pending. It may call ``submit``.
            is_waiting: Whether to wait for the replies.

        Raises:
            PendingReplyError: If replies are pending, without ``is_waiting`` or as ``wait``; the message counts them.
            TargetError: As ``submit``.
            LedgerWriteError: As ``submit``.
        """
        self._is_leaving = not is_waiting
        with replays_counted_once() as restart:
            while True:
                self.tally.held = 0
                for waiting in self._ledger.deferred.values():
                    # What fits a budget is decided anew.
                    waiting.clear()
                if self.tally.submitted or self.tally.collected or self.tally.failed:
                    recount_spending(self._ledger)
                restart()
                is_pending = await self._patiently(ask)
                if is_pending is False:
                    return
                n_open = len(self._ledger.open_batches())
                await self._patiently(self.collect)
                if len(self._ledger.open_batches()) < n_open:
                    continue
                await self._patiently(self.submit)
                if not is_waiting:
                    raise self._pending()
                await self.wait()

    async def submit(self, *, is_partial: bool = True) -> None:
        """Submit the requests that wait, in as many batches as the limits require.

        A batch that the endpoint rejects fails with its requests. While the endpoint's queue is full, requests are held
        back: ask for them again when a batch has ended.

        Args:
            is_partial: Whether to submit a batch that is not full.

        Raises:
            TargetError: If the endpoint can't be reached, rejects the key, or the account is out of credit.
            RequestError: If the run does not wait for the replies, and a ledger in memory would lose them.
            LedgerWriteError: If the ledger could not be written; then nothing was sent.
        """
        for name, waiting in list(self._ledger.deferred.items()):
            if waiting.requests and self._is_leaving and self._ledger.path is None:
                raise RequestError("batches that are collected later need a ledger in a file, or wait for them")
            target = cast("Endpoint", waiting.target)
            dialect = target.batches()
            while waiting.requests and name not in self._full:
                limits = self._limits(name, waiting, dialect)
                if not is_partial and not _is_full(waiting, limits):
                    break
                await self._submit_one(name, target, dialect, _take(waiting, dialect, self._ledger, limits))
            if name in self._full:
                # Their texts would fill the memory.
                self.tally.held += len(waiting.requests)
                waiting.clear()

    async def wait(self) -> None:
        """Collect until no batch is pending, or the endpoint's queue has room again.

        An endpoint that fails meanwhile is asked again, for as long as its pacing permits an outage.

        Raises:
            PendingReplyError: If it fails for longer.
            TargetError: As ``collect``, for failures that do not pass.
            LedgerWriteError: As ``collect``.
        """
        while self._ledger.open_batches() or self._full:
            before, full = (self.tally.collected, len(self._ledger.open_batches())), set(self._full)
            if await self._patiently(self.collect) is not None:
                continue
            left = self._ledger.open_batches()
            if full - self._full.keys():
                return
            if left or self._full:
                await self._pause(is_first=before != (self.tally.collected, len(left)))
            if not left:
                # The queue is full of others' batches, so there is none to wait for.
                self._full.clear()

    async def collect(self) -> None:
        """Check each pending batch once, and store the replies of those that have ended.

        Raises:
            TargetError: If an endpoint could not be asked; the batches of others are collected first.
            LedgerWriteError: If the ledger could not be written.
        """
        failed: dict[str, TargetError] = {}
        for batch in self._ledger.open_batches():
            if batch.target not in failed:
                try:
                    await self._collect_one(batch)
                except _PASSING as problem:
                    failed[batch.target] = problem
            self._tell()
        self._tell()
        for problem in failed.values():
            raise problem

    async def _collect_one(self, batch: LedgerBatch) -> None:
        target = self._target(batch.target)
        dialect = target.batches()
        confirmed = batch if batch.name else await self._confirm(batch, target, dialect)
        if confirmed is None:
            return
        try:
            known = await _understood(dialect.status(target, confirmed.name or ""))
            if known.progress != "running":
                await self._take_results(confirmed, known, target)
        except StatusError as problem:
            if problem.status not in _GONE:
                raise
            await self._ledger.flush()
            await self._end(confirmed, "failed", BatchError("the endpoint no longer has the batch"))

    async def _patiently(self, work: Callable[[], Awaitable[_Answer]]) -> _Answer | TargetError:
        """Do work and return its result; if the endpoint fails meanwhile, wait and return the failure."""
        try:
            done = await work()
        except _PASSING as problem:
            if not self._ledger.open_batches():
                raise
            now = time.monotonic()
            self._failing_since = min(self._failing_since, now)
            outage_s = max(self._target(one.target).pacer.pacing.outage_s for one in self._ledger.open_batches())
            is_down = isinstance(problem, EndpointDownError) or now - self._failing_since >= outage_s
            self.tally.trouble = str(problem)
            if is_down or self._is_leaving:
                raise self._pending() from problem
            self._tell()
            await self._pause(is_first=False)
            return problem
        self._failing_since, self.tally.trouble = math.inf, ""
        return done

    async def _pause(self, *, is_first: bool) -> None:
        """Wait before the next check, each time longer, up to the least of the maxima."""
        targets = {*(one.target for one in self._ledger.open_batches()), *self._full}
        policies = [self._target(name).batch or BatchPolicy() for name in targets]
        first = min((one.poll_s for one in policies), default=0.0)
        most = min((one.max_poll_s for one in policies), default=0.0)
        self._poll_s = first if is_first or not self._poll_s else min(self._poll_s * 1.5, most)
        await asyncio.sleep(self._poll_s)

    async def _submit_one(self, name: str, target: Endpoint, dialect: BatchDialect, requests: list[Planned]) -> None:
        if not requests:
            return
        batch = await self._ledger.submit_batch(name, uuid.uuid4().hex[:16], requests)
        lines = [dialect.line(*_identified(batch, position, one)) for position, one in enumerate(requests)]
        for one in requests:
            self._tries[cast("Any", one.row).id] += 1
        try:
            provided = await _understood(dialect.submit(target, batch.submission, lines))
        except TargetError as problem:
            if await self._is_refused(batch, dialect, problem):
                for one in requests:
                    self._ledger.deferred[name].add(one)
        else:
            self.tally.submitted += len(requests)
            await self._ledger.change_batch(replace(batch, name=provided))
        self._tell()

    async def _is_refused(self, batch: LedgerBatch, dialect: BatchDialect, problem: TargetError) -> bool:
        """Store why a batch was not accepted, and return whether its requests go into another one.

        Whether a batch without an answer was accepted, ``_confirm`` finds out.
        """
        if isinstance(problem, ConnectError | NotAskedError | AuthenticationError | QuotaError):
            await self._refused(batch, problem)
            problem.add_note(self._said())
            raise problem
        if isinstance(problem, StatusError) and not isinstance(problem, ServerError):
            if problem.status == _CONTENT_TOO_LARGE and batch.n_requests > 1:
                await self._refused(batch, BatchError(f"{_TOO_LARGE}: {problem}"))
                return True
            if dialect.is_queue_full(problem):
                await self._no_room(batch, problem)
                return True
        elif not isinstance(problem, RequestError):
            self.tally.submitted += batch.n_requests
            return False
        await self._end(batch, "failed", BatchError(f"the endpoint rejected the batch: {problem}"), give_up=True)
        return False

    async def _no_room(self, batch: LedgerBatch, problem: TargetError) -> None:
        """Hold requests back until a batch that is in the queue ends; if there is none, the next one is smaller."""
        self._full[batch.target] = problem
        has_others = any(one.target == batch.target and one.id != batch.id for one in self._ledger.open_batches())
        await self._refused(batch, problem if has_others else BatchError(f"{_TOO_LARGE}: {problem}"))

    async def _refused(self, batch: LedgerBatch, problem: TargetError) -> None:
        """Store that nothing of a batch was asked; its requests wait for another one."""
        rows = self._ledger.unanswered(batch).values()
        for row in rows:
            self._tries[row.id] -= 1
        await self._ledger.change_batch(
            batch.ended("failed", time.time(), str(problem)), failed=[(row, problem) for row in rows]
        )

    async def _confirm(self, batch: LedgerBatch, target: Endpoint, dialect: BatchDialect) -> LedgerBatch | None:
        """Find the batch of an unconfirmed submission; None while it is not known, or if there is none."""
        taken = {one.name for one in self._ledger.batches()}
        is_undecided = False
        for listed in await _understood(_listed(dialect, target, batch.submitted_at)):
            if listed.name in taken or listed.n_requests not in (None, batch.n_requests):
                continue
            submission = self._submissions.get(listed.name) or await self._submission(listed, target, dialect)
            if submission == batch.submission:
                confirmed = replace(batch, name=listed.name)
                await self._ledger.change_batch(confirmed)
                return confirmed
            is_undecided |= submission is None
        grace_s = (target.batch or BatchPolicy()).confirm_within_s
        if not is_undecided and time.time() - batch.submitted_at >= grace_s:
            self.tally.uncertain += batch.n_requests
            await self._end(batch, "failed", BatchError("the endpoint never confirmed the batch"), is_certain=False)
        return None

    async def _submission(self, listed: ProviderBatch, target: Endpoint, dialect: BatchDialect) -> str | None:
        try:
            found = await _understood(dialect.submission(target, listed))
        except StatusError as problem:
            if problem.status not in _GONE:
                raise
            found = ""
        if found is not None:
            self._submissions[listed.name] = found or "none"
        return found

    async def _take_results(self, batch: LedgerBatch, known: ProviderBatch, target: Endpoint) -> None:
        found = _Results(self._ledger.unanswered(batch))

        async def take(line: bytes) -> bool:
            await self._take_line(line, target, found)
            return True

        for path in known.results:
            await target.call("GET", path, take=take)
        await self._ledger.flush()
        self.tally.damaged += len(found.damaged)
        problem = BatchError(f"the batch {known.progress}{known.error and ': ' + known.error}")
        if known.progress == "ended":
            lines = count_noun(len(found.damaged), "line")
            damaged = f"; {lines} of the results can't be read" if found.damaged else ""
            problem = BatchError(f"the batch ended without a result for the request{damaged}")
        if known.is_refused:
            await self._no_room(batch, problem)
            return
        for custom_id, row in found.waiting.items():
            if (why := known.rejected.get(cast("int", split_custom_id(custom_id)[1]))) is not None:
                found.problems[row.id] = BatchError(f"the endpoint rejected the request: {why}")
                self._tries[row.id] += self._attempts(target)
        has_failed = known.progress == "failed" and not known.rejected
        await self._end(batch, _STATES[known.progress], problem, problems=found.problems, give_up=has_failed)

    async def _take_line(self, line: bytes, target: Endpoint, found: _Results) -> None:
        """Store one result; a request without one is left, and fails with the end of the batch."""
        try:
            result = target.batches().result(line)
        except _MALFORMED:
            found.damaged.add(hash(line))
            return
        row = found.waiting.get(result.custom_id)
        if row is None:
            # The request has a result already, or the line belongs to none.
            return
        if result.reply is None:
            problem = found.problems[row.id] = BatchError(f"the batch has no reply: {result.error[:300]}")
            problem.raw = line
            if result.status in _CLIENTS_FAULT and not issubclass(kind_of_status(result.status or 0), MAY_PASS):
                self._tries[row.id] += self._attempts(target)
            return
        try:
            reply = read_body(type(target), result.reply)
        except MalformedReplyError as problem:
            if row.id not in found.problems:
                count_malformed(target)
            found.problems[row.id] = problem
            return
        await self._ledger.collect_reply(row, result.reply, reply)
        del found.waiting[result.custom_id]
        found.problems.pop(row.id, None)
        self.tally.collected += 1
        count_collected(target, reply)

    async def _end(
        self,
        batch: LedgerBatch,
        state: BatchState,
        problem: TargetError,
        *,
        problems: dict[int, TargetError] | None = None,
        give_up: bool = False,
        is_certain: bool = True,
    ) -> None:
        """Store the end of a batch; what it did not answer goes into the next one, or fails.

        If it is uncertain whether the batch was ever made, its requests stay as they were sent, and the ledger counts
        the next try as one that may ask them twice.
        """
        left = [(row, (problems or {}).get(row.id, problem)) for row in self._ledger.unanswered(batch).values()]
        said = str(problem) if state != "collected" else None
        await self._ledger.change_batch(batch.ended(state, time.time(), said), failed=left if is_certain else ())
        self._full.pop(batch.target, None)
        attempts = self._attempts(self._target(batch.target))
        self.tally.failed += len(left)
        for row, why in left:
            if give_up or self._tries[row.id] >= attempts:
                self._ledger.give_up(row.id, why)

    @staticmethod
    def _attempts(target: Endpoint) -> int:
        return (target.batch or BatchPolicy()).attempts

    def _target(self, name: str) -> Endpoint:
        """Return a target by the hash of its identity: one of this run, or one made from the identity."""
        if (waiting := self._ledger.deferred.get(name)) is not None:
            return cast("Endpoint", waiting.target)
        if (known := self._made.get(name)) is not None:
            return known
        dialect, identity = self._ledger.dialect(name), self._ledger.identity(name)
        kind = TARGETS.find(dialect)
        if kind is None or not issubclass(kind, Endpoint):
            raise LedgerError(f"a batch was sent by the target {dialect!r}, which is not registered; import it first")
        params = identity.params
        made = self._made[name] = cast("Any", kind)(
            str(params.get("underlying_model_name")), base_url=str(params.get("endpoint"))
        )
        return made

    def _limits(self, name: str, waiting: Deferred, dialect: BatchDialect) -> tuple[int, int]:
        """Return how many requests and bytes a batch may have.

        Half as many requests as in a batch that was too large; with each accepted one a quarter more.
        """
        policy = waiting.policy
        if name not in self._most:
            n_requests = most = min(policy.max_requests or dialect.max_requests, dialect.max_requests)
            for one in self._ledger.batches():
                if one.target == name and (one.error or "").startswith(_TOO_LARGE):
                    n_requests = max(1, one.n_requests // 2)
                elif one.target == name and one.name is not None:
                    n_requests = min(n_requests + n_requests // 4 + 1, most)
            self._most[name] = n_requests
        return self._most[name], min(policy.max_bytes, dialect.max_bytes)

    def _tell(self) -> None:
        self._most.clear()
        left = self._ledger.open_batches()
        self.tally.batches, self.tally.pending = len(left), sum(one.n_requests for one in left)
        if self._on_progress is not None:
            self._on_progress(self.tally)

    def _said(self) -> str:
        tally = self.tally
        batches = count_noun(tally.batches, "batch", "batches")
        said = f"{count_noun(tally.pending, 'request')} in {batches} {'is' if tally.pending == 1 else 'are'} pending"
        if self._full:
            why = next(iter(self._full.values()))
            said += f", and {tally.held:,} wait for room in the endpoint's queue: {why}"
        if tally.uncertain:
            said += f"; {tally.uncertain:,} of batches that were never confirmed may be asked twice"
        if tally.trouble:
            said += f"; {tally.trouble}"
        return said

    def _pending(self) -> PendingReplyError:
        self._tell()
        problem = PendingReplyError(self._said())
        problem.counts = vars(self.tally)
        return problem


async def _understood(work: Awaitable[_Answer]) -> _Answer:
    """Wait for what a dialect reads of an endpoint's answer."""
    try:
        return await work
    except TargetError:
        raise
    except _MALFORMED as problem:
        raise MalformedReplyError(f"the batch endpoint's answer has another shape: {type(problem).__name__}") from None


async def _listed(dialect: BatchDialect, target: Endpoint, since: float) -> list[ProviderBatch]:
    return [one async for one in dialect.latest(target, since)]


def _identified(batch: LedgerBatch, position: int, planned: Planned) -> tuple[str, bytes]:
    return batch.custom_id(position, planned.content), planned.payload


def _is_full(waiting: Deferred, limits: tuple[int, int]) -> bool:
    n_requests, n_bytes = limits
    return len(waiting.requests) >= n_requests or waiting.n_bytes >= n_bytes


def _take(waiting: Deferred, dialect: BatchDialect, ledger: Ledger, limits: tuple[int, int]) -> list[Planned]:
    """Take the requests of the next batch; one that is larger than any batch fails."""
    n_requests, n_bytes = limits
    taken: list[Planned] = []
    size = 0
    for row, planned in list(waiting.requests.items()):
        length = len(dialect.line("x" * 64, planned.payload))
        if length > n_bytes:
            ledger.give_up(row, RequestError(f"the request has {length:,} bytes; a batch takes {n_bytes:,}"))
        elif len(taken) == n_requests or size + length > n_bytes:
            break
        else:
            taken.append(planned)
            size += length
        del waiting.requests[row]
        waiting.n_bytes -= len(planned.payload)
    return taken
