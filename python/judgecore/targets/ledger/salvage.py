"""``salvage``: recover the intact rows of a damaged ledger page by page, without SQLite.

A row can be intact although the header, the schema or the interior pages are damaged. So every page is parsed as if it
held rows, and checksums decide which rows are valid. The file format is that of
https://www.sqlite.org/fileformat2.html, sections 1.5, 2.1 and 4.1.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from judgecore.errors import LedgerError
from judgecore.targets.ledger.reader import Served
from judgecore.targets.ledger.row import CHANGING, FIXED, row_checksum, target_checksum

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from judgecore.targets.ledger.entry import LedgerEntry
    from judgecore.targets.ledger.row import Values

_Key: TypeAlias = "tuple[Any, ...]"

_INDEX_LEAF, _INDEX_INTERIOR = 0x0A, 0x02
_FILE_HEADER, _LOG_HEADER, _FRAME_HEADER = 100, 32, 24
_SIZES = tuple(1 << power for power in (12, 9, 10, 11, 13, 14, 15, 16))
# The columns in the order in which the schema added them.
_TARGET = ("id", "hash", "identity", "dialect", "checksum")
_REQUEST = (
    *("id", "content", "target", "trial", "ask", "question", "request", "state", "attempts", "resent"),
    *("planned_at", "sent_at", "received_at", "reply", "error", "outcome", "prompt_tokens", "completion_tokens"),
    "checksum",
)
_TIMES = ("planned_at", "sent_at", "received_at")
# The number of values in the two indexes: their columns, and the row's id.
_N_IN_INDEXES = (5, 4)
_STATES = {"planned": 0, "sent": 1, "received": 2}
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)
_REAL, _ZERO, _ONE, _FIRST_OF_BLOBS = 7, 8, 9, 12


@dataclass
class LedgerSalvage:
    """The result of a recovery.

    Attributes:
        entries: The intact rows, in the order of their ids.
        damaged: The number of other rows that the file refers to.
    """

    entries: list[LedgerEntry] = field(default_factory=list["LedgerEntry"])
    damaged: int = 0


def salvage(path: Path) -> LedgerSalvage:
    """Recover the intact rows of a damaged ledger; the file is not modified.

    The file and the rows are held in memory.

    Args:
        path: The ledger; its write-ahead log is searched, too.

    Returns:
        The intact rows, and the number of damaged ones. Rows that nothing in the file refers to are not counted.

    Raises:
        LedgerError: If the file can't be read, or has no intact row.
    """
    log = path.with_name(f"{path.name}-wal")
    try:
        data = path.read_bytes()
        frames = log.read_bytes() if log.exists() else b""
    except OSError as problem:
        raise LedgerError(f"{path}: the ledger can't be read: {problem.strerror}") from problem
    named = int.from_bytes(data[16:18], "big")
    named = 1 << 16 if named == 1 else named
    reserved = data[20] if len(data) > _FILE_HEADER else 0
    layouts = [(named, reserved), *((size, 0) for size in (named, *_SIZES))]
    for size, unused in dict.fromkeys(layouts):
        if size in _SIZES:
            found = _Search(data, frames, size, size - unused)
            found.run()
            if found.rows:
                return found.salvaged()
    raise LedgerError(f"{path}: no row of a ledger is intact in this file")


class _Search:
    """A search through a file with one page size."""

    def __init__(self, data: bytes, log: bytes, size: int, usable: int) -> None:
        self._size = size
        self._usable = usable
        self._in_file = [data[start : start + size] for start in range(0, len(data), size)]
        self._in_log: list[tuple[int, bytes]] = []
        # The last frame of each frame's commit: overflow pages of a row may be in later frames of it.
        self._ends: list[int] = []
        begun = 0
        step = _FRAME_HEADER + size
        for start in range(_LOG_HEADER, len(log) - step + 1, step):
            number, commits = struct.unpack_from(">II", log, start)
            self._in_log.append((number, log[start + _FRAME_HEADER : start + step]))
            if commits:
                self._ends += [len(self._in_log)] * (len(self._in_log) - begun)
                begun = len(self._in_log)
        self._ends += [len(self._in_log)] * (len(self._in_log) - begun)
        self._frames_of: dict[int, list[int]] = defaultdict(list)
        for place, (number, _) in enumerate(self._in_log):
            self._frames_of[number].append(place)
        self._targets: dict[int, tuple[str, str, str]] = {}
        self._ids: list[set[int]] = [set(), set(), set()]
        self.rows: dict[_Key, Served] = {}

    def run(self) -> None:
        """Find the targets, then the rows."""
        rows: list[tuple[int, Values]] = []
        for number, values in self._records():
            if len(values) == len(_REQUEST):
                rows.append((number, values))
                continue
            _, name, identity, dialect, checksum = values
            if target_checksum(name, identity, dialect) == checksum:
                self._targets[number] = (name, identity, dialect)
        for number, values in rows:
            self._ids[0].add(number)
            self._keep(number, dict(zip(_REQUEST, values, strict=True)))
        for page in self._pages():
            self._name_rows(page)

    def salvaged(self) -> LedgerSalvage:
        rows = sorted(self.rows.values(), key=lambda row: row.id)
        # The table and both indexes refer to every row; any of them may be damaged.
        n_rows = max(len(rows), *(len(ids) for ids in self._ids))
        return LedgerSalvage([row.entry() for row in rows], n_rows - len(rows))

    def _keep(self, number: int, row: dict[str, Any]) -> None:
        """Keep a row if its checksum is valid, and it is newer than a known version of it."""
        for name in _TIMES:
            # SQLite stores integral floats as integers.
            row[name] = float(row[name]) if isinstance(row[name], int) else row[name]
        fixed, changing = [row[name] for name in FIXED], [row[name] for name in CHANGING]
        own = self._targets.get(row["target"])
        for target in dict.fromkeys(([own] if own else []) + list(self._targets.values())):
            values: Values = (target[0], *fixed, *changing, row["reply"])
            if row_checksum(*values) != row["checksum"]:
                continue
            served = Served(number, values, target[1], target[2])
            key = (target[0], row["content"], row["trial"], row["ask"])
            before = self.rows.get(key)
            if before is None or _progress(before) <= _progress(served):
                self.rows[key] = served
            return

    def _name_rows(self, page: bytes) -> None:
        """Record the ids that an index page refers to."""
        kind = page[0]
        if kind not in (_INDEX_LEAF, _INDEX_INTERIOR):
            return
        for at in _cells(page, 0, 8 if kind == _INDEX_LEAF else 12):
            try:
                n_bytes, start = _varint(page, at if kind == _INDEX_LEAF else at + 4)
                values = _values(page[start : start + n_bytes])
            except (IndexError, ValueError, struct.error):
                continue
            *key, number = values
            if len(values) in _N_IN_INDEXES and isinstance(key[0], bytes) and isinstance(number, int):
                self._ids[1 + _N_IN_INDEXES.index(len(values))].add(number)

    def _records(self) -> Iterator[tuple[int, Values]]:
        """Yield each possible record of a target or a request, with its id; some are invalid."""
        for place, page in enumerate(self._in_file):
            yield from self._of_page(page, _FILE_HEADER if place == 0 else 0, (0, len(self._in_log)))
        for place, (number, page) in enumerate(self._in_log):
            yield from self._of_page(page, _FILE_HEADER if number == 1 else 0, (self._ends[place], len(self._in_log)))

    def _of_page(self, page: bytes, at: int, views: Iterable[int]) -> Iterator[tuple[int, Values]]:
        # The page type is ignored, because it may be damaged.
        for cell in _cells(page, at, 8):
            try:
                n_bytes, start = _varint(page, cell)
                number, start = _varint(page, start)
                kinds, _ = _kinds(page, start)
            except (IndexError, ValueError):
                continue
            if len(kinds) not in (len(_TARGET), len(_REQUEST)):
                continue
            # The overflow pages depend on the state of the log.
            is_here = n_bytes <= self._usable - 35
            for view in (0,) if is_here else dict.fromkeys(views):
                try:
                    yield number, _values(self._payload(page, start, n_bytes, view))
                except (IndexError, ValueError, struct.error):
                    continue

    def _payload(self, page: bytes, start: int, n_bytes: int, view: int) -> bytes:
        """Return a record with its overflow pages."""
        usable = self._usable
        if n_bytes <= usable - 35:
            return page[start : start + n_bytes]
        if n_bytes > usable * (len(self._in_file) + len(self._in_log)):
            raise ValueError("longer than the file")
        least = (usable - 12) * 32 // 255 - 23
        here = least + (n_bytes - least) % (usable - 4)
        here = here if here <= usable - 35 else least
        pieces, left = [page[start : start + here]], n_bytes - here
        (following,) = struct.unpack_from(">I", page, start + here)
        while left > 0:
            overflow = self._page(following, view)
            (following,) = struct.unpack_from(">I", overflow)
            pieces.append(overflow[4 : 4 + min(left, usable - 4)])
            left -= usable - 4
        return b"".join(pieces)

    def _page(self, number: int, view: int) -> bytes:
        """Return a page as of a number of log frames."""
        for place in reversed(self._frames_of.get(number, ())):
            if place < view:
                return self._in_log[place][1]
        if number < 1:
            raise ValueError("no such page")
        return self._in_file[number - 1]

    def _pages(self) -> Iterator[bytes]:
        yield from (page for page in self._in_file if page)
        yield from (page for _, page in self._in_log)


def _cells(page: bytes, at: int, header: int) -> Iterator[int]:
    """Yield the offsets of a page's cells, from the array after its header."""
    first = at + header
    if len(page) < first:
        return
    # The count may be damaged: continue beyond it while offsets are plausible.
    (n_cells,) = struct.unpack_from(">H", page, at + 3)
    for place in range(first, len(page) - 1, 2):
        (cell,) = struct.unpack_from(">H", page, place)
        if place < cell < len(page):
            yield cell
        elif place >= first + 2 * n_cells:
            return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Decode a varint of one to nine bytes; return it with the offset after it."""
    value = 0
    for place in range(at, at + 8):
        byte = data[place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004 - the last byte has no high bit
            return value, place + 1
    value = value << 8 | data[at + 8]
    return (value - (1 << 64) if value >> 63 else value), at + 9


def _kinds(record: bytes, at: int) -> tuple[list[int], int]:
    """Return the serial types of a record, and the offset of its values."""
    n_bytes, place = _varint(record, at)
    end = at + n_bytes
    # A serial type has one to nine bytes.
    if not 1 < n_bytes <= 1 + 9 * len(_REQUEST) or end > len(record):
        raise ValueError("no record")
    kinds: list[int] = []
    while place < end and len(kinds) <= len(_REQUEST):
        kind, place = _varint(record, place)
        kinds.append(kind)
    return kinds, end


def _values(payload: bytes) -> Values:
    kinds, at = _kinds(payload, 0)
    values: list[Any] = []
    for kind in kinds:
        if kind >= _FIRST_OF_BLOBS:
            size = (kind - _FIRST_OF_BLOBS) // 2
            piece = payload[at : at + size]
            values.append(piece.decode("utf-8") if kind % 2 else piece)
        elif kind in (_ZERO, _ONE):
            size = 0
            values.append(kind - _ZERO)
        elif kind == _REAL:
            size = 8
            values.extend(struct.unpack_from(">d", payload, at))
        elif 0 <= kind < len(_INTEGER_BYTES):
            size = _INTEGER_BYTES[kind]
            values.append(int.from_bytes(payload[at : at + size], "big", signed=True) if kind else None)
        else:
            raise ValueError("no type of a value")
        at += size
    if at != len(payload):
        raise ValueError("a record of another length")
    return tuple(values)


def _progress(row: Served) -> tuple[Any, ...]:
    """Return the sort key of a row's version, because unused pages may hold older ones."""
    state, attempts, _, sent_at, received_at, _, outcome, *_ = row.changing
    return (_STATES.get(state, 0), attempts, sent_at or 0.0, received_at or 0.0, outcome is not None)
