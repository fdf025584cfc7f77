"""Many responses: bounded, in order, and one bad item costs one item."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore.errors import AuthenticationError, BadRequestError, BudgetError, LedgerError, QuotaError, ServerError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GOOD = '{"score_value": true, "rationale": "r"}'


class SlowScorer(jc.Scorer):
    """Takes its time, and counts how many it works on at once."""

    score_type = "float_scale"

    def __init__(self) -> None:
        self.now = self.most = 0

    def params(self) -> dict[str, Any]:
        return {}

    async def score_async(self, response: jc.Response, *, trial: int = 0) -> list[jc.Score]:
        del trial
        self.now += 1
        self.most = max(self.most, self.now)
        number = int(response.text or 0)
        await asyncio.sleep(0.001 * (number % 7))
        self.now -= 1
        return [self.make_score(number / 1000)]


def failing(request: jc.JudgeRequest) -> str:
    if "item 5000 is bad" in request.turns[0].text:
        problem = BadRequestError("the endpoint answered with status 400")
        problem.key = "the.key"
        raise problem
    return GOOD


def test_one_bad_item_among_ten_thousand_costs_one_item(judge: Any) -> None:
    texts = ["item 5000 is bad" if number == 5000 else f"item {number}" for number in range(10_000)]
    scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(failing))

    results = asyncio.run(scorer.score_batch_async(texts, concurrency=64))

    undetermined = [number for number, [score] in enumerate(results) if score.is_undetermined]
    [bad] = results[5000]
    assert undetermined == [5000]
    assert sum(score.get_value() is True for [score] in results if not score.is_undetermined) == 9_999
    assert (bad.undetermined_reason, bad.ledger_key) == ("error", "the.key")
    assert isinstance(bad.error, BadRequestError)


@pytest.mark.parametrize("concurrency", [1, 3, 50])
def test_order_is_kept_and_the_bound_too(concurrency: int) -> None:
    scorer = SlowScorer()

    results = asyncio.run(scorer.score_batch_async(map(str, range(200)), concurrency=concurrency))

    assert [score.get_value() for [score] in results] == [number / 1000 for number in range(200)]
    assert scorer.most == concurrency


def test_a_slow_member_of_a_jury_takes_no_places_of_the_quick_ones() -> None:
    n_asked = {"slow": 0, "quick": 0}

    async def run() -> tuple[dict[str, int], list[list[jc.Score]]]:
        may_answer, is_ahead = asyncio.Event(), asyncio.Event()

        async def slow(_request: jc.JudgeRequest) -> str:
            n_asked["slow"] += 1
            await may_answer.wait()
            return GOOD

        def quick(_request: jc.JudgeRequest) -> str:
            n_asked["quick"] += 1
            if n_asked["quick"] == 8:
                is_ahead.set()
            return GOOD

        members = [
            jc.scorers.SelfAskTrueFalseScorer(chat_target=jc.CallableTarget(judge, name=judge.__name__))
            for judge in (slow, quick)
        ]
        nested = jc.scorers.JuryScorer(scorers=[members[0], jc.scorers.TrueFalseInverterScorer(scorer=members[1])])
        scoring = asyncio.ensure_future(nested.score_batch_async(map(str, range(20)), concurrency=2))
        await asyncio.wait_for(is_ahead.wait(), 60)
        seen = dict(n_asked)
        may_answer.set()
        return seen, await scoring

    seen, scores = asyncio.run(run())

    # The quick one is ahead by as many responses as there may be at once, which are four times the places.
    assert seen == {"slow": 2, "quick": 8}
    assert n_asked == {"slow": 20, "quick": 20}
    assert len(scores) == 20


@pytest.mark.parametrize("concurrency", [1, 3])
def test_each_member_of_a_jury_scores_as_many_at_once_as_it_may_alone(concurrency: int) -> None:
    members = [SlowScorer(), SlowScorer(), SlowScorer()]

    asyncio.run(jc.scorers.JuryScorer(scorers=members).score_batch_async(map(str, range(60)), concurrency=concurrency))

    assert [member.most for member in members] == [concurrency] * 3


def test_responses_are_taken_as_they_are_needed() -> None:
    taken: list[int] = []

    def responses() -> Iterator[jc.Response]:
        for number in range(1000):
            taken.append(number)
            yield jc.Response(text=str(number))

    async def first() -> None:
        stream = SlowScorer().score_stream(responses(), concurrency=5)
        async for _ in stream:
            break
        await stream.aclose()  # pyright: ignore[reportAttributeAccessIssue] - it is a generator

    asyncio.run(first())

    assert len(taken) <= 21


@pytest.mark.parametrize("problem", [AuthenticationError("401"), QuotaError("402"), LedgerError("locked")])
def test_what_is_no_items_own_fault_ends_the_run(judge: Any, problem: Exception) -> None:
    scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(GOOD, GOOD, problem))

    with pytest.raises(type(problem)) as caught:
        asyncio.run(scorer.score_batch_async(map(str, range(20)), concurrency=2))

    assert caught.value.__notes__ == ["while scoring item 2"]


def test_a_response_whose_request_was_not_sent_is_not_asked_and_costs_itself_alone(judge: Any) -> None:
    def asking() -> jc.Scorer:
        return jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(GOOD, BudgetError("spent"), GOOD))

    aggregator = jc.scorers.TrueFalseScoreAggregator.OR
    for one in (asking(), jc.scorers.TrueFalseCompositeScorer(aggregator=aggregator, scorers=[asking()])):
        scores = [score for [score] in asyncio.run(one.score_batch_async(["a", "b", "c"], concurrency=1))]

        assert [score.status for score in scores] == ["complete", "not_asked", "complete"]
        assert [score.is_not_asked for score in scores] == [False, True, False]
        assert (scores[1].undetermined_reason, scores[1].score_rationale) == ("budget", "not asked: spent")


def test_a_parser_that_raises_what_looks_like_a_cancellation_costs_one_item(judge: Any) -> None:
    def parser(text: str) -> dict[str, Any]:
        if text == "b":
            raise asyncio.CancelledError
        return {"score_value": "true", "rationale": text}

    target = judge("a", "b", "c")
    scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=target, response_parser=parser)
    both = jc.scorers.TrueFalseCompositeScorer(aggregator=jc.scorers.TrueFalseScoreAggregator.OR, scorers=[scorer])

    for one in (scorer, both):
        target.__init__("a", "b", "c")
        results = asyncio.run(asyncio.wait_for(one.score_batch_async(["a", "b", "c"], concurrency=1), 60))

        assert [score.is_undetermined for [score] in results] == [False, True, False]
        assert "without being cancelled" in results[1][0].score_rationale


def test_a_place_that_is_not_allowed_is_one_items_own(judge: Any) -> None:
    problem = AuthenticationError("403")
    problem.status = 403
    scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(GOOD, problem, GOOD))

    results = asyncio.run(scorer.score_batch_async(["a", "b", "c"], concurrency=1))

    assert [score.is_undetermined for [score] in results] == [False, True, False]


def test_objectives_go_with_their_texts(judge: Any) -> None:
    scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(GOOD))

    results = asyncio.run(scorer.score_batch_async(["a", "b"], objectives=["x", None]))

    assert [score.objective for [score] in results] == ["x", None]
    with pytest.raises(ValueError, match="there are 2 responses and 1 objectives"):
        asyncio.run(scorer.score_batch_async(["a", "b"], objectives=["x"]))


def test_at_least_one_is_scored_at_once() -> None:
    with pytest.raises(ValueError, match="concurrency must be at least 1, not 0"):
        asyncio.run(SlowScorer().score_batch_async(["1"], concurrency=0))


class TestLedger:
    def test_nothing_is_paid_for_twice(self, tmp_path: Path, judge: Any) -> None:
        target = judge(GOOD)
        scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=target)
        runs: list[list[list[jc.Score]]] = []
        counts: list[tuple[int, int]] = []

        for _ in range(2):
            with jc.Ledger(tmp_path / "run.db") as ledger, jc.targets.keep_replies(ledger) as tally:
                runs.append(asyncio.run(scorer.score_batch_async(map(str, range(20)))))
                counts.append((tally.calls, tally.replayed))

        assert len(target.requests) == 20
        assert runs[0] == runs[1]
        assert counts == [(20, 0), (0, 20)]
        assert all(score.ledger_key for [score] in runs[0])

    def test_each_asking_again_and_each_trial_has_a_reply_of_its_own(self, judge: Any) -> None:
        target = judge("hm", "hm", GOOD)
        scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=target)

        with jc.Ledger(":memory:") as ledger, jc.targets.keep_replies(ledger):
            first, again, trial = (asyncio.run(scorer.score_text_async("x", trial=number))[0] for number in (0, 0, 1))

        assert (first.attempts, again.attempts, trial.attempts) == (3, 3, 1)
        assert first == again
        assert len(target.requests) == 4
        assert first.ledger_key != trial.ledger_key

    def test_a_reply_that_failed_is_asked_for_again(self, tmp_path: Path, judge: Any) -> None:
        scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=judge(ServerError("500"), GOOD))

        outcomes: list[bool] = []
        for _ in range(2):
            with jc.Ledger(tmp_path / "run.db") as ledger, jc.targets.keep_replies(ledger):
                [[score]] = asyncio.run(scorer.score_batch_async(["x"]))
                outcomes.append(score.is_undetermined)

        assert outcomes == [True, False]

    def test_outside_the_block_nothing_is_kept(self, judge: Any) -> None:
        target = judge(GOOD)
        scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=target)

        with jc.Ledger(":memory:") as ledger:
            with jc.targets.keep_replies(ledger):
                asyncio.run(scorer.score_batch_async(["x"]))
            asyncio.run(scorer.score_batch_async(["x"]))

        assert len(target.requests) == 2

    def test_a_block_without_a_ledger_keeps_in_that_of_the_block_around(self, judge: Any) -> None:
        target = judge(GOOD)
        scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=target)
        counts: list[tuple[int, int]] = []

        with jc.Ledger(":memory:") as ledger, jc.targets.keep_replies(ledger) as around:
            for _ in range(2):
                with jc.targets.keep_replies(None) as tally:
                    asyncio.run(scorer.score_batch_async(["x"]))
                counts.append((tally.calls, tally.replayed))

        assert len(target.requests) == 1
        assert counts == [(1, 0), (0, 1)]
        assert (around.calls, around.replayed) == (1, 1)
