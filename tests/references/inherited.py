"""The rules of ``ResponseParser`` in plain Python: what the inherited functions are compared with.

They are written as most people would: tidy the text, search it with a pattern, take what is found. No care is taken
to be fast or slow.
"""

from __future__ import annotations

import json
import re
from typing import Any

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
BRACED = re.compile(r"\{.*\}", re.DOTALL)


def parse_binary_response(response: str, output_format: str = "0/1") -> int | bool:
    """1 if there is a ``1`` anywhere, for digits; True if the reply begins with yes, for words."""
    tidied = response.strip().lower()
    if output_format in ("0/1", "1/0"):
        return 1 if "1" in tidied else 0
    return tidied.startswith("yes")


def parse_score_response(response: Any, score_range: Any = None) -> Any:
    """The first number, clamped to the range; the range's low end, or 0.0, where that fails."""
    try:
        found = NUMBER.search(response.strip())
        if found is not None:
            score = float(found.group())
            return max(score_range[0], min(score, score_range[1])) if score_range else score
    except (AttributeError, IndexError, TypeError):
        pass
    return score_range[0] if score_range else 0.0


def parse_comparative_response(response: Any) -> tuple[float, float]:
    """The first two numbers of the first line, or (-1.0, -1.0)."""
    try:
        first_line = response.strip().split("\n")[0]
        numbers = NUMBER.findall(first_line)
    except (AttributeError, TypeError):
        return (-1.0, -1.0)
    return (float(numbers[0]), float(numbers[1])) if len(numbers) > 1 else (-1.0, -1.0)


def parse_json_response(response: Any) -> dict[str, Any]:
    """The object from the first ``{`` to the last ``}``, or {}."""
    try:
        found = BRACED.search(response)
        return json.loads(found.group()) if found is not None else {}
    except (RecursionError, TypeError, ValueError):
        return {}
