"""``LedgerTarget``: a judge whose replies are kept, and not paid for twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judgecore.identity import ComponentIdentifier
    from judgecore.targets import JudgeReply, JudgeRequest, Ledger, Target


class LedgerTarget:
    """A target behind a ledger: what was received before is not asked for again.

    It has the identity of the target, so that a scorer is the same with a ledger and without.

    Args:
        target: The judge.
        ledger: Where requests and replies are kept.

    Examples:
        >>> import asyncio
        >>> from judgecore import CallableTarget, JudgeRequest, Ledger, LedgerTarget
        >>> judge = CallableTarget(lambda request: "Yes", name="always_yes")
        >>> with Ledger(":memory:") as ledger:
        ...     kept = LedgerTarget(judge, ledger)
        ...     [asyncio.run(kept.send(JudgeRequest("Is it good?"))).attempts for _ in range(2)]
        [1, 0]
    """

    def __init__(self, target: Target, ledger: Ledger) -> None:
        self._target = target
        self._ledger = ledger

    async def send(self, request: JudgeRequest, /) -> JudgeReply:
        """Return the reply that was received before, or send the request and keep what comes.

        Args:
            request: What to ask.

        Raises:
            TargetError: In one of its kinds, if there is no reply.
            LedgerWriteError: If the ledger could not be written.
        """
        return await self._ledger.send(self._target, request)

    def get_identifier(self) -> ComponentIdentifier:
        """Return what the target is."""
        return self._target.get_identifier()

    def __repr__(self) -> str:
        return f"LedgerTarget({self._target!r})"
