"""Many requests: in order, bounded, and none that falls takes others with it."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import judgecore as jc
from judgecore.errors import AuthenticationError, CallableError, RequestError
from judgecore.server import JudgeServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from judgecore.targets import SendingProgress


class Judge:
    """Answers with the prompt, later or sooner, and raises where the prompt says so."""

    def __init__(self) -> None:
        self.in_flight = self.most = self.n_sent = 0

    async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
        text = request.turns[0].text
        self.n_sent += 1
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        await asyncio.sleep(0.002 * (len(text) % 3))
        self.in_flight -= 1
        if "bad" in text:
            raise ZeroDivisionError(text)
        return jc.JudgeReply(text=text, usage=jc.targets.TokenUsage(1, 2))

    def get_identifier(self) -> jc.ComponentIdentifier:
        return jc.ComponentIdentifier(class_name="Judge", class_module="tests")


@settings(max_examples=25)
@given(st.lists(st.sampled_from(["a", "bb", "ccc", "bad", "bad too"])), st.integers(1, 9), st.booleans())
def test_each_request_has_its_result_in_its_place(texts: list[str], concurrency: int, has_ledger: bool) -> None:
    judge = Judge()
    ledger = jc.Ledger() if has_ledger else None

    results = asyncio.run(
        jc.send_many(judge, [jc.JudgeRequest(text) for text in texts], ledger=ledger, concurrency=concurrency)
    )

    if ledger is not None:
        ledger.close()
    assert len(results) == len(texts)
    for text, result in zip(texts, results, strict=True):
        if "bad" in text:
            assert isinstance(result, CallableError)
            assert str(result) == f"Judge.send raised ZeroDivisionError: {text}"
        else:
            assert isinstance(result, jc.JudgeReply)
            assert result.text == text
    assert judge.most <= concurrency


def test_requests_are_taken_as_they_are_needed() -> None:
    taken = 0

    def endless() -> Iterator[jc.JudgeRequest]:
        nonlocal taken
        while True:
            taken += 1
            yield jc.JudgeRequest(f"{taken}")

    async def stopped() -> None:
        with jc.Ledger() as ledger:
            sending = asyncio.ensure_future(jc.send_many(Judge(), endless(), ledger=ledger, concurrency=4))
            await asyncio.sleep(0.05)
            sending.cancel()
            await asyncio.wait([sending])
            assert sending.cancelled()

    asyncio.run(stopped())

    assert taken % 256 == 0
    assert taken < 256 * 50


def test_progress_is_told_after_each() -> None:
    seen: list[SendingProgress] = []
    texts = ["one", "bad", "two", "one"]
    with jc.Ledger() as ledger:
        requests = [jc.JudgeRequest(text) for text in texts]
        asyncio.run(
            jc.send_many(
                Judge(), requests, ledger=ledger, on_progress=lambda now: seen.append(dataclasses.replace(now))
            )
        )

    assert [one.done for one in seen] == [1, 2, 3, 4]
    last = seen[-1]
    assert (last.total, last.done, last.replayed, last.failed, last.tokens) == (4, 4, 1, 1, 6)


def test_the_same_call_goes_on_from_the_ledger() -> None:
    judge = Judge()
    requests = [jc.JudgeRequest(f"{number}") for number in range(600)]

    with jc.Ledger() as ledger:
        asyncio.run(jc.send_many(judge, requests[:300], ledger=ledger))
        results = asyncio.run(jc.send_many(judge, requests, ledger=ledger))

    assert judge.n_sent == 600
    assert [result.text for result in results if isinstance(result, jc.JudgeReply)] == [f"{n}" for n in range(600)]


def test_requests_that_a_target_can_not_be_asked_cost_themselves_alone() -> None:
    async def ask() -> list[jc.JudgeReply | jc.errors.TargetError]:
        async with JudgeServer() as server:
            target = jc.AnthropicTarget("m", base_url=server.url.removesuffix("/v1"), api_key="k")
            requests = [jc.JudgeRequest(f"{n}: yes or no?", seed=1 if n % 3 == 0 else None) for n in range(600)]
            with jc.Ledger() as ledger:
                return await jc.send_many(target, requests, ledger=ledger)

    results = asyncio.run(ask())

    assert [isinstance(result, RequestError) for result in results] == [n % 3 == 0 for n in range(600)]


@pytest.mark.parametrize("has_ledger", [True, False])
def test_after_a_key_that_is_not_accepted_nothing_more_is_sent(*, has_ledger: bool) -> None:
    async def ask() -> tuple[list[jc.JudgeReply | jc.errors.TargetError], int]:
        async with (
            JudgeServer(api_key="right") as server,
            jc.OpenAITarget("m", base_url=server.url, api_key="k") as target,
        ):
            requests = [jc.JudgeRequest(f"{n}") for n in range(500)]
            with jc.Ledger() as ledger:
                kept = ledger if has_ledger else None
                return await jc.send_many(target, requests, ledger=kept, concurrency=4), server.seen

    results, seen = asyncio.run(ask())

    assert {type(result) for result in results} == {AuthenticationError}
    assert seen <= 4
    assert str(results[-1]).startswith("not sent: the endpoint answered with status 401")


def test_a_concurrency_that_sends_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="concurrency must be at least 1"):
        asyncio.run(jc.send_many(Judge(), [], concurrency=0))
