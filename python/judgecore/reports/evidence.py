"""Where a reply says its verdict: inside a JSON document the value alone, not the whole document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

# A token of a lenient document. A string that is not closed ends with the text, so that the search stays linear.
_TOKEN: Final = re.compile(
    r"""(?P<colon>[:：])|(?P<scalar>"(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?|[^\s,，:：{}\[\]"']++)|(?P<other>\S)""",
    re.DOTALL,
)
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


def find_evidence(text: str, span: tuple[int, int] | None, value: object) -> tuple[int, int] | None:
    """Narrow a verdict's place to the value that decides, if it stands in a JSON document.

    It stays as it is if the text there is no document, or not exactly one of its entries has this value.
    """
    if span is None or value is None:
        return span
    start, end = span
    document = text[start:end]
    if not document.lstrip().startswith(("{", "[", "```")):
        return span
    found = [one for one in _values(document) if _is_same(document[slice(*one)], value)]
    return (start + found[0][0], start + found[0][1]) if len(found) == 1 else span


def _values(document: str) -> Iterator[tuple[int, int]]:
    """The places of scalars that follow a colon."""
    last = ""
    for token in _TOKEN.finditer(document):
        kind = token.lastgroup or ""
        if (last, kind) == ("colon", "scalar"):
            yield token.span()
        last = kind


def _is_same(written: str, value: object) -> bool:
    words = written.strip("\"'").strip().casefold()
    if isinstance(value, bool):
        return words in (_TRUE if value else _FALSE)
    if isinstance(value, int | float):
        try:
            return float(words) == value
        except ValueError:
            return False
    return words == str(value).casefold()
