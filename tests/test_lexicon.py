"""The lexicon's examples are read in Python as in Rust, and its pages are up to date."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import judgecore as jc

# Importlib mode puts no folder of tests on the path.
sys.path.insert(0, str(Path(__file__).parent))

from references import lexicon

LANGUAGES = lexicon.languages()


def is_right(example: dict[str, Any]) -> bool:
    outcome = jc.parse(example["reply"], lexicon.form_of(example))
    return (
        isinstance(outcome, jc.Reading) and outcome.value == example["value"] if "value" in example else not outcome.ok
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_example_of_the_lexicon_reads_as_it_says(language: str) -> None:
    examples = LANGUAGES[language]["examples"]

    # The rules don't reach some yet; one that they come to reach is to be said.
    assert [one for one in examples if is_right(one) is bool(one.get("fails"))] == []


def test_the_pages_of_the_languages_are_those_that_make_pages_writes() -> None:
    written = lexicon.pages()

    assert {path.name for path in lexicon.FOLDER.glob("*.md")} == written.keys()
    for name, text in written.items():
        assert (lexicon.FOLDER / name).read_text("utf-8") == text, f"docs/lexicon/{name} is stale; run make pages"


@pytest.mark.parametrize("name", ["Assistant", "Response", "Model", "Answer"])
@pytest.mark.parametrize(
    "sentence",
    [
        "{} B ist besser.",
        "Je préfère la {} B.",
        "{} B es mejor que {} A.",
        "È migliore la {} B.",
        "Prefiro a {} B.",
        "{} B is beter.",
        "Lepsza jest {} B.",
        "{} B je lepší.",
        "{} B är bättre.",
        "{} B daha iyi.",
        "{} B lebih baik.",
        "{} B tốt hơn.",
        "Лучше {} B.",
        "{} B أفضل.",
        "{} B更好。",
        "{} Bの方が優れています。",
        "{} B가 더 낫습니다.",
    ],
)
def test_a_candidate_may_keep_its_english_name_in_a_sentence_of_any_language(sentence: str, name: str) -> None:
    reply = sentence.replace("{}", name)

    assert jc.parse(reply, jc.Format.choice({"A": [f"{name} A"], "B": [f"{name} B"]})).value_or(None) == "B"
    assert jc.parse(reply, jc.Format.choice({"A": ["A"], "B": ["B"]})).value_or(None) == "B"


@pytest.mark.parametrize("noun", ["Score", "Rating"])
@pytest.mark.parametrize(
    "sentence",
    [
        "Der {} ist 8.",
        "Mein {} ist 8.",
        "Mi {} es 8.",
        "Mon {} est 8.",
        "Il mio {} è 8.",
        "Meu {} é 8.",
        "Mijn {} is 8.",
    ],
)
def test_a_score_may_have_its_english_noun_in_a_sentence_of_another_language(sentence: str, noun: str) -> None:
    assert jc.parse(sentence.replace("{}", noun), jc.Format.score(1, 10)).value_or(None) == 8
