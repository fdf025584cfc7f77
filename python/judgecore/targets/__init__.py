"""Targets: what a request is sent to, and the ledger that keeps every reply.

``Target`` is the protocol. Nothing here loads an HTTP client or pydantic before a request leaves.
"""

from __future__ import annotations

from judgecore.targets.anthropic import AnthropicTarget
from judgecore.targets.azure import AzureOpenAITarget
from judgecore.targets.callable import CallableTarget
from judgecore.targets.keeping import Tally, ask_target, keep_replies, keeping_ledger
from judgecore.targets.ledger import Entry, Ledger, LedgerReader, LedgerSummary, Merged, merge_ledgers
from judgecore.targets.openai import OpenAITarget
from judgecore.targets.pacing import Pacing
from judgecore.targets.recording import RecordedTarget
from judgecore.targets.reply import JudgeReply, Usage, log_unreadable
from judgecore.targets.request import Image, JudgeRequest, Turn
from judgecore.targets.sending import Sending, send_many
from judgecore.targets.target import Target

__all__ = [
    "AnthropicTarget",
    "AzureOpenAITarget",
    "CallableTarget",
    "Entry",
    "Image",
    "JudgeReply",
    "JudgeRequest",
    "Ledger",
    "LedgerReader",
    "LedgerSummary",
    "Merged",
    "OpenAITarget",
    "Pacing",
    "RecordedTarget",
    "Sending",
    "Tally",
    "Target",
    "Turn",
    "Usage",
    "ask_target",
    "keep_replies",
    "keeping_ledger",
    "log_unreadable",
    "merge_ledgers",
    "send_many",
]
