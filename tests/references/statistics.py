"""Statistics written out as their papers define them, slowly: what the engine is held against."""

from __future__ import annotations

import math
from collections import Counter
from itertools import permutations
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Table: TypeAlias = "Sequence[Sequence[float]]"


def present(table: Table) -> list[list[float]]:
    """Each item's ratings."""
    return [[one for one in item if not math.isnan(one)] for item in zip(*table, strict=True)]


def alpha(table: Table, level: str) -> float | None:
    """Krippendorff's alpha from coincidences, as Krippendorff (2011) writes it."""
    items = [item for item in present(table) if len(item) > 1]
    values = [value for item in items for value in item]
    if not values:
        return None
    counts = Counter(values)
    ordered = sorted(counts)
    if len(ordered) == 1:
        return 1.0

    def distance(one: float, other: float) -> float:
        low, high = min(one, other), max(one, other)
        if level == "nominal":
            return float(one != other)
        if level == "ordinal":
            between = sum(counts[value] for value in ordered if low <= value <= high)
            return (between - (counts[low] + counts[high]) / 2) ** 2
        if level == "interval":
            return (one - other) ** 2
        return 0.0 if one + other == 0 else ((one - other) / (one + other)) ** 2

    observed = sum(distance(*pair) / (len(item) - 1) for item in items for pair in permutations(item, 2))
    expected = sum(
        counts[one] * (counts[other] - (one == other)) * distance(one, other) for one in ordered for other in ordered
    )
    return 1 - (len(values) - 1) * observed / expected


def kappa(first: Sequence[float], second: Sequence[float], distance: Callable[[float, float], float]) -> float | None:
    """Cohen's kappa with disagreement weights."""
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if not (math.isnan(a) or math.isnan(b))]
    if not pairs:
        return None
    observed = fmean(distance(a, b) for a, b in pairs)
    expected = fmean(distance(a, b) for a, _ in pairs for _, b in pairs)
    return None if expected <= 1e-15 else 1 - observed / expected


def gwet(table: Table, distance: Callable[[float, float], float], categories: Sequence[float] = ()) -> float | None:
    """Gwet's AC1 and AC2, as Gwet (2014) writes them for missing ratings."""
    items = [item for item in present(table) if item]
    known = sorted(set(categories) or {value for item in items for value in item})
    if len(known) < 2 or all(len(item) < 2 for item in items):
        return None
    widest = distance(known[0], known[-1])

    def weight(one: float, other: float) -> float:
        return 1 - distance(one, other) / widest

    agreed: list[float] = []
    for item in items:
        counts = Counter(item)
        if len(item) > 1:
            weighted = {k: sum(weight(k, other) * counts[other] for other in known) for k in known}
            total = sum(counts[k] * (weighted[k] - 1) for k in known)
            agreed.append(total / (len(item) * (len(item) - 1)))
    shares = [fmean(item.count(k) / len(item) for item in items) for k in known]
    total_weight = sum(weight(one, other) for one in known for other in known)
    chance = total_weight / (len(known) * (len(known) - 1)) * sum(share * (1 - share) for share in shares)
    return (fmean(agreed) - chance) / (1 - chance)


def dawid_skene(table: Table, rounds: int) -> list[dict[float, float]]:
    """The posterior of each item after some rounds of Dawid and Skene (1979)."""
    items = list(zip(*table, strict=True))
    known = sorted({value for item in items for value in item if not math.isnan(value)})
    posterior = [
        {k: sum(one == k for one in item) / sum(one in known for one in item) for k in known} for item in items
    ]
    for _ in range(rounds):
        prevalence = {k: fmean(shares[k] for shares in posterior) for k in known}
        errors: list[dict[tuple[float, float], float]] = []
        for rater in range(len(table)):
            rated = [
                (item[rater], shares) for item, shares in zip(items, posterior, strict=True) if item[rater] in known
            ]
            table_of: dict[tuple[float, float], float] = {}
            for true in known:
                total = sum(shares[true] for _, shares in rated)
                for said in known:
                    part = sum(shares[true] for given, shares in rated if given == said)
                    table_of[true, said] = part / total if total else 0.0
            errors.append(table_of)
        for item, shares in zip(items, posterior, strict=True):
            for k in known:
                shares[k] = prevalence[k] * math.prod(
                    errors[rater][k, said] for rater, said in enumerate(item) if said in known
                )
            total = sum(shares.values())
            for k in known:
                shares[k] /= total
    return posterior


def lang_reiczigel(
    positives: int, verdicts: int, sensitive: tuple[int, int], specific: tuple[int, int], z: float
) -> tuple[float, float]:
    """The interval of a corrected rate, as Lang and Reiczigel (2014) write it."""
    n, n_se, n_sp = verdicts + z * z, sensitive[1] + 2, specific[1] + 2
    p, se, sp = (positives + z * z / 2) / n, (sensitive[0] + 1) / n_se, (specific[0] + 1) / n_sp
    youden = se + sp - 1
    theta = (p + sp - 1) / youden
    v_se, v_sp = se * (1 - se) / n_se, sp * (1 - sp) / n_sp
    shift = 2 * z * z * (theta * v_se - (1 - theta) * v_sp)
    reach = z * math.sqrt(p * (1 - p) / n + theta * theta * v_se + (1 - theta) ** 2 * v_sp) / youden
    return theta + shift - reach, theta + shift + reach
