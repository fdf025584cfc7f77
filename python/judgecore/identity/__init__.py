"""Identities of components: hashes of their configuration, so that a changed judge has another identity.

``ComponentIdentifier`` identifies a component; ``ScorerEvaluationIdentifier`` only the part that affects verdicts.
The hashes equal those of PyRIT's published registries.
"""

from __future__ import annotations

from judgecore.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "component": ["ComponentIdentifier", "ScorerEvaluationIdentifier", "class_identifier", "reader_identifier"],
    },
)
