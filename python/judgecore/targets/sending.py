"""``send_many``: sends many requests to a target, with bounded concurrency and clean cancellation."""

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
from judgecore.targets.ledger.ledger import Planned
from judgecore.targets.target import is_cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from judgecore.targets.budget import Budget
    from judgecore.targets.ledger import Ledger
    from judgecore.targets.reply import JudgeReply
    from judgecore.targets.request import JudgeRequest
    from judgecore.targets.target import Target

# The number of requests that are added to the ledger in one commit.
_PLANNED_TOGETHER = 256
# Errors that would fail all other requests as well.
_ENDS_ALL = (AuthenticationError, EndpointDownError, QuotaError)
_NOT_PER_ITEM = 403


@dataclass
class SendingProgress:
    """The progress of ``send_many``.

    Attributes:
        total: The number of requests; None if it is unknown.
        done: The number of requests with a reply or an error.
        replayed: How many of these were replayed from the ledger.
        failed: How many of these have an error.
        tokens: The tokens of new replies, as far as the endpoint reports them.
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
    """Send many requests, and return a reply or an error for each, in order.

    A request that fails has its ``TargetError`` in the result. After a rejected key, a used-up quota, a reached budget,
    or if the endpoint is down, no more requests are sent, and the results of the rest are that error. If the call is
    cancelled, for example by Ctrl-C under ``asyncio.run``, requests in flight are abandoned; with the same ledger, the
    same call resumes.

    Args:
        target: The target.
        requests: The requests, consumed lazily.
        ledger: The ledger for requests and replies; None for none.
        budget: The maximum spending, including what the ledger has already spent; None for no limit.
        concurrency: The maximum number of requests in flight; the target's pacing may allow fewer.
        on_progress: A function that is called after each request.

    Returns:
        A result for each request.

    Raises:
        ValueError: If ``concurrency`` is below 1.
        LedgerWriteError: If the ledger can't be written; then no more requests are sent.
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
    """The state that the workers of ``send_many`` share."""

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
        """Process requests until there are none left."""
        try:
            while (item := await self._next()) is not None:
                place, request = item
                self._keep(place, await self._answered(request))
        except asyncio.CancelledError as problem:
            if is_cancelled():
                raise
            # A task group would treat this worker as finished.
            raise CallableError(
                "on_progress or requests raised CancelledError, and nobody cancelled the run"
            ) from problem

    async def _answered(self, request: JudgeRequest | Planned) -> JudgeReply | TargetError:
        is_kept = isinstance(request, Planned) and request.reply is not None
        if self._end is not None and not is_kept:
            return type(self._end)(f"not sent: {self._end}")
        try:
            if isinstance(request, Planned) and self._ledger is not None:
                return await self._ledger.answer(self._target, request)
            asked = request.request if isinstance(request, Planned) else request
            return await send_within_budget(self._target, asked)
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
        """Add the next requests to the ledger; requests that the target rejects are done."""
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
    """Do nothing."""


def _first(problem: BaseException) -> BaseException:
    """Return the first error of a group, at any depth, or the error itself if it is not a group."""
    if isinstance(problem, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", problem)
        return _first(group.exceptions[0])
    return problem
