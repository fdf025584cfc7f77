"""The exceptions and warnings of judgecore.

All exceptions are kinds of ``JudgecoreError``, and all warnings kinds of ``UserWarning``; ``python -m pydoc
judgecore.errors`` shows the hierarchy.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


__all__ = [
    "AuthenticationError",
    "BadRequestError",
    "BatchError",
    "BlindPromptWarning",
    "BudgetError",
    "CallableError",
    "ColumnsNeededError",
    "ConfigurationError",
    "ConnectError",
    "ConnectionLostError",
    "CutReplyError",
    "DatasetError",
    "DeadlineError",
    "EndpointDownError",
    "EvaluationError",
    "FewerTrialsWarning",
    "FilteredReplyError",
    "FormatError",
    "IdentityError",
    "InvalidJsonException",
    "JudgecoreError",
    "LedgerDamagedError",
    "LedgerError",
    "LedgerLockedError",
    "LedgerVersionError",
    "LedgerWriteError",
    "LogError",
    "MalformedReplyError",
    "MissingSlotError",
    "NotAskedError",
    "NotRecordedError",
    "PendingReplyError",
    "PromptError",
    "ProtocolError",
    "QuotaError",
    "RateLimitError",
    "RefusedReplyError",
    "RegistryError",
    "ReplyTooLargeError",
    "RequestError",
    "ServerError",
    "StatusError",
    "TableError",
    "TargetError",
    "TextlessReplyError",
    "ToolCallReplyError",
    "TransportError",
    "UndeterminedScoreError",
    "UnknownFormatError",
    "UnnamedCodeWarning",
    "UnreadableReplyError",
    "UnusedQuestionWarning",
]


class JudgecoreError(Exception):
    """The base class of judgecore's exceptions."""


class EvaluationError(JudgecoreError, ValueError):
    """An evaluation's data or results are invalid; the message names the file, the row and the fix."""


class DatasetError(JudgecoreError, ValueError):
    """A human-labelled data set is invalid; the message names rows, columns and fixes.

    Attributes:
        problems: All problems, each with its row and column.
    """

    problems: tuple[Any, ...] = ()


class ColumnsNeededError(DatasetError):
    """A table's columns must be named before it can be evaluated; the message describes them and suggests names.

    Attributes:
        source: The table's name.
        columns: What each column holds, by name.
        missing: The keywords that must be given.
        suggested: A guess for each keyword.
    """

    source: str = ""
    columns: Mapping[str, str] = MappingProxyType({})
    missing: tuple[str, ...] = ()
    suggested: Mapping[str, Any] = MappingProxyType({})

    def say(self, name_option: Callable[[str, Any], str]) -> str:
        """Write the message in the words of a door.

        Args:
            name_option: Writes a keyword with a value, or without one if the value is None.

        Returns:
            Lines: what is wrong, the columns, what is missing, and a suggestion.
        """
        lines = [f"{self.source}: {one}" for one in self.problems]
        if self.missing:
            lines.append(f"{self.source}: missing {', '.join(name_option(name, None) for name in self.missing)}")
        width = max(map(len, self.columns), default=0)
        lines.append("the columns are")
        lines += [f"  {name:<{width}}  {about}" for name, about in self.columns.items()]
        if self.suggested:
            said = (name_option(name, value) for name, value in self.suggested.items())
            lines.append(f"perhaps: {' '.join(said)}")
        if "scale" in self.missing:
            lines.append("the scale goes from the lowest to the highest rating that raters could give")
        return "\n".join(lines)

    def __str__(self) -> str:
        """Write the message in Python's words."""
        return self.say(lambda name, value: f"{name}=" if value is None else f"{name}={value!r},")


class ConfigurationError(JudgecoreError, ValueError):
    """A file that describes a scorer or a target is invalid; the message names the file, the key and the fix."""


class FormatError(JudgecoreError, ValueError):
    """A format declaration is invalid; the message names the file, the key and the fix."""


class UnknownFormatError(FormatError, LookupError):
    """No format has this name; the message suggests the nearest one."""


class IdentityError(JudgecoreError, ValueError):
    """A component has no identity, because another component could have the same name; the message names the fix."""


class InvalidJsonException(JudgecoreError, ValueError):  # noqa: N818 - the name that callers of PyRIT know
    """A reply violates the contract of a score dictionary, so the judge should be asked again.

    Args:
        message: What is wrong with the reply; may be passed by name, as in PyRIT.

    Attributes:
        message: What is wrong with the reply.
        status_code: 500, as in PyRIT; judgecore does not use it.
    """

    status_code: int = 500

    def __init__(self, message: str = "Invalid JSON Response") -> None:
        super().__init__(message)
        self.message = message


class RegistryError(JudgecoreError):
    """A registry can't be read or written; the message names the file and the fix."""


class LedgerError(JudgecoreError):
    """A ledger can't be read or written; the message names the file and the fix."""


class LedgerDamagedError(LedgerError):
    """A ledger's file or row is damaged; ``judgecore ledger export --salvage`` exports the intact rows."""


class LedgerLockedError(LedgerError):
    """Another process is writing this ledger; many processes may read it, but only one may write."""


class LedgerVersionError(LedgerError):
    """A newer judgecore wrote this ledger, with a schema unknown to this version."""


class LedgerWriteError(LedgerError, OSError):
    """A ledger can't be written: the disk is full, or the file or folder is read-only. Its content is intact."""


