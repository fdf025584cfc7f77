"""``Clock``: what pacing tells the time by, so that a test can make hours pass."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Alarm(Protocol):
    """Something that will be called, and can be called off."""

    def cancel(self) -> None:
        """Call it off."""
        ...


class Clock(Protocol):
    """Tells the time and waits."""

    def now(self) -> float:
        """Seconds that never go back."""
        ...

    def wall(self) -> float:
        """Seconds since 1970."""
        ...

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> Alarm:
        """Call a function after so many seconds."""
        ...

    async def sleep(self, delay_s: float) -> None:
        """Wait so many seconds."""
        ...


class LoopClock:
    """The clock of the running event loop."""

    def now(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()

    def wall(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> Alarm:
        """Call a function after so many seconds."""
        return asyncio.get_running_loop().call_later(delay_s, callback)

    async def sleep(self, delay_s: float) -> None:
        """Wait so many seconds."""
        await asyncio.sleep(delay_s)
