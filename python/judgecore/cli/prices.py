"""The options of commands that ask a judge: what its tokens cost."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from judgecore.evaluation import TokenPrices

if TYPE_CHECKING:
    from collections.abc import Callable


def price_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options ``--input-price`` and ``--output-price``, which reach it as ``prices``.

    Args:
        command: Takes ``prices``: ``TokenPrices``, of which one that was not named is 0, or None where neither was.
    """

    @click.option("--input-price", type=click.FloatRange(min=0), metavar="X", help="What a million tokens sent cost.")
    @click.option(
        "--output-price", type=click.FloatRange(min=0), metavar="X", help="What a million tokens received cost."
    )
    @wraps(command)
    def priced(*, input_price: float | None, output_price: float | None, **options: Any) -> int:
        prices = None
        if input_price is not None or output_price is not None:
            prices = TokenPrices(input_per_million=input_price or 0.0, output_per_million=output_price or 0.0)
        return command(**options, prices=prices)

    return priced
