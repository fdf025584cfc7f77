"""lmms-eval's judge interface on judgecore's targets, ledger and reading; it does not need lmms-eval.

The dictionaries are those that lmms-eval documents, plus ``reading``. For an unreadable reply, ``result`` or ``scores``
is None and ``success`` is False, where lmms-eval returns 0, -1 or {} and True. ``install`` replaces the parsers of
lmms-eval's own judges; ``install_provider`` makes judgecore's server available to its tasks.
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
