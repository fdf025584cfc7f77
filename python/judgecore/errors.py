"""The exceptions and warnings of judgecore.

JudgecoreError
├── EvaluationError (ValueError)             an evaluation's data or results that can't be used
├── DatasetError (ValueError)                a human-labelled data set that can't be loaded or evaluated on
├── ConfigurationError (ValueError)          a file that describes a scorer or a target and makes no sense
├── FormatError (ValueError)                 a format declaration that makes no sense
│   └── UnknownFormatError (LookupError)     a format name that nothing has
├── IdentityError (ValueError)               a component that can't be told from another that behaves otherwise
├── InvalidJsonException (ValueError)        a reply outside the contract of a score dictionary
├── RegistryError                            a registry that can't be read or written
├── LedgerError                              the ledger can't be read or written
│   ├── LedgerDamagedError                   it is not what was written
│   ├── LedgerLockedError                    another process writes it
│   ├── LedgerVersionError                   a newer judgecore wrote it
│   └── LedgerWriteError (OSError)           the disk is full, or the file may not be written
├── LogError (ValueError)                    another tool's log that can't be read
├── PromptError (ValueError)                 a template, a question or a scale that makes no sense
├── TableError (ValueError)                a table that can't be read or written
├── TargetError                              a judge was asked, and there is no reply of its own
│   ├── BudgetError                          the token limit is reached, so that nothing was sent
│   ├── CallableError                        the function that is the target raised
│   ├── MalformedReplyError (ValueError)     an answer of status 200 that is no reply
│   ├── NotRecordedError (LookupError)       a recording does not hold the request
│   ├── RequestError (ValueError)            the request can't be sent as it is
│   ├── StatusError                          the endpoint answered with an error
│   │   ├── AuthenticationError              401, 403
│   │   ├── BadRequestError                  400, 404, and all others that asking again would not mend
│   │   ├── QuotaError                       402, or 429 because the account is spent
│   │   ├── RateLimitError                   429
│   │   └── ServerError                      408, 409, 500 and above
│   └── TransportError                       no whole answer came back
│       ├── ConnectError                     there is no connection, or no secure one
│       ├── ConnectionLostError              the connection ended before the answer did
│       ├── DeadlineError (TimeoutError)     a time limit passed
│       ├── ProtocolError                    what came back is no HTTP
│       └── ReplyTooLargeError               the answer exceeds the limit of size
├── TextlessReplyError (ValueError)          text was demanded of a reply that has none of the judge's own
│   ├── CutReplyError                        it ran into its token limit
│   ├── FilteredReplyError                   the endpoint's content filter stopped it
│   ├── RefusedReplyError                    the judge declined
│   └── ToolCallReplyError                   it calls tools and says nothing
├── UndeterminedScoreError (ValueError)      a value was demanded of a score that has none
└── UnreadableReplyError (ValueError)        a value was demanded of a reply that can't be read

UserWarning
├── BlindPromptWarning                       a prompt that does not show the judge what it judges
├── FewerTrialsWarning                       metrics that were not kept, because the registry's rest on more trials
├── UnnamedCodeWarning                       a scorer for which the registry is not used, because its code has no name
└── UnusedQuestionWarning                    a question that no prompt puts to the judge
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "AuthenticationError",
    "BadRequestError",
    "BlindPromptWarning",
    "BudgetError",
    "CallableError",
    "ConfigurationError",
    "ConnectError",
    "ConnectionLostError",
    "CutReplyError",
    "DatasetError",
    "DeadlineError",
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
    "NotRecordedError",
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
    """The base of all exceptions that judgecore raises for its own reasons."""


class EvaluationError(JudgecoreError, ValueError):
    """An evaluation's data or results can't be used; the message names the file, the row and the cure."""


class DatasetError(JudgecoreError, ValueError):
    """A human-labelled data set can't be loaded or evaluated on; the message names rows, columns and cures.

    Attributes:
        problems: Everything that is wrong, each with its row and column.
    """

    problems: tuple[Any, ...] = ()


class ConfigurationError(JudgecoreError, ValueError):
    """A file that describes a scorer or a target makes no sense; the message names the file, the key and the cure."""


class FormatError(JudgecoreError, ValueError):
    """A format declaration makes no sense; the message names the file, the key and the cure."""


class UnknownFormatError(FormatError, LookupError):
    """No format has this name; the message names the nearest."""


class IdentityError(JudgecoreError, ValueError):
    """A component has no identity, because nothing tells it from another that behaves otherwise; the cure is named."""


class InvalidJsonException(JudgecoreError, ValueError):  # noqa: N818 - the name that callers of PyRIT know
    """A reply is outside the contract of a score dictionary, so that it should be asked for again.

    Args:
        message: What is wrong with the reply, by position or, as PyRIT spells it, by name.

    Attributes:
        message: The same.
        status_code: 500, as in PyRIT; nothing here depends on it.
    """

    status_code: int = 500

    def __init__(self, message: str = "Invalid JSON Response") -> None:
        super().__init__(message)
        self.message = message


class RegistryError(JudgecoreError):
    """A registry can't be read or written; the message names the file and the cure."""


