"""Arguments and results of statistics: arrays, values, intervals, and reasons for undefined values."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence


# Arrays, or lists with None for missing values.
Ratings: TypeAlias = "npt.ArrayLike | Sequence[Sequence[float | None]]"
Values: TypeAlias = "npt.ArrayLike | Sequence[float | None]"
Floats: TypeAlias = npt.NDArray[np.float64]

RATERS_AND_ITEMS = 2

# Names of preferences, beside 1, 0 and 0.5.
PLACES = {"A": 1.0, "B": 0.0, "first": 1.0, "second": 0.0, "tie": 0.5}


def to_table(values: Ratings | Values, name: str) -> Floats:
    """Convert ratings of shape ``(n_rows, n_items)``, or of one row, to an array; None or NaN is missing."""
    array = _to_array(values, name)
    array = np.atleast_2d(array)
    if array.ndim != RATERS_AND_ITEMS:
        raise ValueError(f"{name} has {array.ndim} dimensions; it must have two, raters and items")
    return np.ascontiguousarray(array)


def to_row(values: Ratings | Values, name: str) -> Floats:
    """Convert values of shape ``(n_items,)`` or ``(1, n_items)`` to an array; None or NaN is missing."""
    array = _to_array(values, name)
    if array.ndim == RATERS_AND_ITEMS and len(array) == 1:
        array = array[0]
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; it must have one dimension")
    return np.ascontiguousarray(array)


def to_places(values: Values | Iterable[Any], name: str) -> Floats:
    """Convert preferences, ``"A"``, ``"first"``, 1; ``"B"``, ``"second"``, 0; ``"tie"``, 0.5; or None, to numbers."""
    listed: list[Any] = np.asarray(values, dtype=object).ravel().tolist()
    unknown = next((one for one in listed if isinstance(one, str) and one not in PLACES), None)
    if unknown is not None:
        raise ValueError(f"{name} holds {unknown!r}; a preference is one of {', '.join(PLACES)}")
    return to_row([PLACES[one] if isinstance(one, str) else one for one in listed], name)


def to_groups(clusters: Iterable[Hashable] | None) -> npt.NDArray[np.int64] | None:
    """Convert each item's cluster key to a number; None for no clusters."""
    if clusters is None:
        return None
    numbers: dict[Hashable, int] = {}
    return np.asarray([numbers.setdefault(one, len(numbers)) for one in clusters], dtype=np.int64)


def _to_array(values: Ratings | Values, name: str) -> Floats:
    """Convert to an array of doubles, with NaN for None."""
    try:
        return np.asarray(cast("npt.ArrayLike", values), dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{name}: rows of one length and numbers are needed, None or NaN where one is missing") from (
            problem
        )


_Arguments = ParamSpec("_Arguments")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval.

    Attributes:
        low: The lower end.
        high: The upper end.
        confidence: The nominal coverage, between 0 and 1.
        method: The method: ``wilson``, ``bootstrap``, ``t``, ``normal`` or ``lang_reiczigel``.
    """

    low: float
    high: float
    confidence: float
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """The base class of results; undefined values are None.

    Attributes:
        undefined: The reason for each None, by the path of the value, such as ``human_ceiling.mean``.
    """

    undefined: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, as plain Python values without NaN."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the result as a JSON object without NaN."""
        return json.dumps(self.to_dict(), allow_nan=False)


def statistic(
    function: Callable[_Arguments, tuple[_Value | None, str | None]],
) -> Callable[_Arguments, _Value | None]:
    """Convert a function that returns a value and why it is undefined to one that returns only the value."""

    @wraps(function)
    def measured(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Value | None:
        return function(*args, **kwargs)[0]

    return measured


def why_undefined(
    statistic: Callable[_Arguments, object], /, *args: _Arguments.args, **kwargs: _Arguments.kwargs
) -> str | None:
    """Return the reason why a statistic is undefined.

    Args:
        statistic: A function of ``judgecore.stats`` that returns a number, an interval or None.
        *args: Its arguments.
        **kwargs: Its keyword arguments.

    Returns:
        The reason; None if the statistic is defined.

    Raises:
        TypeError: If it is not such a function; results with fields have their reasons in ``undefined``.

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


def to_interval(parts: tuple[float, float, float, str] | None) -> Interval | None:
    """Convert the core's interval."""
    return None if parts is None else Interval(*parts)


def to_settings(resamples: int, seed: int, confidence: float) -> tuple[int, int, float]:
    """Check the settings of resampling: at least 2 samples, a seed from 0 to 2**64 - 1; and return them."""
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"seed is {seed}; it must be from 0 to 2**64 - 1")
    if resamples < 0:
        raise ValueError(f"resamples is {resamples}; it must be at least 2")
    return resamples, seed, confidence
