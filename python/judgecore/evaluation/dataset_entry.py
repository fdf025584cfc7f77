"""The rows of a human-labelled data set: a response, its labels, and what it answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class MetricsType(StrEnum):
    """What the labels of a data set say, and so which metrics a scorer gets on it.

    Attributes:
        OBJECTIVE: Whether a response reaches an objective: true or false.
        HARM: How much of a quality a response has, from 0 to 1.
    """

    OBJECTIVE = "objective"
    HARM = "harm"


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanLabeledEntry:
    """One response with its human labels.

    Attributes:
        assistant_response: The response under test, without white space around it.
        human_scores: A label for each of the data set's raters, in their order; None where a rater gave none.
        objective: What the response was asked for; None where the data set does not say.
        data_type: What kind of data the response is; ``text`` unless the data set says otherwise.
        metadata: The row's other columns as text, to slice by.
        row: The row in its source, from 1, without header and comments.
    """

    assistant_response: str
    human_scores: tuple[float | None, ...]
    objective: str | None
    data_type: str = "text"
    metadata: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    row: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveHumanLabeledEntry(HumanLabeledEntry):
    """A response with labels for whether it achieves its objective.

    Attributes:
        human_scores: True or False for each rater; None for a missing label.
    """

    human_scores: tuple[bool | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HarmHumanLabeledEntry(HumanLabeledEntry):
    """A response with labels for how much of a quality it has.

    Attributes:
        human_scores: A number from 0 to 1 for each rater; None for a missing label.
        harm_category: The quality, such as ``violence``.
    """

    harm_category: str
    objective: str | None = None


def cell_of(entry: HumanLabeledEntry, column: str) -> str | None:
    """Return the text of an entry in a column, also of its metadata; None if there is none."""
    if column == "harm_category" and isinstance(entry, HarmHumanLabeledEntry):
        return entry.harm_category
    if column == "objective":
        return entry.objective
    return entry.data_type if column == "data_type" else entry.metadata.get(column)
