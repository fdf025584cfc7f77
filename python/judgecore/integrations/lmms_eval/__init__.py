"""lmms-eval's judge interface on judgecore's targets, ledger and readers; it works without lmms-eval, too.

The dictionaries are those that lmms-eval documents, with ``reading`` beside them. A reply that can't be read has
``result`` or ``scores`` None and ``success`` False, where lmms-eval has 0, -1 or {} and True. ``install`` puts the
readers under lmms-eval's own judges, ``install_provider`` the server under its own tasks.
"""

from __future__ import annotations

from judgecore.compat import ResponseParser
from judgecore.integrations.lmms_eval.installation import install, install_provider, uninstall
from judgecore.integrations.lmms_eval.protocol import Request, Response, ServerConfig
from judgecore.integrations.lmms_eval.provider import ProviderFactory, get_server
from judgecore.integrations.lmms_eval.server import AsyncServerInterface, ServerInterface
from judgecore.integrations.lmms_eval.target_server import TargetServer
from judgecore.prompts import JudgePromptBuilder

__all__ = [
    "AsyncServerInterface",
    "JudgePromptBuilder",
    "ProviderFactory",
    "Request",
    "Response",
    "ResponseParser",
    "ServerConfig",
    "ServerInterface",
    "TargetServer",
    "get_server",
    "install",
    "install_provider",
    "uninstall",
]
