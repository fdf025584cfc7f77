"""Intervals: reproducible, inside of their range, and undefined where there is nothing to resample."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgecore import stats

CODE = """
import json, sys
import numpy as np
from judgecore import stats
random = np.random.default_rng(0)
table = random.integers(0, 2, (2, 300)).astype(float)
scores = random.random((2, 300))
names = ["f1_score", "krippendorff_alpha_nominal"]
found = [stats.bootstrap_interval(table, name, seed=7) for name in names]
found += [stats.bootstrap_interval(scores, name, seed=7) for name in ("mean_absolute_error", "spearman")]
found += [stats.bootstrap_interval(scores[0], seed=7), stats.bootstrap_interval(table, "mcc", clusters=range(300))]
print(json.dumps([[one.low, one.high] for one in found]))
"""


def in_process(threads: int) -> list[list[float]]:
    env = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True, env=env)
    return json.loads(done.stdout)


def test_a_seed_gives_the_same_intervals_on_any_number_of_threads() -> None:
    assert in_process(1) == in_process(3)


def test_another_seed_gives_another_interval() -> None:
    table = np.random.default_rng(0).integers(0, 2, (2, 200))

    found = {stats.bootstrap_interval(table, "f1_score", seed=seed, resamples=500) for seed in range(5)}

    assert len(found) == 5


def all_wholes(n: int) -> np.ndarray[Any, Any]:
    return np.array(list(product(range(n), repeat=n)))


@pytest.mark.parametrize("statistic", ["accuracy", "recall", "f1_score"])
def test_resampling_counts_is_resampling_items(statistic: Any) -> None:
    # All resamples of five items, each as probable, against intervals of a hundred copies of each draw's distribution.
    human, model = np.array([1, 1, 1, 0, 0]), np.array([1, 1, 0, 1, 0])
    drawn = all_wholes(5)
    values: list[float] = []
    for gold, own in zip(human[drawn], model[drawn], strict=True):
        both = {name: int(((gold == want) & (own == said)).sum()) for name, want, said in CELLS}
        value = EXACT[statistic](both)
        if value is not None:
            values.append(value)

    interval = stats.bootstrap_interval([human, model], statistic, resamples=200_000)

    assert interval is not None
    exact = np.quantile(values, [0.025, 0.975])
    assert (interval.low, interval.high) == pytest.approx(exact, abs=1e-9)


CELLS = (("tp", 1, 1), ("fp", 0, 1), ("fn", 1, 0), ("tn", 0, 0))
EXACT: dict[str, Any] = {
    "accuracy": lambda both: (both["tp"] + both["tn"]) / 5,
    "recall": lambda both: both["tp"] / (both["tp"] + both["fn"]) if both["tp"] + both["fn"] else None,
    "f1_score": lambda both: 2 * both["tp"] / (2 * both["tp"] + both["fp"] + both["fn"]) if both["tn"] < 5 else None,
}


@settings(max_examples=50)
@given(
    table=st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0])), max_size=12),
    statistic=st.sampled_from(
        ["accuracy", "precision", "f1_score", "mcc", "cohen_kappa", "spearman", "weighted_kappa"]
    ),
)
def test_an_interval_lies_in_its_range_or_says_why_it_does_not_exist(
    table: list[tuple[float, float]], statistic: Any
) -> None:
    data = np.asarray(table).reshape(-1, 2).T

    interval = stats.bootstrap_interval(data, statistic, resamples=50)

    if interval is None:
        assert stats.why_undefined(stats.bootstrap_interval, data, statistic, resamples=50)
    else:
        assert -1 <= interval.low <= interval.high <= 1


def test_alpha_of_items_that_repeat_is_that_of_their_cluster() -> None:
    table = np.random.default_rng(2).integers(0, 3, (3, 40))
    repeated = np.repeat(table, 5, axis=1)

    once = stats.bootstrap_interval(table, "krippendorff_alpha_ordinal")
    together = stats.bootstrap_interval(repeated, "krippendorff_alpha_ordinal", clusters=np.repeat(range(40), 5))
    singly = stats.bootstrap_interval(repeated, "krippendorff_alpha_ordinal")

    assert once is not None
    assert together is not None
    assert singly is not None
    assert together.high - together.low == pytest.approx(once.high - once.low, rel=0.15)
    assert singly.high - singly.low < 0.7 * (together.high - together.low)


@pytest.mark.parametrize(
    ("data", "statistic", "said"),
    [
        ([[1, 0]], "f1_score", r"data has shape \(1, 2\); f1_score needs two rows"),
        ([[1, 0.5], [1, 0]], "f1_score", r"human\[1\] is 0.5; it must be 0 or 1"),
        ([[1, 0], [1, 0]], "mean", r"data has shape \(2, 2\); it must have one dimension"),
        ([[1, 0], [1, 0]], "median", 'no statistic is called "median"'),
        ([[1, 0], [1, 0]], "krippendorff_alpha_cardinal", 'no level is called "cardinal"'),
    ],
)
def test_data_that_does_not_fit_the_statistic_is_an_error(data: Any, statistic: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        stats.bootstrap_interval(data, statistic)


def test_wilsons_interval_has_width_at_the_ends() -> None:
    none, every = stats.wilson_interval(0, 20), stats.wilson_interval(20, 20)

    assert none is not None
    assert every is not None
    assert (none.low, every.high) == (0, 1)
    assert none.high == pytest.approx(1 - every.low)
    assert none.high > 0.1
    assert stats.wilson_interval(0, 0) is None
    with pytest.raises(ValueError, match="counts are at least 0"):
        stats.wilson_interval(-1, 3)


def test_equal_judges_differ_by_nothing() -> None:
    human = np.random.default_rng(0).integers(0, 2, 100)

    found = stats.paired_bootstrap(human, human, human=human, statistic="f1_score")
    test = stats.mcnemar(human, human)

    assert (found.difference, found.p_value) == (0.0, 1.0)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (0, 0)
    assert (test.p_value, test.statistic, test.num_items) == (1.0, None, 100)


def test_pairing_narrows_the_difference_of_judges_that_err_alike() -> None:
    random = np.random.default_rng(4)
    right = (random.random(500) < 0.7).astype(float)
    other = np.where(random.random(500) < 0.04, 1 - right, right)

    paired = stats.paired_bootstrap(right, other)
    one, two = stats.bootstrap_interval(right), stats.bootstrap_interval(other)

    assert paired.interval is not None
    assert one is not None
    assert two is not None
    assert paired.interval.high - paired.interval.low < 0.5 * ((one.high - one.low) + (two.high - two.low))


def test_a_judge_that_is_better_is_found_to_be() -> None:
    random = np.random.default_rng(4)
    human = random.integers(0, 2, 400)
    good = np.where(random.random(400) < 0.9, human, 1 - human)
    bad = np.where(random.random(400) < 0.6, human, 1 - human)

    found = stats.paired_bootstrap(good, bad, human=human, statistic="f1_score")
    test = stats.mcnemar(good == human, bad == human)

    assert found.interval is not None
    assert found.interval.low > 0.1
    assert found.p_value is not None
    assert found.p_value < 0.001
    assert test.p_value < 0.001


def test_paired_judges_without_a_common_item_are_undefined() -> None:
    found = stats.paired_bootstrap([1, None], [None, 1])

    assert (found.num_items, found.difference, found.interval, found.p_value) == (0, None, None, None)
    assert found.undefined["difference"] == "no item has both a human label and a verdict"
