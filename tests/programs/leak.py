"""All that might show a key, done with one: ``leak.py URL FOLDER``; the key is in the environment."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import pickle
import sys
import traceback
from pathlib import Path

import judgecore as jc


def targets(url: str, key: str | None) -> list[jc.OpenAITarget | jc.AnthropicTarget]:
    """One of each kind, with the key passed or found."""
    root = url.removesuffix("/v1")
    return [
        jc.OpenAITarget("m", base_url=url, api_key=key, pacing=jc.Pacing(attempts=2, backoff_s=0.01)),
        jc.AzureOpenAITarget("dep", endpoint=root, api_key=key, pacing=jc.Pacing(attempts=1)),
        jc.AnthropicTarget("m", base_url=root, api_key=key, pacing=jc.Pacing(attempts=1)),
    ]


async def send_all(url: str, folder: Path, key: str | None) -> None:
    """Send to each, and print whatever comes of it."""
    for number, target in enumerate(targets(url, key)):
        print(target, repr(target), target.get_identifier(), vars(target), file=sys.stderr)
        (folder / f"identity-{number}.json").write_text(json.dumps(target.get_identifier().to_registry()))
        requests = [jc.JudgeRequest(f"{what} {number}") for what in ("echo", "error", "html", "break", "odd header")]
        async with target:
            with jc.Ledger(folder / f"{number}-{key is None}.ledger") as ledger:
                for result in await jc.send_many(target, requests, ledger=ledger):
                    print(repr(result), file=sys.stderr)
                    if isinstance(result, Exception):
                        traceback.print_exception(result)
                        logging.getLogger("judgecore.tests").error("failed", exc_info=result)
                    else:
                        result.read("mt_bench.single")
                lines = "".join(json.dumps(entry.to_json()) + "\n" for entry in ledger.entries())
                (folder / f"{number}-{key is None}.jsonl").write_text(lines)
        for spill in (pickle.dumps, copy.deepcopy, str, json.dumps):
            try:
                (folder / f"{number}-{spill.__name__}.bin").write_bytes(repr(spill(target)).encode())
            except (TypeError, AttributeError):
                traceback.print_exc()


if __name__ == "__main__":
    address, place, canary = sys.argv[1], Path(sys.argv[2]), sys.stdin.readline().strip()
    logging.basicConfig(filename=place / "log.txt", level=logging.DEBUG)
    asyncio.run(send_all(address, place, None), debug=True)
    asyncio.run(send_all(address, place, canary), debug=True)
