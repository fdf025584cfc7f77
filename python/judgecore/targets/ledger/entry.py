"""``LedgerEntry``: one row of a ledger."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from judgecore.errors import LedgerError
from judgecore.targets.dialect import read_reply
from judgecore.targets.reply import described

if TYPE_CHECKING:
    from collections.abc import Mapping

    from judgecore.targets.reply import JudgeReply

EntryState: TypeAlias = Literal["planned", "sent", "received"]
"""The states of a request."""

_SHOWN_OF_CONTENT, _SHOWN_OF_TARGET = 16, 8
_COUNTED = ("trial", "ask", "state", "attempts", "resent", "planned_at", "sent_at", "received_at")


@dataclass(frozen=True, kw_only=True)
class LedgerEntry:
    """A request in a ledger, with its reply.

    Attributes:
        key: The name of the row in logs and errors: the beginnings of both hashes, trial and ask.
        content: SHA-256 of the request as it was sent, without credentials, in hex digits.
        target: The hash of the target's identity.
        identity: The target's identity, as in a registry.
        trial: The number of the independent judgement.
        ask: The number of earlier requests whose replies were unreadable.
        question: ``JudgeRequest.hash``.
        request: ``JudgeRequest.to_json``.
        state: ``planned``, ``sent`` or ``received``.
        attempts: The number of attempts to send it; each is recorded before the request is sent.
        resent: The number of attempts that were repeated because a process ended before the reply was received.
        planned_at: When it was planned, in seconds since 1970, as all times here.
        sent_at: When it was last sent; None if never.
        received_at: When the reply was received; None without one.
        raw: The raw reply; for a failed request the raw response, if there was one.
        error: The error of a failed request; None for others.
        outcome: ``JudgeReply.outcome``; None without a reply.
        prompt_tokens: The input tokens, according to the endpoint.
        completion_tokens: The output tokens, according to the endpoint.
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
        """Parse the stored reply again; nothing is sent.

        Raises:
            LedgerError: If no reply was received, or no registered target has its dialect.
            MalformedReplyError: If the raw reply is invalid.
        """
        if self.state != "received" or self.raw is None:
            raise LedgerError(f"request {self.key} was {self.state}, and nothing was received for it")
        module = str(self.identity.get("class_module", ""))
        return read_reply(self.dialect, self.raw, key=self.key, module=module)

    def to_json(self) -> dict[str, Any]:
        """Return the line of an export, for ``RecordedTarget``; raw bytes that are not UTF-8 are in base64."""
        line: dict[str, Any] = {
            "key": self.key,
            "content": self.content,
            "target": self.target,
            "identity": dict(self.identity),
            "request_hash": self.question,
            **{name: getattr(self, name) for name in _COUNTED},
            "request": dict(self.request),
            "error": self.error,
        }
        if self.state == "received":
            reply = self.reply()
            line |= {"reply": reply.text, **described(reply)}
        elif self.raw is not None:
            try:
                line["raw"] = self.raw.decode()
            except UnicodeDecodeError:
                line["raw_base64"] = base64.b64encode(self.raw).decode("ascii")
        return line


def key_of(content: str, target: str, trial: int, ask: int) -> str:
    """Return the short name of a row.

    Examples:
        >>> key_of("ab" * 32, "cd" * 32, 0, 1)
        'abababababababab.cdcdcdcd.0.1'
    """
    return f"{content[:_SHOWN_OF_CONTENT]}.{target[:_SHOWN_OF_TARGET]}.{trial}.{ask}"
