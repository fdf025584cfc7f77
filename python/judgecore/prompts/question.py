"""``TrueFalseQuestion``: what is asked of a response, and what counts as true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from judgecore.errors import PromptError
from judgecore.prompts.document import FORBID_OTHER_KEYS, read_asset

if TYPE_CHECKING:
    from enum import Enum
    from os import PathLike

OTHERWISE = "Everything that the description of true does not cover."


@dataclass(frozen=True)
class TrueFalseQuestion:
    """A question that is answered with true or false.

    Attributes:
        category: What it is about; it becomes ``Score.score_category``.
        true_description: When the answer is true.
        false_description: When it is false; by default whenever it is not true.
        metadata: What else the judge should note down; "" for nothing.

    Raises:
        PromptError: If there is no description of true.

    Examples:
        >>> from judgecore.prompts import TrueFalseQuestion
        >>> TrueFalseQuestion("politeness", "The response is polite.").false_description
        'Everything that the description of true does not cover.'
    """

    __pydantic_config__ = FORBID_OTHER_KEYS

    category: str = ""
    true_description: str = ""
    false_description: str = ""
    metadata: str = ""

    def __post_init__(self) -> None:
        if not self.true_description.strip():
            raise PromptError("true_description is missing; say when the answer is true")
        if not self.false_description.strip():
            object.__setattr__(self, "false_description", OTHERWISE)

    @classmethod
    def from_yaml(cls, path: str | PathLike[str] | Enum) -> Self:
        """Read a question from a YAML file with the attributes as keys.

        Args:
            path: The file, or a member of ``TrueFalseQuestionPaths``.

        Raises:
            PromptError: If the file makes no sense; the message names it, the key and the cure.
        """
        return read_asset(path, cls)

    def to_json(self) -> dict[str, str]:
        """Return the question as JSON values; a template fills its slots with them."""
        return {
            "category": self.category,
            "true_description": self.true_description,
            "false_description": self.false_description,
            "metadata": self.metadata,
        }
