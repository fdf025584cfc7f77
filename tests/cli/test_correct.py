"""``judgecore correct``: a pass rate, corrected for the judge's errors."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from judgecore import stats

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Program

HUMAN = [1] * 50 + [0] * 50
MODEL = [1] * 45 + [0] * 45 + [1] * 10


def write(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write(tmp_path, "judged.jsonl", [{"value": nth < 60} for nth in range(100)])
    rows = [{"value": bool(own), "human_score": gold} for gold, own in zip(HUMAN, MODEL, strict=True)]
    write(tmp_path, "labelled.jsonl", rows)
    return tmp_path


def test_a_rate_is_corrected_by_labelled_items(judgecore: Program, files: Path) -> None:
    assert files
    done = judgecore("correct", "judged.jsonl", "--calibration", "labelled.jsonl")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "judged true: 60.0% (50.2% to 69.1%) of 100 items",
        "calibration: 100 items, sensitivity 90.0%, specificity 80.0%",
        "corrected: 57.1% (39.6% to 74.3%) are true (Rogan-Gladen)",
    ]


def test_json_is_the_result(judgecore: Program, files: Path) -> None:
    assert files
    done = judgecore("correct", "judged.jsonl", "--calibration", "labelled.jsonl", "--json", "--confidence", "0.9")

    want = stats.rogan_gladen([1] * 60 + [0] * 40, HUMAN, MODEL, confidence=0.9)
    assert json.loads(done.stdout) == {"method": "rogan-gladen", "missing": 0, **json.loads(want.to_json())}


def test_csv_words_and_several_raters_are_read(judgecore: Program, files: Path) -> None:
    verdicts = ["yes", "No", "TRUE", "0", "1.0", "false"] * 20
    (files / "judged.csv").write_text("id,verdict\n" + "".join(f"{n},{one}\n" for n, one in enumerate(verdicts)))
    rows = [f"{own},{gold},{1 - gold},{gold}\n" for gold, own in zip(HUMAN, MODEL, strict=True)]
    (files / "labelled.csv").write_text("verdict,human_score_1,human_score_2,human_score_3\n" + "".join(rows))

    done = judgecore("correct", "judged.csv", "--calibration", "labelled.csv", "--verdict", "verdict", "--json")

    found = json.loads(done.stdout)
    assert (found["raw_rate"], found["sensitivity"], found["specificity"]) == (0.5, 0.9, 0.8)


def test_a_tie_of_raters_is_false(judgecore: Program, files: Path) -> None:
    write(files, "labelled.jsonl", [{"value": own, "a": gold, "b": 1} for gold, own in zip(HUMAN, MODEL, strict=True)])

    arguments = ("correct", "judged.jsonl", "--calibration", "labelled.jsonl", "--human", "a", "--human", "b", "--json")
    found = json.loads(judgecore(*arguments).stdout)

    assert (found["sensitivity"], found["specificity"]) == (0.9, 0.8)


def test_scores_are_corrected_by_prediction_powered_inference(judgecore: Program, files: Path) -> None:
    write(files, "judged.jsonl", [{"score": nth % 5 / 4} for nth in range(200)])
    labelled = [{"score": nth % 5 / 4, "human": min(1, nth % 5 / 4 + 0.1)} for nth in range(40)]
    write(files, "labelled.jsonl", labelled)

    arguments = ("correct", "judged.jsonl", "--calibration", "labelled.jsonl", "--verdict", "score", "--method", "ppi")
    done = judgecore(*arguments)

    assert done.returncode == 0
    assert done.stdout.startswith("the judge's mean: 0.5000 over 200 items\ncalibration: 40 items, mean of their human")
    assert "corrected: 0.5800 (" in done.stdout


def test_labels_that_are_all_equal_give_no_interval(judgecore: Program, files: Path) -> None:
    write(files, "equal.jsonl", [{"value": nth < 2, "human_score": 1} for nth in range(3)])

    done = judgecore("correct", "judged.jsonl", "--calibration", "equal.jsonl", "--method", "ppi")

    assert (done.returncode, done.stderr) == (0, "")
    said = done.stdout.splitlines()
    assert said[1] == "calibration: 3 items, mean of their human labels 1.0000"
    assert said[2].startswith("corrected: 1.0000 (PPI++, weight of the judge 0.00); no interval: all human labels ")


def test_missing_verdicts_are_counted_bounded_and_status_3(judgecore: Program, files: Path) -> None:
    write(files, "judged.jsonl", [{"value": (True, False, None)[nth % 3]} for nth in range(90)])

    strict = judgecore("correct", "judged.jsonl", "--calibration", "labelled.jsonl")
    allowed = judgecore("correct", "judged.jsonl", "--calibration", "labelled.jsonl", "--allow-unread", "34%")

    said = "30 verdicts are missing and left out: 33.3% if all were false, 66.7% if all were true"
    assert said in strict.stdout
    assert (strict.returncode, allowed.returncode) == (3, 0)


def test_a_judge_no_better_than_chance_is_refused(judgecore: Program, files: Path) -> None:
    write(files, "labelled.jsonl", [{"value": nth % 2, "human": nth // 2 % 2} for nth in range(40)])

    done = judgecore("correct", "judged.jsonl", "--calibration", "labelled.jsonl")

    assert done.returncode == 2
    assert "Error: no correction is possible: sensitivity 0.5000 + specificity 0.5000" in done.stderr
    assert "corrected" not in done.stdout


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        (
            [{"value": "maybe"}],
            (),
            "judged.jsonl: line 1, column 'value': 'maybe' is neither true nor false nor a number",
        ),
        ([{"value": [1]}], (), "[1.0] is neither true nor false nor a number"),
        ([{"value": 0.7}], (), "it must be 0 or 1, or NaN where it is missing; use --method ppi for scores"),
        ([{"verdict": 1}], (), "judged.jsonl: no column 'value'; the columns are 'verdict'"),
        ([{"value": 1}], ("--human", "label"), "labelled.jsonl: no column 'label'"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_place(
    judgecore: Program, files: Path, rows: list[dict[str, Any]], options: tuple[str, ...], said: str
) -> None:
    write(files, "judged.jsonl", rows)

    done = judgecore("correct", "judged.jsonl", "--calibration", "labelled.jsonl", *options)

    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_verdicts_come_from_a_pipe(judgecore: Program, files: Path) -> None:
    text = (files / "judged.jsonl").read_text()

    done = judgecore("correct", "-", "--calibration", "labelled.jsonl", text=text)

    assert done.stdout.startswith("judged true: 60.0%")


def test_what_parse_writes_can_be_corrected(judgecore: Program, files: Path) -> None:
    write(files, "replies.jsonl", [{"raw": one} for one in ["Yes"] * 30 + ["No"] * 20])

    judgecore("parse", "replies.jsonl", "--format", "harmbench", "-o", "readings.jsonl")
    done = judgecore("correct", "readings.jsonl", "--calibration", "labelled.jsonl")

    assert done.stdout.startswith("judged true: 60.0%")


def test_tables_may_be_compressed(judgecore: Program, files: Path) -> None:
    for name in ("judged.jsonl", "labelled.jsonl"):
        (files / f"{name}.gz").write_bytes(gzip.compress((files / name).read_bytes()))

    plain = judgecore("correct", "judged.jsonl", "--calibration", "labelled.jsonl")
    packed = judgecore("correct", "judged.jsonl.gz", "--calibration", "labelled.jsonl.gz")

    assert (packed.returncode, packed.stdout) == (0, plain.stdout)
