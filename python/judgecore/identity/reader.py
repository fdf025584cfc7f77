"""The identity of reading replies in a format."""

from __future__ import annotations

from typing import Literal

from judgecore.identity.component import ComponentIdentifier
from judgecore.reading import READING_VERSION, Format


def reader_identifier(
    format: Format | str,  # noqa: A002 - the contract's name
    *,
    mode: Literal["lenient", "strict", "paper"] = "lenient",
) -> ComponentIdentifier:
    """Return the identity of reading one format in one mode.

    Args:
        format: The format, or its id.
        mode: The mode of reading.

    Returns:
        An identifier; its part in ``eval_hash`` depends on what in the declaration affects outcomes, on the mode, and
        on ``READING_VERSION``. The format's id is an attribute.

    Raises:
        UnknownFormatError: If no format has the id.
        ValueError: If the format has no such mode.

    Examples:
        >>> import judgecore as jc
        >>> jc.identity.reader_identifier("mt_bench.single").params["mode"]
        'lenient'
    """
    known = Format.get(format) if isinstance(format, str) else format
    if mode not in known.modes:
        raise ValueError(f"format {known.id!r} has no mode {mode!r}; its modes are {', '.join(known.modes)}")
    return ComponentIdentifier(
        class_name="Format",
        class_module="judgecore",
        params={"declaration": known.hash, "mode": mode, "reading_version": READING_VERSION},
        attributes={"format": known.id},
    )
