"""Time calls beside each other, so that whatever slows the machine slows all of them alike."""

from __future__ import annotations

import statistics
import time
import timeit
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class Call:
    """A function with its arguments."""

    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __call__(self) -> Any:
        """Call the function once."""
        return self.function(*self.args, **self.keywords)

    def timer(self, clock: Callable[[], float]) -> timeit.Timer:
        """A timer whose loop calls the function itself: a lambda in between would cost as much as a short reply."""
        names = {f"a{nth}": value for nth, value in enumerate(self.args)}
        passed = [*names, *(f"{key}={key}" for key in self.keywords)]
        known: dict[str, Any] = {"function": self.function, **names, **self.keywords}
        return timeit.Timer(f"function({', '.join(passed)})", timer=clock, globals=known)


@dataclass(frozen=True)
class Times:
    """The seconds that a call took, batch by batch.

    The median is what a caller meets. The least is what the work itself takes, and is compared where another process
    would spoil the comparison: of one text with its double, of two threads with one.
    """

    batches: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.batches)

    @property
    def least(self) -> float:
        """The shortest one."""
        return min(self.batches)


@dataclass(frozen=True)
class Stopwatch:
    """How thoroughly to time.

    Attributes:
        repeats: How many batches of each call are timed.
        batch_s: How long a batch takes at least, in seconds.
        is_quick: Whether a bench may use less data, to prove that it runs and not how fast.
        clock: What tells the time, in seconds.
    """

    repeats: int
    batch_s: float
    is_quick: bool
    clock: Callable[[], float] = time.perf_counter

    def of_one_thread(self) -> Stopwatch:
        """A stopwatch that stands still while other processes have the core; for work in one thread."""
        return replace(self, clock=time.thread_time)

    def compare(self, calls: Mapping[str, Call]) -> dict[str, Times]:
        """Time batches of all calls in turn."""
        timers = {name: call.timer(self.clock) for name, call in calls.items()}
        loops = {name: self._loops(timer) for name, timer in timers.items()}
        times: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(self.repeats):
            for name, timer in timers.items():
                times[name].append(timer.timeit(loops[name]) / loops[name])
        return {name: Times(tuple(batches)) for name, batches in times.items()}

    def times(self, call: Call) -> Times:
        """Time batches of one call."""
        return self.compare({"": call})[""]

    def _loops(self, timer: timeit.Timer) -> int:
        """How many calls make a batch; finding out warms the call up."""
        loops = 1
        while True:
            taken = timer.timeit(loops)
            if taken >= self.batch_s:
                return loops
            loops = max(loops * 2, int(loops * self.batch_s / max(taken, 1e-9)))


THOROUGH = Stopwatch(repeats=7, batch_s=5e-3, is_quick=False)
QUICK = Stopwatch(repeats=2, batch_s=0.2e-3, is_quick=True)
