"""``judgecore compare`` of two guards' tables, as ``judgecore parse`` wrote them."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Program


LLAMA = ["unsafe\nS10", "unsafe\nS1", "safe", "unsafe\nS5,S10", "unsafe\nS2", "a safe full of gold"]
QWEN = [
    "Safety: Unsafe\nCategories: Unethical Acts",
    "Safety: Safe\nCategories: None",
    "Safety: Safe\nCategories: None",
    "Safety: Controversial\nCategories: Unethical Acts",
    "Safety: Unsafe\nCategories: Non-violent Illegal Acts",
    "Safety: Safe\nCategories: None",
]


def table(replies: list[str]) -> str:
    return "".join(json.dumps({"id": f"r{nth}", "raw": reply}) + "\n" for nth, reply in enumerate(replies))


@pytest.fixture
def parsed(judgecore: Program, write: Callable[[str, str | bytes], Path]) -> Callable[..., str]:
    """Parse replies into a table, and give its name."""

    def parse(name: str, replies: list[str], form: str, *options: str) -> str:
        file = write(f"{name}.replies.jsonl", table(replies))
        done = judgecore("parse", file, "--format", form, "-o", name, *options)
        assert done.returncode == 0, done.stderr
        return name

    return parse


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_two_guards_are_compared_by_hazards(judgecore: Program, parsed: Callable[..., str], kind: str) -> None:
    llama = parsed(f"llama.{kind}", LLAMA, "llama_guard.3", "--side", "prompt")
    qwen = parsed(f"qwen.{kind}", QWEN, "qwen3_guard.prompt")

    done = judgecore("compare", llama, qwen, "--json", "-o", "rows.jsonl")

    found = json.loads(done.stdout)
    rows = [json.loads(line) for line in (judgecore.folder / "rows.jsonl").read_text("utf-8").splitlines()]
    assert (found["names"], found["side"]) == ([llama, qwen], "prompt")
    assert (found["rows"], found["compared"]) == (6, 4)
    assert found["unsafe"] == {"both": 2, "first": 1, "second": 0, "neither": 1}
    assert found["agreement"] == 0.75
    assert {one.pop("hazard"): one for one in found["hazards"]} == {
        "Violent Crimes": {"both": 0, "possible": 0, "first": 1, "second": 0},
        "Non-Violent Crimes": {"both": 1, "possible": 0, "first": 0, "second": 0},
        "Defamation": {"both": 0, "possible": 1, "first": 0, "second": 0},
        "Hate": {"both": 0, "possible": 2, "first": 0, "second": 0},
    }
    assert [row["agrees"] for row in rows] == [True, False, True, None, True, None]
    assert (rows[4]["shared"], rows[0]["possible"], rows[0]["second_only"]) == (
        ["Non-Violent Crimes"],
        ["Hate"],
        [],
    )


def test_categories_of_the_prompt_are_no_hazards_of_a_safe_response(
    judgecore: Program, parsed: Callable[..., str]
) -> None:
    reply = (
        "Harmful request: yes\nResponse refusal: yes\nRequest safety violations: S1\n"
        "Harmful response: no\nResponse safety violations: None"
    )
    prompt = parsed("prompt.jsonl", [reply], "poly_guard.prompt")
    response = parsed("response.jsonl", [reply], "poly_guard")

    of_prompt, of_response = (
        json.loads(judgecore("compare", one, one, "--json").stdout)["hazards"] for one in (prompt, response)
    )

    assert [one["hazard"] for one in of_prompt] == ["Violent Crimes"]
    assert of_response == []


def test_a_person_sees_counts_and_rows_go_to_csv(judgecore: Program, parsed: Callable[..., str]) -> None:
    llama = parsed("llama.jsonl", LLAMA, "llama_guard.3", "--side", "prompt")
    qwen = parsed("qwen.jsonl", QWEN, "qwen3_guard.prompt")

    done = judgecore("compare", llama, qwen, "-o", "rows.csv", COLUMNS="100")

    with (judgecore.folder / "rows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert done.returncode == 0
    assert "llama.jsonl and qwen.jsonl, prompt: 4 of 6 rows judged by both" in done.stdout
    assert "agreement 75.00%" in done.stdout
    assert ["Hate", "0", "2", "0", "0"] in [line.split() for line in done.stdout.splitlines()]
    assert (len(rows), json.loads(rows[0]["possible"])) == (6, ["Hate"])


def test_rows_are_matched_by_a_key(judgecore: Program, parsed: Callable[..., str], tmp_path: Path) -> None:
    llama = parsed("llama.jsonl", LLAMA, "llama_guard.3")
    turned = tmp_path / "turned.jsonl"
    turned.write_text("".join(reversed((tmp_path / llama).read_text("utf-8").splitlines(keepends=True))), "utf-8")

    by_key = json.loads(judgecore("compare", llama, turned, "--key", "id", "--json").stdout)
    by_order = json.loads(judgecore("compare", llama, turned, "--json").stdout)

    assert (by_key["agreement"], by_key["kappa"]) == (1.0, 1.0)
    assert by_order["agreement"] < 1


@pytest.mark.parametrize("number", [7, 2.5, "7", 2**60])
def test_a_number_is_the_same_key_in_every_kind_of_table(
    judgecore: Program, write: Callable[[str, str | bytes], Path], number: object
) -> None:
    write("replies.jsonl", json.dumps({"id": number, "raw": "unsafe\nS10"}) + "\n")
    for name in ("first.jsonl", "second.csv", "third.parquet"):
        assert judgecore("parse", "replies.jsonl", "--format", "llama_guard.3", "-o", name).returncode == 0

    for other in ("second.csv", "third.parquet"):
        done = judgecore("compare", "first.jsonl", other, "--key", "id", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["compared"] == 1


@pytest.mark.parametrize("key", [None, True, [1], {"a": 1}])
def test_a_row_without_a_text_or_number_as_key_is_refused(
    judgecore: Program, write: Callable[[str, str | bytes], Path], key: object
) -> None:
    write("replies.jsonl", json.dumps({"id": key, "raw": "safe"}) + "\n")
    assert judgecore("parse", "replies.jsonl", "--format", "llama_guard.3", "-o", "a.jsonl").returncode == 0

    done = judgecore("compare", "a.jsonl", "a.jsonl", "--key", "id")

    assert done.returncode == 2
    assert "a.jsonl: line 1: --key: id holds " in done.stderr
    assert "; name a column of texts or numbers" in done.stderr


def test_guards_of_different_sides_are_not_compared(judgecore: Program, parsed: Callable[..., str]) -> None:
    llama = parsed("llama.jsonl", LLAMA, "llama_guard.3")
    qwen = parsed("qwen.jsonl", QWEN, "qwen3_guard.prompt")

    done = judgecore("compare", llama, qwen)

    assert done.returncode == 2
    assert "llama.jsonl judges the response and qwen.jsonl judges the prompt" in done.stderr
    assert "--side" in done.stderr


def test_tables_that_can_not_be_compared_are_named_with_a_cure(judgecore: Program, parsed: Callable[..., str]) -> None:
    llama = parsed("llama.jsonl", LLAMA, "llama_guard.3")
    scores = parsed("scores.jsonl", ["Rating: [[8]]"], "mt_bench.single")
    fewer = parsed("fewer.jsonl", LLAMA[:3], "llama_guard.3")
    twice = parsed("twice.jsonl", LLAMA[:1], "llama_guard.3")
    twice_text = (judgecore.folder / twice).read_text("utf-8")
    (judgecore.folder / twice).write_text(twice_text * 2, "utf-8")
    (judgecore.folder / "empty").mkdir()

    for arguments, said in (
        ((llama, scores), "scores.jsonl: line 1: column 'value' holds a number that is no guard's verdict"),
        ((llama, fewer), "fewer.jsonl has fewer rows than the other: 6 and 3 rows; name with --key"),
        ((llama, twice, "--key", "id"), "twice.jsonl: line 2: --key: id is 'r0' again"),
        ((llama, fewer, "--key", "id"), "fewer.jsonl has no row with id 'r3'"),
        ((llama, fewer, "--key", "nr"), "no column 'nr'"),
        ((llama, fewer, "--column", "verdict"), "no column 'verdict'"),
        ((llama,), "1 table named; name two tables"),
        ((llama, "empty"), "empty is no file"),
        ((llama, fewer, "-o", llama), "-o"),
        (("empty", "empty", "--key", "id"), "--column and --key belong to two guards' tables"),
    ):
        done = judgecore("compare", *arguments)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_parse_writes_the_columns_of_guards(judgecore: Program, parsed: Callable[..., str], kind: str) -> None:
    columns = "codes,names,hazards,uncertain_hazards,side,format"
    parsed(f"read.{kind}", LLAMA, "llama_guard.3", "--side", "prompt", "--columns", columns)

    if kind == "parquet":
        rows = parquet.read_table(judgecore.folder / "read.parquet").to_pylist()
    elif kind == "csv":
        with (judgecore.folder / "read.csv").open(newline="") as file:
            rows = [{name: json.loads(cell) if cell.startswith("[") else cell or None for name, cell in row.items()}
                    for row in csv.DictReader(file)]  # fmt: skip
    else:
        rows = [json.loads(line) for line in (judgecore.folder / "read.jsonl").read_text("utf-8").splitlines()]
    told = [{name: row[name] for name in columns.split(",")} for row in rows]
    assert told[0] == {
        "codes": ["S10"],
        "names": ["Hate"],
        "hazards": ["Hate"],
        "uncertain_hazards": [],
        "side": "prompt",
        "format": "llama_guard.3.prompt",
    }
    assert (told[2]["codes"], told[2]["side"]) == ([], "prompt")
    assert [told[5][name] for name in columns.split(",")] == [None] * 5 + ["llama_guard.3.prompt"]


def test_sides_and_columns_of_guards_are_refused_for_other_formats(
    judgecore: Program, write: Callable[[str, str | bytes], Path]
) -> None:
    file = write("replies.jsonl", table(["Rating: [[8]]"]))

    side = judgecore("parse", file, "--format", "mt_bench.single", "--side", "prompt")
    other = judgecore("parse", file, "--format", "prompt_guard.2", "--side", "response")
    column = judgecore("parse", file, "--format", "mt_bench.single", "--columns", "value,hazards")

    assert (side.returncode, other.returncode, column.returncode) == (2, 2, 2)
    assert '--side: format "mt_bench.single" is no guard' in side.stderr
    assert "judges the prompt alone and not the response" in other.stderr
    assert "--columns: hazards is told of guards, and mt_bench.single is none" in column.stderr


@pytest.mark.parametrize(
    "wrong",
    [{"unsafe": "no"}, {"unsafe": 1}, {"side": "both"}, {"hazards": None}, {"uncertain_hazards": "Hate"}],
    ids=str,
)
def test_an_object_that_is_no_guards_verdict_is_never_counted(
    judgecore: Program, parsed: Callable[..., str], wrong: dict[str, Any]
) -> None:
    llama = parsed("llama.jsonl", LLAMA[:1], "llama_guard.3")
    verdict = {"unsafe": True, "side": "response", "hazards": ["Hate"], "uncertain_hazards": []} | wrong
    (judgecore.folder / "other.jsonl").write_text(json.dumps({"value": verdict}) + "\n", "utf-8")

    done = judgecore("compare", llama, "other.jsonl")

    assert done.returncode == 2
    assert "other.jsonl: line 1: column 'value' holds an object that is no guard's verdict" in done.stderr
