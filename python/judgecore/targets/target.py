"""``Target``: the protocol of judges, and that of recording what is sent."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from judgecore.errors import CallableError, JudgecoreError
from judgecore.targets.reply import JudgeReply

if TYPE_CHECKING:
    from judgecore.identity import ComponentIdentifier
    from judgecore.targets.request import JudgeRequest


_MOST = sys.float_info.max
_SAMPLING = {"temperature": "at least 0, such as 0 or 0.7", "top_p": "above 0 and at most 1"}
"""The settings of sampling, and their ranges in words."""


def to_sampling(name: str, setting: float | None) -> float | None:
    """Return a setting of sampling as a float, so that 0, 0.0 and -0.0 have the same identity; None stays None."""
    if setting is None or name not in _SAMPLING:
        return setting
    is_number = isinstance(setting, int | float) and not isinstance(setting, bool)  # pyright: ignore[reportUnnecessaryIsInstance] - a caller's value
    if not is_number or not (0 <= setting <= _MOST if name == "temperature" else 0 < setting <= 1):
        raise ValueError(f"{name} must be a number, {_SAMPLING[name]}; not {setting!r:.40}")
    return float(setting) + 0.0


@runtime_checkable
class Target(Protocol):
    """A judge: an endpoint, a function, a recording, or your own class with these two methods."""

    async def send(self, request: JudgeRequest, /) -> JudgeReply:
        """Send a request and wait for the reply.

        Returns:
            The reply. A refused or truncated reply is an outcome, not an error.

        Raises:
            TargetError: One of its subclasses, if there is no reply.
        """
        ...

    def get_identifier(self) -> ComponentIdentifier:
        """Return the identity: model, sampling settings and endpoint, but never a key."""
        ...


def is_cancelled() -> bool:
    """Return whether the running task is being cancelled; if not, a function raised the ``CancelledError``."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


async def sent_plainly(target: Target, request: JudgeRequest) -> JudgeReply:
    """Send to a target of the caller's own; what it raises becomes an error of the target."""
    try:
        reply = await target.send(request)
    except JudgecoreError:
        raise
    except (Exception, asyncio.CancelledError) as problem:
        if isinstance(problem, asyncio.CancelledError) and is_cancelled():
            raise
        raise CallableError(f"{type(target).__name__}.send raised {type(problem).__name__}: {problem}") from problem
    if not isinstance(reply, JudgeReply):  # pyright: ignore[reportUnnecessaryIsInstance] - a class of the caller's own
        raise CallableError(f"{type(target).__name__}.send returned {type(reply).__name__}; return a JudgeReply")
    return reply


class Record:
    """The ledger row of a request, for its target; without a ledger it records nothing."""

    async def sent(self) -> None:
        """Record that the request is about to be sent; committed on return."""

    async def received(self, raw: bytes) -> None:
        """Record the raw reply before it is parsed; committed on return."""


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
