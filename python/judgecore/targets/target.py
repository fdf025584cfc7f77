"""``Target``: what a request is sent to."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from judgecore.identity import ComponentIdentifier
    from judgecore.targets.reply import JudgeReply
    from judgecore.targets.request import JudgeRequest

_MOST = sys.float_info.max


def to_float(setting: float | None) -> float | None:
    """Return a setting as a float, so that 0, 0.0 and -0.0 are one judge; None where nothing is set.

    Args:
        setting: Such as a temperature.

    Raises:
        ValueError: If it is no finite number.
    """
    if setting is None:
        return None
    if not -_MOST <= setting <= _MOST:
        raise ValueError("temperature and top_p must be finite numbers")
    return float(setting) + 0.0


@runtime_checkable
class Target(Protocol):
    """What a request is sent to: an endpoint, a function, a recording, or a class of yours with these two methods."""

    async def send(self, request: JudgeRequest, /) -> JudgeReply:
        """Send a request and wait for the reply.

        Args:
            request: What to ask.

        Returns:
            The reply. A refusal, a cut and the like are outcomes of a reply, not errors.

        Raises:
            TargetError: In one of its kinds, if there is no reply.
        """
        ...

    def get_identifier(self) -> ComponentIdentifier:
        """Return what the target is: model, sampling and endpoint, never a key."""
        ...


def is_cancelled() -> bool:
    """Tell whether the running task is being cancelled; else ``CancelledError`` is what some function raised."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
