"""``Budget``: never exceeded by what could be known, whatever is on its way, and counted over runs that were killed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgecore as jc
from judgecore.errors import (
    BudgetError,
    ConfigurationError,
    MalformedReplyError,
    PendingReplyError,
    ServerError,
    TargetError,
)
from judgecore.server import JudgeServer
from judgecore.targets import (
    BatchPolicy,
    BatchRun,
    Budget,
    PriceTable,
    TokenCounts,
    TokenPrices,
    TokenUsage,
    keep_replies,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Serving

PROGRAM = Path(__file__).parents[1] / "programs" / "ask.py"
PRICES = PriceTable(any_model=TokenPrices(input_per_million=1e6, output_per_million=1e6))


class Judge:
    """Takes its time, and as many tokens as a request's seed says; it raises where the prompt says so."""

    def __init__(self) -> None:
        self.n_sent = self.spent = 0

    async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
        self.n_sent += 1
        for _ in range(request.seed or 0):
            await asyncio.sleep(0)
        if "bad" in request.turns[0].text:
            raise ServerError("no")
        usage = TokenUsage(self.payload(request).count(b"word"), request.seed)
        self.spent += usage.total_tokens
        return jc.JudgeReply(text="Yes", usage=usage)

    def payload(self, request: jc.JudgeRequest) -> bytes:
        return request.turns[0].text.encode()

    def get_identifier(self) -> jc.ComponentIdentifier:
        return jc.ComponentIdentifier(class_name="Judge", class_module="tests")


def ask(judge: Judge, requests: list[jc.JudgeRequest], **options: Any) -> list[jc.JudgeReply | TargetError]:
    return asyncio.run(jc.send_many(judge, requests, **options))


def count(results: list[jc.JudgeReply | TargetError], kind: type) -> int:
    return sum(isinstance(result, kind) for result in results)


@given(
    sizes=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9), st.booleans()), min_size=9, max_size=40),
    limit=st.integers(9, 60),
    concurrency=st.integers(1, 9),
    is_cost=st.booleans(),
)
def test_with_max_tokens_a_budget_is_never_exceeded(
    sizes: list[tuple[int, int, bool]], limit: int, concurrency: int, is_cost: bool
) -> None:
    """Nine replies of at most their limit, of requests of at most one token for four bytes."""
    judge = Judge()
    requests = [
        jc.JudgeRequest(f"{n} {'word' * words}{' bad' * is_bad}", seed=taken, max_tokens=9)
        for n, (words, taken, is_bad) in enumerate(sizes)
    ]
    budget = Budget(max_cost=limit, prices=PRICES) if is_cost else Budget(max_tokens=limit)

    results = ask(judge, requests, budget=budget, concurrency=concurrency)

    assert budget.tokens == judge.spent <= limit
    assert judge.n_sent == len(results) - count(results, BudgetError)
    # The first that does not fit ends the asking: what was asked comes first.
    places = [isinstance(result, BudgetError) for result in results]
    assert places == sorted(places)
    assert budget.is_reached == any(places)


@given(limit=st.integers(1, 400), concurrency=st.integers(1, 9), tokens=st.integers(1, 60))
def test_without_max_tokens_only_what_is_on_its_way_exceeds_a_budget(limit: int, concurrency: int, tokens: int) -> None:
    judge = Judge()
    requests = [jc.JudgeRequest(f"{n} word", seed=tokens) for n in range(30)]

    ask(judge, requests, budget=Budget(max_tokens=limit), concurrency=concurrency)

    assert judge.spent <= limit + concurrency * (tokens + 1)


def test_the_replies_of_a_ledger_cost_nothing_and_what_it_spent_before_counts() -> None:
    judge = Judge()
    requests = [jc.JudgeRequest(f"{n} word", seed=9, max_tokens=9) for n in range(30)]

    with jc.Ledger() as ledger:
        runs = [ask(judge, requests, ledger=ledger, budget=Budget(max_tokens=limit)) for limit in (100, 100, 205)]

    assert [count(results, jc.JudgeReply) for results in runs] == [10, 10, 20]
    assert judge.n_sent == 20
    assert str(runs[0][-1]) == "the budget of 100 tokens is reached: 100 are spent, and the next request may take 11"


