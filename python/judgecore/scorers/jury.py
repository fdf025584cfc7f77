"""``JuryScorer``: combines several judges by vote."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from judgecore.scorers.aggregation import FloatScaleScoreAggregator, ScoreAggregatorResult, TrueFalseScoreAggregator
from judgecore.scorers.composition import aggregated, of_type
from judgecore.scorers.registration import register_scorer
from judgecore.scorers.scorer import Scorer
from judgecore.scorers.stream import score_each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.identity import ComponentIdentifier
    from judgecore.scorers.response import Response
    from judgecore.scorers.score import Metadata, Score


@register_scorer("jury")
class JuryScorer(Scorer):
    """Combines the votes of several scorers, usually the same scorer with several judges.

    Judges are not independent: they were trained on similar data, and their errors are correlated.

    Args:
        scorers: At least two scorers of the same type.
        aggregator: The aggregator of the votes; by default the majority, or the mean of numbers.
        quorum: The number of determined votes that suffices; undetermined votes are then ignored. If None, an
            undetermined vote can leave the verdict undetermined.

    Raises:
        ValueError: If there are fewer than two scorers, their types differ, the aggregator is for another type, or the
            quorum is below 1 or above their number.
    """

    def __init__(
        self,
        *,
        scorers: Sequence[Scorer],
        aggregator: TrueFalseScoreAggregator | FloatScaleScoreAggregator | None = None,
        quorum: int | None = None,
    ) -> None:
        if len(scorers) < 2:  # noqa: PLR2004 - one is no jury
            raise ValueError(f"a jury has at least two scorers, this one has {len(scorers)}")
        self.score_type = scorers[0].score_type  # pyright: ignore[reportAttributeAccessIssue] - a jury is of its scorers' kind
        self._scorers = of_type(scorers, self.score_type)
        is_true_false = self.score_type == "true_false"
        kind = TrueFalseScoreAggregator if is_true_false else FloatScaleScoreAggregator
        default = TrueFalseScoreAggregator.MAJORITY if is_true_false else FloatScaleScoreAggregator.AVERAGE
        self._aggregator = aggregator or default
        if type(self._aggregator) is not kind:
            raise ValueError(f"{self._aggregator} does not aggregate {self.score_type} scores; take a {kind.__name__}")
        if quorum is not None and not 1 <= quorum <= len(scorers):
            raise ValueError(f"the quorum lies between 1 and {len(scorers)}, not {quorum}")
        self._quorum = quorum

    async def score_async(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Score with all scorers concurrently, and count the votes."""
        scores = await score_each(self._scorers, response, trial=trial)
        determined = [score for score in scores if not score.is_undetermined]
        result = self._aggregator(scores if self._quorum is None else determined)
        if self._quorum is not None and len(determined) < self._quorum:
            result = replace(result, value=None, reason="undecided")
        return [
            aggregated(self, replace(result, metadata={**result.metadata, **_votes(scores, result)}), scores, response)
        ]

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        return {"score_aggregator": self._aggregator.value, "quorum": self._quorum}

    def children(self) -> dict[str, Sequence[ComponentIdentifier]]:
        """Return the identities of the scorers, in order."""
        return {"sub_scorers": [scorer.get_identifier() for scorer in self._scorers]}


def _votes(scores: Sequence[Score], result: ScoreAggregatorResult) -> Metadata:
    """Return all votes, and the share of determined votes that agree with the verdict, or the spread of numbers."""
    votes = ["undetermined" if score.is_undetermined else str(score.score_value) for score in scores]
    known: Metadata = {"votes": ",".join(votes), "n_undetermined": votes.count("undetermined")}
    determined = [score.get_value() for score in scores if not score.is_undetermined]
    if isinstance(result.value, bool) and determined:
        known["agreement"] = determined.count(result.value) / len(determined)
    elif determined:
        known["spread"] = float(max(determined)) - float(min(determined))
    return known
