"""``Rubric``: several criteria for judging one response."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from judgecore.errors import PromptError
from judgecore.prompts.document import FORBID_OTHER_KEYS, Asset


@dataclass(frozen=True)
class RubricCriterion:
    """One criterion.

    Attributes:
        name: Its name; it becomes the part's ``Score.score_category``.
        description: What the lowest and the highest mark mean.
        weight: Its weight in the mean, above 0.
    """

    __pydantic_config__ = FORBID_OTHER_KEYS

    name: str
    description: str
    weight: float = 1.0


@dataclass(frozen=True)
class Rubric(Asset):
    """Criteria that share a scale.

    Attributes:
        category: What they measure together; it becomes ``Score.score_category``.
        criteria: At least one, with different names.
        low: The lowest mark.
        high: The highest mark.

    Raises:
        PromptError: If there is no criterion, two have the same name, a weight is not above 0, or ``low`` is not below
            ``high``.
    """

    category: str
    criteria: tuple[RubricCriterion, ...]
    low: int = 1
    high: int = 5

    def __post_init__(self) -> None:
        object.__setattr__(self, "criteria", tuple(self.criteria))
        names = [criterion.name for criterion in self.criteria]
        if not names:
            raise PromptError("criteria must not be empty")
        if len(set(names)) < len(names):
            raise PromptError(f"two criteria have the same name among {', '.join(names)}; rename one")
        if self.low >= self.high:
            raise PromptError(f"low must be below high, not {self.low} and {self.high}")
        for criterion in self.criteria:
            if not (math.isfinite(criterion.weight) and criterion.weight > 0):
                raise PromptError(f"the weight of {criterion.name!r} is {criterion.weight}; it must be above 0")

    def to_json(self) -> dict[str, Any]:
        """Return the rubric as JSON values."""
        criteria = [
            {"name": one.name, "description": one.description, "weight": float(one.weight)} for one in self.criteria
        ]
        return {"category": self.category, "criteria": criteria, "low": self.low, "high": self.high}
