"""``LedgerReader``: a ledger as it stands, read at any time, by any number of processes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from judgecore.errors import LedgerError
from judgecore.identity import ComponentIdentifier
from judgecore.targets.ledger.entry import Entry, EntryState, key_of
from judgecore.targets.ledger.schema import open_to_read

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from os import PathLike
    from types import TracebackType

_COLUMNS = """
    hex(request.content), target.hash, target.identity, request.trial, request.ask, hex(request.question),
    request.request, request.state, request.attempts, request.resent, request.planned_at, request.sent_at,
    request.received_at, request.reply, request.error, request.outcome, request.prompt_tokens,
    request.completion_tokens, target.dialect
"""
# As ``key_of`` writes it.
_KEY = re.compile(r"([0-9a-f]{16})\.([0-9a-f]{8})\.(\d{1,18})\.(\d{1,18})", re.ASCII)
_FROM = "FROM request JOIN target ON target.id = request.target"


@dataclass(frozen=True)
class LedgerSummary:
    """What a ledger holds, in numbers.

    Attributes:
        counts: ``LedgerReader.counts``.
        attempts: How often it was tried to send one, in all; those that found no connection count.
        prompt_tokens: Of all replies, as far as endpoints tell.
        completion_tokens: Likewise.
        models: Requests by model.
        outcomes: Replies by outcome.
        errors: Requests that failed, by the kind of the last error.
    """

    counts: dict[str, int]
    attempts: int
    prompt_tokens: int
    completion_tokens: int
    models: dict[str, int]
    outcomes: dict[str, int]
    errors: dict[str, int]


class LedgerReader:
    """A ledger to look into; another process may be writing it.

    Use it as a context manager, or close it.

    Args:
        path: The file.

    Raises:
        LedgerError: If there is no such ledger.
        LedgerVersionError: If its version is not this one's.

    Attributes:
        path: The file; None for a ledger in memory.
    """

    path: Path | None

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self._reading = open_to_read(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._reading.close()

    def entries(self, state: EntryState | None = None) -> Iterator[Entry]:
        """Give the rows, in the order in which they were planned.

        Args:
            state: Only those that have come so far; None for all.
        """
        where = "" if state is None else "WHERE request.state = ?"
        values = () if state is None else (state,)
        for row in self._rows(f"SELECT {_COLUMNS} {_FROM} {where} ORDER BY request.id", values):
            yield _entry(row)

    def find(self, key: str) -> Entry:
        """Find a row by the key that logs and errors name.

        Raises:
            LedgerError: If there is none.
        """
        named = _KEY.fullmatch(key)
        if named is not None:
            content, target, trial, ask = named.groups()
            sql = f"""SELECT {_COLUMNS} {_FROM}
                WHERE request.content >= ? AND request.content <= ? AND target.hash LIKE ?
                AND request.trial = ? AND request.ask = ?"""
            low, high = bytes.fromhex(content.ljust(64, "0")), bytes.fromhex(content.ljust(64, "f"))
            for row in self._rows(sql, (low, high, f"{target}%", int(trial), int(ask))):
                return _entry(row)
        raise LedgerError(f"{self._name}: there is no request with the key {key}")

    def answered(self, question: str, *, trial: int, ask: int, target: str) -> Entry | None:
        """Find the reply to a question, however its target wrote it on the wire.

        Args:
            question: ``JudgeRequest.hash``.
            trial: Which of several independent askings.
            ask: How often it was asked before.
            target: The hash of the target's identity.

        Returns:
            The row; None if nothing was received.
        """
        sql = f"""SELECT {_COLUMNS} {_FROM} WHERE request.question = ? AND request.trial = ? AND request.ask = ?
            AND target.hash = ? AND request.state = 'received'"""
        for row in self._rows(sql, (bytes.fromhex(question), trial, ask, target)):
            return _entry(row)
        return None

    def targets(self) -> dict[str, ComponentIdentifier]:
        """Name the targets that replies were received from, by the hash of their identity."""
        sql = """SELECT hash, identity FROM target
            WHERE id IN (SELECT DISTINCT target FROM request WHERE state = 'received')"""
        return {name: ComponentIdentifier.from_registry(json.loads(line)) for name, line in self._rows(sql)}

    def counts(self) -> dict[str, int]:
        """Count the rows by state, those that failed, and those that were sent again.

        Returns:
            ``planned``, ``sent`` and ``received`` (each row is one of them), ``failed`` (tried, and ended with an
            error), ``resent`` (how often a process ended before the answer came, so that the request was sent again).
        """
        sql = """SELECT
            total(state = 'planned'), total(state = 'sent'), total(state = 'received'),
            total(error IS NOT NULL AND state = 'sent'), total(resent) FROM request"""
        (row,) = self._rows(sql)
        return {name: int(n) for name, n in zip(("planned", "sent", "received", "failed", "resent"), row, strict=True)}

    def summary(self) -> LedgerSummary:
        """Sum up what was sent, received and spent."""
        sent = "SELECT total(attempts), total(prompt_tokens), total(completion_tokens) FROM request"
        attempts, prompt_tokens, completion_tokens = (int(n) for n in self._rows(sent).fetchone())
        named = """SELECT coalesce(json_extract(identity, '$.underlying_model_name'), substr(hash, 1, 8)), count(*)
            FROM request JOIN target ON target.id = request.target GROUP BY 1 ORDER BY 2 DESC"""
        outcomes = "SELECT outcome, count(*) FROM request WHERE outcome IS NOT NULL GROUP BY 1 ORDER BY 2 DESC"
        errors = """SELECT substr(error, 1, instr(error || ':', ':') - 1), count(*)
            FROM request WHERE error IS NOT NULL AND state = 'sent' GROUP BY 1 ORDER BY 2 DESC"""
        return LedgerSummary(
            counts=self.counts(),
            attempts=attempts,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            models=dict(self._rows(named).fetchall()),
            outcomes=dict(self._rows(outcomes).fetchall()),
            errors=dict(self._rows(errors).fetchall()),
        )

    @property
    def _name(self) -> str:
        return ":memory:" if self.path is None else str(self.path)

    def _rows(self, sql: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        return self._reading.execute(sql, values)


def _entry(row: tuple[Any, ...]) -> Entry:
    content, target, identity, trial, ask, question, request, *rest = row
    content = content.lower()
    names = (
        "state",
        "attempts",
        "resent",
        "planned_at",
        "sent_at",
        "received_at",
        "raw",
        "error",
        "outcome",
        "prompt_tokens",
        "completion_tokens",
        "dialect",
    )
    return Entry(
        key=key_of(content, target, trial, ask),
        content=content,
        target=target,
        identity=json.loads(identity),
        trial=trial,
        ask=ask,
        question=question.lower(),
        request=json.loads(request),
        **dict(zip(names, rest, strict=True)),
    )
