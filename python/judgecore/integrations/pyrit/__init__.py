"""PyRIT: judgecore's readers inside its scorers, and scorers of either in the place of the other.

``ReplyHandler`` reads a judge's replies for any of PyRIT's ``SelfAsk...`` scorers, ``to_pyrit`` makes a scorer of
PyRIT's of one of ours, and ``PyritScorer`` one of ours of PyRIT's, so that judgecore's statistics can measure it.
Needs ``pip install 'judgecore[pyrit]'``.
"""

from __future__ import annotations

from judgecore.integrations.pyrit.handler import ReplyHandler
from judgecore.integrations.pyrit.scorers import PyritScorer, to_pyrit

__all__ = ["PyritScorer", "ReplyHandler", "to_pyrit"]
