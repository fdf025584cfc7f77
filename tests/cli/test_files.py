"""What is said where a file can't be written, by every command that writes one."""

from __future__ import annotations

import asyncio
import shutil
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Program

SCORER = ("--scorer", "s.yaml")
WRITING = [
    ("parse", "r.jsonl", "--format", "arena_hard", "-o"),
    ("score", "r.jsonl", *SCORER, "-o"),
    ("score", "r.jsonl", *SCORER, "--ledger"),
    ("evaluate", *SCORER, "--dataset", "l.csv", "--ledger"),
    ("evaluate", *SCORER, "--dataset", "l.csv", "--report"),
    ("score", "r.jsonl", *SCORER, "-o", "o.jsonl", "--report"),
    ("ledger", "export", "run.ledger", "-o"),
    ("ledger", "merge"),
    ("report", "run", "-o"),
    ("compare", "run", "again", "-o"),
    ("convert", "inspect", "r.jsonl", "-o"),
    ("serve", "--count"),
]


@pytest.fixture
def folder(write: Callable[[str, str], Path], judgecore: Program, tmp_path: Path) -> Path:
    """A folder with what each command takes."""
    write("r.jsonl", '{"response": "[[A]]"}\n')
    write("s.yaml", "type: SubStringScorer\nsubstring: can\n")
    write("l.csv", "# dataset_version=1.0\nobjective,assistant_response,human_score\nask,I can.,1\nask,No.,0\n")
    with jc.Ledger(tmp_path / "run.ledger") as ledger:
        asyncio.run(ledger.send(jc.CallableTarget(lambda _: "Yes", name="yes"), jc.JudgeRequest("Is it?")))
    done = judgecore("evaluate", *SCORER, "--dataset", "l.csv", "--registry", "registry", "-o", "run")
    assert done.returncode == 0, done.stderr
    shutil.copytree(tmp_path / "run", tmp_path / "again")
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", WRITING, ids=" ".join)
def test_a_folder_that_is_not_there_is_named_with_the_cure(judgecore: Program, command: tuple[str, ...]) -> None:
    more = ("run.ledger",) if command[:2] == ("ledger", "merge") else ()

    done = judgecore(*command, "nowhere/out", *more, JUDGECORE_REGISTRY="registry")

    assert done.returncode == 2
    assert "the folder nowhere does not exist; create it first" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    "command", [WRITING[6], WRITING[8], ("evaluate", *SCORER, "--dataset", "l.csv", "-o")], ids=" ".join
)
def test_a_file_in_a_folders_place_is_named_with_what_is_written(
    judgecore: Program, folder: Path, command: tuple[str, ...]
) -> None:
    (folder / "taken").touch()

    done = judgecore(*command, "taken/out", JUDGECORE_REGISTRY="registry")

    assert done.returncode == 2
    assert "can't write taken/out: Not a directory" in done.stderr


@pytest.mark.parametrize("option", ["--report", "-o"])
def test_an_evaluation_that_could_not_be_written_is_not_begun(judgecore: Program, folder: Path, option: str) -> None:
    (folder / "taken").touch()

    done = judgecore("evaluate", *SCORER, "--dataset", "l.csv", option, "taken/out", JUDGECORE_REGISTRY="empty")

    assert done.returncode == 2
    assert "can't write taken/out" in done.stderr
    assert not (folder / "empty").exists()


@pytest.mark.parametrize(
    "command",
    [
        ("score", "r.jsonl", *SCORER, "--ledger", "run.ledger", "-o", "o.jsonl", "--report", "run.ledger"),
        ("score", "r.jsonl", *SCORER, "--ledger", "new.jsonl", "-o", "new.jsonl"),
        ("score", "r.jsonl", *SCORER, "-o", "o.jsonl", "--report", "s.yaml"),
        ("evaluate", *SCORER, "--dataset", "l.csv", "--ledger", "run.ledger", "--report", "run.ledger"),
        ("evaluate", *SCORER, "--dataset", "l.csv", "--ledger", "new.ledger", "--report", "new.ledger"),
        ("evaluate", *SCORER, "--dataset", "l.csv", "-o", "run", "--report", "run/evaluation.json"),
        ("evaluate", *SCORER, "--dataset", "l.csv", "-o", "fresh", "--report", "./fresh/evaluation.json"),
        ("view", "o.jsonl", "--ledger", "run.ledger", "--html", "run.ledger"),
        ("view", "run", "--html", "run/items.jsonl"),
        ("view", "run", "--judgements", "run/items.jsonl"),
    ],
    ids=" ".join,
)
def test_a_page_or_table_never_replaces_what_a_command_reads_or_stores(
    judgecore: Program, folder: Path, command: tuple[str, ...]
) -> None:
    (folder / "fresh").mkdir(exist_ok=True)
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}

    done = judgecore(*command, JUDGECORE_REGISTRY="registry")

    assert done.returncode == 2
    # It names the option that the file was read or stored by.
    written = command[-1]
    options = dict(pairwise(command))
    named = next((option for option in ("--ledger", "--scorer") if options.get(option) == written), None)
    what = "the input itself" if named is None else f"the file of {named}"
    assert f"{command[-2]} {written.removeprefix('./')} is {what}; write {command[-2]} " in " ".join(
        done.stderr.split()
    )
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before
