"""Time adversarial texts: doubling the text may take at most 2.5 times as long, and 1 MB at most 50 ms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from replies import prose
from results import Group, Row, shown_seconds
from stopwatch import Call

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stopwatch import Stopwatch

KIB = 1024
SIZES = tuple(KIB * size for size in (64, 128, 256, 512, 1024))
QUICK_SIZES = tuple(KIB * size for size in (64, 128))
GROWTH = 2.5
LARGEST_S = 0.050
# Faster runs are limited by memory bandwidth, and slow down at cache sizes.
MEMORY_BOUND_S = 100e-6
# The target is already missed; larger sizes would only take longer.
HOPELESS_S = 0.5
# A missed target is measured again, because another process may have caused it.
ATTEMPTS = 4


def repeated(unit: str, before: str = "") -> Callable[[int], str]:
    """Repeat ``unit`` up to about a given number of bytes."""
    return lambda size: before + unit * ((size - len(before)) // len(unit.encode()))


TEXTS: dict[str, Callable[[int], str]] = {
    "open_braces": repeated("{"),
    "open_reasoning": repeated("<think>"),
    "newlines_after_fence": repeated("\n", "```"),
    "spaces_after_score": repeated(" ", "Score:"),
    "prose": prose,
    "open_markers": repeated("[["),
    "quotes": repeated('"'),
    "curly_quotes": repeated("\u201c"),
    "commas": repeated(","),
    "nested_brackets": repeated("["),
    "nested_objects": repeated('{"a":['),
    "closed_reasoning": repeated("<think>a</think>"),
    "tags": repeated("<"),
    "emphasis": repeated("_a"),
    "backticks": repeated("`"),
    "empty_markers": repeated("[[]]"),
    "labelled_scores": repeated("Score: 8\n"),
    "numbers": repeated("8 "),
    "digits_and_stops": repeated("1."),
    "fractions": repeated("1/"),
    "percentages": repeated("1%"),
    "labels": repeated("A "),
    "yes_and_no": repeated("Yes No "),
    "verdicts": repeated("[[A]] "),
}


@dataclass(frozen=True)
class Subject:
    """A reader: a format in a mode, or a compatibility function."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    mode: str = ""

    def call(self, text: str) -> Call:
        """Return the call that reads a text."""
        return Call(self.function, (text, *self.args), {"mode": self.mode} if self.mode else {})


@dataclass(frozen=True)
class Growth:
    """The times of a reader on a text, by increasing size."""

    subject: str
    times: tuple[float, ...]
    sizes: tuple[int, ...]

    @property
    def factor(self) -> float:
        """Return the maximum growth factor when the text doubles."""
        pairs = zip(self.times, self.times[1:], strict=False)
        return max((after / before for before, after in pairs if after > MEMORY_BOUND_S), default=1.0)

    @property
    def longest(self) -> float:
        """Return the seconds for the largest text that was tried."""
        return self.times[-1]

    @property
    def is_met(self) -> bool:
        """Return whether both targets are met."""
        return self.factor <= GROWTH and self.longest <= LARGEST_S

    def shown(self) -> str:
        """Format the longest time, marked if larger texts were not tried."""
        mark = "" if len(self.times) == len(self.sizes) else "> "
        return f"{mark}{shown_seconds(self.longest)}"


def subjects() -> list[Subject]:
    """Return every built-in format in every mode, and the compatibility functions."""
    formats = [
        Subject(f"{form.id}/{mode}", jc.parse, (form,), mode=mode) for form in jc.formats() for mode in form.modes
    ]
    return [
        *formats,
        Subject("parse_binary_response", jc.ResponseParser.parse_binary_response),
        Subject("parse_score_response", jc.ResponseParser.parse_score_response, ((1, 10),)),
        Subject("parse_comparative_response", jc.ResponseParser.parse_comparative_response),
        Subject("parse_json_response", jc.ResponseParser.parse_json_response),
    ]


def grown(subject: Subject, texts: Sequence[str], sizes: tuple[int, ...], stopwatch: Stopwatch) -> Growth:
    """Time a reader on a text of every size; a missed target is measured again."""
    least = [float("inf")] * len(texts)
    for _ in range(ATTEMPTS):
        for nth, text in enumerate(texts):
            least[nth] = min(least[nth], stopwatch.times(subject.call(text)).least)
            if least[nth] > HOPELESS_S:
                return Growth(subject.name, tuple(least[: nth + 1]), sizes)
        if Growth(subject.name, tuple(least), sizes).is_met:
            break
    return Growth(subject.name, tuple(least), sizes)


def measure(stopwatch: Stopwatch) -> Group:
    """Time every reader on every text."""
    sizes = QUICK_SIZES if stopwatch.is_quick else SIZES
    brief = replace(stopwatch.of_one_thread(), repeats=2, batch_s=0.5e-3)
    everyone = subjects()
    rows: list[Row] = []
    missed: list[str] = []
    details: list[str] = []
    for name, make in TEXTS.items():
        texts = [make(size) for size in sizes]
        found = [grown(subject, texts, sizes, brief) for subject in everyone]
        steepest = max(found, key=lambda growth: growth.factor)
        slowest = max(found, key=lambda growth: growth.longest)
        missing = [growth for growth in found if not growth.is_met]
        rows.append(Row((name, f"{steepest.factor:.2f}", slowest.shown(), slowest.subject), not missing))
        if missing:
            missed.append(f"{name} is missed by {len(missing)} readers.")
            each = ", ".join(f"{growth.subject} ({growth.factor:.2f}, {growth.shown()})" for growth in missing)
            details.append(f"{name} is missed by {each}.")
    about = (
        f"{len(TEXTS)} texts of {sizes[0] // KIB} to {sizes[-1] // KIB} KiB for {len(everyone)} readers: every format "
        f"in every mode, and ResponseParser. The maximum growth of time when a text doubles (target {GROWTH}), and the "
        f"longest time for the largest text (target {shown_seconds(LARGEST_S)})."
    )
    return Group("hostile", about, ("text", "growth", "longest", "by"), tuple(rows), tuple(missed), tuple(details))
