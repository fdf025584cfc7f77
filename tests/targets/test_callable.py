"""A function as a judge."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pytest

import judgecore as jc
from judgecore.errors import CallableError, RequestError

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

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
        asyncio.run(jc.CallableTarget(cast("Any", lambda _: 7), name="seven").send(REQUEST))


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


def cancels(_: jc.JudgeRequest) -> str:
    raise asyncio.CancelledError


async def cancels_async(request: jc.JudgeRequest) -> str:
    return cancels(request)


async def waits_for_what_was_cancelled(_: jc.JudgeRequest) -> str:
    task = asyncio.ensure_future(asyncio.sleep(60))
    task.cancel()
    await task
    return "Yes"


def exhausts(_: jc.JudgeRequest) -> str:
    return next(iter(()))


class Cancelling:
    """A target of the caller's own that raises what looks like a cancellation."""

    async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
        raise asyncio.CancelledError(request.hash)

    def get_identifier(self) -> jc.ComponentIdentifier:
        return jc.ComponentIdentifier(class_name="Cancelling", class_module=__name__)


NOT_CANCELLED = [cancels, cancels_async, waits_for_what_was_cancelled, exhausts]


@pytest.mark.parametrize("function", NOT_CANCELLED)
def test_a_function_that_raises_what_only_asyncio_should_costs_its_own_request(function: Any, tmp_path: Path) -> None:
    def sometimes(request: jc.JudgeRequest) -> Any:
        return function(request) if request.turns[0].text == "1" else named(request)

    target, requests = jc.CallableTarget(sometimes, name="some"), [jc.JudgeRequest(str(number)) for number in range(4)]

    async def ask() -> list[list[jc.JudgeReply | jc.errors.TargetError]]:
        with jc.Ledger(tmp_path / "a.ledger") as ledger:
            given = [await jc.send_many(target, requests, ledger=kept, concurrency=2) for kept in (None, ledger)]
        with pytest.raises(CallableError, match="some raised"):
            await target.send(requests[1])
        return given

    for results in asyncio.run(asyncio.wait_for(ask(), 60)):
        assert [type(result).__name__ for result in results] == [
            "JudgeReply",
            "CallableError",
            "JudgeReply",
            "JudgeReply",
        ]


def test_a_target_that_raises_what_looks_like_a_cancellation_costs_its_own_request() -> None:
    [result] = asyncio.run(asyncio.wait_for(jc.send_many(Cancelling(), [REQUEST]), 60))

    assert isinstance(result, CallableError)
    assert "CancelledError" in str(result)


def test_a_progress_report_that_raises_what_looks_like_a_cancellation_is_an_error() -> None:
    def report(_: object) -> None:
        raise asyncio.CancelledError

    with pytest.raises(CallableError, match="nobody cancelled"):
        asyncio.run(jc.send_many(jc.CallableTarget(named), [REQUEST] * 3, concurrency=1, on_progress=report))


@pytest.mark.parametrize("is_async", [False, True])
def test_a_cancellation_of_the_run_is_still_one(is_async: bool) -> None:
    begun, end = threading.Event(), threading.Event()

    def waits(_: jc.JudgeRequest) -> str:
        begun.set()
        end.wait(30)
        return "Yes"

    async def waits_async(_: jc.JudgeRequest) -> str:
        begun.set()
        await asyncio.sleep(60)
        return "Yes"

    target = jc.CallableTarget(waits_async if is_async else waits, name="waits")

    async def cancel() -> None:
        task = asyncio.create_task(jc.send_many(target, [REQUEST], concurrency=1))
        await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        end.set()

    asyncio.run(asyncio.wait_for(cancel(), 60))
