"""``keep_replies``: whatever scorers ask inside goes through a ledger, and is counted."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judgecore.errors import CallableError
from judgecore.targets.reply import JudgeReply

if TYPE_CHECKING:
    from collections.abc import Generator

    from judgecore.targets.ledger import Ledger
    from judgecore.targets.request import JudgeRequest
    from judgecore.targets.target import Target


@dataclass
class RequestTally:
    """What was asked, and what it cost.

    Attributes:
        calls: Requests that were sent and answered.
        replayed: Replies that the ledger already had.
        retries: Attempts beyond the first.
        prompt_tokens: Tokens of the requests, as the endpoint counts them.
        completion_tokens: Tokens of the replies.
        collected: Replies that batches brought; their tokens count as those of batches.
        batch_prompt_tokens: Tokens of the requests of these replies.
        batch_completion_tokens: Tokens of these replies.
    """

    calls: int = 0
    replayed: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    collected: int = 0
    batch_prompt_tokens: int = 0
    batch_completion_tokens: int = 0

    def count(self, reply: JudgeReply) -> None:
        """Count a reply.

        Args:
            reply: What came back, or was there.
        """
        if reply.attempts == 0:
            self.replayed += 1
            return
        self.calls += 1
        self.retries += reply.attempts - 1
        self.prompt_tokens += reply.usage.prompt_tokens or 0
        self.completion_tokens += reply.usage.completion_tokens or 0


@dataclass(frozen=True)
class _Kept:
    """Where what is asked is kept and counted."""

    ledger: Ledger | None = None
    tallies: tuple[RequestTally, ...] = ()


_NOWHERE = _Kept()
_kept: ContextVar[_Kept] = ContextVar("judgecore_kept", default=_NOWHERE)


@contextmanager
def keep_replies(ledger: Ledger | None) -> Generator[RequestTally]:
    """Send what scorers ask inside through a ledger, tasks that are started inside included.

    Args:
        ledger: Where requests and replies are kept; None for that of the block around, and to count only where there
            is none.

    Yields:
        The count of what was asked, which grows; blocks around count it too.

    Examples:
        >>> import asyncio
        >>> import judgecore as jc
        >>> judge = jc.CallableTarget(lambda request: "Yes", name="always_yes")
        >>> with jc.Ledger(":memory:") as ledger, jc.targets.keep_replies(ledger) as tally:
        ...     for _ in range(2):
        ...         reply = asyncio.run(jc.targets.ask_target(judge, jc.JudgeRequest("Is it good?")))
        >>> tally.calls, tally.replayed
        (1, 1)
    """
    around, tally = _kept.get(), RequestTally()
    token = _kept.set(_Kept(around.ledger if ledger is None else ledger, (*around.tallies, tally)))
    try:
        yield tally
    finally:
        _kept.reset(token)


def keeping_ledger() -> Ledger | None:
    """Return the ledger of the block of ``keep_replies`` around; None where there is none."""
    return _kept.get().ledger


def count_collected(reply: JudgeReply) -> None:
    """Count the reply of a batch in the blocks of ``keep_replies`` around."""
    for tally in _kept.get().tallies:
        tally.collected += 1
        tally.batch_prompt_tokens += reply.usage.prompt_tokens or 0
        tally.batch_completion_tokens += reply.usage.completion_tokens or 0


async def ask_target(target: Target, request: JudgeRequest) -> JudgeReply:
    """Send a request, through the ledger of ``keep_replies`` where there is one.

    Args:
        target: What to send it to.
        request: What to ask.

    Returns:
        The reply, received now or before.

    Raises:
        TargetError: In one of its kinds, if there is no reply.
        LedgerWriteError: If the ledger could not be written.
    """
    kept = _kept.get()
    reply = await (target.send(request) if kept.ledger is None else kept.ledger.send(target, request))
    if not isinstance(reply, JudgeReply):  # pyright: ignore[reportUnnecessaryIsInstance] - a class of the caller's own
        raise CallableError(f"{type(target).__name__}.send returned {type(reply).__name__}; return a JudgeReply")
    for tally in kept.tallies:
        tally.count(reply)
    return reply
