"""The scoring part of ``judgecore demo``: score responses over HTTP, kill the run, and resume it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table

from judgecore.targets import LedgerReader
from judgecore.terminal import shorten

if TYPE_CHECKING:
    from collections.abc import Generator

    from rich.console import Console

SCORERS = {
    "harm": "type: SelfAskLikertScorer\nlikert_scale_path: harm\n",
    "llama_guard": (
        "type: SelfAskTrueFalseScorer\n"
        "true_false_question_path: llamaguard\n"
        "true_false_system_prompt_path: llamaguard_system_prompt\n"
        "response_parser: parse_llamaguard_response\n"
    ),
}
# The schema is put into the prompt, where the loopback judge finds the scale.
JUDGE = "type: OpenAITarget\nmodel: no-model\ntemperature: 0\nschema_in: prompt\n"
PROGRAM = [sys.executable, "-c", "from judgecore.cli import main; main()"]
CONCURRENCY = 8
# Slow enough that the run can be killed halfway.
DELAY_MS = 40
KILLED_AFTER = 40
# How long to wait for the judge process.
PATIENCE_S = 60.0
SHOWN = 8
SHORTEST_RESPONSE = 20


def show_scores(console: Console) -> None:
    """Score the bundled responses with two scorers, kill and resume the second run, and print the results.

    The judge is a loopback judge, which is not a model. All files are in a temporary folder.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = (files("judgecore.cli") / "demo_responses.jsonl").read_text("utf-8")
        (folder / "responses.jsonl").write_text(text, "utf-8")
        (folder / "judge.yaml").write_text(JUDGE, "utf-8")
        for scorer, described in SCORERS.items():
            (folder / f"{scorer}.yaml").write_text(described, "utf-8")
        n_rows = len(text.splitlines())
        with loopback_judge(folder) as url:
            run(folder, url, "harm")
            kill_halfway(folder, url, "llama_guard", n_rows + KILLED_AFTER)
            with LedgerReader(folder / "llama_guard.db") as ledger:
                left = ledger.counts()
            run(folder, url, "llama_guard")
            asked, different = _count(folder)
        console.print(f"{n_rows} responses, two scorers, over HTTP; the judge is not a model: it counts words")
        console.print()
        _show_rows(console, folder)
        _show_outcomes(console, folder)
        kept, in_flight, twice = left["received"], left["sent"], asked - different
        console.print(f"the second run was killed: {kept} of {n_rows} replies kept, {in_flight} requests in flight")
        console.print(
            f"and resumed: {asked:,} requests for {2 * n_rows:,} scores; {twice} that were in flight were sent twice"
        )


@contextmanager
def loopback_judge(folder: Path, *, delay_ms: int = DELAY_MS) -> Generator[str]:
    """Run the loopback judge in a process of its own, and yield its base URL; it counts requests in the folder."""
    command = [*PROGRAM, "serve", "--delay-ms", str(delay_ms), "--count", str(folder / "count.sqlite")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own program
    try:
        line = "" if process.stdout is None else process.stdout.readline()
        if not line.startswith("listening on "):
            raise RuntimeError("the loopback judge did not start")
        yield line.split()[-1]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)
        if process.stdout is not None:
            process.stdout.close()


def run(folder: Path, url: str, scorer: str) -> None:
    """Score the responses in a process of its own."""
    done = subprocess.run(  # noqa: S603 - our own program
        _command(scorer), cwd=folder, env=_environment(url), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"judgecore score ended with status {done.returncode}: {done.stderr.strip()}")


def kill_halfway(folder: Path, url: str, scorer: str, n_asked: int) -> None:
    """Start scoring, and kill the process when the judge has counted ``n_asked`` requests in total."""
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(  # noqa: S603 - our own program
        _command(scorer), cwd=folder, env=_environment(url), stdout=nowhere, stderr=nowhere
    )
    until = time.monotonic() + PATIENCE_S
    while _count(folder)[0] < n_asked and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    process.kill()
    process.wait()


def _command(scorer: str) -> list[str]:
    files_ = ["--scorer", f"{scorer}.yaml", "--target", "judge.yaml", "--ledger", f"{scorer}.db"]
    options = ["-o", f"{scorer}.jsonl", "--concurrency", str(CONCURRENCY), "--allow-unread", "100%"]
    return [*PROGRAM, "score", "responses.jsonl", *files_, *options]


def _environment(url: str) -> dict[str, str]:
    return {**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "any"}


def _count(folder: Path) -> tuple[int, int]:
    """Return how many requests the judge received, and how many distinct ones."""
    with closing(sqlite3.connect(folder / "count.sqlite", timeout=10)) as file:
        asked, different = file.execute("SELECT count(*), count(DISTINCT body) FROM request").fetchone()
    return int(asked), int(different)


def _rows(folder: Path, scorer: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{scorer}.jsonl").read_text("utf-8").splitlines()]


def _format_score(row: dict[str, Any]) -> str:
    """Format a score in a word or two."""
    if row["score_value"] is None:
        return f"undetermined: {row['score_reason']}"
    about: dict[str, Any] = row["score_metadata"]
    beside = f"(level {about['level']})" if "level" in about else about.get("violated_categories", "")
    return f"{str(row['score_value']).lower()} {beside}".strip()


def _show_rows(console: Console, folder: Path) -> None:
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("the responses with the highest scores", no_wrap=True)
    for scorer in SCORERS:
        table.add_column(scorer, no_wrap=True)
    every = [_rows(folder, scorer) for scorer in SCORERS]
    width = max(SHORTEST_RESPONSE, console.width - 36)
    of_rows = sorted(zip(*every, strict=True), key=lambda of_row: -float(of_row[0]["score_value"] or 0))
    for of_row in of_rows[:SHOWN]:
        table.add_row(shorten(of_row[0]["response"], width), *(_format_score(row) for row in of_row))
    console.print(table)


def _show_outcomes(console: Console, folder: Path) -> None:
    for scorer in SCORERS:
        counts = Counter(
            "undetermined" if row["score_value"] is None else _format_score(row) for row in _rows(folder, scorer)
        )
        listed = ", ".join(f"{outcome} {count}" for outcome, count in counts.most_common())
        console.print(f"{scorer}: {listed}")
