"""How many independent votes several judges are worth."""

from __future__ import annotations

import numpy as np
import pytest

from judgecore.stats import effective_votes


def test_judges_with_the_same_errors_are_worth_one_vote() -> None:
    errors = np.random.default_rng(1).normal(size=50)

    found = effective_votes([errors, errors * 2, errors + 1])

    assert found.votes == pytest.approx(1)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((1, 1))


def test_judges_with_independent_errors_are_worth_as_many_votes_as_they_are() -> None:
    found = effective_votes(np.random.default_rng(2).normal(size=(4, 4_000)), resamples=200)

    assert found.mean_correlation == pytest.approx(0, abs=0.03)
    assert 3.7 < (found.votes or 0) <= 4


def test_the_mean_of_judges_varies_as_that_of_so_many_independent_ones() -> None:
    random = np.random.default_rng(3)
    shared, own = random.normal(size=20_000), random.normal(size=(5, 20_000))
    errors = shared * 0.6 + own * 0.8

    found = effective_votes(errors, resamples=100)

    assert found.votes == pytest.approx(errors.var(axis=1).mean() / errors.mean(axis=0).var(), rel=0.01)


def test_correlations_are_those_of_numpy_over_the_items_that_all_judged() -> None:
    errors = np.random.default_rng(4).normal(size=(3, 40))
    errors[1, 5] = errors[2, 9] = np.nan

    found = effective_votes(errors)

    wanted = np.array(np.corrcoef(np.delete(errors, [5, 9], axis=1)))
    assert found.num_items == 38
    assert np.array(found.correlations, dtype=float) == pytest.approx(wanted)
    assert found.mean_correlation == pytest.approx((wanted[0, 1] + wanted[0, 2] + wanted[1, 2]) / 3)


@pytest.mark.parametrize(
    ("errors", "why"),
    [
        ([[0, 0, 0], [0, 1, 0]], "the same error on all items"),
        ([[0, None, 0], [None, 1, None]], "fewer than two items"),
        ([[1, None], [1, None]], "fewer than two items"),
    ],
)
def test_what_has_no_correlation_has_no_votes(errors: list[list[float | None]], why: str) -> None:
    found = effective_votes(errors)

    assert (found.votes, found.interval, found.mean_correlation) == (None, None, None)
    assert why in found.undefined["votes"]


def test_one_judge_is_refused() -> None:
    with pytest.raises(ValueError, match="at least two judges"):
        effective_votes([[0, 1]])
