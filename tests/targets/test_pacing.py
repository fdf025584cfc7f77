"""Pacing, on a clock that the tests move: never more than was allowed, and no longer a wait than was asked for."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecore.targets.pacing import Pacer, Pacing, Permit, Window

if TYPE_CHECKING:
    from targets.conftest import VirtualClock


def pacer_of(clock: VirtualClock, **settings: Any) -> Pacer:
    return Pacer(Pacing(**settings), clock=clock, chance=random.Random(0))  # noqa: S311 - jitter keeps no secret


async def work(pacer: Pacer, seconds: float = 1.0, tokens: float = 1) -> None:
    permit = await pacer.admit(tokens)
    await pacer.clock.sleep(seconds)
    pacer.settle(permit, None)
    pacer.release(permit)


def test_no_more_are_in_flight_than_allowed_and_they_go_in_their_order(clock: VirtualClock) -> None:
    pacer = pacer_of(clock, concurrency=3)
    begun: list[int] = []
    most = 0

    async def one(number: int) -> None:
        nonlocal most
        permit = await pacer.admit(1)
        begun.append(number)
        most = max(most, pacer.in_flight)
        await clock.sleep(1)
        pacer.release(permit)

    async def all_of_them() -> None:
        await asyncio.gather(*(one(number) for number in range(10)))

    clock.run(all_of_them())

    assert list(range(10)) == begun
    assert (most, pacer.in_flight, clock.now()) == (3, 0, 4.0)


def test_a_burst_of_rate_limits_is_one_cut_and_the_next_burst_another(clock: VirtualClock) -> None:
    pacer = pacer_of(clock, concurrency=32)

    async def burst() -> list[Permit]:
        permits = [await pacer.admit(1) for _ in range(int(pacer.limit))]
        for permit in permits:
            pacer.cut(permit)
        for permit in permits:
            pacer.release(permit)
        return permits

    async def limits() -> list[float]:
        seen = [pacer.limit]
        for _ in range(7):
            await burst()
            seen.append(pacer.limit)
        return seen

    assert clock.run(limits()) == [32, 16, 8, 4, 2, 1, 1, 1]


def test_a_cut_starts_from_what_is_in_flight(clock: VirtualClock) -> None:
    pacer = pacer_of(clock, concurrency=256)

    async def ten() -> None:
        permits = [await pacer.admit(1) for _ in range(10)]
        pacer.cut(permits[0])

    clock.run(ten())

    assert pacer.limit == 5


def test_concurrency_grows_back_by_one_for_each_round_and_no_further_than_the_cap(clock: VirtualClock) -> None:
    pacer = pacer_of(clock, concurrency=8)
    pacer.ceiling = 4.0

    async def replies(n: int) -> float:
        for _ in range(n):
            permit = await pacer.admit(1)
            pacer.grow(permit)
            pacer.release(permit)
        return pacer.limit

    after_a_round = clock.run(replies(4))
    clock.run(replies(1000))

    assert 4.8 < after_a_round <= 5
    assert pacer.limit == 8


def test_nothing_leaves_during_a_pause_and_retries_leave_first(clock: VirtualClock) -> None:
    pacer = pacer_of(clock, concurrency=1)
    begun: list[tuple[str, float]] = []

    async def one(name: str, *, is_again: bool = False) -> None:
        permit = await pacer.admit(1, is_again=is_again)
        begun.append((name, clock.now()))
        await clock.sleep(1)
        pacer.release(permit)

    async def all_of_them() -> None:
        pacer.pause(30)
        pacer.pause(10)
        await asyncio.gather(one("first"), one("second"), one("again", is_again=True))

    clock.run(all_of_them())

    assert begun == [("again", 30.0), ("first", 31.0), ("second", 32.0)]


@given(st.lists(st.floats(0, 30), min_size=1, max_size=60), st.integers(1, 10))
def test_no_minute_has_more_requests_than_allowed(gaps: list[float], limit: int) -> None:
    window, now = Window(limit), 0.0
    sent: list[float] = []

    for gap in gaps:
        now += gap
        now += window.wait_s(1, now)
        window.spend(1, now)
        sent.append(now)

    for start in sent:
        assert sum(start <= one < start + 60 - 1e-6 for one in sent) <= limit


@given(st.lists(st.tuples(st.floats(0, 30), st.integers(1, 50)), min_size=1, max_size=60))
def test_no_minute_has_more_tokens_than_allowed(asked: list[tuple[float, int]]) -> None:
    window, now = Window(100), 0.0
    spent: list[tuple[float, int]] = []

    for gap, tokens in asked:
        now += gap
        now += window.wait_s(tokens, now)
        window.spend(tokens, now)
        spent.append((now, tokens))

    for start, _ in spent:
        assert sum(tokens for at, tokens in spent if start <= at < start + 60 - 1e-6) <= 100


def test_requests_wait_for_the_next_minute_and_no_longer(clock: VirtualClock) -> None:
    pacer = pacer_of(clock, requests_per_minute=5)

    async def all_of_them() -> None:
        await asyncio.gather(*(work(pacer, 0.0) for _ in range(11)))

    clock.run(all_of_them())

    assert clock.now() == pytest.approx(120)


def test_what_a_request_really_cost_counts_in_its_minute(clock: VirtualClock) -> None:
    pacer = pacer_of(clock, tokens_per_minute=100)

    async def one_after_another() -> float:
        permit = await pacer.admit(90)
        pacer.settle(permit, 10)
        pacer.release(permit)
        await work(pacer, 0.0, tokens=90)
        at_once = clock.now()
        await work(pacer, 0.0, tokens=10)
        return at_once

    assert clock.run(one_after_another()) == 0
    assert clock.now() == pytest.approx(60)


def test_a_request_beyond_the_minutes_tokens_goes_when_it_is_alone(clock: VirtualClock) -> None:
    pacer = pacer_of(clock, tokens_per_minute=100)

    async def one_after_another() -> None:
        await work(pacer, 0.0, tokens=50)
        await work(pacer, 0.0, tokens=500)

    clock.run(one_after_another())

    assert clock.now() == pytest.approx(60)


def test_a_request_that_is_cancelled_leaves_no_trace(clock: VirtualClock) -> None:
    pacer = pacer_of(clock, concurrency=1)

    async def cancelled() -> None:
        permit = await pacer.admit(1)
        waiting = [asyncio.ensure_future(pacer.admit(1)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
        # It is let through and cancelled in the same turn of the loop.
        pacer.release(permit)
        waiting[1].cancel()
        pacer.release(await waiting[2])

    clock.run(cancelled())

    assert pacer.in_flight == 0


def test_backoff_doubles_with_jitter_and_is_bounded(clock: VirtualClock) -> None:
    pacer = pacer_of(clock, backoff_s=0.5)

    waits = [[pacer.backoff_s(attempt) for _ in range(200)] for attempt in (1, 2, 3, 20)]

    for whole, drawn in zip((0.5, 1.0, 2.0, 60.0), waits, strict=True):
        assert whole / 2 <= min(drawn) < max(drawn) <= whole
        assert len(set(drawn)) > 100


def test_a_pacer_serves_one_loop_after_another() -> None:
    pacer = Pacer(Pacing(concurrency=1))

    async def left_behind() -> None:
        await pacer.admit(1)
        asyncio.ensure_future(pacer.admit(1))  # noqa: RUF006 - it is left behind on purpose
        await asyncio.sleep(0)

    async def served() -> int:
        await pacer.admit(1)
        return pacer.in_flight

    asyncio.run(left_behind())

    assert asyncio.run(served()) == 1


@pytest.mark.parametrize(
    "settings",
    [{"concurrency": 0}, {"attempts": 0}, {"requests_per_minute": 0}, {"deadline_s": 0.0}, {"backoff_s": -1.0}],
)
def test_a_limit_that_nothing_could_keep_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        Pacing(**settings)
