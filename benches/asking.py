"""Measure requests per second and CPU per call for a judge over HTTP, compared with other clients."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from results import Group, Row, check

if TYPE_CHECKING:
    from collections.abc import Generator

    from stopwatch import Stopwatch

HERE = Path(__file__).parent
FAST = ("judgecore", "transport")
OWN = (*FAST, "httpx")
# Created by `make bench`: the compared clients don't fit into judgecore's environment.
OTHERS = {
    "openai_httpx2": HERE.parent / ".venv-clients",
    # litellm still requires the SDK version on httpx.
    "openai_httpx": HERE.parent / ".venv-litellm",
    "litellm": HERE.parent / ".venv-litellm",
}
# OpenAI's SDK, by HTTP library; the target refers to the one on httpx.
SDKS = {"openai_httpx": "httpx", "openai_httpx2": "httpx2"}
TARGETED = "openai_httpx"
SHARE_OF_IDEAL, LEAST_RATE, TIMES_OPENAI, MOST_CPU_MS, MOST_PEAK_MB = 0.85, 1000, 15, 0.3, 250
THOUSANDS = 4096
# A client that is busy with its own connections hears no timeout of its own.
MOST_SECONDS = 100


@dataclass(frozen=True)
class Load:
    """How a judge is asked.

    Attributes:
        in_flight: How many requests at once.
        delay_ms: How long the judge takes.
        calls: How many requests in all.
    """

    in_flight: int
    delay_ms: int
    calls: int

    @property
    def ideal(self) -> float:
        """Return the rate of a client without overhead; 0 if the judge has no delay."""
        return self.in_flight / self.delay_ms * 1000 if self.delay_ms else 0.0

    def __str__(self) -> str:
        """Describe the load."""
        return f"{self.in_flight} in flight, {self.delay_ms} ms"


LOADS = (
    Load(1, 0, 600),
    Load(1, 50, 80),
    Load(32, 0, 1500),
    Load(32, 50, 1500),
    Load(256, 0, 3000),
    Load(256, 50, 5000),
    Load(THOUSANDS, 2000, 40960),
)


@contextmanager
def judging(delay_ms: int) -> Generator[str]:
    """Start a judge in its own process, on its own core if there are two, and return its address."""
    command = [sys.executable, HERE / "loopback.py", str(delay_ms / 1000)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - a file of this folder
        pin(server.pid, -1)
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        finally:
            server.kill()


def pin(process: int, core: int) -> None:
    """Pin a process to one core, so that client and server don't share one."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if len(cores) > 1:
        os.sched_setaffinity(process, {cores[core]})


def ask(client: str, url: str, load: Load, calls: int) -> dict[str, Any] | None:
    """Run a client in its own process; return its measurements and version, or None if it takes too long."""
    python = sys.executable if client in OWN else str(OTHERS[client] / "bin" / "python")
    command = [python, str(HERE / "asking_clients.py"), client, url, str(load.in_flight), str(calls)]
    # Otherwise litellm downloads its price list.
    env = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    try:
        done = subprocess.run(  # noqa: S603 - a file of this folder
            command,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env=env,
            preexec_fn=lambda: pin(0, 0),
            timeout=None if client in FAST else MOST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout.splitlines()[-1])


