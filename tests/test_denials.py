"""A verdict that a sentence denies, doubts, puts under a condition or tells of somebody else is not read as given."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Iterator

# Importlib mode puts no folder of tests on the path.
sys.path.insert(0, str(Path(__file__).parent))

from references import lexicon

LANGUAGES = lexicon.languages()
SENTENCES: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "cases" / "denials.toml").read_text("utf-8")
)
# A phrase of two classes is tested as one of the first of them.
CLASSES = ("deny", "deny_behind", "hedge", "if", "counterfactual", "wish", "other", "report")
# Phrases of these classes take nothing back: `no doubt`, `if I had to`.
HARMLESS = ("polite", "stress", "both")
SCORE = jc.Format.score(1, 10)
PAIR = jc.Format.choice({"A": ["A"], "B": ["B"], "tie": ["tie"]})
ENGLISH = jc.Format.binary(true=["correct"], false=["incorrect"])


def phrases(language: str, class_: str) -> list[str]:
    classes = LANGUAGES[language]["classes"]
    earlier = {phrase for one in CLASSES[: CLASSES.index(class_)] for phrase in classes.get(one, ())}
    return [phrase for phrase in classes.get(class_, ()) if phrase not in earlier]


def replies(language: str, class_: str, sentence: str) -> Iterator[str]:
    classes = LANGUAGES[language]["classes"]
    harmless = [phrase for one in HARMLESS for phrase in classes.get(one, ())]
    for phrase in phrases(language, class_):
        reply = sentence.format(phrase)
        # `n'` is a word only with the next one, `n'est`.
        if not phrase.endswith("'") and not any(phrase in one and one in reply.lower() for one in harmless):
            yield reply[0].upper() + reply[1:]


def given(language: str, kind: str) -> list[tuple[jc.Format, object]]:
    """The formats of a kind of sentence, each with the value that the sentence would have without the phrase."""
    if kind == "score":
        return [(SCORE, 8)]
    if kind == "pair":
        return [(PAIR, "A")]
    own = jc.Format.binary(true=[SENTENCES[language]["true"]], false=[SENTENCES[language]["false"]])
    return [(own, True), (ENGLISH, True)]


@pytest.mark.parametrize(
    ("language", "class_"), [(name, one) for name, classes in SENTENCES.items() for one in CLASSES if one in classes]
)
def test_a_phrase_of_the_class_takes_the_verdict_back(language: str, class_: str) -> None:
    for kind, sentences in SENTENCES[language][class_].items():
        for sentence in sentences:
            said = list(replies(language, class_, sentence))
            assert said
            for form, value in given(language, kind):
                values = jc.parse_many(said, form).values
                assert [reply for reply, read in zip(said, values, strict=True) if read == value] == []


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("class_", ["deny", "hedge"])
def test_without_the_phrase_the_sentence_gives_the_verdict(language: str, class_: str) -> None:
    for kind, sentences in SENTENCES[language][class_].items():
        form, value = given(language, kind)[0]
        said = [" ".join(sentence.format("").split()) for sentence in sentences]
        assert jc.parse_many(said, form).values == [value] * len(said)
