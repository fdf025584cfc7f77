"""Canonical JSON and content hashes.

The functions are implemented in the extension and documented in ``_core.pyi``.
"""

from __future__ import annotations

from judgecore._core import canonical_json, content_hash

__all__ = ["canonical_json", "content_hash"]
