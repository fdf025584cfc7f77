"""``keep_replies``: whatever scorers ask inside goes through a ledger, and is counted."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from judgecore.errors import MalformedReplyError
from judgecore.targets.budget import send_within_budget, spend_within
from judgecore.targets.pacing import Pacer
from judgecore.targets.prices import TokenCounts, model_name
from judgecore.targets.reply import MOST_SERVED, ServedModel, ServedName

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from judgecore.targets.budget import Budget
    from judgecore.targets.ledger import Ledger
    from judgecore.targets.reply import JudgeReply
    from judgecore.targets.request import JudgeRequest
    from judgecore.targets.target import Target


@dataclass
class RequestTally:
    """Counts of requests, replies and tokens.

    Attributes:
        calls: Requests that were sent and answered.
        replayed: Replies that the ledger already had.
        retries: Attempts beyond the first.
        collected: Replies that batches brought.
        tokens: The tokens of all replies but the replayed ones, by model, as the endpoint counts them.
        last: The last request that has a reply, received now or replayed, and the reply; None before.
        served: The models that answered, in the order of their first replies; at most a hundred.
        under_way: Requests that are asked and not answered yet.
        pacers: The pacers of the endpoints that were asked.
    """

    calls: int = 0
    replayed: int = 0
    retries: int = 0
    collected: int = 0
    tokens: dict[str, TokenCounts] = field(default_factory=dict[str, TokenCounts])
    last: tuple[JudgeRequest, JudgeReply] | None = field(default=None, repr=False)
    served: dict[ServedName, ServedModel] = field(default_factory=dict["ServedName", ServedModel])
    under_way: int = 0
    pacers: dict[int, Pacer] = field(default_factory=dict[int, Pacer], repr=False)

    @property
    def in_flight(self) -> int:
        """The requests in flight: sent to an endpoint, or asked of another target."""
        return sum(one.in_flight for one in self.pacers.values()) if self.pacers else self.under_way

    @property
    def outage(self) -> str:
        """What is known of an endpoint that is down, for people; empty if none is."""
        return next((said for one in self.pacers.values() if (said := one.breaker.describe(one.clock.now()))), "")

    @property
    def total(self) -> TokenCounts:
        """The tokens of all models together."""
        return TokenCounts.sum(self.tokens.values())

    def count(self, reply: JudgeReply, model: str) -> None:
        """Count a reply.

        Args:
            reply: The reply, received now or replayed.
            model: The model that was asked, as ``model_name`` names it.
        """
        self._note_served(reply, model)
        if reply.attempts == 0:
            self.replayed += 1
            return
        self.calls += 1
        self.retries += reply.attempts - 1
        self.tokens.setdefault(model, TokenCounts()).add(reply.usage.counts())

    def _note_served(self, reply: JudgeReply, requested: str) -> None:
        if reply.model is None:
            return
        name = (requested, reply.model, reply.fingerprint)
        served = self.served.get(name)
        if served is None:
            if len(self.served) >= MOST_SERVED:
                return
            served = self.served[name] = ServedModel(*name, first=_place.get())
        served.replies += 1

    def count_collected(self, reply: JudgeReply, model: str) -> None:
        """Count a reply that a batch brought."""
        self.collected += 1
        self.tokens.setdefault(model, TokenCounts()).add(reply.usage.counts(is_batch=True))


@dataclass(frozen=True)
class _Kept:
    """Where what is asked is kept and counted."""

    ledger: Ledger | None = None
    tallies: tuple[RequestTally, ...] = ()


_NOWHERE = _Kept()
# What the requests are about, such as a row of a table.
_place: ContextVar[str] = ContextVar("judgecore_place", default="")
_kept: ContextVar[_Kept] = ContextVar("judgecore_kept", default=_NOWHERE)


@contextmanager
def keep_replies(ledger: Ledger | None, *, budget: Budget | None = None) -> Generator[RequestTally]:
    """Send what scorers ask inside through a ledger, tasks that are started inside included.

    Args:
        ledger: Where requests and replies are kept; None for that of the block around, and to count only where there
            is none.
        budget: How much may be spent, what the ledger has spent before included; None for no limit but that of the
            block around.

    Yields:
        The count of what was asked, which grows; blocks around count it too.

    Examples:
        >>> import asyncio
        >>> import judgecore as jc
        >>> judge = jc.CallableTarget(lambda request: "Yes", name="always_yes")
        >>> with jc.Ledger(":memory:") as ledger, jc.targets.keep_replies(ledger) as tally:
        ...     for _ in range(2):
        ...         reply = asyncio.run(jc.targets.ask_target(judge, jc.JudgeRequest("Is it good?")))
        >>> tally.calls, tally.replayed
        (1, 1)
    """
    around, tally = _kept.get(), RequestTally()
    token = _kept.set(_Kept(around.ledger if ledger is None else ledger, (*around.tallies, tally)))
    try:
        with spend_within(budget, ledger):
            yield tally
    finally:
        _kept.reset(token)


@contextmanager
def ask_about(place: str) -> Generator[None]:
    """Say what the requests inside are about, so that a change of the model can be located."""
    token = _place.set(place)
    try:
        yield
    finally:
        _place.reset(token)


def keeping_ledger() -> Ledger | None:
    """Return the ledger of the block of ``keep_replies`` around; None where there is none."""
    return _kept.get().ledger


def count_collected(target: Target, reply: JudgeReply) -> None:
    """Count the reply of a batch in the blocks of ``keep_replies`` around."""
    model = model_name(target.get_identifier())
    for tally in _kept.get().tallies:
        tally.count_collected(reply, model)


def count_malformed(target: Target) -> None:
    """Count a reply that can't be understood, whose tokens nobody knows, in the blocks of ``keep_replies`` around."""
    model = model_name(target.get_identifier())
    for tally in _kept.get().tallies:
        tally.tokens.setdefault(model, TokenCounts()).unmetered += 1


def _copied(served: dict[ServedName, ServedModel]) -> dict[ServedName, ServedModel]:
    return {name: replace(one) for name, one in served.items()}


@contextmanager
def replays_counted_once() -> Generator[Callable[[], None]]:
    """Count replays, and models that answered, once where everything is asked several times, as batches require."""
    before = [(tally, tally.replayed, tally.collected, _copied(tally.served)) for tally in _kept.get().tallies]

    def restart() -> None:
        for tally, replayed, collected, served in before:
            tally.replayed = replayed + collected - tally.collected
            tally.served = _copied(served)

    yield restart


async def ask_target(target: Target, request: JudgeRequest) -> JudgeReply:
    """Send a request, through the ledger of ``keep_replies`` where there is one.

    Returns:
        The reply, received now or before.

    Raises:
        TargetError: In one of its kinds, if there is no reply; ``BudgetError`` if a budget is reached.
        LedgerWriteError: If the ledger could not be written.
    """
    kept = _kept.get()
    pacer = getattr(target, "pacer", None)
    for tally in kept.tallies:
        tally.under_way += 1
        if isinstance(pacer, Pacer):
            tally.pacers[id(pacer)] = pacer
    try:
        if kept.ledger is None:
            reply = await send_within_budget(target, request)
        else:
            reply = await kept.ledger.send(target, request)
    except MalformedReplyError:
        count_malformed(target)
        raise
    finally:
        for tally in kept.tallies:
            tally.under_way -= 1
    if kept.tallies:
        model = model_name(target.get_identifier())
        for tally in kept.tallies:
            tally.last = request, reply
            tally.count(reply, model)
    return reply
