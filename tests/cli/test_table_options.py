"""Every command that takes a table takes every kind of table, by the same options."""

from __future__ import annotations

import csv
import gzip
import io
import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from judgecore.errors import TableError
from judgecore.tables.files import find_kind
from judgecore.tables.opening import TableOptions, open_rows, write_rows
from judgecore.tables.rows import Row

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import click
    from cli.conftest import Program

    Write = Callable[[str, str | bytes], Path]

FACTS = {"dataset_version": "1.0"}
ROWS: list[dict[str, Any]] = [
    {
        "raw": f"It is größer.\nRating: [[{nth % 10 + 1}]]",
        "assistant_response": f"Sorry, I can't; größer, {nth}" if nth % 2 else f"Here | it is; größer, {nth}",
        "objective": f"Ask {nth}",
        "human_score": str(nth % 2),
        "value": str(nth % 3 % 2),
    }
    for nth in range(30)
]
WITHOUT_NAME = ("--input-format", "csv", "--delimiter", "|", "--encoding", "mac-roman", "--max-record-bytes", "1M")

SCORER = ("--scorer", "s.yaml")
COMMANDS: dict[str, tuple[str, ...]] = {
    "parse": ("parse", "FILE", "--format", "mt_bench.single", "--json"),
    "detect": ("detect", "FILE", "--limit", "10", "--json"),
    "score": ("score", "FILE", *SCORER, "--json"),
    "correct": ("correct", "FILE", "--calibration", "FILE", "--json"),
    "dataset": ("dataset", "validate", "FILE", "--json"),
    "evaluate": ("evaluate", "--dataset", "FILE", *SCORER, "--trials", "1", "--registry", "registry"),
}
TELLING: dict[str, Callable[[str], Any]] = {
    "parse": lambda said: (json.loads(said)["counts"], json.loads(said)["rejected"]),
    "detect": lambda said: (json.loads(said)["rows"], json.loads(said)["fits"]),
    "score": lambda said: {k: json.loads(said)[k] for k in ("rows", "rejected", "undetermined")},
    "correct": lambda said: (json.loads(said)["raw_rate"], json.loads(said)["num_calibration"]),
    "dataset": lambda said: (json.loads(said)[0]["content_hash"], json.loads(said)[0]["version"]),
    "evaluate": lambda said: said.count("accuracy"),
}


def csv_text(rows: list[dict[str, Any]], delimiter: str = ",", *, has_facts: bool) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, rows[0], delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return ("# dataset_version=1.0\r\n" if has_facts else "") + text.getvalue()


def table_of(name: str, rows: list[dict[str, Any]], *, has_facts: bool) -> bytes:
    """A table as its name says; a data set has its facts."""
    objects = [*([FACTS] if has_facts else []), *rows]
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)
    if name.endswith(("parquet", "arrow")):
        table = pa.Table.from_pylist(rows).replace_schema_metadata(FACTS)
        sink = pa.BufferOutputStream()
        if name.endswith("parquet"):
            pq.write_table(table, sink)
        else:
            with pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
        return sink.getvalue().to_pybytes()
    plain = csv_text(rows, has_facts=has_facts)
    return {
        "t.jsonl": lines.encode(),
        "utf16.jsonl": lines.encode("utf-16"),
        "t.json": json.dumps(objects, indent=1).encode(),
        "t.csv": plain.encode(),
        "bom.csv": plain.encode("utf-8-sig"),
        "utf16.csv": plain.encode("utf-16"),
        "cp1252.csv": plain.encode("cp1252"),
        "semicolon.csv": csv_text(rows, ";", has_facts=has_facts).encode(),
        "t.tsv": csv_text(rows, "\t", has_facts=has_facts).encode(),
        "t.csv.gz": gzip.compress(plain.encode()),
        "t.jsonl.zst": pa.compress(lines.encode(), codec="zstd", asbytes=True),
        "without_name": csv_text(rows, "|", has_facts=has_facts).encode("mac-roman"),
    }[name]


NAMES = [
    *("t.jsonl", "utf16.jsonl", "t.json", "t.csv", "bom.csv", "utf16.csv", "cp1252.csv", "semicolon.csv", "t.tsv"),
    *("t.csv.gz", "t.jsonl.zst", "t.parquet", "t.arrow", "without_name"),
]


def command_of(name: str) -> click.Command:
    command = getattr(import_module(f"judgecore.cli.{name}"), f"{name}_command")
    return command.commands["validate"] if name == "dataset" else command


