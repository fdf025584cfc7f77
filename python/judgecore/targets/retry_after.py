"""The waiting time that an endpoint requests, in all forms that endpoints use."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_WAIT_S = 120.0

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_LAST_YEAR_OF_DATETIME = 9999
_FAR_YEAR = re.compile(r"\b(\d{5,})\b", re.ASCII)
_UNITS_S = {"ms": 1e-3, "us": 1e-6, "µs": 1e-6, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|us|µs|s|m|h|d)", re.ASCII)
# Resets this large are points in time: seconds, or milliseconds, since 1970.
_EPOCH_S, _EPOCH_MS = 1.5e9, 1.5e12
_RESETS = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
    ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
)


def wait_of(headers: Mapping[str, str], now_s: float) -> float | None:
    """Return the waiting time that response headers request.

    ``retry-after-ms`` has precedence over ``retry-after``, which is in seconds or an HTTP date. Otherwise it is the
    longest reset of the rate limits that are used up, or of all limits if none reports what remains.

    Examples:
        >>> wait_of({"retry-after": "1.5"}, now_s=0)
        1.5
        >>> wait_of({"x-ratelimit-reset-tokens": "6m0s"}, now_s=0)
        120.0
        >>> wait_of({"retry-after": "abc"}, now_s=0) is None
        True
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return _bounded(milliseconds / 1000)
    asked = headers.get("retry-after")
    if asked is not None:
        seconds = _number(asked)
        return _bounded(_until_date(asked, now_s) if seconds is None else seconds)
    spent: list[float] = []
    unknown: list[float] = []
    for remaining_name, reset_name in _RESETS:
        reset = _bounded(_reset(headers.get(reset_name), now_s))
        if reset is None:
            continue
        remaining = _number(headers.get(remaining_name))
        if remaining is None:
            unknown.append(reset)
        elif remaining <= 0:
            spent.append(reset)
    return max(spent or unknown, default=None)


def _number(text: str | None) -> float | None:
    if text is None or _NUMBER.fullmatch(text.strip()) is None:
        return None
    return float(text)


def _bounded(seconds: float | None) -> float | None:
    if seconds is None or math.isnan(seconds) or seconds <= 0:
        return None
    return min(seconds, LONGEST_WAIT_S)


def _until_date(text: str, now_s: float) -> float | None:
    """Return the seconds until an HTTP date; infinity for a year above 9999."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        far = _FAR_YEAR.search(text)
        return math.inf if far is not None and int(far[1][:5]) > _LAST_YEAR_OF_DATETIME else None
    return _until(moment, now_s)


def _reset(text: str | None, now_s: float) -> float | None:
    """Return the seconds of a reset: a number, a duration such as ``1m30.5s``, or a point in time."""
    if text is None:
        return None
    text = text.strip()
    number = _number(text)
    if number is not None:
        if number >= _EPOCH_MS:
            return number / 1000 - now_s
        return number - now_s if number >= _EPOCH_S else number
    spans = _SPAN.findall(text)
    if spans and "".join(f"{amount}{unit}" for amount, unit in spans) == text:
        return sum(float(amount) * _UNITS_S[unit] for amount, unit in spans)
    try:
        return _until(datetime.fromisoformat(text), now_s)
    except ValueError:
        return None


def _until(moment: datetime, now_s: float) -> float:
    known = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return known.timestamp() - now_s
