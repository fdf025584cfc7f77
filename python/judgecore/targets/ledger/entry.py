"""``LedgerEntry``: one row of a ledger."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from judgecore.errors import LedgerError
from judgecore.targets.dialect import read_reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judgecore.targets.reply import JudgeReply

EntryState: TypeAlias = Literal["planned", "sent", "received"]
"""How far a request has come."""

_SHOWN_OF_CONTENT, _SHOWN_OF_TARGET = 16, 8


@dataclass(frozen=True, kw_only=True)
class LedgerEntry:
    """One request of a ledger, with what was received.

    Attributes:
        key: Names the row in logs and errors: the beginnings of both hashes, trial and ask.
        content: SHA-256 of the request as it was sent, without credentials, in hex digits.
        target: The hash of the target's identity.
        identity: The target's identity, as a registry line has it.
        trial: Which of several independent askings it is.
        ask: How often it was asked before and not readably answered.
        question: ``JudgeRequest.hash``.
        request: ``JudgeRequest.to_json``.
        state: ``planned``, ``sent`` or ``received``.
        attempts: How often it was tried to send it; a try is kept before the request leaves.
        resent: How often it was tried again because a process had ended before the answer came.
        planned_at: When it was planned, in seconds since 1970; so are ``sent_at`` and ``received_at``.
        sent_at: When it was last sent; None if never.
        received_at: When the answer came; None without one.
        raw: The answer as it came; of a request that failed, what came instead of one, if anything did.
        error: What became of a request that failed; None if it did not.
        outcome: ``JudgeReply.outcome``; None without a reply.
        prompt_tokens: As the endpoint counts them.
        completion_tokens: As the endpoint counts them.
        dialect: The registered name of the target that reads ``raw``.
    """

    key: str
    content: str
    target: str
    identity: Mapping[str, Any] = field(repr=False)
    trial: int
    ask: int
    question: str
    request: Mapping[str, Any] = field(repr=False)
    state: EntryState
    attempts: int
    resent: int
    planned_at: float
    sent_at: float | None
    received_at: float | None
    raw: bytes | None = field(repr=False)
    error: str | None
    outcome: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    dialect: str

    def reply(self) -> JudgeReply:
        """Read the reply again, with this version's rules; nothing is sent.

        Raises:
            LedgerError: If nothing was received, or no registered target reads its dialect.
            MalformedReplyError: If what was received is no reply.
        """
        if self.state != "received" or self.raw is None:
            raise LedgerError(f"request {self.key} was {self.state}, and nothing was received for it")
        module = str(self.identity.get("class_module", ""))
        return read_reply(self.dialect, self.raw, key=self.key, module=module)

    def to_json(self) -> dict[str, Any]:
        """Return the line of an export, which ``RecordedTarget`` replays; bytes that are no text are in base64."""
        line: dict[str, Any] = {
            "key": self.key,
            "content": self.content,
            "target": self.target,
            "identity": dict(self.identity),
            "request_hash": self.question,
            "trial": self.trial,
            "ask": self.ask,
            "state": self.state,
            "attempts": self.attempts,
            "resent": self.resent,
            "planned_at": self.planned_at,
            "sent_at": self.sent_at,
            "received_at": self.received_at,
            "request": dict(self.request),
            "error": self.error,
        }
        if self.state == "received":
            reply = self.reply()
            line |= {
                "reply": reply.text,
                "outcome": reply.outcome,
                "finish_reason": reply.finish_reason,
                "refusal": reply.refusal,
                "model": reply.model,
                "logprobs": reply.logprobs,
                **vars(reply.usage),
            }
        elif self.raw is not None:
            try:
                line["raw"] = self.raw.decode()
            except UnicodeDecodeError:
                line["raw_base64"] = base64.b64encode(self.raw).decode("ascii")
        return line


def key_of(content: str, target: str, trial: int, ask: int) -> str:
    """Name a row for people.

    Examples:
        >>> key_of("ab" * 32, "cd" * 32, 0, 1)
        'abababababababab.cdcdcdcd.0.1'
    """
    return f"{content[:_SHOWN_OF_CONTENT]}.{target[:_SHOWN_OF_TARGET]}.{trial}.{ask}"
