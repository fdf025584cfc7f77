"""The identity of reading replies in a format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judgecore.identity.component import ComponentIdentifier
from judgecore.reading import READING_VERSION, to_format

if TYPE_CHECKING:
    from judgecore.reading import Format, Mode


def reader_identifier(
    format: Format | str,  # noqa: A002 - the contract's name
    *,
    mode: Mode = "lenient",
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
    known = to_format(format, mode)
    return ComponentIdentifier(
        class_name="Format",
        class_module="judgecore",
        params={"declaration": known.hash, "mode": mode, "reading_version": READING_VERSION},
        attributes={"format": known.id},
    )
