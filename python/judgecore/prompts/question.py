"""``TrueFalseQuestion``: a question about a response, with the meaning of true and false."""

from __future__ import annotations

from dataclasses import dataclass

from judgecore.errors import PromptError
from judgecore.prompts.document import Asset

OTHERWISE = "Everything that the description of true does not cover."


@dataclass(frozen=True)
class TrueFalseQuestion(Asset):
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

    category: str = ""
    true_description: str = ""
    false_description: str = ""
    metadata: str = ""

    def __post_init__(self) -> None:
        if not self.true_description.strip():
            raise PromptError("true_description is missing; say when the answer is true")
        if not self.false_description.strip():
            object.__setattr__(self, "false_description", OTHERWISE)
