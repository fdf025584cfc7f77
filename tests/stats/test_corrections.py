"""Corrections of an imperfect judge, juries, and preferences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from references import statistics as plain

from judgecore import stats


def bits(n_true: int, n: int) -> list[int]:
    return [1] * n_true + [0] * (n - n_true)


def calibration(sensitive: tuple[int, int], specific: tuple[int, int]) -> tuple[list[int], list[int]]:
    """Labels and verdicts with so many right of so many true and false items."""
    human = [1] * sensitive[1] + [0] * specific[1]
    return human, bits(*sensitive) + [1 - one for one in bits(*specific)]


@given(
    verdicts=st.tuples(st.integers(0, 60), st.just(60)),
    sensitive=st.tuples(st.integers(25, 30), st.just(30)),
    specific=st.tuples(st.integers(25, 40), st.just(40)),
)
def test_a_corrected_rate_is_what_its_formulas_give(
    verdicts: tuple[int, int], sensitive: tuple[int, int], specific: tuple[int, int]
) -> None:
    found = stats.rogan_gladen(bits(*verdicts), *calibration(sensitive, specific))

    p, se, sp = (one / n for one, n in (verdicts, sensitive, specific))
    theta = min(1.0, max(0.0, (p + sp - 1) / (se + sp - 1)))
    variance = p * (1 - p) / 60 + theta**2 * se * (1 - se) / 30 + (1 - theta) ** 2 * sp * (1 - sp) / 40
    low, high = plain.lang_reiczigel(*verdicts, sensitive, specific, 1.959963984540054)
    assert found.estimate == pytest.approx(theta, abs=1e-12)
    assert found.standard_error == pytest.approx(math.sqrt(variance) / (se + sp - 1), abs=1e-12)
    if high < 0 or low > 1:
        assert "the two sets are not of one kind" in found.undefined["interval"]
    else:
        assert found.interval is not None
        assert (found.interval.low, found.interval.high) == pytest.approx((max(0, low), min(1, high)), abs=1e-9)
    assert found.raw_interval == stats.wilson_interval(*verdicts)


def test_verdicts_that_contradict_the_calibration_have_no_interval() -> None:
    found = stats.rogan_gladen(bits(0, 60), *calibration((25, 30), (25, 40)))

    assert (found.estimate, found.interval) == (0.0, None)
    said = "the judge says true of 0.0000 of the items, but by its calibration of 0.3750 to 0.8333"
    assert found.undefined["interval"].startswith(said)


def test_a_judge_no_better_than_chance_is_refused_with_its_numbers() -> None:
    found = stats.rogan_gladen(bits(30, 100), *calibration((5, 10), (5, 10)))

    assert (found.estimate, found.standard_error, found.interval) == (None, None, None)
    assert "sensitivity 0.5000 + specificity 0.5000 is not above 1" in found.undefined["estimate"]
    assert (found.raw_rate, found.sensitivity) == (0.3, 0.5)


@pytest.mark.parametrize(
    ("verdicts", "human", "model", "said"),
    [
        ([], [1, 0], [1, 0], "there are no verdicts to correct"),
        ([1], [], [], "the calibration set has no item"),
        ([1], [1, 1], [1, 1], "no item is false by the human labels"),
        ([1], [0, 0], [0, 0], "no item is true by the human labels"),
        ([None], [1, 0], [1, 0], "there are no verdicts to correct"),
    ],
)
def test_a_rate_that_cannot_be_corrected_says_why(verdicts: Any, human: Any, model: Any, said: str) -> None:
    found = stats.rogan_gladen(verdicts, human, model)

    assert found.estimate is None
    assert said == found.undefined["estimate"]
    assert "NaN" not in found.to_json()


def test_a_judge_that_agrees_with_people_narrows_the_interval() -> None:
    random = np.random.default_rng(0)
    truth = random.random(5000)
    model = truth + random.normal(0, 0.1, 5000)

    found = stats.ppi_mean(truth[:200], model[:200], model[200:])

    assert found.interval is not None
    assert found.human_interval is not None
    assert found.power is not None
    assert found.power > 0.8
    assert found.interval.high - found.interval.low < 0.6 * (found.human_interval.high - found.human_interval.low)


def test_a_judge_that_knows_nothing_widens_it_hardly() -> None:
    random = np.random.default_rng(0)
    truth, model = random.random(200), random.random(2000)

    found = stats.ppi_mean(truth, model[:200], model[200:])

    assert found.interval is not None
    assert found.human_interval is not None
    assert found.interval.high - found.interval.low < 1.02 * (found.human_interval.high - found.human_interval.low)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([], [], [1, 0]), "the calibration set has no item"),
        (([1], [1], [1, 0]), "there is one item only"),
        (([1, 0], [1, 0], []), "there are no verdicts to correct"),
    ],
)
def test_a_mean_that_cannot_be_estimated_says_why(arguments: Any, said: str) -> None:
    found = stats.ppi_mean(*arguments)

    assert (found.estimate, found.interval, found.undefined["estimate"]) == (None, None, said)
    assert "NaN" not in found.to_json()


@given(st.lists(st.lists(st.sampled_from([0.0, 1.0, 2.0, math.nan]), min_size=6, max_size=6), min_size=1, max_size=4))
def test_the_majority_is_the_sole_most_frequent(table: list[list[float]]) -> None:
    for item, got in zip(plain.present(table), stats.majority(table), strict=True):
        counts = sorted(((item.count(value), value) for value in set(item)), reverse=True)
        is_sole = len(counts) == 1 or (len(counts) > 1 and counts[0][0] > counts[1][0])
        assert got == (counts[0][1] if is_sole else None)


@given(
    st.lists(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=8, max_size=8), min_size=2, max_size=4),
    st.integers(1, 6),
)
def test_dawid_and_skene_follow_their_paper(table: list[list[float]], rounds: int) -> None:
    want = plain.dawid_skene(table, rounds)

    # The smallest tolerance keeps it going for as many rounds, unless nothing changes any more.
    found = stats.dawid_skene(table, max_rounds=rounds, tolerance=5e-324)

    got = [dict(zip(found.categories, shares, strict=True)) for shares in found.posterior]
    if found.num_rounds == rounds:
        for one, other in zip(want, got, strict=True):
            assert one == pytest.approx(other, abs=1e-9)


def test_dawid_and_skene_find_who_errs() -> None:
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, 1000)
    skills = (0.95, 0.8, 0.75, 0.6)
    table = [np.where(random.random(1000) < skill, truth, 1 - truth) for skill in skills]

    found = stats.dawid_skene(table)

    assert found.has_converged
    for skill, errors in zip(skills, found.confusion, strict=True):
        assert errors[0][0] == pytest.approx(skill, abs=0.05)
        assert errors[1][1] == pytest.approx(skill, abs=0.05)
    assert np.mean([label == one for label, one in zip(found.labels, truth, strict=True)]) > 0.94
    assert "err independently" in found.caution


def test_dawid_and_skene_of_nothing_have_no_labels() -> None:
    found = stats.dawid_skene([[None, None], [None, None]])

    assert (found.labels, found.categories, found.num_rounds) == ((None, None), (), 0)
    assert "NaN" not in found.to_json()


def test_two_players_have_the_odds_of_their_games() -> None:
    ranking = stats.bradley_terry(["x"] * 40, ["y"] * 40, ["A"] * 30 + ["B"] * 10)

    first, second = ranking.players
    assert (first.name, first.rank, first.num_wins, second.rank) == ("x", 1, 30, 2)
    assert first.strength is not None
    assert second.strength is not None
    assert first.strength - second.strength == pytest.approx(math.log(3))
    assert first.interval is not None
    assert first.interval.low < first.strength < first.interval.high


def test_a_ranking_of_groups_that_never_meet_is_undefined_without_prior_games() -> None:
    games = (["x", "x", "u"], ["y", "y", "v"], ["A", "B", "tie"])

    without, with_prior = stats.bradley_terry(*games), stats.bradley_terry(*games, prior_games=1)

    assert {one.strength for one in without.players} == {None}
    assert "players fall into 2 groups" in without.undefined["players.x.strength"]
    assert [one.strength for one in with_prior.players] == pytest.approx([0, 0, 0, 0], abs=1e-9)
    assert "NaN" not in without.to_json()


def test_games_without_an_outcome_are_counted_and_left_out() -> None:
    ranking = stats.bradley_terry(["x", "y", "x"], ["y", "x", "y"], ["A", "A", None])

    assert (ranking.num_games, ranking.num_missing) == (2, 1)


@pytest.mark.parametrize(
    ("games", "said"),
    [
        ((["x"], ["x"], ["A"]), "'x' plays against itself"),
        ((["x"], ["y"], ["C"]), "outcomes holds 'C'"),
        ((["x"], ["y"], [0.7]), r"outcomes\[0\] is 0.7; it must be 0, 0.5 or 1"),
        ((["x"], ["y", "z"], ["A"]), "first has 1 games, second 2, outcomes 1"),
    ],
)
def test_games_that_make_no_sense_are_an_error(games: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        stats.bradley_terry(*games)


def test_more_games_narrow_the_intervals() -> None:
    def width(times: int) -> float:
        ranking = stats.bradley_terry(["x", "y", "x", "z"] * times, ["y", "z", "z", "x"] * times, ["A"] * 4 * times)
        interval = ranking.players[0].interval
        return math.inf if interval is None else interval.high - interval.low

    assert width(400) < 0.3 * width(20)


def test_a_judge_that_prefers_the_first_is_found_out() -> None:
    random = np.random.default_rng(0)
    better = random.random(300) < 0.5
    is_biased = random.random(300) < 0.4
    original = np.where(is_biased, 1, better)
    swapped = np.where(is_biased, 1, ~better)

    found = stats.position_bias(original, swapped)

    assert found.num_first == is_biased.sum()
    assert found.consistency == pytest.approx(1 - is_biased.mean())
    assert found.preference_fairness == pytest.approx(-is_biased.mean())
    assert found.p_value is not None
    assert found.p_value < 1e-9


def test_verdicts_may_be_words_and_missing() -> None:
    found = stats.position_bias(["A", "B", "tie", None, "A"], ["B", "B", "A", "A", math.nan])

    assert (found.num_pairs, found.num_consistent, found.num_first, found.num_second, found.num_missing) == (
        3,
        1,
        1,
        1,
        2,
    )
    with pytest.raises(ValueError, match="original holds 'C'"):
        stats.position_bias(["C"], ["A"])
    with pytest.raises(ValueError, match=r"swapped\[0\] is 0.3"):
        stats.position_bias([1], [0.3])
    assert stats.position_bias([], []).consistency is None
