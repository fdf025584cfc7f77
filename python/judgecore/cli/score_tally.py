"""What a scoring has come to: rate, tokens, cost, and what stayed undetermined."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from judgecore.targets import RequestTally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.evaluation import TokenPrices
    from judgecore.scorers import Score

# Texts may differ in every row, and a tally is as small after a million.
ERRORS_APART = 100


@dataclass
class ScoreTally:
    """What has been scored so far, and what it took.

    Attributes:
        rows: Rows that have a score.
        malformed: Lines that are no row.
        reasons: How many are undetermined, by reason.
        judge: What the judge was asked.
        errors: How often each error was met, by its text; of the first ERRORS_APART texts.
    """

    rows: int = 0
    malformed: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    judge: RequestTally = field(default_factory=RequestTally)
    errors: Counter[str] = field(default_factory=Counter[str])

    @property
    def undetermined(self) -> int:
        """Rows without a verdict, and lines that are no row."""
        return self.reasons.total() + self.malformed

    def add_scores(self, scores: Sequence[Score]) -> None:
        """Count the scores of one response."""
        self.rows += 1
        if scores[0].is_undetermined:
            self.reasons[scores[0].undetermined_reason or "undecided"] += 1
            said = scores[0].score_rationale if scores[0].undetermined_reason == "error" else ""
            if said and (said in self.errors or len(self.errors) < ERRORS_APART):
                self.errors[said] += 1

    def cost(self, prices: TokenPrices | None) -> float | None:
        """Return what the judge's tokens cost; None where nobody said the prices."""
        return None if prices is None else prices.cost(self.judge.prompt_tokens, self.judge.completion_tokens)

    def to_json(self, prices: TokenPrices | None) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "rows_in": self.rows + self.malformed,
            "rows": self.rows,
            "rejected": self.malformed,
            "undetermined": self.reasons.total(),
            "reasons": dict(self.reasons.most_common()),
            "asked": self.judge.calls,
            "replayed": self.judge.replayed,
            "prompt_tokens": self.judge.prompt_tokens,
            "completion_tokens": self.judge.completion_tokens,
            "cost": self.cost(prices),
        }

    def summarize(self, seconds: float, prices: TokenPrices | None) -> str:
        """Say it in a line.

        Args:
            seconds: In how long; 0 counts as a millisecond.
            prices: What tokens cost; None where nobody said it.
        """
        judge, cost = self.judge, self.cost(prices)
        parts = [
            f"{self.rows:,} {'row' if self.rows == 1 else 'rows'}",
            f"{self.undetermined:,} undetermined",
            f"{self.rows / max(seconds, 0.001):,.0f} rows/s",
            f"{judge.calls:,} asked",
            f"{judge.replayed:,} replayed" if judge.replayed else "",
            f"{judge.prompt_tokens + judge.completion_tokens:,} tokens" if judge.calls else "",
            "" if cost is None else f"cost {cost:,.4f}",
        ]
        return ", ".join(part for part in parts if part)
