"""Hashing: one value, one text, one name.

The functions are the extension's own; their documentation stands in ``_core.pyi``.
"""

from __future__ import annotations

from judgecore._core import canonical_json, content_hash, content_hash_many

__all__ = ["canonical_json", "content_hash", "content_hash_many"]
