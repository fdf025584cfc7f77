"""Rows in are rows out and rejects, for every damage of every kind of text; and what a damage costs."""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import random
from typing import TYPE_CHECKING, Any

import pytest

from judgecore.cli import main
from judgecore.tables.files import find_kind
from judgecore.tables.opening import TableOptions, open_rows
from judgecore.tables.rows import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SEEDS = 3000 if os.environ.get("JUDGECORE_SOAK") else 150
PARTS = 5
ROWS = 24
REPLIES = (
    "Rating: [[{}]]",
    "It is short, and right.\nRating: [[{}]]",
    'It says "so", [[{}]]',
    "größer \x85 [[{}]]",
    "back\\slash {}",
    "",
    "=1+[[{}]]",
)
ENCODINGS = {"jsonl": ("utf-8", "utf-8", "utf-16-le", "utf-16-be"), "csv": ("utf-8", "utf-8", "utf-16-le", "cp1252")}
# What is added to each row says nothing that a row could.
ADDED = ("--format", "mt_bench.single", "--columns", "status", "--prefix", "zz_")


class Damaged:
    """A table of text to which things were done, none of which ends a line.

    Attributes:
        kind: What it is.
        encoding: How it is encoded.
        lines: Its lines without their ends, as bytes.
        harmed: What was done, by the number of each line that it was done to.
    """

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - cases, and no secret
        self.kind = self.chance.choice(["jsonl", "csv"])
        self.encoding = self.chance.choice(ENCODINGS[self.kind])
        self.lines = [self.encode("id,raw,more")] if self.kind == "csv" else []
        self.harmed: dict[int, str] = {}
        for number in range(ROWS):
            # None of an output's first record is harmed, which would be another table.
            self.add(self.record(number), is_harmed=number > 0 and self.chance.random() < 0.3)

    def encode(self, text: str) -> bytes:
        return text.encode(self.encoding)

    @property
    def text(self) -> bytes:
        """The whole table, perhaps with a mark and without an end."""
        mark = self.encode("\ufeff") if self.encoding != "cp1252" and self.chance.random() < 0.3 else b""
        return mark + self.encode("\n").join([*self.lines, *([b""] if self.chance.random() < 0.5 else [])])

    def record(self, number: int) -> str:
        reply = self.chance.choice(REPLIES).format(number % 10 + 1)
        if self.kind == "jsonl":
            cells = {"id": number, "raw": reply, "n": self.chance.choice([{"a": [1.5]}, None])}
            return json.dumps(cells, ensure_ascii=self.chance.random() < 0.5)
        if self.encoding == "cp1252":
            reply = reply.replace("\x85", "…")
        text = io.StringIO(newline="")
        csv.writer(text).writerow([f"r{number}", reply, self.chance.choice(["a", "b, c", ""])])
        return text.getvalue().removesuffix("\r\n")

    def add(self, record: str, *, is_harmed: bool) -> None:
        lines = [self.encode(line) for line in record.split("\n")]
        if is_harmed:
            what = self.chance.choice(list(DAMAGES))
            lines[0] = DAMAGES[what](self, lines[0])
            first = len(self.lines) + 1
            self.harmed |= dict.fromkeys(range(first, first + len(lines)), what)
        self.lines += lines

    def insert(self, line: bytes, what: bytes) -> bytes:
        width = len(self.encode("x"))
        at = self.chance.randrange(len(line) // width + 1) * width
        return line[:at] + what + line[at:]


DAMAGES: dict[str, Callable[[Damaged, bytes], bytes]] = {
    "cut": lambda table, line: line[: table.chance.randrange(len(line) // 2 + 1) // 2 * 2],
    "doubled": lambda _, line: line + line,
    "a stray quote": lambda table, line: table.insert(line, table.encode('"')),
    "three stray quotes": lambda table, line: table.insert(line, table.encode('"""')),
    "a NUL": lambda table, line: table.insert(line, table.encode("\0")),
    "NULs in its place": lambda table, line: table.encode("\0") * len(line),
    "another encoding": lambda table, line: table.insert(line, "größer".encode("utf-8" if len(line) % 2 else "cp1252")),
    "bytes of no encoding": lambda table, line: table.insert(line, b"\x81\xdc" * 2),
    "a byte order mark": lambda table, line: table.insert(line, b"\xff\xfe" if len(line) % 2 else b"\xef\xbb\xbf "),
    "a carriage return": lambda table, line: table.insert(line, table.encode("\r")),
    "a control": lambda table, line: table.insert(line, table.encode(table.chance.choice("\x01\x0b\x0c\x1c\x7f"))),
    "no record": lambda table, _: table.encode(table.chance.choice(["[1]", "null", "3", "{", "}", "{}{}", ",,,,", ""])),
    "no reply": lambda table, _: table.encode('{"raw": 7} ' if table.kind == "jsonl" else "r1,r2"),
}


@pytest.fixture
def parse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., dict[str, Any]]:
    """What runs ``parse`` in this process and a folder of its own, and gives its summary."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> dict[str, Any]:
        with pytest.raises(SystemExit) as left:
            main(["parse", *arguments, *ADDED, "--json"])
        said = capsys.readouterr()
        assert left.value.code in (0, 3), said.err
        summary = json.loads(said.out)
        assert (left.value.code == 3) == bool(summary["rejected"])
        return summary

    return run


def kept_in(folder: Path) -> list[dict[str, Any]]:
    """The rejects of the last run."""
    return [json.loads(line) for line in (folder / "bad.jsonl").read_text("utf-8").split("\n")[:-1]]


def raw_of(table: Damaged, kept: dict[str, Any]) -> bytes:
    """A reject as it stood in its table."""
    return base64.b64decode(kept["raw_base64"]) if "raw_base64" in kept else table.encode(kept["raw"])


def numbers_of_rows(table: Damaged, out: str, kept: dict[int, dict[str, Any]]) -> list[int]:
    """Walk down a table line by line: each is kept as it came, is blank, or begins the next row of the output.

    Returns:
        The number of the first line of each row.
    """
    lines = [line.decode(table.encoding, "replace") for line in table.lines]
    at, first = 0, []
    if table.kind == "csv":
        head = "id,raw,more,zz_status\r\n"
        assert out.startswith(head)
        lines[0], at = "", len(head)
    number = 1
    while number <= len(lines):
        if number in kept:
            raw = raw_of(table, kept[number])
            count = raw.count(table.encode("\n")) + 1
            assert raw == table.encode("\n").join(table.lines[number - 1 : number - 1 + count]), kept[number]
            number += count
            continue
        if not lines[number - 1].strip(" \t\r\x0c" if table.kind == "jsonl" else "\r"):
            number += 1
            continue
        taken, at = take_row(table.kind, lines[number - 1 :], out, at)
        assert taken, f"line {number} is neither a row nor a reject: {lines[number - 1]!r}"
        first.append(number)
        number += taken
    assert at == len(out), "a row came out twice, or from nowhere"
    return first


def take_row(kind: str, lines: list[str], out: str, at: int) -> tuple[int, int]:
    """How many lines the output's next row has that begins with the first of them, and where the row ends."""
    for count in range(1, 2 if kind == "jsonl" else len(lines) + 1):
        record = "\n".join(lines[:count])
        own = record.removesuffix("\r") + "," if kind == "csv" else record.strip().removesuffix("}").rstrip()
        for status in ("ok", "unreadable"):
            added = (
                [f"{status}\r\n"] if kind == "csv" else [f'{comma}"zz_status": "{status}"}}\n' for comma in (", ", "")]
            )
            end = next((at + len(own + one) for one in added if out.startswith(own + one, at)), None)
            if end is not None:
                return count, end
    return 0, at


@pytest.mark.parametrize("part", range(PARTS))
def test_every_line_is_in_one_row_or_one_reject_as_it_came_and_only_damaged_ones_are_rejected(
    parse: Callable[..., dict[str, Any]], tmp_path: Path, part: int
) -> None:
    for seed in range(part, SEEDS, PARTS):
        table = Damaged(seed)
        name, output = f"in.{table.kind}", f"out.{table.kind}"
        (tmp_path / name).write_bytes(table.text)

        summary = parse(name, "--encoding", table.encoding, "-o", output, "--rejects", "bad.jsonl")

        kept = {one["line"]: one for one in kept_in(tmp_path)}
        first = numbers_of_rows(table, (tmp_path / output).read_bytes().decode(), kept)
        about = (seed, table.kind, table.encoding, table.harmed)
        assert (summary["rows"], summary["rejected"]) == (len(first), len(kept)), about
        assert summary["rows_in"] == summary["rows"] + summary["rejected"], about
        assert kept.keys() <= table.harmed.keys(), about


@pytest.mark.parametrize("part", range(PARTS))
def test_every_way_of_reading_rejects_the_same_lines_in_the_same_words(
    parse: Callable[..., dict[str, Any]], tmp_path: Path, part: int
) -> None:
    for seed in range(part, SEEDS // 3, PARTS):
        table = Damaged(seed)
        name = f"in.{table.kind}"
        (tmp_path / name).write_bytes(table.text)

        rejects: dict[str, list[dict[str, Any]]] = {}
        for output in ("out.csv", "out.jsonl", "out.arrow"):
            parse(name, "--encoding", table.encoding, "-o", output, "--rejects", "bad.jsonl")
            rejects[output] = kept_in(tmp_path)
        with open_rows(name, find_kind(name, None), TableOptions(encoding=table.encoding)) as rows:
            read = [(row.line, row.problem) for row in rows if isinstance(row, Malformed)]

        want = rejects["out.csv"]
        assert rejects["out.jsonl"] == rejects["out.arrow"] == want
        # Who reads only rows takes any cell for a reply.
        assert read == [(one["line"], one["problem"]) for one in want if "a reply must be" not in one["problem"]]


def test_each_item_of_a_damaged_array_is_a_row_or_a_reject_by_its_number(
    parse: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    items = ['{"raw": "[[8]]"}', "null", "3", '{"raw": 4}', '"x"', "[1]", "{}", '{"raw":\n"[[7]]"}']
    (tmp_path / "in.json").write_text("[" + ",\n\n".join(items) + "]")

    for output in ("out.jsonl", "out.csv", "out.parquet"):
        summary = parse("in.json", "-o", output, "--rejects", "bad.jsonl")

        kept = kept_in(tmp_path)
        assert (summary["rows_in"], summary["rows"], summary["rejects"]["rows"]) == (8, 3, [[2, 6]])
        assert [(one["row"], one["raw"]) for one in kept] == [(nth, items[nth - 1]) for nth in range(2, 7)]