@pytest.mark.parametrize("usage", [TokenUsage(7, None), TokenUsage(None, 7), TokenUsage()])
def test_of_a_reply_without_one_count_only_that_is_estimated(usage: TokenUsage) -> None:
    class Silent(Judge):
        async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
            del request
            return jc.JudgeReply(text="Yes.", raw=b"y" * 40, usage=usage)

    budget = Budget(max_tokens=300)

    ask(Silent(), [jc.JudgeRequest("word" * 3)], budget=budget)

    (spent,) = budget.spent.values()
    prompt, completion = usage.prompt_tokens, usage.completion_tokens
    assert spent == TokenCounts(prompt=3 if prompt is None else 7, completion=10 if completion is None else 7)


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_malformed_reply_counts_as_much_as_was_reserved_for_it_at_most(*, is_kept: bool) -> None:
    class Broken(Judge):
        async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
            self.n_sent += 1
            problem = MalformedReplyError("no reply")
            problem.raw = b"<html>" * (1 if "short" in request.turns[0].text else 100_000)
            raise problem

    judge, budget = Broken(), Budget(max_tokens=1000)
    requests = [jc.JudgeRequest(f"{n} {'short' * (n == 0)}", max_tokens=99) for n in range(30)]
    with jc.Ledger() as ledger, keep_replies(ledger if is_kept else None, budget=budget) as tally:
        for request in requests:
            with suppress(TargetError):
                asyncio.run(jc.targets.ask_target(judge, request))
        (kept,) = ledger.spent().values() if is_kept else budget.spent.values()

    n_long = judge.n_sent - 1
    (spent,) = budget.spent.values()
    assert (spent.completion, kept.completion) == (2 + 99 * n_long, pytest.approx(1.5 + 99 * n_long, abs=1))
    assert 7 < n_long < 10
    assert budget.tokens <= 1000
    assert budget.is_reached
    # What they cost is not known.
    assert tally.total == TokenCounts(unmetered=judge.n_sent)


def test_replies_that_were_just_received_count_as_what_they_took() -> None:
    with jc.Ledger() as ledger:
        for n in range(1, 20):
            ask(Judge(), [jc.JudgeRequest(f"{n} {place} word", seed=9) for place in range(9)], ledger=ledger)
            (spent,) = ledger.spent().values()

            assert spent.total == 90 * n


def test_counting_a_ledger_again_forgets_nothing_of_another_one_and_what_was_asked_without() -> None:
    judge, budget = Judge(), Budget(max_tokens=300)
    request = jc.JudgeRequest("word", seed=9, max_tokens=9)

    with jc.Ledger() as first, jc.Ledger() as second:
        for ledger in (first, second, None):
            ask(judge, [request], ledger=ledger, budget=budget)
        before = budget.tokens
        budget.count_ledger(first, is_again=True)

    assert (before, budget.tokens) == (30, 30)


def test_a_request_on_its_way_is_not_lost_when_its_ledger_is_counted_again() -> None:
    budget = Budget(max_tokens=300)

    class Counting(Judge):
        async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
            budget.count_ledger(ledger, is_again=True)
            counted.append(budget.tokens)
            return await super().send(request)

    counted: list[int] = []
    with jc.Ledger() as ledger:
        ask(Counting(), [jc.JudgeRequest("word", seed=9, max_tokens=9)], ledger=ledger, budget=budget)

    # Until the ledger is counted again, it counts twice, because it could have been lost.
    assert budget.tokens == counted[0] + 10


def test_tokens_of_unknown_price_end_the_asking() -> None:
    class Writing(Judge):
        async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
            del request
            self.n_sent += 1
            return jc.JudgeReply(text="Yes", usage=TokenUsage(4, 1, cache_write_tokens=2))

    judge = Writing()

    results = ask(judge, [jc.JudgeRequest(f"{n}") for n in range(5)], budget=Budget(max_cost=999, prices=PRICES))

    assert count(results, BudgetError) == 5 - judge.n_sent > 0
    assert "the prices have no cache_write_input" in str(results[-1])


def test_one_budget_over_several_ledgers_counts_each_once() -> None:
    judge = Judge()
    requests = [jc.JudgeRequest(f"{n} word", seed=9, max_tokens=9) for n in range(30)]
    budget = Budget(max_tokens=300)

    with jc.Ledger() as first, jc.Ledger() as second:
        for ledger in (first, first, second):
            ask(judge, requests[:10], ledger=ledger, budget=budget)

    assert (budget.tokens, judge.n_sent) == (200, 20)


def test_what_waits_for_one_reply_and_is_asked_for_twice_is_reserved_once() -> None:
    judge = Judge()
    request = jc.JudgeRequest("word", seed=9, max_tokens=9)

    with jc.Ledger() as ledger:
        results = ask(judge, [request] * 5, ledger=ledger, budget=Budget(max_tokens=80))

    assert (count(results, jc.JudgeReply), judge.n_sent) == (5, 1)


def test_a_request_that_a_target_sends_for_another_is_part_of_it() -> None:
    judge = Judge()

    class Outer(Judge):
        async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
            return await jc.targets.ask_target(judge, request)

    async def both() -> jc.JudgeReply:
        with keep_replies(None, budget=Budget(max_tokens=12)):
            return await jc.targets.ask_target(Outer(), jc.JudgeRequest("word", seed=9, max_tokens=9))

    assert asyncio.run(asyncio.wait_for(both(), 60)).text == "Yes"


def test_a_second_budget_inside_the_first_is_refused() -> None:
    with (
        keep_replies(None, budget=Budget(max_tokens=1)),
        pytest.raises(ValueError, match="another budget applies already"),
        keep_replies(None, budget=Budget(max_tokens=2)),
    ):
        pass


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "give max_cost= or max_tokens="),
        ({"max_tokens": 0}, "max_tokens must be a number above 0"),
        ({"max_cost": float("nan"), "prices": PRICES}, "max_cost must be a number above 0"),
        ({"max_cost": 1.0}, "max_cost= needs prices="),
    ],
)
def test_a_budget_without_a_limit_is_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Budget(**options)


