"""``Clock``: the clock of pacing, which tests replace by a virtual one."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Alarm(Protocol):
    """A scheduled call."""

    def cancel(self) -> None:
        """Cancel the call."""
        ...


class Clock(Protocol):
    """Measures time and schedules calls."""

    def now(self) -> float:
        """Return a monotonic time in seconds."""
        ...

    def wall(self) -> float:
        """Return the seconds since 1970."""
        ...

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> Alarm:
        """Call a function after a delay in seconds."""
        ...

    async def sleep(self, delay_s: float) -> None:
        """Wait for some seconds."""
        ...


class LoopClock:
    """The clock of the running event loop."""

    def now(self) -> float:
        """Return a monotonic time in seconds."""
        return time.monotonic()

    def wall(self) -> float:
        """Return the seconds since 1970."""
        return time.time()

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> Alarm:
        """Call a function after a delay in seconds."""
        return asyncio.get_running_loop().call_later(delay_s, callback)

    async def sleep(self, delay_s: float) -> None:
        """Wait for some seconds."""
        await asyncio.sleep(delay_s)
