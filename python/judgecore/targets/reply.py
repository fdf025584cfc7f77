"""``JudgeReply``: what came back from a judge, and what became of it."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from judgecore.errors import (
    CutReplyError,
    FilteredReplyError,
    RefusedReplyError,
    TextlessReplyError,
    ToolCallReplyError,
)
from judgecore.reading import Format, Reading, Unreadable, parse, score_logprobs
from judgecore.targets.prices import TokenCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

logger = logging.getLogger("judgecore")
logger.addHandler(logging.NullHandler())

ReplyOutcome = Literal["answered", "cut", "refused", "filtered", "tool_calls", "no_text"]
"""What became of a request that was answered."""

MOST: Final = (1 << 63) - 1
"""The largest number that a ledger keeps."""

_RAW_IN_LOG = 2048
_SHOWN_BITS = 128

_UNANSWERED: dict[str, tuple[type[TextlessReplyError], str]] = {
    "cut": (CutReplyError, "the reply ran into its token limit; raise max_tokens"),
    "refused": (RefusedReplyError, "the judge declined"),
    "filtered": (FilteredReplyError, "the endpoint's content filter stopped the reply"),
    "tool_calls": (ToolCallReplyError, "the reply calls tools and says nothing"),
    "no_text": (TextlessReplyError, "the reply has no text"),
}


@dataclass(frozen=True)
class TokenUsage:
    """What a reply cost, as the endpoint counts it; None where it says nothing.

    Attributes:
        prompt_tokens: Tokens of the request, from 0 to 2^63 - 1.
        completion_tokens: Tokens of the reply, reasoning included; likewise.
        cached_tokens: How many of ``prompt_tokens`` the endpoint took from its cache, at most all of them; likewise.
        cache_write_tokens: How many of ``prompt_tokens`` it wrote to its cache at a price of their own; likewise.
        total_tokens: Both together; what is not known counts as 0.

    Raises:
        ValueError: If a number is none of those.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None

    def __post_init__(self) -> None:
        for name, count in vars(self).items():
            if count is not None:
                check_count(name, count)

    @classmethod
    def from_mapping(cls, counts: Mapping[str, Any]) -> Self:
        """Take the numbers from a mapping that has them by name; what it lacks is None.

        Args:
            counts: The numbers; other keys are passed over.
        """
        return cls(**{one.name: counts.get(one.name) for one in fields(cls)})

    @property
    def total_tokens(self) -> int:
        """Both together; what is not known counts as 0."""
        return (self.prompt_tokens or 0) + (self.completion_tokens or 0)

    def counts(self, *, is_batch: bool = False) -> TokenCounts:
        """Return it as counts, to which others can be added.

        Args:
            is_batch: Whether the reply came in a batch.
        """
        prompt, completion = self.prompt_tokens or 0, self.completion_tokens or 0
        unmetered = int(self.prompt_tokens is None or self.completion_tokens is None)
        if is_batch:
            return TokenCounts(batch_prompt=prompt, batch_completion=completion, unmetered=unmetered)
        cached = min(self.cached_tokens or 0, prompt)
        written = min(self.cache_write_tokens or 0, prompt - cached)
        return TokenCounts(
            prompt=prompt, completion=completion, cached=cached, cache_written=written, unmetered=unmetered
        )


