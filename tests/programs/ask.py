"""A run that is killed, stopped and started again by tests: ``ask.py URL LEDGER ITEMS CONCURRENCY``.

It prints the SHA-256 of all replies, and leaves with status 130 when it was stopped.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys

import judgecore as jc
from judgecore.cli.interruption import run_interruptible


def requests(items: int) -> list[jc.JudgeRequest]:
    """Questions of which no two are alike, with answers that differ."""
    return [
        jc.JudgeRequest(
            f"Question: what is {number} plus {number % 7}?\nResponse: plus it is {'what ' * (number % 5)}.\n"
            "Is the response right? Answer with a score from 1 to 10, as in: Score: 5"
        )
        for number in range(items)
    ]


async def ask(url: str, path: str, items: int, concurrency: int) -> str:
    """Ask all, and say what came."""
    async with jc.OpenAITarget("m", base_url=url, api_key="canary") as target:
        with jc.Ledger(path) as ledger:
            replies = await jc.send_many(target, requests(items), ledger=ledger, concurrency=concurrency)
            said = hashlib.sha256()
            for reply in replies:
                if not isinstance(reply, jc.JudgeReply):
                    raise reply
                said.update((reply.text or "").encode())
            await asyncio.sleep(0)
            return said.hexdigest()


if __name__ == "__main__":
    try:
        print(run_interruptible(ask(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
    except KeyboardInterrupt:
        sys.exit(130)
