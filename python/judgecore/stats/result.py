"""What statistics return: values, intervals, and why one of them is None."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_Arguments = ParamSpec("_Arguments")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval that covers the true value in the stated share of studies.

    Attributes:
        low: The lower end.
        high: The upper end.
        confidence: The nominal coverage, between 0 and 1.
        method: How it was made: ``wilson``, ``bootstrap``, ``t``, ``normal`` or ``lang_reiczigel``.
    """

    low: float
    high: float
    confidence: float
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Write it as plain Python.

        Returns:
            The fields by name.
        """
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """The base of all results: values by name, None where one is undefined.

    Attributes:
        undefined: Why a value is None, by its name; the parts of a name inside of another have dots between them.
    """

    undefined: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)

    def to_dict(self) -> dict[str, Any]:
        """Write it as plain Python.

        Returns:
            The fields by name; numbers, texts, lists, dictionaries and None, and never NaN.
        """
        return asdict(self)

    def to_json(self) -> str:
        """Write it as JSON.

        Returns:
            One object, without NaN.
        """
        return json.dumps(self.to_dict(), allow_nan=False)


def statistic(
    function: Callable[_Arguments, tuple[_Value | None, str | None]],
) -> Callable[_Arguments, _Value | None]:
    """Make a statistic of a function that gives a value and the reason why there is none.

    Args:
        function: What computes both.

    Returns:
        A function that gives the value alone, and whose reason ``why_undefined`` knows.
    """

    @wraps(function)
    def measured(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Value | None:
        return function(*args, **kwargs)[0]

    return measured


def why_undefined(
    statistic: Callable[_Arguments, object], /, *args: _Arguments.args, **kwargs: _Arguments.kwargs
) -> str | None:
    """Say why a statistic has no value.

    Args:
        statistic: A function of ``judgecore.stats`` that returns a number, an interval or None.
        *args: Its arguments.
        **kwargs: Its keywords.

    Returns:
        The reason, or None where there is a value.

    Raises:
        TypeError: If it is no such function; results with fields have their reasons in ``undefined``.

    Examples:
        >>> from judgecore.stats import krippendorff_alpha
        >>> krippendorff_alpha([[1, None], [None, 2]])
        >>> why_undefined(krippendorff_alpha, [[1, None], [None, 2]])
        'no item has two ratings'
    """
    both = getattr(statistic, "__wrapped__", None)
    if both is None:
        name = getattr(statistic, "__name__", repr(statistic))
        raise TypeError(f"{name} is no statistic of one value; results with fields have their reasons in undefined")
    return both(*args, **kwargs)[1]


def fill(found: Mapping[str, Any], **made: Any) -> dict[str, Any]:
    """Put what was made of some fields in their place.

    Args:
        found: All fields, as the core gives them.
        **made: Those that are classes here.

    Returns:
        All fields.
    """
    return {**found, **made}


def to_interval(parts: tuple[float, float, float, str] | None) -> Interval | None:
    """Make an interval of its parts.

    Args:
        parts: Low, high, confidence and method, or None.

    Returns:
        The interval, or None.
    """
    return None if parts is None else Interval(*parts)


def to_settings(resamples: int, seed: int, confidence: float) -> tuple[int, int, float]:
    """Check how to resample.

    Args:
        resamples: How many resamples to draw, at least 2.
        seed: Which ones, from 0 to 2 to the power of 64, exclusive.
        confidence: The nominal coverage.

    Returns:
        All three.

    Raises:
        ValueError: If a number is outside its range.
    """
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"seed is {seed}; it must be from 0 to 2**64 - 1")
    if resamples < 0:
        raise ValueError(f"resamples is {resamples}; it must be at least 2")
    return resamples, seed, confidence
