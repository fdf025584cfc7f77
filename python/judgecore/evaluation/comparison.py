"""``compare_results``: which of several scorers is better on the same labels, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, cast

import numpy as np

from judgecore.errors import EvaluationError
from judgecore.stats import HarmMetrics, ObjectiveMetrics, mcnemar, metrics_of, paired_bootstrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from judgecore.evaluation.result import EvaluationResult, Measure
    from judgecore.stats import Metric, PairedDifference
    from judgecore.stats.interval import PairStatistic


@dataclass(frozen=True, kw_only=True)
class ScorerDifference:
    """One measure of two scorers on the same items.

    Attributes:
        first: The first scorer's name.
        second: The second's.
        measure_name: What is compared.
        first_value: The first's value; None where it is undefined.
        second_value: The second's.
        difference: The first's less the second's, over the items that both judged; None where it is undefined.
        low: Lower end of the difference's 95 % interval.
        high: Its upper end.
        p_value: How probable a difference as large is if there is none: McNemar's exact test for accuracy, else by
            resampling.
        num_items: How many items both judged.
        better: Which is better: its name. None where the interval holds 0, or where one bias is above 0 and the other
            below, because the difference then does not say which is nearer to 0.
        reason: Why the difference is undefined; empty where it is not.
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
class ScorerComparison:
    """Several scorers on the same labels.

    Attributes:
        names: The scorers, the best by the first measure first; undefined ones last.
        measures: What is compared, the deciding one first.
        values: Each scorer's measures, with intervals, by its name.
        differences: Every measure of every pair, the better placed first.
        dataset_name: On which data.
        num_items: How many items there are.
    """

    names: tuple[str, ...]
    measures: tuple[str, ...]
    values: dict[str, tuple[Measure, ...]]
    differences: tuple[ScorerDifference, ...]
    dataset_name: str | None
    num_items: int


def compare_results(results: Sequence[EvaluationResult], names: Sequence[str] | None = None) -> ScorerComparison:
    """Compare scorers that were evaluated on the same labels.

    Only items that both of a pair judged count for their difference, and both are resampled together.

    Args:
        results: At least two evaluations.
        names: What to call them; the scorers' classes, numbered where they are the same, if None.

    Raises:
        EvaluationError: If there are fewer than two, or they are not of the same labels.
    """
    if len(results) < 2:  # noqa: PLR2004 - it takes two
        raise EvaluationError("a comparison takes at least two evaluations")
    called = _names(results) if names is None else tuple(names)
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
    )


def _names(results: Sequence[EvaluationResult]) -> tuple[str, ...]:
    classes = [one.scorer_identifier.class_name for one in results]
    return tuple(
        f"{name} {(one.eval_hash or one.scorer_identifier.hash)[:8]}" if classes.count(name) > 1 else name
        for name, one in zip(classes, results, strict=True)
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


def _better(names: tuple[str, str], found: PairedDifference, metric: Metric) -> str | None:
    if found.first is None or found.second is None or found.interval is None:
        return None
    if found.interval.low <= 0 <= found.interval.high:
        return None
    place = metric.better_of(found.first, found.second)
    return None if place is None else names[place]
