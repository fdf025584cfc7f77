"""``judgecore demo``: what it shows is so."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

import judgecore as jc
from judgecore.cli.demo import HEADINGS, Line, judge, load_lines, read_carefully, read_naively

if TYPE_CHECKING:
    from cli.conftest import Program

LINES = load_lines()
COLOURS = re.compile(r"\x1b\[[0-9;]*3[0-7]m")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_path(judgecore: Program) -> str:
    return f"{judgecore.path.parent}{os.pathsep}{os.defpath}"


def test_a_demo_is_coloured_and_prints_that_it_was_interrupted(judgecore: Program) -> None:
    with judgecore.on_terminal("demo") as terminal:
        terminal.wait_for("\x1b[31m")
        terminal.press(b"\x03")
        shown, status = terminal.wait()

    assert status == 130
    assert shown.rstrip().endswith("interrupted")


@pytest.mark.parametrize("line", LINES, ids=[f"{line.format}-{nth}" for nth, line in enumerate(LINES)])
def test_judgecore_reads_what_a_careful_person_reads(line: Line) -> None:
    got = read_carefully(line)

    if isinstance(got.get("value"), dict):
        got = {"value": {name: got["value"][name] for name in line.want["value"]}}
    assert line.want == got


def test_there_are_some_sixty_replies_in_a_dozen_formats_and_every_group() -> None:
    formats = {line.format for line in LINES}
    groups = {line.group for line in LINES}

    assert 55 <= len(LINES) <= 70
    assert len(formats) >= 12
    assert set(HEADINGS) == groups


def test_every_demo_reply_has_a_note() -> None:
    notes = [line.note for line in LINES]

    assert all(notes)


@pytest.mark.parametrize(
    ("reply", "form", "want"),
    [
        ("On a scale of 1 to 10: 8", "mt_bench.single", 1.0),
        ("I refuse", "mt_bench.single", 1.0),
        ("8 7", "judgelm", [8.0, 7.0]),
        ("none", "judgelm", [-1.0, -1.0]),
        ("yesterday", "lmms_eval.yes_no", True),
        ("not unsafe", "llama_guard.3", {"unsafe": True}),
        ("[[B]], not [[A]]", "mt_bench.pair", "B"),
        ("neither", "mt_bench.pair", "tie"),
        ("neither", "arena_hard", None),
    ],
)
def test_the_naive_parser_does_what_it_says(reply: str, form: str, want: object) -> None:
    got = read_naively(reply, jc.Format.get(form))

    assert want == got


@pytest.mark.parametrize(
    ("value", "wanted", "want"),
    [
        (8.0, {"value": 8.0}, "right"),
        (1.0, {"value": 8.0}, "wrong"),
        (None, {"value": 8.0}, "missed"),
        (1.0, {"unreadable": "empty"}, "invented"),
        (None, {"unreadable": "empty"}, "unread"),
        ({"unsafe": True}, {"value": {"unsafe": True, "categories": ["S1"]}}, "right"),
        ({"unsafe": True, "categories": ["S2"]}, {"value": {"unsafe": True, "categories": ["S1"]}}, "wrong"),
    ],
)
def test_a_value_is_graded_against_the_right_outcome(value: object, wanted: dict[str, object], want: str) -> None:
    got = judge(value, wanted)

    assert want == got


# A demo takes seconds, so that two are all: one to a pipe, and one on a terminal.


def test_a_demo_whose_counts_add_up_with_nothing_wrong_or_invented_names_the_next_command(judgecore: Program) -> None:
    printed = judgecore("demo", PATH=os.defpath).stdout

    table = printed.partition(f"of {len(LINES)} replies")[2]
    found = re.findall(r"([a-z][a-z ,]+?) +(\d+) +(\d+) *$", table, re.MULTILINE)
    rows = {words.removeprefix("x ").strip(): (int(naive), int(own)) for words, naive, own in found}
    assert len(rows) == 5
    assert (len(LINES), len(LINES)) == (sum(pair[0] for pair in rows.values()), sum(pair[1] for pair in rows.values()))
    assert 0 == rows["wrong value"][1] == rows["a value although there is no verdict"][1]
    assert rows["wrong value"][0] + rows["a value although there is no verdict"][0] > len(LINES) / 2
    check_the_next_command(judgecore, printed, os.defpath)
    assert f"\n  {judgecore.path} parse " in printed


def test_a_demo_without_colour_fits_80_columns_and_names_the_next_command(judgecore: Program) -> None:
    path = on_path(judgecore)
    with judgecore.on_terminal("demo", "--notes", NO_COLOR="1", PATH=path) as terminal:
        shown, status = terminal.wait()

    assert status == 0
    assert not COLOURS.search(shown)
    plain = ESCAPES.sub("", shown).replace("\r", "")
    # A path is as long as it is, and stays whole so that it can be copied.
    lines = [line for line in plain.splitlines() if not line.startswith(("registry: ", "report: "))]
    assert max(map(cell_len, lines)) <= 80
    check_the_next_command(judgecore, plain, path)
    assert f"\n  {judgecore.path} parse " not in plain


def check_the_next_command(judgecore: Program, printed: str, path: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", printed.partition("Next, try a reply of your own:\n")[2]],
        cwd=judgecore.folder,
        env=judgecore.environment(PATH=path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"value": 8.0' in done.stdout
