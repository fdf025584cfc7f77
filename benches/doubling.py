"""Measure how time grows from 64 kB to 1 MB of adversarial text, for formats and for typical patterns of publishers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hostile import ATTEMPTS, KIB, TEXTS, Subject, subjects
from results import Group, Row, shown_seconds

if TYPE_CHECKING:
    from stopwatch import Stopwatch

SIZES = tuple(KIB * size for size in (64, 128, 256, 512, 1024))
QUICK_SIZES = tuple(KIB * size for size in (64, 128))
# Quadratic patterns are slow long before 64 kB.
PATTERN_SIZES = tuple(KIB * 2**power for power in range(11))
QUICK_PATTERN_SIZES = PATTERN_SIZES[:3]
# Doubling the text may take at most 2.5 times as long.
GROWTH = 2.5
# Stop here: the next size would take a quadratic pattern four times as long.
PATIENCE_S = 0.3
# Shorter times are dominated by timer noise.
BRIEF_S = 20e-6

# Our own equivalents of the patterns of publishers and other libraries.
PATTERNS = {
    "a number in two brackets": re.compile(r"\[\[(\d+(?:\.\d+)?)\]\]"),
    "signs in two brackets": re.compile(r"\[\[([AB=<>]+)\]\]"),
    "an answer behind a word": re.compile(r"(?is)grade\s*:\s*([CPI])(.*)\Z"),
    "a number at the end": re.compile(r"\b(?:[1-9]|10)\b\s*\Z"),
    "a result at the end": re.compile(r"\[RESULT\]\s*([1-5AB])\s*\Z"),
    "a number in tags": re.compile(r"<score>\s*(\d+)\s*</score>"),
    "the first brace to the last": re.compile(r"(?s)\{.*\}"),
    "braces in braces": re.compile(r"\{(?:[^{}]|\{[^{}]*\})*\}"),
    "a fence to the next": re.compile(r"(?s)```(?:json)?\s*(.*?)\s*```"),
    "reasoning to its end": re.compile(r"(?s)<think>.*?</think>"),
    "a line with its answer": re.compile(r"(?m)^(.*?):\s*(yes|no)\s*$"),
}


@dataclass(frozen=True)
class Growth:
    """Times of one reader on one text, by increasing size."""

    text: str
    reader: str
    times: tuple[float, ...]

    @property
    def doubling(self) -> float:
        """Return the mean growth factor when the text doubles."""
        first, last = self.times[0], self.times[-1]
        doublings = len(self.times) - 1
        return (last / first) ** (1 / doublings) if doublings and last > BRIEF_S else 1.0


def grown(name: str, texts: list[str], subject: Subject, stopwatch: Stopwatch) -> Growth:
    """Time a reader on every text, up to a time limit; a missed target is measured again."""
    least: list[float] = []
    for _ in range(ATTEMPTS):
        for nth, text in enumerate(texts):
            time = stopwatch.times(subject.call(text)).least
            least[nth:] = [min([time, *least[nth : nth + 1]]), *least[nth + 1 :]]
            if time > PATIENCE_S:
                break
        if Growth(name, subject.name, tuple(least)).doubling <= GROWTH or least[-1] > PATIENCE_S:
            break
    return Growth(name, subject.name, tuple(least))


def steepest(made: dict[str, list[str]], readers: list[Subject], stopwatch: Stopwatch) -> tuple[Growth, Growth]:
    """Return the steepest growth and the longest time."""
    found = [grown(name, texts, one, stopwatch) for name, texts in made.items() for one in readers]
    return max(found, key=lambda one: one.doubling), max(found, key=lambda one: (len(one.times), one.times[-1]))


def row(name: str, growth: Growth, longest: Growth, sizes: tuple[int, ...], *, is_ours: bool) -> Row:
    """Return a table row."""
    reached = sizes[len(growth.times) - 1] // KIB
    factor = growth.times[-1] / growth.times[0]
    cells = (name, f"{growth.doubling:.2f}", f"{factor:.0f}x, {sizes[0] // KIB} to {reached} kB", growth.text)
    slowest = shown_seconds(max(growth.times[-1], longest.times[-1]))
    return Row((*cells, slowest), growth.doubling <= GROWTH if is_ours else None)


def measure(stopwatch: Stopwatch) -> Group:
    """Time every format in its modes, and every pattern, on every text."""
    sizes = QUICK_SIZES if stopwatch.is_quick else SIZES
    brief = replace(stopwatch.of_one_thread(), repeats=2, batch_s=0.5e-3)
    made = {name: [make(size) for size in sizes] for name, make in TEXTS.items()}
    by_format: dict[str, list[Subject]] = {}
    for subject in subjects():
        by_format.setdefault(subject.name.partition("/")[0], []).append(subject)
    rows = [row(name, *steepest(made, readers, brief), sizes, is_ours=True) for name, readers in by_format.items()]
    small = QUICK_PATTERN_SIZES if stopwatch.is_quick else PATTERN_SIZES
    made = {name: [make(size) for size in small] for name, make in TEXTS.items()}
    for name, pattern in PATTERNS.items():
        reader = Subject(f"re: {name}", lambda text, pattern=pattern: pattern.search(text))
        rows.append(row(reader.name, *steepest(made, [reader], brief), small, is_ours=False))
    about = (
        f"Each format in all modes on {len(TEXTS)} texts of {sizes[0] // KIB} to {sizes[-1] // KIB} kB, followed by "
        "Python patterns that are equivalent to those of publishers: growth of time when the text doubles, on the "
        f"worst text (2 is linear, at most {GROWTH} is accepted), and the longest time. Patterns start at 1 kB and "
        f"stop at the first text that takes {shown_seconds(PATIENCE_S)}."
    )
    return Group("doubling", about, ("reader", "doubling", "growth", "worst text", "longest"), tuple(rows))
