"""The table of PyRIT's names says what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import judgecore as jc

PARITY = Path(__file__).parents[2] / "docs" / "parity.md"
ROWS = [
    [cell.strip() for cell in row[1:-1].split(" | ")]
    for row in PARITY.read_text("utf-8").splitlines()
    if row.startswith("| `")
]
PUBLIC = {name: station for station in (jc.scorers, jc.prompts, jc.compat, jc) for name in station.__all__}


def rows_of(heading: str) -> list[list[str]]:
    section = PARITY.read_text("utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [row for row in ROWS if f"| {row[0]} | {row[1]} |" in section]


@pytest.mark.parametrize("heading", ["Scorers", "Aggregators", "Data and helpers"])
def test_what_is_said_to_be_here_is_here(heading: str) -> None:
    rows = rows_of(heading)

    assert rows
    for theirs, ours, difference in rows:
        assert ours == "—" or ours.strip("`") in PUBLIC, theirs
        assert ours != "—" or difference, theirs


def test_every_member_that_is_named_is_there() -> None:
    for enum, member in re.findall(r"`(\w+Paths)\.([A-Z_]+)`", PARITY.read_text("utf-8")):
        assert member in getattr(PUBLIC[enum], enum).__members__, (enum, member)


def test_no_name_stands_twice() -> None:
    names = [row[0] for heading in ("Scorers", "Aggregators", "Data and helpers") for row in rows_of(heading)]

    assert len(names) == len(set(names)) == 100


def test_what_is_only_here_is_here() -> None:
    [said] = re.findall(r"^Only here: (.*?)\.$", PARITY.read_text("utf-8"), re.MULTILINE | re.DOTALL)

    assert all(name in PUBLIC for name in re.findall(r"`(\w+)`", said))
