"""Readings on Ray Data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from judgecore.engines.batch import ParseBatch

if TYPE_CHECKING:
    from judgecore.reading import Format


def on_ray(
    dataset: Any,
    format: Format | str,  # noqa: A002 - the contract's name
    column: str,
    *,
    options: dict[str, Any] | None = None,
    **how: Any,
) -> Any:
    """Put readings beside the replies of a Ray dataset.

    Ray runs each batch on a core of its own, and again if its node is lost: readings are pure, so that the result is
    the same. A small file is one block, and one core reads it all: ``dataset.repartition(16)`` first.

    Args:
        dataset: A ``ray.data.Dataset``.
        format: What the judge was asked to answer.
        column: The column that holds the replies.
        options: What ``map_batches`` takes beside the function, such as ``batch_size`` or ``num_cpus``.
        **how: As in ``ParseBatch``.

    Returns:
        The dataset with six more columns, to be worked out when it is used.
    """
    read = ParseBatch(format, column, **how)
    # A function, because Ray takes an object that can be called for a class whose state it has to keep.
    return dataset.map_batches(read.__call__, **{"batch_format": "pyarrow", "zero_copy_batch": True, **(options or {})})
