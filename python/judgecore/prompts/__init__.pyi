# Written by `make pages`; edit the list in __init__.py, not this file.

from judgecore.prompts.criteria import (
    CategorySet,
    LikertLevel,
    LikertScale,
    NumericScale,
    ResponseCategory,
    Rubric,
    RubricCriterion,
    TrueFalseQuestion,
)
from judgecore.prompts.guard import (
    GuardPolicy,
    GuardPrompt,
    PolicyCategory,
    guards,
)
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
from judgecore.prompts.template import (
    PromptTemplate,
)

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
    "CategorySet",
    "CategorySetPaths",
    "GuardPolicy",
    "GuardPolicyPaths",
    "GuardPrompt",
    "JudgePromptBuilder",
    "LikertLevel",
    "LikertScale",
    "LikertScalePaths",
    "NumericScale",
    "NumericScalePaths",
    "PolicyCategory",
    "PromptPaths",
    "PromptTemplate",
    "ResponseCategory",
    "Rubric",
    "RubricCriterion",
    "RubricPaths",
    "TrueFalseQuestion",
    "TrueFalseQuestionPaths",
    "guards",
]
