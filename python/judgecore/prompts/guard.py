"""How each guard model is prompted, and the policies for their prompts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from judgecore.errors import PromptError
from judgecore.prompts.document import FORBID_OTHER_KEYS, Asset, nearest, read_document, validate
from judgecore.prompts.paths import GUARDS_PATH, TRUE_FALSE_QUESTIONS_PATH

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class GuardPrompt:
    """How a guard is prompted.

    Attributes:
        question: The name of its question.
        asked: ``turns`` if the conversation is sent as chat turns, so that the endpoint's chat template applies;
            ``prompt`` if the guard gets instructions, and the conversation between delimiters.
        format: The id of its reply format.
        system_prompt: The name of its system prompt, if it differs from the question's.
        system_role: Whether its chat template supports a system prompt.
        images: Whether it supports images.
    """

    __pydantic_config__ = FORBID_OTHER_KEYS

    question: str
    asked: Literal["turns", "prompt"]
    format: str = ""
    system_prompt: str = ""
    system_role: bool = True
    images: bool = False

    @property
    def question_path(self) -> Path:
        """The file of its question."""
        return TRUE_FALSE_QUESTIONS_PATH / f"{self.question}.yaml"

    @property
    def system_prompt_path(self) -> Path:
        """The file of its system prompt."""
        return TRUE_FALSE_QUESTIONS_PATH / f"{self.system_prompt or self.question}_system_prompt.yaml"

    @staticmethod
    def get(name: str) -> GuardPrompt:
        """Return the guard with a reply format, given by its id, such as ``llama_guard.3``.

        Raises:
            PromptError: If no guard has it; the message suggests the nearest.
        """
        known = guards()
        if name not in known:
            raise PromptError(f"no guard {name!r}; {nearest(name, known)}")
        return known[name]


@cache
def guards() -> dict[str, GuardPrompt]:
    """Return all guards by the id of their reply format."""
    document = read_document(GUARDS_PATH)
    return {name: replace(validate(entry, GuardPrompt, GUARDS_PATH), format=name) for name, entry in document.items()}


@dataclass(frozen=True)
class PolicyCategory:
    """One category of a guard's policy.

    Attributes:
        code: The code in the guard's reply, such as ``S1``, or a name for the policy.
        name: Its name.
        description: What belongs to it.
    """

    __pydantic_config__ = FORBID_OTHER_KEYS

    code: str
    name: str
    description: str = ""


@dataclass(frozen=True)
class GuardPolicy(Asset):
    """The categories that a guard is asked about.

    Attributes:
        categories: At least one, with different codes.

    Raises:
        PromptError: If there are none, or two have the same code.
    """

    categories: tuple[PolicyCategory, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "categories", tuple(self.categories))
        codes = self.codes
        if not codes:
            raise PromptError("categories must not be empty")
        twice = sorted({code for code in codes if codes.count(code) > 1})
        if twice:
            raise PromptError(f"categories: the code {twice[0]!r} occurs twice")

    @property
    def codes(self) -> tuple[str, ...]:
        """The categories' codes."""
        return tuple(category.code for category in self.categories)

    def get(self, code: str) -> PolicyCategory:
        """Return the category with a code or a name, ignoring case.

        Raises:
            PromptError: If there is none; the message suggests the nearest.
        """
        for category in self.categories:
            if code.lower() in (category.code.lower(), category.name.lower()):
                return category
        raise PromptError(f"the policy has no category {code!r}; {nearest(code, self.codes)}")
