# Written by `make pages`; edit the list in __init__.py, not this file.

from judgecore.identity.code import (
    class_identifier,
    code_path,
    why_unnamed,
)
from judgecore.identity.component import (
    ComponentIdentifier,
)
from judgecore.identity.evaluation import (
    ScorerEvaluationIdentifier,
)
from judgecore.identity.reader import (
    reader_identifier,
)

__all__ = [
    "ComponentIdentifier",
    "ScorerEvaluationIdentifier",
    "class_identifier",
    "code_path",
    "reader_identifier",
    "why_unnamed",
]
