"""``Score``: a scorer's verdict on one response, or that there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, TypeAlias

from judgecore.errors import UndeterminedScoreError
from judgecore.reading import Reading, Unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from judgecore.identity import ComponentIdentifier

ScoreType: TypeAlias = Literal["true_false", "float_scale"]
"""What a score's value is: true or false, or a number from 0 to 1."""

Metadata: TypeAlias = dict[str, str | int | float | bool]


class ScoreStatus(StrEnum):
    """Whether a score has a value; if not, whether the judge was asked."""

    COMPLETE = "complete"
    UNDETERMINED = "undetermined"
    NOT_ASKED = "not_asked"


@dataclass(frozen=True, kw_only=True)
class Score:
    """A scorer's verdict on one response: a value, or that it is undetermined.

    A score has no truth value, because ``if score`` would be true for a verdict of false.

    Attributes:
        score_type: ``true_false`` or ``float_scale``.
        score_value: "True" or "False", or a number from 0 to 1 in words; booleans and numbers are taken too. None if
            and only if the score is undetermined.
        status: ``complete`` with a value; without one ``undetermined``, or ``not_asked`` if the judge was not asked, so
            that scoring again completes it.
        score_rationale: The reasons, the judge's own where there is one.
        score_value_description: What the value means; "" where nobody said.
        score_category: What was judged.
        score_metadata: What else is known, such as a guard's ``violated_categories`` or a scale's ``level``.
        reading: What was read in the judge's last reply, or why nothing could be; None where no judge was asked.
        attempts: How often a judge was asked for it.
        ledger_key: The key of the judge's last reply in the ledger; None without a ledger.
        undetermined_reason: Why there is no value: a reason of ``Unreadable``, ``error`` (see ``error``), ``empty``
            (nothing to aggregate) or ``undecided`` (undetermined scores that matter); if the judge was not asked the
            cause, such as ``budget``; None where there is one.
        error: What was raised, where one failure cost this item; None else.
        objective: What the response was to achieve; None where nobody said.
        scorer_identifier: What gave the score; None for a scorer without an identity.
        parts: The scores that it was made of, in order.

    Raises:
        ValueError: If value, type and status do not fit each other.

    Examples:
        >>> from judgecore import Score
        >>> Score(score_type="true_false", score_value="TRUE").get_value()
        True
        >>> Score(score_type="float_scale", score_value=1.5)
        Traceback (most recent call last):
        ValueError: a float_scale score lies between 0 and 1, not 1.5
    """

    score_type: ScoreType
    score_value: str | None = None
    status: ScoreStatus = ScoreStatus.COMPLETE
    score_rationale: str = ""
    score_value_description: str = ""
    score_category: list[str] = field(default_factory=list[str])
    score_metadata: Metadata = field(default_factory=dict[str, "str | int | float | bool"])
    reading: Reading | Unreadable | None = None
    attempts: int = 0
    ledger_key: str | None = None
    undetermined_reason: str | None = None
    error: Exception | None = field(default=None, compare=False)
    objective: str | None = None
    scorer_identifier: ComponentIdentifier | None = field(default=None, repr=False)
    parts: tuple[Self, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if self.score_type not in ("true_false", "float_scale"):
            raise ValueError(f"score_type must be 'true_false' or 'float_scale', not {self.score_type!r}")
        object.__setattr__(self, "status", ScoreStatus(self.status))
        object.__setattr__(self, "score_value_description", self.score_value_description or "")
        object.__setattr__(self, "score_category", list(self.score_category or ()))
        object.__setattr__(self, "score_metadata", dict(self.score_metadata or {}))
        object.__setattr__(self, "parts", tuple(self.parts))
        if self.is_undetermined:
            if self.score_value is not None:
                raise ValueError(f"an undetermined score has no value, but this one has {self.score_value!r}")
            object.__setattr__(self, "undetermined_reason", self.undetermined_reason or "undecided")
            return
        if self.score_value is None:
            raise ValueError("a complete score has a value; for one without pass status='undetermined'")
        if self.undetermined_reason is not None:
            raise ValueError(f"a score with a value has no undetermined_reason, not {self.undetermined_reason!r}")
        object.__setattr__(self, "score_value", _settled(self.score_type, self.score_value))

    @property
    def is_undetermined(self) -> bool:
        """Whether there is no value."""
        return self.status is not ScoreStatus.COMPLETE

    @property
    def is_not_asked(self) -> bool:
        """Whether there is no value because the judge was not asked."""
        return self.status is ScoreStatus.NOT_ASKED

    def get_value(self) -> bool | float:
        """Return the value: a boolean, or a number from 0 to 1.

        Raises:
            UndeterminedScoreError: If there is none.
        """
        if self.score_value is None:
            why = self.undetermined_reason
            raise UndeterminedScoreError(f"this score is undetermined ({why}); look at is_undetermined first")
        return self.score_value == "True" if self.score_type == "true_false" else float(self.score_value)

    @classmethod
    def undetermined(
        cls, score_type: ScoreType, reason: str, *, status: ScoreStatus = ScoreStatus.UNDETERMINED, **attributes: Any
    ) -> Self:
        """Make a score without a value.

        Args:
            score_type: The type that the value would have.
            reason: Why there is none.
            status: ``undetermined`` or ``not_asked``.
            **attributes: Further attributes of the score.
        """
        return cls(score_type=score_type, status=status, undetermined_reason=reason, **attributes)

    def to_json(self) -> dict[str, Any]:
        """Return the score as JSON values; the reading with its rule and span, an error with its type."""
        return {
            "score_value": None if self.is_undetermined else self.get_value(),
            "score_type": self.score_type,
            "status": self.status.value,
            "undetermined_reason": self.undetermined_reason,
            "score_rationale": self.score_rationale,
            "score_value_description": self.score_value_description,
            "score_category": list(self.score_category),
            "score_metadata": dict(self.score_metadata),
            "reading": _reading_as_json(self.reading),
            "attempts": self.attempts,
            "ledger_key": self.ledger_key,
            "error": None if self.error is None else f"{type(self.error).__name__}: {self.error}",
            "objective": self.objective,
            "scorer_hash": None if self.scorer_identifier is None else self.scorer_identifier.hash,
            "parts": [part.to_json() for part in self.parts],
        }

    def __bool__(self) -> NoReturn:
        raise TypeError("a score has no truth value; use .get_value(), after .is_undetermined")


def _settled(score_type: ScoreType, value: object) -> str:
    """A value as the text that a score keeps."""
    if score_type == "true_false":
        words = str(value).strip().lower()
        if words not in ("true", "false") or not isinstance(value, str | bool):
            raise ValueError(f"a true_false score is true or false, not {value!r}")
        return words.capitalize()
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"a float_scale score is a number, not {value!r}")  # noqa: TRY004 - a value of a wrong kind is a wrong value, as in PyRIT
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise ValueError(f"a float_scale score is a number, not {value!r}") from None
    if math.isnan(number) or not 0 <= number <= 1:
        raise ValueError(f"a float_scale score lies between 0 and 1, not {value}")
    return repr(number)


def _reading_as_json(reading: Reading | Unreadable | None) -> dict[str, Any] | None:
    if reading is None:
        return None
    if isinstance(reading, Unreadable):
        return {"reason": reading.reason, "detail": reading.detail, "format": reading.format}
    return {
        "format": reading.format,
        "mode": reading.mode,
        "rule": reading.rule,
        "span": list(reading.span),
        "repairs": [repair.kind for repair in reading.repairs],
    }


def categories_of(scores: Sequence[Score]) -> list[str]:
    """Return the categories of several scores, each once, in order."""
    return list(dict.fromkeys(category for score in scores for category in score.score_category if category))


def metadata_of(scores: Sequence[Score]) -> Metadata:
    """Return what several scores know: an entry on which they agree, or that one alone has, under its own name."""
    agreed: Metadata = {}
    contradicted: set[str] = set()
    for score in scores:
        entries: Mapping[str, str | int | float | bool] = score.score_metadata
        for name, value in entries.items():
            if agreed.setdefault(name, value) != value:
                contradicted.add(name)
    return {name: value for name, value in agreed.items() if name not in contradicted}
