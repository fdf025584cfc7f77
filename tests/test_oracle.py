"""Two editions are compared reply by reply, and each difference has its class."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from references import oracle

import judgecore as jc

PROGRAM = Path(oracle.__file__)
READ = oracle.Row("one", "family", "mt_bench.single", "lenient", "ok", 8.0, rule="marker", span=[0, 5])
UNREAD = oracle.Row("one", "family", "mt_bench.single", "lenient", "unreadable", reason="no_verdict")
RIGHT, WRONG, LEFT = (
    replace(READ, verdict="right"),
    replace(READ, value=9.0, verdict="wrong"),
    replace(UNREAD, verdict="unread"),
)
CHANGES: list[tuple[str, oracle.Row | None, oracle.Row | None]] = [
    ("right->wrong", RIGHT, WRONG),
    ("right->wrong", replace(UNREAD, verdict="right"), WRONG),
    ("right->unread", RIGHT, LEFT),
    ("unread->wrong", LEFT, WRONG),
    ("wrong->right", WRONG, RIGHT),
    ("wrong->unread", WRONG, LEFT),
    ("unread->right", LEFT, RIGHT),
    ("reading->other value", READ, replace(READ, value=9.0)),
    ("reading->other value", replace(READ, value=1), replace(READ, value=True)),
    ("reading->other value", WRONG, replace(WRONG, value=7.0)),
    ("reading->unreadable", READ, UNREAD),
    ("unreadable->reading", UNREAD, READ),
    ("reason changed", LEFT, replace(LEFT, reason="ambiguous")),
    ("rule or span only", RIGHT, replace(RIGHT, rule="labelled")),
    ("rule or span only", READ, replace(READ, span=[1, 5])),
    ("absent", READ, replace(READ, status="absent", value=None)),
    ("only in old", READ, None),
    ("only in new", None, READ),
]


def write(path: Path, *rows: oracle.Row | None) -> Path:
    """A dump of rows."""
    path.write_text("".join(json.dumps(asdict(row)) + "\n" for row in rows if row), "utf-8")
    return path


def dumped(folder: Path, *options: str) -> dict[oracle.Key, oracle.Row]:
    """What the program writes of this edition."""
    command = [sys.executable, str(PROGRAM), "dump", str(folder / "dump.jsonl"), *options]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return oracle.read_dump(folder / "dump.jsonl")


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> dict[oracle.Key, oracle.Row]:
    """What this edition makes of all replies."""
    return dumped(tmp_path_factory.mktemp("dump"))


def test_an_edition_does_not_differ_from_itself(dump: dict[oracle.Key, oracle.Row], tmp_path: Path) -> None:
    again = dumped(tmp_path, "--python", sys.executable)

    assert oracle.differences(dump, again) == []
    assert len(dump) > 5000


def test_a_dump_holds_what_reading_gives(dump: dict[oracle.Key, oracle.Row]) -> None:
    seeds = [row for row in dump.values() if row.family == "seeds" and row.format == "llama_guard.3"]

    assert {row.status for row in seeds} == {"ok", "unreadable"}
    for row in seeds:
        mode: Any = row.mode
        outcome: Any = jc.parse(row.reply, row.format, mode=mode)
        if row.status == "ok":
            assert (row.value, row.rule, row.span) == (oracle.plain(outcome.value), outcome.rule, list(outcome.span))
        else:
            assert row.reason == outcome.reason


def test_examples_and_cases_are_right_in_this_edition(dump: dict[oracle.Key, oracle.Row]) -> None:
    wrong = [row for row in dump.values() if row.family in {"examples", "cases"} and row.verdict == "wrong"]
    right = [row for row in dump.values() if row.family in {"examples", "cases"} and row.verdict == "right"]

    assert wrong == []
    assert len(right) > 3000


def test_the_corpora_are_judged_as_the_program_beside_them_judges(
    shared: Path, dump: dict[oracle.Key, oracle.Row]
) -> None:
    command = [sys.executable, str(shared / "tools" / "read_corpora.py"), str(shared / "corpora"), "--json"]
    table = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    for family, counts in table.items():
        mode = "strict" if family == "json_test_suite" else "lenient"
        rows = [row for row in dump.values() if (row.family, row.mode) == (family, mode)]
        wrong = sum(row.verdict == "wrong" for row in rows)
        assert counts["wrong"] + counts["invented"] == wrong, family


@pytest.mark.parametrize(("kind", "old", "new"), CHANGES)
def test_a_changed_line_shows_in_its_class(
    kind: str, old: oracle.Row | None, new: oracle.Row | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = replace(READ, id="same")
    before, after = write(tmp_path / "old.jsonl", old, same), write(tmp_path / "new.jsonl", same, new)

    oracle.main(["compare", str(before), str(after), "--show", kind])

    text = capsys.readouterr().out
    header, _, row = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")][:3]
    cells = dict(zip(header, row, strict=True))
    assert text.startswith("1 of 2 outcomes differ")
    assert list(cells) == ["family", "mode", "rule", kind]
    assert cells[kind] == "1"
    assert f"\n{kind}: family one, mt_bench.single, lenient\n" in text


def test_what_was_right_and_is_lost_is_counted_by_family(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = [replace(RIGHT, id=str(nth)) for nth in range(200)]
    before, after = write(tmp_path / "old.jsonl", *old), write(tmp_path / "new.jsonl", replace(LEFT, id="0"), *old[1:])

    oracle.main(["compare", str(before), str(after)])

    assert "| family | lenient | 200 | 0 | 1 | 0.50 % |" in capsys.readouterr().out


def test_a_reply_that_stands_twice_in_a_dump_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "old.jsonl", READ, READ)

    with pytest.raises(ValueError, match=r"old\.jsonl: family one lenient stands twice"):
        oracle.read_dump(path)


def test_no_edition_is_built_inside_the_checkout_or_over_another(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="outside"):
        oracle.build("HEAD", PROGRAM.parent / "edition", "release")
    with pytest.raises(SystemExit, match="already"):
        oracle.build("HEAD", tmp_path, "release")
