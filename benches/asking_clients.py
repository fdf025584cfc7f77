"""Run one client: ``asking_clients.py CLIENT URL IN_FLIGHT CALLS`` prints calls per second and CPU per call.

Other clients run in their own environment, so judgecore is only imported for its own client.
"""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import sys
import tempfile
import time
from contextlib import aclosing, suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

KEY = "any-key-of-thirty-characters-x"
PROMPT = "Rate the response. " + "x" * 500
CONTENT = "Rating: [[8]]"
TIMEOUT_S = 60
# Clients that search all connections for each call would take an hour for thousands in flight.
LIMIT_S = 45
# Enough calls to load modules, compile statements and fill the interpreter's caches.
WARM_UP = 32
# Fewer full collections of garbage for all clients, as docs/asking.md advises for thousands in flight.
COLLECTIONS = (700, 10, 50)
# As many for each one in flight let judgecore's pacing settle.
ROUNDS_TO_SETTLE = 4


def prompt(number: int) -> str:
    """Return a unique prompt."""
    return f"{number}: {PROMPT}"


def body(number: int) -> dict[str, Any]:
    """Return the request body that every client sends."""
    return {"model": "m", "messages": [{"role": "user", "content": prompt(number)}]}


async def ask_all(ask: Callable[[int], Awaitable[str]], in_flight: int, calls: int) -> int:
    """Send a number of requests, with limits on concurrency and time; return how many were answered."""
    numbers = iter(range(calls))
    answered = 0

    async def work() -> None:
        nonlocal answered
        for number in numbers:
            assert await ask(number) == CONTENT
            answered += 1

    with suppress(TimeoutError):
        async with asyncio.timeout(LIMIT_S):
            await asyncio.gather(*(work() for _ in range(in_flight)))
    return answered


async def timed(
    run: Callable[[int], Awaitable[int]], in_flight: int, calls: int, *, rounds: int = 1
) -> dict[str, float]:
    """Warm up with some rounds of calls, then measure."""
    gc.set_threshold(*COLLECTIONS)
    await run(max(rounds * in_flight, WARM_UP))
    gc.collect()
    cpu, began = time.process_time(), time.perf_counter()
    calls = await run(calls)
    seconds, used = time.perf_counter() - began, time.process_time() - cpu
    # In KiB on Linux.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"rate": calls / seconds, "cpu_ms": used / max(calls, 1) * 1e3, "peak_mb": peak * 1.048576}


async def judgecore(url: str, in_flight: int, calls: int) -> dict[str, float]:
    """Run judgecore with target, pacing, ledger in a file, and reading."""
    import judgecore as jc

    runs = 0
    with tempfile.TemporaryDirectory() as folder, jc.Ledger(Path(folder) / "run.ledger") as ledger:
        pacing = jc.Pacing(concurrency=in_flight)
        async with jc.OpenAITarget("m", base_url=url, api_key=KEY, pacing=pacing) as target:

            async def run(calls: int) -> int:
                nonlocal runs
                runs += 1
                requests = (jc.JudgeRequest(prompt(number), trial=runs) for number in range(calls))
                replies = await jc.send_many(target, requests, ledger=ledger, concurrency=in_flight)
                for reply in replies:
                    assert isinstance(reply, jc.JudgeReply), reply
                    assert reply.read("mt_bench.single").unwrap() == 8
                return len(replies)

            return await timed(run, in_flight, calls, rounds=ROUNDS_TO_SETTLE)


async def transport(url: str, in_flight: int, calls: int) -> dict[str, float]:
    """Run only judgecore's connections, with the same timeouts as the others: bytes out, bytes in."""
    from judgecore.targets.transport import Address, ConnectionPool

    async with aclosing(ConnectionPool(connect_timeout_s=TIMEOUT_S, read_timeout_s=TIMEOUT_S)) as pool:
        address = Address.parse(f"{url}/chat/completions")
        headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}

        async def ask(number: int) -> str:
            response = await pool.send("POST", address, headers, json.dumps(body(number)).encode())
            raw = b"".join([piece async for piece in response.pieces()])
            await response.aclose()
            return json.loads(raw)["choices"][0]["message"]["content"]

        return await timed(lambda calls: ask_all(ask, in_flight, calls), in_flight, calls)


async def bare_httpx(url: str, in_flight: int, calls: int) -> dict[str, float]:
    """Run an httpx client whose pool fits all requests in flight."""
    import httpx

    limits = httpx.Limits(max_connections=in_flight, max_keepalive_connections=in_flight)
    async with httpx.AsyncClient(
        limits=limits, timeout=TIMEOUT_S, headers={"authorization": f"Bearer {KEY}"}
    ) as client:

        async def ask(number: int) -> str:
            response = await client.post(f"{url}/chat/completions", json=body(number))
            return response.json()["choices"][0]["message"]["content"]

        return await timed(lambda calls: ask_all(ask, in_flight, calls), in_flight, calls)


async def openai_sdk(url: str, in_flight: int, calls: int) -> dict[str, Any]:
    """Run OpenAI's SDK, which uses httpx up to version 2 and httpx2 from version 3."""
    import openai

    async with openai.AsyncOpenAI(api_key=KEY, base_url=url, max_retries=0, timeout=TIMEOUT_S) as client:

        async def ask(number: int) -> str:
            completion = await client.chat.completions.create(**body(number))
            return completion.choices[0].message.content or ""

        found = await timed(lambda calls: ask_all(ask, in_flight, calls), in_flight, calls)
        kinds = type(client._client).__mro__  # noqa: SLF001 - it is told nowhere else
        (over,) = {kind.__module__.partition(".")[0] for kind in kinds if kind.__name__ == "AsyncClient"}
        return {**found, "over": over}


async def litellm(url: str, in_flight: int, calls: int) -> dict[str, float]:
    """Run litellm's completion."""
    import litellm as peer

    async def ask(number: int) -> str:
        asked = body(number)
        asked["model"] = "openai/m"
        completion = await peer.acompletion(**asked, api_base=url, api_key=KEY, num_retries=0)
        return completion.choices[0].message.content

    return await timed(lambda calls: ask_all(ask, in_flight, calls), in_flight, calls)


CLIENTS = {
    "judgecore": judgecore,
    "transport": transport,
    "httpx": bare_httpx,
    "openai_httpx2": openai_sdk,
    "openai_httpx": openai_sdk,
    "litellm": litellm,
}
# Labels of the measurements.
PACKAGES = {"transport": "judgecore", "openai_httpx2": "openai", "openai_httpx": "openai"}

if __name__ == "__main__":
    name, address, at_once, times = sys.argv[1:]
    package = PACKAGES.get(name, name)
    found = asyncio.run(CLIENTS[name](address, int(at_once), int(times)))
    print(json.dumps({**found, "version": f"{package} {version(package)}"}))
