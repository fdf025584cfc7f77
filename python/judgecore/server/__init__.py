"""The loopback judge of ``judgecore serve``: the shapes of real endpoints, plain heuristics, and faults on demand."""

from __future__ import annotations

from judgecore.server.faults import FAULTS
from judgecore.server.judge import MODEL
from judgecore.server.service import JudgeServer

__all__ = ["FAULTS", "MODEL", "JudgeServer"]
