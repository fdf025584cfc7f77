"""The conformance cases are as they were frozen, and well formed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from references.conformance import tally

CONFORMANCE = Path(__file__).parents[1] / "conformance"


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, folder / "check.py"], capture_output=True, text=True, check=False)


def copied(folder: Path) -> Path:
    return Path(shutil.copytree(CONFORMANCE, folder / "conformance"))


def test_all_cases_are_well_formed_and_frozen() -> None:
    done = check(CONFORMANCE)

    assert (done.returncode, done.stderr) == (0, "")


def test_a_changed_case_is_named_by_its_file(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    file = folder / "cases" / "retold.jsonl"
    lines = file.read_text("utf-8").splitlines()
    case = json.loads(lines[3])
    lines[3] = json.dumps({**case, "why": f"{case['why']} "}, ensure_ascii=False)
    file.write_text("\n".join(lines) + "\n", "utf-8")

    done = check(folder)

    assert done.returncode == 1
    assert f"{file}: a frozen case differs" in done.stderr


def test_a_value_that_the_format_can_not_hold_is_named_by_its_line(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    file = folder / "cases" / "number.jsonl"
    line = file.read_text("utf-8").splitlines()[0]
    case = {**json.loads(line), "id": "number-9999", "reply": "another", "accept": [{"value": "no number"}]}
    with file.open("a", encoding="utf-8") as appended:
        appended.write(json.dumps(case) + "\n")

    done = check(folder)

    assert done.returncode == 1
    assert f"{file}:107: accept what the format can hold" in done.stderr


@pytest.mark.parametrize(("mode", "wrong", "missed"), [("lenient", 33, 91), ("strict", 10, 356)])
def test_no_more_cases_fail_through_the_public_interface_than_did(
    mode: Literal["lenient", "strict"], wrong: int, missed: int
) -> None:
    found = tally(mode).values()

    assert sum(counts["wrong"] for counts in found) <= wrong
    assert sum(counts["missed"] for counts in found) <= missed
