"""The protocol between targets and the ledger, by which each delivery is recorded while it happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from judgecore.targets.reply import JudgeReply
    from judgecore.targets.request import JudgeRequest
    from judgecore.targets.target import Target


class Record(Protocol):
    """The ledger row of a request, for its target."""

    async def sent(self) -> None:
        """Record that the request is about to be sent; committed on return."""
        ...

    async def received(self, raw: bytes) -> None:
        """Record the raw reply before it is parsed; committed on return."""
        ...


class NoRecord:
    """The record of a request without a ledger, which stores nothing."""

    async def sent(self) -> None:
        """Do nothing."""

    async def received(self, raw: bytes) -> None:
        """Do nothing."""


class Recordable(Protocol):
    """A target whose requests and raw replies a ledger can record."""

    def payload(self, request: JudgeRequest, /) -> bytes:
        """Return the body of the HTTP request, without credentials; its hash is part of the ledger's key."""
        ...

    async def deliver(self, request: JudgeRequest, payload: bytes, record: Record, /) -> JudgeReply:
        """Send a payload, with retries, and record each attempt."""
        ...

    @classmethod
    def read(cls, raw: bytes, /) -> JudgeReply:
        """Parse a raw reply, possibly a stored one."""
        ...


def is_recordable(target: Target) -> bool:
    """Return whether a ledger can record a target's requests."""
    return all(hasattr(target, name) for name in ("payload", "deliver", "read"))