def measure(stopwatch: Stopwatch) -> Group:
    """Time all clients in turn and keep the best run of each, because other load only slows them."""
    missing = [name for name, environment in OTHERS.items() if not (environment / ".made").exists()]
    clients = [*OWN, *(name for name in OTHERS if name not in missing)]
    rounds, share = (1, 0.1) if stopwatch.is_quick else (2, 1.0)
    rows: list[Row] = []
    too_slow: list[str] = []
    versions: dict[str, str] = {}
    for load in LOADS:
        best: dict[str, dict[str, Any]] = {}
        calls = max(load.in_flight, int(load.calls * share))
        # Some clients are so slow with hundreds of connections that a run would take minutes.
        fewer = max(load.in_flight, calls // 5)
        with judging(load.delay_ms) as url:
            for number in range(rounds):
                for client in clients:
                    if number and load.in_flight == THOUSANDS and client not in FAST:
                        continue
                    got = ask(client, url, load, calls if client in FAST else fewer)
                    if got is None:
                        too_slow.append(f"{client} did not end within {MOST_SECONDS} s with {load}.")
                        continue
                    if client in SDKS:
                        check(f"asking/{client}", SDKS[client], got["over"])
                    versions[client] = got["version"]
                    known = best.setdefault(client, got)
                    known["rate"] = max(known["rate"], got["rate"])
                    for figure in ("cpu_ms", "peak_mb"):
                        known[figure] = min(known[figure], got[figure])
        rows.extend(rows_of(load, best))
    absent = [f"{name} is not installed: `make {OTHERS[name].name}/.made`." for name in missing]
    notes = (*absent, *dict.fromkeys(too_slow))
    over = {name: f" over {transport}" for name, transport in SDKS.items()}
    peers = ", ".join(versions[name] + over.get(name, "") for name in ("httpx", *OTHERS) if name in versions)
    about = (
        "Requests per second to a judge that takes 0, 50 or 2,000 ms, client and judge on one core each. judgecore "
        "includes ledger, pacing and reading; the others only send, and for at most 45 s: their rate is that of the "
        "answers until then. CPU is in ms per call; cpu_ms_beyond_transport is "
        "judgecore's overhead over the same request on the same connections with the same timeouts. All clients run "
        f"with fewer full garbage collections. Clients: {peers}. "
        f"The target of {TIMES_OPENAI}x refers to OpenAI's SDK over httpx; the SDK over httpx2 is shown without a "
        "target."
    )
    columns = ("bench", "judgecore", "httpx", *OTHERS, "target")
    return Group("asking", about, columns, tuple(rows), notes)


def rows_of(load: Load, best: dict[str, dict[str, Any]]) -> list[Row]:
    """Return the rows of one load: rates with targets, and CPU."""

    def cells(figure: str, form: str) -> list[str]:
        return [format(best[one][figure], form) if one in best else "" for one in ("judgecore", "httpx", *OTHERS)]

    rate, nothing = best["judgecore"]["rate"], ("",) * (1 + len(OTHERS))
    own_cpu = best["judgecore"]["cpu_ms"] - best["transport"]["cpu_ms"]
    rows = [Row((f"asking/rate/{load}", *cells("rate", ",.0f"), *target_of(load, rate)[0]), target_of(load, rate)[1])]
    rows.append(Row((f"asking/cpu_ms/{load}", *cells("cpu_ms", ".3f"), "")))
    beyond = (f"asking/cpu_ms_beyond_transport/{load}", f"{own_cpu:.3f}", *nothing, f"<= {MOST_CPU_MS:g}")
    rows.append(Row(beyond, own_cpu <= MOST_CPU_MS))
    if load.in_flight == THOUSANDS:
        peak = best["judgecore"]["peak_mb"]
        shown = (f"asking/peak_mb/{load}", *cells("peak_mb", ",.0f"), f"<= {MOST_PEAK_MB}")
        rows.append(Row(shown, peak <= MOST_PEAK_MB))
    if load.in_flight == 256 and load.delay_ms:
        for name in SDKS:
            if name in best:
                ratio = rate / best[name]["rate"]
                target, is_met = (f">= {TIMES_OPENAI}x", ratio >= TIMES_OPENAI) if name == TARGETED else ("", None)
                rows.append(Row((f"asking/times_{name}/{load}", f"{ratio:.1f}x", *nothing, target), is_met))
    return rows


def target_of(load: Load, rate: float) -> tuple[tuple[str], bool | None]:
    """Return the target rate of a load, and whether it is met."""
    if not load.ideal or load.in_flight == 1:
        return ("",), None
    least = LEAST_RATE if load.in_flight == 256 else SHARE_OF_IDEAL * load.ideal
    return (f">= {least:,.0f}",), rate >= least
