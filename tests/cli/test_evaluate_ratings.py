"""``judgecore evaluate FILE``: a table of ratings with columns of any name, and a judge."""

from __future__ import annotations

import csv
import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from judgecore.evaluation import EvaluationResult

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from subprocess import CompletedProcess

    from cli.conftest import Program
    from conftest import Serving

COLUMNS = ("--response", "answer", "--human", "rater_1", "--human", "rater_2", "--scale", "1", "5")
TASK = ("--task", "How helpful is the answer?")


@pytest.fixture(scope="module")
def server(serve_all: Callable[..., Serving]) -> Serving:
    """A loopback judge for all tests here."""
    return serve_all()


@pytest.fixture
def evaluate(
    judgecore: Program, server: Serving, write: Callable[[str, str], Path], tmp_path: Path
) -> Callable[..., CompletedProcess[str]]:
    """The command on 150 answers with two raters, asking the loopback judge; one rating of ten is missing."""
    write("judge.yaml", "type: OpenAITarget\nmodel: no-model\ntemperature: 0\n")
    with (tmp_path / "labels.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "category", "question", "answer", "rater_1", "rater_2"])
        for n in range(150):
            second = "" if n % 10 == 0 else n % 4 + 2
            rows.writerow(
                [n, ("code", "law", "health")[n % 3], f"What is {n}?", f"It is {n}. " * (n + 1), n % 4 + 1, second]
            )

    def run(*options: str, file: str = "labels.csv") -> CompletedProcess[str]:
        asked = ("evaluate", file, "--judge", "judge.yaml", "--registry", "registry", *options)
        return judgecore(*asked, OPENAI_BASE_URL=server.url, OPENAI_API_KEY="any")

    return run


def test_ratings_are_evaluated_in_their_own_columns_and_units(
    evaluate: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    done = evaluate(*COLUMNS, *TASK, "--group", "category", "-o", "run")

    assert done.returncode == 0, done.stderr
    assert "labels.csv: 150 responses, rated from 1 to 5, by rater_1, rater_2" in done.stderr
    assert "on 1 to 5" in done.stdout
    result = EvaluationResult.load(tmp_path / "run")
    assert result.dataset.scale == (1, 5)
    assert (result.metrics.num_responses, result.metrics.num_human_raters) == (150, 2)
    assert list(result.slices["category"]) == ["code", "law", "health"]
    error = result.measure("mean_absolute_error")
    assert error is not None
    assert error.value is not None
    assert f"{4 * error.value:.2f}" in next(line for line in done.stdout.splitlines() if "Mean absolute" in line)


def test_a_judge_of_temperature_0_is_asked_once(
    evaluate: Callable[..., CompletedProcess[str]], write: Callable[[str, str], Path]
) -> None:
    fixed = evaluate(*COLUMNS, *TASK, "--limit", "20")
    write("judge.yaml", "type: OpenAITarget\nmodel: no-model\n")
    free = evaluate(*COLUMNS, *TASK, "--limit", "20")

    assert "2 raters, 1 trial\n" in fixed.stdout
    assert "2 raters, 3 trials\n" in free.stdout


def test_the_judge_is_given_the_raters_task_and_scale(
    evaluate: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    evaluate(*COLUMNS, *TASK, "--objective", "question", "-o", "run")

    described = json.loads((tmp_path / "run" / "evaluation.json").read_text())["scorer"]
    assert "How helpful is the answer?" in json.dumps(described)
    assert EvaluationResult.load(tmp_path / "run").items[7].objective == "What is 7?"


def test_all_that_must_be_said_is_asked_for_at_once(evaluate: Callable[..., CompletedProcess[str]]) -> None:
    done = evaluate()

    assert done.returncode == 2
    assert done.stderr.partition("Error: ")[2].splitlines() == [
        "labels.csv: missing --response, --human, --scale, --task",
        "the columns are",
        "  id        whole numbers from 0 to 149",
        "  category  'code' or 'law' or 'health'",
        "  question  texts of 11 characters on average",
        "  answer    texts of 795 characters on average",
        "  rater_1   whole numbers from 1 to 4",
        "  rater_2   whole numbers from 2 to 5, 15 missing",
        "perhaps: --response answer --human rater_1 --human rater_2 --scale 1 5 --task 'How helpful is the answer?'",
        "the scale goes from the lowest to the highest rating that raters could give",
    ]


def test_the_suggestion_works_as_it_stands(evaluate: Callable[..., CompletedProcess[str]]) -> None:

    suggested = next(line for line in evaluate().stderr.splitlines() if line.startswith("perhaps: "))

    done = evaluate(*shlex.split(suggested.removeprefix("perhaps: ")))

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((*COLUMNS[2:], *TASK, "--response", "anwser"), "labels.csv: no column 'anwser'; did you mean 'answer'?"),
        (COLUMNS, 'say what raters judged with --task "How helpful is the answer?", or name'),
        ((*COLUMNS, *TASK, "--scale", "1", "4"), "column 'rater_2': 5 lies outside the scale from 1 to 4 (and 36 more"),
        ((*COLUMNS, *TASK, "--dataset", "labels.csv"), "FILE and --dataset are two kinds of data; leave one out"),
        ((*COLUMNS, *TASK, "--target", "judge.yaml"), "--judge and --target are the same; leave one out"),
    ],
)
def test_what_is_wrong_is_one_message(
    evaluate: Callable[..., CompletedProcess[str]], options: tuple[str, ...], says: str
) -> None:
    done = evaluate(*options)

    assert done.returncode == 2
    assert done.stderr.count(says) == 1
    assert done.stdout == ""


def test_the_judge_may_be_a_complete_scorer(
    evaluate: Callable[..., CompletedProcess[str]], write: Callable[[str, str], Path]
) -> None:
    write("labels.csv", "text,refused\nI can't.,yes\nSure.,no\nI cannot.,yes\n")
    write("judge.yaml", "type: SubStringScorer\nsubstring: can\n")

    done = evaluate("--response", "text", "--human", "refused")

    assert done.returncode == 0, done.stderr
    assert "labels.csv: 3 responses, rated as true or false, by refused" in done.stderr
    assert "100.0%" in done.stdout


def test_a_dry_run_counts_requests_and_sends_none(evaluate: Callable[..., CompletedProcess[str]]) -> None:
    done = evaluate(*COLUMNS, *TASK, "--limit", "20", "--trials", "2", "--dry-run")

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith(
        "labels.csv: 20 responses, rated from 1 to 5, by rater_1, rater_2; the judge sees no requests"
    )
    assert lines[1] == "2 trials: 40 requests, 40 to send"


def test_a_limit_evaluates_the_first_items(evaluate: Callable[..., CompletedProcess[str]], tmp_path: Path) -> None:
    evaluate(*COLUMNS, *TASK, "--limit", "20", "-o", "run")

    assert [one.metadata["id"] for one in EvaluationResult.load(tmp_path / "run").items] == [str(n) for n in range(20)]


def test_rows_of_one_rating_are_evaluated_by_item(
    evaluate: Callable[..., CompletedProcess[str]], write: Callable[[str, str], Path]
) -> None:
    write("long.csv", "id,text,who,stars\nx,Bad.,anna,1\ny,Good.,anna,5\nx,Bad.,ben,2\n")
    columns = ("--response", "text", "--human", "stars", "--scale", "1", "5", "--item", "id", "--rater", "who")

    done = evaluate(*columns, *TASK, file="long.csv")

    assert done.returncode == 0, done.stderr
    assert "long.csv: 2 responses, rated from 1 to 5, by anna, ben" in done.stderr


def test_pairs_are_evaluated_by_preference(
    evaluate: Callable[..., CompletedProcess[str]], write: Callable[[str, str], Path]
) -> None:
    write("pairs.csv", "q,old,new,best\nHow?,Good.,Bad.,old\nWhy?,Bad.,Good.,new\n")

    done = evaluate("--prefer", "old", "new", "--human", "best", "--objective", "q", *TASK, file="pairs.csv")

    assert done.returncode == 0, done.stderr
    assert "pairs.csv: 2 responses, rated by preference, by best" in done.stderr
    assert "PairwiseScorer" in done.stdout


def test_a_report_of_pairs_names_preferences(
    evaluate: Callable[..., CompletedProcess[str]], write: Callable[[str, str], Path], tmp_path: Path
) -> None:
    write("pairs.csv", "q,old,new,ann,bob\nHow?,Good.,Bad.,old,tie\nWhy?,Bad.,Good.,new,new\n")

    options = ("--prefer", "old", "new", "--human", "ann", "--human", "bob", "--objective", "q", *TASK)
    done = evaluate(*options, "--report", "pairs.html", file="pairs.csv")
    page = (tmp_path / "pairs.html").read_text("utf-8")

    assert done.returncode == 0, done.stderr
    assert "from 0 (b is better) to 1 (a is better)" in page
    rows = [row.strip() for row in re.findall(r'<th[^>]*scope="row"[^>]*>([^<]*)', page)]
    assert rows[:4] == ["b", "tie", "tie or a", "a"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--human", "rater_1", "--scale", "5", "1"), "LOW must be below HIGH, and both finite, not 5 1"),
        (("--human", "rater_1", "--scale", "nan", "inf"), "LOW must be below HIGH, and both finite, not nan inf"),
        (("--human", "rater_1", "--scale", "0", "inf"), "LOW must be below HIGH, and both finite, not 0 inf"),
        (("--human", "rater_1", "--human", "rater_1", "--scale", "1", "5"), "column 'rater_1' is named twice"),
        (("--human", "category", "--true", "lawful"), "labels.csv: no rating is 'lawful'"),
    ],
)
def test_what_would_be_measured_wrongly_is_refused(
    evaluate: Callable[..., CompletedProcess[str]], options: tuple[str, ...], said: str
) -> None:
    done = evaluate("--response", "answer", *options, *TASK)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("scale", [(), ("--true", "yes"), ("--scale", "1", "5")], ids=" ".join)
def test_a_table_without_any_rating_is_said_to_have_none(
    evaluate: Callable[..., CompletedProcess[str]], write: Callable[[str, str], Path], scale: tuple[str, ...]
) -> None:
    write("unrated.csv", "answer,ann,bob\nFine.,,\nBad.,,\n")

    done = evaluate("--response", "answer", "--human", "ann", "--human", "bob", *scale, *TASK, file="unrated.csv")

    assert done.returncode == 2
    assert "unrated.csv: no row has a rating in 'ann' or 'bob'" in " ".join(done.stderr.split())


def test_a_report_never_replaces_what_is_read(evaluate: Callable[..., CompletedProcess[str]], tmp_path: Path) -> None:
    for file in ("labels.csv", "judge.yaml"):
        before = (tmp_path / file).read_bytes()

        done = evaluate(*COLUMNS, *TASK, "--limit", "2", "--report", file)

        assert done.returncode == 2
        assert f"--report {file} is the input itself" in done.stderr
        assert (tmp_path / file).read_bytes() == before
