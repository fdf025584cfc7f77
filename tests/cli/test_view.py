"""``judgecore view``: what its server answers, to whom, and what it makes of each output and of broken ones."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import pytest
from cli.conftest import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from cli.conftest import Runner

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

    assert [row["at"] for row in again[:3]] == sampled
    assert [row["judgement"] for row in again] == ["right", "wrong", None, None, None]
    lines = [line for line in (tmp_path / "judged.jsonl").read_text().splitlines() if line != '{"where": "li']
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


def test_urls_of_a_page_are_not_those_of_the_next(view: Callable[..., Viewer], readings: Path) -> None:
    one, other = view(readings), view(readings)

    assert one.token != other.token
    assert urlsplit(f"/{one.token}/").path == f"/{one.token}/"
    assert other.ask(f"/{one.token}/")[0] == 403
