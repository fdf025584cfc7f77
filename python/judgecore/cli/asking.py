"""The options of the commands that ask a judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from judgecore.cli.arguments import allow_unread_option, registry_option
from judgecore.cli.batches import use_batches
from judgecore.cli.prices import budget_options, check_budget

if TYPE_CHECKING:
    from collections.abc import Callable

    from judgecore.targets import Budget, Target

_OPTIONS = (
    click.option(
        "--ledger",
        metavar="RUN.DB",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Store every reply in this file, so that an interrupted run can be resumed and a repeated one costs "
        "nothing.",
    ),
    click.option(
        "--batch",
        "is_batch",
        is_flag=True,
        help="Send the requests through the batch API of OpenAI or Anthropic: half the price, replies within 24 "
        "hours. Needs --ledger.",
    ),
    click.option("--wait", "is_waiting", is_flag=True, help="With --batch: wait for the replies."),
    click.option(
        "--concurrency",
        type=click.IntRange(min=1),
        default=32,
        show_default=True,
        help="How many rows are scored at once.",
    ),
    click.option("--dry-run", is_flag=True, help="Count the requests without sending them."),
    click.option("--show-prompt", is_flag=True, help="Show the first prompt without sending it."),
    click.option(
        "--no-preflight",
        "has_preflight",
        is_flag=True,
        flag_value=False,
        default=True,
        help="Neither fill all prompts before the first request, nor stop if the first reply can't be read.",
    ),
    budget_options,
    registry_option,
    click.option("--allow-outside", is_flag=True, help="Read files outside the folder of the file that names them."),
    allow_unread_option("0", "rows are undetermined"),
)


def asking_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of ledger, batches, checks, prices, budgets and registry, which the help describes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def prepare_judge(target: Target, budget: Budget | None, *, is_batch: bool) -> None:
    """Let a judge send in batches, and check that its cost can be limited, before anything is sent."""
    if is_batch:
        use_batches(target)
    check_budget(budget, target)


def check_batch(ledger: Path | None, file: object, *, is_batch: bool, is_waiting: bool) -> None:
    """Check that the options of batches fit the others."""
    if is_waiting and not is_batch:
        raise click.UsageError("--wait is for --batch")
    if is_batch and ledger is None:
        raise click.UsageError("--batch needs --ledger, which keeps the batches until their replies are collected")
    if is_batch and str(file) == "-":
        raise click.UsageError("--batch reads FILE several times; name a file, not standard input")
