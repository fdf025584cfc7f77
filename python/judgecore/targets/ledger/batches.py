"""Batches in a ledger: which requests are in which batch, and how far each batch is."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from judgecore.targets.batch_dialect import make_custom_id
from judgecore.targets.ledger.row import batch_checksum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgecore.targets.ledger.row import Values

BatchState: TypeAlias = Literal["submitted", "collected", "expired", "failed"]
"""How far a batch is. It is submitted before the request for it leaves, confirmed or not."""

# The fields of ``LedgerBatch`` in their order, and the checksum.
BATCHES = """SELECT batch.id, submission, target.hash, name, state, n_requests, submitted_at, ended_at, error,
    batch.checksum FROM batch JOIN target ON target.id = batch.target"""

_INSERT = """INSERT INTO batch (id, submission, target, name, state, n_requests, submitted_at, ended_at, error,
    checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


@dataclass(frozen=True)
class LedgerBatch:
    """One batch of a ledger."""

    id: int
    submission: str
    target: str
    name: str | None
    state: BatchState
    n_requests: int
    submitted_at: float
    ended_at: float | None
    error: str | None

    def values(self) -> Values:
        """Return the columns that its checksum covers: all but its number."""
        return astuple(self)[1:]

    def inserted(self, target: int, rows: Sequence[int]) -> list[tuple[str, Values]]:
        """Return the statements that enter it with its requests, by the number of the target and of the requests."""
        submission, _, *rest = self.values()
        links = [(self.id, position, row) for position, row in enumerate(rows)]
        return [
            (
                _INSERT,
                (self.id, submission, target, *rest, batch_checksum(*self.values())),
            ),
            *(("INSERT INTO batch_request (batch, position, request) VALUES (?, ?, ?)", link) for link in links),
        ]

    def updated(self) -> tuple[str, Values]:
        """Return the statement that stores what changed."""
        return (
            "UPDATE batch SET name = ?, state = ?, ended_at = ?, error = ?, checksum = ? WHERE id = ?",
            (self.name, self.state, self.ended_at, self.error, batch_checksum(*self.values()), self.id),
        )

    def custom_id(self, position: int, content: bytes) -> str:
        """Return the id of its request at a position."""
        return make_custom_id(self.submission, position, content)

    def ended(self, state: BatchState, at: float, error: str | None = None) -> LedgerBatch:
        """Return it as ended; what is no text for SQLite is spelled out in the error."""
        said = None if error is None else error.encode("utf-8", "backslashreplace").decode("utf-8")
        return replace(self, state=state, ended_at=at, error=said)