def run(name: str, folder: Path, file: str, *, text: bytes | None = None, options: tuple[str, ...] = ()) -> Any:
    """The status of a command, and what it tells of the table."""
    words = [file if word == "FILE" else word for word in COMMANDS[name]]
    words = words[2:] if name == "dataset" else words[1:]
    done = CliRunner().invoke(command_of(name), [*words, *options], input=text, standalone_mode=False)
    assert done.exception is None, (done.exception, folder)
    return done.return_value, TELLING[name](done.stdout)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a scorer, in which the commands run."""
    (tmp_path / "s.yaml").write_text("type: SubStringScorer\nsubstring: Sorry\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reads_every_kind_of_table_alike(folder: Path, command: str) -> None:
    has_facts = command in ("dataset", "evaluate")
    said: dict[str, Any] = {}
    for name in NAMES:
        (folder / name).write_bytes(table_of(name, ROWS, has_facts=has_facts))
        options = ("--update", "always_update") if command == "evaluate" else ()
        options += WITHOUT_NAME if name == "without_name" else ()
        said[name] = run(command, folder, name, options=options)

    assert said == dict.fromkeys(NAMES, said["t.jsonl"])


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "correct"])
def test_every_command_reads_standard_input(judgecore: Program, folder: Path, command: str) -> None:
    has_facts = command in ("dataset", "evaluate")
    text = table_of("t.csv", ROWS, has_facts=has_facts)
    (folder / "t.csv").write_bytes(text)
    words = [word if word != "FILE" else "-" for word in COMMANDS[command]]

    done = judgecore(*words, "--input-format", "csv", text=text)

    assert (done.returncode, TELLING[command](done.stdout)) == (0, run(command, folder, "t.csv")[1]), done.stderr


def test_the_options_of_tables_are_the_same_in_every_command() -> None:
    told = {}
    for name in COMMANDS:
        options = {one.opts[0]: one for one in command_of(name).params}
        asked = ("--input-format", "--delimiter", "--encoding", "--max-record-bytes")
        told[name] = [(option, getattr(options[option], "help", None), options[option].type) for option in asked]

    assert all(len(one) == 4 for one in told.values())
    assert {str(one) for one in told.values()} == {str(told["parse"])}


def test_a_row_that_is_too_long_is_rejected_by_every_command(judgecore: Program, folder: Path) -> None:
    rows = [*ROWS, {**ROWS[0], "raw": "x" * 5000}]
    (folder / "t.jsonl").write_bytes(table_of("t.jsonl", rows, has_facts=False))
    (folder / "d.csv").write_bytes(table_of("t.csv", rows, has_facts=True))

    said = {
        name: judgecore(
            *[
                ("d.csv" if name in ("dataset", "evaluate") else "t.jsonl") if word == "FILE" else word
                for word in words
            ],
            *("--max-record-bytes", "4K"),
        )
        for name, words in COMMANDS.items()
    }

    assert {name: done.returncode for name, done in said.items()} == {
        "parse": 3, "detect": 0, "score": 3, "correct": 2, "dataset": 2, "evaluate": 2
    }  # fmt: skip
    assert "t.jsonl: line 31: a record of more than 4096 bytes" in said["correct"].stderr
    assert "d.csv, line 63: a record of more than 4096 bytes" in said["evaluate"].stderr
    assert json.loads(said["dataset"].stdout)[0]["problems"][0]["line"] == 63
    assert json.loads(said["parse"].stdout)["rejected"] == json.loads(said["score"].stdout)["rejected"] == 1


@pytest.mark.parametrize("output", ["out.parquet", "out.arrow"])
def test_a_row_that_is_too_long_is_rejected_where_columns_have_types_too(
    judgecore: Program, folder: Path, output: str
) -> None:
    rows = [*ROWS, {**ROWS[0], "raw": "x" * 5000}]
    (folder / "t.jsonl").write_bytes(table_of("t.jsonl", rows, has_facts=False))

    options = ("--max-record-bytes", "4K", "-o", output, "--prefix", "p_")
    done = judgecore("parse", "t.jsonl", *COMMANDS["parse"][2:], *options)

    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout)["rejected"] == 1


def test_every_damaged_line_of_a_data_set_is_named(judgecore: Program, folder: Path) -> None:
    text = table_of("t.csv", ROWS, has_facts=True) + b'a,b\r\nx,"y"z,o,1,1\r\n\xff,r,o,1,1\r\nq,"r,o,1,1\r\n'
    (folder / "d.csv").write_bytes(text)

    done = judgecore("dataset", "validate", "d.csv", "--json")

    problems = json.loads(done.stdout)[0]["problems"]
    assert done.returncode == 2
    assert [one["line"] for one in problems] == [63, 64, 65, 66]
    assert [one["text"].split(";")[0] for one in problems] == [
        "2 fields, where the header has 5",
        "not CSV: text after a closing quotation mark",
        "not UTF-8 at byte 1",
        "not CSV: a quotation mark opens a field that never closes",
    ]


def test_columns_are_found_by_path_wherever_they_are_named(judgecore: Program, folder: Path) -> None:
    nested = [
        {"out": {"said": row["assistant_response"], "verdict": row["value"], "in": {"raw": row["raw"]}}, "human": 1}
        for row in ROWS
    ]
    (folder / "t.jsonl").write_text("".join(json.dumps(one) + "\n" for one in nested))
    pq.write_table(pa.Table.from_pylist(nested), folder / "t.parquet")

    for file in ("t.jsonl", "t.parquet"):
        scored = judgecore("score", file, *SCORER, "--response", "out.said", "-o", "-", "--prefix", "s_")
        correct = ("correct", file, "--calibration", file, "--verdict", "out.verdict", "--method", "ppi", "--json")
        corrected = judgecore(*correct)
        read = judgecore("parse", file, "--column", "out.in.raw", "--cut", "human", *COMMANDS["parse"][2:])
        detected = judgecore("detect", file, "--column", "out.in.raw", "--json")
        wrong = judgecore("parse", file, "--column", "out.in.rw", *COMMANDS["parse"][2:])

        rows = [json.loads(line) for line in scored.stdout.splitlines()]
        assert [row["s_score_value"] for row in rows] == [nth % 2 == 1 for nth in range(30)]
        assert json.loads(corrected.stdout)["num_unlabelled"] == 30, corrected.stderr
        assert json.loads(read.stdout)["counts"].keys() == {"ok", "truncated"}, read.stderr
        assert "mt_bench.single" in json.loads(detected.stdout)["fits"], detected.stderr
        assert wrong.returncode == 0 if file == "t.jsonl" else "did you mean --column out.in.raw?" in wrong.stderr


@pytest.mark.parametrize("source", ["t.jsonl", "t.json", "semicolon.csv", "t.parquet", "t.arrow"])
@pytest.mark.parametrize("output", ["o.jsonl", "o.csv", "o.tsv", "o.parquet", "o.arrow", "o.csv.gz"])
def test_scores_go_to_every_kind_of_table(folder: Path, source: str, output: str) -> None:
    (folder / source).write_bytes(table_of(source, ROWS, has_facts=False))
    score, parse = command_of("score"), command_of("parse")

    scored = CliRunner().invoke(score, [source, *SCORER, "-o", output, "--prefix", "s_"], standalone_mode=False)
    options = ["--format", "mt_bench.single", "--prefix", "p_", "-o", "again.jsonl"]
    again = CliRunner().invoke(parse, [output, *options], standalone_mode=False)

    rows = [json.loads(line) for line in (folder / "again.jsonl").read_text("utf-8").splitlines()]
    assert (scored.exception, again.exception) == (None, None)
    assert [row["assistant_response"] for row in rows] == [row["assistant_response"] for row in ROWS]
    assert [str(row["s_score_value"]).lower() for row in rows] == ["false", "true"] * 15
    assert [row["p_value"] for row in rows] == [nth % 10 + 1 for nth in range(30)]


@pytest.mark.parametrize("output", ["o.jsonl", "o.csv", "o.parquet", "o.arrows", "o.csv.zst"])
@pytest.mark.usefixtures("folder")
def test_rows_of_no_table_become_any_table(output: str) -> None:
    rows = [{"raw": "-1", "n": nth, "more": {"a": [nth]}} for nth in range(12_345)]

    written = write_rows(output, iter(rows))

    with open_rows(output, find_kind(output, None), TableOptions()) as table:
        got = [row.cells if isinstance(row, Row) else {} for row in table]
    as_text = output.startswith("o.csv")
    assert written == len(rows)
    assert got == ([{"raw": "-1", "n": str(n), "more": f'{{"a": [{n}]}}'} for n in range(12_345)] if as_text else rows)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("output", ["o.parquet", "o.arrow"])
def test_objects_that_are_empty_in_the_first_rows_become_json_text(output: str) -> None:
    rows: list[dict[str, Any]] = [{"a": {}, "b": [{"c": {}}], "d": {"e": 1}}] * 10_000

    write_rows(output, [*rows, {"a": {"x": 1}, "b": None, "d": None}])

    with open_rows(output, find_kind(output, None), TableOptions()) as table:
        got = [row.cells for row in table if isinstance(row, Row)]
    assert got[0] == {"a": "{}", "b": '[{"c": {}}]', "d": {"e": 1}}
    assert got[-1] == {"a": '{"x": 1}', "b": None, "d": None}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("new", [{"a": {"x": 1, "y": 2}}, {"a": {"x": 1}, "b": [{"c": 1, "z": "!"}]}])
def test_a_key_missing_in_a_columns_type_is_named_and_never_dropped(new: dict[str, Any]) -> None:
    rows: list[dict[str, Any]] = [{"a": {"x": 1}, "b": [{"c": 1}, {}]}] * 10_000

    with pytest.raises(
        TableError, match=r"row 10001: in column '[ab]' the key '[yz]' is not in the first rows; write \.jsonl"
    ):
        write_rows("o.parquet", [*rows, new])
    write_rows("o.parquet", [*rows, {"a": {"x": None, "y": None}, "b": None}])


def test_a_row_that_does_not_fit_the_first_ones_is_named(folder: Path) -> None:
    rows = [{"a": 1}] * 10_001

    for output in ("o.csv", "o.parquet"):
        with pytest.raises(TableError, match=r"row 10002: column 'b' is not in the first rows; write \.jsonl"):
            write_rows(output, [*rows, {"a": 1, "b": 2}])
        assert not (folder / output).exists()
    assert write_rows("o.jsonl", [*rows, {"a": 1, "b": 2}]) == 10_002
    assert write_rows("o.jsonl", []) == 0


MINUS = """family = "mine"
title = "Mine"
evidence = "card"
sources = ["a note"]

