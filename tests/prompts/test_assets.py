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
    jc.prompts.TrueFalseQuestionPaths: jc.prompts.TrueFalseQuestion,
    jc.prompts.LikertScalePaths: jc.prompts.LikertScale,
    jc.prompts.NumericScalePaths: jc.prompts.NumericScale,
    prompts.CategorySetPaths: jc.prompts.CategorySet,
    jc.prompts.RubricPaths: jc.prompts.Rubric,
    jc.prompts.GuardPolicyPaths: jc.prompts.GuardPolicy,
    jc.prompts.PromptPaths: jc.PromptTemplate,
    jc.scorers.PatternSetPaths: jc.scorers.PatternSet,
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


@pytest.mark.parametrize("scale", jc.prompts.LikertScalePaths)
def test_a_likert_scale_has_five_levels_with_meanings_of_their_own(scale: jc.prompts.LikertScalePaths) -> None:
    levels = jc.prompts.LikertScale.from_yaml(scale).levels

    assert [level.value for level in levels] == [1, 2, 3, 4, 5]
    assert len({level.description for level in levels}) == 5


@pytest.mark.parametrize("path", jc.prompts.TrueFalseQuestionPaths)
def test_a_question_says_when_it_is_true_and_when_false(path: jc.prompts.TrueFalseQuestionPaths) -> None:
    question = jc.prompts.TrueFalseQuestion.from_yaml(path)

    assert question.category
    assert question.true_description.strip() != question.false_description.strip()


@pytest.mark.parametrize("path", [one for one in jc.prompts.PromptPaths if one.name.endswith("SYSTEM_PROMPT")])
def test_a_system_prompt_says_that_the_judged_text_is_material(path: jc.prompts.PromptPaths) -> None:
    assert "delimiters" in jc.PromptTemplate.from_yaml(path).text


def test_the_llama_guard_pair_has_the_taxonomy_and_no_slot() -> None:
    folder = jc.prompts.TRUE_FALSE_QUESTIONS_PATH
    question = jc.prompts.TrueFalseQuestion.from_yaml(folder / "llamaguard.yaml")
    template = jc.PromptTemplate.from_yaml(folder / "llamaguard_system_prompt.yaml")
    header = (folder / "llamaguard_system_prompt.yaml").read_text("utf-8")

    for code, name in jc.Format.get("llama_guard.3").categories.items():
        assert f"{code} {name}:" in question.true_description
        assert f"{code}: {name}" in template.text
    assert jc.prompts.TrueFalseQuestionPaths.LLAMAGUARD.value == folder / "llamaguard.yaml"
    assert template.parameters == ()
    assert template.ignores_question
    assert "ignores categories that are written into a prompt" in " ".join(header.split())
    assert "To restore the publisher's chat template" in header


def test_only_the_llama_guard_prompt_ignores_its_question() -> None:
    assert [path for path in jc.prompts.PromptPaths if jc.PromptTemplate.from_yaml(path).ignores_question] == [
        jc.prompts.PromptPaths.LLAMAGUARD_SYSTEM_PROMPT
    ]


@pytest.mark.parametrize("name", prompts.guards())
def test_a_guard_has_its_question_and_its_system_prompt(name: str) -> None:
    guard = jc.prompts.GuardPrompt.get(name)

    question = jc.prompts.TrueFalseQuestion.from_yaml(guard.question_path)
    template = jc.PromptTemplate.from_yaml(guard.system_prompt_path)

    assert question.category == guard.question
    assert template.ignores_question or "true_description" in template.parameters


def test_policies_have_the_codes_of_their_guards() -> None:
    policy = jc.prompts.GuardPolicy.from_yaml(jc.prompts.GuardPolicyPaths.LLAMA_GUARD_3)

    assert {one.code: one.name for one in policy.categories} == jc.Format.get("llama_guard.3").categories


def test_the_folders_are_where_the_names_say() -> None:
    assert (jc.prompts.TRUE_FALSE_QUESTIONS_PATH / "true_false_system_prompt.yaml").is_file()
    assert (jc.prompts.LIKERT_SCALES_PATH / "violence.yaml").is_file()
    assert (PATTERN_SETS_PATH / "refusal.yaml").is_file()
