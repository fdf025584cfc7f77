"""``--report``: a run of parse, score or evaluate as one HTML page."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Program

REPLIES = [f"It is fine. Rating: [[{1 + n % 9}]]" for n in range(30)] + ["I can't say <b>much</b>.", "Rating: [[99]]"]


@pytest.fixture
def replies(tmp_path: Path) -> Path:
    rows = ({"id": n, "side": "left" if n % 2 else "right", "reply": reply} for n, reply in enumerate(REPLIES))
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


@pytest.mark.parametrize("output", ["readings.jsonl", "readings.csv"])
def test_parse_reports_what_was_read_and_why_the_rest_was_not(
    judgecore: Program, replies: Path, tmp_path: Path, output: str
) -> None:
    done = judgecore("parse", replies, "--format", "mt_bench.single", "-o", output, "--report", "out.html")

    page = tmp_path.joinpath("out.html").read_text("utf-8")
    assert done.returncode == 0, done.stderr
    assert "30 of 32 readings have a value (93.8%); 2 have none: no_verdict 1, out_of_range 1." in page
    assert "The mean of the values is 4.7" in page
    assert re.search(r"<mark>[^<]*\[\[3\]\]</mark>", page)
    assert "99 lies outside the scale 1 to 10" in page
    assert "I can&#39;t say &lt;b&gt;much&lt;/b&gt;." in page
    assert re.findall(r'<select name="g\d"><option value="">all</option><option value="left">', page)


def test_score_reports_scores_reasons_and_cost(judgecore: Program, tmp_path: Path) -> None:
    tmp_path.joinpath("in.jsonl").write_text('{"response": "Yes, I can."}\n{"response": "No."}\n{"response": "can"}\n')
    tmp_path.joinpath("scorer.yaml").write_text("type: SubStringScorer\nsubstring: can\n")

    done = judgecore("score", "in.jsonl", "--scorer", "scorer.yaml", "-o", "out.csv", "--report", "out.html")

    page = tmp_path.joinpath("out.html").read_text("utf-8")
    assert done.returncode == 0, done.stderr
    assert "<h1>in.jsonl by scorer</h1>" in page
    assert "3 of 3 scores have a value (100.0%)." in page
    assert "66.7% of the values are true (95 % CI 20.8% to 93.9%)." in page
    assert ('<th scope="row">requests sent</th><td class="number">0</td>' in page, "not known" in page) == (True, True)


def test_evaluate_reports_as_the_command_report_does(judgecore: Program, tmp_path: Path) -> None:
    tmp_path.joinpath("scorer.yaml").write_text("type: KeywordRefusalScorer\n")

    options = ("--scorer", "scorer.yaml", "--trials", "1", "--registry", "reg", "-o", "run", "--report", "direct.html")
    done = judgecore("evaluate", *options)
    later = judgecore("report", "run", "-o", "later.html")

    direct, page = (tmp_path.joinpath(name).read_text("utf-8") for name in ("direct.html", "later.html"))
    assert (done.returncode, later.returncode) == (0, 0), done.stderr
    assert "gave the same verdict as people for" in direct
    assert direct == page


def test_rejected_rows_are_counted_also_where_no_other_is_left(judgecore: Program, tmp_path: Path) -> None:
    tmp_path.joinpath("some.jsonl").write_text('{"reply": "Rating: [[3]]"}\n{"reply": 1}\n{no\n')
    tmp_path.joinpath("none.jsonl").write_text("{no\n")
    tmp_path.joinpath("scorer.yaml").write_text("type: SubStringScorer\nsubstring: can\n")
    parse = ("--format", "mt_bench.single", "--rejects", "rejected.jsonl", "--allow-rejects", "9")
    score = ("--scorer", "scorer.yaml", "--allow-unread", "9")
    pages: list[str] = []

    for command, file, options in (
        ("parse", "some.jsonl", parse),
        ("parse", "none.jsonl", parse),
        ("score", "more.jsonl", score),
    ):
        tmp_path.joinpath("more.jsonl").write_text('{"response": "I can"}\n{no\n')
        done = judgecore(command, file, *options, "-o", "out.jsonl", "--report", "out.html")
        assert done.returncode == 0, done.stderr
        pages.append(tmp_path.joinpath("out.html").read_text("utf-8"))

    assert "1 of 1 reading have a value (100.0%); 2 rows were rejected as malformed." in pages[0]
    assert "There are no readings; 1 row was rejected as malformed." in pages[1]
    assert "1 of 1 score have a value (100.0%); 1 row was rejected as malformed." in pages[2]


def test_a_report_shows_its_own_commands_columns_and_no_others(judgecore: Program, tmp_path: Path) -> None:
    older = {"score_value": "0.25", "score_status": "complete", "a_value": 7, "a_status": "ok", "trials": [], "gold": 1}
    row = older | {"index": 0, "human": [1], "model": 1, "response": "I can", "reply": "Rating: [[3]]"}
    tmp_path.joinpath("in.jsonl").write_text(f"{json.dumps(row)}\n")
    tmp_path.joinpath("scorer.yaml").write_text("type: SubStringScorer\nsubstring: can\n")
    told: list[list[str]] = []

    for command, *options in (
        ("parse", "--format", "mt_bench.single"),
        ("parse", "--format", "mt_bench.single", "--prefix", "a_b_", "--column", "reply", "--column", "reply"),
        ("parse", "--format", "mt_bench.single", "--prefix", "b_", "--column", "reply", "--column", "response"),
        ("score", "--scorer", "scorer.yaml", "--prefix", "b_"),
    ):
        done = judgecore(command, "in.jsonl", *options, "-o", "out.jsonl", "--report", "out.html")
        assert done.returncode == 0, done.stderr
        page = tmp_path.joinpath("out.html").read_text("utf-8")
        told.append([*re.findall(r'<span class="what">([^:]*):', page), *re.findall(r'data-value="([^"]*)"', page)])

    assert told == [
        ["line 1", "3"],
        ["line 1", "3"],
        ["line 1, response", "line 1, reply", "", "3"],
        ["line 1", "true"],
    ]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ((), "--report shows the rows that -o writes; name a file with -o"),
        (("-o", "-"), "--report shows the rows that -o writes; name a file with -o"),
        (("-o", "x.jsonl", "--columns", "value"), "add value,reason to --columns"),
        (("-o", "x.jsonl", "--unread-only"), "--report shows all rows; leave out --unread-only"),
    ],
)
def test_a_report_without_its_rows_is_refused_before_anything_is_read(
    judgecore: Program, replies: Path, tmp_path: Path, options: tuple[str, ...], problem: str
) -> None:
    done = judgecore("parse", replies, "--format", "mt_bench.single", *options, "--report", "out.html")

    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr
    assert not tmp_path.joinpath("out.html").exists()
    assert not tmp_path.joinpath("x.jsonl").exists()


def test_a_report_never_replaces_the_input_or_the_output(judgecore: Program, replies: Path) -> None:
    for name, word in (("replies.jsonl", "--report"), ("out.jsonl", "name another for the report")):
        done = judgecore("parse", replies, "--format", "mt_bench.single", "-o", "out.jsonl", "--report", name)

        assert done.returncode == 2
        assert word in done.stderr
    assert len(replies.read_text().splitlines()) == len(REPLIES)
