"""``judgecore parse --resume``: a run that was killed goes on, and gives what it would have given undisturbed."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from judgecore.replacement import open_alone

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from cli.conftest import Program

    Write = Callable[[str, str | bytes], Path]

STEPS = Path(__file__).parents[1] / "programs" / "parse_in_steps.py"
SINGLE = ("--format", "mt_bench.single", "--allow-rejects", "100%")
KILLS = 30
N_ROWS = 6000
REPLIES = ["Rating: [[8]]", "no idea", 'It says "so", twice.\nRating: [[3.5]]', "größer, [[9]] 日本", "", "[[1]], [[2]]"]
# Rows that are none, stray quotation marks that open a field over several rows, and such that close one.
DAMAGED_CSV = ['7,"open\n', "8,a,b,c\n", '9,"x"y\n', '10,"z\n"q"z\n', "\n", '"\n', 'x,""""\n', "é,\xff\n"]
DAMAGED_LINES = ['{"id": \n', "\n", "[1]\n", '{"id": 1, "raw": 7}\n', "é\xff\n", '{"id": 2, "raw": "' + "long " * 900 + '"}\n']
OPTIONS = ("--max-record-bytes", "4K")


class Steps:
    """The program in a process that runs it in small chunks."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process = process
        self.folder = folder

    def __call__(self, *arguments: str, **how: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"arguments": ["parse", *arguments], **how}) + "\n")
        self._process.stdin.flush()
        done: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert "Traceback" not in done["err"]
        return done

    def left(self) -> list[str]:
        """The names of the files that a run left beside its output."""
        return sorted(path.name for path in self.folder.iterdir() if path.suffix in (".part", ".journal"))


@pytest.fixture
def steps(judgecore: Program) -> Generator[Steps]:
    command = [sys.executable, STEPS]
    streams: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **streams, cwd=judgecore.folder, env=judgecore.environment()) as process:
        yield Steps(process, judgecore.folder)
        assert process.stdin is not None
        process.stdin.close()


def rows(n_rows: int = N_ROWS) -> list[dict[str, Any]]:
    chosen = random.Random(1)
    return [{"id": nth, "raw": chosen.choice(REPLIES) + " and" * chosen.randrange(40)} for nth in range(n_rows)]


def csv_text(n_rows: int = N_ROWS) -> str:
    """A damaged table."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["id", "raw"])
    chosen = random.Random(2)
    for row in rows(n_rows):
        writer.writerow(row.values())
        if chosen.random() < 0.02:
            text.write(chosen.choice(DAMAGED_CSV))
    return text.getvalue()


def json_lines(n_rows: int = N_ROWS) -> str:
    """A damaged table."""
    chosen = random.Random(3)
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows(n_rows)]
    return "".join(line + (chosen.choice(DAMAGED_LINES) if chosen.random() < 0.02 else "") for line in lines)


def write_table(folder: Path, name: str) -> str:
    path = folder / name
    if name.endswith(".parquet"):
        columns = pa.Table.from_pylist(rows())
        judges = pa.array(["a", "b", None] * (N_ROWS // 3)).dictionary_encode()
        pq.write_table(columns.append_column("judge", judges), path, row_group_size=1700)
    elif name.endswith(".arrow"):
        columns = pa.Table.from_pylist(rows())
        with pa.ipc.new_file(path, columns.schema) as writer:
            writer.write_table(columns, max_chunksize=700)
    elif name.endswith(".json"):
        path.write_text(json.dumps(rows(), indent=1))
    elif "csv" in name:
        path.write_bytes(csv_text().encode("utf-16" if "utf16" in name else "latin-1", "replace"))
    else:
        text = json_lines().encode("utf-8", "replace")
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return name


def summary(done: dict[str, Any]) -> dict[str, Any]:
    """What a run says of what it read, whatever it wrote to."""
    said: dict[str, Any] = json.loads(done["out"])
    del said["output"]
    return said


def rejects_of(table: str, name: str) -> tuple[str, ...]:
    return () if table.endswith((".parquet", ".arrow")) else ("--rejects", name)


@pytest.mark.parametrize(
    ("table", "output", "kills"),
    [
        ("in.jsonl", "out.jsonl", KILLS),
        ("in.csv", "out.csv", KILLS),
        ("in.parquet", "out.parquet", KILLS),
        ("in.jsonl", "out.parquet", 8),
        ("in.csv", "out.arrow", 8),
        ("in.parquet", "out.csv", 8),
        ("in.arrow", "out.arrows", 8),
        ("in.json", "out.csv", 8),
        ("in.jsonl.gz", "out.jsonl.gz", 8),
        ("in.utf16.csv", "out.jsonl.zst", 8),
    ],
)
def test_a_run_that_is_killed_anywhere_gives_the_same_files_and_summary(
    steps: Steps, table: str, output: str, kills: int
) -> None:
    write_table(steps.folder, table)
    undisturbed = steps(
        table, *SINGLE, *OPTIONS, "-o", f"whole-{output}", *rejects_of(table, "whole.rejects"), "--json"
    )
    want = [path.read_bytes() for path in sorted(steps.folder.glob("whole*"))]
    command = (table, *SINGLE, *OPTIONS, "-o", output, *rejects_of(table, "out.rejects"), "--json", "--resume")
    chosen = random.Random(f"{table} {output}")

    killed, went_on, finished = 0, 0, 0
    while killed < kills or not finished:
        after = chosen.uniform(0, undisturbed["seconds"]) if killed < kills else None
        done = steps(*command, after=after)
        went_on += "going on after" in done["err"] and "after 0 rows" not in done["err"]
        if done["status"] == -signal.SIGKILL:
            killed += 1
            # It may be killed once its output has taken its place.
            assert not (steps.folder / output).exists() or (steps.folder / output).read_bytes() == want[0]
            continue
        finished += 1
        assert done["status"] == 0, done["err"]
        assert summary(done) == summary(undisturbed)
        assert [path.read_bytes() for path in sorted(steps.folder.glob("out*"))] == want
        assert steps.left() == []
        for path in steps.folder.glob("out*"):
            path.unlink()

    assert went_on >= kills // 4
