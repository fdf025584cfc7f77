# Written by `make pages`; edit the list in __init__.py, not this file.

from judgecore.targets.anthropic import (
    AnthropicTarget,
)
from judgecore.targets.azure import (
    AzureOpenAITarget,
)
from judgecore.targets.batch_dialect import (
    BatchClient,
    BatchDialect,
    BatchPolicy,
    BatchResult,
    ProviderBatch,
)
from judgecore.targets.batching import (
    BatchRun,
    BatchTally,
)
from judgecore.targets.budget import (
    Budget,
)
from judgecore.targets.callable import (
    CallableTarget,
)
from judgecore.targets.dialect import (
    parse_body,
)
from judgecore.targets.endpoint import (
    Endpoint,
    EndpointOptions,
)
from judgecore.targets.keeping import (
    RequestTally,
    ask_target,
    keep_replies,
)
from judgecore.targets.ledger import (
    Ledger,
    LedgerEntry,
    LedgerMerge,
    LedgerReader,
    LedgerSummary,
    merge_ledgers,
)
from judgecore.targets.openai import (
    OpenAITarget,
)
from judgecore.targets.pacing import (
    Pacing,
)
from judgecore.targets.prices import (
    PriceTable,
    TokenCounts,
    TokenPrices,
    model_name,
)
from judgecore.targets.recording import (
    RecordedTarget,
)
from judgecore.targets.registration import (
    register_target,
)
from judgecore.targets.reply import (
    JudgeReply,
    ServedModel,
    TokenUsage,
)
from judgecore.targets.request import (
    ConversationTurn,
    JudgeRequest,
    PromptImage,
)
from judgecore.targets.sending import (
    SendingProgress,
    send_many,
)
from judgecore.targets.target import (
    Target,
)

__all__ = [
    "AnthropicTarget",
    "AzureOpenAITarget",
    "BatchClient",
    "BatchDialect",
    "BatchPolicy",
    "BatchResult",
    "BatchRun",
    "BatchTally",
    "Budget",
    "CallableTarget",
    "ConversationTurn",
    "Endpoint",
    "EndpointOptions",
    "JudgeReply",
    "JudgeRequest",
    "Ledger",
    "LedgerEntry",
    "LedgerMerge",
    "LedgerReader",
    "LedgerSummary",
    "OpenAITarget",
    "Pacing",
    "PriceTable",
    "PromptImage",
    "ProviderBatch",
    "RecordedTarget",
    "RequestTally",
    "SendingProgress",
    "ServedModel",
    "Target",
    "TokenCounts",
    "TokenPrices",
    "TokenUsage",
    "ask_target",
    "keep_replies",
    "merge_ledgers",
    "model_name",
    "parse_body",
    "register_target",
    "send_many",
]
