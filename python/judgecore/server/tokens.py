"""The tokens of the loopback judge: words and punctuation marks, with made-up probabilities."""

from __future__ import annotations

import math
import re
from typing import Any

from judgecore.server.heuristics import PAIRS, pseudo_random

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
