"""A function as a judge."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest

import judgecore as jc
from judgecore.errors import CallableError, RequestError

if TYPE_CHECKING:
    from collections.abc import Coroutine

REQUEST = jc.JudgeRequest("Is it good?")


def named(request: jc.JudgeRequest) -> str:
    return f"Yes, {request.turns[0].text}"


async def named_async(request: jc.JudgeRequest) -> jc.JudgeReply:
    return jc.JudgeReply(text=named(request), outcome="cut")


def returns_awaitable(request: jc.JudgeRequest) -> Coroutine[None, None, jc.JudgeReply]:
    return named_async(request)


class Judge:
    async def __call__(self, request: jc.JudgeRequest) -> str:
        return named(request)


def test_a_function_sync_or_async_is_a_target() -> None:
    targets = [
        jc.CallableTarget(named),
        jc.CallableTarget(named_async),
        jc.CallableTarget(Judge(), name="judge"),
        jc.CallableTarget(partial(named), name="partial"),
        jc.CallableTarget(returns_awaitable, name="returns an awaitable"),
    ]

    replies = [asyncio.run(target.send(REQUEST)) for target in targets]

    assert {reply.text for reply in replies} == {"Yes, Is it good?"}
    assert all(isinstance(target, jc.Target) for target in targets)
    assert [reply.outcome for reply in replies] == ["answered", "cut", "answered", "answered", "cut"]


def test_a_function_that_takes_its_time_holds_nothing_up() -> None:
    together = threading.Barrier(4)

    def waits(_: jc.JudgeRequest) -> str:
        together.wait(30)
        return "Yes"

    target = jc.CallableTarget(waits, name="waits")
    requests = [jc.JudgeRequest(f"{number}") for number in range(4)]

    results = asyncio.run(jc.send_many(target, requests, concurrency=4))

    assert [result.text for result in results if isinstance(result, jc.JudgeReply)] == ["Yes"] * 4


def test_no_text_is_an_outcome_and_anything_else_an_error() -> None:
    def nothing(_: jc.JudgeRequest) -> None:
        return None

    reply = asyncio.run(jc.CallableTarget(nothing, name="nothing").send(REQUEST))

    assert (reply.text, reply.outcome) == (None, "no_text")
    with pytest.raises(CallableError, match="seven returned int; return a str, a JudgeReply or None"):
        asyncio.run(jc.CallableTarget(lambda _: 7, name="seven").send(REQUEST))  # type: ignore[arg-type, return-value]


def test_what_a_function_raises_is_the_cause_and_judgecores_own_errors_pass() -> None:
    def fails(_: jc.JudgeRequest) -> str:
        raise ZeroDivisionError("secret words")

    def refuses(_: jc.JudgeRequest) -> str:
        raise RequestError("too long")

    with pytest.raises(CallableError, match="raised ZeroDivisionError") as caught:
        asyncio.run(jc.CallableTarget(fails, name="fails").send(REQUEST))
    with pytest.raises(RequestError, match="too long"):
        asyncio.run(jc.CallableTarget(refuses, name="refuses").send(REQUEST))

    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert "secret" not in str(caught.value)


def test_a_function_is_what_it_is_called_and_a_nameless_one_must_be_named() -> None:
    identity = jc.CallableTarget(named, version="2", params={"temperature": 0.0}).get_identifier()

    assert identity.params["underlying_model_name"].endswith("test_callable.named")
    assert (identity.params["version"], identity.params["temperature"]) == ("2", 0.0)
    assert identity.hash != jc.CallableTarget(named).get_identifier().hash
    for nameless in (lambda _: "Yes", partial(named), Judge()):
        with pytest.raises(ValueError, match="needs name="):
            jc.CallableTarget(nameless)
