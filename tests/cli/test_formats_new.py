"""``judgecore formats --new``: a file of one's own, from options and from a sample."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Program

    Write = Callable[[str, str], Path]

REPLIES = [
    f"Text {n} is {'clear' if n % 2 else 'dull'}.\nMY VERDICT => {'good' if n % 2 else 'bad'}" for n in range(12)
]


def table(replies: list[str]) -> str:
    return "".join(json.dumps({"raw": reply}) + "\n" for reply in replies)


@pytest.mark.parametrize(
    ("options", "reply", "value"),
    [
        (["--labels", "A,B,tie", "--marker", "[[{}]]"], "So [[tie]]", "tie"),
        (["--labels", "A,B,tie"], "tie", "tie"),
        (["--labels", "yes,no", "--marker", "Answer"], "Answer: no", False),
        (["--low", "1", "--high", "10", "--marker", "Rating: [[{}]]", "--marker", "Rating"], "Rating: [[7]]", 7.0),
        (["--low", "0", "--high", "1"], "0.25", 0.25),
        (["--low", "-2", "--high", "2", "--integer", "--marker", "分数：{}分"], "分数：-1分", -1.0),
        (["--labels", "Bad,Good,比较好", "--marker", 'Verdict: "{}"'], 'Verdict: "比较好"', "比较好"),
    ],
)
def test_a_file_from_options_reads_what_was_asked_for_and_passes_the_check(
    judgecore: Program, tmp_path: Path, options: list[str], reply: str, value: object
) -> None:
    done = judgecore("formats", "--new", "essay_judge.toml", *options)

    assert (done.returncode, done.stderr) == (0, "")
    form = jc.Format.from_toml(tmp_path / "essay_judge.toml")
    assert (form.id, form.title) == ("essay_judge", "Essay judge")
    assert value == jc.parse(reply, form, mode="strict").unwrap()
    assert len(form.examples) >= 6
    assert any("unreadable" in one["lenient"] for one in form.examples)
    assert {"to confirm"} == {one["note"] for one in form.examples}
    checked = judgecore("formats", "--check", "essay_judge.toml")
    assert checked.returncode == 0
    assert f'{len(form.examples)} have the note "to confirm"' in checked.stdout


def test_a_sample_gives_what_is_not_said_and_the_examples(judgecore: Program, write: Write, tmp_path: Path) -> None:
    write("replies.jsonl", table([*REPLIES, "I have no opinion."]))

    done = judgecore("formats", "--new", "mine.toml", "--sample", "replies.jsonl")

    assert done.returncode == 0, done.stderr
    form = jc.Format.from_toml(tmp_path / "mine.toml")
    assert form.labels == {"bad": ("bad",), "good": ("good",)}
    assert form.markers == ("MY VERDICT => {}",)
    assert {one["reply"] for one in form.examples} <= {*REPLIES, "I have no opinion."}
    assert {"good", "bad", None} == {one["lenient"].get("value") for one in form.examples}
    assert judgecore("formats", "--check", "mine.toml").returncode == 0


def test_what_is_said_wins_over_what_a_sample_shows(judgecore: Program, write: Write, tmp_path: Path) -> None:
    write("replies.csv", "judge\n" + "".join(f"Fine. Points: {n}\n" for n in (1, 2, 3, 2, 1, 3)))

    done = judgecore(
        "formats", "--new", "m.toml", "--sample", "replies.csv", "--column", "judge", "--low", "0", "--high", "9"
    )

    assert done.returncode == 0, done.stderr
    form = jc.Format.from_toml(tmp_path / "m.toml")
    assert (form.scale, form.markers) == ((0.0, 9.0), ("Points: {}",))


def test_a_built_in_format_that_reads_the_sample_is_named(judgecore: Program, write: Write) -> None:
    write("replies.jsonl", table([f"Well.\n\nRating: [[{n}]]" for n in (1, 5, 9, 10, 3, 4)]))

    done = judgecore("formats", "--new", "mine.toml", "--sample", "replies.jsonl")

    assert "mt_bench.single" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--new"], "name the file to write"),
        (["--new", "mine.toml"], "say --labels A,B,tie, or --low and --high, or --sample FILE"),
        (["--new", "mine.txt", "--labels", "A,B"], "can't name a format"),
        (["--new", "1 x.toml", "--labels", "A,B"], "can't name a format"),
        (["--new", "mine.toml", "--labels", "A"], "give two labels or more"),
        (["--new", "mine.toml", "--labels", "A,,B"], "give two labels or more"),
        (["--new", "mine.toml", "--labels", "A,B,A"], "each once"),
        (["--new", "mine.toml", "--labels", "A,B", "--low", "1"], "give one of them"),
        (["--new", "mine.toml", "--low", "1"], "a scale has two ends"),
        (["--new", "mine.toml", "--low", "5", "--high", "1"], "--low 5 must be less than --high 1"),
        (["--new", "no/mine.toml", "--labels", "a,b"], "can't write no/mine.toml: the folder no does not exist"),
        (["--new", "mine.toml", "--low", "nan", "--high", "2"], "not finite"),
        (["--new", "mine.toml", "--low", "3", "--high", "1"], "--low 3 must be less than --high 1"),
        (["--new", "mine.toml", "--labels", "a-b,c", "--marker", "-{}-"], "the marker -{}- around a-b"),
        (["--new", "mine.toml", "--labels", "A,B", "--marker", "{}!"], "starts with the verdict"),
        (["--new", "mine.toml", "--labels", "A,B", "--check"], "leave out --check"),
        (["--new", "mine.toml", "--sample", "few.jsonl"], "no label or number stands in the same place"),
        (["--new", "mine.toml", "--sample", "none.jsonl"], "does not exist"),
        (["arena_hard", "--labels", "A,B"], "--labels describes a new file; give --new"),
        (["--check"], "name what to check"),
        (["--check", "--kind", "score"], "don't combine them"),
    ],
)  # fmt: skip
def test_what_makes_no_file_is_told_and_none_is_written(
    judgecore: Program, write: Write, tmp_path: Path, arguments: list[str], told: str
) -> None:
    write("few.jsonl", table([f"Well, {word} is what I would rather have read about today" for word in "abcdefgh"]))

    done = judgecore("formats", *arguments)

    assert done.returncode == 2
    assert told in " ".join(done.stderr.split())
    assert not (tmp_path / "mine.toml").exists()


def test_a_file_that_is_there_stays_unless_it_is_said(judgecore: Program, write: Write, tmp_path: Path) -> None:
    write("mine.toml", "mine")
    command = ("formats", "--new", "mine.toml", "--labels", "A,B")

    done = judgecore(*command)

    assert (done.returncode, (tmp_path / "mine.toml").read_text("utf-8")) == (2, "mine")
    assert "mine.toml exists; replace it with --replace" in done.stderr
    assert judgecore(*command, "--replace").returncode == 0
    assert (tmp_path / "mine.toml").read_text("utf-8").startswith('family = "mine"')
