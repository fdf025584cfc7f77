"""Tables that nobody would make on purpose, and files in odd places: one line that says what, and nothing lost."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import os
import subprocess
import sys
from base64 import b64decode
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from judgecore.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Program

    Run = Callable[..., subprocess.CompletedProcess[str]]
    Write = Callable[[str, str | bytes], Path]

SINGLE = ("--format", "mt_bench.single")
REPLY = "Rating: [[8]]"
LINE = json.dumps({"raw": REPLY}) + "\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """What runs ``parse`` in this process and a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def parse(*arguments: str) -> subprocess.CompletedProcess[str]:
        with pytest.raises(SystemExit) as left:
            main(["parse", *arguments, *SINGLE])
        said = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, int(left.value.code or 0), said.out, said.err)

    return parse


def refused(done: subprocess.CompletedProcess[str], says: str, output: Path) -> bool:
    """Whether a run ended with one line that says so, and left no output."""
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, last.startswith("Error: ")) == (2, True), done.stderr
    assert says in last
    return not output.exists()


def write_arrow(path: Path, table: pa.Table) -> None:
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]


# Columns of one name


@pytest.mark.parametrize("output", ["out.jsonl", "out.csv"])
def test_duplicate_column_names_are_refused_where_rows_are_read_by_name(run: Run, tmp_path: Path, output: str) -> None:
    pq.write_table(pa.table([[REPLY], [1], [2]], names=["raw", "n", "n"]), tmp_path / "in.parquet")

    assert refused(run("in.parquet", "-o", output), "2 columns are named 'n'; rename all but one", tmp_path / output)


@pytest.mark.parametrize("output", ["out.jsonl", "out.parquet"])
def test_csv_with_columns_of_one_name_stays_csv(run: Run, tmp_path: Path, write: Write, output: str) -> None:
    write("in.csv", f"raw,n,n\n{REPLY},1,2\n")

    assert refused(run("in.csv", "-o", output), "2 columns are named 'n'; rename all but one", tmp_path / output)
    assert run("in.csv", "-o", "out.csv").returncode == 0
    assert (tmp_path / "out.csv").read_text().splitlines()[1].startswith(f"{REPLY},1,2,8.0,")


def test_a_key_that_stands_twice_is_one_column(run: Run, tmp_path: Path, write: Write) -> None:
    write("in.jsonl", '{"raw": "no", "raw": "[[8]]", "n": 1, "n": 2}\n')

    done = run("in.jsonl", "-o", "out.csv", "--columns", "value")

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.csv").read_text().splitlines() == ["raw,n,value", "[[8]],2,8.0"]


def test_a_column_name_with_dots_takes_precedence_over_a_path(run: Run, tmp_path: Path) -> None:
    cells = {"a": [{"b": "[[1]]"}], "a.b": ["[[2]]"]}
    pq.write_table(pa.table(cells), tmp_path / "in.parquet")
    (tmp_path / "in.jsonl").write_text('{"a": {"b": "[[1]]"}, "a.b": "[[2]]"}\n')

    for file in ("in.parquet", "in.jsonl"):
        run(file, "--column", "a.b", "-o", "out.jsonl")
        assert [row["value"] for row in lines_of(tmp_path / "out.jsonl")] == [2.0]


@pytest.mark.parametrize("place", ["+0", "-0", "٠", ""])
def test_only_digits_are_a_place_in_a_list(run: Run, tmp_path: Path, write: Write, place: str) -> None:
    write("in.jsonl", '{"a": ["[[8]]"]}\n')

    for output in ("out.jsonl", "out.parquet"):
        assert run("in.jsonl", "--column", f"a.{place}", "-o", output).returncode == 0
    assert lines_of(tmp_path / "out.jsonl")[0]["reason"] == "missing"
    assert pq.read_table(tmp_path / "out.parquet")["reason"].to_pylist() == ["missing"]


