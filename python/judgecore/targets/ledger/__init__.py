"""The ledger: one SQLite file that keeps every request and every reply, before anything is read."""

from __future__ import annotations

from judgecore.targets.ledger.entry import Entry
from judgecore.targets.ledger.ledger import Ledger
from judgecore.targets.ledger.merging import Merged, merge_ledgers
from judgecore.targets.ledger.reader import LedgerReader, LedgerSummary
from judgecore.targets.ledger.salvage import Salvaged, salvage

__all__ = ["Entry", "Ledger", "LedgerReader", "LedgerSummary", "Merged", "Salvaged", "merge_ledgers", "salvage"]
