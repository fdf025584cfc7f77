"""The pytest plugin, in runs of pytest of its own."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import walk_packages
from typing import Any

import pytest

import judgecore as jc

pytest_plugins = "pytester"
# A run in this process forgets the modules that it imported itself, and the extension would go on with their classes.
for station in (jc.evaluation, jc.identity, jc.prompts, jc.scorers, jc.targets):
    for module in walk_packages(station.__path__, f"{station.__name__}."):
        import_module(module.name)

PREAMBLE = """
import judgecore as jc
import pytest


def say(request):
    asked.append(1)
    text = request.turns[-1].text
    if "good" in text:
        return '{"score_value": true, "rationale": "It is."}'
    if "bad" in text:
        return '{"score_value": false, "rationale": "It is not."}'
    return "Who knows?"


asked = []
scorer = jc.scorers.SelfAskTrueFalseScorer(
    chat_target=jc.CallableTarget(say, name="demo"),
    true_false_question=jc.prompts.TrueFalseQuestion("quality", "It is fine.", "It is not."),
)
"""


class Runs:
    """Runs of pytest on files of a test."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self._pytester = pytester
        known = any(one.name == "judgecore" for one in entry_points(group="pytest11"))
        self._plugin = [] if known else ["-p", "judgecore.integrations.pytest"]

    def __call__(self, body: str, *options: str, preamble: str = PREAMBLE, is_process: bool = False) -> Any:
        self._pytester.makepyfile(preamble + body)
        run = self._pytester.runpytest_subprocess if is_process else self._pytester.runpytest_inprocess
        return run(*self._plugin, "--strict-markers", *options)


@pytest.fixture
def run(pytester: pytest.Pytester) -> Runs:
    return Runs(pytester)


def test_a_verdict_is_a_value_to_assert_on(run: Runs) -> None:
    done = run("""
def test_it(judge):
    assert judge(scorer, "good").get_value() is True
    assert judge(scorer, "bad").score_rationale == "It is not."
    assert len(judge.scores) == 2
""")

    done.assert_outcomes(passed=1)


def test_an_undetermined_score_is_neither_a_pass_nor_a_failure(run: Runs) -> None:
    done = run(
        """
def test_undecided(judge):
    judge(scorer, "hm")

def test_wrong(judge):
    assert judge(scorer, "bad").get_value()

def test_right(judge):
    assert judge(scorer, "good").get_value()
""",
        "-v",
    )

    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.stdout.fnmatch_lines(
        [
            "*test_undecided UNDETERMINED*",
            "*test_wrong FAILED*",
            "*test_right PASSED*",
            "*= undetermined =*",
            "*test_undecided - undetermined: no_verdict: *",
            "*1 failed, 1 passed, 1 undetermined*",
        ]
    )


def test_a_reply_that_cannot_be_read_is_unread(run: Runs) -> None:
    done = run("""
def test_read(judge):
    assert judge.read("Rating: [[8]]", "mt_bench.single") == 8.0

def test_unread(judge):
    judge.read("I like it.", "mt_bench.single")
""")

    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.stdout.fnmatch_lines(["*test_unread - unread: no_verdict: *", "*1 passed, 1 unread*"])


@pytest.mark.parametrize(
    ("thresholds", "texts", "outcome", "said"),
    [
        ("min_rate=0.5", ["good", "bad"], {"passed": 1}, "1 passed"),
        ("min_rate=0.6", ["good", "bad"], {"failed": 1}, "the rate is 0.5 over 2 scores (0 undetermined), below"),
        ("max_rate=0.2", ["good", "bad"], {"failed": 1}, "above max_rate=0.2"),
        ("min_rate=1", ["good", "hm"], {}, "1 of 2 scores are undetermined (no_verdict), more than max_undetermined=0"),
        ("min_rate=1, max_undetermined=0.5", ["good", "hm"], {"passed": 1}, "1 passed"),
        ("max_undetermined=1", ["hm"], {}, "all 1 scores are undetermined"),
        ("min_rate=0.5", [], {"failed": 1}, "needs at least one score"),
        ("min_rate=50", ["good"], {"errors": 1}, "must be from 0 to 1, not 50"),
        ("0.9", ["good"], {"errors": 1}, "pass the thresholds of the marker judge by name, such as min_rate=0.9"),
        ("0.9", ["bad"], {"errors": 1}, "pass the thresholds of the marker judge by name, such as min_rate=0.9"),
        (
            "least=0.9",
            ["good"],
            {"errors": 1},
            "the marker judge has no argument least; its arguments are min_rate, max_rate",
        ),
    ],
)
def test_the_marker_holds_all_scores_of_a_test_against_thresholds(
    run: Runs, thresholds: str, texts: list[str], outcome: dict[str, int], said: str
) -> None:
    done = run(f"""
@pytest.mark.judge({thresholds})
def test_it(judge):
    for text in {texts!r}:
        judge(scorer, text)
""")

    done.assert_outcomes(**outcome)
    assert said in done.stdout.str()


