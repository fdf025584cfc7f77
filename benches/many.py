"""Time many replies in one call against a plain Python loop over the same list."""

from __future__ import annotations

from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

import corpora
from references import inherited
from results import COMPARED, Group, Row, check, compared, shown_seconds
from stopwatch import Call

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable

    from stopwatch import Stopwatch

SCORE_REPLIES = (
    "{}",
    "Score: {}",
    "Rating: {}, because the steps are not shown.",
    "The answer is clear and complete. Score: {}",
    "Score: {}. It follows the question in every part, but an example of how it is used would have helped a reader.",
)
BINARY_REPLIES = (
    "{}",
    "{}.",
    "{}, the answer says the same in other words.",
    "{}. Both name the river and the year in which it was crossed.",
    "{}, and the reason that is given for it can be followed from the first step to the last, with no gap.",
)


def replies(templates: tuple[str, ...], verdicts: tuple[str, ...], count: int) -> list[str]:
    """Return ``count`` separate strings of about 42 characters."""
    rows = zip(cycle(templates), cycle(verdicts), strict=False)
    return [template.format(verdict) for template, verdict in islice(rows, count)]


def distinct(texts: list[str]) -> list[str]:
    """Make replies distinct by appending a unique word to each."""
    return [f"{text}\n\nThus {word}." for text, word in zip(texts, corpora.words(), strict=False)]


def loop(function: Callable[..., Any], texts: list[str], *others: Any) -> list[Any]:
    """Read with a Python loop instead of ``parse_many``."""
    return [function(text, *others) for text in texts]


def iterate(texts: list[str]) -> None:
    """Iterate without doing anything."""
    for _ in texts:
        pass


def beside(name: str, ours: float, peer: tuple[str, float], ratio: float, target: str, *, is_met: bool | None) -> Row:
    """Return a row with a different reference than the group's."""
    return Row((name, shown_seconds(ours), f"{peer[0]}: {shown_seconds(peer[1])}", f"{ratio:.2f}x", target), is_met)


def measure(stopwatch: Stopwatch) -> Group:
    """Time scores and yes/no, threads, and list iteration; repeated replies have no target."""
    count = 20_000 if stopwatch.is_quick else 1_000_000
    size = "20k" if stopwatch.is_quick else "1M"
    scores = replies(SCORE_REPLIES, ("8", "7.5", "0", "10", "6", "9", "3.25"), count)
    verdicts = replies(BINARY_REPLIES, ("Yes", "No", "no", "yes", "YES", "No", "NO"), count)
    benches: list[tuple[str, str, list[str], Callable[..., Any], Any, float | None]] = [
        ("score/repeated", "lmms_eval.score", scores, inherited.parse_score_response, (0, 10), None),
        ("score", "lmms_eval.score", distinct(scores), inherited.parse_score_response, (0, 10), 10),
        ("binary/repeated", "lmms_eval.yes_no", verdicts, inherited.parse_binary_response, "yes/no", None),
        ("binary", "lmms_eval.yes_no", distinct(verdicts), inherited.parse_binary_response, "yes/no", 4),
    ]
    rows: list[Row] = []
    notes: list[str] = []
    for kind, format_id, texts, function, option, target in benches:
        name = f"many/{kind}/{size}"
        want = loop(function, texts, option)
        for threads in (None, 1, 2):
            check(name, want, jc.parse_many(texts, format_id, threads=threads).values)
        del want
        times = stopwatch.compare({
            "all": Call(jc.parse_many, (texts, format_id)),
            "one": Call(jc.parse_many, (texts, format_id), {"threads": 1}),
            "two": Call(jc.parse_many, (texts, format_id), {"threads": 2}),
            "reference": Call(loop, (function, texts, option)),
            "list": Call(iterate, (texts,)),
        })  # fmt: skip
        one, two = times["one"].least, times["two"].least
        ours, alone = times["all"].median, times["list"].median
        gain = None if target is None else one / two >= 1.7
        rows += [
            compared(name, ours, times["reference"].median, times_as_fast=target),
            beside(f"{name}/two_threads", two, ("one", one), one / two, ">= 1.7x" if target else "", is_met=gain),
            beside(f"{name}/list", ours, ("list", alone), ours / alone, "", is_met=None),
        ]
        notes.append(f"{kind}: {sum(map(len, texts)) / len(texts):.0f} characters a reply, {format_id}.")
    about = (
        "parse_many over list[str], compared with a loop of the reference, one thread, and list iteration. Replies are "
        "generated, and distinct unless marked `repeated`."
    )
    return Group("many", about, COMPARED, tuple(rows), tuple(notes))
