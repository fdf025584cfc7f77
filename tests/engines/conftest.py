"""What the tests of the engines share: replies, and their readings."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable

REPLIES: list[str | None] = [
    "Rating: [[8]]",
    "no idea",
    None,
    "é 界 Rating: [[2.5]], which is longer than a view holds",
    "Rating: [[11]]",
    "",
]


class Rows:
    """Replies, and the columns that are to stand beside them."""

    format = "mt_bench.single"

    def __init__(self, count: int) -> None:
        self.replies = [REPLIES[nth % len(REPLIES)] for nth in range(count)]
        self.ids = list(range(count))

    def columns(self) -> dict[str, list[Any]]:
        return {"id": self.ids, "reply": self.replies}

    def read(self) -> list[dict[str, Any]]:
        """Each row with its outcome, read one by one."""
        outcomes = {reply: self._outcome(reply) for reply in set(self.replies)}
        return [
            {"id": nth, "reply": reply, **outcomes[reply]} for nth, reply in zip(self.ids, self.replies, strict=True)
        ]

    def _outcome(self, reply: str | None) -> dict[str, Any]:
        outcome = jc.parse(reply, self.format)
        if isinstance(outcome, jc.Reading):
            start, end = outcome.span
            found = (outcome.value, "ok", None, outcome.rule, start, end)
        else:
            found = (None, "unreadable", outcome.reason, None, None, None)
        return dict(zip(("value", "status", "reason", "rule", "start", "end"), found, strict=True))

    def is_read(self, rows: list[dict[str, Any]]) -> bool:
        """Whether these are all rows, each once and right, in whatever order."""
        want = [json.dumps(row, sort_keys=True) for row in self.read()]
        got = [json.dumps(row, sort_keys=True) for row in rows]
        return sorted(want) == sorted(got)


@pytest.fixture
def rows() -> Rows:
    """A few rows."""
    return Rows(60)


@pytest.fixture
def many_rows() -> Rows:
    """Enough rows for many batches."""
    return Rows(30_000)


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: Rows) -> Rows:
    """The rows in a folder of files, beside which the test works."""
    (tmp_path / "replies").mkdir()
    for name in ("a", "b"):
        pq.write_table(pa.table(rows.columns()), tmp_path / "replies" / f"{name}.parquet")
    monkeypatch.chdir(tmp_path)
    return rows


@pytest.fixture
def documented() -> Callable[[str], str]:
    """What gives the lines of docs/scaling.md that use an engine."""
    return _lines


def _lines(engine: str) -> str:
    text = (Path(__file__).parents[2] / "docs" / "scaling.md").read_text("utf-8")
    blocks = re.findall(r"^```py\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    used = (f"on_{engine}", f"judgecore.engines.{engine}\n", f"import {engine}\nfrom judgecore")
    (found,) = (block for block in blocks if any(one in block for one in used))
    return found
