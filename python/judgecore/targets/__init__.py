"""Targets: what a request is sent to, and the ledger that keeps every reply.

``Target`` is the protocol. Nothing here loads an HTTP client or pydantic before a request leaves.
"""

from __future__ import annotations

from judgecore.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "anthropic": ["AnthropicTarget"],
        "azure": ["AzureOpenAITarget"],
        "callable": ["CallableTarget"],
        "keeping": ["RequestTally", "ask_target", "keep_replies", "keeping_ledger"],
        "ledger": ["Ledger", "LedgerEntry", "LedgerMerge", "LedgerReader", "LedgerSummary", "merge_ledgers"],
        "openai": ["OpenAITarget"],
        "pacing": ["Pacing"],
        "recording": ["RecordedTarget"],
        "reply": ["JudgeReply", "TokenUsage", "log_unreadable"],
        "request": ["ConversationTurn", "JudgeRequest", "PromptImage"],
        "sending": ["SendingProgress", "send_many"],
        "target": ["Target"],
    },
)
