"""A damaged ledger, through every door: a typed error or the true replies, and what is whole can be saved."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

import judgecore as jc
from judgecore.cli.ledger import ledger_command
from judgecore.errors import CallableError, JudgecoreError, LedgerDamagedError, LedgerError, LedgerVersionError
from judgecore.server import JudgeServer
from judgecore.targets import merge_ledgers
from judgecore.targets.ledger import salvage
from judgecore.targets.ledger.schema import APPLICATION_ID, STEPS

if TYPE_CHECKING:
    from collections.abc import Callable

N_ROWS, N_FILES = 60, 400 if os.environ.get("JUDGECORE_SOAK") else 96
PAGE = 4096


def draw(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - the same for the same seed


class Judge:
    """A judge whose replies name what was asked, short or over several pages; some fail."""

    def __init__(self, name: str, says: str = "true reply") -> None:
        self._name = name
        self._says = says

    def get_identifier(self) -> jc.ComponentIdentifier:
        params = {"underlying_model_name": self._name}
        return jc.ComponentIdentifier(class_name="Judge", class_module="tests", params=params)

    async def send(self, request: jc.JudgeRequest, /) -> jc.JudgeReply:
        text = request.turns[0].text
        number = int(text.split()[0])
        if number % 9 == 8:
            raise CallableError(f"no answer to {number}")
        # Another text at each place, so that no two pages are alike.
        words = draw(number).choices(["good", "bad", "[[7]]", "[[3]]"], k=number * 60)
        return jc.JudgeReply(
            text=f"{self._says} to {number}: {' '.join(words)}",
            model="model",
            usage=jc.targets.TokenUsage(number, number + 1),
        )


def requests() -> list[jc.JudgeRequest]:
    return [jc.JudgeRequest(f"{number} is it good?") for number in range(N_ROWS // 2)]


def ask(ledger: jc.Ledger, *names: str, **options: str) -> list[Any]:
    async def send() -> list[Any]:
        return [
            one
            for name in names
            for one in await jc.send_many(Judge(name, **options), requests(), ledger=ledger, concurrency=4)
        ]

    return asyncio.run(send())


def lines(path: Path) -> dict[str, dict[str, Any]]:
    with jc.LedgerReader(path) as reader:
        return {entry.key: entry.to_json() for entry in reader.entries()}


@dataclass(frozen=True)
class Whole:
    """A ledger before it is damaged, and what it says."""

    file: bytes
    log: bytes
    lines: dict[str, dict[str, Any]]
    replies: list[str | None]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder = tmp_path_factory.mktemp("whole")
    path = folder / "run.ledger"
    with jc.Ledger(path) as ledger:
        replies = [getattr(one, "text", None) for one in ask(ledger, "a", "b")]
    return Whole(path.read_bytes(), b"", lines(path), replies)


@pytest.fixture(scope="module")
def in_log(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """A ledger as a killed process leaves it: half of it stands in the log."""
    path = tmp_path_factory.mktemp("log") / "run.ledger"
    with jc.Ledger(path) as ledger:
        replies = [getattr(one, "text", None) for one in ask(ledger, "a")]
    with jc.Ledger(path) as ledger:
        replies += [getattr(one, "text", None) for one in ask(ledger, "b")]
        assert {entry.outcome for entry in ledger.entries("received")} == {"answered"}
        said = {entry.key: entry.to_json() for entry in ledger.entries()}
        log = path.with_name("run.ledger-wal").read_bytes()
        return Whole(path.read_bytes(), log, said, replies)


def flip(data: bytearray, at: int, chance: random.Random) -> None:
    data[at] ^= chance.randrange(1, 256)


def flip_anywhere(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice([1, 1, 2, 8, 64])):
        flip(data, chance.randrange(len(data)), chance)


def flip_in_header(data: bytearray, chance: random.Random) -> None:
    flip(data, chance.randrange(100), chance)


def flip_in_schema(data: bytearray, chance: random.Random) -> None:
    flip(data, chance.randrange(100, PAGE), chance)


def flip_in_heads_of_pages(data: bytearray, chance: random.Random) -> None:
    flip(data, chance.randrange(len(data) // PAGE) * PAGE + chance.randrange(16), chance)


def flip_in_interior_pages(data: bytearray, chance: random.Random) -> None:
    inner = [at for at in range(PAGE, len(data), PAGE) if data[at] in (0x05, 0x02)]
    flip(data, chance.choice(inner) + chance.randrange(64), chance)


def alter_a_reply(data: bytearray, chance: random.Random) -> None:
    """The verdict in the middle of a reply, on its page or on one that it overflows to."""
    places = [found.start() for found in re.finditer(rb"\[\[7\]\]", data)]
    data[chance.choice(places) + 2] = ord("3")


def cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.choice([chance.randrange(1, len(data)), chance.randrange(1, len(data) // PAGE) * PAGE]) :]


def blank_a_page(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data) // PAGE) * PAGE
    data[at : at + PAGE] = bytes(PAGE)


def swap_pages(data: bytearray, chance: random.Random) -> None:
    one, other = (chance.randrange(1, len(data) // PAGE) * PAGE for _ in range(2))
    data[one : one + PAGE], data[other : other + PAGE] = data[other : other + PAGE], data[one : one + PAGE]


def repeat_a_page(data: bytearray, chance: random.Random) -> None:
    one, other = (chance.randrange(1, len(data) // PAGE) * PAGE for _ in range(2))
    data[one : one + PAGE] = data[other : other + PAGE]


def spoil_the_magic(data: bytearray, chance: random.Random) -> None:
    flip(data, chance.randrange(16), chance)


# Those that leave every row but a few on the pages that they hit.
SMALL = (flip_in_header, flip_in_schema, flip_in_interior_pages, alter_a_reply, spoil_the_magic)
DAMAGES = (*SMALL, flip_anywhere, flip_in_heads_of_pages, cut, blank_a_page, swap_pages, repeat_a_page)


def through_the_reader(path: Path) -> dict[str, dict[str, Any]]:
    with jc.LedgerReader(path) as reader:
        reader.summary()
        return {entry.key: entry.to_json() for entry in reader.entries()}


def through_a_merge(path: Path) -> dict[str, dict[str, Any]]:
    into = path.with_name("into.ledger")
    merge_ledgers(into, [path])
    return lines(into)


def run_program(*words: str) -> Result:
    """Run a command; whatever it raises is an error that the program prints."""
    done = CliRunner().invoke(ledger_command, words)
    assert done.exit_code == 0 or isinstance(done.exception, JudgecoreError), done.exception
    return done


def through_the_program(path: Path) -> dict[str, dict[str, Any]]:
    """Both commands print, or say in a line what is wrong."""
    for words in (["show", str(path)], ["merge", str(path.with_name("all.ledger")), str(path)]):
        run_program(*words)
    printed = run_program("export", str(path)).stdout
    return {line["key"]: line for line in map(json.loads, printed.splitlines())}


DOORS: tuple[Callable[[Path], dict[str, dict[str, Any]]], ...] = (
    through_the_reader,
    through_a_merge,
    through_the_program,
)


@dataclass
class Damaged:
    """A damaged ledger, to be placed anew for each door."""

    folder: Path
    file: bytearray
    log: bytearray

    def at(self, name: str) -> Path:
        path = self.folder / name / "run.ledger"
        shutil.rmtree(path.parent, ignore_errors=True)
        path.parent.mkdir()
        path.write_bytes(self.file)
        if self.log:
            path.with_name("run.ledger-wal").write_bytes(self.log)
        return path


@pytest.mark.parametrize("is_in_log", [False, True])
def test_a_damaged_ledger_never_serves_an_altered_reply_through_any_door(
    tmp_path: Path, whole: Whole, in_log: Whole, *, is_in_log: bool
) -> None:
    source = in_log if is_in_log else whole
    n_errors = n_served = n_saved = 0
    n_files = N_FILES // 4 if is_in_log else N_FILES

    for number in range(n_files):
        chance = draw(number)
        damage = DAMAGES[number % len(DAMAGES)]
        damaged = Damaged(tmp_path, bytearray(source.file), bytearray(source.log))
        if is_in_log and number % 3:
            chance.choice([flip_anywhere, cut, blank_a_page])(damaged.log, chance)
        else:
            damage(damaged.file, chance)

        for door in DOORS:
            try:
                got = door(damaged.at(door.__name__))
            except LedgerError:
                n_errors += 1
                continue
            n_served += 1
            for key, line in got.items():
                assert_true(line, source.lines[key], is_in_log=is_in_log)
        go_on(damaged.at("writer"), source)
        is_small = damage in SMALL and not is_in_log
        n_saved += save(damaged.at("salvaged"), source, is_small=is_small, is_in_log=is_in_log)

    assert n_errors > n_files // 8
    assert n_served > n_files // 8
    assert n_saved > 0


def go_on(path: Path, source: Whole) -> None:
    """Ask all again: each reply is the true one, or new."""
    with suppress(LedgerError), jc.Ledger(path) as ledger:
        for reply, true in zip(ask(ledger, "a", "b", says="new reply"), source.replies, strict=True):
            said = getattr(reply, "text", None)
            assert said == true or str(said).startswith("new reply")


def save(path: Path, source: Whole, *, is_small: bool, is_in_log: bool) -> int:
    """Salvage, and see that each row is true and each other one is counted."""
    try:
        saved = salvage(path)
    except LedgerError:
        assert not is_small
        return 0
    for entry in saved.entries:
        assert_true(entry.to_json(), source.lines[entry.key], is_in_log=is_in_log)
    assert len(saved.entries) + saved.damaged <= N_ROWS + 1
    if is_small:
        assert len(saved.entries) + saved.damaged == N_ROWS
        assert saved.damaged <= N_ROWS // 4
    return len(saved.entries)


def assert_true(line: dict[str, Any], true: dict[str, Any], *, is_in_log: bool) -> None:
    if line["state"] == "received" or not is_in_log:
        assert line == true
    else:
        # The end of the log is lost: a row is what it was before.
        assert line["state"] in {"planned", "sent"}
        assert [line[name] for name in ("content", "identity", "request")] == [
            true[name] for name in ("content", "identity", "request")
        ]
        assert "reply" not in line


@pytest.mark.parametrize("version", [1, 2])
def test_a_ledger_without_checksums_opens_and_its_rows_get_them(
    tmp_path: Path, whole: Whole, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.ledger"
    old = tmp_path / "old.ledger"
    path.write_bytes(whole.file)
    with closing(sqlite3.connect(path)) as new, closing(sqlite3.connect(old)) as file:
        for step in STEPS[:version]:
            file.executescript(step)
        for table in ("target", "request"):
            rows = new.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 - the tests' own words
            places = ", ".join("?" * (len(rows[0]) - 1))
            file.executemany(f"INSERT INTO {table} VALUES ({places})", [row[:-1] for row in rows])  # noqa: S608
        file.executescript(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {version}")
        file.commit()
    monkeypatch.chdir(tmp_path)

    with pytest.raises(LedgerVersionError, match=f"has version {version}"):
        jc.LedgerReader(old)
    with jc.Ledger(old) as ledger:
        replies = [getattr(one, "text", None) for one in ask(ledger, "a", "b", says="new reply")]

    assert replies == whole.replies
    received = {key: line for key, line in whole.lines.items() if line["state"] == "received"}
    assert received.items() <= lines(old).items()


@pytest.mark.parametrize(
    "change",
    [
        "content = zeroblob(32)",
        "trial = 1",
        "ask = 1",
        "question = zeroblob(32)",
        "request = replace(request, 'good', 'evil')",
        "state = 'received'",
        "attempts = attempts + 1",
        "resent = 7",
        "planned_at = planned_at + 1",
        "sent_at = 1.5",
        "received_at = 1.5",
        "reply = NULL",
        "reply = CAST(replace(CAST(reply AS TEXT), 'true', 'fals') AS BLOB)",
        "error = 'another'",
        "outcome = 'refused'",
        "prompt_tokens = 10",
        "completion_tokens = 10",
        "checksum = zeroblob(16)",
        "checksum = NULL",
        "target = 99",
    ],
)
def test_whatever_a_reader_is_served_of_a_row_is_checked(tmp_path: Path, whole: Whole, change: str) -> None:
    path = tmp_path / "run.ledger"
    path.write_bytes(whole.file)
    key = "(SELECT id FROM request WHERE target = 1 AND state = 'sent' LIMIT 1)"
    row = key if change == "state = 'received'" else key.replace("'sent'", "'received'")
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"UPDATE request SET {change} WHERE id = {row}")  # noqa: S608 - the tests' own words
        file.commit()

    with jc.LedgerReader(path) as reader:
        for read in (reader.counts, reader.summary, lambda: list(reader.entries("received"))):
            with pytest.raises(LedgerDamagedError, match="has been altered; `judgecore ledger export --salvage`"):
                read()
    with pytest.raises(LedgerDamagedError):
        merge_ledgers(tmp_path / "into.ledger", [path])
    saved = salvage(path)
    # Which target a row is of can be told by its checksum.
    n_damaged = 0 if change.startswith("target") else 1
    assert (len(saved.entries), saved.damaged) == (N_ROWS - n_damaged, n_damaged)
    assert all(entry.to_json() == whole.lines[entry.key] for entry in saved.entries)


@pytest.mark.parametrize("change", ["hash = 'aa'", "identity = replace(identity, 'a', 'b')", "dialect = 'openai'"])
def test_the_row_of_a_target_is_checked(tmp_path: Path, whole: Whole, change: str) -> None:
    path = tmp_path / "run.ledger"
    path.write_bytes(whole.file)
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"UPDATE target SET {change} WHERE id = 1")  # noqa: S608 - the tests' own words
        file.commit()

    for opens in (jc.LedgerReader, jc.Ledger):
        with pytest.raises(LedgerDamagedError, match="the row of target 1 has been altered"):
            opens(path)
    saved = salvage(path)
    assert (len(saved.entries), saved.damaged) == (N_ROWS // 2, N_ROWS // 2)


def test_a_reply_that_stands_at_another_question_is_not_served(tmp_path: Path, whole: Whole) -> None:
    path = tmp_path / "run.ledger"
    path.write_bytes(whole.file)
    with closing(sqlite3.connect(path)) as file:
        file.execute(
            """UPDATE request SET (reply, checksum) = (SELECT reply, checksum FROM request WHERE id = 5)
            WHERE id = 4"""
        )
        file.commit()

    with jc.Ledger(path) as ledger, pytest.raises(LedgerDamagedError, match="the row of request 4 has been altered"):
        ask(ledger, "a")


def test_a_damaged_table_of_batches_is_an_error_of_a_merge(tmp_path: Path, whole: Whole) -> None:
    path = tmp_path / "run.ledger"
    table, columns, rest = whole.file.partition(b"        state TEXT NOT NULL CHECK (state IN ('submitted'")
    path.write_bytes(table + columns.replace(b"state", b"stale") + rest)

    with pytest.raises(LedgerDamagedError, match=r"run\.ledger: the ledger is damaged"):
        merge_ledgers(tmp_path / "into.ledger", [path])


def test_a_foreign_schema_with_a_ledgers_marks_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "run.ledger"
    for number, schema in enumerate(
        [
            "CREATE TABLE request (id INTEGER PRIMARY KEY, reply BLOB)",
            "CREATE TABLE target (id, hash, identity, dialect, checksum); CREATE VIEW request AS SELECT 1 AS id",
            "CREATE TABLE target (id); CREATE TABLE request (id); INSERT INTO request VALUES (1)",
        ]
    ):
        for version in range(len(STEPS) + 1):
            path = tmp_path / f"{number}.{version}.ledger"
            with closing(sqlite3.connect(path)) as file:
                file.executescript(schema)
                file.executescript(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {version}")

            with pytest.raises(LedgerError):
                lines(path)
            with pytest.raises(LedgerError), jc.Ledger(path) as ledger:
                ask(ledger, "a")
            with pytest.raises(LedgerError):
                merge_ledgers(tmp_path / "into.ledger", [path])
            with pytest.raises(LedgerError, match="no row of a ledger is intact"):
                salvage(path)


def damage_one_reply(path: Path, whole: Whole) -> None:
    data = bytearray(whole.file)
    alter_a_reply(data, draw(1))
    path.write_bytes(data)


def test_the_program_saves_what_is_whole_and_counts_what_is_not(tmp_path: Path, whole: Whole) -> None:
    path, out = tmp_path / "run.ledger", tmp_path / "whole.jsonl"
    damage_one_reply(path, whole)
    before = path.read_bytes()
    shown = run_program("show", str(path))
    exported = run_program("export", str(path), "-o", str(tmp_path / "none.jsonl"))
    saved = run_program("export", str(path), "--salvage", "-o", str(out))
    received = run_program("export", str(path), "--salvage", "--state", "received")

    for done in (shown, exported):
        assert "has been altered" in str(done.exception)
        assert "judgecore ledger export --salvage" in str(done.exception)
    assert (saved.exit_code, saved.output) == (0, f"{N_ROWS - 1} rows are intact, 1 is damaged\n")
    written = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(written) == N_ROWS - 1
    assert all(line == whole.lines[line["key"]] for line in written)
    n_received = sum(line["state"] == "received" for line in whole.lines.values())
    assert len([line for line in received.output.splitlines() if line.startswith("{")]) == n_received - 1
    assert path.read_bytes() == before


def test_score_with_a_damaged_ledger_says_so_and_writes_no_score(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("judgecore")
    (tmp_path / "scorer.yaml").write_text("type: SelfAskRefusalScorer\ntrue_false_question_path: refusal_lenient\n")
    (tmp_path / "responses.jsonl").write_text(
        "".join(json.dumps({"response": f"{number} is fine"}) + "\n" for number in range(20))
    )

    async def run() -> list[subprocess.CompletedProcess[str]]:
        async with JudgeServer() as server:
            (tmp_path / "judge.yaml").write_text(f"type: OpenAITarget\nmodel: m\nbase_url: {server.url}\n")
            first = await asyncio.to_thread(score)
            ledger = tmp_path / "run.db"
            data = ledger.read_bytes()
            assert b"true" in data.lower()
            ledger.write_bytes(re.sub(rb"(?i)counted here", b"Counted Here", data, count=1))
            return [first, await asyncio.to_thread(score)]

    def score() -> subprocess.CompletedProcess[str]:
        files = ("--scorer", "scorer.yaml", "--target", "judge.yaml", "--ledger", "run.db", "-o", "scores.jsonl")
        return subprocess.run(
            [program, "score", "responses.jsonl", *files],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
            env={"PATH": "", "OPENAI_API_KEY": "any"},
        )

    first, again = asyncio.run(run())

    assert first.returncode in (0, 3), first.stderr
    assert again.returncode == 2
    assert "the ledger is damaged" in " ".join(again.stderr.split())
    assert "Traceback" not in again.stderr


@pytest.mark.parametrize("table", ["request", "target"])
def test_a_row_with_the_largest_number_is_damage_and_is_said_when_the_ledger_is_opened(
    tmp_path: Path, table: str
) -> None:
    path = tmp_path / "run.db"
    with jc.Ledger(path) as ledger:
        asyncio.run(ledger.send(jc.CallableTarget(lambda _: "Yes", name="always"), jc.JudgeRequest("Is it good?")))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE {table} SET id = ?", (2**63 - 1,))  # noqa: S608 - the test's own words
        if table == "target":
            connection.execute("UPDATE request SET target = ?", (2**63 - 1,))

    with pytest.raises(LedgerDamagedError, match="largest number"):
        jc.Ledger(path)
