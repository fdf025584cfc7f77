"""Simulated studies: how often nominal intervals cover the truth, and how trials inflate the published alpha.

Run as a program, it writes the tables of docs/statistics.md anew.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from judgecore import stats

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENT = Path(__file__).parents[2] / "docs" / "statistics.md"

STUDIES = 2000
TRIALS = (1, 3, 10)
SHARES = (0.3, 0.5, 0.8)
# The sizes at which intervals are held to their word, and smaller ones, of which the table tells.
GATED = (200, 1000)
SMALLER = (20, 50, 100)

# The judge of all studies: how often it is right about true items, and about false ones.
SENSITIVITY, SPECIFICITY = 0.9, 0.8
# How many items without a human label there are for each with one.
UNLABELLED = 5
RESAMPLES = 1000

METHODS = {
    "wilson": "Wilson, a share",
    "bootstrap_mean": "bootstrap, a share",
    "bootstrap_f1": "bootstrap, F1",
    "rogan_gladen": "Rogan-Gladen",
    "ppi": "PPI++",
}


@dataclass(frozen=True)
class Coverage:
    """How often an interval of 95% covers the truth.

    Attributes:
        n_items: How many items people labelled.
        share: How many of all items are true.
        percent: By method, in how many percent of the studies.
    """

    n_items: int
    share: float
    percent: dict[str, float]


def judged(random: np.random.Generator, truth: np.ndarray) -> np.ndarray:
    """The judge's verdicts."""
    return np.where(truth, random.random(truth.shape) < SENSITIVITY, random.random(truth.shape) >= SPECIFICITY)


def true_f1(share: float) -> float:
    """The judge's F1 over all items that there could be."""
    return 2 * share * SENSITIVITY / (share + share * SENSITIVITY + (1 - share) * (1 - SPECIFICITY))


def study(random: np.random.Generator, n_items: int, share: float, seed: int) -> Iterator[tuple[str, bool]]:
    """Which methods cover the truth in one study; an interval that is undefined does not."""
    truth = random.random(n_items) < share
    model = judged(random, truth)
    rest = judged(random, random.random(n_items * UNLABELLED) < share)
    both = np.array([truth, model], dtype=float)
    intervals = {
        "wilson": (stats.wilson_interval(int(truth.sum()), n_items), share),
        "bootstrap_mean": (stats.bootstrap_interval(both[0], resamples=RESAMPLES, seed=seed), share),
        "bootstrap_f1": (
            stats.bootstrap_interval(both, "f1_score", resamples=RESAMPLES, seed=seed),
            true_f1(share),
        ),
        "rogan_gladen": (stats.rogan_gladen(rest, truth, model).interval, share),
        "ppi": (stats.ppi_mean(truth, model, rest).interval, share),
    }
    for name, (interval, value) in intervals.items():
        # Shares of few items are few numbers, and an end may be the value itself.
        yield name, interval is not None and interval.low - 1e-12 <= value <= interval.high + 1e-12


def coverage(n_items: int, share: float, n_studies: int = STUDIES) -> Coverage:
    """Simulate studies of one size and one truth."""
    random = np.random.default_rng([n_items, round(share * 100)])
    covered = dict.fromkeys(METHODS, 0)
    for seed in range(n_studies):
        for name, is_covered in study(random, n_items, share, seed):
            covered[name] += is_covered
    return Coverage(n_items, share, {name: 100 * count / n_studies for name, count in covered.items()})


def inflation(n_trials: int, n_studies: int = 200, n_items: int = 200) -> tuple[float, float]:
    """The mean published alpha, and that of the judge counted once, of a judge that has nothing to do with people.

    One rater and the judge give each of five levels alike; the judge gives an item the same score in each trial.
    """
    random = np.random.default_rng(0)
    published: list[float] = []
    once: list[float] = []
    for _ in range(n_studies):
        human, model = random.integers(0, 5, (2, 1, n_items)) / 4
        metrics = stats.harm_metrics(human, np.repeat(model, n_trials, axis=0), resamples=2)
        published.append(metrics.krippendorff_alpha_combined or 0.0)
        once.append(metrics.krippendorff_alpha_human_judge or 0.0)
    return float(np.mean(published)), float(np.mean(once))


def coverage_rows(found: list[Coverage]) -> list[str]:
    """The rows of the table of coverage."""
    return [
        f"| {one.n_items} | {one.share:g} | {' | '.join(f'{one.percent[name]:.1f}' for name in METHODS)} |"
        for one in found
    ]


def inflation_rows() -> list[str]:
    """The rows of the table of inflation."""
    found = [(n_trials, *inflation(n_trials)) for n_trials in TRIALS]
    return [f"| {n_trials} | {published:.2f} | {once:.2f} |" for n_trials, published, once in found]


def put(text: str, name: str, lines: list[str]) -> str:
    """Put lines between the marks of a name."""
    marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not marks.search(text):
        sys.exit(f"{DOCUMENT.name} has no place for {name}")
    return marks.sub(lambda found: "\n".join([found[1].rstrip(), *lines, found[2]]), text)


def main() -> None:
    """Write the tables."""
    found = [coverage(n_items, share) for n_items in (*SMALLER, *GATED) for share in SHARES]
    head = ["| labels | share | " + " | ".join(METHODS.values()) + " |", "| ---: | ---: |" + " ---: |" * len(METHODS)]
    text = put(DOCUMENT.read_text("utf-8"), "coverage", [*head, *coverage_rows(found)])
    head = [
        "| trials | `krippendorff_alpha_combined` | `krippendorff_alpha_human_judge` |",
        "| ---: | ---: | ---: |",
    ]
    DOCUMENT.write_text(put(text, "inflation", [*head, *inflation_rows()]), "utf-8")


if __name__ == "__main__":
    main()
