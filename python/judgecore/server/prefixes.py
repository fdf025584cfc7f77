"""``PrefixCache``: the beginnings of requests that a server has read before, as those with a prefix cache keep them."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BLOCK = 16
"""How many tokens are cached together, as in vLLM."""

_MOST_BLOCKS = 1 << 16


class PrefixCache:
    """Counts how many tokens of a request begin an earlier one, in whole blocks of 16; the oldest are forgotten."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[int, None] = OrderedDict()

    def read(self, tokens: Sequence[str], about: str) -> int:
        """Return how many of the first tokens were read before, and keep all of them.

        ``about`` is what comes before them for the model, such as a schema; only equal ones share tokens.
        """
        known, is_known, block = 0, True, hash(about)
        for end in range(BLOCK, len(tokens) + 1, BLOCK):
            block = hash((block, *tokens[end - BLOCK : end]))
            is_known = is_known and block in self._blocks
            known = end if is_known else known
            self._blocks[block] = None
            self._blocks.move_to_end(block)
        while len(self._blocks) > _MOST_BLOCKS:
            self._blocks.popitem(last=False)
        return known
