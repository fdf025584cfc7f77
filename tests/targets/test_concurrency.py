"""The number in flight is the smallest that has nearly the best throughput, at endpoints of all kinds."""

from __future__ import annotations

import asyncio
import heapq
import math
import os
import random
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore.targets.concurrency import ConcurrencyControl
from judgecore.targets.pacing import Pacer, Pacing

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Serving
    from targets.conftest import VirtualClock

MOST = 256


@dataclass
class Endpoint:
    """An endpoint that answers in a second, more slowly when it has much to do.

    Attributes:
        kind: ``fast`` for any number at once, ``queue`` for ``knee`` at once while the others wait, or ``thrash`` for
            one whose throughput falls again beyond the knee.
        knee: How many in flight have the best throughput.
        spread: The standard deviation of the time, as a share of it.
    """

    kind: str
    knee: int
    spread: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)  # noqa: S311 - it keeps no secret

    @property
    def best_rate(self) -> float:
        """The best throughput of any fixed number in flight, in answers a second."""
        return {"fast": MOST, "queue": self.knee, "thrash": self.knee / 2}[self.kind]

    @property
    def latency_at_best(self) -> float:
        return 2.0 if self.kind == "thrash" else 1.0

    def seconds(self, load: int) -> float:
        variance = math.log(1 + self.spread**2)
        drawn = self.chance.lognormvariate(-variance / 2, math.sqrt(variance)) if self.spread else 1.0
        return drawn * (1 + (load / self.knee) ** 2 if self.kind == "thrash" else 1)


