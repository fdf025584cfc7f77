"""Simulated studies: intervals keep their word, trials inflate the published alpha, and the document says so."""

from __future__ import annotations

from itertools import product

import pytest
from references import studies

DOCUMENT = studies.DOCUMENT.read_text("utf-8")


# The larger studies take most of the time, and intervals are the more exact the larger a study is.
@pytest.mark.parametrize(("n_items", "share"), [*product(studies.GATED[:1], studies.SHARES), (studies.GATED[1], 0.8)])
def test_intervals_of_95_percent_cover_the_truth_as_often_as_they_say(n_items: int, share: float) -> None:
    found = studies.coverage(n_items, share)

    assert set(found.percent) == set(studies.METHODS)
    assert all(93.5 <= percent <= 96.5 for percent in found.percent.values()), found
    [row] = studies.coverage_rows([found])
    assert row in DOCUMENT, "make studies writes the table anew"


def test_the_document_tells_of_smaller_studies() -> None:
    [row] = studies.coverage_rows([studies.coverage(20, 0.5)])

    assert row in DOCUMENT, "make studies writes the table anew"


def test_trials_inflate_the_published_alpha_and_not_that_of_the_judge() -> None:
    rows = [[float(cell) for cell in row.strip("| ").split(" | ")] for row in studies.inflation_rows()]

    published, once = ([row[column] for row in rows] for column in (1, 2))
    assert published == sorted(published)
    assert published[0] < 0.05
    assert published[1] > 0.45
    assert published[2] > 0.75
    assert all(abs(one) < 0.05 for one in once)
    assert all(row in DOCUMENT for row in studies.inflation_rows()), "make studies writes the table anew"