# Columns that have types


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (
            pa.array([10**14], pa.timestamp("s")),
            "rows 1 to 1 hold values that only Parquet and Arrow IPC can represent",
        ),
        (
            pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
            "rows 1 to 1 hold values that only Parquet and Arrow IPC can represent",
        ),
        (pa.array([b"\xff"]), "a column holds bytes"),
    ],
)
@pytest.mark.parametrize("output", ["out.jsonl", "out.csv"])
def test_a_value_that_python_cant_represent_is_named(
    run: Run, tmp_path: Path, values: pa.Array, says: str, output: str
) -> None:
    write_arrow(tmp_path / "in.arrow", pa.table({"raw": [REPLY], "other": values}))

    assert refused(run("in.arrow", "-o", output), says, tmp_path / output)
    assert run("in.arrow", "-o", "out.arrow").returncode == 0


@pytest.mark.parametrize("options", [(), ("--resume",)])
def test_a_column_that_parquet_has_no_type_for_is_named(run: Run, tmp_path: Path, options: tuple[str, ...]) -> None:
    write_arrow(
        tmp_path / "in.arrow", pa.table({"raw": [REPLY], "more": pa.array([(1, 2, 3)], pa.month_day_nano_interval())})
    )

    done = run("in.arrow", "-o", "out.parquet", *options)

    assert refused(done, "can't be written in this format; write .arrow", tmp_path / "out.parquet")
    assert run("in.arrow", "-o", "out.arrow", *options).returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {"in.arrow", "out.arrow"}


def test_a_string_in_json_is_the_same_string_in_csv(run: Run, tmp_path: Path) -> None:
    cells = {"raw": REPLY, "price": decimal.Decimal("1.50"), "on": dt.date(2026, 5, 4), "for": dt.timedelta(seconds=1)}
    pq.write_table(pa.Table.from_pylist([cells]), tmp_path / "in.parquet")

    for output in ("out.jsonl", "out.csv"):
        run("in.parquet", "-o", output, "--columns", "value")

    row = lines_of(tmp_path / "out.jsonl")[0]
    assert [row[name] for name in ("price", "on", "for")] == ["1.50", "2026-05-04", "0:00:01"]
    assert (tmp_path / "out.csv").read_text().splitlines()[1] == f"{REPLY},1.50,2026-05-04,0:00:01,8.0"


@pytest.mark.parametrize(
    ("value", "says"),
    [("9" * 5000, "line 2: a number has too many digits"), ("[" * 900 + "]" * 900, "line 2: nested too deeply")],
    ids=["digits", "nesting"],
)
def test_a_value_that_no_column_type_can_hold_is_named_by_line(
    run: Run, tmp_path: Path, write: Write, value: str, says: str
) -> None:
    write("in.jsonl", f'{LINE}{{"raw": "{REPLY}", "n": {value}}}\n')

    assert refused(run("in.jsonl", "-o", "out.parquet"), f"{says} for a column; write .jsonl", tmp_path / "out.parquet")
    assert run("in.jsonl", "-o", "out.jsonl").returncode == 0
    assert value in (tmp_path / "out.jsonl").read_text()


def test_parquet_is_not_nested_more_deeply_than_it_can_be_read(run: Run, tmp_path: Path, write: Write) -> None:
    deep = '{"a": ' * 200 + "1" + "}" * 200
    write("in.jsonl", f'{{"raw": "{REPLY}", "n": {deep}}}\n')

    assert run("in.jsonl", "-o", "out.parquet").returncode == 0
    assert pq.read_table(tmp_path / "out.parquet")["n"].to_pylist() == [deep]


def test_out_of_bounds_offsets_in_an_arrow_file_fail_with_one_line(run: Run, tmp_path: Path) -> None:
    write_arrow(tmp_path / "in.arrow", pa.table({"raw": [REPLY] * 100}))
    content = (tmp_path / "in.arrow").read_bytes()
    known = (len(REPLY) * 50).to_bytes(4, "little") + (len(REPLY) * 51).to_bytes(4, "little")
    assert content.count(known) == 1
    (tmp_path / "in.arrow").write_bytes(content.replace(known, b"\xff\xff\xff\x6f" * 2))

    for output in ("out.jsonl", "out.parquet", "out.csv"):
        assert refused(run("in.arrow", "-o", output), "in.arrow: can't be read: ", tmp_path / output)


# Text


