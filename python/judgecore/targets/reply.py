"""``JudgeReply``: a judge's reply, with its outcome; ``ServedModel``: which model answered."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias

from judgecore.errors import (
    CutReplyError,
    FilteredReplyError,
    RefusedReplyError,
    TextlessReplyError,
    ToolCallReplyError,
)
from judgecore.reading import Format, Reading, Unreadable, parse, score_logprobs, to_format
from judgecore.targets.prices import TokenCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from judgecore.reading import Mode


logger = logging.getLogger("judgecore")
logger.addHandler(logging.NullHandler())

ReplyOutcome = Literal["answered", "cut", "refused", "filtered", "tool_calls", "no_text"]
"""The outcomes of a reply."""

MOST: Final = (1 << 63) - 1
"""The largest integer that a ledger can store."""

SAID: Final = ("outcome", "finish_reason", "refusal", "model", "fingerprint", "logprobs")
"""What endpoints say of a reply beside its text."""

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
    """The tokens of a reply, according to the endpoint; None for a number that it does not report.

    Attributes:
        prompt_tokens: Tokens of the request, from 0 to 2^63 - 1.
        completion_tokens: Tokens of the reply, reasoning included; likewise.
        cached_tokens: How many of ``prompt_tokens`` the endpoint took from its cache, at most all of them; likewise.
        cache_write_tokens: How many of ``prompt_tokens`` it wrote to its cache at a price of their own; likewise.

    Raises:
        ValueError: If a number is out of range.
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
        """Make it from a mapping with these names; missing numbers are None.

        Args:
            counts: The numbers; other keys are ignored.
        """
        return cls(**{one.name: counts.get(one.name) for one in fields(cls)})

    @property
    def total_tokens(self) -> int:
        """The sum of prompt and completion tokens; an unknown number counts as 0."""
        return (self.prompt_tokens or 0) + (self.completion_tokens or 0)

    def counts(self, *, is_batch: bool = False) -> TokenCounts:
        """Return it as ``TokenCounts``, which can be added up.

        Args:
            is_batch: Whether the reply came in a batch.
        """
        prompt, completion = self.prompt_tokens or 0, self.completion_tokens or 0
        counts = TokenCounts.of(prompt, completion, is_batch=is_batch)
        counts.unmetered = int(self.prompt_tokens is None or self.completion_tokens is None)
        # Those that a batch takes from the cache cost at most as much as its others.
        cached = min(self.cached_tokens or 0, prompt)
        written = min(self.cache_write_tokens or 0, prompt - cached)
        if is_batch:
            counts.batch_cache_written = written
        else:
            counts.cached, counts.cache_written = cached, written
        return counts


@dataclass(frozen=True, kw_only=True)
class JudgeReply:
    """A judge's reply.

    Attributes:
        text: The text; None if there is none.
        outcome: ``answered``, or why the text is not a complete answer: ``cut`` (it reached its token limit),
            ``refused``, ``filtered``, ``tool_calls``, ``no_text``.
        finish_reason: The endpoint's finish reason.
        refusal: The judge's refusal, if the endpoint returns it separately.
        model: The name of the model that answered, according to the endpoint.
        fingerprint: The endpoint's name of the configuration that answered, such as OpenAI's ``system_fingerprint``.
        logprobs: An entry for each token, as in ``choices[0].logprobs.content``; None if not requested.
        usage: The token counts.
        raw: The raw response body.
        key: The request's key in the ledger; None without a ledger.
        attempts: The number of attempts; 0 for a replayed reply.
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
        """Return the text of a complete answer.

        Raises:
            TextlessReplyError: One of its subclasses, if the reply was cut off, refused or filtered, or has no text.
        """
        if self.outcome == "answered" and self.text is not None:
            return self.text
        kind, problem = _UNANSWERED.get(self.outcome, _UNANSWERED["no_text"])
        raise kind(f"{problem} (ledger key {self.key})" if self.key else problem)

    def read(
        self,
        format: Format | str,  # noqa: A002 - the contract's name
        *,
        mode: Mode = "lenient",
        material: Sequence[str] = (),
    ) -> Reading | Unreadable:
        """Read the text, and log a record if it is unreadable.

        Args:
            format: The requested format.
            mode: The mode, as in ``parse``.
            material: The texts that the judge was shown, as in ``parse``.

        Returns:
            The outcome of ``parse``; a refused or filtered reply is ``Unreadable("refused")``, one without text
            ``missing``, one cut off before its first word ``truncated``.
        """
        known = to_format(format)
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
        """Read the verdict from the token probabilities, and log a record if it is unreadable.

        Args:
            format: The requested format.
            min_mass: The minimum total probability of its labels, from 0 to 1.

        Returns:
            The outcome of ``score_logprobs``; ``missing`` if the endpoint returned no probabilities; as in ``read`` if
            the reply was refused, filtered, or cut off before the end of its verdict.
        """
        known = to_format(format)
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
            # Raises if the cause is the format or min_mass, which the caller has to correct.
            score_logprobs([], form, min_mass=min_mass)
            return Unreadable(
                "missing", f"the endpoint's probabilities of tokens make no sense: {problem}", format=form.id
            )

    def _unreadable(self, form: Format) -> Unreadable | None:
        """Return why there is no text to parse; None if there is one."""
        if self.outcome in ("refused", "filtered"):
            return Unreadable("refused", self.refusal or _UNANSWERED[self.outcome][1], format=form.id)
        if self.text is not None:
            return None
        if self.outcome == "cut":
            return Unreadable("truncated", "the reply was cut off before its first word", format=form.id)
        return Unreadable("missing", _UNANSWERED.get(self.outcome, _UNANSWERED["no_text"])[1], format=form.id)


def check_count(name: str, value: object, *, low: int = 0) -> None:
    """Check that a ledger can store a number."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= MOST:
        # A number of many thousand digits can't be shown.
        is_huge = isinstance(value, int) and value.bit_length() > _SHOWN_BITS
        shown = "one that is far beyond it" if is_huge else f"{value!r:.60}"
        raise ValueError(f"{name} must be a whole number from {'-2^63' if low else 0} to 2^63 - 1, not {shown}")


