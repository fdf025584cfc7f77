"""``build_run_report``: what a run of ``parse`` or ``score`` found, as one HTML page."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from judgecore.reports.items import NO_GROUP, FilterField, options_of
from judgecore.reports.page import render_page
from judgecore.reports.plots import counts_plot
from judgecore.stats import bootstrap_interval, wilson_interval
from judgecore.terminal import count_noun

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from judgecore.reports.view.entry import ViewEntry

MOST_UNREAD: Final = 200
MOST_READ: Final = 50
_MOST_VALUES = 12
_MOST_OPTIONS = 20
_BINS = 10
_KNOWN_VALUES = 10_000
_FIRST_WORDS = 120
_SHORT, _MOST_COLUMNS = 40, 6
_OK = "ok"
_SCORED = "complete"


@dataclass
class RunTally:
    """What is counted of a run's entries, and a random sample of them."""

    total: int = 0
    ok: int = 0
    values: Counter[str] = field(default_factory=Counter[str])
    reasons: Counter[str] = field(default_factory=Counter[str])
    rules: Counter[str] = field(default_factory=Counter[str])
    numbers: list[float] = field(default_factory=list[float])
    _unread: _Sample = field(default_factory=lambda: _Sample(MOST_UNREAD))
    _read: _Sample = field(default_factory=lambda: _Sample(MOST_READ))

    @property
    def unread(self) -> int:
        """How many entries have no value."""
        return self.total - self.ok

    def add(self, entry: ViewEntry) -> None:
        """Count an entry."""
        self.total += 1
        reason = _reason_of(entry)
        if reason:
            self.reasons[reason] += 1
            self._unread.add(entry)
            return
        self.ok += 1
        self._read.add(entry)
        if entry.value in self.values or len(self.values) < _KNOWN_VALUES:
            self.values[entry.value] += 1
        if math.isfinite(entry.number):
            self.numbers.append(entry.number)
        if entry.labels.get("rule"):
            self.rules[entry.labels["rule"]] += 1

    def samples(self) -> tuple[list[ViewEntry], list[ViewEntry]]:
        """Return samples of the entries without and with a value, in their order."""
        return self._unread.entries(), self._read.entries()


