"""The ledger: one SQLite file that keeps every request and every reply, before anything is read."""

from __future__ import annotations

from judgecore.targets.ledger.entry import LedgerEntry
from judgecore.targets.ledger.ledger import Ledger
from judgecore.targets.ledger.merging import LedgerMerge, merge_ledgers
from judgecore.targets.ledger.reader import LedgerReader, LedgerSummary
from judgecore.targets.ledger.salvage import LedgerSalvage, salvage

__all__ = [
    "Ledger",
    "LedgerEntry",
    "LedgerMerge",
    "LedgerReader",
    "LedgerSalvage",
    "LedgerSummary",
    "merge_ledgers",
    "salvage",
]
