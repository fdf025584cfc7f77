"""``Window``: a sliding window of one minute for rate limits."""

from __future__ import annotations

import math
from collections import deque

MINUTE_S = 60.0


class Spending:
    """An amount in a window, which can be corrected later."""

    __slots__ = ("amount", "at")

    def __init__(self, at: float, amount: float) -> None:
        self.at = at
        self.amount = amount


class Window:
    """The amounts of the last 60 seconds, with a limit for every window of that length."""

    def __init__(self, limit: float | None) -> None:
        self._limit = math.inf if limit is None else limit
        self._spent: deque[Spending] = deque()
        self._total = 0.0

    def wait_s(self, amount: float, now: float) -> float:
        """Return how long until an amount fits; one above the limit fits into an empty window."""
        if math.isinf(self._limit):
            return 0.0
        self._forget(now)
        if not self._spent or self._total + amount <= self._limit:
            return 0.0
        excess = self._total + amount - self._limit
        for spending in self._spent:
            excess -= spending.amount
            if excess <= 0:
                return spending.at + MINUTE_S - now
        return self._spent[-1].at + MINUTE_S - now

    def spend(self, amount: float, now: float) -> Spending:
        """Add an amount."""
        spending = Spending(now, amount)
        if not math.isinf(self._limit):
            self._spent.append(spending)
            self._total += amount
        return spending

    def correct(self, spending: Spending, amount: float, now: float) -> None:
        """Replace an estimated amount by the true one."""
        if now - spending.at < MINUTE_S:
            self._total += amount - spending.amount
        spending.amount = amount

    def _forget(self, now: float) -> None:
        while self._spent and now - self._spent[0].at >= MINUTE_S:
            self._total -= self._spent.popleft().amount
