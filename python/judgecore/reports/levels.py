"""What a report draws of an evaluation's items: levels, counts of people by judge, and errors by level."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from judgecore.evaluation.item import to_scale
from judgecore.stats import bootstrap_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from judgecore.evaluation import EvaluationResult, ItemResult
    from judgecore.stats import Interval

MOST_LEVELS: Final = 11
NO_SCORE: Final = "no score"
PREFERENCES: Final = ("b", "tie", "a")
"""The names of 0, 0.5 and 1 as scores of pairs; a is the first response."""
_BINS: Final = 10


@dataclass(frozen=True)
class LevelError:
    """The judge's error on the items that people put on one level."""

    level: str
    bias: float
    interval: Interval | None
    num_items: int


@dataclass(frozen=True)
class Levels:
    """The levels of an evaluation's scale, and what people and judge gave."""

    items: tuple[ItemResult, ...]
    is_scale: bool
    scale: tuple[float, float]
    models: tuple[float, ...]
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, *results: EvaluationResult) -> Levels:
        """Return the levels of a result, or of several on the same labels."""
        first = results[0]
        models = tuple(item.model for one in results for item in one.items if item.model is not None)
        scale = first.dataset.scale or (0.0, 1.0)
        return cls(first.items, first.is_harm, scale, models, PREFERENCES if is_preference(first) else ())

    @property
    def length(self) -> float:
        """The length of the scale, in its units."""
        return self.scale[1] - self.scale[0]

    def to_units(self, value: float) -> float:
        """Return a number from 0 to 1 in the units of the scale."""
        return to_scale(value, self.scale)

    @cached_property
    def people(self) -> tuple[str, ...]:
        """The levels that people gave, and all whole ones, in order."""
        # The median of two raters may lie halfway between two levels.
        return self.levels_of((item.gold for item in self.items), most=2 * MOST_LEVELS - 1)

    @cached_property
    def judge(self) -> tuple[str, ...]:
        """The levels that the judge gave, or all judges, and all whole ones, in order."""
        return self.levels_of(self.models)

    @cached_property
    def counts(self) -> Counter[tuple[str, str]]:
        """How many items have a level of people and one of the judge, which may be ``NO_SCORE``."""
        return Counter((self.level_of_people(one), self.level_of_judge(one)) for one in self.items)

    def level_of_people(self, item: ItemResult) -> str:
        """Return the level that people put an item on."""
        return self._name(item.gold, self.people)

    def level_of_judge(self, item: ItemResult) -> str:
        """Return the level that the judge put an item on, or ``NO_SCORE``."""
        return NO_SCORE if item.model is None else self._name(item.model, self.judge)

    def errors(self) -> tuple[LevelError, ...]:
        """Return the judge's error on each level of people."""
        found: list[LevelError] = []
        for level in self.people:
            differences = [
                item.difference * self.length
                for item in self.items
                if item.difference is not None and self.level_of_people(item) == level
            ]
            if differences:
                interval = bootstrap_interval(differences) if len(differences) > 1 else None
                found.append(LevelError(level, float(np.mean(differences)), interval, len(differences)))
        return tuple(found)

    def shares(self, values: Iterable[float], levels: Sequence[str]) -> tuple[float, ...]:
        """Return the share of values from 0 to 1 on each level."""
        counts = Counter(self._name(value, levels) for value in values)
        total = sum(counts.values()) or 1
        return tuple(counts[level] / total for level in levels)

    def levels_of(self, values: Iterable[float], *, most: int = MOST_LEVELS) -> tuple[str, ...]:
        """Return the levels of values from 0 to 1, and all whole ones, in order; ranges if there are too many."""
        if not self.is_scale:
            return ("false", "true")
        units = {self.to_units(value) for value in values}
        low = self.scale[0]
        whole = {low + step for step in range(int(self.length) + 1)} if 1 < self.length <= MOST_LEVELS else set[float]()
        whole |= {self.to_units(place / (len(self.names) - 1)) for place in range(len(self.names))}
        units |= whole
        if len(units) <= (most if 0 < len(whole) <= MOST_LEVELS else MOST_LEVELS):
            return tuple(dict.fromkeys(map(self.write, sorted(units))))
        edges = [f"{low + self.length * place / _BINS:.12g}" for place in range(_BINS + 1)]
        return tuple(f"{edges[place]} to {edges[place + 1]}" for place in range(_BINS))

    def _name(self, value: float, levels: Sequence[str]) -> str:
        if not self.is_scale:
            return "true" if value else "false"
        exact = self.write(self.to_units(value))
        if exact in levels:
            return exact
        return levels[min(int(value * _BINS), _BINS - 1)]

    def write(self, units: float, digits: int = 12) -> str:
        """Write a score in the units of the scale; one between two named levels has both names."""
        if not self.names:
            return f"{units:.{digits}g}"
        place = (units - self.scale[0]) / self.length * (len(self.names) - 1)
        return " or ".join(dict.fromkeys(self.names[end(place)] for end in (math.floor, math.ceil)))


def is_preference(result: EvaluationResult) -> bool:
    """Return whether people preferred one of two responses: all ratings are 0, 0.5 or 1, and no scale is given."""
    if not result.is_harm or result.dataset.scale is not None:
        return False
    return all("response_b" in one.metadata and {*one.human} <= {0, 0.5, 1, None} for one in result.items)
