"""A spot check: a random but reproducible sample of readings, shown with their evidence."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, chop_cells
from rich.padding import Padding
from rich.text import Text

from judgecore.cli.columns import take_cut, take_material, take_reply
from judgecore.cli.outputs import outcome_cells
from judgecore.cli.values import format_value
from judgecore.reading import parse_many
from judgecore.tables.rows import Malformed, Row, decode_line
from judgecore.tables.text import TableReader
from judgecore.terminal import ELLIPSIS, count_noun, escape_controls, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from judgecore.cli.job import ParseJob
    from judgecore.reading import Format, Readings
    from judgecore.tables.text import TextTable

MAX_SAMPLE = 1000
INDENT = 4
LINES_SHOWN = 3
# Cells that word wrapping leaves empty.
SLACK = 12
# How much of a reply is kept on each side of its evidence, in code points.
KEPT = 2000

CELLS_SHOWN = ("value", "status", "reason", "evidence", "start", "end")


@dataclass(frozen=True)
class Checked:
    """A reading of the sample."""

    line: int
    column: str
    cells: dict[str, Any]
    before: str
    after: str
    is_whole: tuple[bool, bool]


class SpotCheck:
    """Samples the readings with the smallest hashes of line and column: uniform and reproducible."""

    def __init__(self, size: int, format_: Format) -> None:
        """Sample up to ``size`` readings."""
        self._size = size
        self._format = format_
        self._chosen: list[tuple[int, int, int, Checked]] = []

    @property
    def sample(self) -> list[Checked]:
        """The sampled readings, in table order."""
        by_place = sorted(self._chosen, key=lambda one: (-one[1], -one[2]))
        return [one[3] for one in by_place]

    def wants(self, line: int, nth: int) -> bool:
        """Return whether a reading would be sampled."""
        return len(self._chosen) < self._size or -sampling_key(line, nth) > self._chosen[0][0]

    def add(
        self, nth: int, column: str, lines: Sequence[int], reply_of: Callable[[int], str | None], readings: Readings
    ) -> None:
        """Add a batch of readings of the reply column with index ``nth``."""
        for place, line in enumerate(lines):
            if self.wants(line, nth):
                checked = _check(line, column, reply_of(place) or "", outcome_cells(readings[place], self._format))
                heapq.heappush(self._chosen, (-sampling_key(line, nth), -line, -nth, checked))
                if len(self._chosen) > self._size:
                    heapq.heappop(self._chosen)

    def to_json(self, place: str) -> list[dict[str, Any]]:
        """Return the sample as JSON values."""
        return [
            {place: one.line, "column": one.column, **{name: one.cells[name] for name in CELLS_SHOWN}}
            for one in self.sample
        ]

    def show(self, console: Console, place: str) -> None:
        """Print the sample."""
        sample = self.sample
        several = len({one.column for one in sample}) > 1
        console.print(f"random sample of {count_noun(len(sample), 'reading')}", style="bold")
        for one in sample:
            head = Text(f"  {place} {one.line}  ", style="bold")
            head.append(f"{shorten(one.column, 24)}  " if several else "", style="cyan")
            if one.cells["status"] == "ok":
                head.append(shorten(format_value(one.cells["value"]), console.width // 2), style="green")
            else:
                head.append(one.cells["reason"], style="yellow")
                head.append(f"  {escape_controls(one.cells['detail'])}", style="not bold")
            console.print(head)
            console.print(Padding(_excerpt(one, LINES_SHOWN * (console.width - INDENT) - SLACK), (0, 0, 0, INDENT)))


class TextSampler:
    """Adds rows of a text table to a spot check; it reads the table again, as the extension returns no single rows."""

    def __init__(
        self, spot: SpotCheck, job: ParseJob, table: TextTable, cut: str | None, material: Sequence[str]
    ) -> None:
        """Read a table's rows in parallel to the extension."""
        self._spot = spot
        self._job = job
        self._cut = cut
        self._material = material
        self._header = table.columns if table.kind == "csv" else []
        self._reader = TableReader(
            table.kind, header=self._header, delimiter=table.delimiter, longest=job.table.longest
        )

    def feed(self, part: bytes, *, is_last: bool) -> None:
        """Read the next chunk of the table; the last one may be empty."""
        is_left = True
        while is_left:
            rows, _, is_left = self._reader.split(part, is_last=is_last)
            part = b""
            for line, source in rows:
                wanted = [nth for nth in range(len(self._job.columns)) if self._spot.wants(line, nth)]
                if wanted:
                    self._offer(line, source, wanted)

    def _offer(self, line: int, source: str | list[str], wanted: Sequence[int]) -> None:
        """Read a row's replies and add their readings, unless the row is rejected."""
        if isinstance(source, str):
            row = decode_line(line, source)
        else:
            row = Row(line, dict(zip(self._header, source, strict=True)), source)
        if isinstance(row, Malformed):
            return
        replies = [take_reply(row, column) for column in self._job.columns]
        cut, shown = take_cut(row, self._cut), take_material(row, self._material)
        if isinstance(cut, Malformed) or isinstance(shown, Malformed):
            return
        if any(isinstance(reply, Malformed) for reply in replies):
            return
        job = self._job
        for nth in wanted:
            texts: list[Any] = [replies[nth]]
            read = parse_many(texts, job.format, mode=job.mode, cut=cut, material=[[text] for text in shown])
            self._spot.add(nth, job.columns[nth], [line], texts.__getitem__, read)


def sampling_key(line: int, nth: int, seed: int = 0) -> int:
    """Return a uniformly distributed hash of a reading's position; another seed gives another random order."""
    salt = seed.to_bytes(blake2b.SALT_SIZE, "little")
    return int.from_bytes(blake2b(f"{line} {nth}".encode(), digest_size=8, salt=salt).digest())


def _check(line: int, column: str, reply: str, cells: dict[Any, Any]) -> Checked:
    """Keep the parts of a reply that are shown."""
    if cells["status"] != "ok":
        return Checked(line, column, cells, reply[:KEPT], reply[KEPT:][-KEPT:], (True, True))
    start, end = cells["start"], cells["end"]
    is_whole = (start <= KEPT, end + KEPT >= len(reply))
    return Checked(line, column, cells, reply[max(0, start - KEPT) : start], reply[end : end + KEPT], is_whole)


def _excerpt(one: Checked, width: int) -> Text:
    """Shorten a reply around its highlighted evidence."""
    evidence = one.cells["evidence"]
    if evidence is None:
        return Text(shorten(one.before + one.after, width), style="dim")
    shown = shorten(evidence, width * 2 // 3)
    room = width - cell_len(shown)
    after = escape_controls(one.after)
    before = escape_controls(one.before)
    head = min(cell_len(before), max(room // 2, room - cell_len(after)))
    first, last = _end_of(before, head), _start_of(after, room - min(head, cell_len(before)))
    text = Text(style="dim")
    text.append("" if first == before and one.is_whole[0] else ELLIPSIS.lstrip())
    text.append(first)
    text.append(shown, style="not dim bold reverse")
    text.append(last)
    text.append("" if last == after and one.is_whole[1] else ELLIPSIS.rstrip())
    return text


def _start_of(text: str, width: int) -> str:
    """Return as much of a text's beginning as fits into a width in cells."""
    return chop_cells(text, width)[0] if text and width > 1 else ""


def _end_of(text: str, width: int) -> str:
    """Return as much of a text's end as fits into a width in cells."""
    return _start_of(text[::-1], width)[::-1]
