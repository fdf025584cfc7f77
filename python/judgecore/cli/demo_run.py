"""The run of the demonstration: two hundred prompts to a judge over HTTP, killed once and gone on with.

As a program, ``python -m judgecore.cli.demo_run URL LEDGER``, it is what is killed.
"""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from judgecore.reading import Reading
from judgecore.targets import JudgeRequest, Ledger, LedgerReader, OpenAITarget, send_many

if TYPE_CHECKING:
    from collections.abc import Generator

    from rich.console import Console

PROMPTS = 200
CONCURRENCY = 16
KILLED_AT = 110
DELAY_MS = 20
FORMAT = "mt_bench.single"
PATIENCE_S = 60.0

HEADING = "A run that is killed: two hundred prompts to `judgecore serve` over HTTP, kill -9 half-way, and on again"

TOPICS = ("tides", "yeast", "glass", "rust", "echoes")


@dataclass(frozen=True)
class Outcome:
    """What became of the run.

    Attributes:
        kept: How many replies the ledger held when the run was killed.
        in_flight: How many requests were sent and not answered then.
        seen: How many requests the judge saw in all.
        twice: How many of them it saw twice.
        received: How many replies the ledger holds in the end.
        read: How many of them have a verdict.
    """

    kept: int
    in_flight: int
    seen: int
    twice: int
    received: int
    read: int


def prompts() -> list[JudgeRequest]:
    """Write the prompts.

    Returns:
        Two hundred, no two alike.
    """
    return [
        JudgeRequest(
            f"[Question]\nHow do {TOPICS[number % 5]} come about? ({number})\n\n[The Start of Assistant's Answer]\n"
            f"{'They come about as ' + TOPICS[number % 3] + ' do. ' * (number % 4)}\n[The End of Assistant's Answer]\n"
            'Rate it on a scale of 1 to 10, strictly in this format: "[[rating]]", for example: "Rating: [[5]]".'
        )
        for number in range(PROMPTS)
    ]


def run_and_kill() -> Outcome:
    """Start a judge and a run, kill the run half-way, and go on with it.

    Returns:
        What became of it.

    Raises:
        click.ClickException: If the judge or the run does not start, or takes far too long.
    """
    with tempfile.TemporaryDirectory(prefix="judgecore-demo-") as folder:
        count, ledger = Path(folder) / "count.sqlite", Path(folder) / "run.ledger"
        with serving(count) as url:
            command = [sys.executable, "-m", "judgecore.cli.demo_run", url, str(ledger)]
            with subprocess.Popen(command) as run:  # noqa: S603 - this very module
                wait_for(count, KILLED_AT, run)
                run.kill()
            with LedgerReader(ledger) as reading:
                killed = reading.counts()
            if subprocess.run(command, check=False).returncode:  # noqa: S603 - this very module
                raise click.ClickException("the run could not go on")
            seen, bodies = seen_by(count)
        with LedgerReader(ledger) as reading:
            replies = [entry.reply() for entry in reading.entries("received")]
        read = sum(isinstance(reply.read(FORMAT), Reading) for reply in replies)
        return Outcome(killed["received"], killed["sent"], seen, seen - bodies, len(replies), read)


@contextmanager
def serving(count: Path) -> Generator[str]:
    """Have a judge serve in a process of its own.

    Args:
        count: Where it counts.

    Yields:
        Its address.

    Raises:
        click.ClickException: If it does not start.
    """
    program = "from judgecore.cli import main; main()"
    options = ["serve", "--count", str(count), "--delay-ms", str(DELAY_MS)]
    with subprocess.Popen([sys.executable, "-c", program, *options], stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - this very package
        said = server.stdout.readline() if server.stdout is not None else ""
        if not said.startswith("listening on "):
            raise click.ClickException("`judgecore serve` did not start; does this machine have a loopback address?")
        try:
            yield said.split()[-1]
        finally:
            server.terminate()


def wait_for(count: Path, requests: int, run: subprocess.Popen[bytes]) -> None:
    """Wait until the judge has seen so many requests.

    Args:
        count: Where it counts.
        requests: How many.
        run: What sends them.

    Raises:
        click.ClickException: If the run ends before, or takes far too long.
    """
    until = time.monotonic() + PATIENCE_S
    while seen_by(count)[0] < requests:
        if run.poll() is not None or time.monotonic() > until:
            run.kill()
            raise click.ClickException("the run did not come half-way")
        time.sleep(0.002)


def seen_by(count: Path) -> tuple[int, int]:
    """Count what a judge has seen.

    Args:
        count: Where it counts.

    Returns:
        How many requests, and how many that differ.
    """
    with closing(sqlite3.connect(count, timeout=10)) as file:
        seen, bodies = file.execute("SELECT count(*), count(DISTINCT body) FROM request").fetchone()
    return int(seen), int(bodies)


def show_run(console: Console, outcome: Outcome) -> None:
    """Show what became of the run.

    Args:
        console: Where.
        outcome: What became of it.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    table.add_row(f"{outcome.kept}", "replies were in the ledger when the run was killed; none was asked for again")
    table.add_row(f"{outcome.in_flight}", "requests were in flight at that moment")
    table.add_row(
        f"{outcome.twice}", "requests did the judge see twice, all of them among those in flight", style="green"
    )
    table.add_row(f"{outcome.seen}", f"requests did it see in all, for {PROMPTS} prompts")
    table.add_row(
        f"{outcome.received}",
        f"replies are kept, {outcome.read} of them with a verdict; reading them again costs nothing",
    )
    console.print()
    console.print(HEADING, style="bold")
    console.print(table)


async def ask(url: str, path: str) -> None:
    """Send the prompts that have no reply yet.

    Args:
        url: The judge's address.
        path: The ledger.
    """
    async with OpenAITarget("demo", base_url=url, api_key="none-is-needed") as target:
        with Ledger(path) as ledger:
            await send_many(target, prompts(), ledger=ledger, concurrency=CONCURRENCY)


if __name__ == "__main__":
    asyncio.run(ask(*sys.argv[1:]))
