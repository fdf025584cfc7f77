"""Scorers that combine, invert or threshold other scorers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from judgecore.scorers.aggregation import FloatScaleScoreAggregator, TrueFalseScoreAggregator
from judgecore.scorers.registration import register_scorer
from judgecore.scorers.scorer import Scorer
from judgecore.scorers.stream import score_each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.identity import ComponentIdentifier
    from judgecore.scorers.aggregation import ScoreAggregatorResult
    from judgecore.scorers.response import Response
    from judgecore.scorers.score import Score, ScoreType


class CombiningScorer(Scorer):
    """A true/false scorer that asks other scorers."""

    score_type: ClassVar[ScoreType] = "true_false"
    _scorers: list[Scorer]

    def children(self) -> dict[str, Sequence[ComponentIdentifier]]:
        """Return the identities of the scorers, in order."""
        return {"sub_scorers": [scorer.get_identifier() for scorer in self._scorers]}


@register_scorer("true_false_composite")
class TrueFalseCompositeScorer(CombiningScorer):
    """Aggregates several true/false scorers; one that fails counts as undetermined.

    Args:
        aggregator: The aggregator of the scores.
        scorers: At least one true/false scorer.

    Raises:
        ValueError: If there are no scorers, or one is not a true/false scorer.

    Examples:
        >>> import asyncio
        >>> from judgecore.scorers import SubStringScorer, TrueFalseCompositeScorer, TrueFalseScoreAggregator
        >>> both = TrueFalseCompositeScorer(
        ...     aggregator=TrueFalseScoreAggregator.AND,
        ...     scorers=[SubStringScorer(substring="rain"), SubStringScorer(substring="sun")],
        ... )
        >>> [score] = asyncio.run(both.score_text_async("rain and sun"))
        >>> score.get_value()
        True
    """

    def __init__(self, *, aggregator: TrueFalseScoreAggregator, scorers: Sequence[Scorer]) -> None:
        self._aggregator = TrueFalseScoreAggregator(aggregator)
        self._scorers = of_type(scorers, "true_false")

    async def score_async(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Score with all scorers concurrently, and aggregate the scores."""
        scores = await score_each(self._scorers, response, trial=trial)
        return [aggregated(self, self._aggregator(scores), scores, response)]

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        return {"score_aggregator": self._aggregator.value}


@register_scorer("true_false_inverter")
class TrueFalseInverterScorer(CombiningScorer):
    """Inverts a true/false scorer; undetermined scores stay undetermined.

    Args:
        scorer: The scorer.

    Raises:
        ValueError: If it is not a true/false scorer.
    """

    def __init__(self, *, scorer: Scorer) -> None:
        self._scorers = of_type([scorer], "true_false")

    async def score_async(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Score, and invert the verdict."""
        [score] = await score_each(self._scorers, response, trial=trial)
        rationale = f"the opposite of: {score.score_rationale}"
        changed = {"score_rationale": rationale, "scorer_identifier": self.known_identifier, "parts": (score,)}
        if score.is_undetermined:
            return [replace(score, **changed)]
        return [replace(score, score_value=str(not score.get_value()), score_value_description="", **changed)]

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        return {}


@register_scorer("float_scale_threshold")
class FloatScaleThresholdScorer(CombiningScorer):
    """True if a scorer's number is at least a threshold.

    Args:
        scorer: A float-scale scorer.
        threshold: The threshold, above 0 and at most 1.
        float_scale_aggregator: The aggregator of several scores of one response; by default the maximum.

    Raises:
        ValueError: If the threshold is out of range, or the scorer is not a float-scale scorer.
    """

    def __init__(
        self,
        *,
        scorer: Scorer,
        threshold: float,
        float_scale_aggregator: FloatScaleScoreAggregator = FloatScaleScoreAggregator.MAX,
    ) -> None:
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold lies above 0 and is at most 1, not {threshold}")
        self._scorers = of_type([scorer], "float_scale")
        self._threshold = float(threshold)
        self._aggregator = FloatScaleScoreAggregator(float_scale_aggregator)

    async def score_async(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Score, and compare the number with the threshold."""
        scores = await self._scorers[0].score_present(response, trial=trial)
        result = self._aggregator(scores)
        if result.value is None:
            return [aggregated(self, result, scores, response)]
        is_reached = result.value >= self._threshold
        comparison = f"{result.value:g} {'reaches' if is_reached else 'is below'} {self._threshold:g}"
        verdict = replace(
            result,
            value=is_reached,
            rationale=f"{comparison}: {result.rationale}",
            metadata={**result.metadata, "original_float_value": float(result.value)},
        )
        return [aggregated(self, verdict, scores, response)]

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        return {"threshold": self._threshold, "float_scale_aggregator": self._aggregator.value}


def of_type(scorers: Sequence[Scorer], score_type: ScoreType) -> list[Scorer]:
    """Return scorers as a list; there must be some, all of one type."""
    if not scorers:
        raise ValueError("there are no scorers; give at least one")
    for scorer in scorers:
        if scorer.score_type != score_type:
            raise ValueError(f"{type(scorer).__name__} gives {scorer.score_type} scores; {score_type} ones are needed")
    return list(scorers)


def aggregated(scorer: Scorer, result: ScoreAggregatorResult, scores: Sequence[Score], response: Response) -> Score:
    """Make a score from the result of an aggregator; the aggregated scores become its parts."""
    common: dict[str, Any] = {
        "score_rationale": result.rationale,
        "score_value_description": result.description,
        "score_category": result.category,
        "score_metadata": result.metadata,
        "attempts": sum(score.attempts for score in scores),
        "objective": response.objective,
        "parts": tuple(scores),
    }
    if result.value is None:
        return scorer.make_undetermined(result.reason or "undecided", **common)
    return scorer.make_score(result.value, **common)
