"""The table of PyRIT's names says what is there."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import judgecore as jc
from judgecore.scorers.judge import JudgeOptions

DOCUMENTS = Path(__file__).parents[2] / "docs"
PARITY = DOCUMENTS / "parity.md"
GUIDE = DOCUMENTS / "from-pyrit.md"
ROWS = [
    [cell.strip() for cell in row[1:-1].split(" | ")]
    for row in PARITY.read_text("utf-8").splitlines()
    if row.startswith("| `")
]
PUBLIC = {name: station for station in (jc.scorers, jc.prompts, jc.compat, jc) for name in station.__all__}


def rows_of(heading: str) -> list[list[str]]:
    section = PARITY.read_text("utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [row for row in ROWS if f"| {row[0]} | {row[1]} |" in section]


@pytest.mark.parametrize("heading", ["Scorers", "Aggregators", "Data and helpers"])
def test_what_is_said_to_be_here_is_here(heading: str) -> None:
    rows = rows_of(heading)

    assert rows
    for theirs, ours, difference in rows:
        assert ours == "—" or ours.strip("`") in PUBLIC, theirs
        assert ours != "—" or difference, theirs


def guide(heading: str) -> list[list[str]]:
    """The rows of the first table below a heading of the guide from PyRIT."""
    section = GUIDE.read_text("utf-8").partition(heading)[2]
    table = re.findall(r"^\|.*\|$", section.partition("\n\n|")[2].partition("\n\n")[0], re.MULTILINE)[1:]
    return [[cell.strip() for cell in row[1:-1].split(" | ")] for row in table]


def names() -> dict[str, Any]:
    """What the calls of the guide name."""
    prompts, scorers = jc.prompts, jc.scorers
    return {
        **{name: getattr(scorers, name) for name in scorers.__all__},
        "judge": (judge := jc.CallableTarget(lambda _: "yes", name="a_judge")),
        "question": prompts.TrueFalseQuestion("politeness", "It is polite."),
        "system": "Judge what the user shows you.",
        "LikertScalePaths": prompts.LikertScalePaths,
        "system_path": prompts.TRUE_FALSE_QUESTIONS_PATH / "llamaguard_system_prompt.yaml",
        "parser": jc.compat.JsonResponseParser(),
        "likert_scale": prompts.LikertScale.from_yaml(prompts.LikertScalePaths.CYBER_SCALE),
        "scale": prompts.NumericScale("politeness", 1, 5, "It is rude.", "It is kind."),
        "categories": prompts.CategorySet.from_yaml(next(iter(prompts.CategorySetPaths))),
        "patterns": {"an address": r"\w+@\w+"},
        "scorer": scorers.SubStringScorer(substring="Sure"),
        "rater": scorers.SelfAskScaleScorer(chat_target=judge, scale_path=prompts.NumericScalePaths.HELPFULNESS_SCALE),
    }


@pytest.mark.parametrize(("old", "new"), guide("## Old call, new call"), ids=lambda cell: cell[1:40])
def test_each_new_call_makes_the_scorer_that_it_names(old: str, new: str) -> None:
    made = eval(new.strip("`"), names())  # noqa: S307 - our own document

    assert isinstance(made, jc.Scorer)
    assert type(made).__name__ == re.split(r"[.(]", old.strip("`"))[0]


@pytest.mark.parametrize(("option", "of", "instead"), guide("These options of PyRIT's are not here"))
def test_an_option_that_is_not_here_is_a_mistake_of_the_call(option: str, of: str, instead: str) -> None:
    scorer = getattr(jc.scorers, re.findall(r"`(\w+)`", of)[0])
    taken = set(inspect.signature(scorer).parameters) | set(
        getattr(scorer, "options_type", JudgeOptions).__annotations__
    )

    assert option.strip("`") not in taken
    assert [name for name in re.findall(r"`(\w+)`", instead) if name not in taken] == []
    if "chat_target" in taken:
        cure = f"use {instead.strip('`')}=$" if instead.startswith("`") else ""
        with pytest.raises(TypeError, match=rf"takes no {option.strip('`')}=; {cure}"):
            scorer(chat_target=names()["judge"], **{option.strip("`"): "x"})


def test_every_member_that_is_named_is_there() -> None:
    for enum, member in re.findall(r"`(\w+Paths)\.([A-Z_]+)`", PARITY.read_text("utf-8")):
        assert member in getattr(PUBLIC[enum], enum).__members__, (enum, member)


def test_no_name_stands_twice() -> None:
    names = [row[0] for heading in ("Scorers", "Aggregators", "Data and helpers") for row in rows_of(heading)]

    assert len(names) == len(set(names)) == 100


def test_what_is_only_here_is_here() -> None:
    [said] = re.findall(r"^Only here: (.*?)\.$", PARITY.read_text("utf-8"), re.MULTILINE | re.DOTALL)

    assert all(name in PUBLIC for name in re.findall(r"`(\w+)`", said))
