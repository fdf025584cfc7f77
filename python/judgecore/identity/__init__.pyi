# Written by `make pages`; edit the list in __init__.py, not this file.

from judgecore.identity.component import (
    ComponentIdentifier,
    ScorerEvaluationIdentifier,
    class_identifier,
    reader_identifier,
)

__all__ = [
    "ComponentIdentifier",
    "ScorerEvaluationIdentifier",
    "class_identifier",
    "reader_identifier",
]
