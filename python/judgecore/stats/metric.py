"""``Metric``: the description of a metric: its name, meaning, range, and which values are better.

A metric is described once, at the field of its result. Tables, pages, comparisons, thresholds and the documentation use
this description.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, asdict, dataclass, field, fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_KEY = "metric"
_Description = ParamSpec("_Description")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Metric:
    """The description of a metric.

    Attributes:
        label: The name in tables and on pages.
        about: The meaning, as a phrase.
        name: The name in results, files and options; by default that of the field.
        source: The source of the formula; empty if the phrase is the formula.
        low: The lowest possible value, for scores from 0 to 1.
        high: The highest possible value.
        better: Which values are better: ``higher``, ``lower``, or those near ``zero``; None if no value is better.
        unit: ``share`` of items, a plain ``number``, a ``count``, or a ``distance`` on the scale, whose length is 1.
        role: ``measure``; ``bound`` of a measure, shown if scores are undetermined; or ``detail``, omitted from tables.
        headline: The position among the metrics that are shown first, from 1; 0 for the others.
        is_compared: Whether groups of items, and pairs of scorers, are compared by it.
        is_published: Whether PyRIT's registries contain it, with the same name.
        undefined: When it is None, other than without any response that has a label and a score.
        needs: The field that must be present for the metric to be computed; empty if it is always computed.
        path: The attribute path of the value in the result, with dots; by default the field.
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
        """The meaning, and which values are better, unless higher ones are."""
        ends = {"lower": "; lower is better", "zero": "; 0 is best"}
        return self.about + (ends.get(self.better or "", "") if self.about else "")

    def value_in(self, result: object) -> float | None:
        """Return the metric's value in a result.

        Args:
            result: An instance of the class that declares the metric.
        """
        return attrgetter(self.path)(result)

    def cost(self, value: float) -> float:
        """Return a sort key: the lower, the better the value; without a better end, higher values come first."""
        return {"lower": value, "zero": abs(value)}.get(self.better or "", -value)

    def reaches(self, value: float, threshold: float) -> bool:
        """Return whether a value is at least as good as a threshold."""
        return self.cost(value) <= self.cost(threshold)


def _as_field(make: Callable[_Description, Metric]) -> Callable[_Description, Any]:
    def make_field(*args: _Description.args, **kwargs: _Description.kwargs) -> Any:
        return field(metadata={_KEY: make(*args, **kwargs)})

    return make_field


metric = _as_field(Metric)
"""Make a dataclass field that is a metric, with the arguments of ``Metric``."""


def described(result: type[_Result]) -> type[_Result]:
    """Add the metrics of a result class to its docstring, whose last section is ``Attributes``."""
    if result.__doc__ is not None:
        lines = (_attribute(one) for one in metrics_of(result))
        result.__doc__ = "\n".join((result.__doc__.rstrip(), *lines, "    "))
    return result


def _attribute(one: Metric) -> str:
    """Return a metric's line in the docstring of its class."""
    missing = f" None where {one.undefined}." if one.undefined else ""
    return f"        {one.path.partition('.')[0]}: {one.sentence}.{missing}"


def metrics_of(result: Any) -> tuple[Metric, ...]:
    """Return the metrics that a result class declares.

    Returns:
        The headline metrics in their order, then the others in the order of the fields.
    """
    declared = ((one.name, one.metadata[_KEY]) for one in fields(result) if _KEY in one.metadata)
    found = [replace(one, name=one.name or name, path=one.path or name) for name, one in declared]
    return tuple(sorted(found, key=lambda one: one.headline or len(found) + 1))


def unite(described: Iterable[Metric]) -> dict[str, Metric]:
    """Return descriptions by name; results that share a name must describe it alike."""
    table: dict[str, Metric] = {}
    for one in described:
        known = table.setdefault(one.name, one)
        if known != one:
            differing = [name for name, value in asdict(one).items() if getattr(known, name) != value]
            raise ValueError(f"{one.name} is described twice, with another {', '.join(differing)}")
    return table
