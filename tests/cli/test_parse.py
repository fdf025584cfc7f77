"""``judgecore parse``: real files through the real program."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pytest
from rich.cells import cell_len

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli.conftest import Program

    Write = Callable[[str, str | bytes], Path]

ADDED = ("value", "status", "reason", "detail", "rule", "evidence", "start", "end")
NOTHING = "no number stands where a verdict would"
GOOD = '{"id": 1, "raw": "Rating: [[8]]"}\n'
BAD = '{"id": 2, "raw": "no idea"}\n'
SINGLE = ("--format", "mt_bench.single")


def rows_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def names_in(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def jsonl(*replies: object) -> str:
    return "".join(json.dumps({"raw": reply}) + "\n" for reply in replies)


def summary_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode in (0, 3), done.stderr
    return json.loads(done.stdout)


# Rows


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "arrow"])
def test_no_text_breaks_the_table(judgecore: Program, write: Write, kind: str) -> None:
    file = write("replies.jsonl", jsonl("\ud800 Rating: [[7]]", "\udfff", "\0"))

    done = judgecore("parse", file, *SINGLE, "-o", f"out.{kind}")

    assert done.returncode in (0, 3), done.stderr
    again = judgecore("parse", f"out.{kind}", *SINGLE, "--column", "raw", "--prefix", "again_", "-o", "again.jsonl")
    assert [row["value"] for row in rows_of((judgecore.folder / "again.jsonl").read_text())] == [7, None, None], again


def test_each_row_keeps_its_columns_and_gains_eight(judgecore: Program, write: Write) -> None:
    file = write("replies.jsonl", GOOD + BAD)

    done = judgecore("parse", file, *SINGLE, "-o", "out.jsonl")

    got = rows_of((judgecore.folder / "out.jsonl").read_text())
    assert done.returncode == 0
    assert [
        {"id": 1, "raw": "Rating: [[8]]"}
        | dict(zip(ADDED, (8.0, "ok", None, None, "marker", "Rating: [[8]]", 0, 13), strict=True)),
        {"id": 2, "raw": "no idea"}
        | dict(zip(ADDED, (None, "unreadable", "no_verdict", NOTHING, None, None, None, None), strict=True)),
    ] == got


@pytest.mark.parametrize(
    "row",
    [
        '{"raw":"Rating: [[8]]","n":123456789012345678901234567890,"f":1.10,"g":1e400,"h":NaN}',
        '{"a": 1, "a": 2, "raw": "Rating: [[8]]", "e": "\\u00e9\\/", "nested": {"b": [1,  2]} }',
        '{"raw": "Rating: [[8]]", "long": ' + "9" * 5000 + "}",
        '{"raw": "Rating: [[8]]", "half": "\\ud83d"}',
        "{}",
    ],
)
def test_the_columns_of_json_lines_are_copied_unchanged(judgecore: Program, row: str) -> None:
    text = GOOD + f"  {row} \r\n"

    done = judgecore("parse", "-", *SINGLE, "-o", "-", text=text)

    got = done.stdout.splitlines()[1]
    assert got.startswith(row[:-1].rstrip())
    assert {"value", "status"} < set(json.loads(got, parse_int=float))


def test_csv_rows_survive_whatever_their_fields_hold(judgecore: Program, write: Write) -> None:
    fields = ['say "hi", ok', "two\nlines", "carriage\rreturn", "crlf\r\nend", " padded ", "", "=1+1", "日本"]
    text = io.StringIO(newline="")
    csv.writer(text).writerows([["reply", "other"], *(["Rating: [[8]]", one] for one in fields)])
    file = write("replies.csv", text.getvalue())

    done = judgecore("parse", file, *SINGLE, "-o", "out.csv")

    with (judgecore.folder / "out.csv").open(newline="", encoding="utf-8") as written:
        got = list(csv.reader(written))
    assert done.returncode == 0
    assert [
        ["reply", "other", *ADDED],
        *(["Rating: [[8]]", one, "8.0", "ok", "", "", "marker", "Rating: [[8]]", "0", "13"] for one in fields),
    ] == got


def test_csv_can_be_written_as_json_lines(judgecore: Program, write: Write) -> None:
    file = write("replies.csv", "id,raw\n007,Rating: [[8]]\n")

    judgecore("parse", file, *SINGLE, "-o", "out.jsonl")

    got = rows_of((judgecore.folder / "out.jsonl").read_text())
    assert [(row["id"], row["raw"], row["value"]) for row in got] == [("007", "Rating: [[8]]", 8.0)]


def test_json_lines_are_written_as_csv_where_all_have_the_same_columns(judgecore: Program, write: Write) -> None:
    alike = write(
        "alike.jsonl", '{"id": 1.50, "raw": "Rating: [[8]]", "a": [1, "x"]}\n{"raw": "[[7]], \\"so\\"", "a": null}\n'
    )
    others = write("others.jsonl", GOOD + "\n" * 5_000_000 + '{"raw": "x", "new": 1}\n')

    done = judgecore("parse", alike, *SINGLE, "-o", "out.csv", "--columns", "value")
    refused = judgecore("parse", others, *SINGLE, "-o", "others.csv")

    with (judgecore.folder / "out.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [
            ["id", "raw", "a", "value"],
            ["1.50", "Rating: [[8]]", '[1, "x"]', "8.0"],
            ["", '[[7]], "so"', "", "7.0"],
        ]
    assert (done.returncode, refused.returncode) == (0, 2)
    assert "line 5000002: column 'new' is not in the first rows; write others.jsonl" in refused.stderr


@pytest.mark.parametrize(
    ("form", "reply", "want"),
    [
        ("lmms_eval.yes_no", "Yes", True),
        ("arena_hard", "[[A>B]]", "A>B"),
        ("judgelm", "8 7", [8.0, 7.0]),
        (
            "llama_guard.3",
            "unsafe\nS1,S10",
            {
                "unsafe": True,
                "prompt_unsafe": None,
                "response_unsafe": True,
                "categories": ["S1", "S10"],
                "fields": {},
                "side": "response",
                "names": ["Violent Crimes", "Hate"],
                "hazards": ["Violent Crimes", "Hate"],
                "uncertain_hazards": [],
            },
        ),
    ],
)
def test_values_of_every_kind_are_json_in_both_kinds_of_table(
    judgecore: Program, write: Write, form: str, reply: str, want: object
) -> None:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([["raw"], [reply]])
    file = write("replies.csv", text.getvalue())

    from_jsonl = judgecore("parse", "-", "--format", form, "-o", "-", text=jsonl(reply)).stdout
    from_csv = judgecore("parse", file, "--format", form, "-o", "-").stdout

    field = next(csv.DictReader(io.StringIO(from_csv, newline="")))["value"]
    assert want == json.loads(from_jsonl)["value"]
    assert want == (field if isinstance(want, str) else json.loads(field))


@pytest.mark.parametrize(
    ("options", "reply", "want"),
    [
        (("--json-keys", "score, reason"), "Sure: {'score': 8, 'reason': 'größer',}", {"score": 8, "reason": "größer"}),
        (
            ("--format", "alpaca_eval.ranking"),
            '[{"model": "m", "rank": 2}, {"model": "M", "rank": 1}]',
            ["M", "m"],
        ),
    ],
)
def test_documents_and_rankings_are_written_as_json_text(
    judgecore: Program, write: Write, options: tuple[str, str], reply: str, want: object
) -> None:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([["raw"], [reply]])
    file = write("replies.csv", text.getvalue())

    from_jsonl = json.loads(judgecore("parse", "-", *options, "-o", "-", text=jsonl(reply)).stdout)["value"]
    from_csv = next(csv.DictReader(io.StringIO(judgecore("parse", file, *options, "-o", "-").stdout)))["value"]

    assert from_jsonl == from_csv
    assert want == json.loads(from_jsonl)


@pytest.mark.parametrize(
    ("body", "reply", "want"),
    [
        ('kind = "order"\nn = 3\n', "The order is: B > A = C", [2, 1, 2]),
        (
            'kind = "fields"\njson = true\n[formats.fields]\n"a.b" = { kind = "score", low = 1, high = 5 }\n',
            '{"a": {"b": 4}, "c": 1}',
            {"a.b": 4.0},
        ),
    ],
)
def test_ranks_and_entries_of_documents_are_written_as_they_are(
    judgecore: Program, write: Write, body: str, reply: str, want: object
) -> None:
    head = 'family = "mine"\ntitle = "Mine"\nevidence = "card"\nsources = ["a paper"]\n[[formats]]\nid = "mine"\n'
    file = write("mine.toml", head + body)

    row = json.loads(judgecore("parse", "-", "--format", str(file), "-o", "-", text=jsonl(reply)).stdout)

    assert (row["value"], row["status"]) == (want, "ok")


@pytest.mark.parametrize("form", [form.id for form in jc.formats() if form.kind in ("json", "ranking")])
def test_every_json_format_is_read_by_its_id(judgecore: Program, form: str) -> None:
    examples = [one for one in jc.Format.get(form).examples if not one["cut"]]

    done = judgecore("parse", "-", "--format", form, "-o", "-", text=jsonl(*(one["reply"] for one in examples)))

    values = [row["value"] for row in rows_of(done.stdout)]
    is_ranking = jc.Format.get(form).kind == "ranking"
    assert done.returncode == 0
    assert [one["lenient"].get("value") for one in examples] == [
        json.loads(value) if is_ranking and value else value for value in values
    ]


def test_an_object_without_the_keys_is_unread_and_says_which(judgecore: Program) -> None:
    done = judgecore("parse", "-", "--json-keys", "score,reason", "--json", text=jsonl('{"score": 8}', "no idea"))

    got = summary_of(done)
    assert got["format"] == "json"
    assert got["unread"] == 2
    assert "reason" in done.stdout


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "either --format ID or --json-keys"),
        ((*SINGLE, "--json-keys", "score"), "either --format ID or --json-keys"),
        (("--json-keys", "score,,reason"), "empty key"),
        (("--json-keys", "score", "--mode", "paper"), "no paper mode"),
    ],
)
def test_format_options_are_checked(judgecore: Program, options: tuple[str, ...], says: str) -> None:
    done = judgecore("parse", "-", *options, text=GOOD)

    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())


def test_spans_count_code_points(judgecore: Program) -> None:
    reply = "👩‍⚖️ é 好: Rating: [[8]]"

    done = judgecore("parse", "-", *SINGLE, "-o", "-", text=jsonl(reply))

    row = json.loads(done.stdout)
    outcome = jc.parse(reply, "mt_bench.single")
    assert isinstance(outcome, jc.Reading)
    assert outcome.span == (row["start"], row["end"])
    assert reply[row["start"] : row["end"]].endswith("[[8]]")


def test_a_table_of_many_batches_is_read_as_parse_many_reads_it(judgecore: Program, write: Write) -> None:
    replies = [f"Rating: [[{nth % 13}]]" if nth % 7 else None for nth in range(25_001)]
    file = write("replies.jsonl", jsonl(*replies))

    done = judgecore("parse", file, *SINGLE, "-o", "out.jsonl", "--json")

    want = jc.parse_many(replies, "mt_bench.single")
    got = rows_of((judgecore.folder / "out.jsonl").read_text())
    assert list(zip(want.values, want.reason, want.rule, strict=True)) == [
        (row["value"], row["reason"], row["rule"]) for row in got
    ]
    assert want.counts() == summary_of(done)["counts"]


def test_memory_does_not_grow_with_the_file(in_steps: Program) -> None:
    row = jsonl("Long. " * 1000 + "Rating: [[8]]")
    peaks_kb: list[int] = []
    for rows in (800, 4000):
        file = in_steps.folder / "replies.jsonl"
        file.write_text(row * rows)

        assert in_steps("parse", file, *SINGLE, "-o", "/dev/null").returncode == 0
        peaks_kb.append(in_steps.peak_kb)

    grown_kb = 3200 * len(row) / 1024
    assert peaks_kb[1] - peaks_kb[0] < grown_kb / 4


# Where replies come from


def test_replies_are_sought_under_raw_and_then_under_reply(judgecore: Program) -> None:
    done = judgecore("parse", "-", *SINGLE, "-o", "-", text='{"reply": "Rating: [[8]]"}\n')

    assert json.loads(done.stdout)["value"] == 8.0


@pytest.mark.parametrize("text", ['{"reply": "Rating: [[1]]", "raw": "Rating: [[8]]"}\n', GOOD])
def test_raw_goes_before_reply(judgecore: Program, text: str) -> None:
    done = judgecore("parse", "-", *SINGLE, "-o", "-", text=text)

    assert json.loads(done.stdout)["value"] == 8.0


@pytest.mark.parametrize(("kind", "text"), [("jsonl", '{"id": 1, "judgment": "x"}\n'), ("csv", "id,judgment\n1,x\n")])
def test_without_raw_and_reply_the_columns_are_listed(judgecore: Program, kind: str, text: str) -> None:
    done = judgecore("parse", "-", *SINGLE, "--input-format", kind, text=text)

    assert done.returncode == 2
    assert "no column 'raw' or 'reply'; the columns are 'id', 'judgment'; name one with --column" in done.stderr


def test_another_column_is_read_when_it_is_named(judgecore: Program) -> None:
    text = '{"raw": "Rating: [[1]]", "judge says": "Rating: [[8]]"}\n'

    done = judgecore("parse", "-", *SINGLE, "--column", "judge says", "-o", "-", text=text)

    assert json.loads(done.stdout)["value"] == 8.0


@pytest.mark.parametrize(("kind", "text"), [("jsonl", '{"id": 1, "judgment": "x"}\n'), ("csv", "id,judgment\n1,x\n")])
def test_a_missing_column_lists_those_there_and_the_nearest(judgecore: Program, kind: str, text: str) -> None:
    done = judgecore("parse", "-", *SINGLE, "--input-format", kind, "--column", "judgement", text=text)

    assert done.returncode == 2
    assert "no column 'judgement'; the columns are 'id', 'judgment'; did you mean --column judgment?" in done.stderr


def test_a_csv_with_duplicate_columns_is_refused(judgecore: Program, write: Write) -> None:
    file = write("replies.csv", "raw,raw\na,b\n")

    done = judgecore("parse", file, *SINGLE)

    assert done.returncode == 2
    assert "2 columns are named 'raw'" in done.stderr


# What is cut off


CUT_REPLY = "My rating is 1"


@pytest.mark.parametrize(
    ("said", "is_cut"),
    [
        ("true", True),
        ("false", False),
        ("null", False),
        ("1", True),
        ("0", False),
        ('"length"', True),
        ('"max_tokens"', True),
        ('"MAX_TOKENS"', True),
        ('"stop"', False),
        ('"end_turn"', False),
        ('""', False),
    ],
)
def test_a_column_says_which_replies_are_cut_off(judgecore: Program, said: str, *, is_cut: bool) -> None:
    text = f'{{"raw": "{CUT_REPLY}", "end": {said}}}\n'

    done = judgecore("parse", "-", *SINGLE, "--cut", "end", "--prefix", "jc_", "-o", "-", text=text)

    want = (None, "truncated") if is_cut else (1.0, None)
    row = json.loads(done.stdout)
    assert want == (row["jc_value"], row["jc_reason"])


@pytest.mark.parametrize(
    ("said", "is_cut"),
    [("True", True), ("TRUE", True), ("1", True), ("length", True), ("False", False), ("0", False), ("", False)],
)
def test_a_csv_field_marks_cut_replies_in_words(judgecore: Program, said: str, *, is_cut: bool) -> None:
    text = f"raw,finish_reason\n{CUT_REPLY},{said}\n"

    done = judgecore("parse", "-", *SINGLE, "--input-format", "csv", "--cut", "finish_reason", "--json", text=text)

    want = {"ok": 0, "truncated": 1} if is_cut else {"ok": 1}
    assert want == summary_of(done)["counts"]


def test_a_row_that_does_not_say_it_is_not_cut_off(judgecore: Program) -> None:
    text = f'{{"raw": "{CUT_REPLY}", "cut": true}}\n{{"raw": "{CUT_REPLY}"}}\n'

    done = judgecore("parse", "-", *SINGLE, "--cut", "cut", "-o", "-", text=text)

    assert [row["reason"] for row in rows_of(done.stdout)] == ["truncated", None]


@pytest.mark.parametrize(("value", "names"), [("7", "a number"), ("[true]", "an array"), ("{}", "an object")])
def test_an_invalid_cut_cell_makes_the_line_malformed(judgecore: Program, value: str, names: str) -> None:
    text = f'{{"raw": "{CUT_REPLY}", "cut": {value}}}\n{{"raw": "{CUT_REPLY}", "cut": false}}\n'

    done = judgecore("parse", "-", *SINGLE, "--cut", "cut", "--json", text=text)

    problem = f"column 'cut' holds {names}; it must hold true, false or a finish reason"
    assert summary_of(done)["rejects"]["problems"] == [{"line": 1, "problem": problem}]
    assert summary_of(done)["counts"] == {"ok": 1}


@pytest.mark.parametrize(
    ("kind", "text"), [("jsonl", '{"raw": "x", "finish": "length"}\n'), ("csv", "raw,finish\nx,length\n")]
)
def test_a_missing_cut_column_lists_those_there_and_the_nearest(judgecore: Program, kind: str, text: str) -> None:
    done = judgecore("parse", "-", *SINGLE, "--input-format", kind, "--cut", "finished", text=text)

    assert done.returncode == 2
    assert "no column 'finished'; the columns are 'raw', 'finish'; did you mean --cut finish?" in done.stderr


# Replies that are missing


def test_null_and_absent_replies_are_missing_and_empty_ones_empty(judgecore: Program) -> None:
    text = GOOD + '{"id": 2, "raw": null}\n{"id": 3}\n{"id": 4, "raw": ""}\n'

    done = judgecore("parse", "-", *SINGLE, "-o", "-", text=text)

    assert [row["reason"] for row in rows_of(done.stdout)] == [None, "missing", "missing", "empty"]


@pytest.mark.parametrize(
    ("value", "names"),
    [("7", "a number"), ("7.5", "a number"), ("true", "true or false"), ("[7]", "an array"), ("{}", "an object")],
)
def test_a_reply_that_is_no_text_is_never_made_one(judgecore: Program, value: str, names: str) -> None:
    done = judgecore("parse", "-", *SINGLE, "-o", "out.jsonl", "--json", text=f'{GOOD}{{"raw": {value}}}\n')

    summary = summary_of(done)
    assert summary["counts"] == {"ok": 1}
    assert [{"line": 2, "problem": f"column 'raw' holds {names}; a reply must be a string or null"}] == summary[
        "rejects"
    ]["problems"]
    assert len(rows_of((judgecore.folder / "out.jsonl").read_text())) == 1


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_a_byte_order_mark_is_passed_over(judgecore: Program, kind: str) -> None:
    text = {"jsonl": GOOD, "csv": "raw\nRating: [[8]]\n"}[kind]

    done = judgecore("parse", "-", *SINGLE, "--input-format", kind, "--json", text=b"\xef\xbb\xbf" + text.encode())

    assert summary_of(done)["counts"] == {"ok": 1}


def test_standard_input_is_json_lines_unless_said_otherwise(judgecore: Program) -> None:
    as_jsonl = judgecore("parse", "-", *SINGLE, "--json", text=GOOD)
    as_csv = judgecore("parse", "-", *SINGLE, "--json", "--input-format", "csv", text="raw\nRating: [[8]]\n")

    assert 1 == summary_of(as_jsonl)["rows"] == summary_of(as_csv)["rows"]


def test_a_name_of_unknown_kind_needs_the_kind(judgecore: Program, write: Write) -> None:
    file = write("replies.txt", GOOD)

    unsaid = judgecore("parse", file, *SINGLE)
    said = judgecore("parse", file, *SINGLE, "--input-format", "jsonl")

    assert (unsaid.returncode, said.returncode) == (2, 0)
    assert "--input-format" in unsaid.stderr


@pytest.mark.parametrize(
    ("content", "says"), [(b"\x9f\0\0\0", "not UTF-8"), (b"ARROW1\0\0", "Arrow IPC"), (b"PAR1", "Parquet")]
)
def test_a_binary_table_read_as_text_is_named_by_its_kind(judgecore: Program, content: bytes, says: str) -> None:
    done = judgecore("parse", "-", *SINGLE, text=content)

    assert done.returncode == 2
    assert says in done.stderr


def test_an_empty_table_of_json_lines_has_no_rows(judgecore: Program) -> None:
    done = judgecore("parse", "-", *SINGLE, "--json", text="")

    assert (summary_of(done)["rows"], summary_of(done)["counts"]) == (0, {"ok": 0})
    assert done.stderr == "standard input has no rows\n"


@pytest.mark.parametrize("options", [(), ("--column", "answer")])
def test_text_in_place_of_rows_fails_with_an_example_row(judgecore: Program, options: tuple[str, ...]) -> None:
    done = judgecore("parse", "-", *SINGLE, *options, text="Rating: [[8]]\n")

    column = options[-1] if options else "raw"
    assert done.returncode == 2
    assert done.stderr.endswith(f'column 1; a row is {{"{column}": "..."}}\n')


def test_a_carriage_return_in_a_csv_field_is_named_without_pythons_advice(judgecore: Program, write: Write) -> None:
    file = write("replies.csv", 'raw\n"a"\rb\n')

    done = judgecore("parse", file, *SINGLE)

    assert done.stderr.endswith("line 2: not CSV: a lone carriage return outside quotation marks\n")


@pytest.mark.parametrize("output", ["out.xlsx", "out.xls.gz", "out.csv.bak"])
def test_an_output_of_an_unknown_kind_is_refused_before_anything_is_read(judgecore: Program, output: str) -> None:
    done = judgecore("parse", "-", *SINGLE, "-o", output, text=GOOD)

    assert done.returncode == 2
    assert f"{output}: unknown table extension (known are .jsonl, .ndjson, .json, .csv" in done.stderr
    assert names_in(judgecore.folder) == []


@pytest.mark.parametrize("output", ["out", "out.gz"])
def test_an_output_without_an_extension_is_of_the_tables_kind(judgecore: Program, output: str) -> None:
    done = judgecore("parse", "-", *SINGLE, "-o", output, text=GOOD)

    assert done.returncode == 0, done.stderr
    assert names_in(judgecore.folder) == [output]


def test_a_csv_with_only_a_header_gives_a_csv_with_only_a_header(judgecore: Program, write: Write) -> None:
    file = write("replies.csv", "id,raw\n")

    done = judgecore("parse", file, *SINGLE, "-o", "-")

    assert f"id,raw,{','.join(ADDED)}\n" == done.stdout.replace("\r\n", "\n")


def test_a_csv_without_a_header_is_refused(judgecore: Program, write: Write) -> None:
    file = write("replies.csv", "")

    done = judgecore("parse", file, *SINGLE)

    assert done.returncode == 2
    assert "first row" in done.stderr


# Malformed lines


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'{"raw": "Rating: [[', "not JSON"),
        (b'{"raw": 1,}', "not JSON"),
        (b"[1]", "an array, not an object"),
        (b'"text"', "a string, not an object"),
        (b"null", "null, not an object"),
        (b'{"raw": "\xff"}', "not UTF-8 at byte 10"),
        (b'{"raw": ' + b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_malformed_json_line_is_left_out_and_named(judgecore: Program, line: bytes, says: str) -> None:
    text = GOOD.encode() + line + b"\n\n" + GOOD.encode()

    done = judgecore("parse", "-", *SINGLE, "-o", "out.jsonl", text=text)

    assert done.returncode == 3
    assert "1 of 3 rows is rejected: line 2\n" in done.stdout
    assert f"line 2  {says}" in done.stdout
    assert len(rows_of((judgecore.folder / "out.jsonl").read_text())) == 2


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"2,x,y", "3 fields, where the header has 2"),
        (b"2", "1 field, where the header has 2"),
        (b'2,"a"b', "not CSV"),
        ("2,é".encode() + b"\xff", "not UTF-8 at byte 5"),
        (b'2,"first\nsecond \xc3\xa9\xe9"', "not UTF-8 at byte 19"),
    ],
)
def test_a_malformed_csv_row_is_left_out_and_named(judgecore: Program, write: Write, line: bytes, says: str) -> None:
    good = b"1,Rating: [[8]]\n"
    file = write("replies.csv", b"id,raw\n" + good + line + b"\n" + good)

    done = judgecore("parse", file, *SINGLE, "-o", "out.csv")

    assert done.returncode == 3
    assert f"line 3  {says}" in done.stdout
    assert len((judgecore.folder / "out.csv").read_text().splitlines()) == 3


def test_a_csv_torn_inside_a_quotation_is_reported(judgecore: Program, write: Write) -> None:
    file = write("replies.csv", 'raw\nRating: [[8]]\n"Rating: [[9]]')

    done = judgecore("parse", file, *SINGLE, "--json")

    assert summary_of(done)["rejects"]["lines"] == [[3, 3]]


def test_malformed_lines_are_all_counted_and_named_as_ranges(judgecore: Program) -> None:
    text = GOOD + "x\n" * 300 + GOOD + "x\n"

    summary = summary_of(judgecore("parse", "-", *SINGLE, "--json", text=text))

    assert (summary["rejected"], summary["rejects"]["lines"]) == (301, [[2, 301], [303, 303]])
    assert (summary["rows_in"], summary["rows"], summary["unread"]) == (303, 2, 0)


def test_csv_without_a_stray_quote_loses_no_row(judgecore: Program, write: Write) -> None:
    write("replies.csv", "id,raw\n" + "".join(f'{number},"Rating: [[{number}]]"\n' for number in range(1, 10)))

    counted = summary_of(judgecore("parse", "replies.csv", *SINGLE, "--json", "-o", "out.csv"))

    assert (counted["rows"], counted["rejected"]) == (9, 0)


@pytest.mark.parametrize(
    "stray",
    [
        {2: '"Rating: [[2]]'},
        {2: '"Rating: [[2]]', 6: '"Rating: [[6]]"'},
        {2: '"Rating: [[2]]', 6: 'Rating: [[6]]"'},
        {2: '"Good," it says. Rating: [[2]]', 3: '"Rating: [[3]]'},
    ],
    ids=["to_the_end", "to_a_quoted_field", "to_another_stray_quote", "in_two_rows"],
)
def test_csv_with_stray_quotes_loses_no_row_uncounted(judgecore: Program, write: Write, stray: dict[int, str]) -> None:
    fields = {number: stray.get(number, f"Rating: [[{number}]]") for number in range(1, 10)}
    write("replies.csv", "id,raw\n" + "".join(f"{number},{field}\n" for number, field in fields.items()))

    counted = summary_of(judgecore("parse", "replies.csv", *SINGLE, "--json", "-o", "out.csv"))

    with (judgecore.folder / "out.csv").open(newline="") as file:
        kept = [row["id"] for row in csv.DictReader(file)]
    assert len(kept) == counted["rows"]
    assert counted["rows"] + counted["rejected"] == len(fields)


def test_strict_input_stops_at_the_first_malformed_line(judgecore: Program) -> None:
    done = judgecore("parse", "-", *SINGLE, "--strict-input", "-o", "out.jsonl", text=GOOD + "x\n" + GOOD)

    assert done.returncode == 2
    assert "line 2: not JSON" in done.stderr
    assert names_in(judgecore.folder) == []


def test_a_table_without_any_row_is_a_usage_error(judgecore: Program) -> None:
    done = judgecore("parse", "-", *SINGLE, text='[\n{"raw": "Rating: [[8]]"},\n]\n')

    assert done.returncode == 2
    assert "no line is a valid jsonl row; line 1: " in done.stderr


# Names


@pytest.mark.parametrize(("kind", "text"), [("jsonl", '{"raw": "x", "value": 1}\n'), ("csv", "raw,value\nx,1\n")])
def test_a_column_that_is_already_there_is_not_overwritten(judgecore: Program, kind: str, text: str) -> None:
    arguments = ("parse", "-", *SINGLE, "--input-format", kind)

    plain = judgecore(*arguments, "-o", "-", text=text)
    prefixed = judgecore(*arguments, "-o", "-", "--prefix", "jc_", text=text)
    unwritten = judgecore(*arguments, text=text)

    assert (plain.returncode, prefixed.returncode, unwritten.returncode) == (2, 0, 0)
    assert "already has 'value'" in plain.stderr
    assert "--prefix jc_" in plain.stderr
    assert "jc_value" in prefixed.stdout
    assert plain.stdout == ""


def test_a_column_that_is_there_in_a_later_batch_is_named_by_line(judgecore: Program) -> None:
    text = GOOD * 10_000 + '{"raw": "x", "start": 1}\n'

    done = judgecore("parse", "-", *SINGLE, "-o", "out.jsonl", text=text)

    assert done.returncode == 2
    assert "line 10001: already has 'start'" in done.stderr
    assert names_in(judgecore.folder) == []


def test_an_unknown_format_suggests_the_nearest(judgecore: Program) -> None:
    done = judgecore("parse", "-", "--format", "mt_bench.sngle", text=GOOD)

    assert done.returncode == 2
    assert 'no format "mt_bench.sngle"; the nearest are mt_bench.single' in done.stderr


def test_a_format_file_of_ones_own_is_read_by_variant(judgecore: Program, write: Write, own_formats: str) -> None:
    write("mine.toml", own_formats)

    named = judgecore("parse", "-", "--format", "mine.toml:side", "-o", "-", text=jsonl("It is <left>."))
    unnamed = judgecore("parse", "-", "--format", "mine.toml", text=jsonl("It is <left>."))

    assert json.loads(named.stdout)["value"] == "left"
    assert (unnamed.returncode, "mine.side, mine.grade" in unnamed.stderr) == (2, True)


# Modes


def test_strict_reads_less_than_lenient(judgecore: Program) -> None:
    text = jsonl("Rating: [[8]]", "I would give it an 8.")

    lenient = judgecore("parse", "-", *SINGLE, "--json", text=text)
    strict = judgecore("parse", "-", *SINGLE, "--json", "--mode", "strict", text=text)

    assert (summary_of(lenient)["counts"]["ok"], summary_of(strict)["counts"]["ok"]) == (2, 1)


def test_paper_mode_tells_which_values_the_publisher_invents(judgecore: Program) -> None:
    text = jsonl("Rating: [[8]]", "no idea")

    shown = judgecore("parse", "-", *SINGLE, "--mode", "paper", text=text)
    counted = judgecore("parse", "-", *SINGLE, "--mode", "paper", "--json", text=text)

    assert "1 of the ok values" in shown.stdout
    assert summary_of(counted)["invented"] == 1


def test_a_mode_that_the_format_has_not_lists_those_it_has(judgecore: Program) -> None:
    done = judgecore("parse", "-", "--format", "llama_guard.3", "--mode", "paper", text=GOOD)

    assert done.returncode == 2
    assert "llama_guard.3 has no paper mode; its modes are lenient, strict" in done.stderr


# The summary


def test_the_summary_counts_outcomes_and_shows_five_unreadable_replies(judgecore: Program, write: Write) -> None:
    file = write("replies.jsonl", GOOD * 3 + BAD * 9 + jsonl(None, "Rating: [[80]]"))

    done = judgecore("parse", file, *SINGLE)

    words = [line.split() for line in done.stdout.splitlines()]
    assert ["ok", "3", "21.43%"] in words
    assert ["no_verdict", "9", "64.29%"] in words
    assert ["total", "14"] in words
    assert "5 of 11 unreadable replies" in done.stdout
    assert [line[1] for line in words if line[:1] == ["line"]] == ["4", "5", "6", "13", "14"]


def test_a_reply_cant_control_the_terminal(judgecore: Program) -> None:
    hostile = "\x1b[2J\x1b]0;title\x07 \u202e [red]no\r\nidea \ud83d"

    done = judgecore("parse", "-", *SINGLE, text=jsonl(hostile))

    assert not {"\x1b", "\x07", "\u202e", "\r"} & set(done.stdout)
    assert "\\x1b[2J\\x1b]0;title\\x07 \\u202e [red]no\\r\\nidea \ufffd" in done.stdout


def test_a_long_reply_is_shown_by_its_beginning_and_its_end(judgecore: Program) -> None:
    done = judgecore(
        "parse", "-", *SINGLE, text=jsonl("It begins here" + ", and goes on" * 10_000 + ", and ends there")
    )

    *_, first, second = (line.strip() for line in done.stdout.splitlines())
    assert first.startswith("It begins here")
    assert second.endswith("and ends there")
    assert max(len(first), len(second)) <= 76
    assert " … " in f"{first} {second}"


def test_json_is_one_document_and_nothing_else(judgecore: Program) -> None:
    done = judgecore("parse", "-", *SINGLE, "--json", text=GOOD + BAD)

    assert done.stderr == ""
    assert json.loads(done.stdout)["counts"] == {"ok": 1, "no_verdict": 1}
    assert [
        {name: sample[name] for name in ("line", "reason", "reply")} for sample in json.loads(done.stdout)["samples"]
    ] == [{"line": 2, "reason": "no_verdict", "reply": "no idea"}]


def test_rows_on_standard_output_leave_the_summary_to_standard_error(judgecore: Program) -> None:
    done = judgecore("parse", "-", *SINGLE, "-o", "-", text=GOOD + BAD)

    assert len(rows_of(done.stdout)) == 2
    assert "no_verdict" in done.stderr


def test_rows_and_json_cant_both_have_standard_output(judgecore: Program) -> None:
    done = judgecore("parse", "-", *SINGLE, "-o", "-", "--json", text=GOOD)

    assert done.returncode == 2
    assert "name a file" in done.stderr


def test_without_a_terminal_progress_is_plain_lines(judgecore: Program, write: Write) -> None:
    file = write("replies.jsonl", GOOD)

    done = judgecore("parse", file.name, *SINGLE)

    assert done.stderr == "reading replies.jsonl\n"


# Exit statuses


@pytest.mark.parametrize(
    ("allowance", "want"), [(None, 0), ("3", 0), ("2", 3), ("0", 3), ("30%", 0), ("29.9%", 3), ("0%", 3), ("100%", 0)]
)
def test_more_unread_than_allowed_is_status_3(judgecore: Program, allowance: str | None, want: int) -> None:
    text = GOOD * 7 + BAD * 3

    done = judgecore(
        "parse", "-", *SINGLE, "-o", "out.jsonl", *(["--allow-unread", allowance] if allowance else []), text=text
    )

    assert want == done.returncode
    assert len((judgecore.folder / "out.jsonl").read_text().splitlines()) == 10
    assert ("more than --allow-unread" in done.stderr) == (want == 3)


@pytest.mark.parametrize(("allowance", "want"), [(None, 3), ("1", 3), ("2", 0), ("20%", 0), ("19%", 3)])
def test_more_rejected_than_allowed_is_status_3(judgecore: Program, allowance: str | None, want: int) -> None:
    text = GOOD * 8 + "x\n" * 2

    done = judgecore(
        "parse", "-", *SINGLE, "-o", "out.jsonl", *(["--allow-rejects", allowance] if allowance else []), text=text
    )

    assert want == done.returncode
    assert len((judgecore.folder / "out.jsonl").read_text().splitlines()) == 8
    assert ("more than --allow-rejects" in done.stderr) == (want == 3)


@pytest.mark.parametrize("allowance", ["-1", "1.5", "five", "5 %%", "%"])
def test_an_allowance_is_a_count_or_a_percentage(judgecore: Program, allowance: str) -> None:
    done = judgecore("parse", "-", *SINGLE, f"--allow-unread={allowance}", text=GOOD)

    assert done.returncode == 2
    assert "--allow-unread" in done.stderr


def test_a_closed_pipe_ends_it_silently(judgecore: Program, write: Write) -> None:
    file = write("replies.jsonl", GOOD * 50_000)
    command = [judgecore.path, "parse", file, *SINGLE, "-o", "-"]

    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()

    assert process.wait() == 141
    assert said.startswith(b"reading ")
    assert b"Traceback" not in said
    assert b"Exception" not in said


# The output


def test_an_output_that_fails_leaves_the_old_file_whole(judgecore: Program, write: Write) -> None:
    write("out.jsonl", "old\n")

    done = judgecore("parse", "-", *SINGLE, "--strict-input", "-o", "out.jsonl", text=GOOD + "x\n")

    assert done.returncode == 2
    assert (judgecore.folder / "out.jsonl").read_text() == "old\n"
    assert names_in(judgecore.folder) == ["out.jsonl"]


def test_an_output_keeps_the_mode_of_the_file_it_replaces_and_a_link_stays(judgecore: Program, write: Write) -> None:
    old = write("old.jsonl", "old\n")
    old.chmod(0o640)
    (judgecore.folder / "out.jsonl").symlink_to(old)

    judgecore("parse", "-", *SINGLE, "-o", "out.jsonl", text=GOOD)

    assert (judgecore.folder / "out.jsonl").is_symlink()
    assert len(rows_of(old.read_text())) == 1
    assert old.stat().st_mode & 0o777 == 0o640


@pytest.fixture
def given(judgecore: Program, write: Write) -> Path:
    """A table that has two other names."""
    given = write("replies.jsonl", GOOD)
    (judgecore.folder / "link.jsonl").symlink_to("replies.jsonl")
    (judgecore.folder / "hard.jsonl").hardlink_to(given)
    return given


def check_refusal(done: subprocess.CompletedProcess[str], given: Path, output: str) -> None:
    assert done.returncode == 2
    assert output in done.stderr
    assert given.read_text() == GOOD
    assert given.with_name("hard.jsonl").samefile(given)


@pytest.mark.parametrize("output", ["replies.jsonl", "./replies.jsonl", "link.jsonl", "hard.jsonl"])
def test_an_output_is_never_the_input(judgecore: Program, given: Path, output: str) -> None:
    done = judgecore("parse", "replies.jsonl", *SINGLE, "-o", output)

    check_refusal(done, given, output)


@pytest.mark.parametrize(
    ("table", "output"), [("-", "replies.jsonl"), ("-", "link.jsonl"), ("/dev/stdin", "hard.jsonl")]
)
def test_an_output_is_never_the_file_on_standard_input(
    judgecore: Program, given: Path, table: str, output: str
) -> None:
    command = [judgecore.path, "parse", table, *SINGLE, "--input-format", "jsonl", "-o", output]
    with given.open("rb") as stdin:
        done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, cwd=judgecore.folder, check=False)

    check_refusal(done, given, output)


def test_a_device_is_written_to_and_not_replaced(judgecore: Program) -> None:
    done = judgecore("parse", "-", *SINGLE, "-o", "/dev/stdout", text=GOOD)

    assert '"value": 8.0' in done.stdout


@pytest.mark.parametrize(
    ("output", "says"),
    [
        ("missing/out.jsonl", "the folder missing does not exist; create it first"),
        ("/dev/full", "No space left on device"),
    ],
)
def test_an_output_that_cant_be_written_is_named(judgecore: Program, output: str, says: str) -> None:
    done = judgecore("parse", "-", *SINGLE, "-o", output, text=GOOD * 1000)

    assert done.returncode == 2
    assert f"can't write {output}: {says}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments", [("parse", "replies.jsonl", *SINGLE, "-o", "-"), ("formats",), ("formats", "--json")]
)
def test_a_full_standard_output_is_an_error_in_a_line(
    judgecore: Program, write: Write, arguments: tuple[str, ...]
) -> None:
    write("replies.jsonl", GOOD * 1000)

    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [judgecore.path, *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=judgecore.folder,
            check=False,
        )

    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


# On a terminal


def test_a_terminal_shows_a_bar_and_colours(judgecore: Program, write: Write) -> None:
    file = write("replies.jsonl", (GOOD + BAD) * 10_000)

    with judgecore.on_terminal("parse", file, *SINGLE) as terminal:
        shown, status = terminal.wait()

    assert status == 0
    assert "━" in shown
    assert "rows/s" in shown.partition("outcome")[0]
    assert "\x1b[32mok" in shown


def test_no_color_takes_the_colours_away(judgecore: Program, write: Write) -> None:
    file = write("replies.jsonl", GOOD + BAD)

    with judgecore.on_terminal("parse", file, *SINGLE, NO_COLOR="1") as terminal:
        shown, _ = terminal.wait()

    assert "ok" in shown
    assert "\x1b[3" not in shown


def test_what_a_terminal_shows_fits_80_columns(judgecore: Program, write: Write) -> None:
    text = GOOD + BAD + "x\n" * 3 + jsonl("好" * 300, "word " * 300, 7, None, "Rating: [[4]] Rating: [[5]]")
    file = write("replies.jsonl", text)

    with judgecore.on_terminal("parse", file.name, *SINGLE, TERM="dumb", NO_COLOR="1") as terminal:
        shown, _ = terminal.wait()

    assert max(map(cell_len, shown.splitlines())) <= 80


@pytest.mark.parametrize("how", ["Ctrl-C", "SIGTERM"])
def test_an_interruption_is_status_130_and_leaves_the_output_as_it_was(
    judgecore: Program, write: Write, how: str
) -> None:
    write("out.jsonl", "old\n")
    endless = judgecore.folder / "replies.jsonl"
    os.mkfifo(endless)
    seen = threading.Event()

    def trickle(stream: IO[str]) -> None:
        # The number of rows is shown ten times a second, and not while the next row is waited for.
        while not seen.wait(0.05):
            stream.write(GOOD)
            stream.flush()

    command = ("parse", endless.name, *SINGLE, "-o", "out.jsonl")
    with judgecore.on_terminal(*command) as terminal, endless.open("w") as stream:
        stream.write(GOOD * 10_000)
        stream.flush()
        more = threading.Thread(target=trickle, args=[stream])
        more.start()
        terminal.wait_for("10,0")
        seen.set()
        more.join()
        during = names_in(judgecore.folder)
        if how == "Ctrl-C":
            terminal.press(b"\x03")
        else:
            terminal.signal(signal.SIGTERM)
        shown, status = terminal.wait()

    assert {"out.jsonl", "replies.jsonl"} <= set(during)
    assert status == 130
    assert re.search("interrupted after 10,0[0-9]+ rows; out.jsonl is unchanged", shown)
    assert "Traceback" not in shown
    assert (judgecore.folder / "out.jsonl").read_text() == "old\n"
    assert names_in(judgecore.folder) == ["out.jsonl", "replies.jsonl"]
