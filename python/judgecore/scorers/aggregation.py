"""Aggregators: combine several scores to one value, in three-valued logic."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

from judgecore.scorers.score import Metadata, Score, categories_of, metadata_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Rounds off floating-point noise: the mean of 0.1, 0.2 and 0.3 is 0.2.
_DIGITS = 10


@dataclass(frozen=True, kw_only=True)
class ScoreAggregatorResult:
    """The result of aggregating several scores.

    Attributes:
        value: A boolean, a number from 0 to 1, or None if it is undetermined.
        description: The meaning of the value.
        rationale: The rationales of the scores, one per line.
        metadata: The entries of the scores' metadata that do not contradict each other.
        category: The categories of the scores.
        reason: Why there is no value, ``empty`` or ``undecided``; None if there is one.
    """

    value: bool | float | None
    description: str = ""
    rationale: str = ""
    metadata: Metadata = field(default_factory=dict[str, "str | int | float | bool"])
    category: list[str] = field(default_factory=list[str])
    reason: str | None = None


class TrueFalseScoreAggregator(Enum):
    """Aggregates true/false scores; an undetermined score counts as neither.

    ``AND`` is false if any score is false, ``OR`` is true if any is true, and ``MAJORITY`` is true if more than half
    are true; a tie is false. The value is undetermined if undetermined scores could change it, or if there are none.

    Examples:
        >>> from judgecore.scorers import TrueFalseScoreAggregator
        >>> TrueFalseScoreAggregator.AND([True, None]).value is None
        True
        >>> TrueFalseScoreAggregator.MAJORITY([True, True, None]).value
        True
    """

    AND = "AND"
    OR = "OR"
    MAJORITY = "MAJORITY"

    def __call__(self, scores: Iterable[Score | bool | None]) -> ScoreAggregatorResult:
        """Aggregate."""
        given = list(scores)
        values = [cast("bool | None", value_of(score, "true_false")) for score in given]
        return _result(given, self._decide(values), self.value)

    def _decide(self, values: Sequence[bool | None]) -> bool | None:
        if not values:
            return None
        n_true, n_open = values.count(True), values.count(None)
        if self is TrueFalseScoreAggregator.AND:
            least, most = n_true == len(values), n_true + n_open == len(values)
        elif self is TrueFalseScoreAggregator.OR:
            least, most = n_true > 0, n_true + n_open > 0
        else:
            least, most = 2 * n_true > len(values), 2 * (n_true + n_open) > len(values)
        return least if least == most else None


class FloatScaleScoreAggregator(Enum):
    """Aggregates scores from 0 to 1; the value is undetermined if any score is, or if there are none.

    Members that end in ``RAISE_ON_EMPTY`` raise an error if there are no scores.

    Examples:
        >>> from judgecore.scorers import FloatScaleScoreAggregator
        >>> FloatScaleScoreAggregator.AVERAGE([0.1, 0.2, 0.3]).value
        0.2
    """

    AVERAGE = "AVERAGE"
    MAX = "MAX"
    MIN = "MIN"
    AVERAGE_RAISE_ON_EMPTY = "AVERAGE_RAISE_ON_EMPTY"
    MAX_RAISE_ON_EMPTY = "MAX_RAISE_ON_EMPTY"
    MIN_RAISE_ON_EMPTY = "MIN_RAISE_ON_EMPTY"

    def __call__(self, scores: Iterable[Score | float | None]) -> ScoreAggregatorResult:
        """Aggregate."""
        given = list(scores)
        if not given and self.name.endswith("RAISE_ON_EMPTY"):
            raise ValueError("there are no scores to aggregate")
        values = [value_of(score, "float_scale") for score in given]
        known = [value for value in values if value is not None]
        value = self._combine(known) if known and len(known) == len(values) else None
        return _result(given, value, self.value.removesuffix("_RAISE_ON_EMPTY"))

    def _combine(self, values: Sequence[float]) -> float:
        if self.name.startswith("MAX"):
            return max(values)
        if self.name.startswith("MIN"):
            return min(values)
        return round(math.fsum(values) / len(values), _DIGITS)


class FloatScaleScorerByCategory(Enum):
    """Aggregates scores from 0 to 1 by their first category.

    Examples:
        >>> from judgecore import Score
        >>> from judgecore.scorers import FloatScaleScorerByCategory
        >>> scores = [
        ...     Score(score_type="float_scale", score_value=value, score_category=[category])
        ...     for value, category in ((0.2, "a"), (1, "b"))
        ... ]
        >>> [result.value for result in FloatScaleScorerByCategory.MAX(scores)]
        [0.2, 1.0]
    """

    AVERAGE = "AVERAGE"
    MAX = "MAX"
    MIN = "MIN"

    def __call__(self, scores: Iterable[Score]) -> list[ScoreAggregatorResult]:
        """Aggregate each category separately."""
        groups: defaultdict[str, list[Score]] = defaultdict(list)
        for score in scores:
            groups[next(iter(score.score_category), "")].append(score)
        combine = FloatScaleScoreAggregator[self.name]
        return [combine(group) for _, group in sorted(groups.items())]


def value_of(score: Score | float | None, score_type: str) -> bool | float | None:
    """Return the value of a score, or a bare value; None if it is undetermined."""
    if isinstance(score, Score):
        if score.score_type != score_type:
            raise ValueError(f"all scores must be {score_type}, but one is {score.score_type}")
        return None if score.is_undetermined else score.get_value()
    if score is None or isinstance(score, bool) == (score_type == "true_false"):
        return score
    raise ValueError(f"all scores must be {score_type}, but one is {score!r}")


def _result(given: Sequence[Any], value: float | None, name: str) -> ScoreAggregatorResult:
    scores = [score for score in given if isinstance(score, Score)]
    if not given:
        return ScoreAggregatorResult(value=None, description=f"{name} of no scores", reason="empty")
    description = f"{name} of {len(given)} scores"
    rationales = [score.score_rationale if len(scores) == 1 else _line(score) for score in scores]
    if len(scores) == 1 == len(given):
        description = scores[0].score_value_description or description
    return ScoreAggregatorResult(
        value=value,
        description=description,
        rationale="\n".join(rationales),
        metadata=metadata_of(scores),
        category=categories_of(scores),
        reason="undecided" if value is None else None,
    )


def _line(score: Score) -> str:
    name = "score" if score.scorer_identifier is None else score.scorer_identifier.class_name
    value = f"undetermined ({score.undetermined_reason})" if score.is_undetermined else score.score_value
    return f"- {name}: {value}. {score.score_rationale}".rstrip()
