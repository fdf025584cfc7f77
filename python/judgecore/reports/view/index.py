"""``ViewIndex``: the entries of a page in temporary files, and columns in memory to filter them by."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice
from tempfile import TemporaryFile
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from judgecore.reports.view.entry import ViewEntry

# A column with more values, or with a longer one, is no filter. Code 0 is an entry without a value.
MOST_VALUES, LONGEST_VALUE = 50, 80
ENTRIES_ADDED_AT_ONCE = 256
BYTES_SEARCHED_AT_ONCE = 4 << 20
TEXTS_REMEMBERED = 4
# The column whose values may also be filtered by a range of numbers.
VALUE = "value"
# The entries that a spot check is about: a rejected row or an unanswered request is neither right nor wrong.
STATUS, JUDGED = "status", ("ok", "unreadable", "complete", "undetermined")


@dataclass(frozen=True)
class ViewFilter:
    """What the page shows: entries that meet all conditions."""

    text: str = ""
    labels: tuple[tuple[str, tuple[str, ...]], ...] = ()
    low: float | None = None
    high: float | None = None

    @classmethod
    def from_json(cls, given: object) -> ViewFilter:
        """Make a filter from what the page sent; raise ``ValueError`` if it is no filter."""
        if not isinstance(given, dict):
            raise ValueError("a filter is an object")  # noqa: TRY004 - the page's text is wrong, not the call
        filter_ = cast("dict[str, Any]", given)
        text, labels, low, high = (filter_.get(name) for name in ("text", "labels", "low", "high"))
        if not isinstance(text, str) or not isinstance(labels, dict):
            raise ValueError("a filter has a text, and labels by column")  # noqa: TRY004 - as above
        values = cast("dict[str, Any]", labels).items()
        if any(not isinstance(some, list) for _, some in values) or not all(
            end is None or (isinstance(end, int | float) and not isinstance(end, bool)) for end in (low, high)
        ):
            raise ValueError("labels are lists, and low and high are numbers")
        return cls(text, tuple((name, tuple(map(str, some))) for name, some in values), low, high)


@dataclass(frozen=True)
class Matches:
    """The entries that a filter lets through."""

    numbers: NDArray[np.int64]
    labels: dict[str, dict[str, int]]
    range: tuple[float, float] | None
    n_entries: int


class LabelColumn:
    """A column of few values, with a byte for each entry."""

    def __init__(self, *, is_group: bool) -> None:
        self.values = [""]
        self.codes = bytearray()
        self.is_few = True
        self.is_group = is_group
        self._code_of = {"": 0}

    def add(self, value: str, number: int) -> None:
        """Add the value of the entry with this number; entries that were passed over have none."""
        if not self.is_few:
            return
        code = self._code_of.get(value)
        if code is None:
            if len(self.values) > MOST_VALUES or len(value) > LONGEST_VALUE:
                self.is_few = False
                self.values, self.codes, self._code_of = [""], bytearray(), {"": 0}
                return
            code = self._code_of[value] = len(self.values)
            self.values.append(value)
        if len(self.codes) < number:
            self.pad(number)
        self.codes.append(code)

    def n_values(self) -> int:
        """Return the number of values, with none as one if it occurs."""
        return len(self.values) - (0 not in self.codes)

    def pad(self, n_entries: int) -> None:
        """Let entries without a value follow, up to a number of entries."""
        self.codes.extend(bytes(n_entries - len(self.codes)))


class Spool:
    """Records in a temporary file, which is removed when it is closed."""

    def __init__(self) -> None:
        self.ends = array("q", [0])
        self._file = cast("BinaryIO", TemporaryFile())  # noqa: SIM115 - closed by ``close``

    def add(self, records: Sequence[bytes]) -> None:
        """Append records; raise ``OSError`` if they can't be written."""
        self._file.seek(0, 2)
        self._file.write(b"".join(records))
        self._file.flush()
        end = self.ends[-1]
        for record in records:
            end += len(record)
            self.ends.append(end)

    def read(self, first: int, last: int) -> bytes:
        """Return the records from one up to before another."""
        self._file.seek(self.ends[first])
        return self._file.read(self.ends[last] - self.ends[first])

    def close(self) -> None:
        """Remove the file."""
        self._file.close()


