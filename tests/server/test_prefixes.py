"""The loopback judge counts the tokens that a request shares with the beginnings of earlier ones."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore import scorers
from judgecore.server.tokens import BLOCK, PrefixCache
from judgecore.targets import AnthropicTarget, PriceTable, TokenPrices, keep_replies

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Serving

LONG = " ".join(f"word{number}" for number in range(500))


def ask_rubric(target: jc.Target) -> jc.targets.RequestTally:
    """Ask about each criterion of a rubric of three."""
    rubric = jc.prompts.Rubric.from_yaml(jc.prompts.RubricPaths.HELPFULNESS)
    scorer = scorers.RubricScorer(chat_target=target, rubric=rubric, calls="each")
    with keep_replies(None) as tally:
        asyncio.run(scorer.score_text_async(LONG, objective="Count the words."))
    return tally


def test_blocks_of_an_earlier_beginning_are_known_and_no_others() -> None:
    cache = PrefixCache()
    tokens = [str(number) for number in range(100)]

    assert cache.read(tokens, "a") == 0
    assert cache.read(tokens, "a") == 100 // BLOCK * BLOCK
    assert cache.read([*tokens[:40], "other", *tokens[41:]], "a") == 32
    assert cache.read(tokens, "b") == 0
    assert cache.read(tokens[1:], "a") == 0
    assert cache.read([], "a") == 0


def test_other_criteria_take_the_response_from_the_cache(serve: Callable[..., Serving]) -> None:
    target = jc.OpenAITarget("any", base_url=serve().url, api_key="any")

    tally = ask_rubric(target)

    assert tally.calls == 3
    # Two of three requests take all but the criterion, which has some twenty tokens, and what is left of a block.
    assert tally.total.cached > 2 * (tally.total.prompt / 3 - 50)
    prices = PriceTable(any_model=TokenPrices(input_per_million=10, output_per_million=0, cached_input_per_million=1))
    full = PriceTable(any_model=TokenPrices(input_per_million=10, output_per_million=0))
    assert prices.cost(tally.tokens) == pytest.approx((10 * tally.total.prompt - 9 * tally.total.cached) / 1e6)
    assert full.cost(tally.tokens) == 10 * tally.total.prompt / 1e6


@pytest.mark.parametrize("prompt_cache", ["5m", "1h", None])
def test_anthropics_endpoint_caches_what_it_is_told_to(serve: Callable[..., Serving], prompt_cache: Any) -> None:
    address = serve().url.removesuffix("/v1")
    plain = AnthropicTarget("any", base_url=address, api_key="any")
    target = AnthropicTarget("any", base_url=address, api_key="any", prompt_cache=prompt_cache)

    tally, without = ask_rubric(target), ask_rubric(plain)

    total = tally.total
    # The marker splits the text into two blocks, which the judge joins by a line break.
    assert 0 <= total.prompt - without.total.prompt <= 3
    assert (without.total.cached, without.total.cache_written) == (0, 0)
    prices: dict[str, Any] = {"input_per_million": 10, "output_per_million": 0, "cached_input_per_million": 1}
    unpriced, priced = TokenPrices(**prices), TokenPrices(**prices, cache_write_input_per_million=12.5)
    if prompt_cache is None:
        assert (total.cached, total.cache_written) == (0, 0)
        assert unpriced.cost(total) == 10 * total.prompt / 1e6
    else:
        assert total.cached > 2 * (total.prompt / 3 - 50)
        assert 0 < total.cache_written < total.prompt / 3
        assert unpriced.cost(total) is None
        rest = total.prompt - total.cached - total.cache_written
        assert priced.cost(total) == pytest.approx((10 * rest + total.cached + 12.5 * total.cache_written) / 1e6)
    assert target.get_identifier().hash == plain.get_identifier().hash
