"""The price options of commands that ask a judge."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judgecore.errors import ConfigurationError
from judgecore.targets import PriceTable, TokenPrices
from judgecore.terminal import escape_controls

if TYPE_CHECKING:
    from collections.abc import Callable


def price_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add ``--prices``, ``--input-price``, ``--output-price`` and ``--currency``; the command takes them as ``prices``.

    Args:
        command: Takes ``prices``: a ``PriceTable``, or None if no price was given.
    """

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
    def priced(
        *,
        price_file: Path | None,
        input_price: float | None,
        output_price: float | None,
        currency: str | None,
        **options: Any,
    ) -> int:
        prices = take_prices(price_file, input_price, output_price, currency)
        return command(**options, prices=prices)

    return priced


def take_prices(
    file: Path | None, input_price: float | None, output_price: float | None, currency: str | None
) -> PriceTable | None:
    """Return the prices that the options give; None if they give none.

    Args:
        file: ``--prices``.
        input_price: ``--input-price``; 0 if only the other was given.
        output_price: ``--output-price``; likewise.
        currency: ``--currency``.

    Raises:
        click.UsageError: If they contradict each other, or the file is invalid.
    """
    if file is not None:
        if input_price is not None or output_price is not None:
            raise click.UsageError("--prices has the prices of all models; leave out --input-price and --output-price")
        try:
            table = PriceTable.from_file(file)
        except ConfigurationError as problem:
            raise click.UsageError(f"--prices: {escape_controls(str(problem))}") from None
        if currency is not None and not table.currency:
            return replace(table, currency=currency.upper())
        if currency is not None and currency.upper() != table.currency:
            raise click.UsageError(f"--currency {currency}: the prices in {file} are in {table.currency}")
        return table
    if input_price is None and output_price is None:
        return None
    received, sent = output_price or 0.0, input_price or 0.0
    # Batches cost half, as providers announce and the help of --batch says.
    prices = TokenPrices(
        input_per_million=sent,
        output_per_million=received,
        batch_input_per_million=sent / 2,
        batch_output_per_million=received / 2,
    )
    return PriceTable(any_model=prices, currency=(currency or "").upper())
