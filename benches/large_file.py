"""Measure time and memory of ``judgecore parse`` on gigabytes of real replies in a Parquet file."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpora
import pyarrow as pa
import pyarrow.parquet as pq
from replies import SIZES, ending_in
from results import Group, Row, check

import judgecore as jc

if TYPE_CHECKING:
    from stopwatch import Stopwatch

COLUMNS = ("bench", "rows", "of text", "file", "seconds", "rows/s", "MB/s of text", "peak memory", "target")
TEXT = 1 << 30
HUGE = 10 << 30
QUICK_TEXT = 4 << 20
TEXT_IN_GROUP = 128 << 20
PEAK_MB = 500
# Runs a command and prints its time and peak memory.
RUN = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
seconds = time.perf_counter() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, json.loads(done.stdout)]))
"""


def write(path: Path, texts: list[str], wanted: int) -> tuple[int, int]:
    """Write replies until there is enough text; return the number of rows and bytes."""
    schema = pa.schema({"id": pa.int64(), "judge": pa.string(), "reply": pa.string()})
    rows = size = 0
    source = cycle(texts)
    # Repeated replies would vanish in a dictionary or by compression; real replies don't repeat.
    with pq.ParquetWriter(path, schema, use_dictionary=False, compression="none") as writer:
        while size < wanted:
            batch: list[str] = []
            most = min(wanted, size + TEXT_IN_GROUP)
            while size < most:
                batch.append(next(source))
                size += len(batch[-1].encode())
            ids = list(range(rows, rows + len(batch)))
            table = pa.table([ids, ["judge"] * len(batch), batch], schema=schema)
            writer.write_table(table, row_group_size=len(batch))
            rows += len(batch)
    return rows, size


def run(*arguments: str | Path) -> tuple[float, int, dict[str, Any]]:
    """Run the command; return seconds, peak memory in bytes, and the summary."""
    program = Path(sys.executable).with_name("judgecore")
    command = [sys.executable, "-c", RUN, program, "parse", *arguments, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - the program is ours
    return json.loads(done.stdout)


def measure(stopwatch: Stopwatch) -> Group:
    """Read one gigabyte without output, and into each kind of table."""
    return measure_file(stopwatch, "large_file", TEXT, (None, "out.parquet", "out.arrow", "out.jsonl"))


def measure_huge(stopwatch: Stopwatch) -> Group:
    """Do the same with ten gigabytes; needs twice as much disk space."""
    return measure_file(stopwatch, "huge_file", HUGE, (None, "out.parquet"))


def measure_file(stopwatch: Stopwatch, group: str, text: int, outputs: tuple[str | None, ...]) -> Group:
    """Read a file of a given size for each output."""
    texts = corpora.replies()
    notes = ["Replies of real judges, repeated." if texts else "Generated replies: corpora not found."]
    texts = texts or [ending_in("Rating: [[8]]", size) for size in SIZES.values()]
    wanted = QUICK_TEXT if stopwatch.is_quick else text
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "replies.parquet"
        count, size = write(file, texts, wanted)
        reasons = islice(cycle(jc.parse_many(texts, "mt_bench.single").reason), count)
        want = dict(Counter(reason or "ok" for reason in reasons))
        for output in outputs:
            asked = ["-o", Path(folder) / output] if output else []
            seconds, peak, summary = run(file, "--format", "mt_bench.single", *asked)
            check(f"{group}/{output}", want, summary["counts"])
            cells = (
                f"{group}/{output or 'counts_alone'}",
                f"{count:,}",
                f"{size / 1e6:,.0f} MB",
                f"{file.stat().st_size / 1e6:,.0f} MB",
                f"{seconds:.2f}",
                f"{count / seconds:,.0f}",
                f"{size / seconds / 1e6:,.0f}",
                f"{peak / 1e6:,.0f} MB",
                f"<= {PEAK_MB} MB",
            )
            rows.append(Row(cells, peak / 1e6 <= PEAK_MB))
    about = (
        "judgecore parse on a Parquet file of real replies as mt_bench.single, in row groups of 128 MB, including "
        "process start."
    )
    return Group(group, about, COLUMNS, tuple(rows), tuple(notes))
