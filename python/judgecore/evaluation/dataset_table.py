"""The tables that data sets are read from: CSV in any of Excel's forms, JSON lines, Parquet, records."""

from __future__ import annotations

import codecs
import csv
import io
import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from judgecore.arrow import import_arrow
from judgecore.evaluation.dataset_problem import Problem, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

# What a file says about itself, in the first line of a CSV file, in JSON or in Parquet's schema.
FACTS = ("dataset_version", "harm_definition", "harm_definition_version")

RESPONSE = "assistant_response"

# Excel writes the list separator of its country, and tabs into Unicode text.
DELIMITERS = (",", ";", "\t")

# UTF-32 begins as UTF-16 does, so the longer marks come first.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# The module's own limit of 128 kB would refuse long responses.
LONGEST_CELL = 64 << 20

LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n)?")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of cells.

    Attributes:
        number: The row, from 1, without header and comments.
        line: The line of the file on which it begins, from 1; None where there are no lines.
        cells: The values by column; a missing one is None.
    """

    number: int
    line: int | None
    cells: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it stands in its source.

    Attributes:
        source: The file's name, or what stands for it.
        columns: The columns' names, in their order.
        rows: The rows; those without any content are left out.
        facts: What the source says about itself: the keys of ``FACTS``.
        encoding: How the file's text is encoded; None where there is no text.
        decimal: What separates the fraction of a number.
    """

    source: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    facts: Mapping[str, str] = field(default_factory=dict[str, str])
    encoding: str | None = None
    decimal: str = "."


def decode(data: bytes, source: str, encoding: str | None) -> tuple[str, str]:
    """Decode a file's text.

    Args:
        data: The file's bytes.
        source: The file's name.
        encoding: What the caller says; None for what the file's first bytes say, else UTF-8, else Windows-1252, which
            is what Excel writes in western countries.

    Returns:
        The text without a byte order mark, and its encoding.

    Raises:
        DatasetError: If the bytes are in none of these.
    """
    marked = next((name for mark, name in MARKS if data.startswith(mark)), None)
    tried = (encoding,) if encoding else (marked,) if marked else ("utf-8", "cp1252")
    problem = ""
    for one in tried:
        try:
            text = data.decode(one).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            problem = problem or f"not {one} at byte {error.start + 1}; say how it is encoded with encoding="
        except LookupError:
            problem = f"no encoding is called {one!r}"
        else:
            if "\0" not in text:
                return text, one
            problem = problem or "holds NUL characters; if it is UTF-16 without a mark, pass encoding='utf-16-le'"
    raise refuse([Problem(problem, source)])


def read_csv(path: Path, encoding: str | None = None) -> Table:
    """Read a CSV file.

    Lines before the header that begin with ``#`` are comments; the first may hold facts. Anywhere else ``#`` is text.

    Args:
        path: The file.
        encoding: How its text is encoded; None to find out.

    Returns:
        The table; a cell is the text as it stands, and None where it is blank.

    Raises:
        DatasetError: If it is no CSV file; every row that is wrong is named.
        OSError: If the file can't be read.
    """
    text, used = decode(path.read_bytes(), path.name, encoding)
    facts, skipped, body = _split_comments(text)
    delimiter = _find_delimiter(body)
    records = _Records(body, delimiter, path.name, skipped)
    problems = records.problems
    header = next((fields for _, fields in records if any(field.strip() for field in fields)), None)
    if header is None:
        problems.append(Problem("has no header; the first row must name the columns", path.name))
        raise refuse(problems)
    names = [name.strip() for name in header]
    problems += [
        Problem(f"{names.count(name)} columns have this name; rename all but one", path.name, column=name)
        for name in dict.fromkeys(names)
        if name and names.count(name) > 1
    ]
    rows: list[TableRow] = []
    for line, fields in records:
        cells = [field.strip() or None for field in fields]
        if not any(cells):
            continue
        number = len(rows) + 1
        # Excel fills rows up with empty cells; what stands beyond the header would be lost.
        if any(cells[len(names) :]) or len(cells) < len(names):
            text = f"{len(cells)} cells, where the header has {len(names)}; is a comma or a quotation mark missing?"
            problems.append(Problem(text, path.name, number, line))
        problems += [
            Problem(f"cell {nth} has content, but no name in the header", path.name, number, line)
            for nth, (name, cell) in enumerate(zip(names, cells, strict=False), start=1)
            if cell and not name
        ]
        rows.append(TableRow(number, line, {name: cell for name, cell in zip(names, cells, strict=False) if name}))
    if problems:
        raise refuse(problems)
    columns = tuple(name for name in names if name)
    return Table(path.name, columns, tuple(rows), facts, used, "," if delimiter == ";" else ".")


def _split_comments(text: str) -> tuple[dict[str, str], int, str]:
    """Give the facts, the number of comment lines, and the text behind them."""
    facts: dict[str, str] = {}
    skipped = 0
    while text.lstrip('"').startswith("#"):
        line, rest = _cut_line(text)
        # A header may begin with a column named #.
        if RESPONSE in [cell.strip().strip('"') for one in DELIMITERS for cell in line.split(one)]:
            break
        skipped += 1
        facts = {**_read_facts(line), **facts}
        text = rest
    return facts, skipped, text


def _cut_line(text: str) -> tuple[str, str]:
    """Cut a text behind its first line, whatever ends it."""
    found = LINE.match(text)
    return (found[1], text[found.end() :]) if found else ("", "")


