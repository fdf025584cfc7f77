"""``judgecore serve``: run a judge server without a model on the loopback address."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from pathlib import Path

import click

from judgecore.replacement import missing_folder_problem
from judgecore.server import BATCH_FAULTS, FAULTS, JudgeServer
from judgecore.terminal import escape_controls

EPILOG = """\b
Examples:
  judgecore serve --port 8000
  judgecore serve --fault rate_limit.int=0.1 --fault reset_mid_body=0.05
  OPENAI_BASE_URL=http://127.0.0.1:8000/v1 OPENAI_API_KEY=any python run.py
"""


def take_faults(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> dict[str, float]:
    """Parse faults with their rates, such as ``reset=0.05``; a name alone has rate 1."""
    rates: dict[str, float] = {}
    for value in values:
        name, _, rate = value.partition("=")
        try:
            rates[name] = float(rate) if rate else 1.0
        except ValueError:
            raise click.BadParameter(f"{escape_controls(value)!r}: write NAME=RATE, as in reset=0.05") from None
    return rates


def show_faults(ctx: click.Context, _param: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's signature
    """Print the names of the faults, and exit."""
    if value:
        click.echo("\n".join((*FAULTS, *BATCH_FAULTS)))
        ctx.exit()


@click.command("serve", epilog=EPILOG)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port to listen on.  [default: any free port]"
)
@click.option("--seed", default=0, show_default=True, help="The seed of answers and faults.")
@click.option("--api-key", help="The API key that requests must have.  [default: not checked]")
@click.option("--delay-ms", default=0.0, show_default=True, help="The minimum time of an answer, in milliseconds.")
@click.option(
    "--capacity",
    type=click.IntRange(min=1),
    help="Work on at most this many requests at once, each for --delay-ms; the others wait.",
)
@click.option(
    "--count", type=click.Path(dir_okay=False, path_type=Path), help="Record each request in this SQLite file."
)
@click.option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    metavar="NAME",
    help="Another host name that requests may be addressed to, such as a container's. Repeatable.",
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="NAME[=RATE]",
    callback=take_faults,
    help="Inject a fault into this share of requests, 1 by default. Repeatable.",
)
@click.option(
    "--list-faults",
    "is_listing",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_faults,
    help="List the faults and exit.",
)
def serve_command(
    *,
    port: int,
    seed: int,
    api_key: str | None,
    delay_ms: float,
    capacity: int | None,
    count: Path | None,
    allow_hosts: tuple[str, ...],
    faults: dict[str, float],
) -> None:
    """Run a judge server on the loopback address that answers by counting words, without a model.

    It implements OpenAI's chat completions, Azure's path to them, Anthropic's messages, and the batches of OpenAI and
    Anthropic. It answers in the format that the prompt or the schema asks for; if the request's model is a guard or the
    id of a format, in that format. It prints its URL and runs until interrupted. Every reply names
    judgecore-serve-is-no-model as its model.
    """
    try:
        server = JudgeServer(
            port=port,
            seed=seed,
            faults=faults,
            delay_s=delay_ms / 1000,
            capacity=capacity,
            api_key=api_key,
            count=count,
            allow_hosts=allow_hosts,
        )
    except ValueError as problem:
        raise click.BadParameter(str(problem), param_hint="--fault") from None
    try:
        asyncio.run(_serve(server))
    except sqlite3.Error as problem:
        why = missing_folder_problem(count or Path()) or str(problem)
        raise click.BadParameter(f"can't write {count}: {why}", param_hint="--count") from None
    except OSError as problem:
        raise click.BadParameter(f"can't listen: {problem.strerror}", param_hint="--port") from None


async def _serve(server: JudgeServer) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with server:
        click.echo(f"listening on {server.url}")
        await stopped.wait()
