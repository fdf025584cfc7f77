"""What a target tells of one delivery while it happens, so that a ledger can keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from judgecore.targets.reply import JudgeReply
    from judgecore.targets.request import JudgeRequest
    from judgecore.targets.target import Target


class Record(Protocol):
    """The row of one request, as far as a target fills it."""

    async def sent(self) -> None:
        """Keep that the request leaves now; what returns is committed."""
        ...

    async def received(self, raw: bytes) -> None:
        """Keep the answer as it came, before anything is read in it; what returns is committed."""
        ...


class NoRecord:
    """Keeps nothing: a request without a ledger."""

    async def sent(self) -> None:
        """Keep nothing."""

    async def received(self, raw: bytes) -> None:
        """Keep nothing."""


class Recordable(Protocol):
    """A target that says what it sends and when, so that a ledger can keep the bytes before they are read."""

    def payload(self, request: JudgeRequest, /) -> bytes:
        """Return the body as it is sent, without credentials; its hash is part of the ledger's key."""
        ...

    async def deliver(self, request: JudgeRequest, payload: bytes, record: Record, /) -> JudgeReply:
        """Send a request's payload, with all its attempts, and tell the record of them."""
        ...

    @classmethod
    def read(cls, raw: bytes, /) -> JudgeReply:
        """Read an answer, one that was kept too."""
        ...


def is_recordable(target: Target) -> bool:
    """Tell whether a target says what it sends and when."""
    return all(hasattr(target, name) for name in ("payload", "deliver", "read"))
