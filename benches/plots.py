"""Draw docs/speed.svg and docs/speed.png: time against the length of a text, and rows a second by engine.

``make plots`` runs it. What is drawn is measured in the same run; the engines' figures are those of ``columns.py``.
"""

from __future__ import annotations

import re
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


def draw_engines(axes: Axes, stopwatch: Stopwatch) -> None:
    """Rows a second of a million replies of 42 bytes, by engine."""
    times = columns.in_process(stopwatch, 2)["mt_bench.single/42B"]
    count = columns.SIZES["42B"][1] // (50 if stopwatch.is_quick else 1)
    names = {"judgecore": "judgecore, Arrow", "view": "judgecore, polars", "list": "judgecore, list"}
    names |= {peer: peer for peer in columns.PEERS}
    names |= {"re": "Python loop", "pool": "multiprocessing"}
    rates = sorted(((count / times[key] / 1e6, name) for key, name in names.items()), reverse=False)
    colours = [OURS if name.startswith("judgecore") else "#95a5a6" for _, name in rates]
    bars = axes.barh([name for _, name in rates], [rate for rate, _ in rates], color=colours)
    axes.bar_label(bars, [f"{rate:.1f}" for rate, _ in rates], padding=3, fontsize=7)
    axes.set(xlabel="million rows a second, two threads", title="Scores out of 1M replies of 42 bytes")
    axes.spines[["top", "right"]].set_visible(False)


def main() -> None:
    """Measure and draw."""
    stopwatch = QUICK if "--quick" in sys.argv else THOROUGH
    # The same figures give the same file.
    mpl.rcParams["svg.hashsalt"] = "judgecore"
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    draw_lengths(left, stopwatch)
    draw_engines(right, stopwatch)
    figure.text(0.995, 0.005, "; ".join(machine.described()), fontsize=5, ha="right", color="#7f8c8d")
    for suffix in ("svg", "png"):
        figure.savefig(ROOT / "docs" / f"speed.{suffix}", dpi=150, metadata={"Date": None} if suffix == "svg" else None)


if __name__ == "__main__":
    main()
