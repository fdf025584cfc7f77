"""The main job, shown: two scorers over responses, through a judge over HTTP, with a run that is killed and goes on."""

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
# In the prompt the loopback judge finds the scale, and with it what harm is counted on.
JUDGE = "type: OpenAITarget\nmodel: no-model\ntemperature: 0\nschema_in: prompt\n"
PROGRAM = [sys.executable, "-c", "from judgecore.cli import main; main()"]
CONCURRENCY = 8
# So slow that there is something to kill.
DELAY_MS = 40
KILLED_AFTER = 40
# A judge that does not answer in this time is not there.
PATIENCE_S = 60.0
SHOWN = 8
SHORTEST_RESPONSE = 20


def show_scores(console: Console) -> None:
    """Score the bundled responses with two scorers, kill the second run and let it go on, and show what came of it.

    A loopback judge is started for it, which is no model. Everything stands in a folder that is gone afterwards.

    Args:
        console: Where it is shown.

    Raises:
        RuntimeError: If a run ends otherwise than it should.
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
        console.print(f"{n_rows} responses, two scorers, over HTTP; the judge is no model: it counts words")
        console.print()
        _show_rows(console, folder)
        _show_outcomes(console, folder)
        kept, in_flight, twice = left["received"], left["sent"], asked - different
        console.print(
            f"the second run was killed: {kept} of {n_rows} replies were kept, {in_flight} requests in flight"
        )
        console.print(
            f"and run again: {asked:,} requests for {2 * n_rows:,} scores, {twice} asked twice, which were in flight"
        )


@contextmanager
def loopback_judge(folder: Path, *, delay_ms: int = DELAY_MS) -> Generator[str]:
    """Start the loopback judge in a process of its own.

    Args:
        folder: Where it counts requests.
        delay_ms: How long it takes for a reply.

    Yields:
        Its address.
    """
    command = [*PROGRAM, "serve", "--delay-ms", str(delay_ms), "--count", str(folder / "count.sqlite")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own program
    try:
        said = "" if process.stdout is None else process.stdout.readline()
        if not said.startswith("listening on "):
            raise RuntimeError("the loopback judge did not start")
        yield said.split()[-1]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)
        if process.stdout is not None:
            process.stdout.close()


def run(folder: Path, url: str, scorer: str) -> None:
    """Score the responses as a process, as people do.

    Args:
        folder: Where the files are.
        url: The judge's address.
        scorer: The scorer's name.

    Raises:
        RuntimeError: If it fails.
    """
    done = subprocess.run(  # noqa: S603 - our own program
        _command(scorer), cwd=folder, env=_environment(url), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"judgecore score ended with status {done.returncode}: {done.stderr.strip()}")


def kill_halfway(folder: Path, url: str, scorer: str, n_asked: int) -> None:
    """Start scoring, and kill the process when the judge has been asked so often.

    Args:
        folder: Where the files are.
        url: The judge's address.
        scorer: The scorer's name.
        n_asked: How often, in all.
    """
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
    """How many requests the judge has had, and how many of them differ."""
    with closing(sqlite3.connect(folder / "count.sqlite", timeout=10)) as file:
        asked, different = file.execute("SELECT count(*), count(DISTINCT body) FROM request").fetchone()
    return int(asked), int(different)


def _rows(folder: Path, scorer: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{scorer}.jsonl").read_text("utf-8").splitlines()]


def _say(row: dict[str, Any]) -> str:
    """A score in a word or two."""
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
        table.add_row(shorten(of_row[0]["response"], width), *(_say(row) for row in of_row))
    console.print(table)


def _show_outcomes(console: Console, folder: Path) -> None:
    for scorer in SCORERS:
        counts = Counter("undetermined" if row["score_value"] is None else _say(row) for row in _rows(folder, scorer))
        said = ", ".join(f"{outcome} {count}" for outcome, count in counts.most_common())
        console.print(f"{scorer}: {said}")
