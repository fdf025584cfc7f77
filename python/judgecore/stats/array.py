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
    """Convert ratings to a two-dimensional array.

    Args:
        values: Shape ``(n_rows, n_items)``, or ``(n_items,)`` for one row; None or NaN for a missing value.
        name: The name of the argument in messages.

    Returns:
        A contiguous array of doubles.

    Raises:
        ValueError: If rows differ in length, there are more dimensions, or a value is not a number.
    """
    array = _to_array(values, name)
    array = np.atleast_2d(array)
    if array.ndim != RATERS_AND_ITEMS:
        raise ValueError(f"{name} has {array.ndim} dimensions; it must have two, raters and items")
    return np.ascontiguousarray(array)


def to_row(values: Ratings | Values, name: str) -> Floats:
    """Convert values to a one-dimensional array.

    Args:
        values: Shape ``(n_items,)``, or ``(1, n_items)``; None or NaN for a missing value.
        name: The name of the argument in messages.

    Returns:
        A contiguous array of doubles.

    Raises:
        ValueError: If there are more dimensions, or a value is not a number.
    """
    array = _to_array(values, name)
    if array.ndim == RATERS_AND_ITEMS and len(array) == 1:
        array = array[0]
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; it must have one dimension")
    return np.ascontiguousarray(array)


def to_places(values: Values | Iterable[Any], name: str) -> Floats:
    """Convert preferences to an array of numbers.

    Args:
        values: For each comparison ``"A"``, ``"first"`` or 1; ``"B"``, ``"second"`` or 0; ``"tie"`` or 0.5; or None.
        name: The name of the argument in messages.

    Returns:
        A contiguous array of doubles.

    Raises:
        ValueError: If another value occurs.
    """
    listed: list[Any] = np.asarray(values, dtype=object).ravel().tolist()
    unknown = next((one for one in listed if isinstance(one, str) and one not in PLACES), None)
    if unknown is not None:
        raise ValueError(f"{name} holds {unknown!r}; a preference is one of {', '.join(PLACES)}")
    return to_row([PLACES[one] if isinstance(one, str) else one for one in listed], name)


def to_groups(clusters: Iterable[Hashable] | None) -> npt.NDArray[np.int64] | None:
    """Convert cluster keys to numbers.

    Args:
        clusters: The key of each item's cluster; None for no clusters.

    Returns:
        The number of each item's cluster; None for no clusters.
    """
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
