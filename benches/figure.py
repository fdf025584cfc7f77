"""Save the figures in docs/ reproducibly."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = Path(__file__).parents[1] / "docs"
mpl.use("agg")
mpl.rcParams["svg.hashsalt"] = "judgecore"


def saved(figure: Figure, name: str) -> None:
    """Save a figure as SVG and as PNG."""
    for suffix, metadata in (("svg", {"Date": None}), ("png", None)):
        figure.savefig(FOLDER / f"{name}.{suffix}", dpi=150, metadata=metadata)