def ask_all(endpoint: Endpoint, n: int, *, n_senders: int = 10**6, most: int = MOST) -> tuple[float, float, int]:
    """Send requests as the control allows; return throughput and latency of the second half, and the most in flight."""
    control = ConcurrencyControl(most)
    now, n_sent, in_flight, busy, peak = 0.0, 0, 0, 0, 0
    coming: list[tuple[float, int, float, int]] = []
    queue: deque[tuple[int, float, int]] = deque()
    latencies: list[float] = []
    at_half = 0.0

    def begin(number: int, sent_at: float, load: int) -> None:
        heapq.heappush(coming, (now + endpoint.seconds(load), number, sent_at, load))

    while len(latencies) < n:
        while n_sent < n and in_flight < min(int(control.limit), n_senders):
            in_flight += 1
            peak = max(peak, in_flight)
            if endpoint.kind == "queue" and busy == endpoint.knee:
                queue.append((n_sent, now, in_flight))
            else:
                busy += 1
                begin(n_sent, now, in_flight)
            n_sent += 1
        now, number, sent_at, load = heapq.heappop(coming)
        busy -= 1
        if queue:
            busy += 1
            begin(*queue.popleft())
        is_short = n_sent < n and in_flight < n_senders
        control.take_answer(number, load, now - sent_at, n_sent=n_sent, is_short=is_short)
        in_flight -= 1
        latencies.append(now - sent_at)
        if len(latencies) == n // 2:
            at_half = now
    half = latencies[n // 2 :]
    return len(half) / (now - at_half), sum(half) / len(half), peak


@pytest.mark.parametrize("knee", [3, 16, 60])
@pytest.mark.parametrize("spread", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("kind", ["queue", "thrash"])
def test_an_endpoint_that_slows_down_is_not_driven_over_its_knee(kind: str, spread: float, knee: int) -> None:
    found = [ask_all(Endpoint(kind, knee, spread, seed), 10_000) for seed in range(3)]

    for rate, latency, peak in found:
        # Up to four times the first number, before the first measurements are there.
        assert peak <= max(4 * 32, 5 * knee)
        assert latency < 2.5 * Endpoint(kind, knee).latency_at_best
        assert rate > 0.8 * Endpoint(kind, knee).best_rate
    rates = sorted(rate for rate, _, _ in found)
    assert rates[1] > 0.9 * Endpoint(kind, knee).best_rate


@pytest.mark.parametrize("most", [16, 256, 2048])
@pytest.mark.parametrize("spread", [0.0, 0.3])
def test_an_endpoint_that_never_slows_down_gets_all_that_is_allowed(most: int, spread: float) -> None:
    rate, _, peak = ask_all(Endpoint("fast", 1, spread), 30 * most, most=most)

    assert peak == most
    assert rate > 0.85 * most


@pytest.mark.parametrize("n_senders", [20, 32, 100])
def test_few_senders_are_not_slowed_down_at_a_fast_endpoint_and_held_back_at_a_slow_one(n_senders: int) -> None:
    fast, _, _ = ask_all(Endpoint("fast", 1), 60 * n_senders, n_senders=n_senders)
    slow, latency, _ = ask_all(Endpoint("queue", 4), 6000, n_senders=n_senders)

    assert fast > 0.9 * n_senders
    assert slow > 0.9 * 4
    assert latency < 2


def test_a_knee_that_moves_is_found_again() -> None:
    @dataclass
    class Moving(Endpoint):
        n: int = 0

        def seconds(self, load: int) -> float:
            self.n += 1
            # Half as many can be answered at once, and later twice as many.
            self.knee = 40 if self.n < 6000 else 20 if self.n < 14_000 else 40
            return 1 + (load / self.knee) ** 2

    endpoint = Moving("moving", 40)
    rate, _, _ = ask_all(endpoint, 28_000)

    assert rate > 0.9 * 20


@pytest.mark.parametrize("n_before", [0, 3000])
@pytest.mark.parametrize("knee", [4, 16, 60])
def test_two_models_share_an_endpoint_and_do_not_drive_each_other_over_its_knee(knee: int, n_before: int) -> None:
    """Each would gain throughput with every request more in flight, as long as the other has any."""
    n_answered, latency = share(knee, n_before=n_before)

    assert min(n_answered) > 0.1 * sum(n_answered)
    # If each had all that it may have in flight, it would be 8.5 to 128.
    assert latency < {4: 15, 16: 6, 60: 4.5}[knee]


def share(knee: int, *, n_before: int, n: int = 16_000) -> tuple[list[int], float]:
    """Let two controls ask an endpoint with a queue; return the answers of each, and the mean latency, in the end.

    Args:
        knee: How many the endpoint works on at once, each for about a second.
        n_before: How many answers the first control has before the second one begins.
        n: The number of answers of both.
    """
    controls = [ConcurrencyControl(MOST, is_shared=lambda: True) for _ in range(2)]
    endpoint = Endpoint("queue", knee, 0.3)
    now, busy, seconds = 0.0, 0, 0.0
    n_sent, in_flight, n_answered = [0, 0], [0, 0], [0, 0]
    coming: list[tuple[float, int, int, int, float]] = []
    queue: deque[tuple[int, int, int, float]] = deque()
    for done in range(n):
        for one, control in enumerate(controls[: 1 if done < n_before else 2]):
            while in_flight[one] < int(control.limit):
                in_flight[one] += 1
                queue.append((one, n_sent[one], in_flight[one], now))
                n_sent[one] += 1
        while queue and busy < knee:
            busy += 1
            heapq.heappush(coming, (now + endpoint.seconds(busy), *queue.popleft()))
        now, one, number, load, sent_at = heapq.heappop(coming)
        busy -= 1
        in_flight[one] -= 1
        controls[one].take_answer(number, load, now - sent_at, n_sent=n_sent[one], is_short=True)
        if done >= n // 2:
            n_answered[one] += 1
            seconds += now - sent_at
    return n_answered, seconds / sum(n_answered)


def test_pacers_know_each_other_by_the_address_and_only_while_requests_are_in_flight(clock: VirtualClock) -> None:
    def make(address: str) -> Pacer:
        return Pacer(Pacing(), clock=clock, address=address)

    first, second, elsewhere = make("http://one/v1"), make("http://one/v1"), make("http://two/v1")

    async def seen() -> list[list[bool]]:
        permit = await second.admit(1)
        during = [one.is_shared() for one in (first, second, elsewhere)]
        second.release(permit)
        return [during, [one.is_shared() for one in (first, second, elsewhere)]]

    assert clock.run(seen()) == [[True, False, False], [False, False, False]]


@pytest.mark.parametrize("knee", [4, 24])
def test_the_pacer_follows_the_latency(clock: VirtualClock, knee: int) -> None:
    pacer = Pacer(Pacing(concurrency=MOST), clock=clock)
    places = asyncio.Semaphore(knee)
    n = 2400

    async def ask() -> None:
        permit = await pacer.admit(1)
        async with places:
            await clock.sleep(1.0)
        pacer.grow(permit)
        pacer.release(permit)

    async def ask_all_of_them() -> None:
        await asyncio.gather(*(ask() for _ in range(n)))

    clock.run(ask_all_of_them())

    assert knee * 0.8 <= pacer.limit <= 2 * knee
    assert n / clock.now() > 0.9 * knee


def test_a_pacer_that_does_not_adapt_has_its_concurrency_from_the_start() -> None:
    assert Pacer(Pacing(concurrency=200, is_adaptive=False)).limit == 200
    assert Pacer(Pacing(concurrency=200)).limit == 32
    assert Pacer(Pacing(concurrency=8)).limit == 8


@pytest.mark.skipif("JUDGECORE_SOAK" not in os.environ, reason="takes a minute of a quiet machine: make soak")
def test_a_server_with_a_queue_is_asked_as_much_as_it_works_on(serve: Callable[..., Serving]) -> None:
    url = serve("--delay-ms", "100", "--capacity", "4").url

    async def run() -> tuple[list[Any], float]:
        async with jc.OpenAITarget("m", base_url=url, api_key="k", pacing=Pacing(concurrency=64)) as target:
            requests = [jc.JudgeRequest(f"Is {number} good?") for number in range(2000)]
            replies = await jc.send_many(target, requests, concurrency=64)
            return replies, target.pacer.limit

    replies, limit = asyncio.run(run())

    assert all(isinstance(one, jc.JudgeReply) for one in replies)
    assert limit <= 32
