"""Real replies, held against what their publishers recorded."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from references import accuracy

if TYPE_CHECKING:
    from pathlib import Path


def report(shared: Path, *options: str) -> str:
    """What the tool beside the corpora prints."""
    command = [sys.executable, str(shared / "tools" / "read_corpora.py"), str(shared / "corpora"), *options]
    return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout


@pytest.fixture(scope="module")
def last_line(shared: Path) -> dict[str, float]:
    """The numbers of the table's last line: all families of verdicts but the two hardest."""
    line = report(shared).splitlines()[-1]
    found = re.search(
        r"right (?P<right>[\d.]+) %, wrong (?P<wrong>[\d.]+) %, unread (?P<unread>[\d.]+) %, "
        r"invented (?P<invented>\d+) of (?P<unrecorded>\d+)$",
        line,
    )
    assert found, line
    return {name: float(number) for name, number in found.groupdict().items()}


def test_a_wrong_reading_is_rare(last_line: dict[str, float]) -> None:
    assert last_line["wrong"] <= 0.3


def test_few_replies_stay_unread(last_line: dict[str, float]) -> None:
    assert last_line["unread"] <= 2
    assert last_line["right"] > 97


# They name a verdict in a sentence that the publisher's patterns miss.
WITHOUT_A_RECORD = {
    "llmbar_pairwise": {f"llmbar_pairwise-{row}" for row in ("00005", "00006", "00014", "00015", "00026")},
    "chateval_nlg_fields": set(accuracy.SEEN),
}


def test_no_verdict_is_invented(shared: Path, last_line: dict[str, float]) -> None:
    assert last_line["unrecorded"] > 0
    count = 0
    for family, rows in WITHOUT_A_RECORD.items():
        lines = report(shared, "--show", family).splitlines()
        invented = {line.split("\t")[1].strip("'") for line in lines if line.startswith("'invented'")}
        assert invented <= rows
        count += len(invented)
    assert last_line["invented"] == count


def test_replies_that_contradict_themselves_are_not_read_wrongly(shared: Path) -> None:
    families = json.loads(report(shared, "--json"))

    conflict = families["llmbar_conflict"]
    assert conflict["gold"] > 0
    assert conflict["wrong"] == 0
    assert conflict["invented"] == 0
