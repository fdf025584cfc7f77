"""YAML is data: no tags, no aliases, no surprises, and errors that name the place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import judgecore as jc

if TYPE_CHECKING:
    from pathlib import Path

BILLION_LAUGHS = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\ncategory: *c\n"


def question(folder: Path, text: str | bytes) -> jc.prompts.TrueFalseQuestion:
    path = folder / "question.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return jc.prompts.TrueFalseQuestion.from_yaml(path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("true_description: !!python/object/apply:os.system ['true']", "line 1: the tag"),
        ("true_description: !!str x", "line 1: the tag"),
        ("true_description: !mine x", "line 1: the tag"),
        (BILLION_LAUGHS, "line 2: the alias *a is not allowed"),
        ("true_description: x\ncategory: a\ntrue_description: y", "line 3: the key 'true_description' occurs twice"),
        ("1: x", "line 1: the key '1' must be a string"),
        ("? [a]\n: x", "line 1: the key here must be a string"),
        ("true_description: [", "line 1: "),
        ("- a\n- b", "has no keys at its top level"),
        ("", "has no keys at its top level"),
        ("just words", "has no keys at its top level"),
        ("true_description: x\n---\ntrue_description: y", "line 2: "),
        ("a: " + "[" * 5000, "nested too deeply"),
        (b"true_description: \xff", "not valid UTF-8 at byte 19"),
        (b"#" * (1 << 20) + b"\n\n", "a file of prompts has at most"),
        ("true_description: 3", "true_description: input should be a valid string, not 3; quote it"),
        ("true_description: [a]", 'true_description: input should be a valid string, not ["a"]'),
        ("category: x", "true_description is missing"),
        ("true_description: '  '", "true_description is missing"),
        (
            "true_description: x\ntrue_desciption: y",
            "true_desciption is not a key of TrueFalseQuestion; did you mean 'true_description'?",
        ),
    ],
)
def test_an_invalid_question_file_is_refused(tmp_path: Path, text: str | bytes, problem: str) -> None:
    with pytest.raises(jc.errors.PromptError) as caught:
        question(tmp_path, text)

    assert str(tmp_path / "question.yaml") in str(caught.value)
    assert problem in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(jc.errors.PromptError, match=r"can.t read .*gone\.yaml: No such file"):
        jc.prompts.TrueFalseQuestion.from_yaml(tmp_path / "gone.yaml")


@pytest.mark.parametrize(
    "word", ["no", "yes", "on", "off", "2024-05-01", "12:30:45", "0o17", "0x1f", "1_000", "<<", "="]
)
def test_words_that_yaml_1_1_converts_stay_strings(tmp_path: Path, word: str) -> None:
    assert question(tmp_path, f"true_description: {word}").true_description == word


def test_a_byte_order_mark_and_what_a_file_says_of_itself_are_passed_over(tmp_path: Path) -> None:
    text = "\ufefftrue_description: x\nname: n\nsource: s\nauthors: [a]\nversion: '2'\n"

    assert question(tmp_path, text) == jc.prompts.TrueFalseQuestion("", "x")


def test_numbers_are_decimal(tmp_path: Path) -> None:
    path = tmp_path / "scale.yaml"
    path.write_text("category: c\nlow: 010\nhigh: +1.5e2\ninteger: false\n")

    scale = jc.prompts.NumericScale.from_yaml(path)

    assert (scale.low, scale.high) == (10, 150)


@pytest.mark.parametrize("text", ["low: .nan\nhigh: 1", "low: 0\nhigh: .inf", "low: 1\nhigh: 1", "low: 2\nhigh: 1"])
def test_invalid_ends_of_a_scale_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "scale.yaml"
    path.write_text(f"category: c\n{text}\n")

    with pytest.raises(jc.errors.PromptError, match=r"scale.yaml"):
        jc.prompts.NumericScale.from_yaml(path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("category: c\nscale_descriptions: [{score_value: '1', description: d}]", "at least two levels"),
        (
            "category: c\nscale_descriptions: [{score_value: 2, description: d}, {score_value: 1, description: d}]",
            "must ascend, but are [2, 1]",
        ),
        (
            "category: c\nscale_descriptions: [{score_value: 1, description: ''}, {score_value: 2, description: d}]",
            "level 1 has no description",
        ),
        ("category: c\nscale_descriptions: 3", "must be a list of score_value and description"),
        ("category: c\nscale_descriptions: [{score_value: 1}]", "must have the keys score_value and description"),
        ("category: c\nscale_descriptions: [3]", "must have the keys score_value and description"),
        (
            "category: c\nscale_descriptions: [{score_value: x, description: d}, {score_value: 2, description: d}]",
            "levels.0.value: input should be a valid integer",
        ),
    ],
)
def test_invalid_levels_of_a_scale_are_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "likert.yaml"
    path.write_text(text)

    with pytest.raises(jc.errors.PromptError) as caught:
        jc.prompts.LikertScale.from_yaml(path)

    assert "likert.yaml" in str(caught.value)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: jc.prompts.CategorySet((jc.prompts.ResponseCategory("a", "d"),), "a"), "at least two"),
        (
            lambda: jc.prompts.CategorySet(
                (jc.prompts.ResponseCategory("a", "d"), jc.prompts.ResponseCategory("A", "d")), "a"
            ),
            "'a' occurs twice",
        ),
        (
            lambda: jc.prompts.CategorySet(
                (jc.prompts.ResponseCategory("a", "d"), jc.prompts.ResponseCategory("b", "d")), "c"
            ),
            "which is not one of the categories",
        ),
        (lambda: jc.prompts.Rubric("c", ()), "criteria must not be empty"),
        (
            lambda: jc.prompts.Rubric(
                "c", (jc.prompts.RubricCriterion("a", "d"), jc.prompts.RubricCriterion("a", "d"))
            ),
            "two criteria have the same name",
        ),
        (lambda: jc.prompts.Rubric("c", (jc.prompts.RubricCriterion("a", "d"),), 5, 1), "low must be below high"),
        (lambda: jc.prompts.Rubric("c", (jc.prompts.RubricCriterion("a", "d", 0),)), "must be above 0"),
        (lambda: jc.prompts.Rubric("c", (jc.prompts.RubricCriterion("a", "d", float("nan")),)), "must be above 0"),
        (lambda: jc.prompts.GuardPolicy(()), "categories must not be empty"),
        (
            lambda: jc.prompts.GuardPolicy((jc.prompts.PolicyCategory("a", "n"), jc.prompts.PolicyCategory("a", "m"))),
            "'a' occurs twice",
        ),
        (
            lambda: jc.prompts.GuardPolicy((jc.prompts.PolicyCategory("S1", "n"),)).get("S2"),
            "no category 'S2'; known are 'S1'",
        ),
        (lambda: jc.prompts.GuardPrompt.get("llama_gard.3"), "did you mean 'llama_guard.3'?"),
    ],
)
def test_what_makes_no_sense_is_refused(make: object, problem: str) -> None:
    assert callable(make)

    with pytest.raises(jc.errors.PromptError) as caught:
        make()

    assert problem in str(caught.value)
