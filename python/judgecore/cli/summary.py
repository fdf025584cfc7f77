"""``Summary``: the counts of a run of ``judgecore parse``, with samples of what was not read."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, astuple, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from judgecore.detecting import EvenSample
from judgecore.tables.rows import Malformed
from judgecore.terminal import escape_controls, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rich.console import Console

    from judgecore.cli.spot_check import SpotCheck
    from judgecore.reading import Readings

SAMPLES = 5

# Further malformed lines are only counted.
PROBLEMS_SHOWN = 5
PROBLEMS_KEPT = 100
SPANS_SHOWN = 12
SPANS_KEPT = 10_000

# Enough replies to detect their format, and few enough to keep in memory.
REPLIES_SAMPLED = 50

# A reply is shown on two lines; SLACK are the cells that word wrapping leaves empty.
LINES_SHOWN = 2
INDENT = 4
SLACK = 8

# The maximum length of a reply in JSON output, in code points.
EXCERPT = 500


@dataclass(frozen=True)
class Sample:
    """An unreadable reply to show."""

    line: int
    reason: str
    detail: str
    reply: str | None


@dataclass
class Summary:
    """The counts of a run so far."""

    place: Literal["line", "row"] = "line"
    rows: int = 0
    counts: Counter[str] = field(default_factory=Counter[str])
    invented: int = 0
    malformed: int = 0
    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    problems: list[Malformed] = field(default_factory=list[Malformed])
    sample: EvenSample = field(default_factory=lambda: EvenSample(REPLIES_SAMPLED))
    spot: SpotCheck | None = None
    _samples: dict[str, list[Sample]] = field(default_factory=dict[str, list[Sample]])

    @property
    def unread(self) -> int:
        """The number of unread replies."""
        return self.counts.total() - self.counts["ok"]

    @property
    def samples(self) -> list[Sample]:
        """Up to five unreadable replies, of as many different reasons as possible, ordered by line."""
        by_reason = sorted(self._samples.values(), key=lambda some: -self.counts[some[0].reason])
        in_turn = [some[turn] for turn in range(SAMPLES) for some in by_reason if turn < len(some)]
        return sorted(in_turn[:SAMPLES], key=lambda sample: sample.line)

    def add_malformed(self, line: Malformed) -> None:
        """Count a malformed line."""
        self.malformed += 1
        if len(self.problems) < PROBLEMS_KEPT:
            self.problems.append(line)
        if self.spans and self.spans[-1][1] == line.line - 1:
            self.spans[-1] = (self.spans[-1][0], line.line)
        elif len(self.spans) < SPANS_KEPT:
            self.spans.append((line.line, line.line))

    def add_read(
        self,
        rows: int,
        counts: Sequence[Mapping[str, int]],
        invented: int,
        samples: Iterable[tuple[int, str, str, str | None]],
    ) -> None:
        """Add the counts of rows that the extension read, with some unreadable replies of each reason."""
        self.rows += rows
        self.invented += invented
        for one in counts:
            self.counts.update(one)
        samples = list(samples)
        self.sample.add(len(samples), lambda nth: samples[nth][3])
        for sample in samples:
            known = self._samples.setdefault(sample[1], [])
            if len(known) < SAMPLES:
                known.append(Sample(*sample))

    def add_readings(
        self,
        column: tuple[int, str],
        places: Sequence[int],
        reply_of: Callable[[int], str | None],
        readings: Readings,
    ) -> None:
        """Add a batch of readings of one reply column, given by its index and name."""
        if self.spot is not None:
            self.spot.add(*column, places, reply_of, readings)
        counts = readings.counts()
        self.sample.add(len(places), reply_of)
        self.counts.update(counts)
        if readings.mode == "paper":
            self.invented += readings.rule.count("publisher_default")
        wanted = {
            reason: missing
            for reason in counts
            if reason != "ok" and (missing := SAMPLES - len(self._samples.get(reason, ()))) > 0
        }
        if not wanted:
            return
        for nth, reason in enumerate(readings.reason):
            if reason in wanted:
                detail = getattr(readings[nth], "detail", "")
                self._samples.setdefault(reason, []).append(Sample(places[nth], reason, detail, reply_of(nth)))
                wanted[reason] -= 1
                if not wanted[reason]:
                    del wanted[reason]
                    if not wanted:
                        return

    def state(self) -> dict[str, Any]:
        """Return the state for ``restore`` as JSON values, without the bytes of malformed lines."""
        return {
            "rows": self.rows,
            "counts": dict(self.counts),
            "invented": self.invented,
            "malformed": self.malformed,
            "spans": self.spans.copy(),
            "problems": [(line.line, line.problem) for line in self.problems],
            "sample": asdict(self.sample),
            "samples": {reason: [astuple(sample) for sample in some] for reason, some in self._samples.items()},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore a state."""
        self.rows, self.invented, self.malformed = state["rows"], state["invented"], state["malformed"]
        self.counts = Counter(state["counts"])
        self.spans = [(first, last) for first, last in state["spans"]]
        self.problems = [Malformed(*line) for line in state["problems"]]
        self.sample = EvenSample(**state["sample"])
        self._samples = {reason: [Sample(*sample) for sample in some] for reason, some in state["samples"].items()}

    def to_json(self) -> dict[str, Any]:
        """Return the summary as JSON values."""
        return {
            "rows_in": self.rows + self.malformed,
            "rows": self.rows,
            "rejected": self.malformed,
            "counts": dict(self._ordered_counts()),
            "unread": self.unread,
            "invented": self.invented,
            "rejects": {
                f"{self.place}s": self.spans,
                "problems": [{self.place: line.line, "problem": line.problem} for line in self.problems],
            },
            "samples": [
                {
                    self.place: sample.line,
                    "reason": sample.reason,
                    "detail": sample.detail,
                    "reply": None if sample.reply is None else sample.reply[:EXCERPT],
                }
                for sample in self.samples
            ],
            **({} if self.spot is None else {"sample": self.spot.to_json(self.place)}),
        }

    def show(self, console: Console) -> None:
        """Print the summary."""
        self._show_counts(console)
        if self.invented:
            console.print()
            console.print(f"{self.invented:,} of the ok values are the publisher's default, which no reply contains.")
        if self.malformed:
            self._show_malformed(console)
        if self._samples:
            self._show_samples(console)
        if self.spot is not None:
            console.print()
            self.spot.show(console, self.place)

    def _ordered_counts(self) -> list[tuple[str, int]]:
        """Return the counts, ok first, then by frequency."""
        reasons = [(outcome, count) for outcome, count in self.counts.most_common() if outcome != "ok"]
        return [("ok", self.counts["ok"]), *reasons]

    def _show_counts(self, console: Console) -> None:
        table = Table(box=box.SIMPLE, show_footer=True, pad_edge=False, padding=(0, 2))
        table.add_column("outcome", "total")
        total = self.counts.total()
        table.add_column("rows" if total == self.rows else "replies", f"{total:,}", justify="right")
        table.add_column("share", justify="right")
        for outcome, count in self._ordered_counts():
            share = f"{count / total:.2%}" if total else ""
            table.add_row(outcome, f"{count:,}", share, style="green" if outcome == "ok" else "yellow")
        console.print(table)

    def _show_malformed(self, console: Console) -> None:
        are = "is" if self.malformed == 1 else "are"
        rows_in = self.rows + self.malformed
        heading = f"{self.malformed:,} of {rows_in:,} rows {are} rejected: {self.place} {self._name_lines()}"
        console.print(heading, style="red")
        for line in self.problems[:PROBLEMS_SHOWN]:
            head = f"{self.place} {line.line}"
            problem = shorten(line.problem, console.width - len(head) - 4)
            console.print(Text.assemble("  ", (head, "bold"), f"  {problem}"))
        if self.malformed > PROBLEMS_SHOWN:
            console.print(f"  and {self.malformed - PROBLEMS_SHOWN:,} more", style="dim")
        console.print()

    def _name_lines(self) -> str:
        names = [f"{first}" if first == last else f"{first}-{last}" for first, last in self.spans[:SPANS_SHOWN]]
        return ", ".join(names) + (", ..." if len(self.spans) > SPANS_SHOWN else "")

    def _show_samples(self, console: Console) -> None:
        unreadable = self.unread
        of_all = f" of {unreadable:,}" if unreadable > SAMPLES else ""
        replies = "reply" if unreadable == 1 else "replies"
        console.print(f"{len(self.samples)}{of_all} unreadable {replies}", style="bold")
        for sample in self.samples:
            head = (
                (f"{self.place} {sample.line}  ", "bold"),
                (sample.reason, "yellow"),
                f"  {escape_controls(sample.detail)}",
            )
            console.print(Text.assemble("  ", *head))
            if sample.reply:
                excerpt = shorten(sample.reply, LINES_SHOWN * (console.width - INDENT) - SLACK)
                console.print(Padding(Text(excerpt, style="dim"), (0, 0, 0, INDENT)))