def described(reply: JudgeReply) -> dict[str, Any]:
    """Return what a reply has beside its text, as JSON values; ``SAID`` are the names that are not usage."""
    said = {name: getattr(reply, name) for name in SAID}
    logprobs = None if reply.logprobs is None else [dict(one) for one in reply.logprobs]
    return {**said, "logprobs": logprobs, **vars(reply.usage)}


def changed(reply: JudgeReply, **values: Any) -> JudgeReply:
    """Copy a reply with some attributes changed, in a fifth of the time of ``dataclasses.replace``."""
    copy = object.__new__(type(reply))
    copy.__dict__.update(reply.__dict__, **values)
    return copy


def log_unreadable(reason: str, *, format: str, key: str | None, raw: str | None = None) -> None:  # noqa: A002 - the contract's name
    """Log a record of an unreadable reply; at level DEBUG also its text."""
    logger.warning("unreadable reply: reason=%s format=%s key=%s", reason, format, key)
    if raw is not None and logger.isEnabledFor(logging.DEBUG):
        logger.debug("unreadable reply %s: %s", key, escaped(raw))


def escaped(text: str) -> str:
    """Escape non-printable characters, and truncate the text to 2 kB."""
    shown = text[:_RAW_IN_LOG]
    spelled = "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in shown)
    encoded = spelled.encode("utf-8", "backslashreplace")[:_RAW_IN_LOG]
    return encoded.decode("utf-8", "ignore")


ServedName: TypeAlias = tuple[str, str, "str | None"]
"""The model that was asked for, the model that answered, and its fingerprint."""

# An endpoint that names another model in each reply must not fill the memory.
MOST_SERVED = 100
_SHOWN_PLACES = 3


@dataclass
class ServedModel:
    """A model that answered, as the endpoint names it.

    Attributes:
        requested: The model that was asked for.
        model: The model that answered.
        fingerprint: The endpoint's ``system_fingerprint``; None if it gives none.
        replies: The number of its replies, replayed ones included.
        first: The place of its first reply, such as ``r.jsonl, line 5``; empty if unknown.
    """

    requested: str
    model: str
    fingerprint: str | None = None
    replies: int = 0
    first: str = ""

    @property
    def is_requested(self) -> bool:
        """Whether the names are the same but for a provider before, or a version or date behind.

        Examples:
            >>> [ServedModel("gpt-4o", name).is_requested for name in ("gpt-4o-2024-08-06", "openai/gpt-4o", "gpt-4")]
            [True, True, False]
        """
        requested, model = (name.lower().rpartition("/")[2] for name in (self.requested, self.model))
        return model == requested or model.startswith((f"{requested}-", f"{requested}@", f"{requested}:"))

    @property
    def name(self) -> str:
        """The model with its fingerprint."""
        return self.model if self.fingerprint is None else f"{self.model} ({self.fingerprint})"


def describe_served(served: Iterable[ServedModel]) -> list[str]:
    """Return what is notable about the models that answered, for people, a line for each requested model.

    Examples:
        >>> describe_served([ServedModel("m", "m-1", None, 7, "line 1"), ServedModel("m", "m-2", None, 2, "line 8")])
        ['model m changed during the run: m-1 from line 1 (7 replies), m-2 from line 8 (2 replies)']
        >>> describe_served([ServedModel("m", "n", None, 7)])
        ['model m was asked for, and n answered (7 replies)']
    """
    by_requested: dict[str, list[ServedModel]] = {}
    for one in served:
        by_requested.setdefault(one.requested, []).append(one)
    return [line for requested, models in by_requested.items() if (line := _describe(requested, models))]


def _describe(requested: str, models: Sequence[ServedModel]) -> str:
    if len(models) == 1:
        (one,) = models
        return "" if one.is_requested else f"model {requested} was asked for, and {one.name} answered {_count(one)}"
    said = [
        f"{one.name} from {one.first} {_count(one)}" if one.first else f"{one.name} {_count(one)}"
        for one in models[:_SHOWN_PLACES]
    ]
    more = f", and {len(models) - _SHOWN_PLACES} more" if len(models) > _SHOWN_PLACES else ""
    return f"model {requested} changed during the run: {', '.join(said)}{more}"


def _count(one: ServedModel) -> str:
    return f"({one.replies:,} {'reply' if one.replies == 1 else 'replies'})"
