"""Turn what a judge model writes into a verdict that people can trust.

``parse`` reads one reply, ``parse_many`` many, each with a ``Format``: what the judge was asked to answer. The outcome
is a ``Reading`` with its evidence or an ``Unreadable`` with its reason, and never a number that stands for "unread".

Here is what everyone needs; the rest is imported from its station: ``judgecore.scorers``, ``judgecore.stats``, ...
Names and stations are imported when they are first used, so that ``import judgecore`` costs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from judgecore.lazy import lazy_exports

# The public modules that need no extra, in the order of the data's way.
_STATIONS = (
    "reading",
    "detecting",
    "compat",
    "prompts",
    "targets",
    "scorers",
    "evaluation",
    "reports",
    "stats",
    "hashing",
    "identity",
    "engines",
    "errors",
)

__all__, _load, __dir__ = lazy_exports(
    __name__,
    {
        "reading": [
            "Format",
            "GuardVerdict",
            "Reading",
            "Readings",
            "Repair",
            "Unreadable",
            "__version__",
            "extract_json",
            "extract_json_many",
            "formats",
            "parse",
            "parse_many",
            "score_logprobs",
            "score_logprobs_many",
        ],
        "detecting": ["detect"],
        "compat": ["ResponseParser"],
        "prompts": ["JudgePromptBuilder", "PromptTemplate"],
        "targets": [
            "AnthropicTarget",
            "AzureOpenAITarget",
            "CallableTarget",
            "JudgeReply",
            "JudgeRequest",
            "Ledger",
            "LedgerReader",
            "OpenAITarget",
            "Pacing",
            "RecordedTarget",
            "Target",
            "send_many",
        ],
        "scorers": ["Response", "Score", "Scorer"],
        "evaluation": ["HumanLabeledDataset", "LikertScaleEvalFiles", "TrueFalseEvalFiles"],
        "hashing": ["canonical_json", "content_hash"],
        "identity": ["ComponentIdentifier", "ScorerEvaluationIdentifier"],
        "errors": ["JudgecoreError"],
    },
    _STATIONS,
)

_RENAMED = {
    "Category": "ResponseCategory",
    "Criterion": "RubricCriterion",
    "Guard": "GuardPrompt",
    "Image": "PromptImage",
    "Level": "LikertLevel",
    "Prices": "TokenPrices",
    "Tally": "RequestTally",
    "Turn": "ConversationTurn",
    "Usage": "TokenUsage",
    "content_hash_many": "content_hash",
}


def __getattr__(name: str) -> Any:
    """Import a name or a station when it is first used, or say which station has the name."""
    try:
        return _load(name)
    except AttributeError as problem:
        now = _RENAMED.get(name, name)
        for station in _STATIONS if not name.startswith("_") else ():
            if now in import_module(f"{__name__}.{station}").__all__:
                raise AttributeError(f"{problem}; it is {__name__}.{station}.{now}") from None
        raise
