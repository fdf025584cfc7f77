"""The tokens of the loopback judge: words and punctuation marks, with made-up probabilities, and cached prefixes."""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from judgecore.server.heuristics import PAIRS, pseudo_random

if TYPE_CHECKING:
    from collections.abc import Sequence


_TOKEN = re.compile(r"\s?\w+|\s?[^\w\s]|\s+")
_OTHERS: list[str] = re.findall(r" \w+|[^\w ]", ",.\n the and of to in is that it for as on with by")
_MAX_ALTERNATIVES = 20


def split(text: str) -> list[str]:
    """Split a text into tokens whose concatenation is the text."""
    return _TOKEN.findall(text)


def logprobs(text: str, n_alternatives: int, seed: int) -> dict[str, Any]:
    """Return log probabilities of tokens, in OpenAI's schema.

    The likeliest alternatives of a verdict (yes, no, a digit, A, B ...) are its opposite or its neighbors; all numbers
    are determined by the text and the seed.
    """
    return {"content": [_entry(token, place, text, n_alternatives, seed) for place, token in enumerate(split(text))]}


def _entry(token: str, place: int, text: str, n_alternatives: int, seed: int) -> dict[str, Any]:
    likely = 0.55 + 0.4 * pseudo_random("token", seed, text, place)
    rest = 1.0 - likely
    top = [_token_entry(token, likely)]
    for other in [*_alternatives(token), *_OTHERS]:
        if len(top) >= min(n_alternatives, _MAX_ALTERNATIVES):
            break
        if other != token:
            rest *= 0.4
            top.append(_token_entry(other, rest))
    return {**_token_entry(token, likely), "top_logprobs": top if n_alternatives else []}


def _alternatives(token: str) -> list[str]:
    """Return the alternatives of a verdict; empty for other tokens."""
    bare = token.strip()
    space = token[: len(token) - len(token.lstrip())]
    if bare.isdecimal() and bare.isascii():
        value = int(bare)
        return [f"{space}{near}" for near in (value - 1, value + 1, value - 2, value + 2) if near >= 0]
    for pair in PAIRS:
        if bare.lower() in pair:
            other = pair[1 - pair.index(bare.lower())]
            return [space + (other.upper() if bare.isupper() else other.capitalize() if bare[:1].isupper() else other)]
    return []


def _token_entry(token: str, probability: float) -> dict[str, Any]:
    spelled = list(token.encode("utf-8", "replace"))
    return {"token": token, "logprob": math.log(probability), "bytes": spelled}


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
