"""What the tests of targets share: a clock that tests move, and servers that send the bytes they are told."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from judgecore.targets.pacing import Clock

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine


@dataclass(order=True)
class Alarm:
    at: float
    number: int
    callback: Callable[[], None] = field(compare=False)
    is_off: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        self.is_off = True


class VirtualClock(Clock):
    """A clock that stands still while something is at work, and then jumps to what is next."""

    def __init__(self) -> None:
        self.time = 0.0
        self._began = time.time()
        self._alarms: list[Alarm] = []
        self._numbers = itertools.count()

    def now(self) -> float:
        return self.time

    def wall(self) -> float:
        return self._began + self.time

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> Alarm:
        alarm = Alarm(self.time + delay_s, next(self._numbers), callback)
        heapq.heappush(self._alarms, alarm)
        return alarm

    async def sleep(self, delay_s: float) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def ring() -> None:
            if not done.done():
                done.set_result(None)

        self.call_later(delay_s, ring)
        await done

    def run(self, work: Coroutine[Any, Any, Any], *, is_busy: Callable[[], bool] = lambda: False) -> Any:
        """Run work to its end; the clock jumps when nothing is busy."""

        async def driven() -> Any:
            task = asyncio.ensure_future(work)
            while not task.done():
                for _ in range(30):
                    await asyncio.sleep(0)
                if task.done():
                    break
                if is_busy() or not self._alarms:
                    await asyncio.sleep(0.001)
                    continue
                alarm = heapq.heappop(self._alarms)
                if not alarm.is_off:
                    self.time = max(self.time, alarm.at)
                    alarm.callback()
            return await task

        return asyncio.run(asyncio.wait_for(driven(), 60))


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


class ScriptedServer:
    """A server that does with each connection what it is told."""

    def __init__(self) -> None:
        self.port = 0
        self.n_connections = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @staticmethod
    async def read_request(reader: asyncio.StreamReader) -> bytes:
        """The body of the next request."""
        head = await reader.readuntil(b"\r\n\r\n")
        return await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split()[0]))

    @asynccontextmanager
    async def __call__(
        self, converse: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], **options: Any
    ) -> AsyncGenerator[ScriptedServer]:
        conversations: set[asyncio.Task[None]] = set()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.n_connections += 1
            task = asyncio.current_task()
            assert task is not None
            conversations.add(task)
            try:
                with suppress(ConnectionError, asyncio.CancelledError, asyncio.IncompleteReadError):
                    await converse(reader, writer)
            finally:
                conversations.discard(task)
                writer.close()

        server = await asyncio.start_server(talk, "127.0.0.1", 0, **options)
        self.port = int(server.sockets[0].getsockname()[1])
        try:
            yield self
        finally:
            server.close()
            for task in list(conversations):
                task.cancel()
            await asyncio.gather(*conversations, return_exceptions=True)


@pytest.fixture
def scripted() -> ScriptedServer:
    return ScriptedServer()
