"""Scorers and logs under a real `inspect eval`, as processes."""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable

pytest.importorskip("inspect_ai", reason="not installed here: make test-integrations")

TASKS = Path(__file__).with_name("tasks.py")
BIN = Path(sys.executable).parent


def run(*command: Any, folder: Path, expected: int = 0) -> str:
    """What a program printed."""
    settings = {**os.environ, "INSPECT_DISPLAY": "plain", "NO_COLOR": "1"}
    done = subprocess.run(
        [str(BIN / command[0]), *map(str, command[1:])],
        cwd=folder,
        env=settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert expected == done.returncode, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all tasks were run once, each with a log."""
    made = tmp_path_factory.mktemp("inspect")
    run("inspect", "eval", TASKS.name, "--log-dir", made / "logs", folder=TASKS.parent)
    return made


@pytest.fixture(scope="module")
def logs(folder: Path) -> dict[str, Path]:
    """The logs by task."""
    read = import_module("inspect_ai.log").read_eval_log
    return {read(path, header_only=True).eval.task: path for path in (folder / "logs").glob("*.eval")}


def scores_of(log: Path, scorer: str) -> list[Any]:
    samples = import_module("inspect_ai.log").read_eval_log(log).samples
    return [sample.scores[scorer] for sample in samples]


def values_of(log: Path, scorer: str) -> list[Any]:
    """The values, None where a sample is unscored."""
    values = [score.value for score in scores_of(log, scorer)]
    return [None if isinstance(value, float) and math.isnan(value) else value for value in values]


def metrics_of(log: Path, scorer: str) -> dict[str, float]:
    """The metrics, with how many samples they rest on."""
    [result] = [one for one in import_module("inspect_ai.log").read_eval_log(log).results.scores if one.name == scorer]
    return {name: metric.value for name, metric in result.metrics.items()} | {"n": result.scored_samples}


def test_an_unreadable_reply_is_unscored_and_no_part_of_the_mean(logs: dict[str, Path]) -> None:
    assert values_of(logs["rated"], "format_judge") == [8.0, None, 6.0, None]

    metrics = metrics_of(logs["rated"], "format_judge")

    assert (metrics["mean"], metrics["n"]) == (7.0, 2)


def test_an_unscored_sample_says_why(logs: dict[str, Path]) -> None:
    _, refused, _, cut = scores_of(logs["rated"], "format_judge")

    assert (refused.reason, cut.reason) == ("grader_failed", "grader_failed")
    assert cut.metadata["unreadable"] == "truncated"
    assert refused.explanation.startswith(refused.metadata["unreadable"])
    assert (refused.metadata["reply"], refused.metadata["attempts"]) == ("I'd rather not", 3)


def test_labels_are_worth_what_the_task_says(logs: dict[str, Path]) -> None:
    assert values_of(logs["graded"], "format_judge") == [1.0, 0.0, None, 0.5]


def test_a_guard_gives_whether_the_output_is_unsafe(logs: dict[str, Path]) -> None:
    unsafe, *_ = scores_of(logs["guarded"], "guard_judge")

    assert values_of(logs["guarded"], "guard_judge") == [True, False, None]
    assert unsafe.metadata["violated_categories"] == "S1,S10"


def test_each_of_several_numbers_has_its_own_metrics(logs: dict[str, Path]) -> None:
    assert values_of(logs["fielded"], "fields_judge") == [{"1": 8.0, "2": 7.0}, {"1": 9.0, "2": 3.0}, None]

    results = import_module("inspect_ai.log").read_eval_log(logs["fielded"]).results.scores

    assert {one.name: one.metrics["mean"].value for one in results} == {"1": 8.5, "2": 5.0}


def test_a_judge_that_follows_the_order_prefers_nobody(logs: dict[str, Path]) -> None:
    biased = scores_of(logs["paired"], "pairwise_judge")[2]

    assert values_of(logs["paired"], "pairwise_judge") == [1.0, 0.0, 0.5, None]
    assert (biased.metadata["position"], biased.metadata["is_consistent"]) == ("first", False)


def test_an_answer_that_cannot_be_read_is_neither_right_nor_wrong(logs: dict[str, Path]) -> None:
    unread = scores_of(logs["matched"], "format_match")[2]

    assert values_of(logs["matched"], "format_match") == [True, False, None]
    assert unread.reason == "invalid_response_format"
    assert metrics_of(logs["matched"], "format_match")["accuracy"] == 0.5


def test_guards_agree_in_whether_it_is_unsafe_and_not_in_the_categories(logs: dict[str, Path]) -> None:
    assert values_of(logs["guards_matched"], "format_match") == [True, False, True, None]


def test_a_guard_that_says_nothing_of_its_subject_is_neither_right_nor_wrong(logs: dict[str, Path]) -> None:
    [silent] = scores_of(logs["silent_guards_matched"], "format_match")

    assert values_of(logs["silent_guards_matched"], "format_match") == [None]
    assert (silent.reason, silent.metadata["unreadable"]) == ("invalid_response_format", "no_verdict")


def test_a_scorer_of_judgecore_judges_in_a_task(logs: dict[str, Path]) -> None:
    read, unread = scores_of(logs["refused"], "scored_by")

    assert values_of(logs["refused"], "scored_by") == [True, None]
    assert read.explanation == "It declines."
    assert (unread.reason, unread.metadata["unreadable"]) == ("grader_failed", "no_verdict")
    assert len(read.metadata["scorer_hash"]) == 64


def test_inspect_finds_the_scorers_by_their_entry_point(
    folder: Path, logs: dict[str, Path], serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    monkeypatch.setenv("LOCAL_BASE_URL", serve().url)
    scored = folder / "scored.eval"
    options = ["-S", "guard=shield_gemma", "-S", "model=openai-api/local/loopback-judge"]

    run(
        "inspect", "score", logs["rated"], "--scorer", "judgecore/guard_judge", *options,
        "--action", "append", "--output-file", scored, folder=folder,
    )  # fmt: skip

    assert values_of(scored, "guard_judge") == [False] * 4


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_a_stored_run_is_read_again_and_compared(folder: Path, logs: dict[str, Path], ending: str) -> None:
    log = logs["graded"]
    if ending == "json":
        run("inspect", "log", "convert", log, "--to", "json", "--output-dir", folder / "json", folder=folder)
        log = folder / "json" / f"{log.stem}.json"
    replies, readings = folder / f"{ending}.jsonl", folder / f"{ending}-read.jsonl"

    run("judgecore", "convert", "inspect", log, "--scorer", "model_graded_qa", "-o", replies, folder=folder)
    run(
        "judgecore", "parse", replies, "--format", "inspect.model_graded", "--cut", "cut", "-o", readings,
        folder=folder,
    )  # fmt: skip

    rows = [json.loads(line) for line in readings.read_text("utf-8").splitlines()]
    assert ["C", "I", None, "P"] == [row["value"] for row in rows] == [row["recorded"] for row in rows]
    assert [row["sample_id"] for row in rows] == [1, 2, 3, 4]
    assert rows[2]["recorded_reason"] == "grader_failed"
    assert all("Paris" in row["prompt"] for row in rows)


def test_every_asking_of_a_judge_is_a_row(folder: Path, logs: dict[str, Path]) -> None:
    done = run("judgecore", "convert", "inspect", logs["rated"], folder=folder)

    rows = [json.loads(line) for line in done.splitlines()]
    assert [row["sample_id"] for row in rows] == [1, 2, 2, 2, 3, 4, 4, 4]
    assert [row["cut"] for row in rows if row["sample_id"] == 4] == [True] * 3
    assert {8.0, 6.0, None} == {row["recorded"] for row in rows}


def test_scored_outputs_can_be_converted_too(folder: Path, logs: dict[str, Path]) -> None:
    done = run("judgecore", "convert", "inspect", logs["matched"], "--outputs", folder=folder)

    rows = [json.loads(line) for line in done.splitlines()]
    readings = jc.parse_many([row["reply"] for row in rows], "mt_bench.pair")
    assert readings.values == ["A", "B", None]
    assert [row["recorded"] for row in rows] == [
        {"format_match": True},
        {"format_match": False},
        {"format_match": None},
    ]


def test_a_file_that_is_no_log_is_named(folder: Path) -> None:
    broken = folder / "broken.eval"
    broken.write_bytes(b"PK no zip")

    said = run("judgecore", "convert", "inspect", broken, "-o", folder / "never.jsonl", folder=folder, expected=2)

    assert "broken.eval can't be read as an Inspect AI log" in said
    assert not (folder / "never.jsonl").exists()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"format": "inspect.model_graded"}, "values= has no number for 'C'"),
        ({"format": "mt_bench.single", "mode": "papyrus"}, "has no papyrus mode"),
        ({"format": "inspect.model_graded", "values": {"C": 1}}, "values= has no number for 'P'"),
    ],
)
def test_a_judge_that_could_give_no_number_is_refused_before_it_is_asked(options: dict[str, Any], problem: str) -> None:
    judge = import_module("judgecore.integrations.inspect_ai").format_judge

    with pytest.raises(ValueError, match=problem):
        judge(instructions="Grade it.", **options)


def state_of(said: str) -> Any:
    model = import_module("inspect_ai.model")
    made = model.ModelOutput.from_content("mockllm", said)
    return import_module("inspect_ai.solver").TaskState(
        model="mockllm/model", sample_id=1, epoch=1, input="Why?", messages=[], output=made
    )


def judge_saying(said: str, asked: list[str]) -> Any:
    """A mock judge; without a usage it would load a tokenizer from the network."""
    model = import_module("inspect_ai.model")

    def say(messages: list[Any], *_: Any) -> Any:
        asked.append(messages[-1].text)
        made = model.ModelOutput.from_content("mockllm", said)
        made.usage = model.ModelUsage(input_tokens=3, output_tokens=2, total_tokens=5)
        return made

    return model.get_model("mockllm/judge", custom_outputs=say, memoize=False)


@pytest.mark.parametrize(
    ("name", "form", "said"),
    [("format_judge", "lmms_eval.score", "6"), ("fields_judge", "lmms_eval.comparative", "8 7")],
)
def test_replies_go_through_the_enclosing_ledger(name: str, form: str, said: str) -> None:
    asked: list[str] = []
    target = import_module("inspect_ai.scorer").Target("")
    made = getattr(import_module("judgecore.integrations.inspect_ai"), name)
    judge = made(form, "Rate it.", model=judge_saying(said, asked))

    with jc.Ledger(":memory:") as ledger, jc.targets.keep_replies(ledger) as tally:
        values = [asyncio.run(judge(state_of("Because."), target)).value for _ in range(2)]

    assert values[0] == values[1]
    assert (len(asked), tally.calls, tally.replayed) == (1, 1, 1)


def test_a_scorer_that_gives_two_scores_is_refused() -> None:
    scored_by = import_module("judgecore.integrations.inspect_ai").scored_by
    target = import_module("inspect_ai.scorer").Target("Not so.")
    both = jc.scorers.ComparativeScorer(chat_target=jc.CallableTarget(lambda _: "8 7", name="both"))

    with pytest.raises(ValueError, match="ComparativeScorer gives 2 scores"):
        asyncio.run(scored_by(both)(state_of("Because."), target))


def test_a_log_with_a_broken_sample_is_named(folder: Path, logs: dict[str, Path]) -> None:
    broken = folder / "torn.eval"
    with zipfile.ZipFile(logs["rated"]) as whole, zipfile.ZipFile(broken, "w") as torn:
        for name in whole.namelist():
            torn.writestr(name, b"{}" if name.startswith("samples/3_") else whole.read(name))

    said = run("judgecore", "convert", "inspect", broken, "-o", folder / "torn.jsonl", folder=folder, expected=2)

    assert "torn.eval can't be read as an Inspect AI log" in said
    assert "OUT is then not written" in run("judgecore", "convert", "inspect", "--help", folder=folder)
    assert not (folder / "torn.jsonl").exists()
