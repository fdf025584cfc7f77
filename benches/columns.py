"""Time ``parse_many`` on columns against polars, DuckDB, pyarrow, pandas and plain Python.

The other libraries only extract a number with a pattern; judgecore applies all its rules and reports spans and reasons.
Each number of threads is measured in a separate process, because polars fixes its threads at start. One thread is
measured in CPU time, several in wall-clock time.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import subprocess
import sys
import time
from dataclasses import asdict, replace
from itertools import cycle, islice
from typing import Any

import corpora
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from replies import ending_in
from results import Group, Row, check, shown_ratio, shown_seconds
from stopwatch import Call, Stopwatch

import judgecore as jc

COLUMNS = ("bench", "judgecore", "polars", "polars lazy", "duckdb", "pyarrow", "pandas", "re", "pool", "target")
PEERS = COLUMNS[2:-1]
# A batch of these takes seconds, so there are few.
SLOW = ("pandas", "pyarrow", "re")
FEW = 2
SCORES = ("1", "2", "3.5", "4", "5", "6.5", "7", "8", "9", "10")
# Length in characters and number of rows of the generated, distinct replies.
SIZES: dict[str, tuple[int, int]] = {
    "42B": (42, 1_000_000),
    "1kB": (1000, 100_000),
    "20kB": (20_000, 5_000),
}
# Too short for prose.
LEAD = "A clear, short answer."
# Distinct real replies; other libraries' results are not checked. Rows, and target bytes per second on one thread.
REAL = "real"
REAL_ROWS = 100_000
REAL_RATE = 800e6
# The targets refer to extracting the first number of each reply.
NUMBER = r"(\d+(?:\.\d+)?)"
# Finds a rating among other numbers, as real replies require.
MARKER = r"\[\[(\d+(?:\.\d+)?)\]\]"
FORMATS: dict[str, tuple[Any, str]] = {
    "mt_bench.single": ("mt_bench.single", "Rating: [[{}]]"),
    "score(1, 10)": (jc.Format.score(1, 10), "Score: {}"),
}
TWO_THREADS = 1.7


def replies(template: str, length: int, count: int) -> tuple[list[str], list[float]]:
    """Return distinct replies of about a given length, with their scores."""
    verdicts = [template.format(score) for score in SCORES]
    bodies = [ending_in(verdict, length) for verdict in verdicts]
    if bodies == verdicts:
        bodies = [f"{LEAD} {verdict}" for verdict in verdicts]
    heads = islice(corpora.words(), count)
    texts = [f"{head} {body}" for head, body in zip(heads, cycle(bodies), strict=False)]
    return texts, [float(SCORES[nth % len(SCORES)]) for nth in range(count)]


def loop(texts: list[str], pattern: str) -> list[float]:
    """Extract the numbers with a Python loop."""
    search = re.compile(pattern).search
    return [float(found[1]) if (found := search(text)) else float("nan") for text in texts]


class Peers:
    """The same extraction in each library, on its native column type."""

    def __init__(self, texts: list[str], pattern: str, threads: int) -> None:
        self.texts = texts
        self.pattern = pattern
        self.arrow = pa.array(texts)
        self.frame = pl.DataFrame({"reply": texts})
        self.series = pd.Series(texts, dtype="str")
        self.connection = duckdb.connect(config={"threads": threads})
        self.connection.register("given", pa.table({"reply": self.arrow}))
        self.connection.execute("CREATE TABLE replies AS SELECT reply FROM given")
        self.pool = multiprocessing.get_context("fork").Pool(threads)

    def calls(self) -> dict[str, Call]:
        """Return one call per library."""
        return {
            "polars": Call(self.eager),
            "polars lazy": Call(self.lazy),
            "duckdb": Call(self.sql),
            "pyarrow": Call(self.kernel),
            "pandas": Call(self.extract),
            "re": Call(loop, (self.texts, self.pattern)),
            "pool": Call(self.spread),
        }

    def eager(self) -> Any:
        return self.frame["reply"].str.extract(self.pattern).cast(pl.Float64)

    def lazy(self, pattern: str = "") -> Any:
        score = pl.col("reply").str.extract(pattern or self.pattern).cast(pl.Float64)
        return self.frame.lazy().select(score).collect()

    def sql(self) -> Any:
        ask = f"SELECT TRY_CAST(regexp_extract(reply, '{self.pattern}', 1) AS DOUBLE) AS reply FROM replies"  # noqa: S608 - the pattern is ours
        return self.connection.sql(ask).to_arrow_table()

    def kernel(self) -> Any:
        found = pc.extract_regex(self.arrow, self.pattern.replace("(\\d", "(?P<score>\\d"))
        return pc.struct_field(found, "score").cast(pa.float64())

    def extract(self) -> Any:
        return self.series.str.extract(self.pattern)[0].astype(float)

    def spread(self) -> Any:
        step = -(-len(self.texts) // self.pool._processes)  # noqa: SLF001 - the number that it was made with
        parts = [(self.texts[first : first + step], self.pattern) for first in range(0, len(self.texts), step)]
        return [score for part in self.pool.starmap(loop, parts) for score in part]

    def close(self) -> None:
        """Stop the worker processes."""
        self.pool.terminate()
        self.pool.join()


def numbers(result: Any) -> list[float]:
    """Convert a library's result to a list."""
    if isinstance(result, pl.DataFrame | pa.Table):
        result = result["reply"]
    if isinstance(result, pl.Series | pd.Series):
        return result.to_list()
    return result.to_pylist() if isinstance(result, pa.Array | pa.ChunkedArray) else result


