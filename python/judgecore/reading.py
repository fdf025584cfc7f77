"""Reading: a reply and a format give an outcome.

The functions and classes are the extension's own; their documentation stands in ``_core.pyi``.
"""

from __future__ import annotations

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
