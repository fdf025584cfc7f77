"""The rows of a ledger: columns, checksums, and ``LedgerRow``, a row while its request is in flight."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

_CHECKSUM_BYTES = 16

FIXED: Final[tuple[str, ...]] = ("content", "trial", "ask", "question", "request", "planned_at")
"""The columns that never change."""

CHANGING: Final[tuple[str, ...]] = (
    "state",
    "attempts",
    "resent",
    "sent_at",
    "received_at",
    "error",
    "outcome",
    "prompt_tokens",
    "completion_tokens",
)
"""The columns that change, except for the reply."""

Values: TypeAlias = "tuple[Any, ...]"


def target_checksum(name: str, identity: str, dialect: str) -> bytes:
    """Return the checksum of a target's row."""
    return _begin((name, identity, dialect)).digest()


def row_checksum(*values: Any) -> bytes:
    """Return the checksum of a request's row, which covers everything that is read from it."""
    changing = 1 + len(FIXED)
    begun = _begin(values[:changing])
    begun.update(_spelled((*values[changing:-1], reply_hash(values[-1]))))
    return begun.digest()


def batch_checksum(*values: Any) -> bytes:
    """Return the checksum of a batch's row."""
    return _begin(values).digest()


def reply_hash(reply: object) -> bytes | None:
    """Return the hash of a reply, which is part of the row's checksum."""
    # A damaged file may hold any type instead of bytes.
    if reply is None:
        return None
    spelled = reply if isinstance(reply, bytes) else _spelled((reply,))
    return hashlib.blake2b(spelled, digest_size=_CHECKSUM_BYTES).digest()


class LedgerRow:
    """A row while its request is in flight; every change is written with the new checksum of the row."""

    __slots__ = ("__weakref__", "_begun", "_changing", "_reply_hash", "id")

    def __init__(
        self,
        number: int,
        target: str,
        fixed: Sequence[Any],
        changing: Sequence[Any] | None = None,
        reply: bytes | None = None,
    ) -> None:
        self.id = number
        self._begun = _begin((target, *fixed))
        new: dict[str, Any] = {**dict.fromkeys(CHANGING), "state": "planned", "attempts": 0, "resent": 0}
        self._changing: dict[str, Any] = new if changing is None else dict(zip(CHANGING, changing, strict=True))
        self._reply_hash = reply_hash(reply)

    def values(self) -> Values:
        """Return the columns of ``CHANGING``, and the checksum."""
        begun = self._begun.copy()
        changing = tuple(self._changing.values())
        begun.update(_spelled((*changing, self._reply_hash)))
        return (*changing, begun.digest())

    def send(self, now: float) -> dict[str, Any]:
        """Record that the request is sent; return the previous values, for ``restore``."""
        before = dict(self._changing)
        was_in_flight = before["state"] == "sent" and before["error"] is None
        self._changing.update(
            state="sent",
            attempts=before["attempts"] + 1,
            resent=before["resent"] + was_in_flight,
            sent_at=now,
            error=None,
        )
        return before

    def send_again(self, now: float) -> dict[str, Any]:
        """Record that the request is sent once more within the same delivery; return as ``send`` does."""
        before = dict(self._changing)
        self._changing.update(attempts=before["attempts"] + 1, sent_at=now)
        return before

    def restore(self, before: dict[str, Any]) -> None:
        """Record that nothing was sent after all."""
        self._changing = before

    def receive(self, reply: bytes, now: float) -> None:
        """Record that the reply was received."""
        self._reply_hash = reply_hash(reply)
        self._changing.update(state="received", received_at=now)

    def note(self, outcome: str, prompt_tokens: int | None, completion_tokens: int | None) -> None:
        """Record the outcome and the usage of the reply."""
        self._changing.update(outcome=outcome, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)

    def fail(self, error: str, raw: bytes | None) -> None:
        """Record that the request failed."""
        if raw is not None:
            self._reply_hash = reply_hash(raw)
        self._changing.update(state="sent", error=error)


def _begin(values: Values) -> hashlib.blake2b:
    return hashlib.blake2b(_spelled(values), digest_size=_CHECKSUM_BYTES)


def _spelled(values: Values) -> bytes:
    # ascii() and not repr(): which characters repr() escapes depends on the version of Python.
    return ascii(values).encode("ascii")
