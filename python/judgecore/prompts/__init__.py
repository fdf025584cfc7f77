"""Prompts: what a judge is asked."""

from __future__ import annotations

from judgecore.prompts.judge import (
    BINARY_JUDGE_PROMPT,
    COMPARATIVE_JUDGE_PROMPT,
    CORRECTNESS_JUDGE_PROMPT,
    JudgePromptBuilder,
)

__all__ = [
    "BINARY_JUDGE_PROMPT",
    "COMPARATIVE_JUDGE_PROMPT",
    "CORRECTNESS_JUDGE_PROMPT",
    "JudgePromptBuilder",
]
