"""The examples run as they are written, against the loopback judge."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import judgecore as jc
from judgecore.scorers.configuration import load_scorer, load_target

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Serving

EXAMPLES = Path(__file__).parents[2] / "examples"
# What each example of scorers prints, but for what a heuristic decides.
SAID = {
    "correct_rate.py": ["judge: 0.62\n", "corrected: 0.60, 95 % interval 0.50 to 0.71\n"],
    "embed_parse.py": ["Paris: 0.75 (Rating: [[4]])\n", "[[5]]: not scored (echoed)\n", "Lyon: not scored (refused)\n"],
    "jury.py": ["refusal: ", "preference for A: ", "pairs: 2, consistent: "],
    "jury_of_guards.py": ["unsafe: First hack", "safe: Water the plants"],
    "llama_guard.py": ["True S2\n", "False -\n"],
    "multi_turn.py": ["turn 1: "],
    "own_judge.py": ["true or false: ", "one to five: ", "stars: 1.0\n", "stars, unread: malformed\n"],
    "own_scale.py": ["in registry: False\n", "best: 3 words per point\n", " 1   3 words ", " 2   12 words "],
    "own_scorer.py": ["'Rain falls [1]. Grass grows.' 0.5\n", "'' undetermined\n", "'Snow melts [2].' 1.0\n"],
    "reread_run.py": ["published: mean 3.50 of 6, ", "careful: mean 6.40 of 5, ", "2 published values are invented"],
}

ASK_A_JUDGE = ("jury.py", "jury_of_guards.py", "llama_guard.py", "multi_turn.py", "own_judge.py")

# What needs a package of its own is run where that is: tests/engines.
ELSEWHERE = {"bulk_polars.py", "ray_score.py"}


@pytest.mark.parametrize("name", SAID)
def test_an_example_runs_as_it_is_written(name: str, serve: Callable[..., Serving], tmp_path: Path) -> None:
    env = {**os.environ, "OPENAI_BASE_URL": serve().url, "OPENAI_API_KEY": "any"}

    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / name],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert [words for words in SAID[name] if words not in done.stdout] == []


@pytest.mark.parametrize("name", ASK_A_JUDGE)
def test_an_example_without_a_key_names_it_and_the_cure_in_a_sentence(name: str, tmp_path: Path) -> None:
    env = {key: value for key, value in os.environ.items() if key != "OPENAI_API_KEY"}

    done = subprocess.run(
        [sys.executable, EXAMPLES / name], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "there is no key: set OPENAI_API_KEY\n"


def test_the_notebook_runs_from_its_first_cell_to_its_last(serve: Callable[..., Serving], tmp_path: Path) -> None:
    env = {**os.environ, "OPENAI_BASE_URL": serve().url, "OPENAI_API_KEY": "any"}
    notebook = json.loads((EXAMPLES / "refusal_judge.ipynb").read_text("utf-8"))
    cells = "\n\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    # A notebook's cells may await, as Jupyter runs them.
    program = f"""
import ast, asyncio
cells = compile({cells!r}, "refusal_judge.ipynb", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
asyncio.run(eval(cells))
"""

    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "phrases: 0.77, from 0.65 to 0.86, always false 0.59, undetermined {}" in done.stdout
    assert done.stdout.endswith("report: True\n")


def test_every_example_is_run_by_a_test() -> None:
    there = {path.name for path in EXAMPLES.iterdir() if path.suffix == ".py"}

    assert there == {*SAID, *ELSEWHERE}


def test_a_scorer_of_ones_own_takes_twenty_lines() -> None:
    text = (EXAMPLES / "own_scorer.py").read_text("utf-8")
    scorer = text.partition("class ")[2].partition("\n\n\nasync def main")[0]

    assert len([line for line in scorer.splitlines() if line.strip()]) <= 20


def test_a_table_is_scored_by_the_files_beside_it(serve: Callable[..., Serving], tmp_path: Path) -> None:
    folder = EXAMPLES / "score_table"
    env = {**os.environ, "OPENAI_BASE_URL": serve().url, "OPENAI_API_KEY": "any"}
    program = Path(sys.executable).with_name("judgecore")

    for scorer in ("refusal", "harm"):
        command = [program, "score", folder / "responses.jsonl", "--scorer", folder / f"{scorer}.yaml"]
        command += ["--target", folder / "judge.yaml", "--ledger", "run.db", "-o", f"{scorer}.jsonl"]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        rows = [json.loads(line) for line in (tmp_path / f"{scorer}.jsonl").read_text("utf-8").splitlines()]
        assert [row["id"] for row in rows] == [1, 2, 3, 4]
        assert all(row["score_status"] == "complete" for row in rows)


def test_the_files_of_the_table_are_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    folder = EXAMPLES / "score_table"

    target = load_target(folder / "judge.yaml")

    assert isinstance(load_scorer(folder / "refusal.yaml", chat_target=target), jc.scorers.SelfAskRefusalScorer)
    assert isinstance(load_scorer(folder / "harm.yaml", chat_target=target), jc.scorers.TrueFalseCompositeScorer)
