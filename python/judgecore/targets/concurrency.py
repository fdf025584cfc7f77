"""``ConcurrencyControl``: finds how many requests in flight an endpoint answers with the best throughput."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# The first number, and its least share of the largest: doubling from far below would take as long as the run.
_FIRST, _FIRST_SHARE = 32, 1 / 8
# The relative size of steps: up to twice as many in flight, and down to an eighth more.
_LARGEST_STEP, _SMALLEST_STEP = 1.0, 1 / 8
# A step up must bring so much of its share in throughput; a step down must not cost more.
_LEAST_GAIN = 0.1
# The same while the limit doubles, and by how much the latency may grow.
_LEAST_GAIN_OF_DOUBLING, _MOST_SLOWDOWN = 0.3, 1.5
# Numbers in flight that differ by less can't be compared.
_LEAST_DIFFERENCE = 0.03
# Where others ask the same endpoint, a step up takes their throughput once the latency is so many times the lowest.
_MOST_SHARED_LATENCY = 3.0
# Latencies that differ by less than a quarter show no queue.
_NO_QUEUE = 1.25
# A measurement has so many requests for each one in flight, and at least so many. It ends when nearly all of them are
# answered: those that are answered first are the quick ones, and some are never answered.
_ROUNDS, _FEWEST_REQUESTS, _SHARE_ANSWERED = 4, 128, 0.9
# How many measurements are made without a step after two that were in vain; the number doubles.
_FIRST_REST, _LONGEST_REST = 4, 8
# The lowest latency is forgotten by so much with each measurement, since prompts and endpoints change.
_FORGETTING = 1.002


class ConcurrencyControl:
    """Finds the smallest number of requests in flight that has nearly the best throughput.

    By Little's law, throughput is the number in flight divided by the latency. Where an endpoint works on all requests
    at once, more of them are answered in the same time; beyond its knee they wait in a queue, so that latency grows and
    throughput does not. The number begins at 32, or at an eighth of the
    largest if that is more, and doubles until that shows. From then on it is compared with a
    somewhat larger or smaller number, and the better one is kept.

    Where two of them ask one endpoint, each could raise its own throughput at the other's cost, until both are at their
    largest number; neither goes up once the latency is three times the lowest.
    """

    def __init__(self, most: int, *, is_shared: Callable[[], bool] = lambda: False) -> None:
        self._most = float(most)
        self._is_shared = is_shared
        self.limit = min(self._most, max(float(_FIRST), _FIRST_SHARE * self._most))
        self._is_doubling = self.limit < self._most
        # The number that the steps start from, how many were in flight then, and the throughput.
        self._base, self._base_load, self._base_rate = self.limit, 0.0, 0.0
        self._before = self.limit
        # The lowest latency, and the smallest number that had about that.
        self._lowest_s, self._free_at = math.inf, self.limit
        self._step, self._is_up, self._is_trying = _SMALLEST_STEP, False, False
        self._n_in_vain, self._rest, self._next_rest = 0, 0, _FIRST_REST
        # The first requests also open connections.
        self._first_number = int(self.limit)
        self._wanted = self.limit
        self._n = self._total_load = 0
        self._total_s = 0.0

    def take_answer(self, number: int, load: int, seconds: float, *, n_sent: int, is_short: bool) -> None:
        """Take the latency of a request."""
        if number < self._first_number:
            return
        if self._is_doubling and is_short:
            self.limit = min(self._most, self.limit + 1, 2 * self._base)
        if number >= self._first_number + self._wanted:
            return
        self._n += 1
        self._total_load += load
        self._total_s += seconds
        if self._n < _SHARE_ANSWERED * self._wanted or not self._total_s:
            return
        measured = (self._total_load / self._n, self._total_load / self._total_s, self._total_s / self._n)
        self._n = self._total_load = 0
        self._total_s = 0.0
        limit = self.limit
        if self._is_doubling:
            self._double(*measured)
        elif measured[0] > limit / 2:
            # With far fewer in flight, the limit was not what bounded them.
            self._compare(*measured)
        # What was sent before says nothing about a new limit.
        self._first_number = n_sent
        self._wanted = self.limit if self._is_doubling else max(_ROUNDS * self.limit, _FEWEST_REQUESTS)

    def _gain(self, load: float, rate: float) -> float | None:
        """The share of a change in load that throughput followed; None if there was no change."""
        change = math.log(load / self._base_load)
        return math.log(rate / self._base_rate) / change if abs(change) > _LEAST_DIFFERENCE else None

    def _double(self, load: float, rate: float, latency_s: float) -> None:
        """End doubling if it brings little, and go on from the last number that brought something."""
        gain = self._gain(load, rate) if self._base_load else 1.0
        is_slow = latency_s > _MOST_SLOWDOWN * self._lowest_s
        self._note_latency(latency_s, self._base)
        if is_slow or (gain is not None and gain < _LEAST_GAIN_OF_DOUBLING):
            self._is_doubling, self._step = False, _LARGEST_STEP
            self.limit = self._base = self._before
            return
        self._before, self._base, self._base_load, self._base_rate = self._base, self.limit, load, rate
        # Without a gain there was nobody to send more.
        self._is_doubling = gain is not None and self._before < self._most

    def _compare(self, load: float, rate: float, latency_s: float) -> None:
        """Compare the limit with the number that it was before, and take the next step."""
        self._lowest_s *= _FORGETTING
        self._note_latency(latency_s, self.limit)
        if not self._is_trying:
            self._base, self._base_load, self._base_rate = self.limit, load, rate
            if self._rest:
                self._rest -= 1
                return
            self._try(latency_s)
            return
        gain = self._gain(load, rate)
        is_taken = self._is_up and self._is_others_turn(latency_s)
        if self._is_up == (gain is not None and gain > _LEAST_GAIN and not is_taken):
            self._base, self._base_load, self._base_rate = self.limit, load, rate
            self._step = min(2 * self._step, _LARGEST_STEP)
            self._n_in_vain, self._next_rest = 0, _FIRST_REST
            self._try(latency_s)
            return
        self.limit, self._is_trying = self._base, False
        self._step, self._is_up = max(self._step / 2, _SMALLEST_STEP), not self._is_up
        self._n_in_vain += 1
        if self._n_in_vain > 1:
            self._take_rest()

    def _try(self, latency_s: float) -> None:
        """Set the limit to a neighbour of the base, in the other direction if there is none in this one."""
        limit = self._neighbour(latency_s)
        if limit == self._base:
            self._is_up = not self._is_up
            limit = self._neighbour(latency_s)
        self.limit, self._is_trying = limit, limit != self._base
        if not self._is_trying:
            self._take_rest()

    def _neighbour(self, latency_s: float) -> float:
        if self._is_up and self._is_others_turn(latency_s):
            return self._base
        if self._is_up:
            return min(self._most, max(self._base + 1, self._base * (1 + self._step)))
        # No step down if half as many were answered no faster.
        is_free = self._free_at <= self._base / 2 and latency_s < _NO_QUEUE * self._lowest_s
        return self._base if is_free else max(1.0, min(self._base - 1, self._base / (1 + self._step)))

    def _is_others_turn(self, latency_s: float) -> bool:
        """Return whether a step up would only take what others have of the same endpoint."""
        return latency_s >= _MOST_SHARED_LATENCY * self._lowest_s and self._is_shared()

    def _take_rest(self) -> None:
        self._n_in_vain, self._rest = 0, self._next_rest
        self._next_rest = min(2 * self._next_rest, _LONGEST_REST)

    def _note_latency(self, latency_s: float, limit: float) -> None:
        if latency_s * _NO_QUEUE < self._lowest_s:
            self._free_at = limit
        elif latency_s < self._lowest_s * _NO_QUEUE:
            self._free_at = min(self._free_at, limit)
        self._lowest_s = min(self._lowest_s, latency_s)
