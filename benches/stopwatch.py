"""Time calls in turn, so that other load on the machine affects all of them alike."""

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
    """A function and its arguments."""

    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __call__(self) -> Any:
        """Call the function once."""
        return self.function(*self.args, **self.keywords)

    def timer(self, clock: Callable[[], float]) -> timeit.Timer:
        """Return a timer that calls the function directly; a lambda would cost as much as a short reply."""
        names = {f"a{nth}": value for nth, value in enumerate(self.args)}
        passed = [*names, *(f"{key}={key}" for key in self.keywords)]
        known: dict[str, Any] = {"function": self.function, **names, **self.keywords}
        return timeit.Timer(f"function({', '.join(passed)})", timer=clock, globals=known)


@dataclass(frozen=True)
class Times:
    """The seconds of a call, by batch.

    The median is what a caller observes. The minimum is the cost of the work itself; it is used where other processes
    would distort a comparison: of a text with its double, or of two threads with one.
    """

    batches: tuple[float, ...]

    @property
    def median(self) -> float:
        """Return the median."""
        return statistics.median(self.batches)

    @property
    def least(self) -> float:
        """Return the minimum."""
        return min(self.batches)


@dataclass(frozen=True)
class Stopwatch:
    """Timing options.

    Attributes:
        repeats: The number of batches of each call.
        batch_s: The minimum duration of a batch, in seconds.
        is_quick: Whether a bench may use less data, to test that it runs.
        clock: The clock, in seconds.
    """

    repeats: int
    batch_s: float
    is_quick: bool
    clock: Callable[[], float] = time.perf_counter

    def of_one_thread(self) -> Stopwatch:
        """Return a stopwatch for single-threaded work, which measures CPU time."""
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
        """Return the number of calls per batch; this also warms the call up."""
        loops = 1
        while True:
            taken = timer.timeit(loops)
            if taken >= self.batch_s:
                return loops
            loops = max(loops * 2, int(loops * self.batch_s / max(taken, 1e-9)))


THOROUGH = Stopwatch(repeats=7, batch_s=5e-3, is_quick=False)
QUICK = Stopwatch(repeats=2, batch_s=0.2e-3, is_quick=True)
