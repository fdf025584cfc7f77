"""``build_view_page`` and ``build_view_file``: the page of a server, and a page that holds its rows."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from markupsafe import Markup

from judgecore.reports.page import render_page
from judgecore.terminal import count_noun

if TYPE_CHECKING:
    from judgecore.reports.view.index import ViewIndex

MOST_BYTES_EMBEDDED = 64 << 20


def build_view_page(title: str, about: str, noun: str, *, sample: int, kept: str = "") -> str:
    """Return the page that asks its server for rows.

    Args:
        title: The name of the file.
        about: What wrote it.
        noun: What an entry is, such as ``reading``.
        sample: The size of the spot check.
        kept: The name of the file that judgements are saved in; empty for none.
    """
    return _render(title, about, noun, sample=sample, kept=kept, data=None)


def build_view_file(
    title: str, about: str, noun: str, index: ViewIndex, *, sample: int, most_bytes: int = MOST_BYTES_EMBEDDED
) -> tuple[str, int]:
    """Return a page that holds its rows, and their number.

    If not all rows fit, it holds a random sample of them, in the order of the file, and says so.

    Args:
        title: The name of the file.
        about: What wrote it.
        noun: What an entry is.
        index: The complete index.
        sample: The size of the spot check.
        most_bytes: How many bytes of rows the page may hold.
    """
    places = index.places()
    kept = _choose(index, places, most_bytes)
    if len(kept) < len(index):
        about += (
            f" This page holds a random sample of {len(kept):,} of {count_noun(len(index), noun)}: "
            f"a file holds at most {most_bytes >> 20} MiB of rows."
        )
    numbers = index.numbers()
    data = {
        "columns": {
            name: {"values": one.values, "codes": [one.codes[at] for at in kept]}
            for name, one in index.label_columns().items()
        },
        "numbers": [numbers[at] if math.isfinite(numbers[at]) else None for at in kept],
        "places": [places[at] for at in kept],
        "range": index.range(),
    }
    # The index has JSON already: parsed and written again, the rows would need several times the memory.
    rows = ",".join(index.record(at).decode("ascii") for at in kept)
    text = f'{json.dumps(data)[:-1]}, "rows": [{rows}]}}'
    return _render(title, about, noun, sample=sample, kept="", data=_embed(text)), len(kept)


def _choose(index: ViewIndex, places: list[int], most_bytes: int) -> list[int]:
    """Return the entries that fit, by their place in the random order."""
    order = sorted(range(len(places)), key=places.__getitem__)
    left = most_bytes
    for nth, at in enumerate(order):
        left -= index.size(at)
        if left < 0:
            return sorted(order[:nth])
    return sorted(order)


def _embed(text: str) -> Markup:
    """Return ASCII JSON that can stand in a script element."""
    return Markup(text.replace("<", r"\u003c"))  # noqa: S704 - without it, no element ends or begins


def _render(title: str, about: str, noun: str, *, sample: int, kept: str, data: Markup | None) -> str:
    return render_page(
        "view/view.html.jinja",
        title=title,
        styles=["view/view.css"],
        scripts=["view/view.js"],
        connects=data is None,
        about=about,
        noun=noun,
        sample=sample,
        kept=kept,
        data=data,
    )
