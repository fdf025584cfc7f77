"""``LedgerReader``: read-only access to a ledger, at any time and by any number of processes."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from judgecore.errors import LedgerError
from judgecore.identity import ComponentIdentifier
from judgecore.targets.budget import BYTES_PER_TOKEN, TOKENS_PER_REPLY, Expectation
from judgecore.targets.ledger.batches import BATCHES, LedgerBatch
from judgecore.targets.ledger.entry import EntryState, LedgerEntry, key_of
from judgecore.targets.ledger.row import CHANGING, FIXED, batch_checksum, row_checksum, target_checksum
from judgecore.targets.ledger.schema import SERVED, SqliteProblem, check_rows, damaged, open_to_read, read_error
from judgecore.targets.prices import TokenCounts
from judgecore.targets.reply import check_count

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from judgecore.targets.ledger.row import Values

# As ``key_of`` writes it.
_KEY = re.compile(r"([0-9a-f]{16})\.([0-9a-f]{8})\.(\d{1,18})\.(\d{1,18})", re.ASCII)
# A row without its target is damaged, and must not be skipped.
_ROWS = f"""SELECT {SERVED}, request.checksum, request.id, target.identity, target.dialect, target.checksum
    FROM request LEFT JOIN target ON target.id = request.target"""  # noqa: S608 - names of columns
_N_SERVED = SERVED.count(",") + 1
_IN_BATCH = """EXISTS (SELECT 1 FROM batch_request JOIN batch ON batch.id = batch_request.batch
    WHERE batch_request.request = request.id AND {})"""
_BROUGHT = _IN_BATCH.format("request.received_at BETWEEN batch.submitted_at AND coalesce(batch.ended_at, 1e99)")
_LOST = "(request.resent + (request.state = 'sent' AND request.error IS NULL))"
_MALFORMED = "(request.state = 'sent' AND request.error LIKE 'MalformedReplyError:%')"
# What replies took, by target.
_USUAL = """SELECT target, max(1.0 * prompt_tokens / max(length(request), 1)) AS prompt_per_byte,
    sum(completion_tokens) AS completion, count(*) AS replies
    FROM request WHERE prompt_tokens IS NOT NULL AND completion_tokens IS NOT NULL GROUP BY target"""
_EXPECTED = f"SELECT identity, usual.* FROM ({_USUAL}) AS usual JOIN target ON target.id = usual.target"  # noqa: S608
# Unknown tokens are estimated: those of a request by its text, those of a reply by its limit, by others or by its size.
_PROMPT = f"length(request.request) * coalesce(usual.prompt_per_byte, 1.0 / {BYTES_PER_TOKEN})"
_COMPLETION = f"""coalesce(json_extract(request.request, '$.max_tokens'), 1.0 * usual.completion / usual.replies,
    {TOKENS_PER_REPLY})"""
_SPENT = f"""WITH usual AS ({_USUAL}) SELECT identity, is_batch, sum(prompt), sum(completion) FROM (
    SELECT target.identity, {_BROUGHT} AS is_batch, coalesce(prompt_tokens, {_PROMPT}) AS prompt,
        coalesce(completion_tokens, length(reply) / {BYTES_PER_TOKEN}) AS completion
    FROM request JOIN target ON target.id = request.target LEFT JOIN usual ON usual.target = target.id
    WHERE request.state = 'received'
    UNION ALL
    SELECT target.identity, {_IN_BATCH.format("batch.state = 'submitted'")}, {_LOST} * ({_PROMPT}),
        {_LOST} * ({_COMPLETION})
    FROM request JOIN target ON target.id = request.target LEFT JOIN usual ON usual.target = target.id WHERE {_LOST}
    UNION ALL
    SELECT target.identity, {_IN_BATCH.format("1")}, {_PROMPT},
        min(coalesce(length(reply), 0) / {BYTES_PER_TOKEN}, {_COMPLETION})
    FROM request JOIN target ON target.id = request.target LEFT JOIN usual ON usual.target = target.id
    WHERE {_MALFORMED}
) GROUP BY identity, is_batch"""  # noqa: S608 - numbers


@dataclass(frozen=True)
class LedgerSummary:
    """The totals of a ledger.

    Attributes:
        counts: ``LedgerReader.counts``.
        attempts: The number of all attempts, including those without a connection.
        prompt_tokens: The input tokens of all replies, as far as endpoints report them.
        completion_tokens: The output tokens, likewise.
        models: Requests by model.
        outcomes: Replies by outcome.
        errors: Requests that failed, by the kind of the last error.
        batches: Requests sent in batches, by the state of the batch.
    """

    counts: dict[str, int]
    attempts: int
    prompt_tokens: int
    completion_tokens: int
    models: dict[str, int]
    outcomes: dict[str, int]
    errors: dict[str, int]
    batches: dict[str, int]


class LedgerReader:
    """Read-only access to a ledger, which another process may be writing.

    All rows are verified by their checksums. Use it as a context manager, or close it.

    Args:
        path: The file.

    Raises:
        LedgerError: If there is no such ledger.
        LedgerDamagedError: If it is damaged; all methods raise this if they read a damaged row.
        LedgerVersionError: If it has another version.

    Attributes:
        path: The file; None for a ledger in memory.
    """

    path: Path | None

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self._reading = open_to_read(self.path)
        self._whole_targets: set[Values] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._reading.close()

    def entries(self, state: EntryState | None = None) -> Iterator[LedgerEntry]:
        """Yield the rows, in the order in which they were planned.

        Args:
            state: Only rows in this state; None for all.
        """
        self._settle()
        for served in self._served("true ORDER BY request.id"):
            entry = served.entry()
            # Filtering in Python verifies the state first, so that damaged rows are not skipped.
            if state is None or entry.state == state:
                yield entry

    def find(self, key: str) -> LedgerEntry:
        """Return a row by its key, as in logs and errors.

        Raises:
            LedgerError: If there is none.
        """
        self._settle()
        named = _KEY.fullmatch(key)
        if named is not None:
            content, target, trial, ask = named.groups()
            sql = """request.content >= ? AND request.content <= ? AND target.hash LIKE ?
                AND request.trial = ? AND request.ask = ?"""
            low, high = bytes.fromhex(content.ljust(64, "0")), bytes.fromhex(content.ljust(64, "f"))
            for served in self._served(sql, (low, high, f"{target}%", int(trial), int(ask))):
                return served.entry()
        raise LedgerError(f"{self._name}: there is no request with the key {key}")

    def answered(self, question: str, *, trial: int, ask: int, target: str) -> LedgerEntry | None:
        """Return the row with the reply to a question, regardless of the form in which it was sent.

        Args:
            question: ``JudgeRequest.hash``.
            trial: The number of the independent judgement.
            ask: The number of earlier requests whose replies were unreadable.
            target: The hash of the target's identity.

        Returns:
            The row; None if no reply was received.

        Raises:
            ValueError: If ``trial`` or ``ask`` is not an integer from 0 to 2^63 - 1.
        """
        check_count("trial", trial)
        check_count("ask", ask)
        sql = """request.question = ? AND request.trial = ? AND request.ask = ?
            AND target.hash = ? AND request.state = 'received'"""
        for served in self._served(sql, (bytes.fromhex(question), trial, ask, target)):
            return served.entry()
        return None

    def targets(self) -> dict[str, ComponentIdentifier]:
        """Return the identities of all targets with replies, by their hashes."""
        sql = """SELECT hash, identity, dialect, checksum FROM target
            WHERE id IN (SELECT DISTINCT target FROM request WHERE state = 'received')"""
        found: dict[str, ComponentIdentifier] = {}
        for name, line, dialect, checksum in self._rows(sql):
            self._check_target(name, line, dialect, checksum)
            found[name] = ComponentIdentifier.from_registry(json.loads(line))
        return found

    def batches(self) -> Iterator[LedgerBatch]:
        """Yield the batches, in the order of their submission.

        Raises:
            LedgerDamagedError: If a row has been altered.
        """
        for *values, checksum in self._rows(f"{BATCHES} ORDER BY batch.id"):
            batch = LedgerBatch(*values)
            if batch_checksum(*batch.values()) != checksum:
                raise damaged(self._name, f"the row of batch {batch.id} has been altered")
            yield batch

    def identity(self, target: str) -> ComponentIdentifier:
        """Return the identity of a target by its hash."""
        (line,) = self._row_of("SELECT identity FROM target WHERE hash = ?", target)
        return ComponentIdentifier.from_registry(json.loads(line))

    def dialect(self, target: str) -> str:
        """Return the registered name of the target that reads its replies."""
        return str(self._row_of("SELECT dialect FROM target WHERE hash = ?", target)[0])

    def _row_of(self, sql: str, *values: Any) -> Values:
        (row,) = self._rows(sql, values)
        return row

    def _rows_of(self, batch: LedgerBatch) -> dict[int, int]:
        return dict(self._rows("SELECT position, request FROM batch_request WHERE batch = ?", (batch.id,)))

    def counts(self) -> dict[str, int]:
        """Count the rows by state; all rows are verified.

        Returns:
            ``planned``, ``sent`` and ``received`` (each row has one of these states), ``failed`` (sent, and ended with
            an error), and ``resent`` (repeated requests that may already have been answered).
        """
        sql = """SELECT
            total(state = 'planned'), total(state = 'sent'), total(state = 'received'),
            total(error IS NOT NULL AND state = 'sent'), total(resent) FROM request"""
        check_rows(self._reading, self._name)
        row = self._row(sql)
        return {name: int(n) for name, n in zip(("planned", "sent", "received", "failed", "resent"), row, strict=True)}

    def summary(self) -> LedgerSummary:
        """Return the totals; all rows are verified."""
        self._settle()
        counts = self.counts()
        sent = "SELECT total(attempts), total(prompt_tokens), total(completion_tokens) FROM request"
        attempts, prompt_tokens, completion_tokens = (int(n) for n in self._row(sent))
        named = """SELECT coalesce(json_extract(identity, '$.underlying_model_name'), substr(hash, 1, 8)), count(*)
            FROM request JOIN target ON target.id = request.target GROUP BY 1 ORDER BY 2 DESC"""
        outcomes = "SELECT outcome, count(*) FROM request WHERE outcome IS NOT NULL GROUP BY 1 ORDER BY 2 DESC"
        errors = """SELECT substr(error, 1, instr(error || ':', ':') - 1), count(*)
            FROM request WHERE error IS NOT NULL AND state = 'sent' GROUP BY 1 ORDER BY 2 DESC"""
        return LedgerSummary(
            counts=counts,
            attempts=attempts,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            models=dict(self._rows(named)),
            outcomes=dict(self._rows(outcomes)),
            errors=dict(self._rows(errors)),
            batches=dict(self._rows("SELECT state, sum(n_requests) FROM batch GROUP BY 1 ORDER BY 1")),
        )

    def received_keys(self) -> Iterator[str]:
        """Yield the keys of requests with a reply; rows are not verified."""
        sql = """SELECT content, target.hash, trial, ask FROM request JOIN target ON target.id = request.target
            WHERE state = 'received'"""
        for content, target, trial, ask in self._rows(sql):
            yield key_of(content.hex(), target, trial, ask)

    def spent(self) -> dict[ComponentIdentifier, TokenCounts]:
        """Return the tokens spent by target; nothing is unmetered, and cached tokens count in full.

        Unknown tokens are estimated from the other replies, at first at 4 bytes each: those of replies without token
        counts or of another shape, of requests in open batches, and of requests that were in flight when a process was
        killed, each time.
        """
        self._settle()
        found: dict[ComponentIdentifier, TokenCounts] = {}
        for line, is_batch, prompt, completion in self._rows(_SPENT):
            counts = TokenCounts.of(math.ceil(prompt), math.ceil(completion), is_batch=bool(is_batch))
            found.setdefault(ComponentIdentifier.from_registry(json.loads(line)), TokenCounts()).add(counts)
        return found

    def expectations(self) -> dict[ComponentIdentifier, Expectation]:
        """Return what a request is expected to take by the replies so far, for each target that has some."""
        rows = self._rows(_EXPECTED)
        return {
            ComponentIdentifier.from_registry(json.loads(line)): Expectation(per_byte, completion, replies)
            for line, _, per_byte, completion, replies in rows
        }

    @property
    def _name(self) -> str:
        return ":memory:" if self.path is None else str(self.path)

    def _settle(self) -> None:
        """Wait until what the last replies said is committed; a reader has nothing to wait for."""

    def _served(self, where: str, values: Values = ()) -> Iterator[Served]:
        """Yield rows, after verifying their checksums."""
        for row in self._rows(f"{_ROWS} WHERE {where}", values):
            served, (checksum, number, identity, dialect, of_target) = row[:_N_SERVED], row[_N_SERVED:]
            self._check_target(served[0], identity, dialect, of_target)
            if row_checksum(*served) != checksum:
                raise damaged(self._name, f"the row of request {number} has been altered")
            yield Served(number, served, identity, dialect)

    def _check_target(self, name: Any, identity: Any, dialect: Any, checksum: Any) -> None:
        row = (name, identity, dialect, checksum)
        if row in self._whole_targets:
            return
        if target_checksum(name, identity, dialect) != checksum:
            raise damaged(self._name, "the row of a target has been altered")
        self._whole_targets.add(row)

    def _row(self, sql: str) -> Values:
        (row,) = self._rows(sql)
        return row

    def _rows(self, sql: str, values: Values = ()) -> Iterator[Values]:
        try:
            yield from self._reading.execute(sql, values)
        except SqliteProblem as problem:
            raise read_error(self._name, problem) from problem


@dataclass(frozen=True)
class Served:
    """A verified row."""

    id: int
    values: Values
    identity: str
    dialect: str

    @property
    def fixed(self) -> Values:
        """The columns of ``FIXED``."""
        return self.values[1 : 1 + len(FIXED)]

    @property
    def changing(self) -> Values:
        """The columns of ``CHANGING``."""
        return self.values[1 + len(FIXED) : -1]

    def entry(self) -> LedgerEntry:
        """Return the public form of the row."""
        content, trial, ask, question, request, planned_at = self.fixed
        target = self.values[0]
        return LedgerEntry(
            key=key_of(content.hex(), target, trial, ask),
            content=content.hex(),
            target=target,
            identity=json.loads(self.identity),
            trial=trial,
            ask=ask,
            question=question.hex(),
            request=json.loads(request),
            planned_at=planned_at,
            raw=self.values[-1],
            dialect=self.dialect,
            **dict(zip(CHANGING, self.changing, strict=True)),
        )
