"""``ServedModel``: which model answered, where the endpoint says it, and from which place on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
