"""The ledger on a disk that is full, and in a folder that is read-only: what it held is whole, and the run goes on."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
from contextlib import closing, suppress
from shutil import which
from typing import TYPE_CHECKING

import pytest

import judgecore as jc
from judgecore.errors import LedgerError, LedgerWriteError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def mount(*arguments: str | Path) -> None:
    program = which("mount")
    assert program is not None
    subprocess.run([program, *arguments], check=True, capture_output=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB."""
    if os.geteuid() != 0 or which("mount") is None:
        pytest.skip("only root can mount a disk of 1 MB to fill")
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", folder)
    except subprocess.CalledProcessError as problem:
        pytest.skip(f"no disk can be mounted here: {problem.stderr.decode().strip()}")
    yield folder
    subprocess.run(["/bin/umount", folder], check=True)


def requests(number: int) -> list[jc.JudgeRequest]:
    return [jc.JudgeRequest(f"{place}: {'x' * 100}") for place in range(number)]


def judge(calls: list[str]) -> jc.CallableTarget:
    def answer(request: jc.JudgeRequest) -> str:
        calls.append(request.turns[0].text)
        return f"Rating: [[8]] {request.turns[0].text[:8]}"

    async def judged(request: jc.JudgeRequest) -> str:
        await asyncio.sleep(0)
        return answer(request)

    return jc.CallableTarget(judged, name="judge")


def test_a_full_disk_stops_the_run_loses_nothing_and_lets_it_go_on(small_disk: Path) -> None:
    path = small_disk / "run.ledger"
    asked = requests(1000)
    calls: list[str] = []

    with jc.Ledger(path) as ledger:
        with pytest.raises(LedgerWriteError) as caught:
            asyncio.run(jc.send_many(judge(calls), asked, ledger=ledger, concurrency=8))
        n_called = len(calls)
        with jc.LedgerReader(path) as reading:
            received = {entry.key: entry.raw for entry in reading.entries("received")}
        mount("-o", "remount,size=64m", small_disk)
        results = asyncio.run(jc.send_many(judge(calls), asked, ledger=ledger, concurrency=8))

    assert str(path) in str(caught.value)
    assert "free some space, then run again; the stored rows are intact" in str(caught.value)
    assert 0 < len(received) < 1000
    assert n_called - len(received) <= 2 * 8
    assert all(isinstance(result, jc.JudgeReply) for result in results)
    assert len(calls) <= 1000 + 8
    with jc.LedgerReader(path) as reading:
        kept = {entry.key: entry.raw for entry in reading.entries("received")}
    assert received.items() <= kept.items()
    assert len(kept) == 1000


def filling(disk: Path) -> jc.CallableTarget:
    """A judge whose first reply finds the disk full."""
    calls: list[str] = []

    async def judged(request: jc.JudgeRequest) -> str:
        calls.append(request.turns[0].text)
        if len(calls) == 1:
            fill(disk / "filler")
        return f"reply {len(calls)} {'x' * 20_000}"

    return jc.CallableTarget(judged, name="judge")


def fill(file: Path) -> None:
    with suppress(OSError), file.open("wb", buffering=0) as stream:
        while True:
            stream.write(bytes(4096))


def test_a_reply_that_found_no_room_is_kept_in_memory_until_there_is_some(small_disk: Path) -> None:
    target = filling(small_disk)

    with jc.Ledger(small_disk / "run.ledger") as ledger:
        with pytest.raises(LedgerWriteError):
            asyncio.run(ledger.send(target, jc.JudgeRequest("first")))
        (small_disk / "filler").unlink()
        asyncio.run(ledger.send(target, jc.JudgeRequest("second")))
        kept = asyncio.run(ledger.send(target, jc.JudgeRequest("first")))

    assert (kept.attempts, (kept.text or "")[:7]) == (0, "reply 1")


def test_a_ledger_that_can_not_keep_its_last_replies_says_how_many(small_disk: Path) -> None:
    path = small_disk / "run.ledger"
    ledger = jc.Ledger(path)
    with pytest.raises(LedgerWriteError):
        asyncio.run(ledger.send(filling(small_disk), jc.JudgeRequest("x")))

    with pytest.raises(LedgerError, match="1 reply could not be stored"):
        ledger.close()

    (small_disk / "filler").unlink()
    with jc.Ledger(path) as again:
        assert again.counts() == {"planned": 0, "sent": 1, "received": 0, "failed": 0, "resent": 0}
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_folder_that_is_read_only_can_be_read_and_not_written(small_disk: Path) -> None:
    path = small_disk / "run.ledger"
    with jc.Ledger(path) as ledger:
        asyncio.run(ledger.send(judge([]), jc.JudgeRequest("x")))
    mount("-o", "remount,ro", small_disk)

    with pytest.raises(LedgerWriteError, match="choose a folder that may be written"):
        jc.Ledger(path)
    with jc.LedgerReader(path) as reading:
        assert reading.counts()["received"] == 1


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        LedgerWriteError, match=r"none/run\.ledger: .* the folder .*none does not exist; create it first"
    ):
        jc.Ledger(tmp_path / "none" / "run.ledger")
