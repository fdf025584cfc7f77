"""Inspect AI: scorers that leave samples with unreadable replies unscored, a target, and a reader of logs.

Inspect finds the scorers by their entry point: ``inspect score LOG --scorer judgecore/guard_judge -S guard=...``.
With ``InspectTarget``, a judgecore scorer can ask an Inspect model; ``scored_by`` uses a judgecore scorer in an Inspect
task. Needs ``pip install 'judgecore[inspect]'``.
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
