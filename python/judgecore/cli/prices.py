"""The price options of commands that ask a judge."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from judgecore.evaluation import TokenPrices

if TYPE_CHECKING:
    from collections.abc import Callable


def price_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options ``--input-price`` and ``--output-price``; the command takes them as ``prices``.

    Args:
        command: Takes ``prices``: ``TokenPrices``, with 0 for an option that was not given, or None if neither was.
    """

    @click.option(
        "--input-price", type=click.FloatRange(min=0), metavar="X", help="The price of a million input tokens."
    )
    @click.option(
        "--output-price", type=click.FloatRange(min=0), metavar="X", help="The price of a million output tokens."
    )
    @wraps(command)
    def priced(*, input_price: float | None, output_price: float | None, **options: Any) -> int:
        prices = None
        if input_price is not None or output_price is not None:
            prices = TokenPrices(input_per_million=input_price or 0.0, output_per_million=output_price or 0.0)
        return command(**options, prices=prices)

    return priced
