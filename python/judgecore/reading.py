"""Reading: a reply and a format give an outcome.

The functions and classes are the extension's own; their documentation stands in ``_core.pyi``.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from judgecore._core import (
    READING_VERSION,
    REASONS,
    Format,
    GuardVerdict,
    Reading,
    Readings,
    Repair,
    Unreadable,
    __version__,
    extract_json,
    extract_json_many,
    format_schema,
    formats,
    key_lines,
    parse,
    parse_many,
    read_formats,
    score_logprobs,
    score_logprobs_many,
    taxonomy,
)

__all__ = [
    "READING_VERSION",
    "REASONS",
    "Format",
    "GuardVerdict",
    "Reading",
    "Readings",
    "Repair",
    "Unreadable",
    "__version__",
    "extract_json",
    "extract_json_many",
    "format_schema",
    "formats",
    "key_lines",
    "parse",
    "parse_many",
    "read_formats",
    "score_logprobs",
    "score_logprobs_many",
    "taxonomy",
]

Mode: TypeAlias = Literal["lenient", "strict", "paper"]


def to_format(given: Format | str, mode: Mode | None = None) -> Format:
    """Return a format that is given as such or by its id; raise ``ValueError`` if it lacks a mode."""
    form = Format.get(given) if isinstance(given, str) else given
    if mode is not None and mode not in form.modes:
        raise ValueError(f"{form.id} has no {mode} mode; its modes are {', '.join(form.modes)}")
    return form