class _Sample:
    """The entries that come first in the random order."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: list[tuple[int, int, ViewEntry]] = []
        self._added = 0

    def add(self, entry: ViewEntry) -> None:
        self._added += 1
        heapq.heappush(self._kept, (-entry.key, self._added, entry))
        if len(self._kept) > self._most:
            heapq.heappop(self._kept)

    def entries(self) -> list[ViewEntry]:
        return [entry for _, _, entry in sorted(self._kept, key=lambda one: one[1])]


def build_run_report(
    title: str,
    about: str,
    noun: str,
    entries: Iterable[ViewEntry],
    facts: Sequence[tuple[str, str]] = (),
    *,
    num_rejected: int = 0,
) -> str:
    """Return a run of ``parse`` or ``score`` as an HTML page, made as ``build_report`` makes one.

    Up to 200 entries without a value and up to 50 with one are shown in full, chosen at random. Rejected rows of the
    input have no entry.
    """
    tally = RunTally()
    for entry in entries:
        tally.add(entry)
    unread, read = tally.samples()
    columns = _columns((*unread, *read))
    return render_page(
        "run.html.jinja",
        title=title,
        about=about,
        noun=noun,
        tally=tally,
        sentences=_say(tally, noun, num_rejected),
        values_plot=_values_plot(tally, noun),
        reasons_plot=counts_plot(tally.reasons.most_common(_MOST_VALUES), "reason", noun) if tally.reasons else "",
        rules_plot=counts_plot(tally.rules.most_common(_MOST_VALUES), "rule", noun) if len(tally.rules) > 1 else "",
        unread=unread,
        read=read,
        columns=columns,
        fields=partial(_fields, columns),
        group_of=_group_of,
        reason_of=_reason_of,
        first_words=_first_words,
        cells_of=_cells_of,
        facts=facts,
    )


def _say(tally: RunTally, noun: str, num_rejected: int) -> tuple[str, ...]:
    rejected = ""
    if num_rejected:
        rejected = f"; {count_noun(num_rejected, 'row')} {'was' if num_rejected == 1 else 'were'} rejected as malformed"
    if not tally.total:
        return (f"There are no {noun}s{rejected}.",)
    said = f"{tally.ok:,} of {count_noun(tally.total, noun)} have a value ({tally.ok / tally.total:.1%})"
    if tally.unread:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in tally.reasons.most_common())
        said += f"; {tally.unread:,} have none: {reasons}"
    return tuple(filter(None, (f"{said}{rejected}.", _say_values(tally))))


def _say_values(tally: RunTally) -> str:
    """The share of true, or the mean of numbers, with its interval."""
    words = Counter[str]()
    for value, count in tally.values.items():
        words[value.casefold()] += count
    if words and words.keys() <= {"true", "false"}:
        share = words["true"] / tally.ok
        interval = wilson_interval(words["true"], tally.ok)
        ends = "" if interval is None else f" (95 % CI {interval.low:.1%} to {interval.high:.1%})"
        return f"{share:.1%} of the values are true{ends}."
    if tally.ok and len(tally.numbers) == tally.ok:
        mean = math.fsum(tally.numbers) / tally.ok
        interval = bootstrap_interval(tally.numbers, resamples=1_000) if tally.ok > 1 else None
        ends = "" if interval is None else f" (95 % CI {interval.low:.3g} to {interval.high:.3g})"
        return f"The mean of the values is {mean:.3g}{ends}."
    return ""


def _values_plot(tally: RunTally, noun: str) -> str:
    if not tally.ok:
        return ""
    if len(tally.values) <= _MOST_VALUES:
        is_number = len(tally.numbers) == tally.ok
        shown = sorted(tally.values.items(), key=lambda one: float(one[0])) if is_number else tally.values.most_common()
        return counts_plot(shown, "value", noun)
    if len(tally.numbers) == tally.ok:
        low, high = min(tally.numbers), max(tally.numbers)
        width = (high - low) / _BINS
        counts = Counter(min(int((one - low) / width), _BINS - 1) for one in tally.numbers)
        edges = [f"{low + place * width:.3g} to {low + (place + 1) * width:.3g}" for place in range(_BINS)]
        return counts_plot([(edge, counts[place]) for place, edge in enumerate(edges)], "value", noun)
    return counts_plot(tally.values.most_common(_MOST_VALUES), f"value, the {_MOST_VALUES} most frequent", noun)


def _columns(entries: Sequence[ViewEntry]) -> tuple[str, ...]:
    """The labels and columns that group entries: those with few, but several values."""
    names = dict.fromkeys(name for entry in entries for name in (*entry.labels, *entry.cells))
    known = ("status", "value", "reason")
    found = {name: {_group_of(entry, name) for entry in entries} for name in names if name not in known}
    most = min(_MOST_OPTIONS, len(entries) // 2)
    groups = (name for name, values in found.items() if 1 < len(values) <= most and all(map(_is_short, values)))
    return tuple(groups)[:_MOST_COLUMNS]


def _group_of(entry: ViewEntry, column: str) -> str:
    return entry.labels.get(column) or entry.cells.get(column) or NO_GROUP


def _reason_of(entry: ViewEntry) -> str:
    """Why an entry has no value; empty if it has one."""
    return "" if entry.status in (_OK, _SCORED) else entry.reason or entry.status


def _fields(columns: Sequence[str], entries: Sequence[ViewEntry]) -> tuple[FilterField, ...]:
    """The selects by which entries can be filtered; those with one option are left out."""
    fields = (
        FilterField("value", "value", options_of(entry.value for entry in entries)),
        FilterField("reason", "reason", options_of(_reason_of(entry) for entry in entries)),
        *(
            FilterField(f"g{place}", column, options_of(_group_of(entry, column) for entry in entries))
            for place, column in enumerate(columns)
        ),
    )
    return tuple(one for one in fields if 1 < len(one.options) <= _MOST_OPTIONS)


def _cells_of(entry: ViewEntry, *, is_short: bool) -> list[tuple[str, str]]:
    """The cells that fit into a line, or those that don't."""
    return [(name, text) for name, text in entry.cells.items() if _is_short(text) is is_short]


def _is_short(text: str) -> bool:
    return len(text) <= _SHORT and "\n" not in text


def _first_words(entry: ViewEntry) -> str:
    """What the line of an entry shows: the reply, or what was scored."""
    text = entry.reply or next(iter(entry.cells.values()), "") or entry.detail
    return " ".join(text[:_FIRST_WORDS].split())
