"""One owner of retries: what is tried again, how often the server sees it, and how long the wait is."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore.errors import (
    AuthenticationError,
    BadRequestError,
    QuotaError,
    RateLimitError,
    ServerError,
    StatusError,
)
from judgecore.server import JudgeServer
from judgecore.targets.pacing import Pacer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from targets.conftest import ScriptedServer, VirtualClock

REQUEST = jc.JudgeRequest("Is it good? Answer yes or no.")
OK = b'{"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}]}'


def paced(target: jc.OpenAITarget, clock: VirtualClock, **settings: Any) -> jc.OpenAITarget:
    target.pacer = Pacer(jc.Pacing(**settings), clock=clock, chance=random.Random(0))  # noqa: S311 - jitter keeps no secret
    return target


def delivered(clock: VirtualClock, server: JudgeServer, **settings: Any) -> tuple[Any, int]:
    """What a request to a server ends with, and how often the server saw it."""

    async def send() -> tuple[Any, int]:
        async with server, jc.OpenAITarget("m", base_url=server.url, api_key="k") as target:
            paced(target, clock, **settings)
            busy.append(target)
            try:
                return await target.send(REQUEST), server.seen
            except jc.errors.TargetError as problem:
                return problem, server.seen

    busy: list[jc.OpenAITarget] = []
    return clock.run(send(), is_busy=lambda: bool(busy) and busy[0].pacer.in_flight > 0)


@pytest.mark.parametrize(
    ("fault", "least", "most"),
    [
        ("rate_limit", 0.25, 0.5),
        ("rate_limit.int", 1.0, 1.1),
        ("rate_limit.float", 0.25, 0.28),
        ("rate_limit.ms", 0.25, 0.28),
        ("rate_limit.date", 0.5, 2.2),
        ("rate_limit.past", 0.25, 0.5),
        ("rate_limit.negative", 0.25, 0.5),
        ("rate_limit.word", 0.25, 0.5),
        ("rate_limit.huge", 120.0, 121.0),
        ("rate_limit.far", 120.0, 121.0),
        ("rate_limit.reset", 0.25, 0.28),
    ],
)
def test_every_form_of_a_wait_is_waited_and_none_longer_than_two_minutes(
    clock: VirtualClock, fault: str, least: float, most: float
) -> None:
    problem, seen = delivered(clock, JudgeServer(faults={fault: 1.0}), attempts=2)

    assert (RateLimitError, 2, 2) == (type(problem), problem.attempts, seen)
    assert least <= clock.now() <= most


@pytest.mark.parametrize("status", [408, 409, 500, 502, 503, 529])
def test_a_failure_that_may_pass_is_tried_again_within_the_budget(clock: VirtualClock, status: int) -> None:
    problem, seen = delivered(clock, JudgeServer(faults={f"status.{status}": 1.0}), attempts=3)

    assert (ServerError, status, 3, 3) == (type(problem), problem.status, problem.attempts, seen)
    assert 0.75 <= clock.now() <= 1.5


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, BadRequestError), (401, AuthenticationError), (403, AuthenticationError), (404, BadRequestError)],
)
def test_a_failure_that_will_not_pass_is_never_tried_again(
    clock: VirtualClock, status: int, kind: type[StatusError]
) -> None:
    problem, seen = delivered(clock, JudgeServer(faults={f"status.{status}": 1.0}), attempts=6)

    assert (kind, status, 1, 1) == (type(problem), problem.status, problem.attempts, seen)
    assert f"status {status}: injected fault: {status}" in str(problem)
    assert clock.now() == 0


def test_a_request_that_fails_now_and_then_is_answered(clock: VirtualClock) -> None:
    async def send() -> list[Any]:
        faults = {"status.503": 0.2, "rate_limit.int": 0.1, "reset_mid_body": 0.1, "end_mid_body": 0.1}
        async with (
            JudgeServer(faults=faults) as server,
            jc.OpenAITarget("m", base_url=server.url, api_key="k") as target,
        ):
            paced(target, clock, attempts=12)
            busy.append(target)
            requests = [jc.JudgeRequest(f"{number}: good? Answer yes or no.") for number in range(100)]
            replies = await jc.send_many(target, requests, concurrency=8)
            return [replies, server.seen]

    busy: list[jc.OpenAITarget] = []
    replies, seen = clock.run(send(), is_busy=lambda: bool(busy) and busy[0].pacer.in_flight > 0)

    assert {"Yes", "No"} >= {reply.text for reply in replies}
    assert sum(reply.attempts for reply in replies) == seen > 150


def answers(scripted: ScriptedServer, clock: VirtualClock, said: Iterable[bytes], **settings: Any) -> Any:
    """What a request to a server ends with that says one thing after another."""
    saying = iter(said)

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await scripted.read_request(reader):
            writer.write(next(saying))

    async def send() -> Any:
        async with scripted(converse), jc.OpenAITarget("m", base_url=scripted.url, api_key="k") as target:
            paced(target, clock, **settings)
            busy.append(target)
            try:
                return await target.send(REQUEST)
            except jc.errors.TargetError as problem:
                return problem

    busy: list[jc.OpenAITarget] = []
    return clock.run(send(), is_busy=lambda: bool(busy) and busy[0].pacer.in_flight > 0)


def spelled(status: int, body: bytes = b"{}", *headers: str) -> bytes:
    head = "\r\n".join([f"HTTP/1.1 {status} X", f"content-length: {len(body)}", *headers, "", ""])
    return head.encode() + body


def test_backoff_grows_until_an_answer_comes(scripted: ScriptedServer, clock: VirtualClock) -> None:
    reply = answers(scripted, clock, [*[spelled(500)] * 4, spelled(200, OK)], backoff_s=1.0)

    assert (reply.text, reply.attempts) == ("Yes", 5)
    assert 7.5 <= clock.now() <= 15
    assert scripted.n_connections == 1


def test_an_endpoint_that_says_no_more_is_believed(scripted: ScriptedServer, clock: VirtualClock) -> None:
    problem = answers(scripted, clock, [spelled(500, b"{}", "x-should-retry: false")])

    assert (ServerError, 1, 0.0) == (type(problem), problem.attempts, clock.now())


def test_a_spent_account_is_no_rate_limit(scripted: ScriptedServer, clock: VirtualClock) -> None:
    body = b'{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}'

    problem = answers(scripted, clock, [spelled(429, body)])

    assert (QuotaError, 1) == (type(problem), problem.attempts)
    assert "You exceeded your current quota" in str(problem)


def test_a_wait_beyond_the_deadline_is_not_waited(scripted: ScriptedServer, clock: VirtualClock) -> None:
    problem = answers(scripted, clock, [spelled(429, b"{}", "retry-after: 60")], deadline_s=30.0)

    assert (RateLimitError, 1, 60.0, 0.0) == (type(problem), problem.attempts, problem.retry_after_s, clock.now())


def test_a_rate_limit_holds_back_all_and_is_one_cut(scripted: ScriptedServer, clock: VirtualClock) -> None:
    begun: list[float] = []
    n_limited = 0
    are_all_there = asyncio.Event()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal n_limited
        while await scripted.read_request(reader):
            begun.append(clock.now())
            is_first = len(begun) <= 16
            n_limited += is_first
            if n_limited == 16:
                are_all_there.set()
            if is_first:
                await are_all_there.wait()
            writer.write(spelled(429, b"{}", "retry-after: 10") if is_first else spelled(200, OK))

    async def send() -> tuple[list[Any], float]:
        async with scripted(converse), jc.OpenAITarget("m", base_url=scripted.url, api_key="k") as target:
            paced(target, clock, concurrency=16)
            busy.append(target)
            requests = [jc.JudgeRequest(f"{number}: good?") for number in range(20)]
            replies = await jc.send_many(target, requests, concurrency=20)
            return replies, target.pacer.limit

    busy: list[jc.OpenAITarget] = []
    replies, limit = clock.run(send(), is_busy=lambda: bool(busy) and busy[0].pacer.in_flight > 0)

    assert [reply.text for reply in replies] == ["Yes"] * 20
    assert {0.0} == set(begun[:16])
    assert min(begun[16:]) >= 10
    # Sixteen came back at once: half as many may leave, and each answer lets a fraction more.
    assert 8 < limit < 16
