"""Scales for scores: Likert scales with described levels, and numeric scales."""

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
        low: The lowest level's number.
        high: The highest level's number.

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
