"""``compare_results``: compares scorers that were evaluated on the same labels."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from judgecore.errors import EvaluationError
from judgecore.stats import (
    HarmMetrics,
    Interval,
    ObjectiveMetrics,
    PairedDifference,
    effective_votes,
    mcnemar,
    metrics_of,
    paired_bootstrap,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from judgecore.evaluation.item import ItemResult
    from judgecore.evaluation.result import EvaluationResult, Measure
    from judgecore.stats import EffectiveVotes, Metric
    from judgecore.stats.interval import PairStatistic

# Distances that differ by less are equal.
_NOISE = 1e-9


@dataclass(frozen=True, kw_only=True)
class ScorerDifference:
    """The difference of two scorers in one metric, on the same items.

    Attributes:
        first: The first scorer's name.
        second: The second's.
        measure_name: The metric.
        first_value: The first's value; None where it is undefined.
        second_value: The second's.
        difference: The first value minus the second, over the items that both judged; None if it is undefined. Of a
            measure whose best value is 0, such as the bias, the difference of the distances from 0.
        low: Lower end of the difference's 95 % interval.
        high: Its upper end.
        p_value: How probable a difference as large is if there is none: McNemar's exact test for accuracy, else by
            resampling.
        num_items: How many items both judged.
        better: Which is better: its name. None where the interval holds 0, so that it is not known.
        reason: Why the difference is undefined; empty if it is defined.
    """

    first: str
    second: str
    measure_name: str
    first_value: float | None
    second_value: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    num_items: int
    better: str | None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class JointErrors:
    """How far several scorers err together.

    Attributes:
        num_items: How many items all of them judged.
        tolerance: From what distance to the human label a score is wrong, on a scale whose length is 1: one point of
            the raters' scale, a quarter if they had none. 0 for verdicts, which are right or wrong.
        wrong: The share of these items on which each is wrong, by its name; empty without items.
        all_wrong: The share on which all are; None without items.
        if_independent: What ``all_wrong`` would be if they erred independently.
        votes: How many independent votes they are worth.
    """

    num_items: int
    tolerance: float
    wrong: Mapping[str, float]
    all_wrong: float | None
    if_independent: float | None
    votes: EffectiveVotes


@dataclass(frozen=True, kw_only=True)
class ScorerComparison:
    """Several scorers on the same labels.

    Attributes:
        names: The scorers, the best by the first measure first; undefined ones last.
        measures: What is compared, the deciding one first.
        values: Each scorer's measures, with intervals, by its name.
        differences: Every measure of every pair, the better placed first.
        dataset_name: On which data.
        num_items: How many items there are.
        joint: How far the scorers err together.
        results: The evaluations, by the scorer's name.
    """

    names: tuple[str, ...]
    measures: tuple[str, ...]
    values: dict[str, tuple[Measure, ...]]
    differences: tuple[ScorerDifference, ...]
    dataset_name: str | None
    num_items: int
    joint: JointErrors
    results: Mapping[str, EvaluationResult] = field(repr=False, compare=False)

    def to_json(self) -> dict[str, Any]:
        """Return everything but the evaluations as JSON values."""
        parts = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("results", "joint")}
        parts["values"] = {name: [asdict(one) for one in values] for name, values in self.values.items()}
        parts["differences"] = [asdict(one) for one in self.differences]
        return {**parts, "joint": asdict(self.joint)}


def compare_results(results: Sequence[EvaluationResult], names: Sequence[str] | None = None) -> ScorerComparison:
    """Compare scorers that were evaluated on the same labels.

    Only items that both of a pair judged count for their difference, and both are resampled together.

    Args:
        results: At least two evaluations.
        names: Their names; by default the scorers' classes, with hash or number if several are equal.

    Raises:
        EvaluationError: If there are fewer than two, two names are equal, or they are not of the same labels.
    """
    if len(results) < 2:  # noqa: PLR2004 - it takes two
        raise EvaluationError("a comparison takes at least two evaluations")
    called = _names(results) if names is None else tuple(names)
    if twice := next((name for name in called if called.count(name) > 1), None):
        raise EvaluationError(f"two evaluations are named {twice!r}; give each once, or under its own name")
    first = results[0]
    for name, other in zip(called, results, strict=True):
        if other.dataset.content_hash != first.dataset.content_hash or other.is_harm != first.is_harm:
            raise EvaluationError(
                f"{name} was evaluated on {other.dataset.name}, {called[0]} on {first.dataset.name}, with other "
                "content; evaluate both on the same data"
            )
    compared = [one for one in metrics_of(HarmMetrics if first.is_harm else ObjectiveMetrics) if one.is_compared]
    by_name = dict(zip(called, results, strict=True))
    ranked = _ranked(by_name, compared[0])
    gold = np.array([item.gold for item in first.items])
    model = {name: _model(one) for name, one in by_name.items()}
    differences = tuple(
        _difference((one, other), model[one], model[other], gold, metric)
        for one, other in combinations(ranked, 2)
        for metric in compared
    )
    return ScorerComparison(
        names=ranked,
        measures=tuple(one.name for one in compared),
        values={
            name: tuple(found for which in compared if (found := by_name[name].measure(which.name)) is not None)
            for name in ranked
        },
        differences=differences,
        dataset_name=first.dataset.name,
        num_items=len(first.items),
        joint=_joint_errors({name: model[name] for name in ranked}, gold, first),
        results={name: by_name[name] for name in ranked},
    )


def differing_items(comparison: ScorerComparison, most: int = 100) -> tuple[tuple[ItemResult, ...], ...]:
    """Return the items on which scorers differ, the widest apart first."""
    rows = zip(*(comparison.results[name].items for name in comparison.names), strict=True)
    apart = [(_spread(row), row) for row in rows]
    return tuple(row for spread, row in sorted(apart, key=lambda one: (-one[0], one[1][0].index)) if spread)[:most]


def _spread(row: Sequence[ItemResult]) -> float:
    known = [one.model for one in row if one.model is not None]
    return max(known) - min(known) if known else 0.0


def _joint_errors(
    model: Mapping[str, npt.NDArray[np.float64]], gold: npt.NDArray[np.float64], result: EvaluationResult
) -> JointErrors:
    tolerance = 0.0
    if result.is_harm:
        low, high = result.dataset.scale or (0.0, 4.0)
        tolerance = 1 / (high - low)
    errors = np.array([one - gold for one in model.values()])
    judged = ~np.isnan(errors).any(axis=0)
    wrong = np.abs(errors[:, judged]) > (tolerance - _NOISE if result.is_harm else 0)
    shares = wrong.mean(axis=1) if judged.any() else np.array([])
    return JointErrors(
        num_items=int(judged.sum()),
        tolerance=tolerance,
        wrong=dict(zip(model, map(float, shares), strict=False)),
        all_wrong=float(wrong.all(axis=0).mean()) if judged.any() else None,
        if_independent=float(shares.prod()) if judged.any() else None,
        votes=effective_votes(errors if result.is_harm else np.where(np.isnan(errors), np.nan, np.abs(errors))),
    )


def _names(results: Sequence[EvaluationResult]) -> tuple[str, ...]:
    classes = [one.scorer_identifier.class_name for one in results]
    hashed = [
        f"{name} {(one.eval_hash or one.scorer_identifier.hash)[:8]}" if classes.count(name) > 1 else name
        for name, one in zip(classes, results, strict=True)
    ]
    return tuple(
        f"{name} ({hashed[:nth].count(name) + 1})" if hashed.count(name) > 1 else name
        for nth, name in enumerate(hashed)
    )


def _ranked(by_name: dict[str, EvaluationResult], metric: Metric) -> tuple[str, ...]:
    def place(name: str) -> float:
        found = by_name[name].measure(metric.name)
        return np.inf if found is None or found.value is None else metric.cost(found.value)

    return tuple(sorted(by_name, key=place))


def _model(result: EvaluationResult) -> npt.NDArray[np.float64]:
    return np.array([np.nan if item.model is None else item.model for item in result.items])


def _difference(
    names: tuple[str, str],
    first: npt.NDArray[np.float64],
    second: npt.NDArray[np.float64],
    gold: npt.NDArray[np.float64],
    metric: Metric,
) -> ScorerDifference:
    if metric.better == "zero":
        found = _distances_from_zero(first - gold, second - gold)
    else:
        found = paired_bootstrap(first, second, human=gold, statistic=cast("PairStatistic", metric.name))
    p_value = found.p_value
    if metric.name == "accuracy":
        right = [np.where(np.isnan(one), np.nan, one == gold) for one in (first, second)]
        p_value = mcnemar(*right).p_value
    low, high = (None, None) if found.interval is None else (found.interval.low, found.interval.high)
    return ScorerDifference(
        first=names[0],
        second=names[1],
        measure_name=metric.name,
        first_value=found.first,
        second_value=found.second,
        difference=found.difference,
        low=low,
        high=high,
        p_value=p_value,
        num_items=found.num_items,
        better=_better(names, found, metric),
        reason="" if found.difference is not None else "; ".join(dict.fromkeys(found.undefined.values())),
    )


def _distances_from_zero(
    first: npt.NDArray[np.float64], second: npt.NDArray[np.float64], *, resamples: int = 10_000, seed: int = 0
) -> PairedDifference:
    """How much farther from 0 the mean of one column is than that of another, both resampled together."""
    both = np.array([first, second])
    both = both[:, ~np.isnan(both).any(axis=0)]
    n = both.shape[1]
    if not n:
        why = "no item was judged by both"
        undefined: dict[str, str] = dict.fromkeys(("first", "second", "difference", "interval", "p_value"), why)
        return PairedDifference(
            num_items=0, first=None, second=None, difference=None, interval=None, p_value=None, undefined=undefined
        )
    random = np.random.default_rng(seed)
    chances = np.full(n, 1 / n)
    drawn = np.concatenate([random.multinomial(n, chances, size=100) @ both.T / n for _ in range(resamples // 100)])
    means = both.mean(axis=1)
    difference = float(abs(means[0]) - abs(means[1]))
    apart = np.abs(drawn[:, 0]) - np.abs(drawn[:, 1])
    low, high = np.quantile(apart, [0.025, 0.975])
    return PairedDifference(
        num_items=n,
        first=float(means[0]),
        second=float(means[1]),
        difference=difference,
        interval=Interval(float(low), float(high), 0.95, "bootstrap"),
        p_value=min(1.0, 2 * float((apart * np.sign(difference) <= 0).sum() + 1) / (len(apart) + 1))
        if difference
        else 1.0,
    )


def _better(names: tuple[str, str], found: PairedDifference, metric: Metric) -> str | None:
    if found.difference is None or found.interval is None or found.interval.low <= 0 <= found.interval.high:
        return None
    if metric.better is None:
        return None
    return names[0] if (found.difference > 0) == (metric.better == "higher") else names[1]