class ViewIndex:
    """The entries of a page: filtered in memory, read from temporary files.

    One thread may add entries while others look. The memory used is some 50 bytes an entry; the files need about twice
    the size of the text.
    """

    def __init__(self) -> None:
        self.is_complete = False
        self.problem = ""
        self._lock = Lock()
        self._shown, self._texts = Spool(), Spool()
        self._labels: dict[str, LabelColumn] = {}
        self._numbers = array("d")
        self._keys = array("Q")
        self._digests = array("Q")
        self._masks: dict[tuple[str, int], NDArray[np.bool_]] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def fill(self, entries: Iterable[ViewEntry]) -> None:
        """Add entries; raise what their iterator raises, or ``OSError`` if the temporary files can't be written."""
        rest = iter(entries)
        while some := list(islice(rest, ENTRIES_ADDED_AT_ONCE)):
            shown = [(one, one.to_json()) for one in some]
            records = [json.dumps(values).encode() for _, values in shown]
            texts = [f"{one.text()}\0".casefold().encode("utf-8", "surrogatepass") for one in some]
            with self._lock:
                self._shown.add(records)
                self._texts.add(texts)
                for one, values in shown:
                    self._add(one, values["digest"])
        self.is_complete = True

    def _add(self, entry: ViewEntry, digest: str) -> None:
        number = len(self._keys)
        for values, is_group in ((entry.labels, False), (entry.cells, True)):
            for name, value in values.items():
                if is_group and name in entry.labels:
                    continue
                column = self._labels.get(name)
                if column is None:
                    column = self._labels[name] = LabelColumn(is_group=is_group)
                column.add(value, number)
        self._numbers.append(entry.number)
        self._keys.append(entry.key)
        self._digests.append(int(digest, 16))

    def find(self, wanted: ViewFilter) -> Matches:
        """Return the entries that a filter lets through; conditions on unknown columns are ignored."""
        with self._lock:
            n_entries = len(self._keys)
            columns = self._few(n_entries)
            common = self._having_text(wanted.text, n_entries) & self._between(wanted.low, wanted.high)
            own = {
                name: self._having(columns[name], values)
                for name, values in wanted.labels
                if values and name in columns
            }
            counts: dict[str, dict[str, int]] = {}
            for name, column in columns.items():
                mask = common.copy()
                for other, allowed in own.items():
                    mask &= allowed if other != name else True
                found = np.bincount(np.frombuffer(column.codes, np.uint8)[mask], minlength=len(column.values))
                counts[name] = dict(zip(column.values, map(int, found), strict=True))
            for allowed in own.values():
                common &= allowed
            return Matches(np.flatnonzero(common), counts, self._range(columns), n_entries)

    def sample(self, matches: Matches, size: int) -> tuple[list[int], int]:
        """Draw a random sample of the matches that somebody can judge, and return of how many.

        The numbers are in random order: a smaller sample is the beginning of a larger one.
        """
        with self._lock:
            keys = np.array(self._keys, np.uint64)
            numbers = matches.numbers
            if (status := self._labels.get(STATUS)) is not None:
                status.pad(len(keys))
                numbers = numbers[self._having(status, JUDGED)[numbers]]
        return numbers[np.argsort(keys[numbers], kind="stable")[:size]].tolist(), len(numbers)

    def show(self, number: int) -> dict[str, Any]:
        """Return what the page shows of an entry; raise ``IndexError`` if there is none."""
        return json.loads(self.record(number))

    def record(self, number: int) -> bytes:
        """Return what the page shows of an entry, as JSON in ASCII; raise ``IndexError`` if there is none."""
        if not 0 <= number < len(self._keys):
            raise IndexError(number)
        with self._lock:
            return self._shown.read(number, number + 1)

    def size(self, number: int) -> int:
        """Return the bytes of what the page shows of an entry."""
        return self._shown.ends[number + 1] - self._shown.ends[number]

    def numbers(self) -> Sequence[float]:
        """Return the number that was read of each entry; NaN if none was."""
        return self._numbers

    def range(self) -> tuple[float, float] | None:
        """Return the least and the greatest number, if they are too many to be listed."""
        with self._lock:
            return self._range(self._few(len(self._keys)))

    def label_columns(self) -> Mapping[str, LabelColumn]:
        """Return the columns that the page can filter by."""
        with self._lock:
            return self._few(len(self._keys))

    def places(self) -> list[int]:
        """Return the place of each entry in the random order of the spot check, from 0."""
        order = np.argsort(np.array(self._keys, np.uint64), kind="stable")
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        return places.tolist()

    def count_digests(self, digests: Sequence[str]) -> int:
        """Return how many of some digests are those of entries."""
        wanted = np.array([int(one, 16) for one in digests], np.uint64)
        with self._lock:
            return int(np.isin(wanted, np.array(self._digests, np.uint64)).sum())

    def close(self) -> None:
        """Remove the temporary files."""
        with self._lock:
            self._shown.close()
            self._texts.close()

    def _few(self, n_entries: int) -> dict[str, LabelColumn]:
        """Return the columns that tell entries apart; a group has several, so a column of names is none."""
        columns = {name: one for name, one in self._labels.items() if one.is_few}
        for column in columns.values():
            column.pad(n_entries)
        return {
            name: one
            for name, one in columns.items()
            if one.n_values() > 1 and (not one.is_group or 2 * one.n_values() <= n_entries)
        }

    def _having(self, column: LabelColumn, values: Sequence[str]) -> NDArray[np.bool_]:
        codes = [code for code, value in enumerate(column.values) if value in values]
        allowed = np.zeros(MOST_VALUES + 1, np.bool_)
        allowed[codes] = True
        return allowed[np.frombuffer(column.codes, np.uint8)]

    def _between(self, low: float | None, high: float | None) -> NDArray[np.bool_]:
        """Return which entries have a number in a range; without a range, all."""
        numbers = np.array(self._numbers, np.float64)
        mask = np.ones(len(numbers), np.bool_)
        if low is not None:
            mask &= numbers >= low
        if high is not None:
            mask &= numbers <= high
        return mask

    def _range(self, columns: Mapping[str, LabelColumn]) -> tuple[float, float] | None:
        """Return the range of the numbers, if they are too many to be listed."""
        numbers = np.array(self._numbers, np.float64)
        numbers = numbers[np.isfinite(numbers)]
        if VALUE in columns or VALUE not in self._labels or not numbers.size:
            return None
        low, high = float(numbers.min()), float(numbers.max())
        return None if low == high else (low, high)

    def _having_text(self, text: str, n_entries: int) -> NDArray[np.bool_]:
        needle = text.casefold().encode("utf-8", "surrogatepass")
        if not needle:
            return np.ones(n_entries, np.bool_)
        known = self._masks.pop((text, n_entries), None)
        mask = self._search(needle, n_entries) if known is None else known
        self._masks[text, n_entries] = mask
        for oldest in list(self._masks)[:-TEXTS_REMEMBERED]:
            del self._masks[oldest]
        return mask.copy()

    def _search(self, needle: bytes, n_entries: int) -> NDArray[np.bool_]:
        """Search the texts in pieces, and go on at the next entry after each hit."""
        mask = np.zeros(n_entries, np.bool_)
        ends = self._texts.ends
        first = 0
        while first < n_entries:
            last = max(first + 1, bisect_right(ends, ends[first] + BYTES_SEARCHED_AT_ONCE, first, n_entries + 1) - 1)
            piece, base = self._texts.read(first, last), ends[first]
            at = piece.find(needle)
            while at >= 0:
                entry = bisect_right(ends, base + at, first, last + 1) - 1
                mask[entry] |= base + at + len(needle) <= ends[entry + 1]
                at = piece.find(needle, ends[entry + 1] - base)
            first = last
        return mask
