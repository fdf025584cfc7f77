"""Of two responses the winner of a comparison is read in every language, also by its English name, in either order."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import judgecore as jc

LANGUAGES: dict[str, dict[str, list[str]]] = tomllib.loads(
    (Path(__file__).parent / "cases" / "comparisons.toml").read_text("utf-8")
)
PAIR = jc.Format.choice({"A": ["Response A", "A"], "B": ["Response B", "B"], "tie": ["tie"]})


def sentences(kind: str) -> list[str]:
    return [sentence for language in LANGUAGES.values() for sentence in language[kind]]


def read(sentence: str, winner: str, loser: str) -> object:
    outcome = jc.parse(sentence.format(X=f"Response {winner}", Y=f"Response {loser}"), PAIR)
    return outcome.value_or(None)


@pytest.mark.parametrize("sentence", sentences("wins"))
def test_the_winner_of_a_comparison_is_read(sentence: str) -> None:
    assert (read(sentence, "A", "B"), read(sentence, "B", "A")) == ("A", "B")


@pytest.mark.parametrize("sentence", sentences("ties"))
def test_responses_that_are_called_equal_tie(sentence: str) -> None:
    assert (read(sentence, "A", "B"), read(sentence, "B", "A")) == ("tie", "tie")


@pytest.mark.parametrize("sentence", sentences("none"))
def test_a_denied_preference_names_no_winner(sentence: str) -> None:
    assert (read(sentence, "A", "B"), read(sentence, "B", "A")) == (None, None)
