"""``BatchStore``: the batches of a provider's API in memory, with their faults."""

from __future__ import annotations

import json
import random
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from judgecore.server.chat import RejectedRequestError
from judgecore.server.tokens import PrefixCache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from judgecore.server.wire import HttpRequest, HttpResponse

BATCH_FAULTS = (
    "batch.reordered",
    "batch.partial",
    "batch.lost",
    "batch.duplicated",
    "batch.damaged",
    "batch.unreadable",
    "batch.invalid",
    "batch.expired",
    "batch.cancelled",
    "batch.failed",
    "batch.rejected",
    "batch.queue_full",
    "batch.unconfirmed",
    "batch.unavailable",
    "batch.gone",
)
"""The faults of batches; each is drawn for each batch by itself."""

BatchEnd: TypeAlias = Literal["ended", "expired", "cancelled", "failed"]
ResultKind: TypeAlias = Literal["answered", "errored", "expired", "cancelled", "invalid"]

# The last one counts.
_ENDS: tuple[BatchEnd, ...] = ("expired", "cancelled", "failed")
_CHECKS = 3
_SHARE = 4
_QUEUE = 24
_CUSTOM_ID_LENGTH = 64


# The answer to it is prose without a verdict.
_UNREADABLE = {"max_tokens": 64, "messages": [{"role": "user", "content": "Hello."}]}


class QueueFullError(RejectedRequestError):
    """A batch that does not fit into the queue beside those that run."""


@dataclass
class Batch:
    """A batch."""

    name: str
    n_requests: int
    created_at: float
    end: BatchEnd = "ended"
    faults: frozenset[str] = frozenset()
    about: dict[str, Any] = field(default_factory=dict[str, Any])
    results: list[bytes] = field(default_factory=list[bytes])
    failures: list[bytes] = field(default_factory=list[bytes])
    counts: dict[ResultKind, int] = field(default_factory=dict["ResultKind", int])
    checks: int = 0

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self.checks <= _CHECKS


class BatchStore(ABC):
    """The batches of one provider's API, in memory."""

    is_failed_by_one: ClassVar[bool]
    """Whether one invalid request fails a batch."""

    def __init__(self, rates: Mapping[str, float], seed: int, count: Callable[[str], None]) -> None:
        self.seed = seed
        self.batches: dict[str, Batch] = {}
        self.prefixes = PrefixCache()
        self._rates = rates
        self._count = count
        self._n_orders = 0

    @abstractmethod
    def answer(self, request: HttpRequest) -> tuple[HttpResponse, bool]:
        """Answer a request, and say whether the answer gets lost."""

    @abstractmethod
    def ask(self, question: Mapping[str, Any], name: str) -> HttpResponse:
        """Answer the question of a batch."""

    @abstractmethod
    def line(self, custom_id: str, kind: ResultKind, body: Any) -> bytes:
        """Write one line of the results; the body is that of an answer, otherwise None."""

    def make(self, prefix: str, questions: Sequence[tuple[str, Mapping[str, Any]]]) -> Batch:
        """Make a batch of questions with their custom ids, and answer them."""
        self._n_orders = number = self._n_orders + 1
        chance = random.Random(f"{self.seed}/{number}")  # noqa: S311 - faults keep no secret
        faults = frozenset(name for name in BATCH_FAULTS if chance.random() < self._rates.get(name, 0.0))
        if "batch.unavailable" in faults:
            raise RejectedRequestError("injected fault: unavailable", 503)
        if "batch.rejected" in faults:
            raise RejectedRequestError("injected fault: the batch is not accepted")
        queued = sum(one.n_requests for one in self.batches.values() if one.is_running)
        if "batch.queue_full" in faults and queued + len(questions) > _QUEUE:
            raise QueueFullError("injected fault: the queue is full", 429)
        ids = [custom_id for custom_id, _ in questions]
        if not ids or len(set(ids)) < len(ids) or not all(map(_is_custom_id, ids)):
            raise RejectedRequestError("a batch has requests, each with a custom_id of its own")
        batch = Batch(f"{prefix}{number}", len(ids), time.time(), faults=faults)
        for end in _ENDS:
            if f"batch.{end}" in faults:
                batch.end = end
        self.batches[batch.name] = batch
        self._run(batch, questions, chance)
        return batch

    def look(self, name: str) -> Batch:
        """Return a batch that a client asks for, which brings it nearer to its end; one may be gone by then."""
        batch = self.batches.get(name)
        if batch is not None:
            batch.checks += 1
            if batch.is_running or "batch.gone" not in batch.faults:
                return batch
        raise RejectedRequestError(f"no such object: {name}", 404)

    def listed(self) -> list[Batch]:
        """Return all batches, the latest first; so a client looks at each."""
        for batch in self.batches.values():
            batch.checks += 1
        return list(reversed(self.batches.values()))

    def cancel(self, name: str) -> Batch:
        """Cancel a batch that runs: every second request is not answered."""
        batch = self.look(name)
        if batch.is_running:
            batch.end = "cancelled"
            ids = [json.loads(line)["custom_id"] for line in batch.results]
            batch.failures += [self.line(one, "cancelled", None) for one in ids[1::2]]
            batch.results = batch.results[::2]
            batch.counts = {"answered": len(batch.results), "cancelled": len(batch.failures)}
        return batch

    def _run(self, batch: Batch, questions: Sequence[tuple[str, Mapping[str, Any]]], chance: random.Random) -> None:
        """Answer the questions of a batch, and write its results as its faults want them."""
        for place, (custom_id, question) in enumerate(questions):
            is_fourth = chance.randrange(_SHARE) == 0
            kind = self._kind(batch, place, is_fourth=is_fourth)
            batch.counts[kind] = batch.counts.get(kind, 0) + 1
            if kind != "answered":
                batch.failures.append(self.line(custom_id, kind, None))
                continue
            name = sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()
            self._count(name)
            if "batch.lost" in batch.faults and is_fourth:
                continue
            if "batch.unreadable" in batch.faults and is_fourth:
                question = _UNREADABLE  # noqa: PLW2901 - what is answered, not what is asked
            whole = self.line(custom_id, kind, json.loads(self.ask(question, name[:24]).body))
            is_damaged = "batch.damaged" in batch.faults and is_fourth
            batch.results.append(whole[: len(whole) // 2] if is_damaged else whole)
            if "batch.duplicated" in batch.faults and is_fourth:
                batch.results.append(whole)
        if "batch.reordered" in batch.faults:
            chance.shuffle(batch.results)

    def _kind(self, batch: Batch, place: int, *, is_fourth: bool) -> ResultKind:
        """Return what becomes of a request."""
        is_invalid = "batch.invalid" in batch.faults and (place == 0 or self.is_failed_by_one)
        if batch.end == "failed" or is_invalid:
            return "invalid"
        if batch.end in ("expired", "cancelled") and place % 2:
            return batch.end
        return "errored" if "batch.partial" in batch.faults and is_fourth else "answered"


def _is_custom_id(text: str) -> bool:
    return 1 <= len(text) <= _CUSTOM_ID_LENGTH and text.isascii() and text.replace("-", "").replace("_", "").isalnum()
