"""What commands that send requests in batches share: options, progress and what to type next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, TypeVar

import click

from judgecore.targets import BatchPolicy, Endpoint
from judgecore.terminal import count_noun, escape_controls

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from judgecore.targets import BatchTally, Target

_Command = TypeVar("_Command", bound="Callable[..., object]")

PENDING = 4
"""The exit status if batches are pending."""


def batch_options(command: _Command) -> _Command:
    """Add ``--batch`` and ``--wait``."""
    for option in (
        click.option("--wait", "is_waiting", is_flag=True, help="With --batch: wait for the replies."),
        click.option(
            "--batch",
            "is_batch",
            is_flag=True,
            help="Send the requests through the batch API of OpenAI or Anthropic: half the price, replies within 24 "
            "hours. Needs --ledger.",
        ),
    ):
        command = option(command)
    return command


def check_batch(ledger: Path | None, *, is_batch: bool, is_waiting: bool) -> None:
    """Check that the options of batches fit the others."""
    if is_waiting and not is_batch:
        raise click.UsageError("--wait is for --batch")
    if is_batch and ledger is None:
        raise click.UsageError("--batch needs --ledger, which keeps the batches until their replies are collected")


def use_batches(target: Target) -> None:
    """Let a target send its requests in batches, if it is an endpoint without a policy of its own."""
    if isinstance(target, Endpoint) and target.batch is None:
        target.batches()
        target.batch = BatchPolicy()


def describe_batches(tally: BatchTally) -> str:
    """Return the progress of batches in a few words."""
    held = f", {tally.held:,} wait for room" if tally.held else ""
    batches = count_noun(tally.batches, "batch", "batches")
    return f"{count_noun(tally.pending, 'request')} in {batches}, {tally.collected:,} collected{held}"


def pending_hint(ledger: Path | None) -> str:
    """Return what to type while batches are pending."""
    file = escape_controls(shlex.quote(str(ledger)))
    return f"run the same command again later, or `judgecore ledger collect {file}`; --wait waits for the replies"
