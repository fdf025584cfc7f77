"""Replies labelled by hand, of all kinds and in more than ten languages, are read as a careful person reads them."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from references.conformance import is_accepted

import judgecore as jc

FOLDER = Path(__file__).with_name("cases") / "accuracy"
REPLIES: list[dict[str, Any]] = [
    json.loads(line) for line in (FOLDER / "replies.jsonl").read_text("utf-8").splitlines()
]
# By what is amiss: the replies that are known to fail, and why.
KNOWN: dict[str, dict[str, str]] = tomllib.loads((FOLDER / "known.toml").read_text("utf-8"))
# Which share of all replies may fail.
LIMITS = {"wrong": 0.004, "unread": 0.07, "misnamed": 0.007}


@cache
def format_called(name: str) -> jc.Format:
    """The built-in format of that name, or the one of the file beside the replies."""
    return jc.Format.from_toml(FOLDER / "formats.toml", name) if name.startswith("accuracy.") else jc.Format.get(name)


def read(reply: dict[str, Any]) -> jc.Reading | jc.Unreadable:
    options = {name: reply[name] for name in ("mode", "cut", "material") if name in reply}
    return jc.parse(reply["reply"], format_called(reply["format"]), **options)


def failure(reply: dict[str, Any]) -> str | None:
    """What is amiss with the outcome of a reply, a key of LIMITS, or None if its label accepts it."""
    outcome = read(reply)
    accepted = is_accepted(reply, outcome)
    if accepted is None:
        return "unread"
    reasons = [reason for one in reply["accept"] for reason in one.get("unreadable", [])]
    if isinstance(outcome, jc.Unreadable):
        return None if outcome.reason in reasons else "misnamed"
    return None if accepted else "wrong"


@pytest.fixture(scope="module")
def failures() -> dict[str, set[str]]:
    """The ids of the replies that fail, by what is amiss."""
    found: dict[str, set[str]] = {sort: set() for sort in LIMITS}
    for reply in REPLIES:
        sort = failure(reply)
        if sort is not None:
            found[sort].add(reply["id"])
    return found


def shown(ids: set[str]) -> str:
    """Reply, expected and got, of each."""
    blocks = [
        f"{reply['id']} ({reply['format']}): {reply['why']}\n"
        f"  reply:    {reply['reply']!r}\n"
        f"  expected: {json.dumps(reply['accept'], ensure_ascii=False)}\n"
        f"  got:      {read(reply)!r}"
        for reply in REPLIES
        if reply["id"] in ids
    ]
    return "\n".join(["", *blocks])


@pytest.mark.parametrize("sort", LIMITS)
def test_no_larger_share_fails_than_is_stated(failures: dict[str, set[str]], sort: str) -> None:
    assert len(failures[sort]) <= LIMITS[sort] * len(REPLIES), shown(failures[sort])


@pytest.mark.parametrize("sort", LIMITS)
def test_no_reply_fails_that_is_not_known_to(failures: dict[str, set[str]], sort: str) -> None:
    new = failures[sort] - KNOWN[sort].keys()

    assert not new, shown(new)


@pytest.mark.parametrize("sort", LIMITS)
def test_what_is_known_to_fail_still_does(failures: dict[str, set[str]], sort: str) -> None:
    mended = KNOWN[sort].keys() - failures[sort]

    assert not mended, f"remove from [{sort}] of {FOLDER / 'known.toml'}: {', '.join(sorted(mended))}"


def test_a_failure_shows_reply_expected_and_got() -> None:
    reply = next(one for one in REPLIES if one["id"] in KNOWN["wrong"])

    text = shown({reply["id"]})

    assert repr(reply["reply"]) in text
    assert json.dumps(reply["accept"], ensure_ascii=False) in text
    assert repr(read(reply)) in text


def test_the_replies_cover_every_kind_mode_and_ten_languages() -> None:
    kinds = Counter(format_called(reply["format"]).kind for reply in REPLIES)
    languages = Counter(reply["language"] for reply in REPLIES)
    unreadable = [reply for reply in REPLIES if all("unreadable" in one for one in reply["accept"])]

    assert {form.kind for form in jc.formats()} | {"fields", "order"} == kinds.keys()
    assert len([number for number in languages.values() if number >= 10]) >= 10
    assert {"lenient", "strict"} == {reply.get("mode", "lenient") for reply in REPLIES}
    assert len(unreadable) >= 100
    assert len({reply["id"] for reply in REPLIES}) == len(REPLIES) >= 400
