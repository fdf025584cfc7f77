"""Drift is seen: which model answered is kept with each reply, and a change in mid-run is located."""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import TYPE_CHECKING

import pytest

import judgecore as jc
from judgecore.scorers import SelfAskRefusalScorer
from judgecore.targets.reply import ServedModel, describe_served

if TYPE_CHECKING:
    from pathlib import Path

    from targets.conftest import ScriptedServer


@pytest.mark.parametrize(
    ("requested", "model", "is_requested"),
    [
        ("gpt-4o", "gpt-4o", True),
        ("gpt-4o", "gpt-4o-2024-08-06", True),
        ("openai/gpt-4o", "gpt-4o-2024-08-06", True),
        ("Llama-3", "meta/llama-3:latest", True),
        ("gpt-4o", "gpt-4", False),
        ("gpt-4", "gpt-4o", False),
        ("judge", "mistral", False),
    ],
)
def test_a_version_behind_a_name_is_no_other_model(requested: str, model: str, is_requested: bool) -> None:
    assert ServedModel(requested, model).is_requested is is_requested


def body(model: str, fingerprint: object) -> bytes:
    choice = {"message": {"content": '{"score_value": "True", "rationale": "r", "metadata": ""}'}}
    return json.dumps({"model": model, "system_fingerprint": fingerprint, "choices": [choice]}).encode()


@pytest.mark.parametrize(("said", "kept"), [("fp_1", "fp_1"), (None, None), (7, None), ([1], None)])
def test_the_served_model_and_fingerprint_are_kept_with_a_reply(said: object, kept: str | None) -> None:
    reply = jc.OpenAITarget.read(body("m-1", said))

    assert (reply.model, reply.fingerprint) == ("m-1", kept)


def test_a_change_in_mid_run_is_reported_with_its_place_and_so_is_its_replay(
    scripted: ScriptedServer, tmp_path: Path
) -> None:
    numbers = itertools.count()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await scripted.read_request(reader)
            said = body("judge-2024" if next(numbers) < 3 else "judge-2025", "fp")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(said), said))
            await writer.drain()

    async def run(target: jc.OpenAITarget) -> list[str]:
        with jc.Ledger(tmp_path / "run.db") as ledger, jc.targets.keep_replies(ledger) as tally:
            responses = [jc.Response(text=f"Answer {one}.", name=f"r.jsonl, line {one}") for one in range(1, 6)]
            scorer = SelfAskRefusalScorer(chat_target=target)
            async for _ in scorer.score_stream(responses, concurrency=1):
                pass
            return describe_served(tally.served.values())

    async def both() -> list[list[str]]:
        async with scripted(converse) as server, jc.OpenAITarget("judge", base_url=server.url, api_key="k") as target:
            return [await run(target), await run(target)]

    first, replayed = asyncio.run(both())

    assert (
        first
        == replayed
        == [
            (
                "model judge changed during the run: judge-2024 (fp) from r.jsonl, line 1 (3 replies), "
                "judge-2025 (fp) from r.jsonl, line 4 (2 replies)"
            )
        ]
    )


def test_one_model_under_a_resolved_name_is_not_worth_a_line() -> None:
    assert describe_served([ServedModel("gpt-4o", "gpt-4o-2024-08-06", "fp", 9)]) == []
