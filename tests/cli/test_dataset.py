"""``judgecore dataset validate``: what is wrong is named, what is right is described."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Program

GOOD = "# dataset_version=1.0\nobjective,assistant_response,human_score_1,human_score_2\no,r,1,1\no,s,0,\np,t,0,1\n"
BAD = "# dataset_version=1.0\nobjective,assistant_response,human_score\no,r,2\n,s,1\no,t,maybe\n"
LIKERT = (
    "# dataset_version=1.0, harm_definition=h.yaml, harm_definition_version=1\n"
    "harm_category,assistant_response,human_score\nh,r,1\nh,s,5\n"
)


def test_a_good_file_is_described(judgecore: Program, tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text(GOOD)

    done = judgecore("dataset", "validate", "good.csv")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("good.csv: no problems\n  type: objective\n  version: 1.0\n  rows: 3\n")
    assert "  raters: human_score_1, human_score_2\n  missing labels: 1\n" in done.stdout
    assert "  rater agreement: Krippendorff's alpha " in done.stdout


def test_every_cause_of_problems_has_its_line_row_and_column(judgecore: Program, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(BAD)

    done = judgecore("dataset", "validate", "bad.csv")

    assert done.returncode == 2
    rule = "an objective label is 0 or 1, and an empty cell is none"
    assert done.stdout.splitlines() == [
        f"bad.csv, row 1 (line 3), column 'human_score': '2' is no label; {rule} (and 1 more in row 3)",
        "bad.csv, row 2 (line 4), column 'objective': is empty",
        "bad.csv: 3 problems",
    ]


def test_many_problems_of_one_cause_are_one_line_and_all_are_in_the_json(judgecore: Program, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(BAD.splitlines()[0] + "\n" + BAD.splitlines()[1] + "\n" + "o,r,7\n" * 100)

    printed = judgecore("dataset", "validate", "bad.csv").stdout.splitlines()
    [report] = json.loads(judgecore("dataset", "validate", "bad.csv", "--json").stdout)

    assert len(printed) == 2
    assert "(and 99 more in rows 2, 3, 4, 5, 6, ...)" in printed[0]
    assert [problem["row"] for problem in report["problems"]] == list(range(1, 101))


def test_a_scale_and_a_missing_definition_are_options(judgecore: Program, tmp_path: Path) -> None:
    (tmp_path / "likert.csv").write_text(LIKERT)
    (tmp_path / "definitions").mkdir()
    (tmp_path / "definitions" / "h.yaml").write_text("name: h\nversion: 1\nlevels: {1: none, 5: all}\n")

    plain = judgecore("dataset", "validate", "likert.csv")
    scaled = judgecore("dataset", "validate", "likert.csv", "--scale", "1", "5")
    allowed = judgecore("dataset", "validate", "likert.csv", "--scale", "1", "5", "--allow-unverified")
    found = judgecore("dataset", "validate", "likert.csv", "--scale", "1", "5", "--harm-definitions", "definitions")

    assert "5 lies outside 0 to 1; if raters used a scale from 1 to 5, pass scale=(1, 5)" in plain.stdout
    assert "the harm definition h.yaml is missing" in scaled.stdout
    assert (plain.returncode, scaled.returncode, allowed.returncode, found.returncode) == (2, 2, 0, 0)
    assert "harm definition: h.yaml (unverified)" in allowed.stdout
    assert "harm definition: h.yaml (verified)" in found.stdout


def test_json_holds_every_file(judgecore: Program, tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text(GOOD)
    (tmp_path / "bad.csv").write_text(BAD)
    (tmp_path / "other.xlsx").write_text("PK")

    done = judgecore("dataset", "validate", "good.csv", "bad.csv", "other.xlsx", "--json")

    good, bad, other = json.loads(done.stdout)
    assert done.returncode == 2
    assert (good["rows"], good["problems"], len(good["content_hash"])) == (3, [], 64)
    assert [one["row"] for one in bad["problems"]] == [1, 2, 3]
    assert other["problems"][0]["text"].startswith("unknown table extension")


def test_control_characters_are_escaped(judgecore: Program, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("# dataset_version=1\nobjective,assistant_response,human_score\no,r,\x1b[2J\n")

    done = judgecore("dataset", "validate", "bad.csv")

    assert "\x1b" not in done.stdout
    assert r"\x1b[2J" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("missing.csv",), "does not exist"),
        ((), "Missing argument"),
        (("good.csv", "--scale", "5", "1"), "LOW must be below HIGH, and both finite, not 5 1"),
        (("good.csv", "--scale", "0", "inf"), "LOW must be below HIGH, and both finite, not 0 inf"),
    ],
)
def test_a_usage_error_is_status_2(judgecore: Program, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "good.csv").write_text(GOOD)

    done = judgecore("dataset", "validate", *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.parametrize("named", ["../outside/h.yaml", "linked.yaml", "linked/h.yaml"])
def test_a_definition_outside_is_read_where_the_caller_allows_it(
    judgecore: Program, tmp_path: Path, named: str
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "h.yaml").write_text("name: h\nversion: 1\nlevels: {1: none, 5: all}\n")
    (tmp_path / "data" / "linked.yaml").symlink_to(tmp_path / "outside" / "h.yaml")
    (tmp_path / "data" / "linked").symlink_to(tmp_path / "outside")
    (tmp_path / "data" / "likert.csv").write_text(LIKERT.replace("h.yaml", named))
    command = ("dataset", "validate", "data/likert.csv", "--scale", "1", "5")

    refused, allowed = judgecore(*command), judgecore(*command, "--allow-outside")

    assert (refused.returncode, allowed.returncode) == (2, 0), allowed.stdout
    assert f"likert.csv: the harm definition {named} leads out of the folder {tmp_path / 'data'}" in refused.stdout
    assert "--allow-outside" in refused.stdout
