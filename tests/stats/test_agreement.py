"""Agreement against its definitions, on random and degenerate ratings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from references import statistics as plain

from judgecore import stats

VALUES = {
    "few": st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    "noisy": st.sampled_from([0.1 + 0.2, 0.3, 0.6, 0.2 * 3, 0.0, -0.0]),
    "many": st.floats(0, 1, allow_nan=False),
}


@st.composite
def ratings(draw: st.DrawFn, least: int = 1, kind: str | None = None) -> list[list[float]]:
    """Some raters' ratings of some items, some missing."""
    n_raters, n_items = draw(st.integers(least, 5)), draw(st.integers(1, 12))
    value = VALUES[kind or draw(st.sampled_from(sorted(VALUES)))]
    cell = st.one_of(value, value, value, st.just(math.nan))
    return draw(st.lists(st.lists(cell, min_size=n_items, max_size=n_items), min_size=n_raters, max_size=n_raters))


def rounded(table: list[list[float]]) -> list[list[float]]:
    """Ratings without the noise of floating point, which the definitions know nothing of."""
    return [[round(one, 9) + 0.0 for one in row] for row in table]


def close(want: float | None, got: float | None) -> bool:
    if want is None or got is None:
        return want is got
    return math.isclose(want, got, rel_tol=1e-7, abs_tol=1e-7)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@given(table=ratings())
def test_alpha_is_what_its_definition_gives(level: Any, table: list[list[float]]) -> None:
    assert close(plain.alpha(rounded(table), level), stats.krippendorff_alpha(rounded(table), level))


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
@given(table=ratings(kind="noisy"))
def test_alpha_takes_no_notice_of_noise(level: Any, table: list[list[float]]) -> None:
    assert stats.krippendorff_alpha(rounded(table), level) == stats.krippendorff_alpha(table, level)


@given(table=ratings(2), seed=st.integers(0, 2**32 - 1))
def test_alpha_does_not_depend_on_the_order_of_items_or_raters(table: list[list[float]], seed: int) -> None:
    random = np.random.default_rng(seed)
    array = np.asarray(table)

    shuffled = array[random.permutation(len(array))][:, random.permutation(array.shape[1])]

    assert close(stats.krippendorff_alpha(array, "ordinal"), stats.krippendorff_alpha(shuffled, "ordinal"))


def test_patterns_and_single_items_give_the_same_alpha() -> None:
    random = np.random.default_rng(5)
    table = random.integers(0, 4, (3, 500)).astype(float)
    table[random.random((3, 500)) < 0.2] = np.nan
    # Twelve raters have more patterns than are counted.
    padded = np.vstack([table, np.full((9, 500), np.nan)])

    for level in ("nominal", "ordinal", "interval", "ratio"):
        assert close(stats.krippendorff_alpha(table, level), stats.krippendorff_alpha(padded, level))


@pytest.mark.parametrize("table", [[[1, None], [None, 2]], [[1]], [[math.nan, math.nan]], [[], []]])
def test_alpha_without_a_pair_is_undefined(table: list[list[float | None]]) -> None:
    assert stats.krippendorff_alpha(table, "ordinal") is None
    assert stats.why_undefined(stats.krippendorff_alpha, table, "ordinal") == "no item has two ratings"


def test_alpha_of_equal_ratings_is_1() -> None:
    assert stats.krippendorff_alpha([[0.3, 0.3], [0.3, 0.1 + 0.2]], "interval") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([[1, 2], [1]],), "ratings: rows of one length and numbers are needed"),
        (([["a", "b"]],), "ratings: rows of one length and numbers are needed"),
        (([[1, math.inf]],), r"ratings\[0, 1\] is infinite"),
        (([[[1]]],), "ratings has 3 dimensions"),
        (([[1, -1]], "ratio"), r"ratings\[1\] is -1; it must be at least 0 at the ratio level"),
        (([[1, 1]], "cardinal"), 'no level is called "cardinal"'),
    ],
)
def test_what_is_no_rating_is_an_error(arguments: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        stats.krippendorff_alpha(*arguments)


DISTANCES: dict[str, Any] = {
    "identity": lambda one, other: float(one != other),
    "linear": lambda one, other: abs(one - other),
    "quadratic": lambda one, other: (one - other) ** 2,
}


@given(table=ratings(2))
def test_kappa_is_what_its_definition_gives(table: list[list[float]]) -> None:
    first, second = rounded(table)[:2]

    assert close(plain.kappa(first, second, DISTANCES["identity"]), stats.cohen_kappa(first, second))
    assert close(plain.kappa(first, second, DISTANCES["linear"]), stats.weighted_kappa(first, second, "linear"))
    assert close(plain.kappa(first, second, DISTANCES["quadratic"]), stats.weighted_kappa(first, second))


@given(table=ratings())
def test_gwets_coefficients_are_what_their_definition_gives(table: list[list[float]]) -> None:
    table = rounded(table)

    assert close(plain.gwet(table, DISTANCES["identity"]), stats.gwet_ac1(table))
    assert close(plain.gwet(table, DISTANCES["linear"]), stats.gwet_ac2(table, "linear"))
    assert close(plain.gwet(table, DISTANCES["quadratic"]), stats.gwet_ac2(table))


@given(table=ratings(kind="few"))
def test_gwets_coefficients_know_categories_that_nobody_used(table: list[list[float]]) -> None:
    known = [0.0, 0.25, 0.5, 0.75, 1.0]

    assert close(plain.gwet(table, DISTANCES["quadratic"], known), stats.gwet_ac2(table, categories=known))
    assert close(plain.gwet(table, DISTANCES["identity"], known), stats.gwet_ac1(table, categories=known))


def test_gwets_coefficients_of_the_textbook_hold() -> None:
    # What Gwet's own package irrCAC gives for Krippendorff's data.
    nan = math.nan
    table = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]

    assert stats.gwet_ac1(table) == pytest.approx(0.77544407, abs=5e-9)
    assert stats.gwet_ac2(table) == pytest.approx(0.91400072, abs=5e-9)
    assert stats.gwet_ac2(table, "linear") == pytest.approx(0.85873914, abs=5e-9)


def test_undefined_coefficients_say_why() -> None:
    constant = [1, 1, 1]

    assert "one and the same value" in (stats.why_undefined(stats.cohen_kappa, constant, constant) or "")
    assert "only one category" in (stats.why_undefined(stats.gwet_ac1, [constant, constant]) or "")
    assert "same value for all items" in (stats.why_undefined(stats.mcc, constant, [1, 0, 1]) or "")
    assert "same value for all items" in (stats.why_undefined(stats.spearman, constant, [1, 2, 3]) or "")
    assert stats.why_undefined(stats.spearman, [1, 2], [1, 2]) is None
    with pytest.raises(TypeError, match="harm_metrics is no statistic of one value"):
        stats.why_undefined(stats.harm_metrics, [[1]], [[1]])


def test_one_row_may_be_given_flat() -> None:
    assert stats.cohen_kappa(np.array([[1, 0, 1]]), (1, 0, True)) == 1
    assert stats.krippendorff_alpha([1, 0, 1]) is None


def test_bytes_in_any_order_are_taken() -> None:
    table = np.asfortranarray(np.random.default_rng(0).integers(0, 3, (3, 20)))

    assert stats.krippendorff_alpha(table) == stats.krippendorff_alpha(table.astype(">f4").tolist())
    assert stats.krippendorff_alpha(table[:, ::2]) == stats.krippendorff_alpha(table[:, ::2].copy())
