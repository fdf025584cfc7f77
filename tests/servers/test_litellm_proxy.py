"""``OpenAITarget`` and ``AnthropicTarget`` ask litellm's proxy, which we did not write."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from servers.conftest import Environment

CONFIG = """\
model_list:
  - model_name: judge
    litellm_params: {model: openai/mock, api_key: none, mock_response: "Rating: [[8]]"}
  - model_name: limited
    litellm_params: {model: openai/mock, api_key: none, mock_response: litellm.RateLimitError}
  - model_name: broken
    litellm_params: {model: openai/mock, api_key: none, mock_response: litellm.InternalServerError}
  - model_name: full
    litellm_params: {model: openai/mock, api_key: none, mock_response: litellm.ContextWindowExceededError}
general_settings: {master_key: sk-master-key-of-the-proxy}
router_settings: {num_retries: 0, disable_cooldowns: true}
"""
KEY = "sk-master-key-of-the-proxy"
PATIENCE = jc.Pacing(attempts=2, backoff_s=0.05)


@pytest.fixture(scope="module")
def proxy(litellm: Environment, start: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    config: Path = tmp_path_factory.mktemp("proxy") / "config.yaml"
    config.write_text(CONFIG)
    return start(litellm, "litellm", "--config", config, "--telemetry", "False")


def ask(target: jc.OpenAITarget | jc.AnthropicTarget) -> jc.JudgeReply | jc.errors.TargetError:
    async def send() -> jc.JudgeReply | jc.errors.TargetError:
        async with target:
            (result,) = await jc.send_many(target, [jc.JudgeRequest("How good is it?", max_tokens=50)])
            return result

    return asyncio.run(send())


def test_a_reply_comes_through_the_proxy_in_both_shapes(proxy: str) -> None:
    of_openai = ask(jc.OpenAITarget("judge", base_url=f"{proxy}/v1", api_key=KEY))
    of_anthropic = ask(jc.AnthropicTarget("judge", base_url=proxy, api_key=KEY))

    for reply in (of_openai, of_anthropic):
        assert isinstance(reply, jc.JudgeReply), reply
        assert (reply.outcome, reply.read("mt_bench.single").unwrap()) == ("answered", 8)
        assert reply.usage.total_tokens > 0


@pytest.mark.parametrize(
    ("model", "kind", "attempts"),
    [("limited", "RateLimitError", 2), ("broken", "ServerError", 2), ("full", "BadRequestError", 1)],
)
def test_the_proxys_errors_are_told_apart(proxy: str, model: str, kind: str, attempts: int) -> None:
    problem = ask(jc.OpenAITarget(model, base_url=f"{proxy}/v1", api_key=KEY, pacing=PATIENCE))

    assert (type(problem).__name__, problem.attempts) == (kind, attempts), problem


def test_a_wrong_key_and_a_model_that_is_not_there_are_final(proxy: str) -> None:
    wrong = ask(jc.OpenAITarget("judge", base_url=f"{proxy}/v1", api_key="sk-another-key-altogether", pacing=PATIENCE))
    missing = ask(jc.OpenAITarget("nobody", base_url=f"{proxy}/v1", api_key=KEY, pacing=PATIENCE))

    assert isinstance(wrong, jc.errors.TargetError)
    assert isinstance(missing, jc.errors.TargetError)
    assert (wrong.attempts, missing.attempts) == (1, 1)
    assert "sk-another-key-altogether" not in str(wrong)


def test_a_run_with_a_ledger_goes_through_the_proxy(proxy: str) -> None:
    async def run() -> tuple[list[jc.JudgeReply | jc.errors.TargetError], dict[str, int]]:
        async with jc.OpenAITarget("judge", base_url=f"{proxy}/v1", api_key=KEY) as target:
            requests = [jc.JudgeRequest(f"{number}: how good is it?") for number in range(50)]
            with jc.Ledger() as ledger:
                return await jc.send_many(target, requests, ledger=ledger, concurrency=8), ledger.counts()

    results, counts = asyncio.run(run())

    assert all(isinstance(result, jc.JudgeReply) for result in results)
    assert counts["received"] == 50
