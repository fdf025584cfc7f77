"""Identity: what a component is, hashed, so that a judge that changed has another name.

``ComponentIdentifier`` is what a component is; ``ScorerEvaluationIdentifier`` the part of it that affects verdicts.
The hashes are those of PyRIT's published registries.
"""

from __future__ import annotations

from judgecore.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "code": ["class_identifier", "code_path", "why_unnamed"],
        "component": ["ComponentIdentifier"],
        "evaluation": ["ScorerEvaluationIdentifier"],
        "reader": ["reader_identifier"],
    },
)
