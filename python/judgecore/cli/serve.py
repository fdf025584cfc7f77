"""``judgecore serve``: a judge on the loopback address that is no model."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from pathlib import Path

import click

from judgecore.replacement import missing_folder_problem
from judgecore.server import FAULTS, JudgeServer
from judgecore.terminal import escape_controls

EPILOG = """\b
Examples:
  judgecore serve --port 8000
  judgecore serve --fault rate_limit.int=0.1 --fault reset_mid_body=0.05
  OPENAI_BASE_URL=http://127.0.0.1:8000/v1 OPENAI_API_KEY=any python run.py
"""


def take_faults(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> dict[str, float]:
    """Read faults with their rates.

    Args:
        values: Each a name, with ``=`` and a rate from 0 to 1 where not all requests are to meet it.

    Returns:
        The rates by name.

    Raises:
        click.BadParameter: If a rate is no number.
    """
    rates: dict[str, float] = {}
    for value in values:
        name, _, rate = value.partition("=")
        try:
            rates[name] = float(rate) if rate else 1.0
        except ValueError:
            raise click.BadParameter(f"{escape_controls(value)!r}: write NAME=RATE, as in reset=0.05") from None
    return rates


def show_faults(ctx: click.Context, _param: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's signature
    """List the faults, and leave."""
    if value:
        click.echo("\n".join(FAULTS))
        ctx.exit()


@click.command("serve", epilog=EPILOG)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Where to listen; any free port if it is not given, or 0."
)
@click.option("--seed", default=0, show_default=True, help="What answers and faults are drawn by.")
@click.option("--api-key", help="The key that requests must have; any, or none, if it is not given.")
@click.option("--delay-ms", default=0.0, show_default=True, help="How long an answer takes at least.")
@click.option("--count", type=click.Path(dir_okay=False, path_type=Path), help="An SQLite file that counts requests.")
@click.option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    metavar="NAME",
    help="A name that requests may be addressed to, beside 127.0.0.1 and localhost; as of a container's host.",
)
@click.option(
    "--fault", "faults", multiple=True, metavar="NAME[=RATE]", callback=take_faults, help="A fault, and how often."
)
@click.option(
    "--list-faults",
    "is_listing",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_faults,
    help="List the faults.",
)
def serve_command(
    *,
    port: int,
    seed: int,
    api_key: str | None,
    delay_ms: float,
    count: Path | None,
    allow_hosts: tuple[str, ...],
    faults: dict[str, float],
) -> None:
    """Answer judge prompts on the loopback address, by counting words and no model.

    It speaks OpenAI's chat completions, Azure's path to them, and Anthropic's messages. It answers in the form that the
    prompt or the schema asks for; a request whose model is a guard, or the id of a format, is answered in that format.
    The address is printed, then it serves until it is interrupted. Every reply names judgecore-serve-is-no-model as its
    model.
    """
    try:
        server = JudgeServer(
            port=port,
            seed=seed,
            faults=faults,
            delay_s=delay_ms / 1000,
            api_key=api_key,
            count=count,
            allow_hosts=allow_hosts,
        )
    except ValueError as problem:
        raise click.BadParameter(escape_controls(str(problem)), param_hint="--fault") from None
    try:
        asyncio.run(_serve(server))
    except sqlite3.Error as problem:
        why = missing_folder_problem(count or Path()) or str(problem)
        raise click.BadParameter(escape_controls(f"can't count in {count}: {why}"), param_hint="--count") from None
    except OSError as problem:
        raise click.BadParameter(f"can't listen: {problem.strerror}", param_hint="--port") from None


async def _serve(server: JudgeServer) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with server:
        click.echo(f"listening on {server.url}")
        await stopped.wait()
