"""``send_many``: many requests to one target, bounded, in order, and stopped cleanly."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from judgecore.errors import (
    AuthenticationError,
    CallableError,
    EndpointDownError,
    QuotaError,
    RequestError,
    TargetError,
)
from judgecore.targets.budget import send_within_budget, spend_within
from judgecore.targets.ledger.ledger import Planned, sent_plainly
from judgecore.targets.target import is_cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from judgecore.targets.budget import Budget
    from judgecore.targets.ledger import Ledger
    from judgecore.targets.reply import JudgeReply
    from judgecore.targets.request import JudgeRequest
    from judgecore.targets.target import Target

# Requests are entered in the ledger so many at a time, in one commit.
_PLANNED_TOGETHER = 256
# After one of these, every other request would end alike.
_ENDS_ALL = (AuthenticationError, EndpointDownError, QuotaError)
_NOT_PER_ITEM = 403


@dataclass
class SendingProgress:
    """How far many requests have come.

    Attributes:
        total: How many there are; None while that is not known.
        done: How many have a reply or an error.
        replayed: How many of them had their reply in the ledger.
        failed: How many of them have an error.
        tokens: What the replies that were sent for cost, as far as the endpoint tells.
    """

    total: int | None = None
    done: int = 0
    replayed: int = 0
    failed: int = 0
    tokens: int = 0


async def send_many(
    target: Target,
    requests: Iterable[JudgeRequest],
    *,
    ledger: Ledger | None = None,
    budget: Budget | None = None,
    concurrency: int = 32,
    on_progress: Callable[[SendingProgress], None] | None = None,
) -> list[JudgeReply | TargetError]:
    """Send many requests, and return a reply or an error for each, in their order.

    One bad item costs one item: its place holds the ``TargetError``. After a key that is not accepted, a spent account,
    a reached budget or an endpoint that is down nothing more is sent, and the places of the rest hold that error.
    Cancelled, as by Ctrl-C under ``asyncio.run``, it abandons what is in flight; what the ledger holds is kept, and the
    same call goes on from there.

    Args:
        target: What to send them to.
        requests: What to ask; taken as they are needed.
        ledger: Where requests and replies are kept; None for nowhere.
        budget: How much may be spent, what the ledger has spent before included; None for no limit.
        concurrency: The most requests under way; the target's own pacing may allow fewer.
        on_progress: Is called after each.

    Returns:
        As many as there were requests.

    Raises:
        ValueError: If ``concurrency`` is below 1.
        LedgerWriteError: If the ledger could not be written; then nothing more is sent.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency must be at least 1, not {concurrency}")
    run = _Run(target, iter(requests), ledger, on_progress or _tell_nobody)
    run.sending.total = len(requests) if isinstance(requests, Sized) else None
    try:
        with spend_within(budget, ledger):
            async with asyncio.TaskGroup() as workers:
                for _ in range(concurrency):
                    workers.create_task(run.work())
    except BaseExceptionGroup as problems:
        raise _first(problems) from None
    return [run.results[place] for place in range(len(run.results))]


class _Run:
    """One call of ``send_many``: what its workers share."""

    def __init__(
        self,
        target: Target,
        requests: Iterator[JudgeRequest],
        ledger: Ledger | None,
        on_progress: Callable[[SendingProgress], None],
    ) -> None:
        self.sending = SendingProgress()
        self.results: dict[int, JudgeReply | TargetError] = {}
        self._target = target
        self._requests = requests
        self._ledger = ledger
        self._on_progress = on_progress
        self._planned: deque[tuple[int, JudgeRequest | Planned]] = deque()
        self._planning = asyncio.Lock()
        self._n_taken = 0
        self._end: TargetError | None = None

    async def work(self) -> None:
        """Take requests and answer them until there are none."""
        try:
            while (item := await self._next()) is not None:
                place, request = item
                self._keep(place, await self._answered(request))
        except asyncio.CancelledError as problem:
            if is_cancelled():
                raise
            # A task group takes a worker that ends so for one that has nothing left to do.
            raise CallableError(
                "on_progress or requests raised CancelledError, and nobody cancelled the run"
            ) from problem

    async def _answered(self, request: JudgeRequest | Planned) -> JudgeReply | TargetError:
        is_kept = isinstance(request, Planned) and request.reply is not None
        if self._end is not None and not is_kept:
            return _like(self._end)
        try:
            if isinstance(request, Planned) and self._ledger is not None:
                return await self._ledger.answer(self._target, request)
            asked = request.request if isinstance(request, Planned) else request
            return await send_within_budget(self._target, asked, None, lambda: sent_plainly(self._target, asked))
        except TargetError as problem:
            if isinstance(problem, _ENDS_ALL) and getattr(problem, "status", 0) != _NOT_PER_ITEM:
                self._end = problem
            return problem

    async def _next(self) -> tuple[int, JudgeRequest | Planned] | None:
        if not self._planned:
            async with self._planning:
                if not self._planned:
                    await self._plan()
        return self._planned.popleft() if self._planned else None

    async def _plan(self) -> None:
        """Take the next requests; those that the target can't be asked are done."""
        taken: list[tuple[int, JudgeRequest]] = []
        for request in self._requests:
            taken.append((self._n_taken, request))
            self._n_taken += 1
            if len(taken) == _PLANNED_TOGETHER:
                break
        if self._ledger is None:
            self._planned.extend(taken)
            return
        try:
            rows = await self._ledger.plan(self._target, [request for _, request in taken])
            self._planned.extend((place, row) for (place, _), row in zip(taken, rows, strict=True))
        except RequestError:
            for place, request in taken:
                try:
                    (row,) = await self._ledger.plan(self._target, [request])
                    self._planned.append((place, row))
                except RequestError as problem:
                    self._keep(place, problem)
            if taken and not self._planned:
                await self._plan()

    def _keep(self, place: int, result: JudgeReply | TargetError) -> None:
        self.results[place] = result
        sending = self.sending
        sending.done += 1
        if isinstance(result, TargetError):
            sending.failed += 1
        elif result.attempts == 0:
            sending.replayed += 1
        else:
            sending.tokens += result.usage.total_tokens
        self._on_progress(sending)


def _tell_nobody(sending: SendingProgress) -> None:
    """Take no notice."""


def _like(problem: TargetError) -> TargetError:
    """Another error of the same kind, for a request that was not sent because of the first."""
    return type(problem)(f"not sent: {problem}")


def _first(problem: BaseException) -> BaseException:
    """The first error of a group, however deep it stands; an error that is no group is itself."""
    if isinstance(problem, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", problem)
        return _first(group.exceptions[0])
    return problem
