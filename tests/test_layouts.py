"""A verdict is read wherever it stands in the layout of a reply, and however it is set off."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import judgecore as jc

LAYOUTS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("cases").joinpath("layouts.toml").read_text("utf-8")
)
FORMATS = {
    "pair": jc.Format.choice({"A": ["A"], "B": ["B"], "tie": ["tie"]}),
    "score10": jc.Format.score(1, 10),
    "correct": jc.Format.binary(true=["correct"], false=["incorrect"]),
    "guard": jc.Format.choice({"safe": ["safe"], "unsafe": ["unsafe"]}),
    "yesno": jc.Format.binary(true=["yes"], false=["no"]),
}
HEADS = [(name, head) for name, layout in LAYOUTS.items() for head in layout["heads"]]


@pytest.mark.parametrize(("name", "head"), HEADS)
def test_a_verdict_is_read_alone_and_above_and_below_each_body(name: str, head: str) -> None:
    layout = LAYOUTS[name]
    form = FORMATS[layout["kind"]]
    missed: list[tuple[str, Any]] = []

    for verdict, value in zip(layout["verdicts"], layout["values"], strict=True):
        said = head.replace("{}", verdict)
        around = [reply for body in layout["bodies"] for reply in (f"{said}\n\n{body}", f"{body}\n\n{said}")]
        missed += [(reply, got) for reply in (said, *around) if (got := jc.parse(reply, form).value_or(None)) != value]

    assert missed == []


def test_a_body_alone_says_no_verdict() -> None:
    bodies = [(layout["kind"], body) for layout in LAYOUTS.values() for body in layout["bodies"]]

    assert [body for kind, body in bodies if jc.parse(body, FORMATS[kind]).ok] == []
