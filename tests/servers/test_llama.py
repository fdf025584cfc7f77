"""``OpenAITarget`` asks llama.cpp's server with a tiny random model: real logprobs, grammar, a context that is full."""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore.errors import AuthenticationError, BadRequestError, ServerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from servers.conftest import Environment

MAKER = Path(__file__).parents[1] / "programs" / "clients" / "tiny_llama.py"
KEY = "the-key-of-the-llama"
SCHEMA = {"type": "object", "properties": {"passed": {"type": "boolean"}}, "required": ["passed"]}


@pytest.fixture(scope="module")
def server(llama: Environment, start: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    model = tmp_path_factory.mktemp("llama") / "tiny.gguf"
    made = llama.run("python", MAKER, model)
    assert made.returncode == 0, made.stderr
    options = ("--model", model, "--n_ctx", "1024", "--logits_all", "true", "--api_key", KEY)
    return start(llama, "python", "-m", "llama_cpp.server", *options)


def ask(server: str, request: jc.JudgeRequest, **settings: Any) -> jc.JudgeReply:
    async def send() -> jc.JudgeReply:
        options: dict[str, Any] = {"api_key": KEY, "temperature": 0.0, "pacing": jc.Pacing(attempts=1), **settings}
        async with jc.OpenAITarget("tiny", base_url=f"{server}/v1", **options) as target:
            return await target.send(request)

    return asyncio.run(send())


def test_a_reply_ends_at_its_token_limit_and_is_the_same_again(server: str) -> None:
    request = jc.JudgeRequest("Is it good?", system="You judge.", max_tokens=8, seed=1)

    one, again = ask(server, request), ask(server, request)

    assert (one.outcome, one.finish_reason, one.usage.completion_tokens) == ("cut", "length", 8)
    assert one.text == again.text


def test_logprobs_are_those_of_a_real_model(server: str) -> None:
    reply = ask(server, jc.JudgeRequest("Is it good?", logprobs=3, max_tokens=4, seed=1))

    assert reply.logprobs is not None
    assert len(reply.logprobs) == 4
    for entry in reply.logprobs:
        top = {one["token"]: one["logprob"] for one in entry["top_logprobs"]}
        # Drawn at temperature 0, a token is the likeliest. Tokens that are spelled alike share an entry.
        assert entry["logprob"] == top[entry["token"]] == max(top.values()) < 0
        assert 2 <= len(top) <= 4
        assert sum(map(math.exp, top.values())) < 1


def test_a_schema_is_kept_by_grammar(server: str) -> None:
    request = jc.JudgeRequest("Is it good?", schema=SCHEMA, max_tokens=200, seed=1)

    reply = ask(server, request, schema_in="json_object")

    assert isinstance(json.loads(reply.unwrap())["passed"], bool)


def test_a_schema_in_a_form_that_the_server_does_not_know_is_its_error(server: str) -> None:
    with pytest.raises((ServerError, BadRequestError)):
        ask(server, jc.JudgeRequest("Is it good?", schema=SCHEMA, max_tokens=20))


def test_a_context_that_is_full_is_final_and_in_the_servers_words(server: str) -> None:
    with pytest.raises(BadRequestError, match="context") as caught:
        ask(server, jc.JudgeRequest("long " * 3000), pacing=jc.Pacing(attempts=3))

    assert caught.value.attempts == 1


def test_a_wrong_key_is_refused(server: str) -> None:
    with pytest.raises(AuthenticationError):
        ask(server, jc.JudgeRequest("x"), api_key="another-key-altogether")
