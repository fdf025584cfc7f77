"""``ViewEntry``: one reading, score or request as the page shows it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from judgecore.reports.measures import find_evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

# How many code points of a reply are shown: of the chosen entry on each side of its evidence, in the list before and
# after its beginning.
SHOWN = 100_000
BEFORE, EXCERPT = 22, 90
# Without a reply, the list shows the first cell of this length.
LEAST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewEntry:
    """One reading, score or request."""

    where: str
    status: str
    value: str = ""
    number: float = math.nan
    verdict: object = None
    reason: str = ""
    detail: str = ""
    reply: str | None = None
    span: tuple[int, int] | None = None
    note: str = ""
    labels: dict[str, str] = field(default_factory=dict[str, str])
    cells: dict[str, str] = field(default_factory=dict[str, str])
    key: int = 0

    def digest(self) -> str:
        """Return a hash of what a judgement is about: position, reply, evidence and outcome."""
        parts = (self.where, self.status, self.value, self.reason, self.reply or "", str(self.span))
        text = "\0".join(parts).encode("utf-8", "surrogatepass")
        return blake2b(text, digest_size=8).hexdigest()

    def text(self) -> str:
        """Return everything that the text filter searches."""
        return "\n".join((self.value, self.reason, self.detail, self.reply or "", *self.cells.values()))

    def evidence(self) -> tuple[int, int] | None:
        """Return the evidence's place: inside a JSON document the value that decides."""
        verdict = self.number if isinstance(self.verdict, str) and math.isfinite(self.number) else self.verdict
        return find_evidence(self.reply or "", self.span, verdict)

    def to_json(self) -> dict[str, Any]:
        """Return what the page shows of it, with a long reply cut on each side of its evidence."""
        reply, span = _cut(self.reply, self.evidence(), SHOWN, SHOWN)
        is_cut = reply != self.reply
        note = (
            f"{self.note} The page shows at most {SHOWN:,} characters on each side of the evidence."
            if is_cut
            else self.note
        )
        return {
            "where": self.where,
            "status": self.status,
            "value": self.value,
            "reason": self.reason,
            "detail": self.detail,
            "reply": reply,
            "span": span,
            "note": note.strip(),
            "labels": self.labels,
            "cells": self.cells,
            "digest": self.digest(),
        }


def excerpt(shown: dict[str, Any]) -> dict[str, Any]:
    """Cut what ``ViewEntry.to_json`` returned to a line of the list; ``view.js`` cuts likewise."""
    text = shown["reply"]
    if text is None:
        text = shown["detail"] or next((one for one in shown["cells"].values() if len(one) >= LEAST), "")
    reply, span = _cut(text, shown["span"], BEFORE, EXCERPT)
    if reply and span is not None and span[0] < shown["span"][0]:
        reply, span = f"…{reply}", [end + 1 for end in span]
    about = {name: shown[name] for name in ("where", "status", "reason")}
    return {**about, "value": shown["value"][:EXCERPT], "reply": reply, "span": span}


def _cut(reply: str | None, span: Sequence[int] | None, before: int, after: int) -> tuple[str | None, list[int] | None]:
    """Keep the evidence, and so many characters before and after it; without evidence, the beginning."""
    if reply is None or span is None:
        return reply if reply is None else reply[: before + after], None
    start, end = span
    first, end = max(0, start - before), min(end, start + after)
    return reply[first : end + after], [start - first, end - first]
