"""The options of the commands that ask a judge, with its prices and batches."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judgecore.cli.arguments import allow_unread_option, registry_option
from judgecore.errors import ConfigurationError
from judgecore.targets import BatchPolicy, Budget, Endpoint, PriceTable, TokenPrices, model_name
from judgecore.terminal import count_noun, escape_controls

if TYPE_CHECKING:
    from collections.abc import Callable

    from judgecore.targets import BatchTally, Target


_PRICE_CURE = "give --input-price and --output-price, or a --prices FILE that has the model"


def budget_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of prices and budgets; the command takes ``prices`` and ``budget``, each may be None."""

    @click.option(
        "--max-cost",
        type=float,
        metavar="X",
        help="Ask no more once X is spent, what --ledger has spent in earlier runs included. Needs prices.",
    )
    @click.option(
        "--max-tokens",
        type=click.IntRange(min=1),
        metavar="N",
        help="Ask no more once N tokens are spent, those of requests and replies together. (The limit of one reply is "
        "max_tokens in the scorer's file.)",
    )
    @click.option(
        "--prices",
        "price_file",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="The prices by model: a TOML, JSON or CSV file with date, source, currency and models.",
    )
    @click.option(
        "--input-price", type=click.FloatRange(min=0), metavar="X", help="The price of a million input tokens."
    )
    @click.option(
        "--output-price", type=click.FloatRange(min=0), metavar="X", help="The price of a million output tokens."
    )
    @click.option(
        "--currency", metavar="CODE", help="The currency of the amounts.  [default: that of --prices, if any]"
    )
    @wraps(command)
    def budgeted(
        *,
        max_cost: float | None,
        max_tokens: int | None,
        price_file: Path | None,
        input_price: float | None,
        output_price: float | None,
        currency: str | None,
        **options: Any,
    ) -> int:
        prices = take_prices(price_file, input_price, output_price, currency)
        return command(**options, prices=prices, budget=take_budget(max_cost, max_tokens, prices))

    return budgeted


def take_budget(max_cost: float | None, max_tokens: int | None, prices: PriceTable | None) -> Budget | None:
    """Return the budget that the options give; None if they give none."""
    if max_cost is None and max_tokens is None:
        return None
    if max_cost is not None and prices is None:
        raise click.UsageError(f"--max-cost needs prices: {_PRICE_CURE}")
    try:
        return Budget(max_cost=max_cost, max_tokens=max_tokens, prices=prices)
    except ValueError as problem:
        raise click.UsageError(re.sub(r"max_(cost|tokens)", r"--max-\1", str(problem))) from None


def check_budget(budget: Budget | None, target: Target) -> None:
    """Check, before anything is sent, that the cost of a target's tokens can be limited."""
    if budget is not None:
        is_batch = isinstance(target, Endpoint) and target.batch is not None
        try:
            budget.check(model_name(target.get_identifier()), is_batch=is_batch)
        except ConfigurationError as problem:
            cure = "" if budget.prices and budget.prices.name else f"; {_PRICE_CURE}"
            raise click.UsageError(f"--max-cost: {problem}{cure}") from None


def take_prices(
    file: Path | None, input_price: float | None, output_price: float | None, currency: str | None
) -> PriceTable | None:
    """Return the prices that the options give; None if they give none. A price that was not given is unknown."""
    if currency is not None and not currency.isprintable():
        raise click.UsageError(f"--currency must be printable, such as USD; not {currency!r:.40}")
    if file is not None:
        if input_price is not None or output_price is not None:
            raise click.UsageError("--prices has the prices of all models; leave out --input-price and --output-price")
        try:
            table = PriceTable.from_file(file)
        except ConfigurationError as problem:
            raise click.UsageError(f"--prices: {problem}") from None
        if currency is not None and not table.currency:
            return replace(table, currency=currency.upper())
        if currency is not None and currency.upper() != table.currency:
            raise click.UsageError(f"--currency {currency}: the prices in {file} are in {table.currency}")
        return table
    if input_price is None and output_price is None:
        return None
    # Batches cost half, as providers announce and the help of --batch says.
    try:
        prices = TokenPrices(
            input_per_million=input_price,
            output_per_million=output_price,
            batch_input_per_million=None if input_price is None else input_price / 2,
            batch_output_per_million=None if output_price is None else output_price / 2,
        )
    except ValueError as problem:
        said = re.sub(r"(input|output)_per_million", r"--\1-price", str(problem))
        raise click.UsageError(said) from None
    return PriceTable(any_model=prices, currency=(currency or "").upper())


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


def use_batches(target: Target) -> None:
    """Let a target send its requests in batches, if it is an endpoint without a policy of its own."""
    if isinstance(target, Endpoint) and target.batch is None:
        target.batches()
        target.batch = BatchPolicy()


def describe_batches(tally: BatchTally) -> str:
    """Return the progress of batches in a few words."""
    held = f", {tally.held:,} wait for room" if tally.held else ""
    trouble = f"; {escape_controls(tally.trouble)}" if tally.trouble else ""
    batches = count_noun(tally.batches, "batch", "batches")
    return f"{count_noun(tally.pending, 'request')} in {batches}, {tally.collected:,} collected{held}{trouble}"


def pending_hint(ledger: Path | None) -> str:
    """Return what to type while batches are pending."""
    file = escape_controls(shlex.quote(str(ledger)))
    return f"run the same command again later, or `judgecore ledger collect {file}`; --wait waits for the replies"
