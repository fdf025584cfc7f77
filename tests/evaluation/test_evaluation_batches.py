"""Evaluations whose judge sends its requests in batches, from Python."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

import judgecore as jc
from judgecore.errors import PendingReplyError, RequestError
from judgecore.evaluation import Registry, evaluate
from judgecore.scorers import SelfAskRefusalScorer
from judgecore.server import JudgeServer
from judgecore.targets import BatchPolicy, BatchTally

if TYPE_CHECKING:
    from pathlib import Path

    from judgecore.evaluation import ScorerMetrics

ROWS = [{"response": f"I'm sorry, no: {n}", "rater": n % 2 == 0} for n in range(6)]
POLICY = BatchPolicy(poll_s=0.01, max_requests=4)


def judge_of(kind: str, server: JudgeServer) -> jc.OpenAITarget | jc.AnthropicTarget:
    if kind == "openai":
        return jc.OpenAITarget("m", base_url=server.url, api_key="k", batch=POLICY)
    return jc.AnthropicTarget("m", base_url=server.url.removesuffix("/v1"), api_key="k", batch=POLICY)


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_the_same_call_goes_on_and_nothing_partial_is_stored(tmp_path: Path, kind: str) -> None:
    registry, seen = Registry(tmp_path / "registry"), list[int]()

    async def run() -> ScorerMetrics:
        async with JudgeServer() as server, judge_of(kind, server) as judge:
            scorer = SelfAskRefusalScorer(chat_target=judge)

            async def again(*, wait: bool) -> ScorerMetrics:
                with jc.Ledger(tmp_path / "run.ledger") as ledger:
                    return await evaluate(
                        scorer,
                        ROWS,
                        response="response",
                        human="rater",
                        num_scorer_trials=1,
                        registry=registry,
                        ledger=ledger,
                        wait_for_batches=wait,
                        on_batches=on_batches,
                    )

            with pytest.raises(PendingReplyError, match="6 requests in 2 batches are pending"):
                await again(wait=False)
            assert not registry.folder.exists()
            metrics = await again(wait=True)
            assert (await again(wait=False)).result is None
            return metrics

    def on_batches(tally: BatchTally) -> None:
        seen.append(tally.pending)

    metrics = asyncio.run(run())

    assert metrics.result is not None
    assert (len(metrics.result.items), metrics.result.cost.calls) == (6, 6)
    assert (max(seen), seen[-1]) == (6, 0)


def test_batches_to_collect_later_need_a_ledger_in_a_file(tmp_path: Path) -> None:
    async def run() -> int:
        async with JudgeServer() as server, judge_of("openai", server) as judge:
            with pytest.raises(RequestError, match="need a ledger in a file"):
                await evaluate(
                    SelfAskRefusalScorer(chat_target=judge),
                    ROWS[:2],
                    response="response",
                    human="rater",
                    registry=Registry(tmp_path),
                )
            return server.seen

    assert asyncio.run(run()) == 0
