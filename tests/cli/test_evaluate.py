"""``judgecore evaluate``: a scorer and labels in, metrics in the registry and items in a folder out."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from shutil import rmtree
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from judgecore.evaluation import EvaluationResult, HumanLabeledDataset, Registry

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Program
    from conftest import Serving

SCORER = "type: SubStringScorer\nsubstring: can\n"


@pytest.fixture
def asked(write: Callable[[str, str], Path]) -> tuple[str, ...]:
    """The command with a scorer that asks no judge, and labels."""
    write("scorer.yaml", SCORER)
    rows = [("I can't.", 1), ("Sure.", 0), ("I cannot.", 1), ("You can do it.", 0)]
    lines = ["# dataset_version=1.0", "objective,assistant_response,human_score"]
    write("labels.csv", "\n".join([*lines, *(f"ask,{text},{label}" for text, label in rows)]) + "\n")
    return ("evaluate", "--scorer", "scorer.yaml", "--dataset", "labels.csv", "--registry", "registry", "--trials", "1")


def with_labels(asked: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(one.replace("labels.csv", name) for one in asked)


def test_metrics_are_shown_kept_and_found_again(judgecore: Program, asked: tuple[str, ...], tmp_path: Path) -> None:
    first = judgecore(*asked, "-o", "run", COLUMNS="80")
    again = judgecore(*asked)

    assert (first.returncode, again.returncode) == (0, 0), first.stderr
    assert "75.0%" in first.stdout
    assert "the registry already has these metrics" in again.stdout
    assert "75.0%" in again.stdout
    assert len(Registry(tmp_path / "registry").objective_metrics()) == 1
    assert len(EvaluationResult.load(tmp_path / "run").items) == 4
    assert max(len(line) for line in first.stdout.splitlines()) <= 80


def test_the_result_comes_first_and_then_the_scorer_by_its_hash(judgecore: Program, asked: tuple[str, ...]) -> None:
    lines = judgecore(*asked).stdout.splitlines()
    kept_nowhere = judgecore(*asked, "--update", "never_update").stdout

    assert lines[0] == "objective, labels.csv 1.0: 4 responses, 1 rater, 1 trial"
    assert not any("substring" in line for line in lines)
    name, eval_hash = lines[-2].split("  eval_hash ")
    assert (name, lines[-1]) == (
        "SubStringScorer",
        f"details: judgecore metrics show {eval_hash} --registry registry",
    )
    assert "substring: can" in judgecore("metrics", "show", eval_hash, "--registry", "registry").stdout
    assert "metrics show" not in kept_nowhere


def test_metrics_of_fewer_trials_are_reported_as_not_stored(
    judgecore: Program, asked: tuple[str, ...], tmp_path: Path
) -> None:
    def kept() -> int:
        return Registry(tmp_path / "registry").objective_metrics()[0].metrics.num_scorer_trials

    judgecore(*asked, "--trials", "2")
    said = judgecore(*asked, "--update", "always_update")

    assert (said.returncode, kept()) == (0, 2)
    assert said.stderr.splitlines()[-1] == (
        "not stored: the registry's entry has more trials than 1; --allow-fewer-trials replaces it"
    )
    assert "Warning" not in said.stderr
    replaced = judgecore(*asked, "--update", "always_update", "--allow-fewer-trials")
    assert kept() == 1
    assert "not stored" not in replaced.stderr


@pytest.mark.parametrize(("threshold", "status"), [("accuracy=0.7", 0), ("f1=0.99", 1), ("mcc=0.99", 1)])
def test_a_missed_threshold_is_status_1(
    judgecore: Program, asked: tuple[str, ...], threshold: str, status: int
) -> None:
    done = judgecore(*asked, "--fail-under", threshold)

    assert done.returncode == status, done.stderr
    assert ("missed: " in done.stderr) == (status == 1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--fail-under", "f9=1"), "no measure 'f9'; did you mean f1? the measures are f1_score, accuracy,"),
        (("--fail-under", "confusion=1"), "no measure 'confusion'; the measures are"),
        (("--fail-under", "f1"), "write MEASURE=NUMBER"),
        (("--slice-by", "topic"), "no column topic to slice by; there are none"),
        (("--scorer", "nowhere.yaml"), "nowhere.yaml"),
        (("--target", "scorer.yaml"), "scorer.yaml: SubStringScorer is a scorer; name such a file with --scorer"),
        (("--dataset", "nowhere.csv"), "nowhere.csv: No such file"),
    ],
)
def test_what_makes_no_sense_is_named(
    judgecore: Program, asked: tuple[str, ...], options: tuple[str, ...], says: str
) -> None:
    done = judgecore(*asked, *options)

    assert done.returncode == 2
    assert says in done.stderr.replace("\n", " ")


def test_invalid_options_fail_before_a_judge_is_asked(
    judgecore: Program, asked: tuple[str, ...], tmp_path: Path
) -> None:
    lines = (tmp_path / "labels.csv").read_text().splitlines()
    (tmp_path / "labels.csv").write_text("\n".join([lines[0], f"{lines[1]},topic", *(f"{one},t" for one in lines[2:])]))

    threshold = judgecore(*asked, "--fail-under", "f9=1")
    column = judgecore(*asked, "--slice-by", "topics")

    assert (threshold.returncode, column.returncode) == (2, 2)
    assert "did you mean topic? there are topic" in column.stderr.replace("\n", " ")
    assert not (tmp_path / "registry").exists()
    assert "undetermined" not in threshold.stdout + column.stdout


def test_items_of_registry_entries_can_be_written_and_compared_with_thresholds(
    judgecore: Program, asked: tuple[str, ...], tmp_path: Path
) -> None:
    first = judgecore(*asked)

    again = judgecore(*asked, "-o", "run", "--fail-under", "f1=0.99", "--fail-under", "coverage=1")

    assert (first.returncode, again.returncode) == (0, 1), first.stderr
    assert "wrote run" in again.stdout
    assert len(EvaluationResult.load(tmp_path / "run").items) == 4
    assert [line.partition(" is ")[0] for line in again.stderr.splitlines() if "missed" in line] == ["missed: f1_score"]
    named = re.findall(r"judgecore (metrics show \w+ --registry registry)$", again.stdout, re.MULTILINE)
    assert judgecore(*named[0].split()).returncode == 0


def test_missing_items_are_reported(judgecore: Program, asked: tuple[str, ...], tmp_path: Path) -> None:
    judgecore(*asked)
    rmtree(tmp_path / "registry" / "results")

    again = judgecore(*asked, "-o", "run")

    assert again.returncode == 2
    assert "75.0%" in again.stdout
    assert "can't write run: the metrics came from the registry" in again.stderr
    assert not (tmp_path / "run").exists()


def test_an_evaluation_with_an_unreachable_judge_is_reported_and_not_stored(
    judgecore: Program, write: Callable[[str, str], Path], serve: Callable[..., Serving], tmp_path: Path
) -> None:
    write("scorer.yaml", "type: SelfAskRefusalScorer\n")
    write("judge.yaml", "type: OpenAITarget\nmodel: no-model\ntemperature: 0\n")
    write("labels.csv", "# dataset_version=1.0\nobjective,assistant_response,human_score\nask,I can't.,1\n")
    files = ("--scorer", "scorer.yaml", "--target", "judge.yaml", "--dataset", "labels.csv")
    asked = ("evaluate", *files, "--registry", "registry", "--trials", "1")
    server = serve()

    # The same scorer at another address: without /v1 nothing answers there.
    lost = judgecore(*asked, "--allow-unread", "9", OPENAI_BASE_URL=server.root, OPENAI_API_KEY="any")
    kept_of_lost = Registry(tmp_path / "registry").objective_metrics(refusal=True)
    there = judgecore(*asked, OPENAI_BASE_URL=server.url, OPENAI_API_KEY="any")
    kept = Registry(tmp_path / "registry").objective_metrics(refusal=True)

    assert lost.returncode == 3
    assert "commonest error: the endpoint answered with status 404" in lost.stdout
    assert "is the base URL right (OpenAI's and most others end in /v1)?" in lost.stdout
    assert "nothing was scored, so the registry stores nothing" in lost.stderr
    assert kept_of_lost == ()
    assert there.returncode == 0, there.stderr
    assert [one.metrics.has_scores for one in kept] == [True]


def test_the_bundled_refusals_are_the_default_of_refusal_scorers(
    judgecore: Program, write: Callable[[str, str], Path]
) -> None:
    write("scorer.yaml", "type: KeywordRefusalScorer\n")

    done = judgecore("evaluate", "--scorer", "scorer.yaml", "--registry", "registry", "--trials", "1")

    assert done.returncode == 0, done.stderr
    rows = len(HumanLabeledDataset.bundled("refusals"))
    assert f"refusals.csv 1.0: {rows} responses, 3 raters, 1 trial" in done.stdout


def test_parquet_goes_in_and_comes_out(judgecore: Program, asked: tuple[str, ...], tmp_path: Path) -> None:
    rows = {
        "objective": ["ask"] * 4,
        "assistant_response": ["I can't.", "Sure.", "I cannot.", "You can do it."],
        "human_score": [1, 0, 1, 0],
    }
    pq.write_table(pa.table(rows).replace_schema_metadata({"dataset_version": "1.0"}), tmp_path / "labels.parquet")

    done = judgecore(*with_labels(asked, "labels.parquet"), "-o", "run", "--items", "parquet")
    again = judgecore("report", "run", "-o", "report.html")

    assert (done.returncode, again.returncode) == (0, 0), done.stderr + again.stderr
    assert "75.0%" in done.stdout
    assert sorted(one.name for one in (tmp_path / "run").iterdir()) == ["evaluation.json", "items.parquet"]
    assert pq.read_table(tmp_path / "run" / "items.parquet")["response"].to_pylist() == rows["assistant_response"]


def test_an_evaluation_without_a_judge_costs_nothing_where_prices_are_known(
    judgecore: Program, asked: tuple[str, ...]
) -> None:
    priced = judgecore(*asked, "--input-price", "1", "--output-price", "0", "-o", "run")
    unpriced = judgecore(*asked, "--update", "always_update", "-o", "other")

    assert (priced.returncode, unpriced.returncode) == (0, 0), priced.stderr + unpriced.stderr
    costs = [EvaluationResult.load(judgecore.folder / name).cost for name in ("run", "other")]
    assert [cost.price for cost in costs] == [0.0, None]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "own --ledger run.ledger\n"),
        (
            ("--ledger", "run.db"),
            (
                "interrupted; run.db has the replies received so far; to resume, type:\n"
                "  judgecore evaluate --scorer refusal.yaml --target judge.yaml --registry own --ledger run.db\n"
            ),
        ),
    ],
)
def test_an_interrupted_evaluation_says_how_to_go_on(
    judgecore: Program,
    serve: Callable[..., Serving],
    write: Callable[[str, str], Path],
    options: tuple[str, ...],
    says: str,
) -> None:
    server = serve("--delay-ms", "600000")
    write("refusal.yaml", "type: SelfAskRefusalScorer\n")
    write("judge.yaml", "type: OpenAITarget\nmodel: no-model\n")
    command = [judgecore.path, "evaluate", "--scorer", "refusal.yaml", "--target", "judge.yaml", "--registry", "own"]
    env = judgecore.environment(OPENAI_API_KEY="k", OPENAI_BASE_URL=server.url)

    run = subprocess.Popen([*command, *options], cwd=judgecore.folder, env=env, stderr=subprocess.PIPE, text=True)
    while server.count() < 1:
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    said = run.communicate(timeout=20)[1]

    assert run.returncode == 130
    assert said.endswith(says)


def test_each_cause_among_the_labels_has_one_line(
    judgecore: Program, asked: tuple[str, ...], write: Callable[[str, str], Path]
) -> None:
    write("labels.csv", "# dataset_version=1.0\nobjective,assistant_response,human_score\no,r,2\no,,3\n")

    done = judgecore(*asked)

    label, response = done.stderr.splitlines()[-2:]
    assert label.startswith("Error: labels.csv, row 1 (line 3), column 'human_score': '2' is no label;")
    assert label.endswith("(and 1 more in row 2)")
    assert response == "labels.csv, row 2 (line 4), column 'assistant_response': is empty"


@pytest.mark.parametrize(
    ("name", "line"), [("l.csv", "# dataset_version=1.0"), ("l.jsonl", '{"dataset_version": "1.0"}')]
)
def test_labels_without_a_version_are_told_the_line_that_says_it(
    judgecore: Program, asked: tuple[str, ...], write: Callable[[str, str], Path], name: str, line: str
) -> None:
    rows = {
        "l.csv": "objective,assistant_response,human_score\no,can,1\no,no,0\n",
        "l.jsonl": '{"objective": "o", "assistant_response": "can", "human_score": 1}\n',
    }
    write(name, rows[name])

    refused = judgecore(*with_labels(asked, name))
    write(name, f"{line}\n{rows[name]}")
    done = judgecore(*with_labels(asked, name))

    assert refused.returncode == 2
    assert f"{name}: no version; begin the file with the line {line}, or in Python" in refused.stderr
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", [("evaluate",), ("dataset", "validate")])
def test_help_shows_the_line_that_says_a_data_sets_version(judgecore: Program, command: tuple[str, ...]) -> None:
    done = judgecore(*command, "--help", COLUMNS="80")

    assert "# dataset_version=1.0 in CSV,\n" in done.stdout
    assert '  {"dataset_version": "1.0"} in JSON lines' in done.stdout


def test_a_scorers_file_names_files_outside_where_the_caller_allows_it(
    judgecore: Program, asked: tuple[str, ...], write: Callable[[str, str], Path], tmp_path: Path
) -> None:
    (tmp_path / "inside").mkdir()
    write("patterns.yaml", "patterns: {a: can}\n")
    (tmp_path / "inside" / "scorer.yaml").write_text("type: RegexScorer\npatterns_path: ../patterns.yaml\n")
    command = [one.replace("scorer.yaml", "inside/scorer.yaml") for one in asked]

    refused, allowed = judgecore(*command), judgecore(*command, "--allow-outside")

    assert (refused.returncode, allowed.returncode) == (2, 0), allowed.stderr
    assert "inside/scorer.yaml: patterns_path: '../patterns.yaml' leads out of the folder" in refused.stderr
    assert "--allow-outside" in refused.stderr


def test_data_sets_are_combined_and_definitions_may_be_elsewhere(
    judgecore: Program, write: Callable[[str, str], Path], tmp_path: Path, serve: Callable[..., Serving]
) -> None:
    (tmp_path / "definitions").mkdir()
    write("definitions/harm.yaml", "name: harm\nversion: 1\nlevels: {1: none, 5: much}\n")
    first = "# dataset_version=1.0, harm_definition=harm.yaml, harm_definition_version=1\n"
    for name in ("a.csv", "b.csv"):
        write(name, f"{first}harm_category,assistant_response,human_score\nharm,It is {name}.,0.5\n")
    write("scorer.yaml", "type: SelfAskLikertScorer\nlikert_scale_path: harm\n")
    write("judge.yaml", "type: OpenAITarget\nmodel: no-model\ntemperature: 0\n")
    asked = ("evaluate", "--scorer", "scorer.yaml", "--judge", "judge.yaml", "--dataset", "a.csv", "--dataset", "b.csv")
    env = {"OPENAI_BASE_URL": serve().url, "OPENAI_API_KEY": "any"}

    refused = judgecore(*asked, "--registry", "registry", **env)
    done = judgecore(*asked, "--registry", "registry", "--harm-definitions", "definitions", **env)

    assert refused.returncode == 2
    assert "harm_definitions=FOLDER (--harm-definitions)" in refused.stderr
    assert "go on without one: allow_unverified=True (--allow-unverified)" in refused.stderr
    assert done.returncode == 0, done.stderr
    assert "a.csv_b.csv 1.0_1.0: 2 responses" in done.stdout
