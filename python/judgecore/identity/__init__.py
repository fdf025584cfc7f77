"""Identity: what a component is, hashed, so that a judge that changed has another name.

``ComponentIdentifier`` is what a component is; ``ScorerEvaluationIdentifier`` the part of it that affects verdicts.
The hashes are those of PyRIT's published registries.
"""

from __future__ import annotations

from judgecore.identity.code import class_identifier, code_path, why_unnamed
from judgecore.identity.component import ComponentIdentifier
from judgecore.identity.evaluation import ScorerEvaluationIdentifier
from judgecore.identity.reader import reader_identifier

__all__ = [
    "ComponentIdentifier",
    "ScorerEvaluationIdentifier",
    "class_identifier",
    "code_path",
    "reader_identifier",
    "why_unnamed",
]
