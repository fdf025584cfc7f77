"""Progress: what is told of a long piece of work, and how seldom words are made for it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli.conftest import Program

# Tells of 20,000 steps, and then how often words were made and whether that is more than the time allows.
COUNTING = """
from judgecore.cli.progress import SECONDS_BETWEEN_DRAWINGS, Progress
made = []
with Progress("counting", 20_000, is_silent=False) as progress:
    for step in range(20_000):
        progress.update(step, lambda: made.append(step) or "some steps")
    most = 1 + progress.seconds / SECONDS_BETWEEN_DRAWINGS
print(f"first {made[:1]}, too often {len(made) > most}")
"""
# Tells once, of more words than stand beside the bar on a terminal of 80 columns.
WORDY = """
from judgecore.cli.progress import Progress
with Progress("telling many.jsonl", 50, is_silent=False) as progress:
    progress.update(21, lambda: "174 rows, 0 undetermined, 62 rows/s, 174 asked, 78,300 tokens, cost 0.0890")
"""


def test_progress_is_updated_at_once_and_then_at_most_ten_times_a_second(judgecore: Program) -> None:
    judgecore.path = Path(sys.executable)

    with judgecore.on_terminal("-c", COUNTING) as terminal:
        shown, status = terminal.wait()

    assert (status, "first [0], too often False" in shown) == (0, True), shown


def test_without_a_terminal_a_short_run_builds_no_description(judgecore: Program) -> None:
    judgecore.path = Path(sys.executable)

    done = judgecore.process("-c", COUNTING)

    assert (done.stdout, done.stderr) == ("first [], too often False\n", "counting\n")


def test_a_long_progress_description_wraps_below_the_bar(judgecore: Program) -> None:
    judgecore.path = Path(sys.executable)

    with judgecore.on_terminal("-c", WORDY) as terminal:
        shown, status = terminal.wait()

    assert status == 0
    assert [one for one in ("telling many.jsonl", "━", " 42%", "174 rows", "0.0890") if one not in shown] == []
    assert "…" not in shown


def test_scoring_and_evaluating_say_on_standard_error_that_they_begin(
    judgecore: Program, write: Callable[..., Path]
) -> None:
    write("s.yaml", "type: SubStringScorer\nsubstring: can\n")
    write("r.jsonl", '{"response": "I can."}\n')
    write("l.csv", "# dataset_version=1.0\nobjective,assistant_response,human_score\nask,I can.,1\nask,No.,0\n")

    scored = judgecore("score", "r.jsonl", "--scorer", "s.yaml", "--registry", "registry")
    measured = judgecore("evaluate", "--scorer", "s.yaml", "--dataset", "l.csv", "--registry", "registry")

    assert (scored.returncode, scored.stderr) == (0, "scoring r.jsonl\n")
    assert (measured.returncode, measured.stderr) == (0, "evaluating l.csv\n")


def test_an_evaluation_on_a_terminal_counts_its_responses(judgecore: Program, write: Callable[..., Path]) -> None:
    write("s.yaml", "type: KeywordRefusalScorer\n")

    with judgecore.on_terminal("evaluate", "--scorer", "s.yaml", "--registry", "registry") as terminal:
        shown, status = terminal.wait()

    assert status == 0
    assert "1 of 183 responses" in shown
