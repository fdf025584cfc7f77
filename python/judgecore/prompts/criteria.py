"""What judges are asked about: true/false questions, categories, Likert and numeric scales, and rubrics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from judgecore.errors import PromptError
from judgecore.prompts.document import FORBID_OTHER_KEYS, Asset


def plain_number(number: float) -> float:
    """Return a number in the form used in prompts and identities: integral floats as integers."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


@dataclass(frozen=True)
class LikertLevel:
    """One level of a Likert scale.

    Attributes:
        value: Its number.
        description: What characterizes a response on this level.
    """

    __pydantic_config__ = FORBID_OTHER_KEYS

    value: int
    description: str


@dataclass(frozen=True)
class LikertScale(Asset):
    """A scale of described levels in ascending order.

    A YAML file may have ``scale_descriptions`` in place of ``levels``, each with a ``score_value`` and a
    ``description``, as in PyRIT's harm definitions.

    Attributes:
        category: What is measured; it becomes ``Score.score_category``.
        levels: At least two, with ascending integers.
        version: The version of the wording; it changes whenever a level's meaning changes.

    Raises:
        PromptError: If there are fewer than two levels, their numbers do not ascend, or a description is empty.
    """

    category: str
    levels: tuple[LikertLevel, ...]
    version: str = "1.0"

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        values = [level.value for level in self.levels]
        if len(values) < 2:  # noqa: PLR2004 - fewer make no scale
            raise PromptError(f"a Likert scale needs at least two levels, this one has {len(values)}")
        if any(one >= after for one, after in pairwise(values)):
            raise PromptError(f"the levels' numbers must ascend, but are {values}")
        blank = [level.value for level in self.levels if not level.description.strip()]
        if blank:
            raise PromptError(f"level {blank[0]} has no description")

    @property
    def low(self) -> int:
        """The lowest level's number."""
        return self.levels[0].value

    @property
    def high(self) -> int:
        """The highest level's number."""
        return self.levels[-1].value

    @classmethod
    def _rename(cls, document: dict[str, Any]) -> dict[str, Any]:
        """Convert PyRIT's keys of levels to ours."""
        if "scale_descriptions" not in document:
            return document
        entries: object = document.pop("scale_descriptions")
        if not isinstance(entries, list):
            raise PromptError("scale_descriptions must be a list of score_value and description")
        document["levels"] = [_level_of(entry) for entry in cast("list[object]", entries)]
        return document


@dataclass(frozen=True)
class NumericScale(Asset):
    """A range of numbers with descriptions of its ends.

    Attributes:
        category: What is measured; it becomes ``Score.score_category``.
        low: The lowest number.
        high: The highest number.
        low_description: What characterizes a response at the low end.
        high_description: What characterizes a response at the high end.
        steps: A description of the values between; "" for none.
        integer: Whether only integers are valid.

    Raises:
        PromptError: If ``low`` is not below ``high``, or one is not finite.
    """

    category: str
    low: float
    high: float
    low_description: str = ""
    high_description: str = ""
    steps: str = ""
    integer: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise PromptError(f"low must be below high, and both finite, not {self.low} and {self.high}")
        for name in ("low", "high"):
            object.__setattr__(self, name, plain_number(getattr(self, name)))


def _level_of(entry: object) -> dict[str, Any]:
    named = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    if named.keys() != {"score_value", "description"}:
        raise PromptError("each of scale_descriptions must have the keys score_value and description, and no others")
    value: Any = named["score_value"]
    if isinstance(value, str) and value.strip().isascii() and value.strip().removeprefix("-").isdigit():
        value = int(value)
    return {"value": value, "description": named["description"]}


OTHERWISE = "Everything that the description of true does not cover."


@dataclass(frozen=True)
class TrueFalseQuestion(Asset):
    """A question that is answered with true or false.

    Attributes:
        category: Its subject; it becomes ``Score.score_category``.
        true_description: When the answer is true.
        false_description: When the answer is false; by default whenever it is not true.
        metadata: Additional information that the judge should record; "" for none.

    Raises:
        PromptError: If ``true_description`` is missing.

    Examples:
        >>> from judgecore.prompts import TrueFalseQuestion
        >>> TrueFalseQuestion("politeness", "The response is polite.").false_description
        'Everything that the description of true does not cover.'
    """

    category: str = ""
    true_description: str = ""
    false_description: str = ""
    metadata: str = ""

    def __post_init__(self) -> None:
        if not self.true_description.strip():
            raise PromptError("true_description is missing; say when the answer is true")
        if not self.false_description.strip():
            object.__setattr__(self, "false_description", OTHERWISE)


@dataclass(frozen=True)
class ResponseCategory:
    """One category.

    Attributes:
        name: Its name, as the judge writes it.
        description: What belongs to it.
    """

    __pydantic_config__ = FORBID_OTHER_KEYS

    name: str
    description: str


@dataclass(frozen=True)
class CategorySet(Asset):
    """Mutually exclusive categories.

    Attributes:
        categories: At least two, with different names.
        no_category_found: The name of the category for responses that fit no other; its score is false.

    Raises:
        PromptError: If there are fewer than two, two have the same name, or ``no_category_found`` is not one of them.
    """

    categories: tuple[ResponseCategory, ...]
    no_category_found: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "categories", tuple(self.categories))
        names = [category.name.lower() for category in self.categories]
        twice = sorted({name for name in names if names.count(name) > 1})
        if len(names) < 2:  # noqa: PLR2004 - fewer leave no choice
            raise PromptError(f"there must be at least two categories, not {len(names)}")
        if twice:
            raise PromptError(f"categories: {twice[0]!r} occurs twice (ignoring case); rename one")
        if self.no_category_found not in self.names:
            raise PromptError(f"no_category_found is {self.no_category_found!r}, which is not one of the categories")

    @property
    def names(self) -> tuple[str, ...]:
        """The categories' names."""
        return tuple(category.name for category in self.categories)


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
