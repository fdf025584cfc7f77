"""Convert arguments to the arrays that the core requires."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

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
