"""``Budget``: how much may be spent in all; requests that would exceed it are not sent."""

from __future__ import annotations

import asyncio
import math
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from judgecore.errors import BudgetError, MalformedReplyError
from judgecore.hashing import canonical_json
from judgecore.targets.prices import PriceTable, TokenCounts, format_amount, model_name
from judgecore.targets.target import sent_plainly
from judgecore.terminal import count_noun

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Mapping
    from pathlib import Path

    from judgecore.identity import ComponentIdentifier
    from judgecore.targets.reply import JudgeReply
    from judgecore.targets.request import JudgeRequest
    from judgecore.targets.target import Target

# English has about four bytes for each token; judges' replies have about two hundred tokens.
BYTES_PER_TOKEN = 4
TOKENS_PER_REPLY = 200

_ON_THEIR_WAY = " or expected for requests on their way"
_HIGHEST = 10**15
# Sums of prices differ in their last bits.
_ROUNDING = 1 + 1e-9


class SpendingRecord(Protocol):
    """What knows the tokens that earlier runs spent: a ledger, which imports this file."""

    path: Path | None

    def spent(self) -> Mapping[ComponentIdentifier, TokenCounts]:
        """Return the tokens by target."""
        ...

    def expectations(self) -> Mapping[ComponentIdentifier, Expectation]:
        """Return what a request is expected to take, by target."""
        ...


@dataclass
class Expectation:
    """What a request to one model is expected to take, from the replies so far."""

    tokens_per_byte: float = 0.0
    completion: int = 0
    replies: int = 0

    def counts(self, n_bytes: int, max_tokens: int | None, *, is_batch: bool) -> TokenCounts:
        """What a request is expected to take; its reply takes ``max_tokens`` if given."""
        prompt = math.ceil(n_bytes * (self.tokens_per_byte or 1 / BYTES_PER_TOKEN))
        usual = math.ceil(self.completion / self.replies) if self.replies else TOKENS_PER_REPLY
        completion = usual if max_tokens is None else max_tokens
        return TokenCounts.of(prompt, completion, is_batch=is_batch)

    def learn(self, n_bytes: int, counts: TokenCounts) -> None:
        """Take a reply into account."""
        self.add(Expectation(counts.sent / max(n_bytes, 1), counts.received, 1))

    def add(self, other: Expectation) -> None:
        """Take the replies of another into account."""
        self.tokens_per_byte = max(self.tokens_per_byte, other.tokens_per_byte)
        self.completion += other.completion
        self.replies += other.replies


@dataclass
class _Account:
    """What went through one ledger, or through none."""

    spent: dict[str, TokenCounts] = field(default_factory=dict[str, TokenCounts])
    expected: dict[str, Expectation] = field(default_factory=dict[str, Expectation])
    in_batches: int = 0
    cost_in_batches: float = 0.0


@dataclass
class Reservation:
    """What one request that is on its way is expected to take."""

    account: _Account
    model: str
    n_bytes: int
    counts: TokenCounts
    cost: float


