"""Integrations of judgecore into other tools, each an optional extra.

``inspect_ai``, ``lmms_eval``, ``pyrit``, ``pytest`` and ``opentelemetry``; each is imported only when used.
"""
