"""``ScoreTally``: the counts of a scoring run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from judgecore.targets import RequestTally
from judgecore.terminal import count_noun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.evaluation import TokenPrices
    from judgecore.scorers import Score

# Error texts may differ in every row, so their number is limited.
ERRORS_APART = 100


@dataclass
class ScoreTally:
    """The counts of a scoring run.

    Attributes:
        rows: The number of scored rows, including undetermined ones.
        malformed: The number of malformed lines.
        reasons: The number of undetermined rows by reason.
        judge: The counts of requests and tokens.
        errors: The number of errors by text, for the first ``ERRORS_APART`` different texts.
    """

    rows: int = 0
    malformed: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    judge: RequestTally = field(default_factory=RequestTally)
    errors: Counter[str] = field(default_factory=Counter[str])

    @property
    def undetermined(self) -> int:
        """The number of rows without a verdict, including malformed lines."""
        return self.reasons.total() + self.malformed

    def add_scores(self, scores: Sequence[Score]) -> None:
        """Count the scores of one response."""
        self.rows += 1
        if scores[0].is_undetermined:
            self.reasons[scores[0].undetermined_reason or "undecided"] += 1
            error = scores[0].score_rationale if scores[0].undetermined_reason == "error" else ""
            if error and (error in self.errors or len(self.errors) < ERRORS_APART):
                self.errors[error] += 1

    def cost(self, prices: TokenPrices | None) -> float | None:
        """Return the cost of the judge's tokens; None if the prices are unknown."""
        if prices is None:
            return None
        judge = self.judge
        of_batches = prices.cost(judge.batch_prompt_tokens, judge.batch_completion_tokens) * prices.batch_share
        return prices.cost(judge.prompt_tokens, judge.completion_tokens) + of_batches

    def to_json(self, prices: TokenPrices | None) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "rows_in": self.rows + self.malformed,
            "rows": self.rows,
            "rejected": self.malformed,
            "undetermined": self.reasons.total(),
            "reasons": dict(self.reasons.most_common()),
            "asked": self.judge.calls,
            "collected": self.judge.collected,
            "replayed": self.judge.replayed,
            "prompt_tokens": self.judge.prompt_tokens + self.judge.batch_prompt_tokens,
            "completion_tokens": self.judge.completion_tokens + self.judge.batch_completion_tokens,
            "cost": self.cost(prices),
        }

    def summarize(self, seconds: float, prices: TokenPrices | None) -> str:
        """Return the counts and the rate in one line.

        Args:
            seconds: The elapsed time in seconds; at least a millisecond is assumed.
            prices: The prices of tokens; None if unknown.
        """
        judge, cost = self.judge, self.cost(prices)
        n_tokens = judge.prompt_tokens + judge.completion_tokens
        n_tokens += judge.batch_prompt_tokens + judge.batch_completion_tokens
        parts = [
            count_noun(self.rows, "row"),
            f"{self.undetermined:,} undetermined",
            f"{self.rows / max(seconds, 0.001):,.0f} rows/s",
            f"{judge.calls:,} asked",
            f"{judge.collected:,} collected" if judge.collected else "",
            f"{judge.replayed:,} replayed" if judge.replayed else "",
            f"{n_tokens:,} tokens" if judge.calls or judge.collected else "",
            "" if cost is None else f"cost {cost:,.4f}",
        ]
        return ", ".join(part for part in parts if part)
