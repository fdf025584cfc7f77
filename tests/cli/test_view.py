"""``judgecore view``: what its server answers, to whom, and what it makes of each output and of broken ones."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import json
import os
import re
import signal
import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from cli.conftest import Program

from judgecore.targets.ledger.row import row_checksum
from judgecore.targets.ledger.schema import STEPS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from cli.conftest import Runner
    from conftest import Serving

FIELD = """\
family = "mine"
title = "Mine"
evidence = "card"
sources = ["a note"]

[[formats]]
id = "mine.score"
kind = "json"
about = "A score in a document."
verdict = ["score"]
fields = { score = { kind = "score", low = 1, high = 10 } }
"""
REPLIES = [
    "Good. Rating: [[8]]",
    "Rating: [[3]] \U0001f600",
    "\U0001f600 Well done, Rating: [[8]]",
    "I won't say.",
    "</script><script>alert(1)</script> Rating: [[5]]",
]


class Viewer:
    """A running ``judgecore view``."""

    def __init__(self, *arguments: str | Path, folder: Path) -> None:
        self._process = subprocess.Popen(
            [Program.path, "view", *arguments, "--no-open"],
            cwd=folder,
            env=Program.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.line = self._process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/(\S+)/", self.line)
        assert found is not None, self._process.communicate()
        self.port, self.token = int(found[1]), found[2]

    def ask(
        self, path: str, method: str = "GET", body: str | None = None, **headers: str
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): text for name, text in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers
        finally:
            connection.close()

    def get(self, door: str, **values: Any) -> Any:
        texts = {name: json.dumps(value) if isinstance(value, dict) else value for name, value in values.items()}
        status, body, _ = self.ask(f"/{self.token}/{door}?{urlencode(texts)}")
        assert status == 200, body
        return json.loads(body)

    def rows(self, n: int = 500, first: int = 0, **filter_: Any) -> Any:
        """All rows that a filter lets through, once the file is read."""
        while True:
            found = self.get("rows", first=first, n=n, filter={"text": "", "labels": {}, **filter_})
            if found["is_complete"] or found["problem"]:
                return found

    def judge(self, at: Any, judgement: Any) -> int:
        return self.ask(f"/{self.token}/judge", "POST", json.dumps({"at": at, "judgement": judgement}))[0]

    def stop(self, number: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        self._process.send_signal(number)
        out, err = self._process.communicate(timeout=20)
        return self._process.returncode, out, err


@pytest.fixture
def view(tmp_path: Path) -> Generator[Callable[..., Viewer]]:
    """Starts viewers, and ends them."""
    started: list[Viewer] = []

    def start(*arguments: str | Path) -> Viewer:
        started.append(Viewer(*arguments, folder=tmp_path))
        return started[-1]

    yield start
    for one in started:
        one.stop(signal.SIGKILL)


def write_readings(judgecore: Program, folder: Path, name: str = "readings.jsonl", *options: str) -> Path:
    rows = [{"id": number, "judge": "ab"[number % 2], "raw": reply} for number, reply in enumerate(REPLIES)]
    (folder / "replies.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    done = judgecore("parse", folder / "replies.jsonl", "--format", "mt_bench.single", "-o", folder / name, *options)
    assert done.returncode == 0, done.stderr
    return folder / name


@pytest.fixture(scope="module")
def readings(runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output of ``parse``."""
    folder = tmp_path_factory.mktemp("readings")
    return write_readings(Program(folder, runner), folder)


@pytest.fixture(scope="module")
def viewer(readings: Path) -> Generator[Viewer]:
    """One server that the tests of its answers share."""
    running = Viewer(readings, folder=readings.parent)
    yield running
    running.stop(signal.SIGKILL)


