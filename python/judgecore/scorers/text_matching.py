"""How a text is looked for in another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


class TextMatching(Protocol):
    """Tells whether a text holds another, in one way."""

    def is_match(self, *, target: str, text: str) -> bool:
        """Tell whether the text holds the target."""
        ...

    def to_json(self) -> dict[str, Any]:
        """Return what it is, as JSON values: all that can change its answer."""
        ...


@dataclass(frozen=True, kw_only=True)
class ExactTextMatching:
    """Looks for the target as it stands.

    Attributes:
        case_sensitive: Whether capitals matter.

    Examples:
        >>> from judgecore.scorers import ExactTextMatching
        >>> ExactTextMatching().is_match(target="Rain", text="it rains")
        True
    """

    case_sensitive: bool = False

    def is_match(self, *, target: str, text: str) -> bool:
        """Tell whether the text holds the target; an empty target is in no text."""
        if not target:
            return False
        return target in text if self.case_sensitive else target.casefold() in text.casefold()

    def to_json(self) -> dict[str, Any]:
        """Return what it is, as JSON values."""
        return {"matching": "exact", "case_sensitive": self.case_sensitive}


@dataclass(frozen=True, kw_only=True)
class ApproximateTextMatching:
    """Looks for enough of the target's n-grams of characters, so that small changes do not hide it.

    Attributes:
        threshold: The share of n-grams that must be in the text, from 0 to 1.
        n: How many characters an n-gram has, at least 1.
        case_sensitive: Whether capitals matter.

    Raises:
        ValueError: If the threshold or ``n`` is out of range.

    Examples:
        >>> from judgecore.scorers import ApproximateTextMatching
        >>> ApproximateTextMatching(threshold=0.6).is_match(target="open sesame", text="0pen sesame!")
        True
    """

    threshold: float = 0.5
    n: int = 3
    case_sensitive: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold lies between 0 and 1, not {self.threshold}")
        if self.n < 1:
            raise ValueError(f"n must be at least 1, not {self.n}")

    def is_match(self, *, target: str, text: str) -> bool:
        """Tell whether enough of the target is in the text; one shorter than ``n`` must be there whole."""
        return bool(target) and self.share(target=target, text=text) >= self.threshold

    def share(self, *, target: str, text: str) -> float:
        """Return the share of the target's n-grams that the text holds, from 0 to 1."""
        if not self.case_sensitive:
            target, text = target.casefold(), text.casefold()
        if len(target) < self.n:
            return float(bool(target) and target in text)
        wanted = {target[at : at + self.n] for at in range(len(target) - self.n + 1)}
        there = {text[at : at + self.n] for at in range(len(text) - self.n + 1)}
        return len(wanted & there) / len(wanted)

    def to_json(self) -> dict[str, Any]:
        """Return what it is, as JSON values."""
        return {
            "matching": "approximate",
            "threshold": float(self.threshold),
            "n": self.n,
            "case_sensitive": self.case_sensitive,
        }
