"""``judgecore parse`` on Parquet, Arrow IPC and compressed tables."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Program

SINGLE = ("--format", "mt_bench.single")
REPLIES = ["Rating: [[8]]", "no idea", None, "é Rating: [[2.5]]", "Rating: [[11]]"] * 200
ADDED = ("value", "status", "reason", "detail", "rule", "evidence", "start", "end")


@pytest.fixture
def judgecore(in_steps: Program) -> Program:
    """The installed program, whose steps are smaller than the tables here."""
    return in_steps


def table(**columns: Any) -> Any:
    """A table of 1,000 replies, beside columns of their own."""
    own = {
        "id": list(range(len(REPLIES))),
        "reply": REPLIES,
        "judge": pa.array(["a", "b", "a", None, "b"] * 200).dictionary_encode(),
        "at": [datetime(2026, 1, 2, 3, 4, 5)] * len(REPLIES),  # noqa: DTZ001 - a table's times need no zone
        "tags": [["x"], [], None, ["y", "z"], ["é"]] * 200,
    }
    return pa.table({**own, **columns})


def write_parquet(path: Path, rows: Any) -> None:
    pq.write_table(rows, path, row_group_size=350)


def write_file(path: Path, rows: Any) -> None:
    with pa.ipc.new_file(path, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=350)


def write_stream(path: Path, rows: Any) -> None:
    with pa.ipc.new_stream(path, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=350)


WRITERS: dict[str, Callable[[Path, Any], None]] = {
    "parquet": write_parquet,
    "pq": write_parquet,
    "arrow": write_file,
    "feather": write_file,
    "arrows": write_stream,
}


def read(path: Path) -> list[dict[str, Any]]:
    if path.suffix in (".parquet", ".pq"):
        return pq.read_table(path).to_pylist()
    if path.suffix == ".arrows":
        return pa.ipc.open_stream(path).read_all().to_pylist()
    return pa.ipc.open_file(path).read_all().to_pylist()


@cache
def outcomes() -> list[dict[str, Any]]:
    """The columns that are added to the table, row by row."""
    readings = jc.parse_many(REPLIES, "mt_bench.single")
    told = [{name: getattr(one, name, None) for name in ("detail", "evidence")} for one in readings]
    rows = [row | more for row, more in zip(pa.table(readings).to_pylist(), told, strict=True)]
    return [{name: row[name] for name in ADDED} for row in rows]


@pytest.mark.parametrize("output", ["out.parquet", "out.arrow", "out.arrows"])
@pytest.mark.parametrize("suffix", WRITERS)
def test_columns_stay_as_they_are_and_eight_are_added(judgecore: Program, suffix: str, output: str) -> None:
    rows = table()
    WRITERS[suffix](judgecore.folder / f"replies.{suffix}", rows)

    done = judgecore("parse", f"replies.{suffix}", *SINGLE, "-o", output)

    # A busy machine tells more than once how far it has come.
    said = [line for line in done.stderr.splitlines() if not line.startswith(f"reading replies.{suffix}")]
    assert (done.returncode, said) == (0, [])
    want = [{**row, **outcome} for row, outcome in zip(rows.to_pylist(), outcomes(), strict=True)]
    assert want == read(judgecore.folder / output)


def test_types_are_kept_in_parquet(judgecore: Program) -> None:
    rows = table()
    write_parquet(judgecore.folder / "replies.parquet", rows)

    judgecore("parse", "replies.parquet", *SINGLE, "-o", "out.parquet")

    got = pq.read_schema(judgecore.folder / "out.parquet")
    assert rows.schema == pa.schema(list(got)[:5])
    readings = pa.table(jc.parse_many([], "mt_bench.single")).schema
    texts = {name: pa.field(name, pa.string()) for name in ("detail", "evidence")}
    assert [texts.get(name) or readings.field(name) for name in ADDED] == list(got)[5:]


@pytest.mark.parametrize("suffix", WRITERS)
def test_columns_become_rows_of_text(judgecore: Program, suffix: str) -> None:
    WRITERS[suffix](judgecore.folder / f"replies.{suffix}", table())

    to_jsonl = judgecore("parse", f"replies.{suffix}", *SINGLE, "-o", "-")
    to_csv = judgecore("parse", f"replies.{suffix}", *SINGLE, "-o", "out.csv")

    assert (to_jsonl.returncode, to_csv.returncode) == (0, 0)
    got = [json.loads(line) for line in to_jsonl.stdout.splitlines()]
    assert outcomes() == [{name: row[name] for name in ADDED} for row in got]
    assert {"id": 3, "at": "2026-01-02T03:04:05", "tags": ["y", "z"], "judge": None}.items() <= got[3].items()
    lines = (judgecore.folder / "out.csv").read_bytes().decode().split("\r\n")
    assert lines[0] == "id,reply,judge,at,tags,value,status,reason,detail,rule,evidence,start,end"
    assert lines[1] == '0,Rating: [[8]],a,2026-01-02T03:04:05,"[""x""]",8.0,ok,,,marker,Rating: [[8]],0,13'
    assert len(lines) == 1_002


def test_a_column_of_bytes_cant_be_written_as_text(judgecore: Program) -> None:
    write_parquet(judgecore.folder / "a.parquet", pa.table({"reply": ["8"], "image": [b"\xff"]}))

    for output in ("out.jsonl", "out.csv"):
        done = judgecore("parse", "a.parquet", *SINGLE, "-o", output)

        assert done.returncode == 2
        assert "bytes" in done.stderr
        assert "write .parquet" in done.stderr
        assert not (judgecore.folder / output).exists()
    assert judgecore("parse", "a.parquet", *SINGLE, "-o", "out.parquet").returncode == 0


ROWS = [{"id": nth, "reply": reply, "note": None} for nth, reply in enumerate(REPLIES)]


def jsonl(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize("output", ["out.parquet", "out.arrow", "out.arrows"])
def test_rows_become_columns(judgecore: Program, output: str) -> None:
    done = judgecore("parse", "-", *SINGLE, "-o", output, text=jsonl(ROWS))

    assert done.returncode == 0, done.stderr
    assert [{**row, **outcome} for row, outcome in zip(ROWS, outcomes(), strict=True)] == read(
        judgecore.folder / output
    )


def test_numbers_and_lists_of_json_lines_keep_their_types(judgecore: Program) -> None:
    row = {"reply": "8", "id": 2**62 + 1, "share": 0.5, "yes": True, "tags": ["a"], "more": {"x": 1}}

    judgecore("parse", "-", *SINGLE, "-o", "out.parquet", text=jsonl([row]))

    assert row.items() <= read(judgecore.folder / "out.parquet")[0].items()


def test_csv_becomes_columns_of_text(judgecore: Program) -> None:
    done = judgecore(
        "parse", "-", *SINGLE, "--input-format", "csv", "-o", "out.parquet", text="id,reply\n1,[[8]]\n2,\n"
    )

    assert done.returncode == 0, done.stderr
    rows = read(judgecore.folder / "out.parquet")
    assert [(row["id"], row["reply"], row["value"]) for row in rows] == [("1", "[[8]]", 8.0), ("2", "", None)]


@pytest.mark.parametrize("text", [b"", b"\n"])
def test_no_rows_become_a_table_without_rows(judgecore: Program, text: bytes) -> None:
    done = judgecore("parse", "-", *SINGLE, "-o", "out.parquet", text=text)

    assert done.returncode == 0, done.stderr
    assert list(ADDED) == pq.read_schema(judgecore.folder / "out.parquet").names


@pytest.mark.parametrize(
    ("last", "says"),
    [
        ({"id": "x"}, "line 1001: column 'id' is not of type int64, as in the first rows; write .jsonl"),
        ({"id": 10**30}, "line 1001: column 'id' is not of type int64"),
        ({"new": 1}, "line 1001: column 'new' is not in the first rows; write .jsonl, where columns may differ"),
        ({"value": 1}, "line 1001: column 'value' is not in the first rows"),
    ],
)
def test_a_row_unlike_the_first_is_named(judgecore: Program, last: dict[str, Any], says: str) -> None:
    done = judgecore("parse", "-", *SINGLE, "-o", "out.parquet", text=jsonl([*ROWS, last]))

    assert done.returncode == 2
    assert says in done.stderr
    assert not (judgecore.folder / "out.parquet").exists()


def test_a_column_of_two_types_is_named(judgecore: Program) -> None:
    done = judgecore("parse", "-", *SINGLE, "-o", "out.parquet", text=jsonl([{"reply": "8", "a": 1}, {"a": "x"}]))

    assert done.returncode == 2
    assert "column 'a' has values of different types" in done.stderr


VALUES: list[tuple[tuple[str, ...], str, Any]] = [
    (("--format", "harmbench"), "Yes", True),
    (("--format", "mt_bench.pair"), "[[A]]", "A"),
    (("--format", "judgelm"), "8 7", [8.0, 7.0]),
    (("--json-keys", "a"), '{"a": "é", "b": [1]}', '{"a":"é","b":[1]}'),
]


@pytest.mark.parametrize(("options", "reply", "value"), VALUES)
def test_values_of_every_kind_have_their_column(
    judgecore: Program, options: tuple[str, ...], reply: str, value: Any
) -> None:
    write_parquet(judgecore.folder / "a.parquet", pa.table({"reply": [reply, None]}))

    done = judgecore("parse", "a.parquet", *options, "-o", "out.parquet")

    assert done.returncode == 0, done.stderr
    assert [value, None] == [row["value"] for row in read(judgecore.folder / "out.parquet")]


def test_a_guards_column_is_a_struct(judgecore: Program) -> None:
    write_parquet(judgecore.folder / "a.parquet", pa.table({"reply": ["unsafe\nS1,S77", "safe"]}))

    judgecore("parse", "a.parquet", "--format", "llama_guard.3", "-o", "out.parquet")

    first, second = (row["value"] for row in read(judgecore.folder / "out.parquet"))
    assert (
        first["unsafe"],
        first["categories"],
        first["fields"],
    ) == (True, ["S1", "S77"], '{"unknown_categories":["S77"]}')
    assert (second["unsafe"], second["categories"]) == (False, [])


# What is read


def summary_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_replies_are_text_of_any_type(judgecore: Program, kind: Any) -> None:
    write_file(judgecore.folder / "a.arrow", pa.table({"reply": pa.array(REPLIES).cast(kind)}))

    done = judgecore("parse", "a.arrow", *SINGLE, "--json")

    assert jc.parse_many(REPLIES, "mt_bench.single").counts() == summary_of(done)["counts"]


def test_unreadable_replies_are_named_by_row(judgecore: Program) -> None:
    write_parquet(judgecore.folder / "a.parquet", table())

    shown = judgecore("parse", "a.parquet", *SINGLE)
    told = judgecore("parse", "a.parquet", *SINGLE, "--json")

    assert "row 2  no_verdict" in shown.stdout
    assert "row 3  missing" in shown.stdout
    samples = summary_of(told)["samples"]
    assert [sample["row"] for sample in samples] == [2, 3, 5, 7, 8]
    assert samples[0]["reply"] == "no idea"


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("a.parquet", pa.string()),
        ("a.arrow", pa.string()),
        ("a.arrow", pa.large_string()),
        ("a.arrow", pa.string_view()),
        ("a.arrow", pa.dictionary(pa.int8(), pa.string())),
    ],
)
def test_a_text_that_is_not_utf8_is_one_malformed_row(judgecore: Program, file: str, kind: Any) -> None:
    replies = [b"Rating: [[8]]", b"\xff Rating: [[7]]"]
    if pa.types.is_dictionary(kind):
        values = pa.array(replies, pa.binary()).view(kind.value_type)
        texts = pa.DictionaryArray.from_arrays(pa.array([0, 1], kind.index_type), values)
    else:
        as_bytes = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
        texts = pa.array(replies, as_bytes[kind]).view(kind)
    beside = pa.StructArray.from_arrays([pa.array(replies, pa.binary()).view(pa.string())], ["shown"])
    shown = pa.table({"reply": texts, "beside": beside})
    if file == "a.parquet":
        write_parquet(judgecore.folder / file, shown)
    else:
        with pa.ipc.new_file(judgecore.folder / file, shown.schema) as sink:
            sink.write_table(shown)

    done = judgecore("parse", file, *SINGLE, "--json")

    summary = summary_of(done)
    assert summary["counts"] == {"ok": 1, "malformed": 1}
    assert {
        "row": 2,
        "reason": "malformed",
        "detail": "byte 0 is not UTF-8",
        "reply": "\ufffd Rating: [[7]]",
    } in summary["samples"]


@pytest.mark.parametrize(
    "cut",
    [
        pa.array([True, False, None]),
        pa.array(["length", "stop", None]),
        pa.array([" MAX_TOKENS", "", "end"]).dictionary_encode(),
        pa.array([1, 0, None], pa.int8()),
        pa.array(["true", "false", "no"], pa.large_string()),
    ],
)
def test_a_column_says_which_replies_are_cut_off(judgecore: Program, cut: Any) -> None:
    write_parquet(judgecore.folder / "a.parquet", pa.table({"reply": ["Rating: 1"] * 3, "cut": cut}))

    done = judgecore("parse", "a.parquet", "--format", "lmms_eval.score", "--cut", "cut", "--json")

    assert summary_of(done)["counts"] == {"ok": 2, "truncated": 1}


@pytest.mark.parametrize(
    ("columns", "options", "says"),
    [
        ({"reply": [1]}, (), "column 'reply' holds int64; a reply must be a string"),
        ({"reply": [["8"]]}, (), "column 'reply' holds list<"),
        ({"id": [1], "judgment": ["8"]}, (), "no column 'raw' or 'reply'; the columns are 'id', 'judgment'"),
        ({"reply": ["8"]}, ("--column", "replies"), "did you mean --column reply?"),
        ({"reply": ["8"], "cut": [0.5]}, ("--cut", "cut"), "column 'cut' holds double; it must hold true, false"),
        ({"reply": ["8"], "cut": [2]}, ("--cut", "cut"), "column 'cut' holds int64; it must hold true, false"),
        ({"reply": ["8"], "value": [1]}, (), "the table already has 'value'; rename the added columns"),
        ({}, (), "the table has no columns"),
    ],
)
def test_a_table_that_does_not_fit_is_named_with_the_cure(
    judgecore: Program, columns: dict[str, Any], options: tuple[str, ...], says: str
) -> None:
    write_file(judgecore.folder / "a.arrow", pa.table(columns))

    done = judgecore("parse", "a.arrow", *SINGLE, *options, "-o", "out.parquet")

    assert done.returncode == 2
    assert "a.arrow: " in done.stderr
    assert says in done.stderr
    assert [path.name for path in judgecore.folder.iterdir()] == ["a.arrow"]


def test_a_prefix_avoids_name_collisions(judgecore: Program) -> None:
    write_parquet(judgecore.folder / "a.parquet", pa.table({"reply": ["8"], "value": [1]}))

    judgecore("parse", "a.parquet", *SINGLE, "--prefix", "jc_", "-o", "out.parquet")

    assert {"value": 1, "jc_value": 8.0}.items() <= read(judgecore.folder / "out.parquet")[0].items()


@pytest.mark.parametrize(
    ("name", "content"), [("a.parquet", b"PAR1 nonsense"), ("a.arrow", b"ARROW1\0\0"), ("b.arrow", b"x")]
)
def test_a_damaged_file_is_named(judgecore: Program, name: str, content: bytes) -> None:
    (judgecore.folder / name).write_bytes(content)

    done = judgecore("parse", name, *SINGLE, "-o", "out.parquet")

    assert done.returncode == 2
    assert f"Error: {name}: can't be read: " in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (judgecore.folder / "out.parquet").exists()


def test_a_file_that_is_damaged_inside_leaves_no_output(judgecore: Program) -> None:
    path = judgecore.folder / "a.parquet"
    write_parquet(path, table())
    whole = bytearray(path.read_bytes())
    whole[4:2000] = bytes(1996)
    path.write_bytes(whole)

    done = judgecore("parse", "a.parquet", *SINGLE, "-o", "out.parquet")

    assert done.returncode == 2
    assert "can't be read" in done.stderr
    assert [path.name for path in judgecore.folder.iterdir()] == ["a.parquet"]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_columns_are_not_read_from_a_pipe(judgecore: Program, kind: str) -> None:
    done = judgecore("parse", "-", *SINGLE, "--input-format", kind, text=b"PAR1")

    assert done.returncode == 2
    assert "can't be read from standard input; name the file" in done.stderr


@pytest.mark.parametrize(
    ("file", "output", "what"),
    [
        ("a.parquet", None, "a table of Parquet"),
        ("a.arrow", None, "a table of Arrow IPC"),
        ("a.jsonl", "out.parquet", "a table of Parquet or Arrow IPC"),
        ("a.jsonl", "out.jsonl.zst", "a table that is compressed with zstd"),
        ("a.jsonl.zst", None, "a table that is compressed with zstd"),
    ],
)
def test_without_pyarrow_the_extra_is_named(judgecore: Program, file: str, output: str | None, what: str) -> None:
    hidden = judgecore.folder / "hidden"
    hidden.mkdir()
    (hidden / "pyarrow.py").write_text("raise ModuleNotFoundError('No module named pyarrow')")
    (judgecore.folder / file).write_bytes(b"\x28\xb5\x2f\xfd" if file.endswith("zst") else b'{"reply": "8"}\n')

    done = judgecore("parse", file, *SINGLE, *(["-o", output] if output else []), PYTHONPATH=str(hidden))

    assert done.returncode == 2
    assert f"{what} needs pyarrow: pip install 'judgecore[arrow]'" in done.stderr
    assert not output or not (judgecore.folder / output).exists()


# Compression


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


def unzstd(data: bytes) -> bytes:
    return pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()


TEXT = jsonl(ROWS[:5])
PACKERS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "zst": zstd}
UNPACKERS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.decompress, "zst": unzstd}


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_compressed_table_is_read_like_the_table(judgecore: Program, suffix: str) -> None:
    want = judgecore("parse", "-", *SINGLE, "-o", "-", text=TEXT).stdout
    packed = PACKERS[suffix](TEXT)
    named, unnamed = judgecore.folder / f"a.jsonl.{suffix}", judgecore.folder / "a.jsonl"
    named.write_bytes(packed)
    unnamed.write_bytes(packed[:0] + PACKERS[suffix](TEXT[:100]) + PACKERS[suffix](TEXT[100:]))

    from_name, from_bytes = (judgecore("parse", file, *SINGLE, "-o", "-").stdout for file in (named, unnamed))
    piped = judgecore("parse", "-", *SINGLE, "-o", "-", text=packed).stdout

    assert want == from_name == from_bytes == piped


@pytest.mark.parametrize("suffix", PACKERS)
def test_an_output_is_compressed_as_its_name_says(judgecore: Program, suffix: str) -> None:
    want = judgecore("parse", "-", *SINGLE, "-o", "-", text=TEXT).stdout

    for _ in range(2):
        done = judgecore("parse", "-", *SINGLE, "-o", f"out.jsonl.{suffix}", text=TEXT)

        assert done.returncode == 0, done.stderr
        assert want.encode() == UNPACKERS[suffix]((judgecore.folder / f"out.jsonl.{suffix}").read_bytes())


def test_csv_is_compressed_too(judgecore: Program) -> None:
    (judgecore.folder / "a.csv.gz").write_bytes(gzip.compress(b"reply\n[[8]]\n"))

    judgecore("parse", "a.csv.gz", *SINGLE, "-o", "out.csv.zst")

    text = unzstd((judgecore.folder / "out.csv.zst").read_bytes())
    assert text == b"reply,value,status,reason,detail,rule,evidence,start,end\r\n[[8]],8.0,ok,,,whole,8,2,3\r\n"


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_compressed_table_that_is_torn_leaves_no_output(judgecore: Program, suffix: str) -> None:
    file = judgecore.folder / f"a.jsonl.{suffix}"
    file.write_bytes(PACKERS[suffix](jsonl(ROWS))[:-20])

    done = judgecore("parse", file.name, *SINGLE, "-o", "out.jsonl")

    assert done.returncode == 2
    assert f"Error: {file.name}: can't be read: " in done.stderr
    assert [file.name] == [path.name for path in judgecore.folder.iterdir()]


# Large tables


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_memory_does_not_grow_with_the_file(judgecore: Program, suffix: str) -> None:
    # Different texts, because text that compresses to nothing would not show what is held.
    rows = pa.table({"reply": [f"{nth:x}" * 250 + " Rating: [[8]]" for nth in range(10_000, 12_000)]})
    judgecore.is_in_steps = False
    peaks_kb: list[int] = []
    # Both are larger than what the pieces under way take together, which is what a smaller file would measure.
    for times in (60, 180):
        path = judgecore.folder / f"a.{suffix}"
        with (
            pq.ParquetWriter(path, rows.schema) if suffix == "parquet" else pa.ipc.new_file(path, rows.schema) as writer
        ):
            for _ in range(times):
                writer.write_table(rows)

        assert judgecore("parse", path.name, *SINGLE, "-o", f"out.{suffix}").returncode == 0
        peaks_kb.append(judgecore.peak_kb)

    grown_kb = 120 * rows.nbytes / 1024
    assert grown_kb > 200_000
    assert peaks_kb[1] - peaks_kb[0] < grown_kb / 2


def test_a_repeated_text_is_not_kept_a_million_times(judgecore: Program) -> None:
    prompt = "You are a fair judge. " * 2000
    coded = pa.DictionaryArray.from_arrays(pa.array([0] * 5000, pa.int8()), [prompt])
    rows = pa.table({"prompt": coded, "reply": ["Rating: [[8]]"] * 5000})
    # Without a word of the dictionary, so that it is read as 220 MB of text.
    pq.write_table(rows, judgecore.folder / "a.parquet", store_schema=False)

    judgecore("parse", "a.parquet", *SINGLE, "--column", "prompt", "-o", "/dev/null")

    taken_kb = judgecore.peak_kb
    judgecore("--version")
    assert taken_kb - judgecore.peak_kb < 150_000


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("output", ["out.jsonl", "out.jsonl.gz", "out.parquet"])
def test_a_killed_run_leaves_no_output(judgecore: Program, output: str, *, is_there: bool) -> None:
    path = judgecore.folder / output
    if is_there:
        path.write_bytes(b"from before")
    command = [judgecore.path, "parse", "-", *SINGLE, "-o", output]
    with subprocess.Popen(
        command, cwd=judgecore.folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        # More than a pipe holds, so that most of it has been read, and no end.
        process.stdin.write(jsonl(ROWS * 20))
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        process.stdin.close()

    assert ([b"from before"] if is_there else []) == [
        path.read_bytes() for path in judgecore.folder.iterdir() if not path.name.endswith(".part")
    ]


def test_the_rate_counts_bytes_of_the_file(judgecore: Program) -> None:
    write_parquet(judgecore.folder / "a.parquet", table())

    done = judgecore("parse", "a.parquet", *SINGLE)

    assert "1,000 rows, " in done.stdout
    assert " MB/s" in done.stdout
