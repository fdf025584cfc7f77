"""PyRIT: use judgecore's reading in PyRIT's scorers, and convert scorers in both directions.

``ReplyHandler`` reads a judge's replies for PyRIT's ``SelfAsk...`` scorers. ``to_pyrit`` converts a judgecore scorer to
a PyRIT scorer; ``PyritScorer`` wraps a PyRIT scorer, for example to evaluate it with judgecore.
Needs ``pip install 'judgecore[pyrit]'``.
"""

from __future__ import annotations

from judgecore.integrations.pyrit.handler import ReplyHandler
from judgecore.integrations.pyrit.scorers import PyritScorer, to_pyrit

__all__ = ["PyritScorer", "ReplyHandler", "to_pyrit"]
