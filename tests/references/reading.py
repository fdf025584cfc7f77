"""``parse`` for a few formats in plain Python: the marker or label alone, and none of the care.

Nothing is known here of reasoning, quotations, emphasis, corrections or cut replies, so the results are those of
``parse`` only where a reply has none of these.
"""

from __future__ import annotations

import re
from typing import NamedTuple

RATING = re.compile(r"(?:Rating:\s*)?\[\[(\d+(?:\.\d+)?)\]\]")
VERDICT = re.compile(r"\[\[([ABC])\]\]")
OPENING = re.compile(r"\s*(yes|no)\b", re.IGNORECASE)
GUARD = re.compile(r"\s*(?:(safe)|(unsafe)\n(S\d+(?:,\s*S\d+)*))(?=\s|$)")
LABELS = {"A": "A", "B": "B", "C": "tie"}


class Found(NamedTuple):
    """A value, the rule that gave it and where it stands."""

    value: object
    rule: str
    span: tuple[int, int]


class Unsafe(NamedTuple):
    """What a guard says."""

    unsafe: bool
    categories: tuple[str, ...]


def read_rating(reply: str) -> Found | str:
    """Read ``mt_bench.single``: the rating in double brackets, or the reason why there is none."""
    found = list(RATING.finditer(reply))
    if not found:
        return "no_verdict" if reply.strip() else "empty"
    ratings = {float(match[1]) for match in found}
    if len(ratings) > 1:
        return "ambiguous"
    rating = ratings.pop()
    return Found(rating, "marker", found[-1].span()) if 1 <= rating <= 10 else "out_of_range"


def read_verdict(reply: str) -> Found | str:
    """Read ``mt_bench.pair``: the label in double brackets, or the reason why there is none."""
    found = list(VERDICT.finditer(reply))
    if not found:
        return "no_verdict" if reply.strip() else "empty"
    labels = {match[1] for match in found}
    return "ambiguous" if len(labels) > 1 else Found(LABELS[labels.pop()], "marker", found[-1].span())


def read_yes_no(reply: str) -> Found | str:
    """Read ``lmms_eval.yes_no``: the first word, or the reason why that is no label."""
    found = OPENING.match(reply)
    if found is None:
        return "no_verdict" if reply.strip() else "empty"
    rule = "whole" if reply[found.end() :].strip(" .,!\n") == "" else "opening"
    return Found(found[1].lower() == "yes", rule, found.span(1))


def read_guard(reply: str) -> Found | str:
    """Read ``llama_guard.3``: the first word and the categories on the next line."""
    found = GUARD.match(reply)
    if found is None:
        return "no_verdict" if reply.strip() else "empty"
    if found[1]:
        return Found(Unsafe(unsafe=False, categories=()), "opening", found.span(1))
    codes = tuple(code.strip() for code in found[3].split(","))
    rule = "opening" if reply[found.end() :].strip() else "whole"
    return Found(Unsafe(unsafe=True, categories=codes), rule, (found.start(2), found.end(3)))
