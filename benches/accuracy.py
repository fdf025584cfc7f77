"""Draw docs/accuracy.svg and docs/accuracy.png, and write the accuracy table in docs/measured.md.

``make plots`` runs it. It needs the corpora, in the folder of reference data next to the project.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

# The reference implementations are in tests/.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import corpora
from figure import saved
from matplotlib import pyplot as plt
from references import accuracy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DOCUMENT = Path(__file__).parents[1] / "docs" / "measured.md"
# From the Okabe-Ito palette, which is safe for colour-blind readers.
COLOURS = {"right": "#56b4e9", "unread": "#d9d9d9", "wrong": "#d55e00"}
# Gap between families, in bars.
GAP = 1.3
# Positions of the number columns, in bar lengths.
COLUMNS = {"right": 1.1, "unread": 1.23, "wrong": 1.36}


def draw_family(axes: Axes, top: float, title: str, readers: dict[str, accuracy.Count]) -> float:
    """Draw a family's title and a bar per reader; return the position of the next family."""
    number = sum(next(iter(readers.values())))
    axes.text(-0.01, top, f"{title} ({number})", ha="right", va="center", fontsize=8.5, weight="bold")
    for nth, (name, found) in enumerate(readers.items(), 1):
        place, left = top + nth, 0.0
        axes.text(-0.01, place, name, ha="right", va="center", fontsize=8)
        for outcome, colour in COLOURS.items():
            many = getattr(found, outcome)
            axes.barh(place, many / number, left=left, height=0.78, color=colour)
            left += many / number
            is_grave = outcome == "wrong" and many > 0
            axes.text(
                COLUMNS[outcome],
                place,
                str(many) if many else "\N{MIDDLE DOT}",
                ha="right",
                va="center",
                fontsize=8,
                color=COLOURS["wrong"] if is_grave else "#333333",
                weight="bold" if is_grave else "normal",
            )
    return top + len(readers) + GAP


def draw(table: dict[str, dict[str, accuracy.Count]]) -> None:
    """Draw all families, one below the other."""
    number_of_bars = sum(len(readers) + GAP for readers in table.values())
    figure, axes = plt.subplots(figsize=(9, 0.2 * number_of_bars + 0.6), layout="constrained")
    top = 0.0
    for title, readers in table.items():
        top = draw_family(axes, top, title, readers)
    for outcome, place in COLUMNS.items():
        axes.text(place, -1, outcome, ha="right", va="center", fontsize=8.5, weight="bold")
        axes.barh(0, 0, color=COLOURS[outcome], label=outcome)
    axes.set(
        xlim=(0, max(COLUMNS.values()) + 0.01), ylim=(top - GAP + 0.5, -1.6), yticks=[], xticks=[0, 0.25, 0.5, 0.75, 1]
    )
    axes.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.tick_params(labelsize=8)
    axes.spines[["left", "top", "right", "bottom"]].set_visible(False)
    figure.legend(loc="outside upper left", ncols=3, fontsize=8.5, frameon=False)
    saved(figure, "accuracy")


def main() -> None:
    """Count, draw and write."""
    if not corpora.folder().is_dir():
        sys.exit(f"no corpora in {corpora.folder()}; set JUDGECORE_SHARED to the folder that holds them")
    table = accuracy.counts(corpora.folder())
    draw(table)
    marks = re.compile(r"(<!-- accuracy -->\n).*?(<!-- end -->)", re.DOTALL)
    text = DOCUMENT.read_text("utf-8")
    lines = "\n".join(accuracy.table_lines(table))
    DOCUMENT.write_text(marks.sub(lambda found: f"{found[1]}{lines}\n{found[2]}", text), "utf-8")


if __name__ == "__main__":
    main()
