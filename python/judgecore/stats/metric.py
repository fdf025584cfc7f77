"""``Metric``: what a number that is measured of a judge is called, what it says, and which end of it is better.

A metric is described once, where its result declares the field. Tables, pages, comparisons, thresholds and the
documentation ask for the description.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, asdict, dataclass, fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_KEY = "metric"
_Description = ParamSpec("_Description")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Metric:
    """The description of one number.

    Attributes:
        label: What tables and pages call it.
        about: What it says, as a phrase.
        name: Its name in results, files and options; by default the field's.
        source: Where its formula is from; empty where the phrase is the formula.
        low: The lowest value that it can have; of scores on a scale from 0 to 1.
        high: The highest.
        better: Which values are better: ``higher``, ``lower``, or those near ``zero``; None where none are.
        unit: ``share`` of items, a plain ``number``, a ``count``, or a ``distance`` on the scale, whose length is 1.
        role: ``measure``; ``bound`` of one, which is shown where scores are undetermined; or ``detail``, which results
            have and tables leave out.
        headline: Its place among the numbers that are shown first, from 1; 0 for the others.
        is_compared: Whether groups of items, and pairs of scorers, are compared by it.
        is_published: Whether PyRIT's registries hold it, under the same name.
        undefined: Where it is None, beside where no response has a label and a value.
        needs: The field without which nobody asked for the number; empty where it is always asked for.
        path: Where its value is in the result, with dots between the parts; by default the field.
        sentence: What it says, and which values are better where that is not plain.
    """

    label: str
    about: str
    _: KW_ONLY
    name: str = ""
    source: str = ""
    low: float = 0.0
    high: float = 1.0
    better: Literal["higher", "lower", "zero"] | None = "higher"
    unit: Literal["share", "number", "count", "distance"] = "number"
    role: Literal["measure", "bound", "detail"] = "measure"
    headline: int = 0
    is_compared: bool = False
    is_published: bool = False
    undefined: str = ""
    needs: str = ""
    path: str = ""

    @property
    def sentence(self) -> str:
        """What it says, and which values are better where that is not plain."""
        ends = {"lower": "; lower is better", "zero": "; 0 is best"}
        return self.about + (ends.get(self.better or "", "") if self.about else "")

    def value_in(self, result: object) -> float | None:
        """Return the number's value in a result.

        Args:
            result: One of the class that declares the metric.
        """
        return attrgetter(self.path)(result)

    def cost(self, value: float) -> float:
        """Return a number that is the lower the better a value is; a higher value where neither end is better.

        Args:
            value: The metric's value.
        """
        return {"lower": value, "zero": abs(value)}.get(self.better or "", -value)

    def reaches(self, value: float, threshold: float) -> bool:
        """Whether a value is as good as a threshold, or better.

        Args:
            value: The metric's value.
            threshold: What it must reach.
        """
        return self.cost(value) <= self.cost(threshold)

    def better_of(self, first: float, second: float) -> Literal[0, 1] | None:
        """Say which of two values that differ for certain is better.

        Args:
            first: The first's value.
            second: The second's.

        Returns:
            0 for the first and 1 for the second. None where the metric has no better end, or the values lie on both
            sides of the best one, because their difference then says nothing of their distances from it.
        """
        if self.better is None or first == second or (self.better == "zero" and first * second < 0):
            return None
        return 0 if self.cost(first) < self.cost(second) else 1


def _as_metadata(make: Callable[_Description, Metric]) -> Callable[_Description, dict[str, Metric]]:
    def metadata(*args: _Description.args, **kwargs: _Description.kwargs) -> dict[str, Metric]:
        return {_KEY: make(*args, **kwargs)}

    return metadata


metric = _as_metadata(Metric)
"""Describe a field of a result that is a metric, as ``Metric`` does, for ``dataclasses.field(metadata=...)``."""


def described(result: type[_Result]) -> type[_Result]:
    """Name the metrics of a class of results in its docstring, whose last section is ``Attributes``.

    Args:
        result: The class, which is changed.

    Returns:
        The same class.
    """
    if result.__doc__ is not None:
        lines = (_attribute(one) for one in metrics_of(result))
        result.__doc__ = "\n".join((result.__doc__.rstrip(), *lines, "    "))
    return result


def _attribute(one: Metric) -> str:
    """A metric's line in the docstring of its result."""
    missing = f" None where {one.undefined}." if one.undefined else ""
    return f"        {one.path.partition('.')[0]}: {one.sentence}.{missing}"


def metrics_of(result: Any) -> tuple[Metric, ...]:
    """Return the metrics that a class of results declares.

    Args:
        result: The class, or a result of it.

    Returns:
        Those that are shown first, in their places, and then the others in the order of the fields.
    """
    declared = ((one.name, one.metadata[_KEY]) for one in fields(result) if _KEY in one.metadata)
    found = [replace(one, name=one.name or name, path=one.path or name) for name, one in declared]
    return tuple(sorted(found, key=lambda one: one.headline or len(found) + 1))


def unite(described: Iterable[Metric]) -> dict[str, Metric]:
    """Put descriptions into a table by name.

    Args:
        described: The metrics; results that share a name must describe it alike.

    Returns:
        The table.

    Raises:
        ValueError: If a name has two descriptions.
    """
    table: dict[str, Metric] = {}
    for one in described:
        known = table.setdefault(one.name, one)
        if known != one:
            differing = [name for name, value in asdict(one).items() if getattr(known, name) != value]
            raise ValueError(f"{one.name} is described twice, with another {', '.join(differing)}")
    return table