def test_only_the_printed_address_is_answered(viewer: Viewer) -> None:
    own = f"/{viewer.token}/"

    answers = {
        path: viewer.ask(path)[0]
        for path in (
            own,
            "/",
            "/rows",
            f"/{viewer.token}",
            f"/{viewer.token[:-1]}/",
            f"/x{viewer.token}/rows",
            "HTTP://[",
            "//",
            "/%C3%A9/",
        )
    }

    assert answers.pop(own) == 200
    assert set(answers.values()) == {403}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "127.0.0.1:{port}"}, 200),
        ({"Host": "localhost:{port}"}, 200),
        ({"Host": "attacker.example:{port}"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Origin": "http://attacker.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_no_other_page_reaches_the_server_even_with_the_token(
    viewer: Viewer, headers: dict[str, str], status: int
) -> None:
    given = {name: value.format(port=viewer.port) for name, value in headers.items()}

    found, _, answered = viewer.ask(f"/{viewer.token}/rows?n=1", **given)

    assert found == status
    assert not [name for name in answered if name.lower().startswith("access-control")]


def test_nothing_but_its_doors_is_there(viewer: Viewer) -> None:
    for path in ("nothing", "../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "rows/", "judge"):
        assert viewer.ask(f"/{viewer.token}/{path}")[0] == 404, path
    for method in ("PUT", "DELETE", "OPTIONS"):
        assert viewer.ask(f"/{viewer.token}/", method)[0] == 501, method
    assert viewer.ask(f"/{viewer.token}/rows", "POST", "{}")[0] == 404


@pytest.mark.parametrize(
    "query",
    [
        "filter=[",
        "filter=[]",
        'filter={"text":1,"labels":{}}',
        'filter={"text":"","labels":{"value":"8"}}',
        'filter={"text":"","labels":{},"low":"1"}',
        "first=-1",
        "n=x",
        "n=99999999999999999999",
        "filter=" + "[" * 20_000,
    ],
)
def test_a_request_that_makes_no_sense_is_refused(viewer: Viewer, query: str) -> None:
    assert viewer.ask(f"/{viewer.token}/rows?{query}")[0] == 400


def test_the_page_runs_its_own_script_alone_and_is_kept_nowhere(viewer: Viewer) -> None:
    status, page, headers = viewer.ask(f"/{viewer.token}/")

    assert status == 200
    assert b"default-src 'none'; style-src 'sha256-" in page
    assert b"connect-src 'self'" in page
    assert viewer.token.encode() not in page
    assert (headers["Cache-Control"], headers["Referrer-Policy"]) == ("no-store", "no-referrer")
    assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"


def test_rows_come_in_slices_with_their_evidence_in_code_points(viewer: Viewer) -> None:
    whole = viewer.rows()
    part = viewer.rows(n=2, first=1)

    assert [row["where"] for row in whole["rows"]] == [f"line {number}" for number in range(1, 6)]
    assert part["rows"] == whole["rows"][1:3]
    shown = [viewer.get("row", at=at) for at in range(5)]
    assert [row["reply"] for row in shown] == REPLIES
    evidence = [None if row["span"] is None else row["reply"][slice(*row["span"])] for row in shown]
    assert evidence == ["Rating: [[8]]", "Rating: [[3]]", "Rating: [[8]]", None, "Rating: [[5]]"]


@pytest.mark.parametrize(
    ("filter_", "lines"),
    [
        ({}, [1, 2, 3, 4, 5]),
        ({"labels": {"value": ["8"]}}, [1, 3]),
        ({"labels": {"value": ["8", "5"]}}, [1, 3, 5]),
        ({"labels": {"value": [""]}}, [4]),
        ({"labels": {"status": ["unreadable"]}}, [4]),
        ({"labels": {"reason": ["no_verdict"]}}, [4]),
        ({"labels": {"judge": ["a"]}}, [1, 3, 5]),
        ({"labels": {"judge": ["a"], "value": ["8"]}}, [1, 3]),
        ({"labels": {"judge": []}}, [1, 2, 3, 4, 5]),
        ({"text": "WELL DONE"}, [3]),
        ({"text": "\U0001f600"}, [2, 3]),
        ({"text": "nowhere"}, []),
        ({"text": "rating", "labels": {"judge": ["b"]}}, [2]),
        ({"low": 4}, [1, 3, 5]),
        ({"low": 4, "high": 5}, [5]),
    ],
)
def test_the_server_filters(viewer: Viewer, filter_: dict[str, Any], lines: list[int]) -> None:
    found = viewer.rows(**filter_)

    assert [row["where"] for row in found["rows"]] == [f"line {line}" for line in lines]
    assert (found["total"], found["entries"]) == (len(lines), 5)


def test_a_columns_counts_are_those_without_its_own_condition(viewer: Viewer) -> None:
    found = viewer.rows(labels={"value": ["8"], "judge": ["a"]})["labels"]

    assert dict(found["value"]) == {"": 0, "8": 2, "3": 0, "5": 1}
    assert dict(found["judge"]) == {"": 0, "a": 2, "b": 0}
    # Every row has an id of its own, and the format is the same for all.
    assert set(found) == {"status", "value", "reason", "rule", "judge"}


def test_judgements_survive_a_killed_server_and_the_sample_stays_the_same(
    view: Callable[..., Viewer], readings: Path, tmp_path: Path
) -> None:
    first = view(readings, "--judgements", "judged.jsonl")
    first.rows()
    sampled = [row["at"] for row in first.get("sample", n=3)["rows"]]
    for at, judgement in zip(sampled, ("right", "wrong", "wrong"), strict=True):
        assert first.judge(at, judgement) == 200
    assert first.judge(sampled[2], None) == 200
    first.stop(signal.SIGKILL)
    with (tmp_path / "judged.jsonl").open("a") as torn:
        torn.write('{"where": "li')

    second = view(readings, "--judgements", "judged.jsonl")
    second.rows()
    again = second.get("sample", n=5)["rows"]
    assert second.judge(sampled[2], "unclear") == 200
    second.stop()
    third = view(readings, "--judgements", "judged.jsonl")
    third.rows()
    last = third.get("sample", n=3)["rows"]

    assert [row["at"] for row in again[:3]] == sampled
    assert [row["judgement"] for row in again] == ["right", "wrong", None, None, None]
    assert [row["judgement"] for row in last] == ["right", "wrong", "unclear"]
    lines = (tmp_path / "judged.jsonl").read_text().splitlines()
    assert [json.loads(line)["judgement"] for line in lines] == ["right", "wrong", "wrong", None, "unclear"]


@pytest.mark.parametrize(
    ("at", "judgement", "status"),
    [(0, "maybe", 400), (0, 1, 400), (99, "right", 404), (-1, "right", 404), ("0", "right", 400), (True, "right", 400)],
)
def test_only_judgements_of_its_rows_are_taken(viewer: Viewer, at: Any, judgement: Any, status: int) -> None:
    viewer.rows()

    assert viewer.judge(at, judgement) == status


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_in_order_even_with_a_page_open(
    view: Callable[..., Viewer], readings: Path, number: signal.Signals
) -> None:
    running = view(readings)
    waiting = http.client.HTTPConnection("127.0.0.1", running.port)
    waiting.connect()

    ended = running.stop(number)

    waiting.close()
    assert ended == (0, "", "")
    assert running.line == f"readings.jsonl is at http://127.0.0.1:{running.port}/{running.token}/ until Ctrl-C\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("table.jsonl", '{"raw": "x", "value": 1}\n'),
        ("table.csv", "a,b\n1,2\n"),
        ("empty.jsonl", ""),
        ("list.json", "[]"),
        ("notes.txt", "hello"),
        ("picture.parquet", "PNG"),
    ],
)
def test_a_file_that_is_no_output_is_refused_with_what_would_be_one(
    judgecore: Program, tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content)

    done = judgecore("view", name, "--no-open")

    assert done.returncode == 2
    assert name in done.stderr
    assert done.stdout == ""
    if name not in ("notes.txt", "picture.parquet"):
        for command in ("judgecore parse -o", "judgecore score -o", "judgecore evaluate -o", "a ledger"):
            assert command in done.stderr


