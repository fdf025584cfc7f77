"""``keep_replies``: whatever is asked inside goes through a ledger, and is counted."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

    from judgecore.targets.ledger import Ledger
    from judgecore.targets.reply import JudgeReply
    from judgecore.targets.request import JudgeRequest
    from judgecore.targets.target import Target


@dataclass
class Tally:
    """What was asked, and what it cost.

    Attributes:
        calls: Requests that were sent and answered.
        replayed: Replies that the ledger already had.
        retries: Attempts beyond the first.
        prompt_tokens: Tokens of the requests, as the endpoint counts them.
        completion_tokens: Tokens of the replies.
    """

    calls: int = 0
    replayed: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

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


_kept: ContextVar[tuple[Ledger | None, Tally] | None] = ContextVar("judgecore_kept", default=None)


@contextmanager
def keep_replies(ledger: Ledger | None) -> Generator[Tally]:
    """Send what scorers ask inside through a ledger, tasks that are started inside included.

    Args:
        ledger: Where requests and replies are kept; None to count only.

    Yields:
        The count of what was asked, which grows.
    """
    tally = Tally()
    token = _kept.set((ledger, tally))
    try:
        yield tally
    finally:
        _kept.reset(token)


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
    if kept is None:
        return await target.send(request)
    ledger, tally = kept
    reply = await (target.send(request) if ledger is None else ledger.send(target, request))
    tally.count(reply)
    return reply