def test_a_model_of_unknown_price_is_never_asked_within_a_limit_of_cost() -> None:
    judge = Judge()
    budget = Budget(
        max_cost=1, prices=PriceTable(models={"other": TokenPrices(input_per_million=1, output_per_million=1)})
    )

    with pytest.raises(ConfigurationError, match="no price for the model 'Judge'"):
        ask(judge, [jc.JudgeRequest("word")], budget=budget)

    assert judge.n_sent == 0


def test_a_ledger_with_replies_of_unknown_price_is_not_taken_for_one_that_cost_nothing() -> None:
    prices = PriceTable(models={"other": TokenPrices(input_per_million=1, output_per_million=1)})
    with jc.Ledger() as ledger:
        ask(Judge(), [jc.JudgeRequest("word", seed=1)], ledger=ledger)

        with pytest.raises(ConfigurationError, match="no price for the model 'Judge'"):
            Budget(max_cost=1, prices=prices).count_ledger(ledger)


def test_in_many_processes_that_are_killed_the_ledger_knows_what_may_have_been_spent(
    serve: Callable[..., Serving], tmp_path: Path
) -> None:
    """What was on its way counts each time, because the endpoint may have answered it."""
    server, path = serve(), tmp_path / "run.ledger"
    for moment in (40, 90):
        run = subprocess.Popen(
            [sys.executable, str(PROGRAM), server.url, str(path), "500", "16"], stdout=subprocess.DEVNULL
        )
        while run.poll() is None and server.count() < moment:
            time.sleep(0.005)
        run.kill()
        run.wait()

    with jc.LedgerReader(path) as ledger:
        counts, (spent,) = ledger.counts(), ledger.spent().values()
        received = list(ledger.entries("received"))

    n_lost = counts["sent"] + counts["resent"]
    known = sum((entry.prompt_tokens or 0) + (entry.completion_tokens or 0) for entry in received)
    assert n_lost > 0
    assert len(received) + n_lost >= server.count()
    usual = known / len(received)
    assert spent.total >= known + n_lost * usual * 0.9


def test_against_a_server_the_sum_of_all_runs_keeps_to_the_budget(tmp_path: Path) -> None:
    async def runs() -> tuple[list[int], int, TokenCounts]:
        n_asked: list[int] = []
        async with JudgeServer() as server:
            for limit in (1000, 1000, 2000):
                async with jc.OpenAITarget("m", base_url=server.url, api_key="k") as target:
                    requests = [jc.JudgeRequest(f"{n}: yes or no?", max_tokens=40) for n in range(500)]
                    with jc.Ledger(tmp_path / "run.ledger") as ledger:
                        results = await jc.send_many(target, requests, ledger=ledger, budget=Budget(max_tokens=limit))
                        n_asked.append(count(results, jc.JudgeReply))
                        (spent,) = ledger.spent().values()
            return n_asked, server.seen, spent

    n_asked, seen, spent = asyncio.run(runs())

    assert 0 < n_asked[0] <= n_asked[1] < n_asked[2] == seen < 500
    assert 1900 < spent.total <= 2000


@pytest.mark.parametrize(("max_requests", "max_tokens"), [(3, 5), (16, 40), (100, 300)])
def test_batches_use_a_budget_up_and_never_exceed_it(max_requests: int, max_tokens: int) -> None:
    """With batches that expire, lose results or are never confirmed; what they took is known when they have ended."""
    faults = {f"batch.{name}": 0.3 for name in ("partial", "expired", "duplicated", "queue_full", "unconfirmed")}
    policy = BatchPolicy(poll_s=0.005, max_poll_s=0.01, max_requests=max_requests, attempts=30, confirm_within_s=0.05)
    requests = [jc.JudgeRequest(f"{n}: yes or no? {'pad ' * (n % 9)}", max_tokens=max_tokens) for n in range(99)]
    ends: list[type] = []

    async def ask(target: jc.OpenAITarget) -> bool:
        ends.clear()
        for request in requests:
            try:
                await jc.targets.ask_target(target, request)
                ends.append(jc.JudgeReply)
            except (BudgetError, PendingReplyError) as problem:
                ends.append(type(problem))
        return PendingReplyError in ends

    async def run() -> tuple[TokenCounts, Budget]:
        budget = Budget(max_tokens=1000)
        async with JudgeServer(faults=faults, seed=max_requests) as server:
            target = jc.OpenAITarget("m", base_url=server.url, api_key="k", batch=policy)
            with jc.Ledger() as ledger, keep_replies(ledger, budget=budget):
                await BatchRun(ledger).settle(lambda: ask(target), is_waiting=True)
                (spent,) = ledger.spent().values()
            await target.aclose()
            return spent, budget

    spent, budget = asyncio.run(run())

    n_replies = ends.count(jc.JudgeReply)
    assert ends == [jc.JudgeReply] * n_replies + [BudgetError] * (99 - n_replies)
    assert spent.total == budget.tokens <= 1000
    # The next request would take its limit, and at most twice as much as others for its prompt.
    assert spent.total + max_tokens + 2 * spent.sent / n_replies > 1000
