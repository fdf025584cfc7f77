"""Integrations: judgecore inside the tools that people already use, each an optional extra.

``inspect_ai``, ``lmms_eval``, ``pyrit``, ``pytest`` and ``opentelemetry``; each is imported only where it is used.
"""