class Budget:
    """How much may be spent in all, earlier runs of the same ledger included.

    A request leaves only if its expected cost fits beside what was spent and what requests on their way are expected to
    cost. The first one that does not fit ends the asking: it and all later ones raise ``BudgetError`` without being
    sent. Replies that the ledger already has cost nothing.

    The expected tokens of a request are its bytes times the most tokens for each byte so far (at first 1 for 4 bytes);
    those of its reply are the request's ``max_tokens`` if given, otherwise the mean so far (at first 200). Requests on
    their way when the limit is reached may cost more than expected; nothing else exceeds the limit.

    Args:
        max_cost: The most that may be spent, in the currency of ``prices``; None for no limit.
        max_tokens: The most tokens of requests and replies together; None for no limit.
        prices: What tokens cost; required with ``max_cost``.

    Attributes:
        max_cost: The most that may be spent.
        max_tokens: The most tokens.
        prices: What tokens cost; None if unknown.

    Raises:
        ValueError: If there is no limit, one is not above 0 and at most 10^15, or ``max_cost`` is given without
            ``prices``.

    Examples:
        >>> import asyncio
        >>> import judgecore as jc
        >>> judge = jc.CallableTarget(lambda request: "Yes", name="always_yes")
        >>> requests = [jc.JudgeRequest(f"Is {n} a number?", max_tokens=1) for n in range(9)]
        >>> budget = jc.targets.Budget(max_tokens=50)
        >>> replies = asyncio.run(jc.send_many(judge, requests, budget=budget))
        >>> sum(isinstance(reply, jc.JudgeReply) for reply in replies), budget.tokens
        (2, 36)
        >>> str(replies[-1])
        'the budget of 50 tokens is reached: 36 are spent, and the next request may take 18'
    """

    def __init__(
        self, *, max_cost: float | None = None, max_tokens: int | None = None, prices: PriceTable | None = None
    ) -> None:
        if max_cost is None and max_tokens is None:
            raise ValueError("a budget has a limit: give max_cost= or max_tokens=")
        for name, limit in (("max_cost", max_cost), ("max_tokens", max_tokens)):
            if limit is not None and not 0 < limit <= _HIGHEST:
                raise ValueError(f"{name} must be a number above 0 and at most {_HIGHEST:,}, not {limit!r:.40}")
        if max_cost is not None and prices is None:
            raise ValueError("max_cost= needs prices=, what tokens cost")
        self.max_cost = max_cost
        self.max_tokens = max_tokens
        self.prices = prices
        # By ledger; None for what goes through none.
        self._accounts: dict[object, _Account] = {None: _Account()}
        self._on_their_way: dict[int, Reservation] = {}
        self._reserved_tokens, self._reserved_cost = 0, 0.0
        self._is_reached = ""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn = asyncio.Lock()
        self._settled = asyncio.Event()

    @property
    def spent(self) -> dict[str, TokenCounts]:
        """The tokens spent so far, by model."""
        found: dict[str, TokenCounts] = {}
        for account in self._accounts.values():
            for model, counts in account.spent.items():
                found.setdefault(model, TokenCounts()).add(counts)
        return found

    @property
    def tokens(self) -> int:
        """The tokens spent so far."""
        return TokenCounts.sum(self.spent.values()).total

    @property
    def cost(self) -> float | None:
        """What they cost; None if a price is unknown."""
        return None if self.prices is None else self.prices.cost(self.spent)

    @property
    def is_reached(self) -> bool:
        """Whether a request was not sent because of the limit."""
        return bool(self._is_reached)

    def check(self, model: str, *, is_batch: bool = False) -> None:
        """Check that the cost of a model's tokens can be limited.

        Args:
            model: The model, as ``model_name`` names it.
            is_batch: Whether its requests are sent in batches.

        Raises:
            ConfigurationError: If a price is needed and unknown.
        """
        if self.max_cost is not None and self.prices is not None:
            self.prices.check(model, is_batch=is_batch)

    def count_ledger(self, ledger: SpendingRecord, *, is_again: bool = False) -> None:
        """Take what was spent in a ledger into account, once.

        Args:
            ledger: The ledger. Requests in open batches count as spent, as many tokens as they are expected to take.
            is_again: Whether to count a ledger anew that was counted before, for example after batches ended; there may
                be room again then.

        Raises:
            ConfigurationError: If it has replies of a model whose price is needed and unknown.
        """
        name = _name_of(ledger)
        if name in self._accounts and not is_again:
            return
        counted = _Account()
        for target, spent in ledger.spent().items():
            model = model_name(target)
            self.check(model, is_batch=spent.has_batches)
            counted.spent.setdefault(model, TokenCounts()).add(spent)
        for target, expected in ledger.expectations().items():
            counted.expected.setdefault(model_name(target), Expectation()).add(expected)
        # Requests on their way are entered in the account that they have.
        vars(self._accounts.setdefault(name, counted)).update(vars(counted))
        self._is_reached = ""

    async def reserve(
        self,
        target: Target,
        request: JudgeRequest,
        n_bytes: int,
        *,
        ledger: SpendingRecord | None = None,
        is_batch: bool = False,
    ) -> Reservation:
        """Wait until a request fits, and reserve what it is expected to take.

        Args:
            target: What it is sent to.
            request: The request.
            n_bytes: The size of its body.
            ledger: The ledger that it goes through; None for none.
            is_batch: Whether it is sent in a batch.

        Returns:
            The reservation, which the caller settles; one of a batch stands until the ledger is counted again.

        Raises:
            BudgetError: If it does not fit, or an earlier one did not.
            ConfigurationError: If the model's price is needed and unknown.
        """
        model = model_name(target.get_identifier())
        self.check(model, is_batch=is_batch)
        self._enter_loop()
        account = self._accounts.setdefault(_name_of(ledger), _Account())
        async with self._turn:
            while not self._is_reached:
                counts = self._expected(model).counts(n_bytes, request.max_tokens, is_batch=is_batch)
                expected = Reservation(account, model, n_bytes, counts, self._cost(model, counts))
                exceeded = self._exceeded(expected)
                if exceeded is None:
                    if is_batch:
                        account.in_batches += counts.total
                        account.cost_in_batches += expected.cost
                    else:
                        self._on_their_way[id(expected)] = expected
                        self._reserved_tokens += counts.total
                        self._reserved_cost += expected.cost
                    return expected
                if is_batch or not self._on_their_way:
                    self._is_reached = exceeded
                    break
                self._settled.clear()
                await self._settled.wait()
        raise BudgetError(self._is_reached)

    def settle(self, reservation: Reservation, reply: JudgeReply | None, *, malformed: bytes | None = None) -> None:
        """Enter what a request took.

        Args:
            reservation: What was reserved for it.
            reply: The reply; None if there was none, which is taken to cost nothing.
            malformed: What came with status 200 and is no reply; it is taken to cost at most what was reserved.
        """
        if self._on_their_way.pop(id(reservation), None) is None:
            return
        account, expected = reservation.account, reservation.counts
        self._reserved_tokens -= expected.total
        # Without the differences in the last bits.
        self._reserved_cost = self._reserved_cost - reservation.cost if self._on_their_way else 0.0
        counts: TokenCounts | None = None
        if malformed is not None:
            completion = min(math.ceil(len(malformed) / BYTES_PER_TOKEN), expected.completion)
            counts = TokenCounts(prompt=expected.prompt, completion=completion)
        elif reply is not None and reply.attempts:
            counts = reply.usage.counts()
            if counts.unmetered:
                if reply.usage.prompt_tokens is None:
                    counts.prompt = expected.prompt
                if reply.usage.completion_tokens is None:
                    n_bytes = len(reply.raw or (reply.text or "").encode("utf-8", "replace"))
                    counts.completion = math.ceil(n_bytes / BYTES_PER_TOKEN)
                counts.unmetered = 0
            else:
                account.expected.setdefault(reservation.model, Expectation()).learn(reservation.n_bytes, counts)
        if counts is not None:
            account.spent.setdefault(reservation.model, TokenCounts()).add(counts)
        self._settled.set()

    def _expected(self, model: str) -> Expectation:
        found = Expectation()
        for account in self._accounts.values():
            if model in account.expected:
                found.add(account.expected[model])
        return found

    def _cost(self, model: str, counts: TokenCounts) -> float:
        cost = None if self.prices is None else self.prices.cost({model: counts})
        return cost or 0.0

    def _exceeded(self, more: Reservation) -> str | None:
        """The limit that a request would exceed, in words; None if it fits."""
        accounts = self._accounts.values()
        if self.max_tokens is not None:
            spent, next_one = self.tokens, more.counts.total
            reserved = self._reserved_tokens + sum(one.in_batches for one in accounts)
            if spent + reserved + next_one > self.max_tokens:
                return (
                    f"the budget of {count_noun(self.max_tokens, 'token')} is reached: {spent + reserved:,} are spent"
                    f"{_ON_THEIR_WAY if reserved else ''}, and the next request may take {next_one:,}"
                )
        if self.max_cost is not None and self.prices is not None:
            cost = self.cost
            if cost is None:
                # Such as tokens that the endpoint writes to its cache.
                return (
                    "tokens that were written to a cache are spent, and the prices have no cache_write_input for them"
                )
            reserved_cost = self._reserved_cost + sum(one.cost_in_batches for one in accounts)
            if cost + reserved_cost + more.cost > self.max_cost * _ROUNDING:
                return (
                    f"the budget of {format_amount(self.max_cost, self.prices.currency)} is reached: "
                    f"{format_amount(cost + reserved_cost)} are spent{_ON_THEIR_WAY if reserved_cost else ''}, "
                    f"and the next request may cost {format_amount(more.cost)}"
                )
        return None

    def _enter_loop(self) -> None:
        """Belong to the running loop: what was on its way in another one is gone with it."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._turn, self._settled = loop, asyncio.Lock(), asyncio.Event()
            self._on_their_way.clear()
            self._reserved_tokens, self._reserved_cost = 0, 0.0


def _name_of(ledger: SpendingRecord | None) -> object:
    return ledger if ledger is None or ledger.path is None else ledger.path.resolve()


_budget: ContextVar[Budget | None] = ContextVar("judgecore_budget", default=None)


@contextmanager
def spend_within(budget: Budget | None, ledger: SpendingRecord | None) -> Generator[None]:
    """Apply a budget to all requests inside, those of tasks that are started inside included."""
    if budget is None:
        yield
        return
    if _budget.get() not in (None, budget):
        raise ValueError("another budget applies already; give one budget, to the outermost call")
    if ledger is not None:
        budget.count_ledger(ledger)
    token = _budget.set(budget)
    try:
        yield
    finally:
        _budget.reset(token)


def recount_spending(ledger: SpendingRecord) -> None:
    """Count what a ledger has spent anew, in the budget that applies, if one does; its batches may have ended."""
    budget = _budget.get()
    if budget is not None:
        budget.count_ledger(ledger, is_again=True)


async def send_within_budget(
    target: Target,
    request: JudgeRequest,
    send: Callable[[], Awaitable[JudgeReply]] | None = None,
    *,
    payload: bytes | None = None,
    ledger: SpendingRecord | None = None,
) -> JudgeReply:
    """Send a request, by ``send`` if it is given, within the budget that applies, if one does."""
    send = send or partial(sent_plainly, target, request)
    budget = _budget.get()
    if budget is None:
        return await send()
    n_bytes = len(payload or payload_of(target, request))
    reservation = await budget.reserve(target, request, n_bytes, ledger=ledger)
    reply: JudgeReply | None = None
    malformed: bytes | None = None
    # What a target of the user's own asks meanwhile is part of this request.
    token = _budget.set(None)
    try:
        reply = received = await send()
    except MalformedReplyError as problem:
        malformed = problem.raw or b""
        raise
    finally:
        _budget.reset(token)
        budget.settle(reservation, reply, malformed=malformed)
    return received


async def reserve_in_batch(target: Target, request: JudgeRequest, payload: bytes, ledger: SpendingRecord) -> None:
    """Reserve what a request in a batch is expected to take, until the ledger is counted again."""
    budget = _budget.get()
    if budget is not None:
        await budget.reserve(target, request, len(payload), ledger=ledger, is_batch=True)


def payload_of(target: Target, request: JudgeRequest) -> bytes:
    """Return the body that a target sends for a request; of a target without bodies, the request as JSON."""
    pays = getattr(target, "payload", None)
    return canonical_json(request.to_json()) if pays is None else cast("bytes", pays(request))
