"""Every built-in format reads its own examples as its file says."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest

import judgecore as jc
from judgecore.checking import holds

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = jc.formats()
MINIMAL = """
family = "mine"
title = "Mine"
evidence = "card"
sources = ["a paper"]

[[formats]]
id = "mine.grade"
kind = "score"
low = 1
high = 5
"""


@pytest.mark.parametrize("form", FORMATS, ids=[form.id for form in FORMATS])
def test_an_example_has_its_outcome_in_every_mode(form: jc.Format) -> None:
    wrong: list[Any] = []
    for example in form.examples:
        assert set(form.modes) == {"lenient", "strict", "paper"} & example.keys()

        outcomes = {mode: jc.parse(example["reply"], form, mode=mode, cut=example["cut"]) for mode in form.modes}
        wrong += [(mode, example, one) for mode, one in outcomes.items() if not holds(example[mode], one)]
    assert wrong == []


def test_a_name_that_nothing_has_suggests_the_nearest() -> None:
    with pytest.raises(jc.errors.UnknownFormatError, match=r"mt_bench\.single"):
        jc.Format.get("mt_bench.singel")
    with pytest.raises(LookupError, match="arena_hard"):
        jc.parse("x", "arenahard")


def test_a_file_of_the_callers_has_the_same_schema(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINIMAL, encoding="utf-8")

    form = jc.Format.from_toml(path)

    assert form.id == "mine.grade"
    assert jc.parse("Score: 4", form).unwrap() == 4.0
    assert jc.Format.from_toml(path, "grade") == form
    with pytest.raises(jc.errors.UnknownFormatError, match=r"mine\.grade"):
        jc.Format.from_toml(path, "other")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("low = 1", "lowest = 1"), "lowest"),
        (("low = 1", "low = 9"), "9 to 5 is not a scale"),
        (('kind = "score"', 'kind = "mark"'), "mark"),
        (('id = "mine.grade"', 'id = "yours.grade"'), "yours"),
        (("high = 5", "high = 5\nmarkers = ['{}']"), "marker"),
        (("high = 5", "high = 5\n[formats.paper]\nfunction = 'guess'"), "guess"),
        (("high = 5", "high = 5\n[formats.paper]\nsteps = [{ pattern = '(' }]"), "pattern"),
        (("[[formats]]", "[[formats"), "mine.toml"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(change: tuple[str, str], problem: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINIMAL.replace(*change), encoding="utf-8")

    with pytest.raises(jc.errors.FormatError) as caught:
        jc.Format.from_toml(path)

    assert problem in str(caught.value)
    assert "mine.toml" in str(caught.value)


def test_forms_of_one_string_are_refused_before_they_become_letters() -> None:
    with pytest.raises(TypeError, match="list of forms"):
        jc.Format.choice({"A": "Output (a)", "B": ["b"]})


@pytest.mark.parametrize("form", [FORMATS[0], jc.Format.score(1, 5), jc.Format.choice({"A": ["A"], "B": ["B"]})])
def test_formats_travel_and_compare_by_what_they_declare(form: jc.Format) -> None:
    assert pickle.loads(pickle.dumps(form)) == form
    assert copy.deepcopy(form) == form
    assert hash(copy.copy(form)) == hash(form)
    assert form != jc.Format.score(2, 7)
    assert "\n" not in repr(form)