REPLAYED = """
def test_it(judge):
    assert judge(scorer, "good").get_value()
    assert asked == {expected}
"""


def test_replies_are_recorded_once_and_replayed_without_a_judge(run: Runs) -> None:
    ledger = "--judge-ledger=judge.sqlite"

    run(REPLAYED.format(expected=[1]), ledger, "--judge-mode=record").assert_outcomes(passed=1)
    run(REPLAYED.format(expected=[]), ledger, "--judge-mode=record").assert_outcomes(passed=1)
    run(REPLAYED.format(expected=[]), ledger).assert_outcomes(passed=1)


def test_a_missing_recording_is_an_error_that_names_the_fix(run: Runs) -> None:
    ledger = "--judge-ledger=judge.sqlite"
    run(REPLAYED.format(expected=[1]), ledger, "--judge-mode=record").assert_outcomes(passed=1)

    done = run('def test_it(judge):\n    judge(scorer, "good and new")\n', ledger)

    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*NotRecordedError*record it with pytest --judge-mode=record*"])


def test_a_ledger_that_is_not_there_can_only_be_recorded(run: Runs) -> None:
    done = run(REPLAYED.format(expected=[1]), "--judge-ledger=judge.sqlite")

    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*the ledger *judge.sqlite does not exist; record it*"])


def test_the_ledger_may_be_named_in_the_configuration(run: Runs, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\njudge_ledger = kept.sqlite\njudge_mode = record\n")

    run(REPLAYED.format(expected=[1])).assert_outcomes(passed=1)

    assert (pytester.path / "kept.sqlite").exists()


def test_an_async_test_awaits_the_verdict(run: Runs) -> None:
    done = run("""
import asyncio

def test_it(judge):
    async def ask():
        return await judge.score(scorer, "good")

    assert asyncio.run(ask()).get_value()
""")

    done.assert_outcomes(passed=1)


def test_the_plugin_loads_nothing_of_judgecore_before_it_is_used(run: Runs) -> None:
    done = run(
        """
import sys

def test_it():
    assert "judgecore.reading" not in sys.modules
    assert "judgecore.targets" not in sys.modules
""",
        preamble="",
        is_process=True,
    )

    done.assert_outcomes(passed=1)


@pytest.mark.parametrize("mode", ["record", "replay"])
def test_a_mode_without_a_ledger_is_refused_before_a_judge_is_asked(run: Runs, mode: str) -> None:
    done = run(REPLAYED.format(expected=[1]), f"--judge-mode={mode}")

    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines([f"*{mode} needs a ledger; name one with --judge-ledger=FILE*"])


def test_a_configured_mode_without_a_ledger_is_refused_too(run: Runs, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\njudge_mode = replay\n")

    done = run(REPLAYED.format(expected=[1]))

    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*replay needs a ledger; name one with --judge-ledger=FILE*"])


def test_without_a_ledger_the_judge_is_asked(run: Runs) -> None:
    run(REPLAYED.format(expected=[1])).assert_outcomes(passed=1)


def test_a_scorer_that_gives_two_scores_is_refused(run: Runs) -> None:
    done = run("""
def test_it(judge):
    both = jc.scorers.ComparativeScorer(chat_target=jc.CallableTarget(lambda _: "8 7", name="both"))
    judge(both, "A", objective="Why?", fields={"question": "Why?", "response_b": "B"})
""")

    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*ValueError: ComparativeScorer gives 2 scores*"])
