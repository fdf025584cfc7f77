"""Score responses through a ledger, and print the memory in kB at eight times.

``many_requests.py LEDGER REQUESTS [URL]`` asks the endpoint at the URL, or a judge in the same process.
"""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import judgecore as jc
from judgecore.scorers import Response

if TYPE_CHECKING:
    from collections.abc import Iterator


def memory_kb() -> int:
    """The resident memory of this process."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


class Judge:
    """Answers as many requests at once as chance has it, so that the ledger commits any number of rows."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []
        self._chance = random.Random(0)  # noqa: S311 - it keeps no secret

    async def answer(self, request: jc.JudgeRequest) -> str:
        del request
        answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(answered)
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_later(0.002, self._answer_some)
        await answered
        return '{"score_value": true, "rationale": "Because it is.", "description": "", "metadata": ""}'

    def _answer_some(self) -> None:
        n = self._chance.randint(1, len(self._waiting))
        for answered in self._waiting[:n]:
            answered.set_result(None)
        del self._waiting[:n]
        if self._waiting:
            asyncio.get_running_loop().call_later(0.002, self._answer_some)


async def main(path: str, n: int, url: str | None = None) -> None:
    def responses() -> Iterator[Response]:
        for number in range(n):
            yield Response(text=f"This is answer {number}. " + "It has some words more. " * 10)

    judge: jc.targets.Target
    if url is None:
        judge = jc.CallableTarget(Judge().answer, name="a_judge")
    else:
        judge = jc.OpenAITarget("m", base_url=url, api_key="k")
    scorer = jc.scorers.SelfAskTrueFalseScorer(chat_target=judge)
    done = 0
    with jc.Ledger(path) as ledger, jc.targets.keep_replies(ledger):
        async for _ in scorer.score_stream(responses(), concurrency=256):
            done += 1
            if done % (n // 8) == 0:
                print(memory_kb(), flush=True)


asyncio.run(main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:]))
