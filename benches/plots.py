"""Draw docs/speed.svg and docs/speed.png: time by length of a text, and rows per second by library and engine.

``make plots`` runs it with the interpreter of ``make test-engines``; otherwise the engines installed here are used.
Everything is measured in the same run, and the figure names missing engines.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

# The reference implementations are in tests/.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import columns
import corpora
import engines
import machine
from figure import saved
from matplotlib import pyplot as plt
from references import inherited
from replies import ending_in
from stopwatch import QUICK, THOROUGH, Call

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from stopwatch import Stopwatch

FORMATS = Path(__file__).parents[1] / "rust" / "judgecore" / "formats"
LENGTHS = [64 << shift for shift in range(15)]
# The pattern of Inspect AI 0.3.285, without its zero-width characters; the format's file has an earlier, simpler rule.
GRADE = re.compile(r"(?is).*(?<!\w)grade(?!\w)\s*:\s*([cpi])")
# A line ends when a text takes longer than this.
PATIENCE_S = 2.0
# From the Okabe-Ito palette, which is safe for colour-blind readers.
OURS = "#0072b2"
OTHERS = {"MT-Bench": "#e69f00", "Prometheus": "#009e73", "Inspect": "#cc79a7", "lmms-eval": "#d55e00"}
BAR = "#b5b5b5"


def published(family: str, form: str, nth: int = 0) -> re.Pattern[str]:
    """Return a publisher's pattern from its format's file."""
    declared = tomllib.loads((FORMATS / f"{family}.toml").read_text("utf-8"))["formats"]
    found = next(one for one in declared if one["id"] == form)
    return re.compile(found["paper"]["steps"][nth]["pattern"])


def lines() -> dict[str, tuple[Callable[[int], Any], Callable[[Any], Any]]]:
    """Return the lines to draw: text generator and reader of each."""

    def verdict(length: int) -> str:
        return ending_in("Rating: [[8]]", length)

    def braces(length: int) -> str:
        return "{" * length

    return {
        "judgecore, score at the end": (verdict, lambda text: jc.parse(text, "mt_bench.single")),
        "judgecore, JSON in {{{{": (braces, jc.extract_json),
        "MT-Bench's pattern": (verdict, published("mt_bench", "mt_bench.single").search),
        "Prometheus' pattern": (verdict, published("prometheus", "prometheus.absolute").search),
        "Inspect's pattern": (verdict, GRADE.search),
        "lmms-eval, score": (verdict, lambda text: inherited.parse_score_response(text, (1, 10))),
        "lmms-eval, JSON in {{{{": (braces, inherited.parse_json_response),
    }


def draw_lengths(axes: Axes, stopwatch: Stopwatch) -> None:
    """Draw CPU time of one thread by length, on logarithmic axes."""
    stopwatch = stopwatch.of_one_thread()
    for name, (make, read) in lines().items():
        seconds: list[float] = []
        for length in LENGTHS:
            seconds.append(stopwatch.times(Call(read, (make(length),))).least)
            if seconds[-1] > PATIENCE_S:
                break
        is_ours = name.startswith("judgecore")
        colour = next((one for peer, one in OTHERS.items() if name.startswith(peer)), OURS)
        axes.plot(
            LENGTHS[: len(seconds)],
            [one * 1e6 for one in seconds],
            "--" if "JSON" in name else "-",
            label=name,
            color=colour,
            linewidth=2.2 if is_ours else 1.3,
            zorder=3 if is_ours else 2,
        )
    axes.set(xscale="log", yscale="log", xlabel="characters of one reply", ylabel="microseconds", title="One reply")
    # Room for the legend below the lines.
    axes.set_ylim(bottom=1e-2)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower right", fontsize=8, frameon=False)


def draw_libraries(axes: Axes, stopwatch: Stopwatch) -> None:
    """Draw rows per second for a million distinct replies of 42 bytes, by library."""
    bench = "mt_bench.single/42B"
    times = columns.in_process(stopwatch, 2, bench)[bench]
    count = columns.SIZES["42B"][1] // (50 if stopwatch.is_quick else 1)
    names = {"judgecore": "judgecore, Arrow", "view": "judgecore, polars", "list": "judgecore, list"}
    names |= {peer: peer for peer in columns.PEERS}
    names |= {"re": "Python loop", "pool": "multiprocessing"}
    draw_rates(axes, {name: count / times[key] for key, name in names.items()})
    axes.set(xlabel="million rows a second, two threads", title="Scores out of replies of 42 bytes")


def draw_engines(axes: Axes, python: str, *, is_quick: bool) -> None:
    """Draw rows per second for real replies, by engine that calls judgecore."""
    command = [python, engines.__file__, "--json", *(["--quick"] if is_quick else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - the file is ours
    rates = {name: rate[0] for name, rate in json.loads(done.stdout.splitlines()[-1]).items()}
    draw_rates(axes, {f"judgecore on {name}": rate for name, rate in rates.items()})
    absent = [name for name in engines.ENGINES if name not in rates]
    unit = "million rows a second, all cores" + (f" (not installed: {', '.join(absent)})" if absent else "")
    axes.set(xlabel=unit, title="Readings of real replies in Parquet files")


def draw_rates(axes: Axes, rates: dict[str, float]) -> None:
    """Draw a bar per rate, judgecore's in its own colour."""
    ordered = sorted((rate / 1e6, name) for name, rate in rates.items())
    colours = [OURS if name.startswith("judgecore") else BAR for _, name in ordered]
    bars = axes.barh([name for _, name in ordered], [rate for rate, _ in ordered], color=colours)
    axes.bar_label(bars, [f"{rate:.2g}" if rate < 10 else f"{rate:.0f}" for rate, _ in ordered], padding=3, fontsize=8)
    axes.tick_params(labelsize=8)
    axes.margins(x=0.1)
    axes.spines[["top", "right"]].set_visible(False)


def parse_arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="benches/plots.py", description="Draw docs/speed.svg and docs/speed.png.")
    parser.add_argument(
        "python", nargs="?", default=sys.executable, help="interpreter in which the engines are installed"
    )
    parser.add_argument("--quick", action="store_true", help="little data and few repeats, to test the program")
    return parser.parse_args()


def main() -> None:
    """Measure and draw."""
    options = parse_arguments()
    stopwatch = QUICK if options.quick else THOROUGH
    where, *when, load = machine.described()
    about = f"{where}; {'; '.join(when)}\n{load}"
    if not corpora.folder().is_dir():
        sys.exit(f"no corpora in {corpora.folder()}; set JUDGECORE_SHARED to the folder that holds them")
    panels = [["lengths", "libraries"], ["lengths", "engines"]]
    figure, axes = plt.subplot_mosaic(panels, figsize=(11, 5.6), layout="constrained", height_ratios=[10, 5])
    draw_lengths(axes["lengths"], stopwatch)
    draw_libraries(axes["libraries"], stopwatch)
    draw_engines(axes["engines"], options.python, is_quick=options.quick)
    figure.supxlabel(about, fontsize=7, color="#555555")
    saved(figure, "speed")


if __name__ == "__main__":
    main()
