"""``judgecore compare``: folders of evaluations in, a ranking and paired differences out."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from judgecore.evaluation import HumanLabeledDataset, ObjectiveScorerEvaluator
from judgecore.scorers import SubStringScorer

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Program


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two evaluations of the bundled refusals."""
    found: list[Path] = []
    for name, substring in (("never", "zzz"), ("can", "can")):
        evaluator = ObjectiveScorerEvaluator(SubStringScorer(substring=substring))
        result = asyncio.run(evaluator.evaluate_async(HumanLabeledDataset.bundled("refusals"), num_scorer_trials=1))
        found.append(result.save(tmp_path / name))
    return found


def test_scorers_are_ranked_under_their_folders_names(judgecore: Program, runs: list[Path]) -> None:
    done = judgecore("compare", *runs, COLUMNS="80")

    rows = [line.split()[:2] for line in done.stdout.splitlines() if line.strip()]
    assert (done.returncode, done.stderr) == (0, "")
    assert rows.index(["1", "can"]) < rows.index(["2", "never"])
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


def test_json_and_a_page_say_the_same(judgecore: Program, runs: list[Path], tmp_path: Path) -> None:
    done = judgecore("compare", *runs, "--json", "-o", "comparison.html")

    found = json.loads(done.stdout)
    page = tmp_path.joinpath("comparison.html").read_text("utf-8")
    assert found["names"] == ["can", "never"]
    assert "<h2>Paired differences</h2>" in page


def test_one_evaluation_is_not_compared(judgecore: Program, runs: list[Path]) -> None:
    done = judgecore("compare", runs[0])

    assert done.returncode == 2
    assert "at least two evaluations" in done.stderr


def test_a_page_that_can_not_be_written_is_named(judgecore: Program, runs: list[Path]) -> None:
    for command in (("compare", *runs), ("report", runs[0])):
        done = judgecore(*command, "-o", "gone/page.html")

        assert done.returncode == 2
        assert done.stderr == "Error: can't write gone/page.html: the folder gone does not exist; create it first\n"


def test_a_page_may_go_to_standard_output_and_through_a_link(
    judgecore: Program, runs: list[Path], tmp_path: Path
) -> None:
    tmp_path.joinpath("link.html").symlink_to("page.html")

    shown = judgecore("report", runs[0], "-o", "/dev/stdout")
    linked = judgecore("report", runs[0], "-o", "link.html")

    assert (shown.returncode, linked.returncode) == (0, 0), shown.stderr + linked.stderr
    assert shown.stdout.startswith("<!doctype html>")
    assert tmp_path.joinpath("link.html").is_symlink()
    assert tmp_path.joinpath("page.html").read_text("utf-8") in shown.stdout


def test_a_page_never_replaces_a_file_of_an_evaluation(judgecore: Program, runs: list[Path]) -> None:
    for command in (("compare", *runs), ("report", runs[1])):
        for name in ("items.jsonl", "evaluation.json"):
            before = (runs[1] / name).read_bytes()

            done = judgecore(*command, "-o", runs[1] / name)

            assert done.returncode == 2
            assert "is the input itself" in done.stderr
            assert (runs[1] / name).read_bytes() == before