@dataclass(frozen=True, kw_only=True)
class JudgeReply:
    """What a judge replied.

    Attributes:
        text: The judge's words; None where there are none.
        outcome: ``answered``, or why the text is not the judge's whole answer: ``cut`` (it ran into its token limit),
            ``refused``, ``filtered``, ``tool_calls``, ``no_text``.
        cut: Whether the reply is known to be cut off, as ``parse`` takes it.
        finish_reason: The endpoint's own word for how the reply ended.
        refusal: The judge's words for declining, where the endpoint keeps them apart.
        model: The model that answered, as the endpoint names it.
        fingerprint: What the endpoint calls the configuration that answered, OpenAI's ``system_fingerprint``.
        logprobs: An entry for each token, in the shape of ``choices[0].logprobs.content``; None if not asked for.
        usage: The tokens.
        raw: The bytes as they came.
        key: The request's key in the ledger; None without a ledger.
        attempts: How often the request was sent for it; 0 for a reply that was replayed.
    """

    text: str | None
    outcome: ReplyOutcome = "answered"
    finish_reason: str | None = None
    refusal: str | None = None
    model: str | None = None
    fingerprint: str | None = None
    logprobs: Sequence[Mapping[str, Any]] | None = field(default=None, repr=False)
    usage: TokenUsage = field(default_factory=TokenUsage)
    raw: bytes = field(default=b"", repr=False)
    key: str | None = None
    attempts: int = field(default=1, compare=False)

    @property
    def cut(self) -> bool:
        """Whether the reply is known to be cut off, as ``parse`` takes it."""
        return self.outcome == "cut"

    def unwrap(self) -> str:
        """Return the text of a whole answer.

        Raises:
            TextlessReplyError: In one of its kinds, if the reply was cut off, refused, filtered, or has no text.
        """
        if self.outcome == "answered" and self.text is not None:
            return self.text
        kind, problem = _UNANSWERED.get(self.outcome, _UNANSWERED["no_text"])
        raise kind(f"{problem} (ledger key {self.key})" if self.key else problem)

    def read(
        self,
        format: Format | str,  # noqa: A002 - the contract's name
        *,
        mode: Literal["lenient", "strict", "paper"] = "lenient",
        material: Sequence[str] = (),
    ) -> Reading | Unreadable:
        """Read the text, and log one record if it can't be read.

        Args:
            format: What the judge was asked to answer.
            mode: How to read, as in ``parse``.
            material: The texts that the judge was shown, as in ``parse``.

        Returns:
            The outcome of ``parse``; a refused or filtered reply is ``Unreadable("refused")``, one without text
            ``missing``, one cut off before its first word ``truncated``.
        """
        known = Format.get(format) if isinstance(format, str) else format
        outcome = self._unreadable(known)
        if outcome is None:
            outcome = parse(self.text, known, mode=mode, cut=self.cut, material=material)
        if isinstance(outcome, Unreadable):
            log_unreadable(outcome.reason, format=known.id, key=self.key, raw=self.text)
        return outcome

    def read_logprobs(
        self,
        format: Format | str,  # noqa: A002 - the contract's name
        *,
        min_mass: float = 0.5,
    ) -> Reading | Unreadable:
        """Read the verdict from the probabilities of its tokens, and log one record if it can't be read.

        Args:
            format: What the judge was asked to answer.
            min_mass: How much probability must stand on its labels, from 0 to 1.

        Returns:
            The outcome of ``score_logprobs``; ``missing`` where the endpoint sent no probabilities, and as in ``read``
            where the reply was refused, filtered, or cut off before its verdict was whole.
        """
        known = Format.get(format) if isinstance(format, str) else format
        outcome = self._unreadable(known)
        if outcome is None and self.logprobs is None:
            outcome = Unreadable("missing", "the endpoint sent no probabilities of tokens", format=known.id)
        if outcome is None and self.cut and not known.first_token:
            cut = parse(self.text, known, cut=True)
            outcome = cut if isinstance(cut, Unreadable) else None
        if outcome is None:
            outcome = self._scored(known, min_mass)
        if isinstance(outcome, Unreadable):
            log_unreadable(outcome.reason, format=known.id, key=self.key, raw=self.text)
        return outcome

    def _scored(self, form: Format, min_mass: float) -> Reading | Unreadable:
        try:
            return score_logprobs(self.logprobs, form, min_mass=min_mass)
        except (TypeError, ValueError) as problem:
            # What is wrong with the format or min_mass is the caller's, and is raised.
            score_logprobs([], form, min_mass=min_mass)
            return Unreadable(
                "missing", f"the endpoint's probabilities of tokens make no sense: {problem}", format=form.id
            )

    def _unreadable(self, form: Format) -> Unreadable | None:
        """Why there is nothing to parse, if there isn't."""
        if self.outcome in ("refused", "filtered"):
            return Unreadable("refused", self.refusal or _UNANSWERED[self.outcome][1], format=form.id)
        if self.text is not None:
            return None
        if self.outcome == "cut":
            return Unreadable("truncated", "the reply was cut off before its first word", format=form.id)
        return Unreadable("missing", _UNANSWERED.get(self.outcome, _UNANSWERED["no_text"])[1], format=form.id)


def check_count(name: str, value: object, *, low: int = 0) -> None:
    """See that a number is one that a ledger keeps.

    Args:
        name: What the number is of.
        value: The number.
        low: The least that it may be.

    Raises:
        ValueError: If it is no whole number from ``low`` to 2^63 - 1.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= MOST:
        # A number of many thousand digits can't be shown.
        is_huge = isinstance(value, int) and value.bit_length() > _SHOWN_BITS
        shown = "one that is far beyond it" if is_huge else f"{value!r:.60}"
        raise ValueError(f"{name} must be a whole number from {'-2^63' if low else 0} to 2^63 - 1, not {shown}")


def changed(reply: JudgeReply, **values: Any) -> JudgeReply:
    """Copy a reply with some attributes changed, for a fifth of what ``dataclasses.replace`` takes.

    Args:
        reply: What to copy.
        values: The attributes that differ.
    """
    copy = object.__new__(type(reply))
    copy.__dict__.update(reply.__dict__, **values)
    return copy


def log_unreadable(reason: str, *, format: str, key: str | None, raw: str | None = None) -> None:  # noqa: A002 - the contract's name
    """Log one record of a reply that can't be read, and its text where the level is DEBUG.

    Args:
        reason: Why not.
        format: The id of what the judge was asked to answer, or the name of what read it.
        key: The ledger's key; None without a ledger.
        raw: The reply, which is logged at DEBUG alone: 2 kB of it, with control characters escaped.
    """
    logger.warning("unreadable reply: reason=%s format=%s key=%s", reason, format, key)
    if raw is not None and logger.isEnabledFor(logging.DEBUG):
        logger.debug("unreadable reply %s: %s", key, escaped(raw))


def escaped(text: str) -> str:
    """Spell out what is not printable, and cut the text at 2 kB."""
    shown = text[:_RAW_IN_LOG]
    spelled = "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in shown)
    encoded = spelled.encode("utf-8", "backslashreplace")[:_RAW_IN_LOG]
    return encoded.decode("utf-8", "ignore")
