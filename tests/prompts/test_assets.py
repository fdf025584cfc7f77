"""What is shipped: everything can be reached, read, and makes sense."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import judgecore as jc
from judgecore import prompts
from judgecore.scorers.regex import PATTERN_SETS_PATH

PACKAGE = Path(jc.__file__).parent
KINDS: dict[type[Enum], Any] = {
    jc.TrueFalseQuestionPaths: jc.TrueFalseQuestion,
    jc.LikertScalePaths: jc.LikertScale,
    jc.NumericScalePaths: jc.NumericScale,
    prompts.CategorySetPaths: jc.CategorySet,
    jc.RubricPaths: jc.Rubric,
    jc.GuardPolicyPaths: jc.GuardPolicy,
    jc.PromptPaths: jc.PromptTemplate,
    jc.PatternSetPaths: jc.PatternSet,
}
MEMBERS = [(member, kind) for paths, kind in KINDS.items() for member in paths]


@pytest.mark.parametrize(
    ("member", "kind"), MEMBERS, ids=lambda value: value.name if isinstance(value, Enum) else value.__name__
)
def test_each_file_is_read(member: Enum, kind: Any) -> None:
    assert isinstance(kind.from_yaml(member), kind)
    assert kind.from_yaml(member) == kind.from_yaml(member.value) == kind.from_yaml(str(member.value))


def test_each_file_is_reached_by_one_member() -> None:
    # The labelled data's own definitions are found by name, beside the data.
    data = PACKAGE / "evaluation" / "data"
    shipped = sorted(
        path for path in PACKAGE.rglob("*.yaml") if path != prompts.GUARDS_PATH and not path.is_relative_to(data)
    )

    assert shipped == sorted(member.value for member, _ in MEMBERS)


@pytest.mark.parametrize("scale", jc.LikertScalePaths)
def test_a_likert_scale_has_five_levels_with_meanings_of_their_own(scale: jc.LikertScalePaths) -> None:
    levels = jc.LikertScale.from_yaml(scale).levels

    assert [level.value for level in levels] == [1, 2, 3, 4, 5]
    assert len({level.description for level in levels}) == 5


@pytest.mark.parametrize("path", jc.TrueFalseQuestionPaths)
def test_a_question_says_when_it_is_true_and_when_false(path: jc.TrueFalseQuestionPaths) -> None:
    question = jc.TrueFalseQuestion.from_yaml(path)

    assert question.category
    assert question.true_description.strip() != question.false_description.strip()


@pytest.mark.parametrize("path", [one for one in jc.PromptPaths if one.name.endswith("SYSTEM_PROMPT")])
def test_a_system_prompt_says_that_the_judged_text_is_material(path: jc.PromptPaths) -> None:
    assert "delimiters" in jc.PromptTemplate.from_yaml(path).text


def test_the_llama_guard_pair_has_the_taxonomy_and_no_slot() -> None:
    folder = jc.TRUE_FALSE_QUESTIONS_PATH
    question = jc.TrueFalseQuestion.from_yaml(folder / "llamaguard.yaml")
    template = jc.PromptTemplate.from_yaml(folder / "llamaguard_system_prompt.yaml")
    header = (folder / "llamaguard_system_prompt.yaml").read_text("utf-8")

    for code, name in jc.Format.get("llama_guard.3").categories.items():
        assert f"{code} {name}:" in question.true_description
        assert f"{code}: {name}" in template.text
    assert jc.TrueFalseQuestionPaths.LLAMAGUARD.value == folder / "llamaguard.yaml"
    assert template.parameters == ()
    assert template.ignores_question
    assert "ignores categories that are written into a prompt" in " ".join(header.split())
    assert "To restore the publisher's chat template" in header


def test_only_the_llama_guard_prompt_ignores_its_question() -> None:
    assert [path for path in jc.PromptPaths if jc.PromptTemplate.from_yaml(path).ignores_question] == [
        jc.PromptPaths.LLAMAGUARD_SYSTEM_PROMPT
    ]


@pytest.mark.parametrize("name", prompts.guards())
def test_a_guard_has_its_question_and_its_system_prompt(name: str) -> None:
    guard = jc.Guard.get(name)

    question = jc.TrueFalseQuestion.from_yaml(guard.question_path)
    template = jc.PromptTemplate.from_yaml(guard.system_prompt_path)

    assert question.category == guard.question
    assert template.ignores_question or "true_description" in template.parameters


def test_policies_have_the_codes_of_their_guards() -> None:
    policy = jc.GuardPolicy.from_yaml(jc.GuardPolicyPaths.LLAMA_GUARD_3)

    assert {one.code: one.name for one in policy.categories} == jc.Format.get("llama_guard.3").categories


def test_the_folders_are_where_the_names_say() -> None:
    assert (jc.TRUE_FALSE_QUESTIONS_PATH / "true_false_system_prompt.yaml").is_file()
    assert (jc.LIKERT_SCALES_PATH / "violence.yaml").is_file()
    assert (PATTERN_SETS_PATH / "refusal.yaml").is_file()
