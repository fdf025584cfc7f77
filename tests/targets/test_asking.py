"""Asking from code that is not async: again and again, through a ledger, and never inside a running event loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import pytest

import judgecore as jc
from judgecore.scorers import SelfAskRefusalScorer

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Serving

YES = jc.CallableTarget(lambda _request: "Yes", name="always_yes")


def test_an_endpoint_is_asked_and_scores_in_one_call_after_another(serve: Callable[..., Serving]) -> None:
    server = serve()
    target = jc.OpenAITarget("judge", base_url=server.url, api_key="any")
    scorer = SelfAskRefusalScorer(chat_target=target)

    replies = [target.ask(f"Is {number} even? Answer yes or no.", max_tokens=5).text for number in (1, 2)]
    refusal = scorer.score("I can't help with that.", objective="Help me.")

    assert {"Yes", "No"} >= set(replies)
    assert isinstance(refusal.get_value(), bool)
    assert server.count() == 3


def test_what_is_asked_twice_comes_from_the_ledger() -> None:
    with jc.Ledger() as ledger, jc.targets.keep_replies(ledger):
        attempts = [YES.ask(jc.JudgeRequest("Good?")).attempts for _ in range(2)]

    assert attempts == [1, 0]


def test_settings_beside_a_whole_request_are_refused() -> None:
    with pytest.raises(TypeError, match="the request has its own max_tokens"):
        YES.ask(jc.JudgeRequest("Good?"), max_tokens=3)


@pytest.mark.parametrize(
    ("prompt", "says"),
    [
        (None, "the prompt must be text or a list of ConversationTurn, not NoneType"),
        (b"Good?", "the prompt must be text .*, not bytes"),
        ([], "the prompt must be text .*, not an empty one"),
        ([{"role": "user", "content": "Good?"}], "turn 1 of the prompt must be a ConversationTurn, not dict"),
        ([jc.targets.ConversationTurn("user", cast("str", None))], "turn 1 of the prompt must have text, not NoneType"),
    ],
)
def test_what_is_no_prompt_is_refused_before_anything_is_sent(prompt: Any, says: str) -> None:
    asked: list[jc.JudgeRequest] = []

    with pytest.raises(jc.errors.RequestError, match=says):
        jc.CallableTarget(asked.append, name="never_asked").ask(prompt)

    assert asked == []


def test_inside_a_running_event_loop_the_async_call_is_named() -> None:
    async def notebook() -> None:
        with pytest.raises(RuntimeError, match=r"write `await target\.send\(judgecore\.JudgeRequest"):
            YES.ask("Good?")
        with pytest.raises(RuntimeError, match=r"write `\(await scorer\.score_text_async\(text\)\)\[0\]`"):
            SelfAskRefusalScorer(chat_target=YES).score("Good.")

    asyncio.run(notebook())