def measure_threads(stopwatch: Stopwatch, threads: int, only: str = "") -> dict[str, dict[str, float]]:
    """Return the seconds of each bench, or of a single one, by library."""
    found: dict[str, dict[str, float]] = {}
    for name, (form, template) in FORMATS.items():
        for size, (length, count) in SIZES.items():
            if only not in {"", f"{name}/{size}"}:
                continue
            rows = count // 50 if stopwatch.is_quick else count
            texts, want = replies(template, length, rows)
            found[f"{name}/{size}"] = measure_texts(f"{name}/{size}", stopwatch, threads, form, NUMBER, texts, want)
    real = [] if only else corpora.replies()
    if real:
        form, _ = FORMATS["mt_bench.single"]
        texts = corpora.different(real, REAL_ROWS // 50 if stopwatch.is_quick else REAL_ROWS)
        want = [jc.parse(text, form).value_or(None) for text in texts]
        found[f"mt_bench.single/{REAL}"] = measure_texts(REAL, stopwatch, threads, form, MARKER, texts, want)
    return found


def measure_texts(  # noqa: PLR0917 - each is another thing
    name: str,
    stopwatch: Stopwatch,
    threads: int,
    form: jc.Format | str,
    pattern: str,
    texts: list[str],
    want: list[float | None],
) -> dict[str, float]:
    """Return the seconds of one bench; results of other libraries are checked, unless the replies are real."""
    peers = Peers(texts, pattern, threads)
    series = peers.frame["reply"]
    for given in (texts, peers.arrow, series):
        check(f"columns/{name}", want, jc.parse_many(given, form, threads=threads).values)
    calls = peers.calls()
    if name != REAL:
        for peer, call in calls.items():
            check(f"columns/{name}/{peer}", want, numbers(call()))
    how = {"threads": threads}
    calls |= {
        "judgecore": Call(jc.parse_many, (peers.arrow, form), how),
        "view": Call(jc.parse_many, (series, form), how),
        "list": Call(jc.parse_many, (texts, form), how),
        "iterate": Call(iterate, (texts,)),
    }
    if form == "mt_bench.single" and pattern != MARKER:
        check(f"columns/{name}/marker", want, numbers(peers.lazy(MARKER)))
        calls["marker"] = Call(peers.lazy, (MARKER,))
    clock = time.process_time if threads == 1 else time.perf_counter
    few = replace(stopwatch, repeats=min(stopwatch.repeats, FEW))
    # Other processes only affect wall-clock time.
    times = few.compare({"pool": calls.pop("pool")})
    times |= replace(few, clock=clock).compare({peer: calls.pop(peer) for peer in SLOW})
    times |= replace(stopwatch, clock=clock).compare(calls)
    found = {peer: each.least for peer, each in times.items()} | {"bytes": float(peers.arrow.nbytes)}
    if threads > 1:
        one = {"one": Call(jc.parse_many, (peers.arrow, form), {"threads": 1}), "all": calls["judgecore"]}
        both = stopwatch.compare(one)
        found["gain"] = both["one"].least / both["all"].least
    peers.close()
    return found


def iterate(texts: list[str]) -> None:
    """Iterate without doing anything."""
    for _ in texts:
        pass


def read_bandwidth(stopwatch: Stopwatch) -> float:
    """Return the memory bandwidth of one thread, in bytes per second."""
    memory = np.ones((16 if stopwatch.is_quick else 256) << 17)
    return memory.nbytes / stopwatch.times(Call(memory.max)).least


def in_process(stopwatch: Stopwatch, threads: int, only: str = "") -> dict[str, dict[str, float]]:
    """Run ``measure_threads`` in a process with a given number of threads."""
    options = {name: value for name, value in asdict(stopwatch).items() if name != "clock"}
    done = subprocess.run(  # noqa: S603 - this file itself
        [sys.executable, __file__, str(threads), json.dumps(options), only],
        env={**os.environ, "POLARS_MAX_THREADS": str(threads), "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def measure(stopwatch: Stopwatch) -> Group:
    """Time one and two threads, then real replies by format."""
    bandwidth = read_bandwidth(replace(stopwatch, clock=time.process_time))
    rows: list[Row] = []
    by_threads = {threads: in_process(stopwatch, threads) for threads in (1, 2)}
    for bench, one in by_threads[1].items():
        two = by_threads[2][bench]
        size = bench.rpartition("/")[2]
        for threads, times in ((1, one), (2, two)):
            ratio = times["polars lazy"] / times["judgecore"]
            rate = times["bytes"] / times["judgecore"]
            said, is_met = f"polars lazy: {shown_ratio(ratio)}", None
            if size == REAL and threads == 1:
                said = f">= {REAL_RATE / 1e6:g} MB/s: {rate / 1e6:,.0f}"
                is_met = rate >= REAL_RATE
            peers = tuple(shown_seconds(times[peer]) for peer in PEERS)
            name = f"columns/{bench}/{threads}_thread{'s' * (threads > 1)}"
            rows.append(Row((name, shown_seconds(times["judgecore"]), *peers, said), is_met))
        gain = two["gain"]
        rows.append(
            own(
                f"columns/{bench}/gain",
                two["judgecore"],
                f">= {TWO_THREADS:g}x one: {shown_ratio(gain)}",
                is_met=gain >= TWO_THREADS,
            )
        )
        if size == "42B":
            rows.append(own(f"columns/{bench}/list/1_thread", one["list"], "", is_met=None))
            said = f"iterating it: {shown_ratio(two['list'] / two['iterate'])}"
            rows.append(own(f"columns/{bench}/list", two["list"], said, is_met=None))
            rows.append(own(f"columns/{bench}/polars_series", two["view"], "", is_met=None))
    notes = (
        f"One thread reads {bandwidth / 1e9:.1f} GB/s from memory. judgecore reaches, of that: "
        + ", ".join(
            f"{bench} {times['bytes'] / times['judgecore'] / bandwidth:.0%}" for bench, times in by_threads[1].items()
        )
        + ".",
        *(
            f"With the marker's own pattern, `{MARKER}`, instead of the first number, polars lazy takes with {threads} "
            f"thread{'s' * (threads > 1)}: "
            + ", ".join(
                f"{bench} {shown_seconds(times['marker'])} ({shown_ratio(times['marker'] / times['judgecore'])})"
                for bench, times in by_threads[threads].items()
                if "marker" in times
            )
            + "."
            for threads in (1, 2)
        ),
        "polars and DuckDB use the threads in the row's name, the pool that many processes, pyarrow and pandas one.",
        "Iterating a list is `for _ in texts: pass` on one core; the list is read on two.",
        "All replies are distinct. Those of one length are generated and have no target; `real` are replies of judges.",
        "Times are CPU time for one thread (except for the pool) and wall-clock time for two.",
        "The pool, pandas, pyarrow and the loop are timed separately, because they take seconds.",
    )
    about = (
        "A column of replies of one length to float64, minimum times. judgecore reads an Arrow column in place, with "
        "all rules, spans and reasons; the others extract the first number (in real replies the one in double "
        "brackets) with one pattern from their native column type."
    )
    return Group("columns", about, COLUMNS, tuple(rows), notes)


def own(name: str, seconds: float, target: str, *, is_met: bool | None) -> Row:
    """Return a row without comparison."""
    return Row((name, shown_seconds(seconds), *("" for _ in PEERS), target), is_met)


def measure_formats(stopwatch: Stopwatch) -> Group:
    """Time each format on all real replies."""
    texts = corpora.replies()
    columns = ("format", "replies/s", "MB/s", "of memory's")
    about = "Distinct replies of real judges in one Arrow column, read in each format: one thread, minimum times."
    if not texts:
        return Group("formats", about, columns, (), ("Corpora not found: set JUDGECORE_SHARED to their folder.",))
    rows_wanted = 5_000 if stopwatch.is_quick else 20_000
    texts = corpora.different(texts, rows_wanted)
    column = pa.array(texts)
    quick = replace(stopwatch, repeats=min(stopwatch.repeats, 3), clock=time.process_time)
    bandwidth = read_bandwidth(quick)
    rows: list[Row] = []
    for form in jc.formats():
        few = texts[:500]
        check(
            f"formats/{form.id}",
            [jc.parse(text, form).value_or(None) for text in few],
            jc.parse_many(pa.array(few), form).values,
        )
        seconds = quick.times(Call(jc.parse_many, (column, form), {"threads": 1})).least
        rate = column.nbytes / seconds
        rows.append(Row((form.id, f"{len(texts) / seconds:,.0f}", f"{rate / 1e6:,.0f}", f"{rate / bandwidth:.1%}")))
    mean = column.nbytes / len(texts)
    note = f"{len(texts):,} replies of {mean:,.0f} bytes on average; memory reads {bandwidth / 1e9:.1f} GB/s."
    return Group("formats", about, columns, tuple(rows), (note,))


if __name__ == "__main__":
    print(json.dumps(measure_threads(Stopwatch(**json.loads(sys.argv[2])), int(sys.argv[1]), sys.argv[3])))
