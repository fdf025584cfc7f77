"""The ledger: what is committed when, what is asked again, and who may open it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore.errors import (
    CallableError,
    LedgerError,
    LedgerLockedError,
    LedgerVersionError,
    MalformedReplyError,
)
from judgecore.server import JudgeServer
from judgecore.targets.ledger.row import row_checksum
from judgecore.targets.ledger.schema import APPLICATION_ID, STEPS, VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from targets.conftest import ScriptedServer

    from judgecore.targets import LedgerEntry

REQUEST = jc.JudgeRequest("Is it good? Answer yes or no.")


class Counting:
    """A target that counts, and answers with the count."""

    def __init__(self, name: str = "counting") -> None:
        self.n_sent = 0
        self._name = name

    async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
        self.n_sent += 1
        if "fail" in request.turns[-1].text:
            raise CallableError("it failed")
        return jc.JudgeReply(text=f"{self.n_sent}", usage=jc.targets.TokenUsage(3, 4))

    def get_identifier(self) -> jc.ComponentIdentifier:
        return jc.ComponentIdentifier(class_name="Counting", class_module="tests", params={"name": self._name})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.ledger"


@pytest.fixture
def ledger(path: Path) -> Iterator[jc.Ledger]:
    with jc.Ledger(path) as opened:
        yield opened


def rewrite(path: Path, change: str) -> None:
    """Change all rows as one who writes ledgers does, with their checksums."""
    with closing(sqlite3.connect(path)) as file:
        file.create_function("row_checksum", -1, row_checksum)
        file.execute(f"UPDATE request SET {change}")  # noqa: S608 - the tests' own words
        file.execute(STEPS[2].split(";")[3])
        file.commit()


def send(ledger: jc.Ledger, target: jc.Target, *requests: jc.JudgeRequest) -> list[str | None]:
    async def all_of_them() -> list[str | None]:
        return [(await ledger.send(target, request)).text for request in requests]

    return asyncio.run(all_of_them())


def test_what_was_received_is_never_asked_again(ledger: jc.Ledger) -> None:
    target = Counting()

    texts = send(ledger, target, REQUEST, REQUEST, jc.JudgeRequest("other"), REQUEST)

    assert (texts, target.n_sent) == (["1", "1", "2", "1"], 2)


def test_trials_asks_and_targets_are_rows_of_their_own(ledger: jc.Ledger) -> None:
    target, other = Counting(), Counting("other")
    text = "Is it good?"
    requests = [jc.JudgeRequest(text, trial=trial, ask=ask) for trial in range(2) for ask in range(2)]

    texts = send(ledger, target, *requests, *requests)
    more = send(ledger, other, *requests)

    assert texts == ["1", "2", "3", "4"] * 2
    assert more == ["1", "2", "3", "4"]
    keys = {entry.key for entry in ledger.entries()}
    assert len(keys) == 8
    assert {(0, 0), (0, 1), (1, 0), (1, 1)} == {(entry.trial, entry.ask) for entry in ledger.entries()}


def test_what_failed_is_asked_again_and_keeps_its_error_until_then(ledger: jc.Ledger) -> None:
    target = Counting()
    for _ in range(2):
        with pytest.raises(CallableError, match="it failed"):
            send(ledger, target, jc.JudgeRequest("fail"))

    (entry,) = ledger.entries()
    assert (entry.state, entry.error) == ("sent", "CallableError: it failed")
    assert (target.n_sent, entry.attempts, entry.resent) == (2, 2, 0)
    assert ledger.counts() == {"planned": 0, "sent": 1, "received": 0, "failed": 1, "resent": 0}


def test_a_row_holds_all_that_happened(ledger: jc.Ledger) -> None:
    async def ask() -> LedgerEntry:
        reply = await ledger.send(Counting(), jc.JudgeRequest("Is it good?", system="You judge.", trial=1))
        return ledger.find(reply.key or "")

    entry = asyncio.run(ask())

    assert (
        entry.state,
        entry.outcome,
        entry.prompt_tokens,
        entry.completion_tokens,
        entry.trial,
        entry.resent,
    ) == ("received", "answered", 3, 4, 1, 0)
    assert entry.request == {"system": "You judge.", "turns": [{"role": "user", "text": "Is it good?"}]}
    assert entry.question == jc.JudgeRequest("Is it good?", system="You judge.").hash
    assert entry.target == Counting().get_identifier().hash == entry.identity["hash"]
    assert entry.sent_at is not None
    assert entry.received_at is not None
    assert entry.planned_at <= entry.sent_at <= entry.received_at
    assert entry.reply().text == "1"


def test_the_content_is_the_hash_of_what_was_sent(ledger: jc.Ledger) -> None:
    async def ask() -> tuple[bytes, jc.JudgeReply]:
        async with JudgeServer() as server, jc.OpenAITarget("m", base_url=server.url, api_key="k") as target:
            return target.payload(REQUEST), await ledger.send(target, REQUEST)

    payload, reply = asyncio.run(ask())

    (entry,) = ledger.entries()
    assert entry.content == jc.content_hash(json.loads(payload))
    assert (entry.raw, entry.key) == (reply.raw, reply.key)
    assert entry.key.startswith(entry.content[:16] + "." + entry.target[:8])


def test_sent_is_committed_before_the_request_leaves(path: Path, scripted: ScriptedServer) -> None:
    seen: list[tuple[str, int]] = []

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await scripted.read_request(reader):
            with jc.LedgerReader(path) as reading:
                seen.extend((entry.state, entry.attempts) for entry in reading.entries())
            writer.write(b"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n")

    async def ask() -> None:
        pacing = jc.Pacing(attempts=2, backoff_s=0.01)
        with jc.Ledger(path) as ledger:
            async with (
                scripted(converse),
                jc.OpenAITarget("m", base_url=scripted.url, api_key="k", pacing=pacing) as target,
            ):
                await ledger.send(target, REQUEST)

    with pytest.raises(jc.errors.TargetError):
        asyncio.run(ask())

    assert seen == [("sent", 1), ("sent", 2)]


def test_received_is_committed_before_anything_is_read(path: Path, ledger: jc.Ledger) -> None:
    seen: list[tuple[str, bytes | None]] = []

    @jc.targets.register_target("looking")
    class Looking(jc.OpenAITarget):
        @classmethod
        def read(cls, raw: bytes) -> jc.JudgeReply:
            with jc.LedgerReader(path) as reading:
                seen.extend((entry.state, entry.raw) for entry in reading.entries())
            raise MalformedReplyError(f"{len(raw)} bytes")

    async def ask() -> None:
        async with JudgeServer() as server, Looking("m", base_url=server.url, api_key="k") as target:
            await ledger.send(target, REQUEST)

    with pytest.raises(MalformedReplyError):
        asyncio.run(ask())

    ((state, raw),) = seen
    assert state == "received"
    assert raw is not None
    assert raw.startswith(b'{"id": "chatcmpl-')


def test_a_process_that_ended_before_it_read_an_answer_that_is_none_asks_again(path: Path) -> None:
    with jc.Ledger(path) as ledger:
        send(ledger, Counting(), REQUEST)
    rewrite(path, "reply = x'3c68746d6c3e'")

    with jc.Ledger(path) as ledger:
        target = Counting()
        send(ledger, target, REQUEST)

    assert target.n_sent == 1


def test_what_was_in_flight_when_a_process_ended_is_counted_when_it_is_sent_again(path: Path) -> None:
    with jc.Ledger(path) as ledger:
        send(ledger, Counting(), REQUEST)
    rewrite(path, "state = 'sent', reply = NULL, received_at = NULL")

    with jc.Ledger(path) as ledger:
        send(ledger, Counting(), REQUEST)
        (entry,) = ledger.entries()

    assert (entry.state, entry.attempts, entry.resent) == ("received", 2, 1)


def test_a_stored_reply_is_read_with_another_format_and_mode_and_nothing_is_sent(ledger: jc.Ledger) -> None:
    target = jc.CallableTarget(lambda _: "On a scale of 1-10 I give 7", name="seven")
    send(ledger, target, REQUEST)

    (entry,) = ledger.entries("received")

    assert entry.reply().read("lmms_eval.score").unwrap() == 7
    assert entry.reply().read("lmms_eval.score", mode="paper").unwrap() == 1
    assert not entry.reply().read("mt_bench.pair").ok
    assert list(ledger.entries("sent")) == []


def test_one_question_asked_twice_at_once_is_sent_once(ledger: jc.Ledger) -> None:
    class Slow(Counting):
        async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
            await asyncio.sleep(0.05)
            return await super().send(request)

    target = Slow()

    async def ask() -> list[jc.JudgeReply]:
        return await asyncio.gather(*(ledger.send(target, REQUEST) for _ in range(5)))

    replies = asyncio.run(ask())

    assert ([reply.text for reply in replies], target.n_sent) == (["1"] * 5, 1)
    assert sorted(reply.attempts for reply in replies) == [0, 0, 0, 0, 1]


def test_who_waits_for_anothers_answer_asks_alone_when_that_one_is_cancelled(ledger: jc.Ledger) -> None:
    class Slow(Counting):
        async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
            await asyncio.sleep(0.1)
            return await super().send(request)

    async def ask() -> jc.JudgeReply:
        target = Slow()
        first = asyncio.ensure_future(ledger.send(target, REQUEST))
        await asyncio.sleep(0.05)
        second = asyncio.ensure_future(ledger.send(target, REQUEST))
        await asyncio.sleep(0.02)
        first.cancel()
        return await second

    assert asyncio.run(ask()).text == "1"


def test_a_ledger_in_memory_keeps_what_it_was_told() -> None:
    target = Counting()

    with jc.Ledger() as ledger:
        send(ledger, target, REQUEST, REQUEST)
        counts = ledger.counts()

    assert (target.n_sent, counts["received"]) == (1, 1)


def test_a_closed_ledger_says_so_and_closes_again(path: Path) -> None:
    ledger = jc.Ledger(path)
    ledger.close()
    ledger.close()

    with pytest.raises(ValueError, match="the ledger is closed"):
        send(ledger, Counting(), REQUEST)


@pytest.mark.parametrize(("durable", "want"), [(False, 1), (True, 2)])
def test_durability_is_that_of_sqlite(path: Path, *, durable: bool, want: int) -> None:
    with jc.Ledger(path, durable=durable) as ledger:
        connection: Any = getattr(ledger, "_writing")  # noqa: B009 - a look inside, at what no behaviour shows

        assert ("wal", want) == (
            connection.execute("PRAGMA journal_mode").fetchone()[0],
            connection.execute("PRAGMA synchronous").fetchone()[0],
        )


def test_readers_see_a_run_while_it_is_written(path: Path, ledger: jc.Ledger) -> None:
    with jc.LedgerReader(path) as reading:
        before = reading.counts()["received"]
        send(ledger, Counting(), REQUEST)
        after = reading.counts()["received"]

    assert (before, after) == (0, 1)


def test_a_second_writer_is_refused_in_this_process_and_in_another(path: Path, ledger: jc.Ledger) -> None:
    send(ledger, Counting(), REQUEST)

    with pytest.raises(LedgerLockedError, match=r"run\.ledger: another process writes this ledger"):
        jc.Ledger(path)
    program = "import sys, judgecore as jc\ntry: jc.Ledger(sys.argv[1])\nexcept jc.JudgecoreError as e: print(repr(e))"
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("LedgerLockedError(")
    assert ledger.counts()["received"] == 1


def test_the_lock_ends_with_the_process_that_held_it(path: Path) -> None:
    code = f"import judgecore as jc, os\njc.Ledger({str(path)!r}); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", code], check=False)

    with jc.Ledger(path) as ledger:
        assert ledger.counts()["received"] == 0


def test_an_older_ledger_is_brought_up_to_date_with_all_it_holds(path: Path) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.executescript(STEPS[0])
        file.execute("INSERT INTO target VALUES (1, 'aa', '{}', 'judgecore')")
        file.execute(
            "INSERT INTO request (content, target, trial, ask, question, request, planned_at) "
            "VALUES (x'00', 1, 0, 0, x'00', '{}', 0)"
        )
        file.executescript(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1")

    with pytest.raises(LedgerVersionError, match="has version 1, this judgecore reads"):
        jc.LedgerReader(path)
    with jc.Ledger(path) as ledger:
        counts = ledger.counts()
    with closing(sqlite3.connect(path)) as file:
        (version,) = file.execute("PRAGMA user_version").fetchone()
        names = {name for (name,) in file.execute("SELECT name FROM sqlite_schema")}

    assert (counts["planned"], version) == (1, VERSION)
    assert "request_by_question" in names
    with jc.LedgerReader(path) as reading:
        assert reading.counts() == counts


def test_a_newer_ledger_is_refused_and_left_as_it_is(path: Path) -> None:
    jc.Ledger(path).close()
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA user_version = 99")
    before = path.read_bytes()

    for opens in (jc.Ledger, jc.LedgerReader):
        with pytest.raises(LedgerVersionError, match=r"has version 99.*upgrade judgecore"):
            opens(path)

    assert path.read_bytes() == before


def test_a_file_that_is_no_ledger_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    text, other = tmp_path / "notes.txt", tmp_path / "other.sqlite"
    text.write_text("no ledger\n" * 200)
    with closing(sqlite3.connect(other)) as file:
        file.execute("CREATE TABLE mine (x)")
    before = text.read_bytes(), other.read_bytes()

    for one in (text, other):
        for opens in (jc.Ledger, jc.LedgerReader):
            with pytest.raises(LedgerError, match="not a ledger"):
                opens(one)

    assert (text.read_bytes(), other.read_bytes()) == before


def test_a_ledger_that_is_not_there_is_not_made_by_a_reader(path: Path) -> None:
    with pytest.raises(LedgerError, match="there is no such ledger"):
        jc.LedgerReader(path)

    assert not path.exists()


def test_the_loop_is_not_held_up_by_another_that_holds_the_file(ledger: jc.Ledger, path: Path) -> None:
    held, told = threading.Event(), threading.Event()

    def hold() -> bool:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            held.set()
            was_told = told.wait(5)
            other.execute("ROLLBACK")
            return was_told

    async def tell_while_asking() -> tuple[bool, bool]:
        holding = asyncio.get_running_loop().run_in_executor(None, hold)
        await asyncio.to_thread(held.wait)
        asking = asyncio.ensure_future(ledger.send(Counting(), REQUEST))
        for _ in range(20):
            await asyncio.sleep(0.005)
        was_done = asking.done()
        told.set()
        await asking
        return was_done, await holding

    assert asyncio.run(tell_while_asking()) == (False, True)


def naps_of_the_writing_thread() -> int:
    """How often the thread that writes ledgers has gone to sleep."""
    (thread,) = [one for one in threading.enumerate() if one.name == "judgecore-ledger"]
    status = Path(f"/proc/self/task/{thread.native_id}/status")
    if not status.exists():
        pytest.skip("how often a thread sleeps is told by Linux alone")
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(lines["voluntary_ctxt_switches"])


def test_a_request_that_is_alone_wakes_no_thread(ledger: jc.Ledger) -> None:
    before = naps_of_the_writing_thread()

    for number in range(50):
        send(ledger, Counting(), jc.JudgeRequest(f"alone {number}"))

    # It may still be on its way to its first nap.
    assert naps_of_the_writing_thread() < before + 25
    assert ledger.counts()["received"] == 50


def test_the_log_stays_short_when_every_request_is_alone(ledger: jc.Ledger, path: Path) -> None:
    target = jc.CallableTarget(telling_long, name="long")

    async def ask() -> None:
        for number in range(1000):
            await ledger.send(target, jc.JudgeRequest(f"{number}"))

    asyncio.run(ask())

    # Eight megabytes are twice what SQLite lets a log grow to; the replies alone are twelve.
    assert path.with_name(f"{path.name}-wal").stat().st_size < 8 << 20


class Interrupting:
    """A connection of which one statement is followed by an interruption."""

    def __init__(self, connection: sqlite3.Connection, behind: str) -> None:
        self._connection = connection
        self.behind = behind

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, statement: str, values: Any = ()) -> Any:
        done = self._connection.execute(statement, values)
        if self.behind and statement.strip().startswith(self.behind):
            self.behind = ""
            raise KeyboardInterrupt
        return done


@pytest.mark.parametrize("behind", ["BEGIN", "INSERT INTO request", "COMMIT", "UPDATE request SET (reply"])
def test_an_interruption_between_two_steps_of_a_commit_loses_nothing(
    ledger: jc.Ledger, path: Path, behind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where an interruption comes can't be chosen from outside.
    writer: Any = vars(ledger)["_writer"]
    monkeypatch.setattr(writer, "_connection", Interrupting(vars(writer)["_connection"], behind))

    interrupted, others = Counting(), Counting()

    with pytest.raises(KeyboardInterrupt):
        send(ledger, interrupted, REQUEST)
    texts = send(ledger, others, *(jc.JudgeRequest(f"Is {nth} good?") for nth in range(4)), REQUEST)
    ledger.close()

    with jc.LedgerReader(path) as reader:
        kept = sorted(str(entry.reply().text) for entry in reader.entries("received"))
    assert kept == sorted(map(str, texts))
    assert interrupted.n_sent + others.n_sent == len(texts)


def test_a_request_that_is_given_up_while_it_is_entered_can_be_asked_again(path: Path) -> None:
    async def give_up_and_ask(ledger: jc.Ledger) -> str | None:
        given_up = asyncio.ensure_future(ledger.send(Counting(), REQUEST))
        await asyncio.sleep(0)
        given_up.cancel()
        return (await ledger.send(Counting(), REQUEST)).text

    with jc.Ledger(path, durable=True) as ledger:
        assert asyncio.run(give_up_and_ask(ledger)) == "1"


def test_a_second_event_loop_is_refused_and_leaves_the_first_ones_request_as_it_is(ledger: jc.Ledger) -> None:
    asked, told = threading.Event(), threading.Event()

    def answer(_: jc.JudgeRequest) -> str:
        asked.set()
        assert told.wait(30)
        return "yes"

    first: list[str | None] = []
    target = jc.CallableTarget(answer, name="slow")
    thread = threading.Thread(target=lambda: first.extend(send(ledger, target, REQUEST)))
    thread.start()
    try:
        assert asked.wait(30)
        for _ in range(2):
            with pytest.raises(LedgerError, match="another event loop has requests in flight in this ledger"):
                send(ledger, target, jc.JudgeRequest("Another one"))
    finally:
        told.set()
        thread.join(30)

    assert first == ["yes"]
    assert [entry.state for entry in ledger.entries()] == ["received"]
    assert send(ledger, Counting(), jc.JudgeRequest("Another one")) == ["1"]


@pytest.mark.parametrize(("durable", "length"), [(True, 10), (False, 1 << 17)])
def test_what_waits_for_the_disk_is_written_by_the_thread(path: Path, length: int, *, durable: bool) -> None:
    with jc.Ledger(path, durable=durable) as ledger:
        before = naps_of_the_writing_thread()
        send(ledger, jc.CallableTarget(lambda _: "y" * length, name="long"), REQUEST)

        assert naps_of_the_writing_thread() > before


async def telling_long(request: jc.JudgeRequest) -> str:
    return request.turns[0].text.ljust(12_000, "x")


def test_a_path_with_marks_that_addresses_use_is_a_path(tmp_path: Path) -> None:
    path = tmp_path / "a?b#c%41 d.ledger"
    with jc.Ledger(path) as ledger:
        send(ledger, Counting(), REQUEST)

    with jc.LedgerReader(path) as reading:
        assert reading.counts()["received"] == 1
    assert {path.name, f"{path.name}-lock"} <= {file.name for file in tmp_path.iterdir()}
    assert all(file.name.startswith(path.name) for file in tmp_path.iterdir())


def test_a_key_that_is_not_there_is_an_error(ledger: jc.Ledger) -> None:
    send(ledger, Counting(), REQUEST)

    for key in ("", "0.1", "%.%.0.0.", "ffffffffffffffff.ffffffff.0.0"):
        with pytest.raises(LedgerError, match="no request with the key"):
            ledger.find(key)
