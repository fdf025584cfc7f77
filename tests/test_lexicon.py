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

NOT_YET = pytest.mark.xfail(strict=True, reason="the rules don't reach it yet")
EXAMPLES = [
    pytest.param(example, id=f"{name}-{number}", marks=[NOT_YET] if example.get("fails") else [])
    for name, file in lexicon.languages().items()
    for number, example in enumerate(file["examples"])
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_the_lexicon_reads_as_it_says(example: dict[str, Any]) -> None:
    outcome = jc.parse(example["reply"], lexicon.form_of(example))

    if example.get("unreadable"):
        assert isinstance(outcome, jc.Unreadable)
    else:
        assert isinstance(outcome, jc.Reading)
        assert outcome.value == example["value"]


def test_the_pages_of_the_languages_are_those_that_make_pages_writes() -> None:
    written = lexicon.pages()

    assert {path.name for path in lexicon.FOLDER.glob("*.md")} == written.keys()
    for name, text in written.items():
        assert (lexicon.FOLDER / name).read_text("utf-8") == text, f"docs/lexicon/{name} is stale; run make pages"