@pytest.mark.parametrize("output", ["out.jsonl", "out.csv", "out.parquet", "out.arrow"])
def test_a_table_of_rejects_alone_is_written_without_rows(run: Run, tmp_path: Path, write: Write, output: str) -> None:
    write("in.jsonl", "no row\nnor this\n")

    done = run("in.jsonl", "-o", output, "--rejects", "bad.jsonl")

    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    assert [one["raw"] for one in lines_of(tmp_path / "bad.jsonl")] == ["no row", "nor this"]
    assert run(output, "--column", "value").returncode in (0, 2)


def test_empty_lines_above_a_header_are_passed_over(run: Run, tmp_path: Path, write: Write) -> None:
    write("in.csv", f'\r\n\n"id",raw\n1,{REPLY}\n2\n')

    done = run("in.csv", "-o", "out.csv", "--columns", "value", "--rejects", "bad.jsonl")

    assert done.returncode == 3
    assert (tmp_path / "out.csv").read_text().splitlines() == ["id,raw,value", f"1,{REPLY},8.0"]
    assert [one["line"] for one in lines_of(tmp_path / "bad.jsonl")] == [5]


def test_a_line_that_is_too_long_is_one_reject_of_every_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], write: Write
) -> None:
    monkeypatch.chdir(tmp_path)
    write("in.jsonl", '{"response": "a"}\n{"response": "' + "é" * 2_000_000 + '"}\n{"response": "b"}\n')
    write("s.yaml", "type: KeywordRefusalScorer\n")

    with pytest.raises(SystemExit) as left:
        main(["score", "in.jsonl", "--scorer", "s.yaml", "--max-record-bytes", "1M", "-o", "out.jsonl", "--json"])

    said = capsys.readouterr()
    counts = json.loads(said.out)
    assert left.value.code == 3
    assert [counts[name] for name in ("rows_in", "rows", "rejected")] == [3, 2, 1]
    assert said.err.count("; skipped") == 1
    assert [row["response"] for row in lines_of(tmp_path / "out.jsonl")] == ["a", "b"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-be"])
@pytest.mark.parametrize("output", ["out.jsonl", "out.parquet"])
def test_the_parts_of_a_line_that_is_too_long_are_the_line(
    run: Run, tmp_path: Path, write: Write, encoding: str, output: str
) -> None:
    line, end = LINE.encode(encoding), "\n".encode(encoding)
    long = ('{"raw": "a' + "é日" * 700_000).encode(encoding) + b"\xdc\x81" + '"}'.encode(encoding)
    write("in.jsonl", line + long + end + line)

    run("in.jsonl", "--encoding", encoding, "--max-record-bytes", "1M", "--rejects", "bad.jsonl", "-o", output)

    kept = lines_of(tmp_path / "bad.jsonl")
    parts = [b64decode(one["raw_base64"]) if "raw_base64" in one else one["raw"].encode(encoding) for one in kept]
    assert [one.get("goes_on", False) for one in kept] == [False, *[True] * (len(kept) - 1)]
    assert b"".join(parts) == long


def test_json_lines_in_a_file_of_json_are_told_how_they_are_read(run: Run, tmp_path: Path, write: Write) -> None:
    write("in.json", LINE * 2)

    done = run("in.json", "-o", "out.jsonl")

    assert refused(done, "for JSON lines use --input-format jsonl", tmp_path / "out.jsonl")
    assert run("in.json", "--input-format", "jsonl").returncode == 0


@pytest.mark.parametrize("encoding", ["undefined", "idna", "punycode", "hex"])
def test_an_encoding_that_no_table_has_is_refused(run: Run, tmp_path: Path, write: Write, encoding: str) -> None:
    write("in.jsonl", LINE)

    done = run("in.jsonl", "--encoding", encoding, "-o", "out.jsonl")

    assert refused(done, f"unknown encoding '{encoding}'", tmp_path / "out.jsonl")


def test_a_record_may_have_any_number_of_bytes(run: Run, write: Write) -> None:
    write("in.jsonl", LINE)

    assert run("in.jsonl", "--max-record-bytes", "9" * 30).returncode == 0


# Files


@pytest.mark.parametrize("output", ["/dev/stdout", "-"])
def test_a_suggested_output_name_is_a_plain_file(judgecore: Program, write: Write, output: str) -> None:
    table = write("in.jsonl", LINE)

    with table.open("ab") as out:
        done = subprocess.run(
            [judgecore.path, "parse", "in.jsonl", *SINGLE, "-o", output],
            stdout=out,
            stderr=subprocess.PIPE,
            cwd=judgecore.folder,
            check=False,
        )

    assert done.returncode == 2
    assert done.stderr.decode().endswith("is the input itself; write -o readings.jsonl\n")
    assert table.read_text() == LINE


def test_a_pipe_is_never_read_and_written(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    done = run("pipe", "--input-format", "jsonl", "-o", "pipe")

    assert done.returncode == 2
    assert "-o pipe is the input itself; write -o readings.jsonl" in done.stderr


@pytest.mark.parametrize(
    ("named", "says"),
    [
        (("-o", "out.parquet.gz"), "Parquet and Arrow IPC files can't be compressed; write out.parquet"),
        (("-o", "out.arrow.zst"), "Parquet and Arrow IPC files can't be compressed; write out.arrow"),
        (("--rejects", "bad.csv"), "rejects are written as JSON lines; use --rejects bad.jsonl"),
        (("--rejects", "bad.parquet"), "rejects are written as JSON lines; use --rejects bad.jsonl"),
    ],
)
def test_an_output_extension_that_does_not_match_its_content_is_refused(
    run: Run, tmp_path: Path, write: Write, named: tuple[str, str], says: str
) -> None:
    write("in.jsonl", LINE)

    assert refused(run("in.jsonl", *named), says, tmp_path / named[1])


def test_a_log_is_never_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.json").write_text("{}")
    (tmp_path / "log.jsonl").hardlink_to(tmp_path / "log.json")

    with pytest.raises(SystemExit) as left:
        main(["convert", "inspect", "log.json", "-o", "log.jsonl"])

    assert left.value.code == 2
    assert "-o log.jsonl is the input itself; write -o log-readings.jsonl" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["parse - --format mt_bench.single", "detect -", "dataset validate -"])
def test_a_closed_standard_input_is_reported_as_unreadable(judgecore: Program, command: str) -> None:
    shell = f"{judgecore.path} {command} <&-"

    done = subprocess.run(["/bin/sh", "-c", shell], capture_output=True, text=True, cwd=judgecore.folder, check=False)

    assert done.returncode == 2
    assert "standard input" in done.stdout + done.stderr
    assert "Bad file descriptor" in done.stdout + done.stderr
    assert "standard output" not in done.stdout + done.stderr


def test_a_full_standard_error_is_status_2_and_a_full_output_is_named(judgecore: Program, write: Write) -> None:
    write("in.jsonl", LINE)
    command = f"{judgecore.path} parse in.jsonl --format mt_bench.single"

    silent = subprocess.run(["/bin/sh", "-c", f"{command} 2>/dev/full"], cwd=judgecore.folder, check=False)
    full = subprocess.run(
        ["/bin/sh", "-c", f"{command} >/dev/full"], capture_output=True, text=True, cwd=judgecore.folder, check=False
    )

    assert (silent.returncode, full.returncode) == (2, 2)
    assert full.stderr.splitlines()[-1] == "Error: standard output: No space left on device"


def test_an_interruption_at_any_point_is_status_130() -> None:
    # Whoever runs made code, as data classes do when they are made, is told so by the interpreter at its very end.
    program = (
        "import judgecore.cli, judgecore.__main__, sys\n"
        "def run():\n"
        "    try:\n"
        "        exec('raise KeyboardInterrupt')\n"
        "    except KeyboardInterrupt:\n"
        "        sys.exit(130)\n"
        "judgecore.cli.main = run\n"
        "judgecore.__main__.main()\n"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (130, b"")


def test_the_narrowest_terminal_shows_a_sample(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("in.jsonl", LINE)
    monkeypatch.setenv("COLUMNS", "1")

    assert run("in.jsonl", "--sample", "1").returncode == 0