[[formats]]
id = "mine.minus"
kind = "score"
about = "A number."
low = -10
high = 10
"""


@pytest.mark.parametrize("source", ["t.jsonl", "t.json", "t.parquet", "t.arrow", "t.csv"])
def test_formulas_are_escaped_in_added_cells_and_new_column_names(
    judgecore: Program, folder: Path, source: str
) -> None:
    rows = [{"=cmd()": "x", "raw": "-5", "+other": "@SUM(1)"}]
    (folder / "minus.toml").write_text(MINUS)
    (folder / source).write_bytes(table_of(source, rows, has_facts=False))

    done = judgecore("parse", source, "--format", "minus.toml", "-o", "o.csv", "--prefix", "-", "--columns", "evidence")
    scored = judgecore("score", source, "--response", "raw", *SCORER, "-o", "s.csv", "--prefix", "@")

    names, cells = csv.reader((folder / "o.csv").read_text("utf-8").splitlines())
    own = ["=cmd()", "raw", "+other"] if source == "t.csv" else ["'=cmd()", "raw", "'+other"]
    assert (done.returncode, scored.returncode) == (0, 0), (done.stderr, scored.stderr)
    assert (names, cells) == ([*own, "'-evidence"], ["x", "-5", "@SUM(1)", "'-5"])
    assert (folder / "s.csv").read_text("utf-8").startswith(",".join([*own, "'@score_value"]))


def test_a_column_with_an_escaped_name_can_be_read_again_by_that_name(judgecore: Program, folder: Path) -> None:
    (folder / "t.jsonl").write_text('{"-judge": "[[8]]"}\n')
    options = ("--format", "mt_bench.single", "--columns", "value", "-o")

    judgecore("parse", "t.jsonl", "--column=-judge", *options, "o.csv")
    wrong = judgecore("parse", "o.csv", "--column=-judge", "--prefix", "b_", *options, "p.jsonl")
    done = judgecore("parse", "o.csv", "--column", "'-judge", "--prefix", "b_", *options, "p.jsonl")

    assert "did you mean --column ''\"'\"'-judge'?" in wrong.stderr
    assert json.loads((folder / "p.jsonl").read_text()) == {"'-judge": "[[8]]", "value": "8.0", "b_value": 8.0}, done


def test_a_row_that_does_not_fit_is_one_line_and_no_traceback(judgecore: Program, folder: Path) -> None:
    rows = [{"raw": "[[8]]"}] * 20_001 + [{"raw": "[[8]]", "x": 1}]
    (folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    done = judgecore("parse", "t.jsonl", "--format", "mt_bench.single", "-o", "o.parquet")

    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("Error: t.jsonl: line 20002: column 'x' is not in the first rows")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("file", ["t.jsonl", "t.parquet"])
def test_detect_reads_several_columns_as_parse_does(judgecore: Program, folder: Path, file: str) -> None:
    rows = [{"a": "no" if nth % 2 else row["raw"], "b b": row["raw"]} for nth, row in enumerate(ROWS)]
    (folder / file).write_bytes(table_of(file, rows, has_facts=False))

    done = judgecore("detect", file, "--column", "b b", "--column", "a", COLUMNS="200")

    assert "60 of 60 replies" in done.stdout
    assert "--column 'b b' --column a" in done.stdout


def test_a_suggested_command_has_the_options_of_the_table(judgecore: Program, folder: Path) -> None:
    (folder / "without_name").write_bytes(table_of("without_name", ROWS, has_facts=False))

    done = judgecore("detect", "without_name", *WITHOUT_NAME, "--json")

    command = json.loads(done.stdout)["detected"][0]["command"]
    for option in ("--input-format csv", "--delimiter '|'", "--encoding mac-roman", "--max-record-bytes 1048576"):
        assert option in command
