"""Convert ``Readings`` to tables of pyarrow, pandas and polars, and to HTML for notebooks.

The functions are methods of ``Readings`` and documented in ``_core.pyi``.
"""

from __future__ import annotations

import reprlib
from html import escape
from importlib import import_module
from typing import Any

from judgecore.arrow import import_arrow, without_surrogates

# The table shows these first rows, and the first row of each further reason.
FIRST_ROWS = 5
# The maximum length of a value or text, in characters.
WIDTH = 80

# No colours are set, so that the page's light or dark theme applies.
_TABLE = "border-collapse:collapse"
_CELL = "text-align:left;vertical-align:top;padding:.2em .8em;border-bottom:1px solid;border-color:currentColor"

# HTML can't represent these characters.
_CONTROLS = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n\r"}


def to_arrow(readings: Any) -> Any:
    """Convert readings to a pyarrow table."""
    return import_arrow("Readings.to_arrow").table(readings)


def to_pandas(readings: Any) -> Any:
    """Convert readings to a pandas data frame with nullable types."""
    pandas = _import("pandas", "Readings.to_pandas needs pandas: pip install 'judgecore[pandas]'")
    arrow = import_arrow("Readings.to_pandas")
    types = {
        arrow.bool_(): pandas.BooleanDtype(),
        arrow.float64(): pandas.Float64Dtype(),
        arrow.int64(): pandas.Int64Dtype(),
    }
    return arrow.table(readings).to_pandas(types_mapper=types.get)


def to_polars(readings: Any) -> Any:
    """Convert readings to a polars data frame."""
    polars = _import("polars", "Readings.to_polars needs polars: pip install 'judgecore[polars]'")
    return polars.DataFrame(readings)


def to_html(readings: Any) -> str:
    """Return the counts and some rows as HTML, with all text escaped."""
    counts = readings.counts()
    summary = ", ".join(f"{count:,} {reason}" for reason, count in counts.items())
    title = f"{len(readings):,} readings, {readings.format.id}, {readings.mode}: {summary}"
    rows = [_row(number, readings[number]) for number in _sample(readings.reason)]
    if not rows:
        return f"<div>{_text(title)}</div>"
    head = "".join(f'<th style="{_CELL}">{name}</th>' for name in ("row", "value", "rule", "evidence"))
    table = f'<table style="{_TABLE}"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    return f"<div><div>{_text(title)}</div>{table}</div>"


def _sample(reasons: list[str | None]) -> list[int]:
    """Return the indices of the rows to show."""
    shown = dict.fromkeys(range(min(FIRST_ROWS, len(reasons))))
    firsts = {reason: number for number, reason in reversed(list(enumerate(reasons))) if reason is not None}
    known = {reasons[number] for number in shown}
    return sorted([*shown, *(number for reason, number in firsts.items() if reason not in known)])


def _row(number: int, outcome: Any) -> str:
    """Return a table row: value, rule and evidence, or the reason and its detail."""
    if outcome.ok:
        evidence = "" if outcome.evidence is None else _text(_short(outcome.evidence))
        cells = [f"<code>{_text(_short(_repr(outcome.value)))}</code>", _text(outcome.rule), evidence]
    else:
        cells = [f"<em>{_text(outcome.reason)}</em>", "", _text(_short(outcome.detail))]
    written = "".join(f'<td style="{_CELL}">{cell}</td>' for cell in (str(number), *cells))
    return f"<tr>{written}</tr>"


def _repr(value: Any) -> str:
    """Return an abbreviated ``repr`` of a value of any size and depth."""
    writer = reprlib.Repr()
    writer.maxstring = writer.maxother = writer.maxlong = WIDTH
    return writer.repr(value)


def _short(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


def _text(text: str) -> str:
    """Escape a text, and isolate its bidirectional control characters."""
    return f"<bdi>{escape(without_surrogates(text).translate(_CONTROLS))}</bdi>"


def _import(name: str, cure: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(cure) from None
