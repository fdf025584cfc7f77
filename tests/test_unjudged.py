"""Replies without a verdict are told from verdicts that look like them: the judge declined, or was cut off."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import judgecore as jc

LABELLED = Path(__file__).parent / "cases" / "unjudged" / "replies.jsonl"
REPLIES: list[dict[str, Any]] = [json.loads(line) for line in LABELLED.read_text("utf-8").splitlines()]


def said(reply: dict[str, Any]) -> dict[str, Any]:
    """What reading says of a reply, as its label is written."""
    outcome = jc.parse(reply["reply"], reply["format"], cut=reply.get("cut", False))
    if isinstance(outcome, jc.Unreadable):
        return {"unreadable": outcome.reason}
    return {"value": list(outcome.value) if isinstance(outcome.value, tuple) else outcome.value}


def kind_of(label: dict[str, Any]) -> str:
    return label.get("unreadable", "verdict")


def test_at_most_one_in_a_hundred_is_mistaken() -> None:
    mistaken = [(one["id"], said(one)) for one in REPLIES if said(one) != one["want"]]

    assert len(mistaken) <= len(REPLIES) / 100, mistaken


def test_no_kind_is_mistaken_for_a_verdict() -> None:
    invented = [one["id"] for one in REPLIES if "value" in said(one) and "value" not in one["want"]]

    assert invented == []


def test_the_set_is_large_and_holds_every_kind_in_several_languages() -> None:
    kinds = Counter(kind_of(one["want"]) for one in REPLIES)
    unjudged = [one for one in REPLIES if kind_of(one["want"]) in {"refused", "truncated"}]

    assert len(unjudged) >= 200
    assert min(kinds[kind] for kind in ("refused", "truncated", "verdict", "no_verdict")) >= 40
    assert len({one["language"] for one in unjudged}) >= 8
    assert len({one["id"] for one in REPLIES}) == len(REPLIES)
