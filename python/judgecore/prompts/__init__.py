"""Prompt templates, and the questions, scales, categories, policies and rubrics that fill them."""

from __future__ import annotations

from judgecore.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "criteria": [
            "CategorySet",
            "LikertLevel",
            "LikertScale",
            "NumericScale",
            "ResponseCategory",
            "Rubric",
            "RubricCriterion",
            "TrueFalseQuestion",
        ],
        "guard": ["GuardPolicy", "GuardPrompt", "PolicyCategory", "guards"],
        "judge": ["BINARY_JUDGE_PROMPT", "COMPARATIVE_JUDGE_PROMPT", "CORRECTNESS_JUDGE_PROMPT", "JudgePromptBuilder"],
        "paths": [
            "CATEGORY_SETS_PATH",
            "GUARDS_PATH",
            "GUARD_POLICIES_PATH",
            "LIKERT_SCALES_PATH",
            "NUMERIC_SCALES_PATH",
            "PROMPTS_PATH",
            "RUBRICS_PATH",
            "TRUE_FALSE_QUESTIONS_PATH",
            "CategorySetPaths",
            "GuardPolicyPaths",
            "LikertScalePaths",
            "NumericScalePaths",
            "PromptPaths",
            "RubricPaths",
            "TrueFalseQuestionPaths",
        ],
        "template": ["PromptTemplate"],
    },
)
