"""Aggregators: several scores become one value, in three-valued logic."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

from judgecore.scorers.score import Metadata, Score, categories_of, metadata_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# The last digits of a mean are noise of the sum: 0.1, 0.2 and 0.3 have the mean 0.2.
_DIGITS = 10


@dataclass(frozen=True, kw_only=True)
class ScoreAggregatorResult:
    """What several scores say together.

    Attributes:
        value: A boolean, a number from 0 to 1, or None where it is undetermined.
        description: What the value means.
        rationale: The reasons of the scores, a line for each.
        metadata: What the scores know and do not contradict.
        category: Their categories.
        reason: Why there is no value, ``empty`` or ``undecided``; None where there is one.
    """

    value: bool | float | None
    description: str = ""
    rationale: str = ""
    metadata: Metadata = field(default_factory=dict[str, "str | int | float | bool"])
    category: list[str] = field(default_factory=list[str])
    reason: str | None = None


class TrueFalseScoreAggregator(Enum):
    """True/false scores become one; an undetermined score counts as neither.

    ``AND`` is false as soon as one is false, ``OR`` true as soon as one is true, ``MAJORITY`` true if more than half
    are true; a tie is false. Where undetermined scores could change that, the value is undetermined, and of no scores.

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
        """Aggregate.

        Args:
            scores: True/false scores, or their bare values with None for undetermined ones.

        Raises:
            ValueError: If a score is of another type.
        """
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
    """Scores from 0 to 1 become one; one undetermined score leaves the value undetermined, and so do no scores.

    The members that end in ``RAISE_ON_EMPTY`` raise where there are no scores.

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
        """Aggregate.

        Args:
            scores: Float-scale scores, or their bare values with None for undetermined ones.

        Raises:
            ValueError: If a score is of another type, or there are none and the member raises then.
        """
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
    """Scores from 0 to 1 become one for each category, by the first category of each.

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
        """Aggregate each category by itself.

        Args:
            scores: Float-scale scores.

        Returns:
            A result for each category, by name; those without a category together come first.

        Raises:
            ValueError: If a score is of another type.
        """
        groups: defaultdict[str, list[Score]] = defaultdict(list)
        for score in scores:
            groups[next(iter(score.score_category), "")].append(score)
        combine = FloatScaleScoreAggregator[self.name]
        return [combine(group) for _, group in sorted(groups.items())]


def value_of(score: Score | float | None, score_type: str) -> bool | float | None:
    """Return the value of a score, or of what stands for one; None if it is undetermined.

    Raises:
        ValueError: If it is of another type.
    """
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
    if len(scores) == 1 == len(given):
        description = scores[0].score_value_description or description
    return ScoreAggregatorResult(
        value=value,
        description=description,
        rationale="\n".join(_line(score) for score in scores) if len(scores) > 1 else _only_rationale(scores),
        metadata=metadata_of(scores),
        category=categories_of(scores),
        reason="undecided" if value is None else None,
    )


def _only_rationale(scores: Sequence[Score]) -> str:
    return scores[0].score_rationale if scores else ""


def _line(score: Score) -> str:
    """A score in the rationale of those that it was aggregated with."""
    name = "score" if score.scorer_identifier is None else score.scorer_identifier.class_name
    value = f"undetermined ({score.undetermined_reason})" if score.is_undetermined else score.score_value
    return f"- {name}: {value}. {score.score_rationale}".rstrip()
