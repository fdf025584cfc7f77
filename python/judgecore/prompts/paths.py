"""The paths of the shipped prompts, questions, scales and categories: a folder and an enum of files for each kind.

The files of a folder are the members of its enum, which `make pages` writes into the stub for editors.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path

_HERE = Path(__file__).resolve().parent

TRUE_FALSE_QUESTIONS_PATH = _HERE / "true_false_questions"
"""True/false questions, including those of guards, and their system prompts."""

LIKERT_SCALES_PATH = _HERE / "likert_scales"
"""Likert scales with five described levels."""

NUMERIC_SCALES_PATH = _HERE / "numeric_scales"
"""Numeric scales."""

CATEGORY_SETS_PATH = _HERE / "category_sets"
"""Sets of mutually exclusive categories."""

GUARD_POLICIES_PATH = _HERE / "guard_policies"
"""Policies for guards."""

GUARDS_PATH = _HERE / "guards.yaml"
"""How each guard is prompted."""

RUBRICS_PATH = _HERE / "rubrics"
"""Rubrics of several criteria."""

PROMPTS_PATH = _HERE / "system_prompts"
"""System prompts and user prompts of the scorers, except those of true/false questions."""

_USER_PROMPTS = ("answered", "asked_criterion", "compared", "judged", "reask")


def _members(folder: Path, suffix: str = "") -> dict[str, Path]:
    return {f"{path.stem}{suffix}".upper(): path for path in sorted(folder.glob("*.yaml"))}


_QUESTIONS = _members(TRUE_FALSE_QUESTIONS_PATH)


class TrueFalseQuestionPaths(Enum):
    """The shipped true/false questions; ``TrueFalseQuestion.from_yaml`` reads a member."""

    vars().update({name: path for name, path in _QUESTIONS.items() if not name.endswith("_PROMPT")})


class LikertScalePaths(Enum):
    """The shipped Likert scales, 1 to 5; ``LikertScale.from_yaml`` reads a member."""

    vars().update(_members(LIKERT_SCALES_PATH, "_scale"))


class NumericScalePaths(Enum):
    """The shipped numeric scales; ``NumericScale.from_yaml`` reads a member."""

    vars().update(_members(NUMERIC_SCALES_PATH, "_scale"))


class CategorySetPaths(Enum):
    """The shipped sets of categories; ``CategorySet.from_yaml`` reads a member."""

    vars().update(_members(CATEGORY_SETS_PATH))


class GuardPolicyPaths(Enum):
    """The shipped policies for guards; ``GuardPolicy.from_yaml`` reads a member."""

    vars().update(_members(GUARD_POLICIES_PATH))


class RubricPaths(Enum):
    """The shipped rubrics; ``Rubric.from_yaml`` reads a member."""

    vars().update(_members(RUBRICS_PATH))


class PromptPaths(Enum):
    """The shipped system prompts and user prompts; ``PromptTemplate.from_yaml`` reads a member."""

    vars().update(
        {
            name if path.stem in _USER_PROMPTS else f"{name}_SYSTEM_PROMPT": path
            for name, path in _members(PROMPTS_PATH).items()
        }
    )
    vars().update({name: path for name, path in _QUESTIONS.items() if name.endswith("_PROMPT")})
