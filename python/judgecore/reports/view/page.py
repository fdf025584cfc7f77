"""``build_view_page`` and ``ViewFile``: the page of a server, and a page that holds its rows."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from judgecore.reports.page import render_page
from judgecore.terminal import count_noun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from judgecore.reports.view.index import ViewIndex

MOST_BYTES_EMBEDDED = 64 << 20
_OPENED, _CLOSED = b'<script type="application/json" id="data">', b"</script>"
_EMPTY = (_OPENED + _CLOSED).decode()


def build_view_page(title: str, about: str, noun: str, *, sample: int, kept: str = "") -> str:
    """Return the page that asks its server for rows; judgements are saved in the file ``kept``, if any."""
    return _render(title, about, noun, sample=sample, kept=kept, is_file=False)


class ViewFile:
    """A page that holds its rows; if not all fit, a random sample of them, in the order of the file, and it says so."""

    def __init__(
        self, title: str, about: str, noun: str, index: ViewIndex, *, sample: int, most_bytes: int = MOST_BYTES_EMBEDDED
    ) -> None:
        """Choose what the page holds of a complete index: at most so many bytes of rows."""
        self._index = index
        self._places = index.places()
        self._kept = _choose(index, self._places, most_bytes)
        self.n_entries = len(self._kept)
        self.is_whole = self.n_entries == len(index)
        if not self.is_whole:
            every = count_noun(len(index), noun)
            about += f" This page holds a random sample of {self.n_entries:,} of {every}: "
            about += f"a file holds at most {most_bytes >> 20} MiB of rows."
        page = _render(title, about, noun, sample=sample, kept="", is_file=True)
        # No text of the page can hold this beginning of an element, as all data is escaped.
        self._before, self._after = (part.encode() for part in page.split(_EMPTY))

    def parts(self) -> Iterator[bytes]:
        """Yield the page in pieces, so that it is never in memory as a whole."""
        index, kept = self._index, self._kept
        numbers = index.numbers()
        data = {
            "columns": {
                name: {"values": one.values, "codes": [one.codes[at] for at in kept]}
                for name, one in index.label_columns().items()
            },
            "numbers": [numbers[at] if math.isfinite(numbers[at]) else None for at in kept],
            "places": [self._places[at] for at in kept],
            "range": index.range(),
        }
        yield self._before + _OPENED
        yield _escape(json.dumps(data)[:-1].encode()) + b', "rows": ['
        for nth, at in enumerate(kept):
            yield (b"," if nth else b"") + _escape(index.record(at))
        yield b"]}" + _CLOSED + self._after


def _choose(index: ViewIndex, places: list[int], most_bytes: int) -> list[int]:
    """Return the entries that fit, by their place in the random order."""
    order = sorted(range(len(places)), key=places.__getitem__)
    left = most_bytes
    for nth, at in enumerate(order):
        left -= index.size(at)
        if left < 0:
            return sorted(order[:nth])
    return sorted(order)


def _escape(text: bytes) -> bytes:
    """Escape ASCII JSON so that no element begins or ends in it."""
    return text.replace(b"<", rb"\u003c")


def _render(title: str, about: str, noun: str, *, sample: int, kept: str, is_file: bool) -> str:
    return render_page(
        "view/view.html.jinja",
        title=title,
        styles=["view/view.css"],
        scripts=["view/view.js"],
        connects=not is_file,
        about=about,
        noun=noun,
        sample=sample,
        kept=kept,
        is_file=is_file,
    )
