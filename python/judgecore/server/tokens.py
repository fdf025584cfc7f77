"""Tokens as the loopback judge has them: words and marks, with a probability for each."""

from __future__ import annotations

import math
import re
from typing import Any

from judgecore.server.heuristics import PAIRS, chance

_TOKEN = re.compile(r"\s?\w+|\s?[^\w\s]|\s+")
_OTHERS: list[str] = re.findall(r" \w+|[^\w ]", ",.\n the and of to in is that it for as on with by")
_MOST_ALTERNATIVES = 20


def split(text: str) -> list[str]:
    """Split a text into tokens, which give the text when they are joined."""
    return _TOKEN.findall(text)


def logprobs(text: str, n_alternatives: int, seed: int) -> dict[str, Any]:
    """Give each token a probability, in OpenAI's shape.

    A verdict (yes, no, a digit, A, B ...) has its opposite or its neighbours as the likeliest alternatives; all numbers
    come from the text and the seed.

    Args:
        text: The reply.
        n_alternatives: How many of the likeliest tokens to name at each place, at most 20.
        seed: What they are drawn by.
    """
    return {"content": [_entry(token, place, text, n_alternatives, seed) for place, token in enumerate(split(text))]}


def _entry(token: str, place: int, text: str, n_alternatives: int, seed: int) -> dict[str, Any]:
    likely = 0.55 + 0.4 * chance("token", seed, text, place)
    rest = 1.0 - likely
    top = [_spelled(token, likely)]
    for other in [*_rivals(token), *_OTHERS]:
        if len(top) >= min(n_alternatives, _MOST_ALTERNATIVES):
            break
        if other != token:
            rest *= 0.4
            top.append(_spelled(other, rest))
    return {**_spelled(token, likely), "top_logprobs": top if n_alternatives else []}


def _rivals(token: str) -> list[str]:
    """What might have stood in a verdict's place."""
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


def _spelled(token: str, probability: float) -> dict[str, Any]:
    spelled = list(token.encode("utf-8", "replace"))
    return {"token": token, "logprob": math.log(probability), "bytes": spelled}
