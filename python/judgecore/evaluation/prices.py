"""``TokenPrices``: what an endpoint asks for its tokens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class TokenPrices:
    """What an endpoint asks for its tokens.

    Attributes:
        input_per_million: For a million tokens sent.
        output_per_million: For a million tokens received.
        currency: In what money.
        batch_share: The share of these prices that tokens of batches cost.

    Examples:
        >>> TokenPrices(input_per_million=1.0, output_per_million=4.0).cost(500_000, 250_000)
        1.5
    """

    input_per_million: float
    output_per_million: float
    currency: str = "USD"
    batch_share: float = 0.5

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return what tokens cost, in ``currency``.

        Args:
            prompt_tokens: How many were sent.
            completion_tokens: How many were received.
        """
        return (prompt_tokens * self.input_per_million + completion_tokens * self.output_per_million) / 1e6