class LogError(JudgecoreError, ValueError):
    """A log of another tool can't be read; the message names the file and the fix."""


class PromptError(JudgecoreError, ValueError):
    """A template, a question or a scale is invalid; the message names the file, the key and the fix."""


class MissingSlotError(PromptError):
    """A response lacks a value that a prompt shows.

    Attributes:
        slots: The names that it lacks.
        known: The names that it has.
    """

    slots: tuple[str, ...] = ()
    known: tuple[str, ...] = ()


class TableError(JudgecoreError, ValueError):
    """A table can't be read or written; the message names the file and the fix."""


class TargetError(JudgecoreError):
    """A judge was asked, and there is no reply.

    Attributes:
        key: The request's key in the ledger; None without a ledger.
        attempts: How often the request was sent.
        raw: The received bytes, if any; never part of the message.
    """

    key: str | None = None
    attempts: int = 0
    raw: bytes | None = None


class NotAskedError(TargetError):
    """The request was not sent, and may be sent later; a score that needs it has the status ``not_asked``.

    Attributes:
        reason: Why it was not sent, in one word.
    """

    reason: str = "not_asked"


class BudgetError(NotAskedError):
    """The budget is reached, so nothing was sent; received replies are kept."""

    reason = "budget"


class EndpointDownError(NotAskedError):
    """The endpoint was given up by its circuit breaker: it did not answer, and probes found no change."""

    reason = "endpoint_down"


class CallableError(TargetError):
    """A target's function raised an exception, which is the ``__cause__``."""


class MalformedReplyError(TargetError, ValueError):
    """A response with status 200 is not a valid reply: not JSON, not in the endpoint's schema, or without a choice."""


class NotRecordedError(TargetError, LookupError):
    """A recording does not hold the request."""


class BatchError(TargetError):
    """A batch failed, expired or was cancelled, or has no reply to the request."""


class PendingReplyError(TargetError):
    """Requests wait for a batch, or for the replies of one.

    Attributes:
        counts: What the run did and what is left, by name; empty for a single request.
    """

    counts: Mapping[str, int | str] = MappingProxyType({})


class RequestError(TargetError, ValueError):
    """A request is invalid; the message names the part and the fix."""


class StatusError(TargetError):
    """The endpoint responded with an error.

    Attributes:
        status: The HTTP status.
        headers: The response's headers; None if there was no response.
        retry_after_s: How long the endpoint asks to wait, in seconds; None if not given or not understood.
    """

    status: int = 0
    headers: Mapping[str, str] | None = None
    retry_after_s: float | None = None


class AuthenticationError(StatusError):
    """The endpoint does not accept the key: 401 or 403. The request is not retried."""


class BadRequestError(StatusError):
    """The endpoint does not accept the request: 400, 404 and similar. The request is not retried."""


class QuotaError(StatusError):
    """The account's quota is used up: 402, or 429 with that reason. The request is not retried."""


class RateLimitError(StatusError):
    """The endpoint's rate limit was exceeded on every attempt: 429."""


class ServerError(StatusError):
    """The endpoint failed on every attempt: 408, 409, 500 and above."""


class TransportError(TargetError):
    """No complete response was received."""


class ConnectError(TransportError):
    """No connection to the endpoint, or no secure one, could be made.

    Attributes:
        is_final: Whether a retry would fail as well, for example because of an untrusted certificate.
    """

    is_final: bool = False


class ConnectionLostError(TransportError):
    """The connection was lost before the response ended."""


class DeadlineError(TransportError, TimeoutError):
    """A timeout expired.

    Attributes:
        limit: Which timeout: ``connect``, ``read`` or ``total``.
    """

    limit: str = ""


class ProtocolError(TransportError):
    """The response is not valid HTTP, or has a content encoding that was not requested."""


class ReplyTooLargeError(TransportError):
    """The response exceeds the size limit, before or after decompression."""


class TextlessReplyError(JudgecoreError, ValueError):
    """The text of a reply was accessed that has no text, or not its complete text."""


class CutReplyError(TextlessReplyError):
    """The reply reached its token limit."""


class FilteredReplyError(TextlessReplyError):
    """The endpoint's content filter stopped the reply."""


class RefusedReplyError(TextlessReplyError):
    """The judge refused."""


class ToolCallReplyError(TextlessReplyError):
    """The reply contains tool calls and no text."""


class UndeterminedScoreError(JudgecoreError, ValueError):
    """The value of an undetermined score was accessed; check ``Score.is_undetermined`` first."""


class UnreadableReplyError(JudgecoreError, ValueError):
    """The value of an unreadable reply was accessed.

    Attributes:
        reason: Why it is unreadable, one of the reasons of ``Unreadable``.
    """

    reason: str = ""


class BlindPromptWarning(UserWarning):
    """A custom prompt has no slot for what is judged, so the judge can't see it."""


class FewerTrialsWarning(UserWarning):
    """Metrics were not stored, because the registry's metrics of the scorer have more trials.

    Attributes:
        metrics: The ``ScorerMetrics`` with their ``result``, available even if warnings are raised as errors.
    """

    metrics: Any


class UnnamedCodeWarning(UserWarning):
    """The registry was not used for a scorer, because its code has no unambiguous name."""


class UnusedQuestionWarning(UserWarning):
    """A question was given, but the system prompt does not contain it."""