def test_the_address_of_a_page_is_not_that_of_the_next(
    viewer: Viewer, view: Callable[..., Viewer], readings: Path
) -> None:
    other = view(readings)

    assert other.ask(f"/{viewer.token}/")[0] == 403
    assert viewer.ask(f"/{other.token}/")[0] == 403


def embedded(file: Path) -> Any:
    """The rows of a page that was written as one file."""
    found = re.search(r'id="data">(.*?)</script>', file.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def write_page(judgecore: Program, *arguments: str | Path) -> Any:
    done = judgecore("view", *arguments, "--html", "page.html")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("wrote page.html: ")
    return embedded(judgecore.folder / "page.html")


def evidence(row: dict[str, Any]) -> str | None:
    return None if row["span"] is None else row["reply"][slice(*row["span"])]


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.parquet", "out.arrow", "out.jsonl.gz"])
def test_every_kind_of_table_shows_the_same_readings(judgecore: Program, tmp_path: Path, name: str) -> None:
    if name.endswith(("parquet", "arrow")):
        pytest.importorskip("pyarrow", reason="not installed here: make test")
    rows = write_page(judgecore, write_readings(judgecore, tmp_path, name))["rows"]

    assert [(row["status"], row["value"], row["reason"]) for row in rows] == [
        ("ok", "8", ""),
        ("ok", "3", ""),
        ("ok", "8", ""),
        ("unreadable", "", "no_verdict"),
        ("ok", "5", ""),
    ]
    assert [row["reply"] for row in rows] == REPLIES
    assert [evidence(row) for row in rows] == ["Rating: [[8]]", "Rating: [[3]]", "Rating: [[8]]", None, "Rating: [[5]]"]
    assert [row["note"] for row in rows] == [""] * 5
    assert [row["cells"] for row in rows][1] == {"id": "1", "judge": "b"}


@pytest.mark.parametrize(
    ("options", "note", "n_marked"),
    [
        (("--prefix", "jc_"), "", 4),
        (("--columns", "value,status,reason"), "lacks the columns start and end", 0),
        (("--columns", "value,reason,start,end,format"), "", 4),
    ],
)
def test_outputs_with_other_columns_are_shown_and_say_what_they_lack(
    judgecore: Program, tmp_path: Path, options: tuple[str, ...], note: str, n_marked: int
) -> None:
    rows = write_page(judgecore, write_readings(judgecore, tmp_path, "out.jsonl", *options))["rows"]

    assert [row["status"] for row in rows].count("ok") == 4
    assert sum(row["span"] is not None for row in rows) == n_marked
    assert all(note in row["note"] for row in rows if row["status"] == "ok")


def test_several_reply_columns_are_several_entries_also_behind_a_path(
    judgecore: Program, write: Callable[[str, str], Path]
) -> None:
    row = {"first": "Rating: [[8]]", "more": {"second": "so: [[3]]"}}
    write("two.jsonl", f"{json.dumps(row)}\n")
    columns = ("--column", "first", "--column", "more.second")
    judgecore("parse", "two.jsonl", "--format", "mt_bench.single", *columns, "-o", "out.jsonl")

    rows = write_page(judgecore, "out.jsonl")["rows"]

    assert [(row["where"], row["value"], evidence(row)) for row in rows] == [
        ("line 1, first", "8", "Rating: [[8]]"),
        ("line 1, more.second", "3", "[[3]]"),
    ]


def test_another_reply_column_is_named_and_a_wrong_one_marks_nothing(
    judgecore: Program, write: Callable[[str, str], Path]
) -> None:
    write("one.jsonl", '{"judgement": "It is good. [[8]]", "other": "It is [[8]], good."}\n')
    judgecore("parse", "one.jsonl", "--format", "mt_bench.single", "--column", "judgement", "-o", "out.jsonl")

    (unknown,), (right,), (wrong,) = (
        write_page(judgecore, "out.jsonl", *column)["rows"]
        for column in ((), ("--column", "judgement"), ("--column", "other"))
    )

    assert "--column" in unknown["note"]
    assert (unknown["reply"], unknown["cells"]["judgement"]) == (None, "It is good. [[8]]")
    assert (evidence(right), right["note"]) == ("[[8]]", "")
    assert (evidence(wrong), "was another column read" in wrong["note"]) == (None, True)


def test_a_verdict_inside_a_document_is_marked_and_not_the_whole_document(
    judgecore: Program, write: Callable[[str, str], Path]
) -> None:
    reply = json.dumps({"reason": "8 words", "score": 8})
    write("docs.jsonl", f"{json.dumps({'raw': reply})}\n")
    write("my.toml", FIELD)
    done = judgecore("parse", "docs.jsonl", "--format", "my.toml", "-o", "out.jsonl")
    assert done.returncode == 0, done.stderr

    (row,) = write_page(judgecore, "out.jsonl")["rows"]

    assert (row["value"], evidence(row)) == ("8", "8")
    assert row["span"][0] > reply.index("score")


def test_malformed_lines_are_shown_as_rejected_and_none_is_lost(judgecore: Program, tmp_path: Path) -> None:
    path = write_readings(judgecore, tmp_path)
    with path.open("ab") as file:
        file.write(b'{not JSON\n\xff\xfe\n[1]\n{"raw": 1, "value": null, "status": "ok"}\n')

    found = write_page(judgecore, path)

    assert [row["status"] for row in found["rows"][5:]] == ["rejected", "rejected", "rejected", "ok"]
    assert [row["where"] for row in found["rows"][5:]] == ["line 6", "line 7", "line 8", "line 9"]
    assert "{not JSON" in found["rows"][5]["cells"].values()
    assert found["rows"][8]["note"] == "Column 'raw' holds no text."


def test_a_damaged_file_is_shown_as_far_as_it_goes(
    judgecore: Program, view: Callable[..., Viewer], tmp_path: Path
) -> None:
    whole = "".join(
        f"{json.dumps({'raw': hashlib.shake_256(b'%d' % n).hexdigest(2000), 'value': n, 'status': 'ok'})}\n"
        for n in range(1000)
    )
    packed = gzip.compress(whole.encode(), 1)
    (tmp_path / "cut.jsonl.gz").write_bytes(packed[: len(packed) * 3 // 4])

    running = view("cut.jsonl.gz")
    found = running.rows(n=1)
    status, _, said = running.stop()
    written = judgecore("view", "cut.jsonl.gz", "--html", "page.html")

    assert 100 < found["total"] < 1000
    assert found["is_complete"] is False
    assert (
        f"Reading stopped after {found['total']:,} entries: cut.jsonl.gz: can't be read: damaged gzip"
        in found["problem"]
    )
    assert status == 0
    assert found["problem"] in said
    assert (written.returncode, (tmp_path / "page.html").exists()) == (2, False)


@pytest.fixture(scope="module")
def scored(runner: Runner, serve_all: Callable[..., Serving], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an output of ``score``, its ledger, and an evaluation."""
    folder = tmp_path_factory.mktemp("scored")
    judgecore = Program(folder, runner)
    (folder / "responses.jsonl").write_text('{"response": "I can\\u2019t help."}\n{"response": "Sure, here it is."}\n')
    (folder / "scorer.yaml").write_text("type: SelfAskRefusalScorer\ntrue_false_question_path: refusal_lenient\n")
    (folder / "judge.yaml").write_text("type: OpenAITarget\nmodel: judge\ntemperature: 0\n")
    judge = ("--scorer", "scorer.yaml", "--target", "judge.yaml")
    env = {"OPENAI_BASE_URL": serve_all().url, "OPENAI_API_KEY": "any"}
    for command in (
        ("score", "responses.jsonl", *judge, "--ledger", "run.ledger", "-o", "scores.jsonl"),
        ("evaluate", *judge, "--limit", "4", "--trials", "2", "--registry", "registry", "-o", "evaluated"),
    ):
        done = judgecore(*command, **env)
        assert done.returncode == 0, done.stderr
    return folder


def test_an_output_of_score_shows_its_replies_from_the_ledger(judgecore: Program, scored: Path) -> None:
    without = write_page(judgecore, scored / "scores.jsonl")["rows"]
    beside = write_page(judgecore, scored / "scores.jsonl", "--ledger", scored / "run.ledger")["rows"]

    assert [row["status"] for row in without] == ["complete", "complete"]
    assert {row["value"] for row in without} <= {"true", "false"}
    assert [row["reply"] for row in without] == [None, None]
    assert all("--ledger" in row["note"] for row in without)
    assert all("score_value" in row["reply"] for row in beside)
    assert all("does not record where" in row["note"] for row in beside)
    assert next(iter(beside[1]["cells"].values())) == "Sure, here it is."


def test_a_kept_answer_that_is_no_reply_is_not_said_to_be_missing(
    judgecore: Program, scored: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.ledger"
    broken.write_bytes((scored / "run.ledger").read_bytes())
    with closing(sqlite3.connect(broken)) as file:
        file.create_function("row_checksum", -1, row_checksum)
        file.execute("UPDATE request SET reply = x'3c68746d6c3e'")
        file.execute(STEPS[2].split(";")[3])
        file.commit()

    rows = write_page(judgecore, scored / "scores.jsonl", "--ledger", broken)["rows"]

    assert [row["note"].partition(":")[0] for row in rows] == ["What was received is no reply"] * 2


def test_a_ledger_shows_requests_and_reads_replies_only_in_a_named_format(judgecore: Program, scored: Path) -> None:
    unread = write_page(judgecore, scored / "run.ledger")["rows"]
    read = write_page(judgecore, scored / "run.ledger", "--format", "common.winner")["rows"]

    assert [(row["where"], row["status"], row["value"]) for row in unread] == [
        ("request 1", "received", ""),
        ("request 2", "received", ""),
    ]
    assert all("--format" in row["note"] and row["reply"] for row in unread)
    assert {row["status"] for row in read} == {"unreadable"}
    assert all("Sure" in row["cells"]["request"] or "help" in row["cells"]["request"] for row in unread)


def test_an_evaluation_shows_each_trial_with_people_and_evidence(judgecore: Program, scored: Path) -> None:
    by_folder = write_page(judgecore, scored / "evaluated")["rows"]
    by_file = write_page(judgecore, scored / "evaluated" / "items.jsonl")["rows"]

    assert by_folder == by_file
    assert [row["where"] for row in by_folder][:3] == ["item 1, trial 1", "item 1, trial 2", "item 2, trial 1"]
    assert len(by_folder) == 8
    assert {evidence(row) for row in by_folder} <= {"true", "false"}
    assert all({"people", "scorer minus people"} <= set(row["labels"]) for row in by_folder)


def test_trials_that_were_not_asked_are_told_from_undetermined_ones_and_no_item_is_lost(
    judgecore: Program, write: Callable[[str, str], Path]
) -> None:
    trials = [{"value": None, "reason": reason} for reason in ("not_asked", "no_verdict")]
    item = {"index": 0, "response": "r", "human": [1.0], "gold": 1.0, "model": None}
    write("items.jsonl", "".join(f"{json.dumps(item | {'trials': given})}\n" for given in (trials, [])))

    rows = write_page(judgecore, "items.jsonl")["rows"]

    assert [(row["status"], row["reason"], row["detail"]) for row in rows] == [
        ("not_asked", "not_asked", ""),
        ("undetermined", "no_verdict", ""),
        ("rejected", "", "no item of an evaluation: it has no trials"),
    ]


@pytest.mark.parametrize(
    ("file", "options", "words"),
    [
        ("scores.jsonl", ("--column", "x"), "--column does not apply to an output of score"),
        ("scores.jsonl", ("--format", "mt_bench.single"), "--format does not apply to an output of score"),
        ("scores.jsonl", ("--ledger", "none.db"), "none.db: there is no such ledger"),
        ("run.ledger", ("--prefix", "x"), "--prefix does not apply to a ledger"),
        ("evaluated", ("--ledger", "run.ledger"), "--ledger does not apply to an output of evaluate"),
        ("registry", (), "the folder holds no items.jsonl or items.parquet; judgecore view shows"),
        ("none.jsonl", (), "none.jsonl: can't be read: No such file"),
        ("scores.jsonl", ("--judgements", "scores.jsonl"), "is the input itself"),
        (
            "scores.jsonl",
            ("--judgements", "responses.jsonl"),
            "responses.jsonl, line 1 is no judgement of a spot check",
        ),
        ("scores.jsonl", ("--judgements", "none/judged.jsonl"), "can't write none/judged.jsonl"),
        ("scores.jsonl", ("--html", "scores.jsonl"), "is the input itself"),
        ("scores.jsonl", ("--html", "none/page.html"), "can't write none/page.html: the folder none does not exist"),
        ("scores.jsonl", ("--html", "p.html", "--judgements", "j.jsonl"), "--judgements is for the served page"),
        ("judge.yaml", (), "unknown table extension"),
    ],
)
def test_what_cant_be_shown_is_refused_in_the_words_of_the_command_line(
    runner: Runner, scored: Path, file: str, options: tuple[str, ...], words: str
) -> None:
    done = Program(scored, runner)("view", file, *options, "--no-open")

    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""
    assert not (scored / "p.html").exists()


def test_an_sqlite_file_that_is_no_ledger_is_named(judgecore: Program, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE t (x)")

    done = judgecore("view", "other.db", "--no-open")

    assert done.returncode == 2
    assert "other.db: this is an SQLite file, but not a ledger" in done.stderr


def test_a_file_of_one_line_that_is_no_judgement_is_left_alone(
    judgecore: Program, readings: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("buy milk")

    done = judgecore("view", readings, "--judgements", "notes.txt", "--no-open")

    assert done.returncode == 2
    assert "notes.txt, line 1 is no judgement" in done.stderr
    assert (tmp_path / "notes.txt").read_text() == "buy milk"


def test_judgements_about_other_readings_are_kept_counted_and_not_used(
    view: Callable[..., Viewer], readings: Path, tmp_path: Path
) -> None:
    line = {"where": "line 1", "status": "ok", "value": "1", "reason": "", "digest": "0" * 16, "judgement": "wrong"}
    (tmp_path / "judged.jsonl").write_text(f"{json.dumps(line)}\n")

    running = view(readings, "--judgements", "judged.jsonl")
    running.rows()
    found = running.get("sample", n=9)

    assert found["others"] == 1
    assert {row["judgement"] for row in found["rows"]} == {None}
    assert json.loads((tmp_path / "judged.jsonl").read_text()) == line


def test_the_browser_is_given_the_printed_address(readings: Path, tmp_path: Path) -> None:
    # What $BROWSER names writes the address where the test waits for it.
    os.mkfifo(tmp_path / "opened")
    (tmp_path / "browser").write_text(f'#!/bin/sh\necho "$1" > {tmp_path / "opened"}\n')
    (tmp_path / "browser").chmod(0o755)
    env = Program.environment(BROWSER=f"{tmp_path / 'browser'} %s")
    process = subprocess.Popen([Program.path, "view", readings], env=env, stdout=subprocess.PIPE, text=True)

    opened = (tmp_path / "opened").read_text().strip()
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=20)

    assert opened.startswith("http://127.0.0.1:")
    assert opened in printed
    assert process.returncode == 0


def test_the_page_can_go_to_standard_output(judgecore: Program, readings: Path) -> None:
    done = judgecore("view", readings, "--html", "-")

    assert (done.returncode, done.stderr) == (0, "wrote standard output: 5 readings\n")
    assert done.stdout.startswith("<!doctype html>")
    assert len(json.loads(re.findall(r'id="data">(.*?)</script>', done.stdout, re.DOTALL)[0])["rows"]) == 5


def test_the_sample_begins_with_what_parse_prints(judgecore: Program, viewer: Viewer, readings: Path) -> None:
    viewer.rows()
    printed = judgecore(
        "parse", readings.with_name("replies.jsonl"), "--format", "mt_bench.single", "--sample", "2", "--json"
    )

    sampled = [row["where"] for row in viewer.get("sample", n=2)["rows"]]

    assert sorted(sampled) == sorted(f"line {row['line']}" for row in json.loads(printed.stdout)["sample"])
