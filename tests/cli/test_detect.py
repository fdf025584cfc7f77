"""``judgecore detect``, and what ``parse`` and ``formats`` suggest."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Program

    Write = Callable[[str, str], Path]

RATED = [f"The answer number {nth} is clear enough.\n\nRating: [[{nth % 10 + 1}]]" for nth in range(40)]
GRADED = [f"The answer number {nth} fits.\n\nGRADE: {'CPI'[nth % 3]}" for nth in range(40)]
OWN = [f"Answer {nth} names the river.\nMY VERDICT => {['good', 'bad'][nth % 2]}" for nth in range(40)]
PROSE = [f"The weather on day {nth} is mild, and most people go for a walk." for nth in range(40)]


def lines(replies: list[str], column: str = "raw") -> str:
    return "".join(json.dumps({"id": nth, column: reply}) + "\n" for nth, reply in enumerate(replies))


def test_best_format_is_shown_with_evidence_and_a_command_that_reads_the_file(judgecore: Program, write: Write) -> None:
    write("replies.jsonl", lines(GRADED))

    done = judgecore("detect", "replies.jsonl")

    assert done.returncode == 0
    assert done.stdout.startswith("replies.jsonl: 40 of 40 replies")
    assert "The format is probably inspect.model_graded.\n" in done.stdout
    shown = dict(re.findall(r"^  (reply|evidence|value|run) +(\S.*?) *$", done.stdout, re.MULTILINE)[:4])
    assert (shown["evidence"], shown["value"]) == ("GRADE: C", "C")
    ran = judgecore(*shown["run"].split()[1:], "--json")
    assert json.loads(ran.stdout)["counts"] == {"ok": 40}


def test_formats_that_fit_equally_well_are_all_named(judgecore: Program, write: Write) -> None:
    write("replies.jsonl", lines(RATED))

    done = judgecore("detect", "replies.jsonl", COLUMNS="200")

    [likely] = re.findall(r"The format is probably (mt_bench\.single, .* or .*)\.\n", done.stdout)
    named = re.split(", | or ", likely)
    n_more = sum(int(one.split()[0]) for one in named if one.endswith(" more"))
    names = {one for one in named if not one.endswith(" more")}
    assert names < (best := {one.format.id for one in jc.detect(RATED) if one.rank == 1})
    assert len(names) + n_more == len(best)
    assert "the sample can't distinguish them" in done.stdout
    assert [row.split()[0] for row in done.stdout.splitlines() if "%" in row] == ["1", "1", "1"]


def test_where_none_fits_a_file_is_proposed_that_reads_the_replies(judgecore: Program, write: Write) -> None:
    write("replies.jsonl", lines(OWN))

    done = judgecore("detect", "replies.jsonl")

    assert done.returncode == 3
    assert "No built-in format fits" in done.stdout
    assert "jc.Format.choice({'bad': ['bad'], 'good': ['good']}, markers=['MY VERDICT => {}'])\n" in done.stdout
    toml = "".join(f"{line[2:]}\n" for line in done.stdout.splitlines() if re.match(r"  (\S+ = |\[)|  $", line))
    write("my_judge.toml", toml)
    [command] = re.findall(r"run +judgecore (.*)", done.stdout)
    assert json.loads(judgecore(*command.split(), "--json").stdout)["counts"] == {"ok": 40}


def test_prose_fits_no_format_and_none_is_proposed(judgecore: Program, write: Write) -> None:
    write("replies.jsonl", lines(PROSE))

    done = judgecore("detect", "replies.jsonl")

    assert done.returncode == 3
    assert "No built-in format fits" in done.stdout
    assert "No format can be proposed" in done.stdout
    assert "judgecore parse" not in done.stdout


def test_json_holds_what_the_library_says(judgecore: Program, write: Write) -> None:
    write("replies.jsonl", lines(RATED))
    write("own.jsonl", lines(OWN))

    got = json.loads(judgecore("detect", "replies.jsonl", "--limit", "10", "--json").stdout)
    own = judgecore("detect", "own.jsonl", "--json")

    found = jc.detect(RATED, limit=10)
    assert (got["file"], got["rows"], got["sampled"]) == ("replies.jsonl", 40, 10)
    assert [(one["format"], one["rank"], one["fits"]) for one in got["detected"]] == [
        (one.format.id, one.rank, one.fits) for one in found
    ]
    assert got["detected"][0]["command"] == "judgecore parse replies.jsonl --format mt_bench.single"
    assert got["proposal"] is None
    assert own.returncode == 3
    assert json.loads(own.stdout)["fits"] == []
    assert json.loads(own.stdout)["proposal"]["share"] == 1


@pytest.mark.parametrize("replies", [RATED, GRADED, OWN, PROSE])
def test_result_fits_80_columns(judgecore: Program, write: Write, replies: list[str]) -> None:
    write("replies.jsonl", lines(replies))

    with judgecore.on_terminal("detect", "replies.jsonl", NO_COLOR="1", TERM="dumb") as terminal:
        shown, _ = terminal.wait()

    # What is to be copied stays on one line.
    assert max(len(line) for line in shown.splitlines() if not line.startswith("jc.")) <= 80


def test_column_kind_and_pipe_are_those_of_parse(judgecore: Program, write: Write) -> None:
    write("judged.csv", "id,judgment\n" + "".join(f'{nth},"Fine. GRADE: {"CI"[nth % 2]}"\n' for nth in range(9)))

    named = judgecore("detect", "judged.csv", "--column", "judgment")
    unnamed = judgecore("detect", "judged.csv")
    piped = judgecore("detect", "-", "--input-format", "jsonl", text=lines(GRADED, "reply"))

    run = "judgecore parse judged.csv --format inspect.model_graded --column judgment"
    assert run in named.stdout
    assert unnamed.returncode == 2
    assert "no column 'raw' or 'reply'" in unnamed.stderr
    assert piped.stdout.startswith("standard input: 40 of 40 replies")


def test_parquet_is_sampled(judgecore: Program) -> None:
    pa = pytest.importorskip("pyarrow", reason="not installed here: make test")
    parquet = pytest.importorskip("pyarrow.parquet", reason="not installed here: make test")
    parquet.write_table(pa.table({"raw": [*GRADED, None]}), judgecore.folder / "replies.parquet")

    done = judgecore("detect", "replies.parquet")

    assert done.returncode == 0
    assert "The format is probably inspect.model_graded." in done.stdout


def test_a_file_without_rows_is_a_usage_error(judgecore: Program, write: Write) -> None:
    write("replies.jsonl", "nothing\nof the kind\n")

    done = judgecore("detect", "replies.jsonl")

    assert done.returncode == 2
    assert 'no line is a valid jsonl row; a row is {"raw": "..."}' in done.stderr


def test_parse_suggests_the_format_of_replies_that_it_could_not_read(judgecore: Program, write: Write) -> None:
    write("replies.jsonl", lines(GRADED))
    write("prose.jsonl", lines(PROSE))

    done = judgecore("parse", "replies.jsonl", "--format", "arena_hard")
    right = judgecore("parse", "replies.jsonl", "--format", "inspect.model_graded")
    prose = judgecore("parse", "prose.jsonl", "--format", "arena_hard")

    line = "the format is probably inspect.model_graded: judgecore parse replies.jsonl --format inspect.model_graded\n"
    assert line in done.stderr
    assert "the format is probably" not in right.stderr + prose.stderr


def test_formats_suggests_what_a_reply_looks_like_and_what_reads_a_file(judgecore: Program) -> None:
    reply = judgecore("formats", "It is fine. GRADE: C")
    table = judgecore("formats", "replies.jsonl")
    name = judgecore("formats", "arena_hart")

    assert (
        "if it is a reply, its format is probably inspect.model_graded: judgecore formats inspect.model_graded"
        in reply.stderr
    )
    assert "to detect the format of the replies in a file, run judgecore detect replies.jsonl" in table.stderr
    assert "arena_hard" in name.stderr
    assert {reply.returncode, table.returncode, name.returncode} == {2}


def test_the_list_of_formats_shows_a_sample_reply(judgecore: Program) -> None:
    narrow = judgecore("formats", COLUMNS="80").stdout.splitlines()
    wide = judgecore("formats", COLUMNS="160").stdout

    assert any(line.startswith("garak.rating ") and line.rstrip().endswith(" Rating: [[7]]") for line in narrow)
    assert max(map(len, narrow)) <= 80
    assert "MT-Bench judge of FastChat" in wide
    assert "My final verdict is: [[A>B]]" in wide