class LedgerError(JudgecoreError):
    """The ledger can't be read or written; the message names the file and the cure."""


class LedgerDamagedError(LedgerError):
    """The file is damaged, or a row is not what was written; ``judgecore ledger export --salvage`` saves the rest."""


class LedgerLockedError(LedgerError):
    """Another process writes this ledger; readers are welcome, a second writer is not."""


class LedgerVersionError(LedgerError):
    """A newer judgecore wrote this ledger, with a schema that this one does not know."""


class LedgerWriteError(LedgerError, OSError):
    """The ledger could not be written: a full disk, a file or folder that is read-only. What it held is whole."""


class LogError(JudgecoreError, ValueError):
    """A log of another tool can't be read; the message names the file and the cure."""


class PromptError(JudgecoreError, ValueError):
    """A template, a question or a scale makes no sense; the message names the file, the key and the cure."""


class TableError(JudgecoreError, ValueError):
    """A table can't be read or written; the message names the file and the cure."""


class TargetError(JudgecoreError):
    """A judge was asked, and there is no reply of its own.

    Attributes:
        key: The request's key in the ledger; None without a ledger.
        attempts: How often the request was sent.
        raw: The bytes that came back, if any did; never in the message.
    """

    key: str | None = None
    attempts: int = 0
    raw: bytes | None = None


class BudgetError(TargetError):
    """The token limit is reached, so that nothing was sent; what was received is kept."""


class CallableError(TargetError):
    """The function that is the target raised; what it raised is the cause."""


class MalformedReplyError(TargetError, ValueError):
    """An answer of status 200 is no reply: no JSON, not in the endpoint's shape, or without a choice."""


class NotRecordedError(TargetError, LookupError):
    """A recording does not hold the request; nothing is made up in its place."""


class RequestError(TargetError, ValueError):
    """A request can't be sent as it is; the message names the part and the cure."""


class StatusError(TargetError):
    """The endpoint answered with an error.

    Attributes:
        status: The HTTP status.
        headers: The answer's headers; None where there was no answer.
        retry_after_s: How long the endpoint asks to wait, in seconds, as far as it can be understood.
    """

    status: int = 0
    headers: Mapping[str, str] | None = None
    retry_after_s: float | None = None


class AuthenticationError(StatusError):
    """The endpoint does not accept the key: 401 or 403. It is not asked again."""


class BadRequestError(StatusError):
    """The endpoint does not accept the request: 400, 404 and their like. It is not asked again."""


class QuotaError(StatusError):
    """The account is spent: 402, or 429 with that reason. It is not asked again."""


class RateLimitError(StatusError):
    """The endpoint had too many requests, or tokens: 429, on every attempt."""


class ServerError(StatusError):
    """The endpoint failed: 408, 409, 500 and above, on every attempt."""


class TransportError(TargetError):
    """No whole answer came back."""


class ConnectError(TransportError):
    """There is no connection to the endpoint, or no secure one.

    Attributes:
        is_final: Whether it would be the same the next time, as with a certificate that is not trusted.
    """

    is_final: bool = False


class ConnectionLostError(TransportError):
    """The connection ended before the answer did."""


class DeadlineError(TransportError, TimeoutError):
    """A time limit passed.

    Attributes:
        limit: Which one: ``connect``, ``read`` or ``total``.
    """

    limit: str = ""


class ProtocolError(TransportError):
    """What came back is no HTTP, or is encoded in a way that was not asked for."""


class ReplyTooLargeError(TransportError):
    """The answer exceeds the limit of size, as it came or unpacked."""


class TextlessReplyError(JudgecoreError, ValueError):
    """Text was demanded of a reply that has none of the judge's own, or not all of it."""


class CutReplyError(TextlessReplyError):
    """The reply ran into its token limit."""


class FilteredReplyError(TextlessReplyError):
    """The endpoint's content filter stopped the reply."""


class RefusedReplyError(TextlessReplyError):
    """The judge declined."""


class ToolCallReplyError(TextlessReplyError):
    """The reply calls tools and says nothing."""


class UndeterminedScoreError(JudgecoreError, ValueError):
    """A value was demanded of a score that has none; look at ``Score.is_undetermined`` first."""


class UnreadableReplyError(JudgecoreError, ValueError):
    """A value was demanded of a reply that can't be read.

    Attributes:
        reason: Why not, one of the reasons of ``Unreadable``.
    """

    reason: str = ""


class BlindPromptWarning(UserWarning):
    """A custom prompt has no slot for what is judged, so that the judge can't see it."""


class FewerTrialsWarning(UserWarning):
    """Metrics were not kept, because those that the registry has of the scorer rest on more trials.

    Attributes:
        metrics: The ``ScorerMetrics`` with their ``result``; where warnings are errors, nothing else has them.
    """

    metrics: Any


class UnnamedCodeWarning(UserWarning):
    """The registry was neither read nor written for a scorer, because nothing tells its code from other code."""


class UnusedQuestionWarning(UserWarning):
    """A question was given to a system prompt that does not put it to the judge."""
