"""``Pacing``: limits on concurrency, rate and retries; ``Pacer`` enforces them."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from weakref import WeakValueDictionary, ref

from judgecore.errors import NotAskedError
from judgecore.targets.circuit_breaker import OUTAGES, CircuitBreaker
from judgecore.targets.concurrency import ConcurrencyControl

if TYPE_CHECKING:
    from collections.abc import Callable

    from judgecore.errors import TargetError


MINUTE_S = 60.0


class Spending:
    """An amount in a window, which can be corrected later."""

    __slots__ = ("amount", "at")

    def __init__(self, at: float, amount: float) -> None:
        self.at = at
        self.amount = amount


class Window:
    """The amounts of the last 60 seconds, with a limit for every window of that length."""

    def __init__(self, limit: float | None) -> None:
        self._limit = math.inf if limit is None else limit
        self._spent: deque[Spending] = deque()
        self._total = 0.0

    def wait_s(self, amount: float, now: float) -> float:
        """Return how long until an amount fits; one above the limit fits into an empty window."""
        if math.isinf(self._limit):
            return 0.0
        self._forget(now)
        if not self._spent or self._total + amount <= self._limit:
            return 0.0
        excess = self._total + amount - self._limit
        for spending in self._spent:
            excess -= spending.amount
            if excess <= 0:
                return spending.at + MINUTE_S - now
        return self._spent[-1].at + MINUTE_S - now

    def spend(self, amount: float, now: float) -> Spending:
        """Add an amount."""
        spending = Spending(now, amount)
        if not math.isinf(self._limit):
            self._spent.append(spending)
            self._total += amount
        return spending

    def correct(self, spending: Spending, amount: float, now: float) -> None:
        """Replace an estimated amount by the true one."""
        if now - spending.at < MINUTE_S:
            self._total += amount - spending.amount
        spending.amount = amount

    def _forget(self, now: float) -> None:
        while self._spent and now - self._spent[0].at >= MINUTE_S:
            self._total -= self._spent.popleft().amount


class Alarm(Protocol):
    """A scheduled call."""

    def cancel(self) -> None:
        """Cancel the call."""
        ...


class Clock:
    """Measures time and schedules calls: the clock of the running event loop."""

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


@dataclass(frozen=True, kw_only=True)
class Pacing:
    """The limits and retries of requests to a target.

    Attributes:
        concurrency: The maximum number of requests in flight. After a rate-limit error it is halved, and then grows
            again.
        is_adaptive: Whether to use fewer if more would only wait in the endpoint's queue; see ``ConcurrencyControl``.
        attempts: The maximum number of attempts per request, at least 1. Only transient failures are retried; failures
            while the endpoint is down do not count.
        deadline_s: The maximum time of a request with all attempts and waits, in seconds from the first attempt; time
            during which the endpoint is down does not count.
        backoff_s: The wait before the second attempt, in seconds. It doubles with each attempt, up to a minute, and a
            random part of up to half of it is subtracted. A wait that the endpoint requests, of at most two minutes,
            has precedence.
        requests_per_minute: The maximum number of requests in any 60 seconds; None for no limit.
        tokens_per_minute: The maximum number of tokens in any 60 seconds, estimated when a request is sent; None for no
            limit.
        no_answer_s: How long an endpoint that has never answered is probed before it is given up, in seconds from the
            first failure.
        outage_s: How long one that has answered before is probed before it is given up, in seconds.

    Raises:
        ValueError: If a value is below its minimum.
    """

    concurrency: int = 256
    is_adaptive: bool = True
    attempts: int = 6
    deadline_s: float = 600.0
    backoff_s: float = 0.5
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    no_answer_s: float = 25.0
    outage_s: float = 600.0

    def __post_init__(self) -> None:
        for name in ("concurrency", "attempts", "requests_per_minute", "tokens_per_minute"):
            value: int | None = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, not {value}")
        for name in ("deadline_s", "backoff_s", "no_answer_s", "outage_s"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)}")


class Permit:
    """The permission to have one request in flight."""

    __slots__ = ("at", "is_out", "is_probe", "load", "number", "spending", "tokens")

    def __init__(
        self, number: int, tokens: float, spending: Spending, *, at: float, load: int, is_probe: bool = False
    ) -> None:
        self.number = number
        self.at = at
        self.load = load
        self.tokens = tokens
        self.spending = spending
        self.is_out = True
        self.is_probe = is_probe


class _Waiter:
    __slots__ = ("admitted", "tokens")

    def __init__(self, tokens: float, admitted: asyncio.Future[Permit]) -> None:
        self.tokens = tokens
        self.admitted = admitted


class _Pacers:
    """The pacers of one endpoint; the tuple is replaced as a whole, because other threads may read it."""

    def __init__(self) -> None:
        self.known: tuple[ref[Pacer], ...] = ()

    def add(self, pacer: Pacer) -> None:
        self.known = (*(one for one in self.known if one() is not None), ref(pacer))


# By address, for as long as there is a pacer.
_AT_ADDRESS: WeakValueDictionary[str, _Pacers] = WeakValueDictionary()


class Pacer:
    """Admits requests in order, within the limits of a ``Pacing`` and of the endpoint."""

    def __init__(
        self,
        pacing: Pacing,
        *,
        clock: Clock | None = None,
        chance: random.Random | None = None,
        address: str | None = None,
    ) -> None:
        self.pacing = pacing
        self.clock = clock or Clock()
        self.chance = chance or random.Random()  # noqa: S311 - jitter keeps no secret
        self.in_flight = 0
        self.ceiling = float(pacing.concurrency)
        self._control: ConcurrencyControl | None = None
        if pacing.is_adaptive:
            self._control = ConcurrencyControl(pacing.concurrency, is_shared=self.is_shared)
        self._at_address = _Pacers() if address is None else _AT_ADDRESS.setdefault(address, _Pacers())
        self._at_address.add(self)
        self.breaker = CircuitBreaker(
            no_answer_s=pacing.no_answer_s, outage_s=pacing.outage_s, backoff_s=self.backoff_s
        )
        self._waiting: deque[_Waiter] = deque()
        self._requests = Window(pacing.requests_per_minute)
        self._tokens = Window(pacing.tokens_per_minute)
        self._paused_until = -math.inf
        self._n_given = 0
        self._first_after_cut = 0
        self._alarm: Alarm | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def limit(self) -> float:
        """The current maximum number of requests in flight."""
        return self.ceiling if self._control is None else min(self.ceiling, self._control.limit)

    def is_shared(self) -> bool:
        """Return whether other targets have requests in flight to the same endpoint."""
        others = (known() for known in self._at_address.known)
        return any(one.in_flight for one in others if one is not None and one is not self)

    async def admit(self, tokens: float, *, is_again: bool = False) -> Permit:
        """Wait for the turn of a request."""
        self._settle()
        if not self._waiting or is_again:
            wait = self._wait_s(tokens)
            if wait <= 0:
                return self._let_through(tokens)
        waiter = _Waiter(tokens, asyncio.get_running_loop().create_future())
        if is_again:
            self._waiting.appendleft(waiter)
        else:
            self._waiting.append(waiter)
        self._wake()
        try:
            return await waiter.admitted
        except asyncio.CancelledError:
            if waiter.admitted.done() and not waiter.admitted.cancelled():
                self.release(waiter.admitted.result())
            else:
                self._waiting.remove(waiter)
            raise

    def release(self, permit: Permit) -> None:
        """Record that a request is no longer in flight."""
        if permit.is_out:
            permit.is_out = False
            self.in_flight -= 1
            if permit.is_probe:
                self.breaker.end_probe()
            self._wake()

    def take_answer(self, permit: Permit) -> None:
        """Record a response, with any status that does not mean that the endpoint is down."""
        self.breaker.take_answer(is_probe=permit.is_probe)

    def take_failure(self, permit: Permit, problem: TargetError, *, is_first: bool) -> bool:
        """Record a failure, and return whether the endpoint is down."""
        if not isinstance(problem, OUTAGES):
            self.take_answer(permit)
            return False
        self.breaker.take_failure(problem, self.clock.now(), is_probe=permit.is_probe, is_first=is_first)
        return self.breaker.state != "closed"

    def time_left_s(self, permit: Permit, deadline: float) -> float:
        """Return the timeout of an attempt in seconds; that of a probe ends soon after the endpoint is given up."""
        until = min(deadline, self.breaker.probe_until) if permit.is_probe else deadline
        return until - self.clock.now()

    def settle(self, permit: Permit, tokens: float | None) -> None:
        """Record the tokens of a request: None for the estimate, 0 for a request without a reply."""
        cost = permit.tokens if tokens is None else tokens
        self._tokens.correct(permit.spending, cost, self.clock.now())
        if self._waiting:
            self._wake()

    def grow(self, permit: Permit) -> None:
        """Record a reply: raise the ceiling by one for each round of replies, and measure the latency."""
        self.ceiling = min(float(self.pacing.concurrency), self.ceiling + 1 / self.ceiling)
        if self._control is not None:
            self._control.take_answer(
                permit.number,
                permit.load,
                self.clock.now() - permit.at,
                n_sent=self._n_given,
                is_short=bool(self._waiting),
            )

    def cut(self, permit: Permit) -> None:
        """Record a rate-limit error: halve the ceiling, once for all requests that were in flight together."""
        if permit.number >= self._first_after_cut:
            self.ceiling = max(1.0, min(self.limit, float(self.in_flight)) / 2)
            self._first_after_cut = self._n_given

    def pause(self, seconds: float) -> None:
        """Admit nothing for some seconds."""
        self._paused_until = max(self._paused_until, self.clock.now() + seconds)

    def backoff_s(self, attempt: int) -> float:
        """Return the wait after a failed attempt, in seconds; attempts are numbered from 1."""
        whole = min(60.0, self.pacing.backoff_s * 2.0 ** min(attempt - 1, 60))
        return whole * self.chance.uniform(0.5, 1.0)

    def _settle(self) -> None:
        """Bind to the running event loop; requests of another loop are forgotten."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop = loop
            self._waiting.clear()
            self._alarm = None
            self.in_flight = 0
            self.breaker.end_probe()

    def _wait_s(self, tokens: float) -> float:
        """Return how long until a request may be sent: 0 for now, infinity to wait for another request to end."""
        now = self.clock.now()
        is_probing = self.breaker.state == "half_open"
        until_closed = self.breaker.wait_s(now, self.in_flight - is_probing)
        if self.in_flight >= int(self.limit):
            return math.inf
        return max(
            until_closed, self._paused_until - now, self._requests.wait_s(1, now), self._tokens.wait_s(tokens, now)
        )

    def _let_through(self, tokens: float) -> Permit:
        now = self.clock.now()
        self.in_flight += 1
        self._requests.spend(1, now)
        self._n_given += 1
        spending = self._tokens.spend(tokens, now)
        is_probe = self.breaker.let_through()
        return Permit(self._n_given - 1, tokens, spending, at=now, load=self.in_flight, is_probe=is_probe)

    def _wake(self) -> None:
        """Admit the next requests, and schedule the next check."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        while self._waiting:
            waiter = self._waiting[0]
            if waiter.admitted.done():
                self._waiting.popleft()
                continue
            try:
                wait = self._wait_s(waiter.tokens)
            except NotAskedError as problem:
                self._waiting.popleft()
                waiter.admitted.set_exception(problem)
                continue
            if wait > 0:
                if not math.isinf(wait):
                    self._alarm = self.clock.call_later(wait, self._wake)
                return
            self._waiting.popleft()
            waiter.admitted.set_result(self._let_through(waiter.tokens))
