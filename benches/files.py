"""Time ``judgecore parse`` on files of distinct real replies, compared with alternatives."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import corpora
import pyarrow as pa
import pyarrow.parquet as pq
from results import Group, Row, check, shown_seconds

if TYPE_CHECKING:
    from stopwatch import Stopwatch

COLUMNS = ("bench", "judgecore", "polars", "DuckDB", "loop", "of polars", "of loop", "target", "met")
TEXT = 1 << 30
QUICK_TEXT = 4 << 20
LEAST_OF_POLARS, LEAST_OF_LOOP = 0.7, 3
FORMATS = ("mt_bench.single", "mt_bench.pair", "llama_guard.3")

# Each program reads a file and writes another in its own process.
POLARS = """
import sys, polars as pl
source, target, kind = sys.argv[1:]
scan = {"jsonl": pl.scan_ndjson, "csv": pl.scan_csv, "parquet": pl.scan_parquet}[kind](source)
value = pl.col("raw").str.extract(r"\\[\\[(\\d+(?:\\.\\d+)?)\\]\\]").cast(pl.Float64, strict=False).alias("value")
frame = scan.with_columns(value)
{"jsonl": frame.sink_ndjson, "csv": frame.sink_csv, "parquet": frame.sink_parquet}[kind](target)
"""
DUCKDB = """
import sys, duckdb
source, target, kind = sys.argv[1:]
read = {"jsonl": "read_json_auto", "csv": "read_csv_auto", "parquet": "read_parquet"}[kind]
how = {"jsonl": "FORMAT json", "csv": "FORMAT csv, HEADER", "parquet": "FORMAT parquet"}[kind]
value = "TRY_CAST(regexp_extract(raw, '\\\\[\\\\[(\\\\d+(?:\\\\.\\\\d+)?)\\\\]\\\\]', 1) AS DOUBLE)"
duckdb.sql(f"COPY (SELECT *, {value} AS value FROM {read}('{source}')) TO '{target}' ({how})")
"""
LOOP = """
import csv, json, re, sys
source, target, kind = sys.argv[1:]
number = re.compile(r"\\[\\[(\\d+(?:\\.\\d+)?)\\]\\]")
def value(text):
    found = number.search(text)
    return float(found[1]) if found else None
if kind == "jsonl":
    with open(source) as lines, open(target, "w") as out:
        for line in lines:
            row = json.loads(line)
            row["value"] = value(row["raw"])
            out.write(json.dumps(row) + "\\n")
elif kind == "csv":
    csv.field_size_limit(1 << 30)
    with open(source, newline="") as lines, open(target, "w", newline="") as out:
        rows = csv.DictReader(lines)
        writer = csv.DictWriter(out, [*rows.fieldnames, "value"])
        writer.writeheader()
        writer.writerows({**row, "value": value(row["raw"])} for row in rows)
else:
    import pyarrow as pa, pyarrow.parquet as pq
    file = pq.ParquetFile(source)
    writer = None
    for batch in file.iter_batches():
        values = pa.array([value(text) for text in batch["raw"].to_pylist()], pa.float64())
        table = pa.Table.from_batches([batch]).append_column("value", values)
        writer = writer or pq.ParquetWriter(target, table.schema)
        writer.write_table(table)
    writer.close()
"""


def write(folder: Path, wanted: int) -> tuple[dict[str, Path], int]:
    """Write the same rows as each kind of table; return the size of their text in bytes."""
    files = {kind: folder / f"replies.{kind}" for kind in ("jsonl", "csv", "parquet")}
    source = corpora.replies()
    texts = corpora.different(source, max(wanted * len(source) // sum(map(len, source)), 1))
    size = sum(len(text.encode()) for text in texts)
    with files["jsonl"].open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps({"id": nth, "raw": text}) + "\n" for nth, text in enumerate(texts))
    with files["csv"].open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines)
        writer.writerow(["id", "raw"])
        writer.writerows(enumerate(texts))
    pq.write_table(pa.table({"id": range(len(texts)), "raw": texts}), files["parquet"])
    return files, size


def seconds(*command: str | Path) -> float:
    """Return the run time of a program."""
    begun = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)  # noqa: S603 - ours
    return time.perf_counter() - begun


def measure(stopwatch: Stopwatch) -> Group:
    """Time reading and writing each kind of file, in turn with the alternatives."""
    rows: list[Row] = []
    notes: list[str] = []
    if not corpora.replies():
        return Group("files", "No corpora here.", COLUMNS, ())
    rounds = 1 if stopwatch.is_quick else 3
    program = Path(sys.executable).with_name("judgecore")
    with tempfile.TemporaryDirectory() as folder:
        files, size = write(Path(folder), QUICK_TEXT if stopwatch.is_quick else TEXT)
        notes.append(f"{size / 1e6:,.0f} MB of text; minimum of {rounds} rounds.")
        for kind, file in files.items():
            target = Path(folder) / f"out.{kind}"
            peers = {name: [sys.executable, "-c", code, file, target, kind] for name, code in PEERS.items()}
            ours = {name: [program, "parse", file, "--format", name, "-o", target] for name in FORMATS}
            commands = {**peers, **ours}
            times = {name: min(seconds(*command) for _ in range(rounds)) for name, command in commands.items()}
            seconds(*ours[FORMATS[0]])
            check(f"files/{kind}", file_rows(file, kind), file_rows(target, kind))
            for name in FORMATS:
                of_polars, of_loop = times["polars"] / times[name], times["loop"] / times[name]
                rows.append(
                    Row(
                        (
                            f"files/{kind}/{name}",
                            shown_seconds(times[name]),
                            *(shown_seconds(times[peer]) for peer in PEERS),
                            f"{of_polars:.2f}x",
                            f"{of_loop:.2f}x",
                            f">= {LEAST_OF_POLARS}x, {LEAST_OF_LOOP}x",
                        ),
                        of_polars >= LEAST_OF_POLARS and of_loop >= LEAST_OF_LOOP,
                    )
                )
    about = (
        "Distinct real replies of about 1 kB, read from a file and written to a file of the same kind, on two cores, "
        "including process start. The alternatives find a number in double brackets and add one column; judgecore "
        "reads the verdict and adds eight columns."
    )
    return Group("files", about, COLUMNS, tuple(rows), tuple(notes))


def file_rows(file: Path, kind: str) -> int:
    """Count the rows of a file."""
    if kind == "parquet":
        return pq.ParquetFile(file).metadata.num_rows
    with file.open(newline="", encoding="utf-8") as lines:
        return sum(1 for _ in (lines if kind == "jsonl" else csv.reader(lines)))


PEERS = {"polars": POLARS, "DuckDB": DUCKDB, "loop": LOOP}
