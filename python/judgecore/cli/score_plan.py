"""Count the requests that a scoring run would send, without sending them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from judgecore.errors import TargetError
from judgecore.hashing import canonical_json
from judgecore.targets import LedgerReader

if TYPE_CHECKING:
    from pathlib import Path

    from judgecore.identity import ComponentIdentifier
    from judgecore.targets import JudgeReply, JudgeRequest, Target

# English has about four bytes for each token; judges' replies have about two hundred tokens.
BYTES_PER_TOKEN = 4
TOKENS_PER_REPLY = 200

_Name = tuple[str, str, int, int]


class NotAskedError(TargetError):
    """A request was counted, not sent."""


@dataclass
class Plan:
    """The requests that a run would send.

    Attributes:
        requests: The number of first requests; an unreadable reply may cause more.
        answered: How many of them the ledger already answers.
        prompt_tokens: The estimated prompt tokens of the requests to send.
        completion_tokens: The estimated completion tokens of the requests to send.
    """

    requests: int = 0
    answered: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    _known: set[_Name] = field(default_factory=set[_Name])
    _planned: set[_Name] = field(default_factory=set[_Name])

    @classmethod
    def for_ledger(cls, ledger: Path | None) -> Plan:
        """Make an empty plan that takes the replies in a ledger, if it exists, into account."""
        plan = cls()
        if ledger is not None and ledger.is_file():
            with LedgerReader(ledger) as reader:
                plan._known = {
                    (entry.content, entry.target, entry.trial, entry.ask) for entry in reader.entries("received")
                }
        return plan

    def add(self, request: JudgeRequest, payload: bytes, target: str) -> None:
        """Count a request; one equal to an earlier request is answered by the same reply."""
        name = (hashlib.sha256(payload).hexdigest(), target, request.trial, request.ask)
        self.requests += 1
        if name in self._known or name in self._planned:
            self.answered += 1
            return
        self._planned.add(name)
        self.prompt_tokens += len(payload) // BYTES_PER_TOKEN
        self.completion_tokens += min(request.max_tokens or TOKENS_PER_REPLY, TOKENS_PER_REPLY)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "requests": self.requests,
            "answered": self.answered,
            "to_send": self.requests - self.answered,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
        }


class PlannedTarget:
    """A target that counts requests instead of sending them."""

    def __init__(self, target: Target, plan: Plan) -> None:
        self._target = target
        self._plan = plan
        self._identity = target.get_identifier()

    async def send(self, request: JudgeRequest, /) -> JudgeReply:
        """Count a request.

        Raises:
            NotAskedError: Always.
        """
        pays = getattr(self._target, "payload", None)
        payload = canonical_json(request.to_json()) if pays is None else cast("bytes", pays(request))
        self._plan.add(request, payload, self._identity.hash)
        raise NotAskedError("counted, not sent")

    def get_identifier(self) -> ComponentIdentifier:
        """Return the target's identity."""
        return self._identity
