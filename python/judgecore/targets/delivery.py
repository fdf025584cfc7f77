"""One request with all its attempts: the one place that decides what is tried again, and when."""

from __future__ import annotations

import asyncio
import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from judgecore.errors import (
    AuthenticationError,
    BadRequestError,
    ConnectError,
    DeadlineError,
    EndpointDownError,
    QuotaError,
    RateLimitError,
    ServerError,
    StatusError,
    TargetError,
)
from judgecore.targets.circuit_breaker import OUTAGES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from judgecore.targets.exchange import Answered
    from judgecore.targets.pacing import Pacer, Permit
    from judgecore.targets.target import Record


_OK = 200
_NOT_FOUND = 404
_REDIRECTS = 3
_KINDS: dict[int, type[StatusError]] = {
    401: AuthenticationError,
    402: QuotaError,
    403: AuthenticationError,
    408: ServerError,
    409: ServerError,
    429: RateLimitError,
}
_FIRST_OF_SERVERS_OWN = 500
MAY_PASS: Final = (*OUTAGES, RateLimitError)
"""The errors after which asking again might help."""

# Jitter on top of a wait that the endpoint asked for: a tenth, and a second at most.
_MORE_SHARE, _MORE_S = 0.1, 1.0


@dataclass(frozen=True)
class Delivered:
    """An answer of status 200."""

    answer: Answered
    attempts: int
    permit: Permit


async def deliver(
    exchange: Callable[[], Awaitable[Answered]],
    pacer: Pacer,
    record: Record,
    *,
    tokens: float,
    to_error: Callable[[Answered], StatusError],
    may_repeat: bool = True,
) -> Delivered:
    """Send a request until it is answered, it can't be, or there is no more time."""
    permit = await pacer.admit(tokens)
    deadline = pacer.clock.now() + pacer.pacing.deadline_s
    attempt = n_failed = 0
    while True:
        is_answered = False
        try:
            attempt += 1
            await record.sent()
            result = await _attempt(exchange, permit, pacer, deadline, to_error)
            if not isinstance(result, TargetError):
                is_answered = True
                pacer.take_answer(permit)
                pacer.grow(permit)
                return Delivered(result, attempt, permit)
            result.attempts = attempt
            is_down = pacer.take_failure(permit, result, is_first=n_failed == 0)
            n_failed += not is_down
            wait = _wait_before_next(result, permit, pacer, n_failed, is_down=is_down)
            if not may_repeat and not isinstance(result, ConnectError):
                wait = None
        finally:
            if not is_answered:
                pacer.settle(permit, 0)
            pacer.release(permit)
        now = pacer.clock.now()
        if wait is None or (now + wait >= deadline and not is_down):
            raise result
        if wait:
            await pacer.clock.sleep(wait)
        try:
            # A probe that failed goes last, so that the next one is another request.
            permit = await pacer.admit(tokens, is_again=not permit.is_probe)
        except EndpointDownError as problem:
            problem.attempts = attempt
            raise problem from result
        if is_down:
            deadline = max(deadline, now) + pacer.clock.now() - now


async def _attempt(
    exchange: Callable[[], Awaitable[Answered]],
    permit: Permit,
    pacer: Pacer,
    deadline: float,
    to_error: Callable[[Answered], StatusError],
) -> Answered | TargetError:
    """Send once; an error is returned, because the next step depends on it."""
    left_s = pacer.time_left_s(permit, deadline)
    try:
        async with asyncio.timeout(left_s):
            answer = await exchange()
    except TimeoutError as problem:
        if isinstance(problem, TargetError):
            return problem
        is_cut = permit.is_probe and pacer.clock.now() < deadline
        seconds = left_s if is_cut else pacer.pacing.deadline_s
        cure = "" if is_cut else "; raise deadline_s of the target's pacing if it may take longer"
        late = DeadlineError(f"no whole answer within {seconds:.3g} s{cure}")
        late.limit = "read" if is_cut else "total"
        return late
    except TargetError as problem:
        return problem
    return answer if answer.status == _OK else to_error(answer)


def _wait_before_next(
    problem: TargetError, permit: Permit, pacer: Pacer, attempt: int, *, is_down: bool
) -> float | None:
    """Return how long to wait before the next attempt, None if there is none; the pace follows what happened.

    While the endpoint is down, attempts are not counted, and the circuit breaker decides when the next one leaves.
    """
    asked: float | None = None
    if isinstance(problem, StatusError):
        asked = problem.retry_after_s = (
            None if problem.headers is None else wait_of(problem.headers, pacer.clock.wall())
        )
    if isinstance(problem, RateLimitError):
        pacer.cut(permit)
    if asked is not None and (is_down or isinstance(problem, RateLimitError)):
        pacer.pause(asked)
    if not _may_pass(problem) or (attempt >= pacer.pacing.attempts and not is_down):
        return None
    if is_down:
        return 0.0
    if asked is None:
        return pacer.backoff_s(attempt)
    return asked + pacer.chance.uniform(0.0, min(_MORE_S, asked * _MORE_SHARE))


def _may_pass(problem: TargetError) -> bool:
    """Whether asking again might help; an endpoint that says no is believed."""
    if isinstance(problem, StatusError) and problem.headers is not None:
        said = problem.headers.get("x-should-retry")
        if said == "false":
            return False
    if isinstance(problem, DeadlineError):
        return problem.limit != "total"
    return isinstance(problem, MAY_PASS) and not (isinstance(problem, ConnectError) and problem.is_final)


def kind_of_status(status: int) -> type[StatusError]:
    """Return the error that a status stands for at most endpoints."""
    return _KINDS.get(status, ServerError if status >= _FIRST_OF_SERVERS_OWN else BadRequestError)


def make_status_error(kind: type[StatusError], answer: Answered, said: str) -> StatusError:
    """Make the error of an answer that is not of status 200."""
    cure = "; is the base URL right (OpenAI's and most others end in /v1)?" if answer.status == _NOT_FOUND else ""
    if answer.status // 100 == _REDIRECTS:
        cure = "; it redirects, and a key goes to no other address: is the base URL right?"
    problem = kind(f"the endpoint answered with status {answer.status}{said and f': {said}'}{cure}")
    problem.status = answer.status
    problem.headers = answer.headers
    problem.raw = answer.body
    return problem


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
