"""The loopback judge of ``judgecore serve``: real endpoints' APIs, answers by heuristics, and injected faults."""

from __future__ import annotations

from judgecore.server.batches import BATCH_FAULTS
from judgecore.server.faults import FAULTS
from judgecore.server.judge import MODEL
from judgecore.server.service import JudgeServer

__all__ = ["BATCH_FAULTS", "FAULTS", "MODEL", "JudgeServer"]