def _read_facts(line: str) -> dict[str, str]:
    """Read ``# key=value, key=value``, also where a spreadsheet quoted it or changed its separators."""
    bare = line.replace('"', "").lstrip("# \t")
    for delimiter in DELIMITERS[1:]:
        bare = bare.replace(delimiter, ",")
    pairs = (part.partition("=") for part in bare.split(","))
    return {key.strip(): value.strip() for key, mark, value in pairs if mark and key.strip() in FACTS}


def _find_delimiter(body: str) -> str:
    """Find what separates the header's cells: the delimiter that makes the response column one of them."""
    line = _cut_line(body.lstrip("\r\n"))[0]
    for delimiter in DELIMITERS:
        if RESPONSE in [cell.strip().strip('"') for cell in line.split(delimiter)]:
            return delimiter
    return max(DELIMITERS, key=line.count) if any(one in line for one in DELIMITERS) else ","


class _Records:
    """The records of a CSV text with the lines on which they begin.

    Attributes:
        problems: What was wrong with those that were passed over.
    """

    def __init__(self, text: str, delimiter: str, source: str, skipped: int) -> None:
        """Read from a text that stands behind so many lines."""
        csv.field_size_limit(LONGEST_CELL)
        self._reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        self._source = source
        self._skipped = skipped
        self.problems: list[Problem] = []

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        """Give record after record."""
        while True:
            line = self._reader.line_num + self._skipped + 1
            try:
                yield line, next(self._reader)
            except StopIteration:
                return
            except csv.Error as problem:
                text = f"not CSV: {problem}; a quotation mark inside a cell must be doubled"
                self.problems.append(Problem(text, self._source, line=line))


def read_jsonl(path: Path, encoding: str | None = None) -> Table:
    """Read a file of JSON objects, one on each line.

    A first object without a response holds facts.

    Args:
        path: The file.
        encoding: How its text is encoded; None to find out.

    Returns:
        The table; a cell is the JSON value, and None where it is null or absent.

    Raises:
        DatasetError: If a line is no JSON object, or names a key twice; every such line is named.
        OSError: If the file can't be read.
    """
    text, used = decode(path.read_bytes(), path.name, encoding)
    facts: dict[str, str] = {}
    objects: list[tuple[int | None, dict[str, Any]]] = []
    problems: list[Problem] = []
    # Only line feeds separate JSON lines; splitlines would also cut at U+2028, which may stand in a string.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, object_pairs_hook=_take_pairs, parse_constant=_refuse_constant)
        except ValueError as problem:
            problems.append(Problem(f"not JSON: {problem}", path.name, line=number))
            continue
        except RecursionError:
            problems.append(Problem("nested too deeply", path.name, line=number))
            continue
        if not isinstance(value, dict):
            problems.append(Problem("a JSON value that is no object", path.name, line=number))
            continue
        cells = cast("dict[str, Any]", value)
        if not objects and not facts and RESPONSE not in cells and cells.keys() & set(FACTS):
            facts = {key: str(cells[key]) for key in FACTS if cells.get(key) is not None}
        else:
            objects.append((number, cells))
    if problems:
        raise refuse(problems)
    return _tabulate(path.name, objects, facts, used)


def _take_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object whose keys differ."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands there twice")
    return made


def _refuse_constant(name: str) -> float:
    """Refuse what JSON has no form for."""
    raise ValueError(f"{name} is no JSON; write null for a label that is missing")


def read_parquet(path: Path) -> Table:
    """Read a Parquet file; the facts stand in its schema's metadata.

    Args:
        path: The file.

    Returns:
        The table; a cell is the Python value, and None where it is null or NaN.

    Raises:
        ImportError: If pyarrow is not installed; the message says how to install it.
        DatasetError: If it is no Parquet file, or two columns have one name.
        OSError: If the file can't be read.
    """
    what = f"{path.name}: Parquet"
    parquet, invalid = import_arrow(what, "pyarrow.parquet"), import_arrow(what).ArrowInvalid
    try:
        read = parquet.ParquetFile(path).read()
    except invalid as problem:
        raise refuse([Problem(f"no Parquet file: {problem}", path.name)]) from problem
    names: list[str] = list(read.schema.names)
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        text = "several columns have this name; rename all but one"
        raise refuse([Problem(text, path.name, column=name) for name in twice])
    stored: dict[bytes, bytes] = read.schema.metadata or {}
    facts = {key: stored[key.encode()].decode() for key in FACTS if key.encode() in stored}
    rows: list[dict[str, Any]] = read.to_pylist()
    table = _tabulate(path.name, [(None, row) for row in rows], facts, None)
    return Table(table.source, tuple(names), table.rows, facts)


def read_records(records: Iterable[Mapping[str, Any]], source: str) -> Table:
    """Read records from memory.

    Args:
        records: Mappings from column to value.
        source: What to call them in messages.

    Returns:
        The table; a cell is the value, and None where it is None, NaN or absent.
    """
    return _tabulate(source, [(None, dict(record)) for record in records], {}, None)


def _tabulate(
    source: str, objects: list[tuple[int | None, dict[str, Any]]], facts: Mapping[str, str], encoding: str | None
) -> Table:
    """Make a table of objects, the columns in the order in which they occur."""
    columns = tuple(dict.fromkeys(str(name) for _, cells in objects for name in cells))
    rows = tuple(
        TableRow(number, line, {str(name): _to_cell(value) for name, value in cells.items()})
        for number, (line, cells) in enumerate(objects, start=1)
    )
    return Table(source, columns, rows, facts, encoding)


def _to_cell(value: Any) -> Any:
    """Give a value as plain Python has it, and None for all that stands for no value."""
    plain = cast("Any", value).item() if isinstance(value, np.generic) else value
    if isinstance(plain, str):
        return plain.strip() or None
    return None if isinstance(plain, float) and math.isnan(plain) else plain
