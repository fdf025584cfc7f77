"""Inspect AI: scorers that never make a number of an unreadable reply, a target, and logs as replies.

Inspect finds the scorers by their entry point: ``inspect score LOG --scorer judgecore/guard_judge -S guard=...``.
``InspectTarget`` puts a model of Inspect's under any scorer of judgecore's, and ``scored_by`` that scorer into a task.
Needs ``pip install 'judgecore[inspect]'``.
"""

from __future__ import annotations

from judgecore.integrations.inspect_ai.log import read_log
from judgecore.integrations.inspect_ai.scorers import (
    fields_judge,
    format_judge,
    format_match,
    guard_judge,
    pairwise_judge,
    scored_by,
)
from judgecore.integrations.inspect_ai.target import InspectTarget

__all__ = [
    "InspectTarget",
    "fields_judge",
    "format_judge",
    "format_match",
    "guard_judge",
    "pairwise_judge",
    "read_log",
    "scored_by",
]
