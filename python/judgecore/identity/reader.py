"""The identity of a reader: what turns replies into verdicts."""

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
        format: What the judge is asked to answer, by id or as such.
        mode: How its replies are read.

    Returns:
        An identifier whose part in ``eval_hash`` changes with what of the declaration decides outcomes, with the mode,
        and with ``READING_VERSION``; the format's id is an attribute.

    Raises:
        UnknownFormatError: If no format has the name.
        ValueError: If the format has no such mode.

    Examples:
        >>> import judgecore as jc
        >>> jc.identity.reader_identifier("mt_bench.single").params["mode"]
        'lenient'
    """
    known = Format.get(format) if isinstance(format, str) else format
    if mode not in known.modes:
        raise ValueError(f"format {known.id!r} has no mode {mode!r}; it has {', '.join(known.modes)}")
    return ComponentIdentifier(
        class_name="Format",
        class_module="judgecore",
        params={"declaration": known.hash, "mode": mode, "reading_version": READING_VERSION},
        attributes={"format": known.id},
    )
