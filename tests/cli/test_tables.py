"""Every kind of table gives the same readings, and every row is accounted for, whatever was done to the file."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import random
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Program

    Write = Callable[[str, str | bytes], Path]

SINGLE = ("--format", "mt_bench.single")
ALL = "value,status,reason,detail,rule,evidence,start,end"
REPLIES = [
    "Rating: [[8]]",
    "no idea",
    'It says "so", twice.\nRating: [[3.5]]',
    "größer, [[9]] 日本",
    "",
    "[[1]], [[2]]",
]


def rows_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def measured(judgecore: Program, *arguments: str) -> tuple[dict[str, Any], int]:
    """The summary of a run, and by how many kilobytes it took more memory than a run that does nothing."""
    judgecore("--version")
    least_kb = judgecore.peak_kb
    done = judgecore("parse", *arguments, *SINGLE, "--json")
    return json.loads(done.stdout), judgecore.peak_kb - least_kb


def csv_text(replies: list[str], delimiter: str = ",") -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(["id", "raw"])
    writer.writerows(enumerate(replies))
    return text.getvalue()


def table_of(kind: str, replies: list[str]) -> bytes:
    objects = [{"id": nth, "raw": reply} for nth, reply in enumerate(replies)]
    lines = "".join(json.dumps(one) + "\n" for one in objects).encode()
    return {
        "jsonl": lines,
        "json": json.dumps(objects, indent=2).encode(),
        "csv": csv_text(replies).encode(),
        "tsv": csv_text(replies, "\t").encode(),
        "semicolons.csv": csv_text(replies, ";").encode(),
        "bom.csv": b"\xef\xbb\xbf" + csv_text(replies).encode(),
        "utf16.csv": csv_text(replies).encode("utf-16"),
        "utf16.jsonl": "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects).encode("utf-16-le"),
        "jsonl.gz": gzip.compress(lines),
    }[kind]


@pytest.mark.parametrize(
    "kind", ["jsonl", "json", "csv", "tsv", "semicolons.csv", "bom.csv", "utf16.csv", "utf16.jsonl", "jsonl.gz"]
)
def test_the_same_replies_give_the_same_readings_in_every_kind_of_table(
    judgecore: Program, write: Write, kind: str
) -> None:
    write(f"replies.{kind}", table_of(kind, REPLIES))

    done = judgecore("parse", f"replies.{kind}", *SINGLE, "-o", "out.jsonl")

    got = rows_of((judgecore.folder / "out.jsonl").read_text("utf-8"))
    want = [jc.parse(reply, "mt_bench.single") for reply in REPLIES]
    assert done.returncode == 0, done.stderr
    assert [row["raw"] for row in got] == REPLIES
    assert [(row["value"], row["evidence"]) for row in got] == [
        (one.value, one.evidence) if isinstance(one, jc.Reading) else (None, None) for one in want
    ]
    assert [(row["start"], row["end"]) for row in got] == [
        one.span if isinstance(one, jc.Reading) else (None, None) for one in want
    ]
    assert [row["detail"] for row in got] == [getattr(one, "detail", None) for one in want]


def test_windows_1252_is_read_where_no_letter_is_utf_8(judgecore: Program, write: Write) -> None:
    write("old.csv", "id,raw\n1,Größe “so” [[8]]\n".encode("cp1252"))

    judgecore("parse", "old.csv", *SINGLE, "-o", "out.csv")

    assert "Größe “so” [[8]]" in (judgecore.folder / "out.csv").read_text("utf-8")


@pytest.mark.parametrize("text", ["\x9b [[8]]", "ÿ\xa0 [[8]]", "日 [[8]]", "é"])
def test_utf_8_is_never_read_as_windows_1252(judgecore: Program, write: Write, text: str) -> None:
    write("replies.csv", f"raw\n{text}\n".encode())

    judgecore("parse", "replies.csv", *SINGLE, "-o", "out.jsonl")

    assert [row["raw"] for row in rows_of((judgecore.folder / "out.jsonl").read_text("utf-8"))] == [text]


def test_an_encoding_option_is_used_and_must_be_known(judgecore: Program, write: Write) -> None:
    write("replies.csv", "raw\nÄ [[8]]\n".encode("mac-roman"))

    said = judgecore("parse", "replies.csv", *SINGLE, "--encoding", "mac-roman", "-o", "-")
    unknown = judgecore("parse", "replies.csv", *SINGLE, "--encoding", "utf-9")
    wrong = judgecore("parse", "replies.csv", *SINGLE, "--encoding", "ascii-8")

    assert "Ä [[8]]" in said.stdout
    assert (unknown.returncode, wrong.returncode) == (2, 2)
    assert "unknown encoding 'utf-9'" in unknown.stderr


def test_a_json_line_is_copied_byte_by_byte(judgecore: Program, write: Write) -> None:
    rows = [
        '{"a":1.50,"raw":"[[8]]","b" : [1, {"c":null}] , "n": 123456789012345678901234567890}',
        '  {"raw": "\\u00e4\\ud83d [[7]]", "x": "\\/", "x": NaN }\t',
        '{"raw":"[[6]]"}\r',
    ]
    write("replies.jsonl", "\n".join(rows))

    judgecore("parse", "replies.jsonl", *SINGLE, "-o", "out.jsonl", "--columns", "value")

    lines = (judgecore.folder / "out.jsonl").read_text("utf-8").splitlines()
    assert [line.rpartition(', "value"')[0] for line in lines] == [row.strip()[:-1].rstrip() for row in rows]
    assert [line.rpartition(": ")[2] for line in lines] == ["8.0}", "7.0}", "6.0}"]


def test_columns_are_found_by_path_and_several_are_read(judgecore: Program, write: Write) -> None:
    write("logs.jsonl", '{"output": {"judge": ["x", {"text": "[[8]]"}]}, "other": "[[7]]", "out.put": "[[6]]"}\n')

    done = judgecore(
        *(
            "parse",
            "logs.jsonl",
            *SINGLE,
            "--column",
            "output.judge.1.text",
            "--column",
            "other",
            "--column",
            "out.put",
        ),
        *("--columns", "value", "-o", "-"),
    )

    row = rows_of(done.stdout)[0]
    assert (row["output.judge.1.text_value"], row["other_value"], row["out.put_value"]) == (8.0, 7.0, 6.0)


def test_a_suggested_column_can_be_pasted(judgecore: Program, write: Write) -> None:
    write("replies.csv", "the reply,id\n[[8]],1\n")

    done = judgecore("parse", "replies.csv", *SINGLE, "--column", "the  reply")

    assert "did you mean --column 'the reply'?" in done.stderr


def test_only_unread_rows_are_written_where_that_is_asked_for(judgecore: Program, write: Write) -> None:
    write("replies.csv", csv_text(REPLIES))

    for output in ("out.csv", "out.jsonl", "out.parquet"):
        judgecore("parse", "replies.csv", *SINGLE, "--unread-only", "-o", output)
        judgecore("parse", output, *SINGLE, "--prefix", "again_", "-o", "again.jsonl")

        got = rows_of((judgecore.folder / "again.jsonl").read_text("utf-8"))
        assert [row["id"] for row in got] == ["1", "4", "5"], output


@pytest.mark.parametrize("columns", ["value", "status,value,format", ALL])
@pytest.mark.parametrize("output", ["out.jsonl", "out.csv", "out.parquet"])
def test_the_columns_that_are_asked_for_are_written(
    judgecore: Program, write: Write, columns: str, output: str
) -> None:
    write("replies.jsonl", table_of("jsonl", REPLIES))

    judgecore("parse", "replies.jsonl", *SINGLE, "--columns", columns, "--prefix", "x_", "-o", output)
    judgecore("parse", output, *SINGLE, "-o", "again.jsonl")

    got = rows_of((judgecore.folder / "again.jsonl").read_text("utf-8"))
    assert [name for name in got[0] if name.startswith("x_")] == [f"x_{name}" for name in columns.split(",")]


# Rejects


def test_rejected_lines_are_kept_as_they_came(judgecore: Program, write: Write) -> None:
    write("replies.jsonl", b'{"raw": "[[8]]"}\nnot json \xff\n{"raw": 7}\r\n{"raw": "[[7]]"}\n{"raw": "cut')

    done = judgecore("parse", "replies.jsonl", *SINGLE, "--rejects", "bad.jsonl", "-o", "out.jsonl", "--json")

    kept = rows_of((judgecore.folder / "bad.jsonl").read_text("utf-8"))
    summary = json.loads(done.stdout)
    assert done.returncode == 3
    assert (summary["rows_in"], summary["rows"], summary["rejected"]) == (5, 2, 3)
    assert [row["line"] for row in kept] == [2, 3, 5]
    assert base64.b64decode(kept[0]["raw_base64"]).rstrip(b"\n") == b"not json \xff"
    assert [row["raw"].rstrip("\r\n") for row in kept[1:]] == ['{"raw": 7}', '{"raw": "cut']


def test_a_record_that_is_too_long_is_rejected_whole_and_held_in_no_memory(judgecore: Program) -> None:
    file = judgecore.folder / "replies.jsonl"
    with file.open("wb") as stream:
        stream.write(b'{"raw": "[[8]]"}\n{"raw": "')
        for _ in range(100):
            stream.write(b"x" * (1 << 20))
        stream.write(b'"}\n{"raw": "[[7]]"}\n')
    summary, kilobytes = measured(judgecore, "replies.jsonl", "--max-record-bytes", "1M", "--rejects", "bad.jsonl")

    assert (summary["rows"], summary["rejected"], summary["rejects"]["lines"]) == (2, 1, [[2, 2]])
    assert kilobytes < 60_000
    with (judgecore.folder / "bad.jsonl").open() as lines:
        assert sum(len(json.loads(line)["raw"]) for line in lines) == (100 << 20) + len('{"raw": ""}')


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_rows_in_are_rows_out_and_rejects_whatever_was_done_to_the_file(
    judgecore: Program, write: Write, kind: str, seed: int
) -> None:
    chance = random.Random(f"{kind} {seed}")  # noqa: S311 - cases, and no secret
    data = bytearray(table_of(kind, [f"Rating: [[{nth % 10 + 1}]]" for nth in range(200)]))
    for _ in range(chance.randrange(1, 8)):
        at = chance.randrange(20, len(data))
        damage = chance.choice([b'"', b"\0", b"\xff", b"\r", b'""', b"\xef\xbb\xbf", b"{", b",", b"\n"])
        data[at : at + chance.randrange(3)] = damage
    if chance.random() < 0.3:
        del data[chance.randrange(len(data) // 2, len(data)) :]
    write(f"replies.{kind}", bytes(data))

    done = judgecore("parse", f"replies.{kind}", *SINGLE, "-o", f"out.{kind}", "--rejects", "bad.jsonl", "--json")

    summary = json.loads(done.stdout)
    out = (judgecore.folder / f"out.{kind}").read_bytes()
    kept = rows_of((judgecore.folder / "bad.jsonl").read_text("utf-8"))
    n_lines = sum(1 for line in bytes(data).split(b"\n") if line.strip())
    n_out = out.count(b"\n") - (kind == "csv")
    assert summary["rows_in"] == summary["rows"] + summary["rejected"]
    assert len(kept) == summary["rejected"]
    assert summary["rows"] == n_out
    # Each line is in a row or a reject, but those of a quotation that closes later.
    assert n_lines - (kind == "csv") - summary["rows_in"] in range(3)


def test_a_table_arriving_in_two_chunks_of_a_pipe_is_one_table(judgecore: Program) -> None:
    text = table_of("csv", REPLIES * 5000)
    command = [judgecore.path, "parse", "-", "--input-format", "csv", *SINGLE, "--json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=False) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for start in range(0, len(text), 77_777):
            process.stdin.write(text[start : start + 77_777])
            process.stdin.flush()
        process.stdin.close()
        summary = json.loads(process.stdout.read())

    assert (summary["rows_in"], summary["rejected"]) == (30_000, 0)


@pytest.mark.parametrize("how", ["cut", "flipped"])
def test_a_damaged_gzip_is_one_line_and_status_2(judgecore: Program, write: Write, how: str) -> None:
    whole = gzip.compress(table_of("jsonl", REPLIES * 1000), mtime=0)
    middle = len(whole) // 2
    damaged = whole[:middle] if how == "cut" else whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :]
    write("replies.jsonl.gz", damaged)

    done = judgecore("parse", "replies.jsonl.gz", *SINGLE, "-o", "out.jsonl")

    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("Error: replies.jsonl.gz: can't be read: ")
    assert not (judgecore.folder / "out.jsonl").exists()


# What a hostile reader found


def test_lines_of_a_reply_that_look_like_rows_stay_in_their_reply(judgecore: Program, write: Write) -> None:
    write("replies.csv", 'id,raw\n3,x\n4,"Rating: [[7]]\n9,8"\n5,"1, a\n2, b\n3, c\n4,1\n[[6]]"\n6,"[[5]]\n7,8\n8,9"\n')

    done = judgecore("parse", "replies.csv", *SINGLE, "-o", "out.jsonl", "--json")

    assert json.loads(done.stdout)["rejected"] == 0
    assert [row["value"] for row in rows_of((judgecore.folder / "out.jsonl").read_text())] == [None, 7.0, 6.0, 5.0]


@pytest.mark.parametrize("before", range(8))
def test_a_damaged_record_on_the_edge_of_a_part_is_one_reject(judgecore: Program, write: Write, before: int) -> None:
    filler = "1,aaaa\n"
    head = "id,raw\n" + filler * ((1 << 20) // len(filler) - 2)
    head += "2," + "b" * ((1 << 20) - before - len(head) - 3) + "\n"
    write("replies.csv", head + '3,"c"d"\n4,[[5]]\n5,"x\n')

    done = judgecore("parse", "replies.csv", *SINGLE, "--rejects", "bad.jsonl", "--json")

    summary = json.loads(done.stdout)
    last = head.count("\n") + 1
    assert [row["line"] for row in rows_of((judgecore.folder / "bad.jsonl").read_text())] == [last, last + 2]
    assert summary["rows_in"] == last + 1


def test_memory_stays_bounded_where_nothing_is_a_row(judgecore: Program, write: Write) -> None:
    write("replies.csv", 'id,raw\n1,"a\n' + "no row\n" * 600_000 + "2,[[5]]\n")
    summary, kilobytes = measured(judgecore, "replies.csv")

    assert summary["rows_in"] == 600_002
    assert kilobytes < 90_000


def test_a_table_without_a_row_in_its_first_64_mib_is_named(judgecore: Program) -> None:
    with (judgecore.folder / "replies.jsonl").open("wb") as stream:
        for _ in range(65):
            stream.write((b"no row" * 100 + b"\n") * ((1 << 20) // 601 + 1))
        stream.write(b'{"raw": "[[5]]"}\n')

    done = judgecore("parse", "replies.jsonl", *SINGLE)

    assert done.returncode == 2
    assert "found no row that names the columns in the first 64 MiB" in done.stderr


def test_text_that_is_not_in_its_encoding_costs_its_own_row(judgecore: Program, write: Write) -> None:
    write("replies.jsonl", "".join(json.dumps({"raw": "[[5]]"}) + "\n" for _ in range(3)).encode("utf-16")[:-1])

    done = judgecore("parse", "replies.jsonl", *SINGLE, "--json")

    assert (json.loads(done.stdout)["rows"], json.loads(done.stdout)["rejected"]) == (2, 1)


def test_a_header_without_a_line_end_is_not_a_row(judgecore: Program, write: Write) -> None:
    write("replies.csv", "id,raw")

    assert json.loads(judgecore("parse", "replies.csv", *SINGLE, "--json").stdout)["rows_in"] == 0


@pytest.mark.parametrize("rejects", ["out.jsonl", "./out.jsonl", "link.jsonl"])
def test_rejects_and_rows_never_go_to_one_file(judgecore: Program, write: Write, rejects: str) -> None:
    write("replies.jsonl", '{"raw": "[[5]]"}\n')
    (judgecore.folder / "link.jsonl").symlink_to("out.jsonl")

    done = judgecore("parse", "replies.jsonl", *SINGLE, "-o", "out.jsonl", "--rejects", rejects)

    assert done.returncode == 2
    assert "name the same file" in done.stderr


@pytest.mark.parametrize(("closed", "arguments"), [(">&-", "-o -"), ("<&-", ""), (">&-", "-o out.jsonl")])
def test_closed_standard_streams_are_one_line_and_no_traceback(
    judgecore: Program, write: Write, closed: str, arguments: str
) -> None:
    write("replies.jsonl", '{"raw": "[[5]]"}\n')
    table = "-" if closed == "<&-" else "replies.jsonl"
    command = f"{judgecore.path} parse {table} {' '.join(SINGLE)} {arguments} {closed}"

    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, cwd=judgecore.folder, check=False)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "Bad file descriptor" in done.stderr


def test_a_loop_of_links_is_no_output(judgecore: Program, write: Write) -> None:
    write("replies.jsonl", '{"raw": "[[5]]"}\n')
    (judgecore.folder / "one.jsonl").symlink_to("two.jsonl")
    (judgecore.folder / "two.jsonl").symlink_to("one.jsonl")

    done = judgecore("parse", "replies.jsonl", *SINGLE, "-o", "one.jsonl")

    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("Error: can't write one.jsonl: Too many levels")
