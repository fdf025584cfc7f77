"""``CircuitBreaker``: stops requests to an endpoint that fails, and finds out when it answers again."""

from __future__ import annotations

from collections import deque
from itertools import takewhile
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from judgecore.errors import (
    ConnectError,
    ConnectionLostError,
    DeadlineError,
    EndpointDownError,
    ProtocolError,
    ServerError,
    TargetError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

CircuitState: TypeAlias = Literal["closed", "open", "half_open"]
"""Whether requests pass: all, none, or one that is the probe."""

OUTAGES: Final = (ConnectError, ConnectionLostError, DeadlineError, ProtocolError, ServerError)
"""The errors that an endpoint causes rather than a request."""

# A judge that fails for one request in ten fails for 8 of 10 requests once in millions.
_WINDOW, _MOST_FAILED = 10, 8
# A request can't cause a refused connection, so that fewer of them suffice.
_MOST_REFUSED = 5
# Few requests at a time fill no window; two that fail without an answer for so long suffice.
_SILENCE_S, _MOST_FAILED_IN_SILENCE = 10.0, 2
# The last probe may take a little longer than the endpoint is waited for.
_LAST_PROBE_S = 5.0
# After giving up, whoever asks so much later gets a new probe.
_PAUSE_S = 1.0
# So that an endpoint that is up again is found soon.
_LONGEST_BACKOFF_S = 15.0


class CircuitBreaker:
    """The circuit breaker of one endpoint.

    It opens if all of the last five outcomes are refused connections, if eight of the last ten are failures of
    different requests, or if two requests failed and nothing was answered for ten seconds. An open circuit lets one
    request through at a time, after a back-off; its answer closes the circuit. An endpoint that answers nothing for too
    long is given up.
    """

    def __init__(self, *, no_answer_s: float, outage_s: float, backoff_s: Callable[[int], float]) -> None:
        self.state: CircuitState = "closed"
        self.cause: TargetError | None = None
        self.n_probes = 0
        self._no_answer_s, self._outage_s = min(no_answer_s, outage_s), outage_s
        self._backoff_s = backoff_s
        self._outcomes: deque[TargetError | None] = deque(maxlen=_WINDOW)
        self._has_answered = False
        self._failing_since: float | None = None
        self._probe_at = 0.0
        self._is_given_up = False

    def wait_s(self, now: float, n_others: int) -> float:
        """Return how long until a request may leave: 0 for now, infinity if that depends on a request in flight."""
        if self.state == "closed":
            return 0.0
        if self.state == "half_open":
            return float("inf")
        if self._is_given_up and now >= self._probe_at:
            self._is_given_up, self.n_probes, self._failing_since = False, 0, now
        elif self._is_given_up or (now >= self.give_up_at and self.n_probes and not n_others):
            self._is_given_up = True
            self._probe_at = now + _PAUSE_S
            raise EndpointDownError(self._describe_end())
        return max(0.0, self._probe_at - now)

    @property
    def give_up_at(self) -> float:
        """When the endpoint is given up, in seconds, if it does not answer before; infinity if nothing failed."""
        if self._failing_since is None:
            return float("inf")
        if isinstance(self.cause, ConnectError) and self.cause.is_final:
            return self._failing_since
        return self._failing_since + self._patience_s

    @property
    def probe_until(self) -> float:
        """When a probe ends at the latest, in seconds."""
        return max(self.give_up_at, self._probe_at) + min(_LAST_PROBE_S, self._patience_s / 5)

    @property
    def _patience_s(self) -> float:
        return self._outage_s if self._has_answered else self._no_answer_s

    def let_through(self) -> bool:
        """Let a request through, and return whether it is the probe."""
        if self.state == "closed":
            return False
        self.state = "half_open"
        return True

    def take_answer(self, *, is_probe: bool) -> None:
        """Take an answer of the endpoint, even an error that it is not the cause of."""
        self._has_answered = True
        self._failing_since = self.cause = None
        self._outcomes.append(None)
        if is_probe:
            self.state = "closed"
            self._is_given_up = False
            self._outcomes.clear()

    def take_failure(self, problem: TargetError, now: float, *, is_probe: bool, is_first: bool) -> None:
        """Take a failure of the endpoint, one of ``OUTAGES``."""
        since = self._failing_since = now if self._failing_since is None else self._failing_since
        self.cause = problem
        if self.state == "closed":
            if is_first or isinstance(problem, ConnectError):
                self._outcomes.append(problem)
            if self._is_dead(now, since):
                self.n_probes = 0
                self._open(now)
        elif is_probe:
            self.n_probes += 1
            self._open(now)

    def end_probe(self) -> None:
        """Take the end of a probe without an outcome, such as a cancelled one; the next one may leave at once."""
        if self.state == "half_open":
            self.state = "open"

    def describe(self, now: float) -> str:
        """Return the cause and the next step for people; empty if the circuit is closed."""
        if self.state == "closed" or self.cause is None:
            return ""
        wait = self._probe_at - now
        step = "probing now" if self.state == "half_open" or wait <= 0 else f"next probe in {wait:.0f} s"
        return f"endpoint down, {step}: {self.cause}"

    def _open(self, now: float) -> None:
        self.state = "open"
        self._probe_at = now + min(_LONGEST_BACKOFF_S, self._backoff_s(self.n_probes + 1))
        # The last probe leaves shortly before the end.
        for event in (self.give_up_at - _PAUSE_S, self.give_up_at):
            if now < event:
                self._probe_at = min(self._probe_at, event)

    def _is_dead(self, now: float, since: float) -> bool:
        last = list(self._outcomes)
        if len(last) >= _MOST_REFUSED and all(isinstance(one, ConnectError) for one in last[-_MOST_REFUSED:]):
            return True
        if sum(one is not None for one in last) >= _MOST_FAILED:
            return True
        in_a_row = sum(1 for _ in takewhile(lambda one: one is not None, reversed(last)))
        return in_a_row >= _MOST_FAILED_IN_SILENCE and now - since >= _SILENCE_S

    def _describe_end(self) -> str:
        said = "has not answered any more" if self._has_answered else "has answered nothing"
        setting = "outage_s" if self._has_answered else "no_answer_s"
        return (
            f"the endpoint {said} for {self._patience_s:g} s: {self.cause}; start it or check its address, then "
            f"run again; {setting} of pacing sets how long to wait"
        )
