"""Progress: what is told of a long piece of work, and how seldom words are made for it."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from judgecore.cli.progress import fit
from judgecore.cli.score_tally import ScoreTally, show_cost
from judgecore.targets import Budget, PriceTable, TokenCounts, TokenPrices

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli.conftest import Program

# Tells of 20,000 steps, and then how often words were made and whether that is more than the time allows.
COUNTING = """
from judgecore.cli.progress import SECONDS_BETWEEN_DRAWINGS, Progress
made = []
with Progress("counting", 20_000, is_silent=False) as progress:
    for step in range(20_000):
        progress.update(step, lambda: made.append(step) or [("some steps",)])
    most = 1 + progress.seconds / SECONDS_BETWEEN_DRAWINGS
print(f"first {made[:1]}, too often {len(made) > most}")
"""
# Tells once, of more facts than a terminal of 80 columns has room for.
WORDY = """
from judgecore.cli.progress import Progress
facts = [("174 of 412 rows", "174/412"), ("62 rows/s", "62/s"), ("32 in flight",), ("78,300 tokens", "78k tok"),
         ("cost 0.0890 USD", "0.09 USD"), ("3 undetermined (no_verdict)", "3 undet. (no_verdict)")]
with Progress("telling many.jsonl", 412, is_silent=False) as progress:
    progress.update(174, lambda: facts)
"""
# Tells of a thousand rows, of which the second half is slow, on a clock of its own.
SLOWING = """
from judgecore.cli import progress
now, shown = [1000.0], []
progress.time.monotonic = lambda: now[0]
progress.click.echo = lambda line, err: shown.append(line)
with progress.Progress("counting", 1000, is_silent=False) as bar:
    for second in range(1, 101):
        now[0] += 1
        bar.update(10 * min(second, 50) + max(second - 50, 0), lambda: [("rows",)])
print(shown[9], shown[-1], sep="|")
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


def test_facts_that_do_not_fit_are_shortened_and_the_line_never_wraps(judgecore: Program) -> None:
    judgecore.path = Path(sys.executable)

    with judgecore.on_terminal("-c", WORDY, NO_COLOR="1") as terminal:
        shown, status = terminal.wait()

    line = next(one for one in re.split(r"[\r\n]|\x1b\[\d*\w", shown) if "174/412" in one)
    assert status == 0
    assert re.fullmatch(
        r"42% 174/412 \d+:\d\d left 62/s 32 in flight 78k tok 0.09 USD 3 undet. \(no_verdict\)", line.strip()
    )
    assert len(line) <= 80


def test_the_time_left_follows_from_the_last_minute(judgecore: Program) -> None:
    judgecore.path = Path(sys.executable)

    done = judgecore.process("-c", SLOWING)

    # The last minute has 10 quick seconds of 10 rows and 50 slow ones of one.
    assert done.stdout == "counting: 45%, rows, 0:55 left|counting: 55%, rows, 3:00 left\n", done.stderr


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
    assert re.search(r"\d+( of |/)183", shown)


@pytest.mark.parametrize("width", [24, 40, 60, 80, 100])
def test_the_count_and_the_time_left_stay_whatever_else_there_is_to_tell(width: int) -> None:
    prices = PriceTable(any_model=TokenPrices(input_per_million=1000, output_per_million=4000), currency="USD")
    budget = Budget(max_cost=1234.5, max_tokens=1_000_000, prices=prices)
    tally = ScoreTally(rows=412, malformed=2, first_reason="no_verdict", not_asked=Counter(budget=3))
    tally.judge.tokens["m"] = TokenCounts(prompt=78_300, completion=1234)
    tally.judge.calls = 400
    amount, *others = tally.describe_progress(1200, 62.3, prices, budget)

    line = fit(["scoring many.jsonl", "━━━", "34%"], [amount, ("0:13 left",), *others], width)

    assert re.search(r"41[24]( of |/)1,200( rows)? 0:13 left", line)
    assert len(line) <= width
    assert ("undet" in line) is (width > 40)
    assert ("spent 0.00/1,234.50 USD, 0/1.0M tok" in line) is (width == 100)


@pytest.mark.parametrize(
    ("cost", "said"),
    [(0.0, "cost 0.0000 USD"), (0.00001, "cost 0.00001 USD"), (0.12, "cost 0.1200 USD"), (None, "cost unknown")],
)
def test_a_small_cost_is_shown_in_plain_decimals(cost: float | None, said: str) -> None:
    assert show_cost(PriceTable(currency="USD"), cost) == said


def test_rows_that_wait_for_a_batch_are_pending_and_not_undetermined() -> None:
    tally = ScoreTally(rows=9, reasons=Counter(pending=5, no_verdict=2), first_reason="no_verdict")

    described = tally.describe_progress(9, 1.0, None, None)

    assert [fact[0] for fact in described[-2:]] == ["5 pending", "2 undetermined (no_verdict)"]


def test_malformed_lines_are_among_the_rows_that_are_done() -> None:
    described = ScoreTally(rows=3, malformed=1).describe_progress(4, 1.0, None, None)

    assert described[0] == ("4 of 4 rows", "4/4")


MESSAGE = """
from judgecore.cli.message import print_message
print_message("12345678 " * 12 + "\\n  judgecore " + "word " * 30 + "\\nend")
"""


def test_a_message_on_a_terminal_breaks_between_words_and_a_command_does_not(judgecore: Program) -> None:
    judgecore.path = Path(sys.executable)

    with judgecore.on_terminal("-c", MESSAGE) as terminal:
        shown, status = terminal.wait()
    piped = judgecore.process("-c", MESSAGE)

    first, second, command, end = [line.rstrip() for line in shown.strip().splitlines()]
    assert status == 0
    assert (first, second) == (" ".join(["12345678"] * 9), " ".join(["12345678"] * 3))
    assert (command, end) == (f"  judgecore {' '.join(['word'] * 30)}", "end")
    assert len(piped.stderr.splitlines()) == 3
