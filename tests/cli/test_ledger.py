"""``judgecore ledger``: shown, exported and merged, as a program."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import judgecore as jc
from judgecore.errors import CallableError, ConnectError

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Program


def answer(request: jc.JudgeRequest) -> str:
    text = request.turns[0].text
    if "bad" in text:
        raise CallableError("no \x1b[2Janswer")
    return "Rating: [[8]]" if "good" in text else "I do not know."


def run(path: Path, *prompts: str, name: str = "judge") -> None:
    with jc.Ledger(path) as ledger:
        target = jc.CallableTarget(answer, name=name)
        asyncio.run(jc.send_many(target, [jc.JudgeRequest(prompt) for prompt in prompts], ledger=ledger))


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "run.ledger"
    run(path, "good", "good too", "neither", "bad")
    return path


def test_a_ledger_is_shown_in_numbers(judgecore: Program, ledger: Path) -> None:
    done = judgecore("ledger", "show", ledger.name)

    shown = done.stdout.split()
    assert done.returncode == 0
    assert "run.ledger: 4 requests" in done.stdout
    for row in ("received 3", "sent, and failed 1", "planned 0", "judge 4", "answered 3", "CallableError 1"):
        assert row in " ".join(shown)
    assert "tried 4 times; 0 may have been asked twice" in " ".join(shown)


def test_requests_without_a_connection_are_counted_apart_from_sent_ones(judgecore: Program, ledger: Path) -> None:
    async def ask_nobody(port: int) -> None:
        nobody = jc.OpenAITarget(
            "judge", base_url=f"http://127.0.0.1:{port}/v1", api_key="any", pacing=jc.Pacing(attempts=1)
        )
        with jc.Ledger(ledger) as kept, pytest.raises(ConnectError):
            await kept.send(nobody, jc.JudgeRequest("good"))

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    asyncio.run(ask_nobody(port))

    shown = " ".join(judgecore("ledger", "show", ledger.name).stdout.split())

    assert "run.ledger: 5 requests" in shown
    assert "sent, and failed 1 no connection at the last try 1 planned 0" in shown
    assert "tried 5 times" in shown


def test_stored_replies_are_read_again_as_another_format(judgecore: Program, ledger: Path) -> None:
    as_rating = json.loads(judgecore("ledger", "show", ledger.name, "--format", "mt_bench.single", "--json").stdout)
    as_pair = json.loads(judgecore("ledger", "show", ledger.name, "--format", "mt_bench.pair", "--json").stdout)
    as_paper = json.loads(
        judgecore("ledger", "show", ledger.name, "--format", "lmms_eval.score", "--mode", "paper", "--json").stdout
    )

    assert as_rating["counts"] == {"planned": 0, "sent": 1, "received": 3, "failed": 1, "resent": 0}
    assert as_rating["readings"] == {
        "format": "mt_bench.single",
        "mode": "lenient",
        "material": False,
        "counts": {"ok": 2, "no_verdict": 1},
    }
    assert "ok" not in as_pair["readings"]["counts"]
    assert as_paper["readings"]["counts"] == {"ok": 3}


def test_a_row_is_shown_by_the_key_that_errors_name(judgecore: Program, ledger: Path) -> None:
    with jc.LedgerReader(ledger) as reading:
        key = next(entry.key for entry in reading.entries("sent"))

    row = json.loads(judgecore("ledger", "show", ledger.name, "--key", key).stdout)
    none = judgecore("ledger", "show", ledger.name, "--key", "no-such-key")

    assert (row["state"], row["request"]["turns"][0]["text"]) == ("sent", "bad")
    assert (none.returncode, "there is no request with the key no-such-key" in none.stderr) == (2, True)


def test_an_export_is_replayed_and_parsed(judgecore: Program, ledger: Path, tmp_path: Path) -> None:
    done = judgecore("ledger", "export", ledger.name, "--state", "received", "-o", "run.jsonl")
    parsed = judgecore("parse", "run.jsonl", "--format", "mt_bench.single", "--column", "reply", "--json")
    piped = judgecore("ledger", "export", ledger.name)

    assert done.returncode == 0
    assert json.loads(parsed.stdout)["counts"] == {"ok": 2, "no_verdict": 1}
    replayed = asyncio.run(jc.RecordedTarget(tmp_path / "run.jsonl").send(jc.JudgeRequest("good too")))
    assert replayed.text == "Rating: [[8]]"
    assert len(piped.stdout.splitlines()) == 4


@pytest.mark.parametrize("output", ["run.csv", "run.tsv.gz", "run.parquet", "run.arrow", "run.jsonl.zst"])
def test_an_export_is_a_table_of_the_kind_that_its_name_says(judgecore: Program, ledger: Path, output: str) -> None:
    done = judgecore("ledger", "export", ledger.name, "--state", "received", "-o", output)
    parsed = judgecore("parse", output, "--format", "mt_bench.single", "--column", "reply", "--json")

    assert done.returncode == 0, done.stderr
    assert json.loads(parsed.stdout)["counts"] == {"ok": 2, "no_verdict": 1}


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("run.json", "write run.jsonl"),
        ("run.txt", "unknown table extension"),
    ],
)
def test_an_export_that_no_such_table_holds_is_refused(
    judgecore: Program, ledger: Path, tmp_path: Path, output: str, said: str
) -> None:
    done = judgecore("ledger", "export", ledger.name, "-o", output)

    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / output).exists()


@pytest.mark.parametrize("output", ["same", "link.jsonl", "hard.jsonl"])
def test_an_export_is_never_written_over_its_ledger(
    judgecore: Program, ledger: Path, tmp_path: Path, output: str
) -> None:
    (tmp_path / "link.jsonl").symlink_to(ledger.name)
    (tmp_path / "hard.jsonl").hardlink_to(ledger)

    done = judgecore("ledger", "export", ledger.name, "-o", ledger.name if output == "same" else output)

    assert done.returncode == 2
    assert ledger.read_bytes().startswith(b"SQLite format 3")
    assert (tmp_path / "hard.jsonl").samefile(ledger)


def test_ledgers_are_merged(judgecore: Program, ledger: Path, tmp_path: Path) -> None:
    run(tmp_path / "other.ledger", "good", name="other")

    done = judgecore("ledger", "merge", "all.ledger", ledger.name, "other.ledger")

    assert done.stdout == "5 added, 5 in all, 4 of them with a reply\n"


@pytest.mark.parametrize("command", [["show"], ["export"], ["merge", "into"]])
def test_a_file_that_is_not_a_ledger_is_named(judgecore: Program, tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "notes.txt").write_text("no ledger\n" * 100)

    for name, says in (("notes.txt", "this is not a ledger"), ("none", "there is no such ledger")):
        done = judgecore("ledger", *command, name)
        assert (done.returncode, says in done.stderr) == (2, True)


def test_a_ledger_is_shown_while_another_process_writes_it(judgecore: Program, ledger: Path) -> None:
    code = (
        f"import judgecore as jc, time\nwith jc.Ledger({str(ledger)!r}):\n"
        "    print('open', flush=True)\n    time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        shown = judgecore("ledger", "show", ledger.name)
        merged = judgecore("ledger", "merge", ledger.name, "run.ledger")
        writer.kill()

    assert shown.returncode == 0
    assert merged.returncode == 2


def test_text_of_an_endpoint_cant_control_the_terminal(judgecore: Program, ledger: Path) -> None:
    done = judgecore("ledger", "export", ledger.name, "--state", "sent")

    assert "\x1b" not in done.stdout
    assert json.loads(done.stdout)["error"] == "CallableError: no \x1b[2Janswer"
