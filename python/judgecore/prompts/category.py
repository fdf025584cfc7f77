"""``CategorySet``: mutually exclusive categories of responses."""

from __future__ import annotations

from dataclasses import dataclass

from judgecore.errors import PromptError
from judgecore.prompts.document import FORBID_OTHER_KEYS, Asset


@dataclass(frozen=True)
class ResponseCategory:
    """One category.

    Attributes:
        name: Its name, as the judge writes it.
        description: What belongs to it.
    """

    __pydantic_config__ = FORBID_OTHER_KEYS

    name: str
    description: str


@dataclass(frozen=True)
class CategorySet(Asset):
    """Mutually exclusive categories.

    Attributes:
        categories: At least two, with different names.
        no_category_found: The name of the category for responses that fit no other; its score is false.
        names: The categories' names.

    Raises:
        PromptError: If there are fewer than two, two have the same name, or ``no_category_found`` is not one of them.
    """

    categories: tuple[ResponseCategory, ...]
    no_category_found: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "categories", tuple(self.categories))
        names = [category.name.lower() for category in self.categories]
        twice = sorted({name for name in names if names.count(name) > 1})
        if len(names) < 2:  # noqa: PLR2004 - fewer leave no choice
            raise PromptError(f"there must be at least two categories, not {len(names)}")
        if twice:
            raise PromptError(f"categories: {twice[0]!r} occurs twice (ignoring case); rename one")
        if self.no_category_found not in self.names:
            raise PromptError(f"no_category_found is {self.no_category_found!r}, which is not one of the categories")

    @property
    def names(self) -> tuple[str, ...]:
        """The categories' names."""
        return tuple(category.name for category in self.categories)
