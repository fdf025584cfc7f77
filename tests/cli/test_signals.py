"""A signal at any moment, of any output: the program ends without a trace, and OUT is whole or as it was."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SEEDS = 500 if os.environ.get("JUDGECORE_SOAK") else 2
ROWS = 6000
REPLIES = ("The reply is right but short. Rating: [[{}]]", "Rating: [[{}]]\n\nIt is clear.", "I can't say, maybe {}?")
# What the interpreter says that has not come to the program yet.
BEFORE = re.compile(
    "Fatal Python error: init_|Could not import runpy|<frozen site>|_get_module_details"
    '|judgecore/__main__.py", line [0-9]+, in <module>\n    import signal\n'
)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    pa = pytest.importorskip("pyarrow", reason="not installed here: make test")
    parquet = pytest.importorskip("pyarrow.parquet", reason="not installed here: make test")
    folder = tmp_path_factory.mktemp("tables")
    rows = [{"id": nth, "raw": REPLIES[nth % 3].format(nth % 10 + 1)} for nth in range(ROWS)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    tables = {name: folder / f"rows.{name}" for name in ("jsonl", "jsonl.gz", "csv", "parquet", "arrow")}
    tables["jsonl"].write_text(lines)
    tables["jsonl.gz"].write_bytes(gzip.compress(lines.encode()))
    tables["csv"].write_text("id,raw\n" + "".join(f'{row["id"]},"{row["raw"]}"\n' for row in rows))
    table = pa.Table.from_pylist(rows)
    parquet.write_table(table, tables["parquet"])
    with pa.ipc.new_file(tables["arrow"], table.schema) as writer:
        writer.write_table(table)
    return tables


def commands(tables: dict[str, Path]) -> Iterator[tuple[str, list[str], str | None]]:
    kinds = [("jsonl", "jsonl"), ("csv", "csv"), ("parquet", "parquet"), ("arrow", "arrow"), ("jsonl", "parquet")]
    for source, kind in [*kinds, ("parquet", "csv"), ("jsonl.gz", "jsonl.zst"), ("csv", "jsonl.gz"), ("csv", "arrow")]:
        parse = ["parse", str(tables[source]), "--format", "mt_bench.single", "--rejects", "rejects.jsonl"]
        yield f"{source} to {kind}", [*parse, "-o", f"out.{kind}"], f"out.{kind}"
    yield "detect", ["detect", str(tables["jsonl"])], None
    yield "formats", ["formats"], None


def names() -> list[str]:
    return [name for name, *_ in commands(dict.fromkeys(("jsonl", "jsonl.gz", "csv", "parquet", "arrow"), Path()))]


def start(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "judgecore", *command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.mark.timeout(1200 if SEEDS > 100 else 120)
@pytest.mark.parametrize("name", names())
def test_a_signal_at_any_moment_leaves_out_whole_or_absent(tables: dict[str, Path], tmp_path: Path, name: str) -> None:
    command, out = next((command, out) for one, command, out in commands(tables) if one == name)
    begun = time.perf_counter()
    process = start(command, tmp_path)
    process.communicate()
    lasts = time.perf_counter() - begun
    whole = None if out is None else (tmp_path / out).read_bytes()
    draw = random.Random(name)  # noqa: S311 - moments
    for seed in range(SEEDS):
        number = draw.choice([signal.SIGINT, signal.SIGTERM])
        folder = tmp_path / str(seed)
        folder.mkdir()
        process = start(command, folder)
        time.sleep(draw.uniform(0, lasts))
        process.send_signal(number)
        said, wrong = (stream.decode() for stream in process.communicate())

        left = {path.name for path in folder.iterdir()}
        if BEFORE.search(wrong):
            assert left == set()
            continue
        # Before Python has taken over, the signal itself ends the process; Python ends so where it runs text as code.
        assert process.returncode in (0, 3, 130, -number, -signal.SIGINT), (said, wrong)
        assert "Traceback" not in wrong, wrong
        assert "Exception ignored" not in wrong, wrong
        if out is not None and out in left:
            assert (folder / out).read_bytes() == whole
        assert left <= {out, "rejects.jsonl"}


# Once the command line runs, a timer's handler drops an object, and the callback on that is interrupted.
IN_A_CALLBACK = """
import os, signal, weakref
from judgecore import cli

class Held: pass

class Group(cli.LazyGroup):
    def invoke(self, ctx):
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        return super().invoke(ctx)

held = [Held()]
callback = weakref.ref(held[0], lambda _: os.kill(os.getpid(), signal.SIGINT))
signal.signal(signal.SIGALRM, lambda *_: held.clear())
cli.judgecore.__class__ = Group
cli.main(["parse", "-", "--format", "mt_bench.single"])
"""


def test_a_signal_within_a_callback_of_the_interpreter_ends_the_program(tmp_path: Path) -> None:
    command = [sys.executable, "-c", IN_A_CALLBACK]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        # Its input stays open.
        assert process.wait(60) == 130
        wrong = process.stderr.read().decode()
    assert "Exception ignored" not in wrong
    assert wrong.endswith("interrupted\n")


# The interpreter calls the field while it makes the class of a command that is imported.
IN_A_CLASS = """
import os, signal
from judgecore import cli

class Field:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGINT)

class Group(cli.LazyGroup):
    def get_command(self, ctx, name):
        class Command:
            field = Field()
        return super().get_command(ctx, name)

cli.judgecore.__class__ = Group
cli.main(["parse", "-", "--format", "mt_bench.single"])
"""


def test_a_signal_while_a_class_is_made_ends_the_program(tmp_path: Path) -> None:
    command = [sys.executable, "-c", IN_A_CLASS]
    ended = subprocess.run(command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr.decode()) == (130, "interrupted\n")
