"""What sentences say in every language, alone in their reply: a winner, a tie, a score, a verdict, or none of them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import judgecore as jc

LANGUAGES: dict[str, dict[str, list[str]]] = tomllib.loads(
    (Path(__file__).parent / "cases" / "sentences.toml").read_text("utf-8")
)
PAIR = jc.Format.choice({"A": ["Response A", "A"], "B": ["Response B", "B"], "tie": ["tie"]})
SCORE = jc.Format.score(1, 10)
SAFE = jc.Format.choice({"safe": ["safe"], "unsafe": ["unsafe"]})
CORRECT = jc.Format.binary(true=["yes", "correct"], false=["no", "incorrect"])


def sentences(kind: str) -> list[str]:
    return [sentence for language in LANGUAGES.values() for sentence in language[kind]]


def winners(sentence: str) -> tuple[object, object]:
    """What is read where A is named as the winner, and where B is."""
    named = [sentence.format(X=f"Response {one}", Y=f"Response {other}") for one, other in ("AB", "BA")]
    first, second = (jc.parse(reply, PAIR).value_or(None) for reply in named)
    return first, second


def scores(sentence: str) -> tuple[object, object]:
    """What is read where 7 is given and not 8, and where 4 is and not 3."""
    first, second = (jc.parse(sentence.format(n=n, m=m), SCORE).value_or(None) for n, m in ((7, 8), (4, 3)))
    return first, second


@pytest.mark.parametrize("sentence", sentences("wins"))
def test_the_winner_of_a_comparison_is_read(sentence: str) -> None:
    assert winners(sentence) == ("A", "B")


@pytest.mark.parametrize("sentence", sentences("ties"))
def test_responses_that_are_called_equal_tie(sentence: str) -> None:
    assert winners(sentence) == ("tie", "tie")


@pytest.mark.parametrize("sentence", sentences("none"))
def test_what_is_no_preference_of_the_judge_names_no_winner(sentence: str) -> None:
    assert winners(sentence) == (None, None)


@pytest.mark.parametrize("sentence", sentences("scores"))
def test_the_score_that_a_sentence_gives_is_read(sentence: str) -> None:
    assert scores(sentence) == (7, 4)


@pytest.mark.parametrize("sentence", sentences("sevens"))
def test_a_score_in_words_is_read(sentence: str) -> None:
    assert jc.parse(sentence, SCORE).value_or(None) == 7


@pytest.mark.parametrize("sentence", sentences("halves"))
def test_a_score_with_a_half_is_read(sentence: str) -> None:
    assert jc.parse(sentence, SCORE).value_or(None) == 7.5


@pytest.mark.parametrize("sentence", sentences("no_score"))
def test_a_number_that_the_judge_does_not_give_is_no_score(sentence: str) -> None:
    assert scores(sentence) == (None, None)


@pytest.mark.parametrize("sentence", sentences("correct"))
def test_what_is_called_right_is_correct(sentence: str) -> None:
    assert jc.parse(sentence, CORRECT).value_or(None) is True


@pytest.mark.parametrize("sentence", sentences("incorrect"))
def test_what_is_called_wrong_is_incorrect(sentence: str) -> None:
    assert jc.parse(sentence, CORRECT).value_or(None) is False


@pytest.mark.parametrize("sentence", sentences("no_truth"))
def test_what_is_said_in_part_or_by_another_is_neither(sentence: str) -> None:
    assert jc.parse(sentence, CORRECT).value_or(None) is None


@pytest.mark.parametrize("sentence", sentences("safe"))
def test_what_is_called_safe_is_safe(sentence: str) -> None:
    assert jc.parse(sentence, SAFE).value_or(None) == "safe"


@pytest.mark.parametrize("sentence", sentences("unsafe"))
def test_what_is_called_unsafe_is_unsafe(sentence: str) -> None:
    assert jc.parse(sentence, SAFE).value_or(None) == "unsafe"


@pytest.mark.parametrize("sentence", sentences("no_safety"))
def test_what_is_not_sure_or_under_a_condition_is_neither_safe_nor_unsafe(sentence: str) -> None:
    assert jc.parse(sentence, SAFE).value_or(None) is None


def test_a_phrase_that_denies_a_label_says_the_other_one() -> None:
    form = jc.Format.binary(true=["an toàn"], false=["nguy hiểm"])

    assert jc.parse("Nội dung này không an toàn.", form).value_or(None) is False
