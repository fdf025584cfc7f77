"""Targets: what a request is sent to, and the ledger that keeps every reply.

``Target`` is the protocol, ``Endpoint`` the base of those that are asked over HTTP, one file for each provider. Nothing
here loads an HTTP client or pydantic before a request leaves.
"""

from __future__ import annotations

from judgecore.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "anthropic": ["AnthropicTarget"],
        "azure": ["AzureOpenAITarget"],
        "batch_dialect": ["BatchClient", "BatchDialect", "BatchPolicy", "BatchResult", "ProviderBatch"],
        "batching": ["BatchRun", "BatchTally"],
        "budget": ["Budget"],
        "callable": ["CallableTarget"],
        "dialect": ["parse_body"],
        "endpoint": ["Endpoint", "EndpointOptions"],
        "keeping": ["RequestTally", "ask_target", "keep_replies"],
        "ledger": ["Ledger", "LedgerEntry", "LedgerMerge", "LedgerReader", "LedgerSummary", "merge_ledgers"],
        "openai": ["OpenAITarget"],
        "pacing": ["Pacing"],
        "prices": ["PriceTable", "TokenCounts", "TokenPrices", "model_name"],
        "recording": ["RecordedTarget"],
        "registration": ["register_target"],
        "reply": ["JudgeReply", "ServedModel", "TokenUsage"],
        "request": ["ConversationTurn", "JudgeRequest", "PromptImage"],
        "sending": ["SendingProgress", "send_many"],
        "target": ["Target"],
    },
)
