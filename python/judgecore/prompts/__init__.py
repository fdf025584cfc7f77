"""Prompts: what a judge is asked."""

from __future__ import annotations

from judgecore.prompts.category import Category, CategorySet
from judgecore.prompts.guard import Guard, GuardPolicy, PolicyCategory, guards
from judgecore.prompts.judge import (
    BINARY_JUDGE_PROMPT,
    COMPARATIVE_JUDGE_PROMPT,
    CORRECTNESS_JUDGE_PROMPT,
    JudgePromptBuilder,
)
from judgecore.prompts.paths import (
    CATEGORY_SETS_PATH,
    GUARD_POLICIES_PATH,
    GUARDS_PATH,
    LIKERT_SCALES_PATH,
    NUMERIC_SCALES_PATH,
    PROMPTS_PATH,
    RUBRICS_PATH,
    TRUE_FALSE_QUESTIONS_PATH,
    CategorySetPaths,
    GuardPolicyPaths,
    LikertScalePaths,
    NumericScalePaths,
    PromptPaths,
    RubricPaths,
    TrueFalseQuestionPaths,
)
from judgecore.prompts.question import TrueFalseQuestion
from judgecore.prompts.rubric import Criterion, Rubric
from judgecore.prompts.scale import Level, LikertScale, NumericScale, plain_number
from judgecore.prompts.template import PromptTemplate

__all__ = [
    "BINARY_JUDGE_PROMPT",
    "CATEGORY_SETS_PATH",
    "COMPARATIVE_JUDGE_PROMPT",
    "CORRECTNESS_JUDGE_PROMPT",
    "GUARDS_PATH",
    "GUARD_POLICIES_PATH",
    "LIKERT_SCALES_PATH",
    "NUMERIC_SCALES_PATH",
    "PROMPTS_PATH",
    "RUBRICS_PATH",
    "TRUE_FALSE_QUESTIONS_PATH",
    "Category",
    "CategorySet",
    "CategorySetPaths",
    "Criterion",
    "Guard",
    "GuardPolicy",
    "GuardPolicyPaths",
    "JudgePromptBuilder",
    "Level",
    "LikertScale",
    "LikertScalePaths",
    "NumericScale",
    "NumericScalePaths",
    "PolicyCategory",
    "PromptPaths",
    "PromptTemplate",
    "Rubric",
    "RubricPaths",
    "TrueFalseQuestion",
    "TrueFalseQuestionPaths",
    "guards",
    "plain_number",
]
