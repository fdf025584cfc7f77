"""Score many responses with bounded concurrency, in order; a failure costs only its own item."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

from judgecore.errors import (
    AuthenticationError,
    JudgecoreError,
    LedgerError,
    NotAskedError,
    PendingReplyError,
    PromptError,
    QuotaError,
)
from judgecore.scorers.score import ScoreStatus

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence

    from judgecore.scorers.response import Response
    from judgecore.scorers.score import Score

DEFAULT_CONCURRENCY = 32

# Errors that would fail all other items as well.
_OF_THE_RUN = (AuthenticationError, LedgerError, QuotaError)
# With this status the key is accepted, but not for this request.
_FORBIDDEN = 403

# How far others may get ahead of a slow item, as a multiple of the concurrency.
_AHEAD = 4

logger = logging.getLogger("judgecore")


class _Places:
    """The places of a stream: so many responses at once for each scorer.

    A jury's own place is free again while its members score, so that quick members don't wait for slow ones.
    """

    def __init__(self, n: int) -> None:
        self._n = n
        self._of: dict[int, asyncio.Semaphore] = {}

    def take(self, scorer: ItemScorer) -> _Place:
        """Return a place of a scorer, to be entered."""
        return _Place(self, self._of.setdefault(id(scorer), asyncio.Semaphore(self._n)))


class _Place:
    def __init__(self, places: _Places, free: asyncio.Semaphore) -> None:
        self.places = places
        self._free = free
        self._is_taken = False

    async def __aenter__(self) -> None:
        await self._free.acquire()
        self._is_taken = True
        _place.set(self)

    async def __aexit__(self, *_: object) -> None:
        self.give_up()

    def give_up(self) -> None:
        """Let another response have the place."""
        if self._is_taken:
            self._is_taken = False
            self._free.release()


# Where the response of a task is scored.
_place: ContextVar[_Place | None] = ContextVar("judgecore_scoring_place", default=None)


class ItemScorer(Protocol):
    """The part of ``Scorer`` that this module needs; ``Scorer`` imports this module."""

    async def score_present(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Score a response; the score of a missing one is undetermined."""
        ...

    def make_undetermined(self, reason: str, **attributes: Any) -> Score:
        """Make a score without a value."""
        ...


async def score_stream(
    scorer: ItemScorer, responses: Iterable[Response], *, concurrency: int, trial: int
) -> AsyncIterator[list[Score]]:
    """Score a stream of responses."""
    if concurrency < 1:
        raise ValueError(f"concurrency must be at least 1, not {concurrency}")
    places = _Places(concurrency)

    async def score(response: Response) -> list[Score]:
        async with places.take(scorer):
            return await scorer.score_present(response, trial=trial)

    pending: deque[tuple[Response, asyncio.Task[list[Score]]]] = deque()
    source = iter(responses)
    try:
        while True:
            while len(pending) < concurrency * _AHEAD and (response := next(source, None)) is not None:
                pending.append((response, asyncio.ensure_future(score(response))))
            if not pending:
                return
            response, task = pending[0]
            await asyncio.wait([task])
            scores = _outcome(scorer, response, task)
            pending.popleft()
            yield scores
    finally:
        for _, task in pending:
            task.cancel()
        await asyncio.gather(*(task for _, task in pending), return_exceptions=True)


async def score_each(scorers: Sequence[ItemScorer], response: Response, *, trial: int) -> list[Score]:
    """Score one response with several scorers concurrently, and return the first score of each.

    If scoring raises an error, the score is undetermined and holds it; one that concerns all items is raised.
    """
    place = _place.get()

    async def part(scorer: ItemScorer) -> list[Score]:
        if place is None:
            return await scorer.score_present(response, trial=trial)
        async with place.places.take(scorer):
            return await scorer.score_present(response, trial=trial)

    tasks = [asyncio.ensure_future(part(scorer)) for scorer in scorers]
    if place is not None:
        place.give_up()
    try:
        await asyncio.wait(tasks)
        problems = [task.exception() for task in tasks]
        for problem in problems:
            # The parts must be complete before they can be combined.
            if isinstance(problem, NotAskedError | PendingReplyError):
                raise problem from next((one for one in problems if isinstance(one, PromptError)), None)
        return [_outcome(scorer, response, task)[0] for scorer, task in zip(scorers, tasks, strict=True)]
    finally:
        for task in tasks:
            task.cancel()


def _outcome(scorer: ItemScorer, response: Response, task: asyncio.Task[list[Score]]) -> list[Score]:
    """Return the scores of a finished item, or an undetermined score with its error."""
    problem = task.exception()
    if problem is None:
        return task.result()
    if isinstance(problem, PendingReplyError):
        return [scorer.make_undetermined("pending", ledger_key=problem.key, score_rationale=str(problem))]
    if isinstance(problem, NotAskedError):
        return [
            scorer.make_undetermined(
                problem.reason,
                status=ScoreStatus.NOT_ASKED,
                error=problem,
                objective=response.objective,
                score_rationale=f"not asked: {problem}",
            )
        ]
    problem.add_note(f"while scoring {response}")
    is_of_the_run = isinstance(problem, _OF_THE_RUN) and getattr(problem, "status", 0) != _FORBIDDEN
    if is_of_the_run or not isinstance(problem, Exception):
        raise problem
    logger.warning("undetermined score: %s raised %s", response, type(problem).__name__)
    key = getattr(problem, "key", None)
    return [
        scorer.make_undetermined(
            "error",
            error=problem,
            ledger_key=key,
            objective=response.objective,
            # Other errors say little without their type, such as a KeyError.
            score_rationale=str(problem)
            if isinstance(problem, JudgecoreError)
            else f"{type(problem).__name__}: {problem}",
        )
    ]
