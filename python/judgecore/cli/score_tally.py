"""``ScoreTally``: the counts of a scoring run."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from judgecore.targets import RequestTally
from judgecore.targets.prices import format_amount
from judgecore.terminal import count_noun, escape_controls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.cli.progress import Part
    from judgecore.scorers import Score
    from judgecore.targets import Budget, PriceTable

# Error texts may differ in every row, so their number is limited.
ERRORS_APART = 100
_CAUSES_SHOWN = 5
# The reason of a row whose reply a batch will bring.
_PENDING = "pending"
# A number of tokens is shown in thousands from here on.
_MANY_TOKENS = 10_000
# More different scores are counted by tenths of the scale.
_MOST_VALUES = 11


def show_cost(prices: PriceTable | None, cost: float | None, *, places: int = 4) -> str:
    """Return a cost with its currency, for people; empty without prices, and unknown if the cost is None."""
    if prices is None:
        return ""
    return "cost unknown" if cost is None else f"cost {_show_amount(cost, places)} {prices.currency}".rstrip()


def _show_amount(amount: float, places: int) -> str:
    """Return an amount with a fixed number of decimal places, unless it is so small that they would hide it."""
    return f"{amount:,.{places}f}" if amount == 0 or round(amount, places) else format_amount(amount)


def show_budget(budget: Budget | None, *, is_short: bool = False) -> str:
    """Return how much of a budget is spent, earlier runs included, for people; nothing without a budget."""
    if budget is None:
        return ""
    parts: list[str] = []
    if budget.max_cost is not None and budget.prices is not None and budget.cost is not None:
        limit = format_amount(budget.max_cost, budget.prices.currency)
        spent = _show_amount(budget.cost, 2 if is_short else 4)
        parts.append(f"{spent}/{limit}" if is_short else f"{spent} of {limit}")
    if budget.max_tokens is not None:
        spent, limit = budget.tokens, budget.max_tokens
        long = f"{spent:,} of {count_noun(limit, 'token')}"
        parts.append(f"{shorten_count(spent)}/{shorten_count(limit)} tok" if is_short else long)
    return f"spent {', '.join(parts)}" if is_short else f"budget: {' and '.join(parts)}"


def budget_to_json(budget: Budget | None) -> dict[str, Any] | None:
    """Return a budget and what is spent of it, earlier runs included, as JSON values; None without one."""
    if budget is None:
        return None
    names = ("max_cost", "max_tokens", "cost", "tokens", "is_reached")
    return {name: getattr(budget, name) for name in names}


def shorten_count(count: int) -> str:
    """Write a count with at most three digits before its unit.

    Examples:
        >>> shorten_count(9_999), shorten_count(78_300), shorten_count(999_999), shorten_count(1_234_567)
        ('9,999', '78k', '1.0M', '1.2M')
    """
    if count < _MANY_TOKENS:
        return f"{count:,}"
    thousands = round(count / 1000)
    return f"{thousands}k" if thousands < 1000 else f"{count / 1_000_000:,.1f}M"  # noqa: PLR2004 - a million


@dataclass
class ScoreTally:
    """The counts of a scoring run."""

    rows: int = 0
    malformed: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    not_asked: Counter[str] = field(default_factory=Counter[str])
    judge: RequestTally = field(default_factory=RequestTally)
    errors: Counter[str] = field(default_factory=Counter[str])
    first_reason: str = ""
    noun: str = "row"
    values: Counter[bool | float] = field(default_factory=Counter["bool | float"])

    @property
    def undetermined(self) -> int:
        """The number of rows that were asked and have no verdict, and of malformed lines."""
        return self.reasons.total() + self.malformed

    def follow(self, done: int, _total: int, scores: Sequence[Score]) -> None:
        """Count the scores of one response of an evaluation, which begins again with 1 after batches."""
        if done == 1:
            fresh = ScoreTally(judge=self.judge, noun=self.noun)
            vars(self).update(vars(fresh))
        self.add_scores(scores)

    def add_scores(self, scores: Sequence[Score]) -> None:
        """Count the scores of one response."""
        self.rows += 1
        if scores[0].is_not_asked:
            self.not_asked[scores[0].undetermined_reason or "not_asked"] += 1
            error = scores[0].score_rationale
        elif scores[0].is_undetermined:
            reason, problem = scores[0].undetermined_reason or "undecided", scores[0].error
            self.reasons[reason] += 1
            if reason != _PENDING:
                self.first_reason = self.first_reason or (reason if problem is None else type(problem).__name__)
            error = scores[0].score_rationale if scores[0].undetermined_reason == "error" else ""
        else:
            value = scores[0].get_value()
            self.values[value if isinstance(value, bool) else round(value, 2)] += 1
            return
        if error and (error in self.errors or len(self.errors) < ERRORS_APART):
            self.errors[error] += 1

    def cost(self, prices: PriceTable | None) -> float | None:
        """Return the cost of the judge's tokens; None if the prices are unknown."""
        return None if prices is None else prices.cost(self.judge.tokens)

    def to_json(self, prices: PriceTable | None, budget: Budget | None) -> dict[str, Any]:
        """Return it as JSON values."""
        tokens = self.judge.total
        return {
            "rows_in": self.rows + self.malformed,
            "rows": self.rows,
            "rejected": self.malformed,
            "undetermined": self.reasons.total(),
            "reasons": dict(self.reasons.most_common()),
            "not_asked": dict(self.not_asked.most_common()),
            "causes": dict(self.errors.most_common(_CAUSES_SHOWN)),
            "distribution": dict(self.distribution),
            "served": [asdict(one) for one in self.judge.served.values()],
            "asked": self.judge.calls,
            "collected": self.judge.collected,
            "replayed": self.judge.replayed,
            "prompt_tokens": tokens.sent,
            "completion_tokens": tokens.received,
            "cached_tokens": tokens.cached,
            "cost": self.cost(prices),
            "currency": None if prices is None else prices.currency or None,
            "budget": budget_to_json(budget),
        }

    def facts(self, prices: PriceTable | None) -> list[tuple[str, str]]:
        """Return what the run took, as names and texts."""
        tokens, cost = self.judge.total, self.cost(prices)
        return [
            ("requests sent", f"{self.judge.calls:,}"),
            ("replies taken from the ledger", f"{self.judge.replayed:,}"),
            ("tokens in", f"{tokens.sent:,}"),
            ("tokens out", f"{tokens.received:,}"),
            ("price", "not known" if cost is None else show_cost(prices, cost).removeprefix("cost ")),
        ]

    @property
    def distribution(self) -> list[tuple[str, int]]:
        """The number of rows by value: true and false, up to eleven different numbers, or tenths of the scale."""
        if set(self.values) <= {False, True} and all(isinstance(one, bool) for one in self.values):
            return [(str(value).lower(), self.values[value]) for value in (True, False)] if self.values else []
        if len(self.values) <= _MOST_VALUES:
            return [(f"{value:.2f}", self.values[value]) for value in sorted(self.values)]
        bins = Counter(dict.fromkeys(range(10), 0))
        for value, count in self.values.items():
            bins[min(int(value * 10), 9)] += count
        return [(f"{tenth / 10:.1f}-{(tenth + 1) / 10:.1f}", bins[tenth]) for tenth in range(10)]

    def describe_progress(
        self, total: int | None, rate: float, prices: PriceTable | None, budget: Budget | None
    ) -> list[Part]:
        """Return the facts of a progress line; the rate is in rows per second, the total None if unknown."""
        n_read = self.rows + self.malformed
        judge, rows, tokens, cost = self.judge, f"{n_read:,}", self.judge.total.total, self.cost(prices)
        unit, pace = ("s", rate) if rate >= 1 else ("min", rate * 60)
        parts: list[Part] = [
            (f"{rows} of {total:,} {self.noun}s", f"{rows}/{total:,}") if total else (count_noun(n_read, self.noun),),
        ]
        if rate > 0:
            parts.append((f"{pace:,.0f} {self.noun}s/{unit}", f"{pace:,.0f}/{unit}"))
        if judge.calls or judge.in_flight:
            parts.append((f"{judge.in_flight:,} in flight",))
        if judge.calls or judge.collected:
            parts.append((count_noun(tokens, "token"), f"{shorten_count(tokens)} tok"))
        if budget is None or budget.max_cost is None:
            parts.append((show_cost(prices, cost), show_cost(prices, cost, places=2)))
        parts.append((show_budget(budget), show_budget(budget, is_short=True)))
        if self.not_asked:
            parts.append((f"{self.not_asked.total():,} not asked",))
        if n_pending := self.reasons[_PENDING]:
            parts.append((f"{n_pending:,} pending",))
        if n_others := self.undetermined - n_pending:
            said = escape_controls(self.first_reason or "malformed line")
            parts.append((f"{n_others:,} undetermined ({said})", f"{n_others:,} undet. ({said})"))
        return parts

    def summarize(self, seconds: float, prices: PriceTable | None, budget: Budget | None = None) -> str:
        """Return the counts and the rate in one line."""
        parts = [
            count_noun(self.rows + self.malformed, "row"),
            f"{self.undetermined:,} undetermined",
            f"{self.not_asked.total():,} not asked" if self.not_asked else "",
            f"{self.rows / max(seconds, 0.001):,.0f} rows/s",
            self.describe_spending(prices, budget),
        ]
        return ", ".join(part for part in parts if part)

    def describe_spending(self, prices: PriceTable | None, budget: Budget | None) -> str:
        """Return what was asked and spent, in one line."""
        judge = self.judge
        parts = (
            f"{judge.calls:,} asked",
            f"{judge.collected:,} collected" if judge.collected else "",
            f"{judge.replayed:,} replayed" if judge.replayed else "",
            count_noun(judge.total.total, "token") if judge.calls or judge.collected else "",
            f"{judge.total.cached:,} of them cached" if judge.total.cached else "",
            show_cost(prices, self.cost(prices)),
            show_budget(budget),
        )
        return ", ".join(part for part in parts if part)
