"""Any JSON value in any field that a batch API sends: an error of a target at most, and a ledger that goes on."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from targets.hostile_values import COMPLETION, HOLE, MESSAGE, VALUES, WHOLE, with_holes

import judgecore as jc
from judgecore.errors import PendingReplyError, TargetError
from judgecore.targets import BatchPolicy, BatchRun
from judgecore.targets.exchange import Answered

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

NAMES = ("null", "true", "minus", "10^30", "1e999", "NaN", "words", "surrogate", "list", "list of everything", "object")
SMALL = [*(VALUES[name] for name in NAMES), "[" * 5_000 + "]" * 5_000]
CREATED = datetime.now(UTC)
OPENAI: dict[str, Any] = {
    "id": "batch_1",
    "status": "completed",
    "created_at": time.time(),
    "metadata": {"judgecore_submission": "x"},
    "request_counts": {"total": 2, "completed": 2, "failed": 0},
    "output_file_id": "file-2",
    "error_file_id": None,
    "errors": {"data": [{"code": "x", "message": "y", "line": 1}]},
}
ANTHROPIC: dict[str, Any] = {
    "id": "msgbatch_1",
    "type": "message_batch",
    "processing_status": "ended",
    "created_at": CREATED.isoformat(),
    "request_counts": {"processing": 0, "succeeded": 2, "errored": 0, "canceled": 0, "expired": 0},
    "results_url": "https://example.org/results",
}
ERROR = {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}
# By provider: what a batch is described as, and lines of its results.
PROVIDERS: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "OpenAITarget": (
        OPENAI,
        [
            {"custom_id": "?", "response": {"status_code": 200, "body": COMPLETION}, "error": None},
            {"custom_id": "?", "response": {"status_code": 500, "body": {}}, "error": {"code": "x", "message": "y"}},
        ],
    ),
    "AnthropicTarget": (
        ANTHROPIC,
        [
            {"custom_id": "?", "result": {"type": "succeeded", "message": MESSAGE}},
            {"custom_id": "?", "result": {"type": "errored", "error": ERROR}},
        ],
    ),
}


def filled(value: Any) -> Iterator[bytes]:
    for shape in with_holes(value):
        spelled = json.dumps(shape)
        yield from (spelled.replace(f'"{HOLE}"', one).encode("utf-8", "surrogatepass") for one in SMALL)


def scripted(kind: str, described: bytes, line: bytes | None, *, is_confirmed: bool) -> Any:
    """A target whose batch API sends these bytes."""

    class Scripted(getattr(jc, kind)):
        ids: list[str]

        async def call(
            self,
            method: str,
            path: str,
            body: bytes = b"",
            *,
            media_type: str = "",
            may_repeat: bool = True,
            take: Callable[[bytes], Awaitable[bool]] | None = None,
        ) -> Answered:
            del media_type, may_repeat
            if method == "POST" and b"custom_id" in body:
                self.ids = [part.split(b'"')[0].decode() for part in body.split(b'"custom_id":"')[1:]]
            if method == "POST" and path.endswith("/batches") and not is_confirmed:
                raise jc.errors.ConnectionLostError("lost")
            if take is not None:
                for custom_id in self.ids if line is not None else ():
                    await take((line or b"").replace(b'"?"', json.dumps(custom_id).encode()))
                return Answered(200, {}, b"")
            if "?limit" in path:
                return Answered(200, {}, b'{"data": [%s], "has_more": false}' % described)
            return Answered(200, {}, described)

    return Scripted(
        "m", base_url="http://127.0.0.1:9", api_key="k", batch=BatchPolicy(confirm_within_s=0.0, attempts=1)
    )


async def settle(target: Any) -> list[str]:
    """Submit two questions and collect once; return the states of the batches."""
    with jc.Ledger(":memory:") as ledger:
        for question in ("a", "b"):
            with pytest.raises(PendingReplyError):
                await ledger.send(target, jc.JudgeRequest(question))
        run = BatchRun(ledger)
        for step in (run.submit, run.collect, run.collect):
            with suppress(TargetError):
                await step()
        return [one.state for one in ledger.batches()]


@pytest.mark.parametrize("kind", PROVIDERS)
class TestHostileBatches:
    @pytest.mark.parametrize("is_confirmed", [True, False])
    def test_any_value_in_a_description(self, kind: str, *, is_confirmed: bool) -> None:
        described, lines = PROVIDERS[kind]
        line = json.dumps(lines[0]).encode()

        async def run() -> None:
            for sent in [*filled(described), *WHOLE[:-2]]:
                states = await settle(scripted(kind, sent, line, is_confirmed=is_confirmed))
                assert len(states) == 1, sent

        asyncio.run(run())

    def test_any_value_in_a_result(self, kind: str) -> None:
        described, lines = PROVIDERS[kind]

        async def run() -> None:
            for sent in [*(one for line in lines for one in filled(line)), *WHOLE[:-2]]:
                target = scripted(kind, json.dumps(described).encode(), sent, is_confirmed=True)
                assert await settle(target) in (["collected"], ["failed"]), sent

        asyncio.run(run())
