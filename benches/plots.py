"""Draw docs/speed.svg and docs/speed.png: time against the length of a text, and rows a second by library and engine.

``make plots`` runs it, with the interpreter of ``make test-engines``. What is drawn is measured in the same run.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

# The references stand with the tests that prove them.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import columns
import machine
import matplotlib as mpl
from matplotlib import pyplot as plt
from references import inherited
from replies import ending_in
from run import QUICK, THOROUGH
from stopwatch import Call

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from stopwatch import Stopwatch

ROOT = Path(__file__).parents[1]
FORMATS = ROOT / "rust" / "judgecore" / "formats"
LENGTHS = [64 << shift for shift in range(15)]
# A line ends where one text takes longer than this.
PATIENCE_S = 2.0
OURS = "#c0392b"
OTHERS = ["#2c3e50", "#2980b9", "#16a085", "#8e44ad", "#d35400", "#7f8c8d", "#27ae60", "#34495e"]


def published(family: str, form: str, nth: int = 0) -> re.Pattern[str]:
    """A publisher's pattern, as its format's file records it."""
    declared = tomllib.loads((FORMATS / f"{family}.toml").read_text("utf-8"))["formats"]
    found = next(one for one in declared if one["id"] == form)
    return re.compile(found["paper"]["steps"][nth]["pattern"])


def lines() -> dict[str, tuple[Callable[[int], str], Callable[[str], Any]]]:
    """What is drawn: how each text is made, and what reads it."""

    def verdict(length: int) -> str:
        return ending_in("Rating: [[8]]", length)

    def braces(length: int) -> str:
        return "{" * length

    return {
        "judgecore, score at the end": (verdict, lambda text: jc.parse(text, "mt_bench.single")),
        "judgecore, JSON in {{{{": (braces, jc.extract_json),
        "MT-Bench's pattern": (verdict, published("mt_bench", "mt_bench.single").search),
        "Prometheus' pattern": (verdict, published("prometheus", "prometheus.absolute").search),
        "Inspect's pattern": (verdict, published("inspect", "inspect.model_graded").search),
        "lmms-eval, score": (verdict, lambda text: inherited.parse_score_response(text, (1, 10))),
        "lmms-eval, JSON in {{{{": (braces, inherited.parse_json_response),
    }


def draw_lengths(axes: Axes, stopwatch: Stopwatch) -> None:
    """Time against length, on logarithmic axes."""
    others = iter(OTHERS)
    for name, (make, read) in lines().items():
        seconds: list[float] = []
        for length in LENGTHS:
            seconds.append(stopwatch.times(Call(read, (make(length),))).least)
            if seconds[-1] > PATIENCE_S:
                break
        is_ours = name.startswith("judgecore")
        style = {"color": OURS, "linewidth": 2.2} if is_ours else {"color": next(others), "linewidth": 1.2}
        dashes = "--" if "JSON" in name else "-"
        axes.plot(LENGTHS[: len(seconds)], [one * 1e6 for one in seconds], dashes, label=name, **style)
    axes.set(xscale="log", yscale="log", xlabel="characters of one reply", ylabel="microseconds", title="One reply")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(fontsize=7, frameon=False)


def draw_libraries(axes: Axes, stopwatch: Stopwatch) -> None:
    """Rows a second of a million replies of 42 bytes, by library."""
    times = columns.in_process(stopwatch, 2)["mt_bench.single/42B"]
    count = columns.SIZES["42B"][1] // (50 if stopwatch.is_quick else 1)
    names = {"judgecore": "judgecore, Arrow", "view": "judgecore, polars", "list": "judgecore, list"}
    names |= {peer: peer for peer in columns.PEERS}
    names |= {"re": "Python loop", "pool": "multiprocessing"}
    draw_rates(axes, {name: count / times[key] for key, name in names.items()})
    axes.set(xlabel="million rows a second, two threads", title="Scores out of 1M replies of 42 bytes")


def draw_engines(axes: Axes, python: str, more: list[str]) -> None:
    """Rows a second of real replies, by engine that reads with judgecore."""
    command = [python, str(Path(__file__).with_name("engines.py")), "--json", *more]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - the file is ours
    draw_rates(axes, {f"judgecore on {name}": rate[0] for name, rate in json.loads(done.stdout).items()})
    axes.set(xlabel="million rows a second, two cores", title="Readings of real replies in Parquet files")


def draw_rates(axes: Axes, rates: dict[str, float]) -> None:
    """A bar for each rate, judgecore's in its colour."""
    ordered = sorted((rate / 1e6, name) for name, rate in rates.items())
    colours = [OURS if name.startswith("judgecore") else "#95a5a6" for _, name in ordered]
    bars = axes.barh([name for _, name in ordered], [rate for rate, _ in ordered], color=colours)
    axes.bar_label(bars, [f"{rate:.2g}" if rate < 10 else f"{rate:.0f}" for rate, _ in ordered], padding=3, fontsize=7)
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)


def main() -> None:
    """Measure and draw."""
    stopwatch = QUICK if "--quick" in sys.argv else THOROUGH
    # The same figures give the same file.
    mpl.rcParams["svg.hashsalt"] = "judgecore"
    panels = [["lengths", "libraries"], ["lengths", "engines"]]
    figure, axes = plt.subplot_mosaic(panels, figsize=(11, 5), layout="constrained", height_ratios=[10, 5])
    draw_lengths(axes["lengths"], stopwatch)
    draw_libraries(axes["libraries"], stopwatch)
    draw_engines(axes["engines"], sys.argv[1], sys.argv[2:])
    figure.text(0.995, 0.005, "; ".join(machine.described()), fontsize=5, ha="right", color="#7f8c8d")
    for suffix in ("svg", "png"):
        figure.savefig(ROOT / "docs" / f"speed.{suffix}", dpi=150, metadata={"Date": None} if suffix == "svg" else None)


if __name__ == "__main__":
    main()
