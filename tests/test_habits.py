"""Habits of judges that docs/reading.md tells of: how often they are there, and who reads them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from references import accuracy

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
SECTION = (ROOT / "docs" / "reading.md").read_text("utf-8").partition("## Habits")[2].partition("\n## ")[0]
TABLE = [
    tuple(cell.strip() for cell in row.strip("|").split("|")) for row in re.findall(r"^\|.*\|$", SECTION, re.MULTILINE)
][2:]
# Two numbers alone on the first line, as the reviews' prompt asks for.
PAIR = re.compile(r"\s*[\d.]+[ ,]+[\d.]+\s*(?:\n|$)")
NAMED_LINE = re.compile(r"^Assistant 1: *\d", re.MULTILINE)
FAMILIES = {family.title: family for family in accuracy.families()}

# The format of a reply in the shape of a habit, its verdict, and what others read in it.
EXAMPLES: list[tuple[str, str, Any, Callable[[dict[str, Any]], Any]]] = [
    (
        "llmbar.cot",
        "Assistant (a) believes that Output (a) is better. It overlooks the date. Therefore, Output (b) is better.",
        "B",
        accuracy.paper("llmbar.cot"),
    ),
    (
        "llmbar.pair",
        "Output (b) is better.\n\nOutput (a) leaves the second question open.",
        "B",
        accuracy.paper("llmbar.pair"),
    ),
    (
        "judgelm",
        "x = 3, because 2 * 3 = 6.\n\nAssistant 1: 2 (wrong sign)\nAssistant 2: 9",
        (2.0, 9.0),
        accuracy.paper("judgelm"),
    ),
    (
        "judgelm",
        "x = 3, because 2 * 3 = 6.\n\nAssistant 1: 2 (wrong sign)\nAssistant 2: 9",
        (2.0, 9.0),
        accuracy.two_numbers,
    ),
    (
        "judgelm",
        "The scores for Assistant 1 and Assistant 2 are 2 and 9, respectively.",
        (2.0, 9.0),
        accuracy.paper("judgelm"),
    ),
    (
        "judgelm",
        "The scores for Assistant 1 and Assistant 2 are 2 and 9, respectively.",
        (2.0, 9.0),
        accuracy.two_numbers,
    ),
]


def tally(rows: list[dict[str, Any]], read: Callable[[dict[str, Any]], Any]) -> str:
    found = accuracy.count(rows, read)._asdict()
    return ", ".join(f"{found[name]} {name}" for name in ("right", "unread", "wrong") if found[name])


@pytest.mark.parametrize(("format_id", "reply", "verdict", "other"), EXAMPLES)
def test_a_habit_is_read_here_and_not_by_the_rule_made_for_it(
    format_id: str, reply: str, verdict: Any, other: Callable[[dict[str, Any]], Any]
) -> None:
    outcome = jc.parse(reply, format_id)

    assert verdict == outcome.unwrap()
    assert verdict != other({"raw": reply})


def test_a_verdict_that_another_holds_is_often_told_before_the_judges_own(shared: Path) -> None:
    family = FAMILIES["LLMBar: closes with the other output"]
    rows = [row for row in family.rows(shared / "corpora") if accuracy.wants_sentence(row)]

    found = (str(len(rows)), tally(rows, family.read), tally(rows, accuracy.paper("llmbar.cot")), "")

    assert TABLE[0][1:] == found


@pytest.mark.parametrize(("place", "is_line"), [(1, True), (2, False)])
def test_scores_often_stand_below_the_first_line(shared: Path, place: int, *, is_line: bool) -> None:
    family = FAMILIES["Vicuna reviews: two scores"]
    scored = [row for row in family.rows(shared / "corpora") if row["gold"] and not PAIR.match(row["raw"])]
    rows = [row for row in scored if bool(NAMED_LINE.search(row["raw"])) is is_line]

    found = (str(len(rows)), *(tally(rows, read) for read in family.readers().values()))

    assert TABLE[place][1:] == found


def test_a_name_that_opens_a_paragraph_behind_the_verdict_misleads_the_rule_for_names_alone(shared: Path) -> None:
    family = FAMILIES["LLMBar: closes with the other output"]
    rows = [row for row in family.rows(shared / "corpora") if not accuracy.wants_sentence(row)]

    read = Counter(
        (family.read(row), accuracy.paper("llmbar.pair")(row), accuracy.paper("llmbar.cot")(row)) for row in rows
    )

    assert read == {("B", "A", "B"): 22}
    assert " 22 replies" in SECTION


def test_the_table_of_what_was_measured_is_that_of_today(shared: Path) -> None:
    pytest.importorskip("json_repair", reason="not installed here: make test-oracles")

    text = (ROOT / "docs" / "measured.md").read_text("utf-8")

    assert "\n".join(accuracy.table_lines(accuracy.counts(shared / "corpora"))) in text, "run benches/accuracy.py"
