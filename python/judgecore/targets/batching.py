"""``BatchRun``: submit requests in batches and collect their replies, whatever happens in between."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from judgecore.errors import (
    BatchError,
    ConnectError,
    LedgerError,
    MalformedReplyError,
    RateLimitError,
    RequestError,
    StatusError,
    TargetError,
)
from judgecore.targets.dialect import read_body
from judgecore.targets.endpoint import Endpoint
from judgecore.targets.keeping import count_collected
from judgecore.targets.registration import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable

    from judgecore.targets.batch_dialect import BatchDialect, ProviderBatch
    from judgecore.targets.ledger import Ledger
    from judgecore.targets.ledger.batches import BatchState, LedgerBatch
    from judgecore.targets.ledger.ledger import Deferred, Planned

_STATES: dict[str, BatchState] = {
    "ended": "collected",
    "expired": "expired",
    "cancelled": "failed",
    "failed": "failed",
}
_CLIENTS_FAULT = range(400, 500)
_MAY_PASS = (408, 409, 429)
_GONE = (404, 410)


@dataclass
class BatchTally:
    """What a run of batches did, and what is left.

    Attributes:
        submitted: Requests submitted.
        collected: Replies stored.
        failed: Results without a usable reply.
        duplicated: Results that a request already had, or that belong to none.
        pending: Requests in batches that have not ended.
        batches: Batches that have not ended.
    """

    submitted: int = 0
    collected: int = 0
    failed: int = 0
    duplicated: int = 0
    pending: int = 0
    batches: int = 0


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
        self._targets: dict[str, Endpoint] = {}
        self._tries: Counter[int] = Counter()

    async def submit(self, *, is_partial: bool = True) -> None:
        """Submit the requests that wait, in as many batches as the limits require.

        Args:
            is_partial: Whether to submit a batch that is not full.

        Raises:
            TargetError: If the endpoint rejects a batch.
            LedgerWriteError: If the ledger could not be written; then nothing was sent.
        """
        for name, waiting in list(self._ledger.deferred.items()):
            target = self._targets[name] = cast("Endpoint", waiting.target)
            dialect = target.batches()
            while waiting.requests and (is_partial or _is_full(waiting, dialect)):
                await self._submit_one(name, target, dialect, _take(waiting, dialect, self._ledger))

    async def wait(self) -> None:
        """Collect until no batch is pending."""
        poll_s = 0.0
        while self._ledger.open_batches():
            before = self.tally.collected, len(self._ledger.open_batches())
            await self.collect()
            policies = [self._target(one.target).batch for one in self._ledger.open_batches()]
            first = min((one.poll_s for one in policies if one), default=5.0)
            most = min((one.max_poll_s for one in policies if one), default=300.0)
            has_changed = before != (self.tally.collected, len(self._ledger.open_batches()))
            poll_s = first if has_changed or not poll_s else min(poll_s * 1.5, most)
            if self._ledger.open_batches():
                await asyncio.sleep(poll_s)

    async def collect(self) -> None:
        """Check each pending batch once, and store the replies of those that have ended."""
        for batch in self._ledger.open_batches():
            target = self._target(batch.target)
            confirmed = batch if batch.name else await self._confirm(batch, target, target.batches())
            if confirmed is not None:
                try:
                    known = await target.batches().status(target, confirmed.name or "")
                    if known.progress != "running":
                        await self._take_results(confirmed, known, target)
                except StatusError as problem:
                    if problem.status not in _GONE:
                        raise
                    await self._ledger.flush()
                    await self._end(confirmed, "failed", BatchError("the endpoint no longer has the batch"))
            self._tell()
        self._tell()

    async def _submit_one(self, name: str, target: Endpoint, dialect: BatchDialect, requests: list[Planned]) -> None:
        if not requests:
            return
        batch = await self._ledger.submit_batch(name, uuid.uuid4().hex[:16], requests)
        lines = [dialect.line(*_identified(batch, position, one)) for position, one in enumerate(requests)]
        for one in requests:
            self._tries[cast("Any", one.row).id] += 1
        self.tally.submitted += len(requests)
        try:
            provided = await dialect.submit(target, batch.submission, lines)
        except TargetError as problem:
            if isinstance(problem, ConnectError | RateLimitError) or (
                isinstance(problem, StatusError) and problem.status in _CLIENTS_FAULT
            ):
                # It certainly did not arrive.
                await self._end(batch, "failed", problem)
                raise
        else:
            await self._ledger.change_batch(replace(batch, name=provided))
        self._tell()

    async def _confirm(self, batch: LedgerBatch, target: Endpoint, dialect: BatchDialect) -> LedgerBatch | None:
        """Find the batch of an unconfirmed submission; None while it is not known, or if there is none."""
        taken = {one.name for one in self._ledger.batches()}
        is_undecided = False
        async for listed in dialect.latest(target, batch.submitted_at):
            if listed.name in taken:
                continue
            if listed.submission == batch.submission:
                confirmed = replace(batch, name=listed.name)
                await self._ledger.change_batch(confirmed)
                return confirmed
            is_undecided |= listed.submission is None and listed.n_requests in (None, batch.n_requests)
        policy = target.batch
        grace_s = policy.confirm_within_s if policy else 30.0
        if not is_undecided and time.time() - batch.submitted_at >= grace_s:
            await self._end(batch, "failed", BatchError("the endpoint never received the batch"))
        return None

    async def _take_results(self, batch: LedgerBatch, known: ProviderBatch, target: Endpoint) -> None:
        dialect, waiting = target.batches(), self._ledger.unanswered(batch)
        problems: dict[int, TargetError] = {}

        async def take(line: bytes) -> None:
            if not line.strip():
                return
            try:
                result = dialect.result(line)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                # Its request is left, and fails with the end of the batch.
                return
            row = waiting.get(result.custom_id)
            if row is None:
                self.tally.duplicated += 1
            elif result.reply is None:
                problem = problems[row.id] = BatchError(f"the batch has no reply: {result.error[:300]}")
                if result.status in _CLIENTS_FAULT and result.status not in _MAY_PASS:
                    self._tries[row.id] += self._attempts(target)
                problem.raw = line
            else:
                try:
                    reply = read_body(type(target), result.reply)
                except MalformedReplyError as problem:
                    problems[row.id] = problem
                    return
                await self._ledger.collect_reply(row, result.reply, reply)
                del waiting[result.custom_id]
                problems.pop(row.id, None)
                self.tally.collected += 1
                count_collected(target, reply)

        for path in known.results:
            await target.call("GET", path, take=take)
        await self._ledger.flush()
        said = f"the batch {known.progress}{known.error and ': ' + known.error}"
        problem = BatchError(said if known.progress != "ended" else "the batch ended without a result for the request")
        await self._end(batch, _STATES[known.progress], problem, problems=problems, give_up=known.progress == "failed")

    async def _end(
        self,
        batch: LedgerBatch,
        state: BatchState,
        problem: TargetError,
        *,
        problems: dict[int, TargetError] | None = None,
        give_up: bool = False,
    ) -> None:
        """Store the end of a batch; what it did not answer goes into the next one, or fails."""
        left = [(row, (problems or {}).get(row.id, problem)) for row in self._ledger.unanswered(batch).values()]
        said = str(problem) if state != "collected" else None
        await self._ledger.change_batch(batch.ended(state, time.time(), said), failed=left)
        attempts = self._attempts(self._targets.get(batch.target))
        self.tally.failed += len(left)
        for row, why in left:
            if give_up or self._tries[row.id] >= attempts:
                self._ledger.give_up(row.id, why)

    @staticmethod
    def _attempts(target: Endpoint | None) -> int:
        return target.batch.attempts if target is not None and target.batch is not None else 3

    def _target(self, name: str) -> Endpoint:
        """Return a target by the hash of its identity: one of this run, or one made from the identity."""
        if (known := self._targets.get(name)) is not None:
            return known
        if (waiting := self._ledger.deferred.get(name)) is not None:
            return cast("Endpoint", waiting.target)
        dialect, identity = self._ledger.dialect(name), self._ledger.identity(name)
        kind = TARGETS.find(dialect)
        if kind is None or not issubclass(kind, Endpoint):
            raise LedgerError(f"a batch was sent by the target {dialect!r}, which is not registered; import it first")
        params = identity.params
        made = self._targets[name] = cast("Any", kind)(
            str(params.get("underlying_model_name")), base_url=str(params.get("endpoint"))
        )
        return made

    def _tell(self) -> None:
        left = self._ledger.open_batches()
        self.tally.batches, self.tally.pending = len(left), sum(one.n_requests for one in left)
        if self._on_progress is not None:
            self._on_progress(self.tally)


def _identified(batch: LedgerBatch, position: int, planned: Planned) -> tuple[str, bytes]:
    return batch.custom_id(position, planned.content), planned.payload


def _is_full(waiting: Deferred, dialect: BatchDialect) -> bool:
    n_requests, n_bytes = _limits(waiting, dialect)
    return len(waiting.requests) >= n_requests or waiting.n_bytes >= n_bytes


def _limits(waiting: Deferred, dialect: BatchDialect) -> tuple[int, int]:
    policy = waiting.policy
    return min(policy.max_requests or dialect.max_requests, dialect.max_requests), min(
        policy.max_bytes, dialect.max_bytes
    )


def _take(waiting: Deferred, dialect: BatchDialect, ledger: Ledger) -> list[Planned]:
    """Take the requests of the next batch; one that is larger than any batch fails."""
    n_requests, n_bytes = _limits(waiting, dialect)
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
