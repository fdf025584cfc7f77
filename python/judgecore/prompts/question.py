"""``TrueFalseQuestion``: a question about a response, with the meaning of true and false."""

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
        category: Its subject; it becomes ``Score.score_category``.
        true_description: When the answer is true.
        false_description: When the answer is false; by default whenever it is not true.
        metadata: Additional information that the judge should record; "" for none.

    Raises:
        PromptError: If ``true_description`` is missing.

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
            PromptError: If the file is invalid; the message names it, the key and the fix.
        """
        return read_asset(path, cls)

    def to_json(self) -> dict[str, str]:
        """Return the question as JSON values, which fill the slots of a template."""
        return {
            "category": self.category,
            "true_description": self.true_description,
            "false_description": self.false_description,
            "metadata": self.metadata,
        }
