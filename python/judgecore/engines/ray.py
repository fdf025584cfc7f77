"""Read replies in Ray Data."""

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
    """Add readings to a Ray dataset.

    Ray runs each batch on one core, and again if its node is lost; the result is the same, because reading is a pure
    function. A small file is a single block, read by one core: call ``dataset.repartition(16)`` first.

    Args:
        dataset: A ``ray.data.Dataset``.
        format: The format of the replies, or its id.
        column: The column that holds the replies.
        options: Further arguments of ``map_batches``, such as ``batch_size`` or ``num_cpus``.
        **how: As in ``ParseBatch``.

    Returns:
        The lazy dataset with six more columns.
    """
    read = ParseBatch(format, column, **how)
    # A bound method, because Ray treats callable objects as stateful actors.
    return dataset.map_batches(read.__call__, **{"batch_format": "pyarrow", "zero_copy_batch": True, **(options or {})})
