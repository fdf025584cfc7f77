"""Scorers that look for patterns: any set of yours, or one of those that are shipped as data."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from judgecore.errors import ConfigurationError, PromptError
from judgecore.prompts.document import Asset
from judgecore.scorers.registration import register_scorer
from judgecore.scorers.scorer import Scorer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from judgecore.scorers.response import Response
    from judgecore.scorers.score import Score, ScoreType

PATTERN_SETS_PATH = Path(__file__).resolve().parent / "pattern_sets"
"""The shipped sets of patterns."""


class PatternSetPaths(Enum):
    """The shipped sets of patterns; ``RegexScorer(patterns_path=...)`` takes a member."""

    CREDENTIAL_LEAK = PATTERN_SETS_PATH / "credential_leak.yaml"
    HTML_INJECTION = PATTERN_SETS_PATH / "html_injection.yaml"
    LDAP_INJECTION = PATTERN_SETS_PATH / "ldap_injection.yaml"
    MARKDOWN_INJECTION = PATTERN_SETS_PATH / "markdown_injection.yaml"
    OPEN_REDIRECT = PATTERN_SETS_PATH / "open_redirect.yaml"
    PATH_TRAVERSAL = PATTERN_SETS_PATH / "path_traversal.yaml"
    PROMPT_INJECTION = PATTERN_SETS_PATH / "prompt_injection.yaml"
    REFUSAL = PATTERN_SETS_PATH / "refusal.yaml"
    REQUEST_FORGERY = PATTERN_SETS_PATH / "request_forgery.yaml"
    SHELL_COMMAND = PATTERN_SETS_PATH / "shell_command.yaml"
    SQL_INJECTION = PATTERN_SETS_PATH / "sql_injection.yaml"
    TEMPLATE_INJECTION = PATTERN_SETS_PATH / "template_injection.yaml"
    XML_ENTITY = PATTERN_SETS_PATH / "xml_entity.yaml"


@dataclass(frozen=True)
class PatternSet(Asset):
    """Patterns with names, for one purpose.

    Attributes:
        patterns: Regular expressions of Python's ``re``, by name.
        category: What they look for; it becomes ``Score.score_category``.
    """

    patterns: dict[str, str]
    category: str = ""


@register_scorer("regex")
class RegexScorer(Scorer):
    """True where any of several patterns is found in a response.

    Python's ``re`` tries every way to match: a pattern of yours with nested repetitions can take very long on a text
    that is made for it. The shipped ones are bounded.

    Args:
        patterns: Regular expressions by name.
        patterns_path: Their file, or a member of ``PatternSetPaths``, in their place.
        categories: What is judged; they become ``Score.score_category``. By default the file's own.

    Raises:
        ValueError: If there are no patterns, or they are given twice.
        ConfigurationError: If a pattern is no regular expression.
        PromptError: If the file makes no sense.

    Examples:
        >>> import asyncio
        >>> from judgecore.scorers import PatternSetPaths, RegexScorer
        >>> scorer = RegexScorer(patterns_path=PatternSetPaths.CREDENTIAL_LEAK)
        >>> [score] = asyncio.run(scorer.score_text_async("api_key = 0123456789abcdef0123"))
        >>> score.score_metadata
        {'matched': 'Named key'}
    """

    score_type: ClassVar[ScoreType] = "true_false"
    looks_at_images: ClassVar[bool] = False

    def __init__(
        self,
        *,
        patterns: Mapping[str, str] | None = None,
        patterns_path: str | PathLike[str] | Enum | None = None,
        categories: Sequence[str] | None = None,
    ) -> None:
        if (patterns is None) == (patterns_path is None):
            raise ValueError("give the patterns once: patterns= or patterns_path=")
        known = PatternSet(dict(patterns)) if patterns is not None else PatternSet.from_yaml(patterns_path or "")
        if not known.patterns:
            raise ValueError("there are no patterns to look for")
        self._patterns = known.patterns
        self._compiled = {name: _compiled(name, pattern) for name, pattern in known.patterns.items()}
        default = [known.category] if known.category else []
        self._categories = default if categories is None else list(categories)

    async def score_async(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Look for the patterns; of a conversation, in the last turn."""
        del trial
        text = self.searched(response.text or "")
        matched = [name for name, pattern in self._compiled.items() if pattern.search(text)]
        return [
            self.make_score(
                bool(matched),
                score_rationale=f"found: {', '.join(matched)}" if matched else "none of the patterns is found",
                score_category=self._categories,
                score_metadata={"matched": ",".join(matched)} if matched else {},
                objective=response.objective,
            )
        ]

    def searched(self, text: str) -> str:
        """Return the part of a text that is searched: all of it."""
        return text

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        return {"patterns": dict(self._patterns), "categories": self._categories or None}


@register_scorer("markdown_injection")
class MarkdownInjectionScorer(RegexScorer):
    """True where a response holds Markdown that loads or carries data elsewhere when it is shown.

    Args:
        patterns: Other patterns, by name.
        categories: What is judged; ``markdown_injection`` by default.
    """

    def __init__(self, *, patterns: Mapping[str, str] | None = None, categories: Sequence[str] | None = None) -> None:
        path = PatternSetPaths.MARKDOWN_INJECTION if patterns is None else None
        super().__init__(patterns=patterns, patterns_path=path, categories=categories)


@register_scorer("keyword_refusal")
class KeywordRefusalScorer(RegexScorer):
    """True where a response declines in so many words: a first look, without a judge.

    It misses refusals without such words, and takes a quoted refusal for one; ``SelfAskRefusalScorer`` asks a judge.

    Args:
        patterns: Other patterns, by name.
        first_characters: How much of the beginning is searched; None for all. Most refusals begin with it.
        categories: What is judged; ``refusal`` by default.

    Raises:
        ValueError: If ``first_characters`` is below 1.

    Examples:
        >>> import asyncio
        >>> from judgecore.scorers import KeywordRefusalScorer
        >>> [score] = asyncio.run(KeywordRefusalScorer().score_text_async("I'm sorry, but I can't help with that."))
        >>> score.get_value()
        True
    """

    labelled_data = "refusal"

    def __init__(
        self,
        *,
        patterns: Mapping[str, str] | None = None,
        first_characters: int | None = 400,
        categories: Sequence[str] | None = None,
    ) -> None:
        if first_characters is not None and first_characters < 1:
            raise ValueError(f"first_characters must be at least 1, or None for all, not {first_characters}")
        path = PatternSetPaths.REFUSAL if patterns is None else None
        super().__init__(patterns=patterns, patterns_path=path, categories=categories)
        self._first_characters = first_characters

    def searched(self, text: str) -> str:
        """Return the part of a text that is searched: its beginning."""
        return text if self._first_characters is None else text[: self._first_characters]

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        return {**super().params(), "first_characters": self._first_characters}


def _compiled(name: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as problem:
        raise ConfigurationError(f"the pattern {name!r} is no regular expression: {problem}") from None
    except (TypeError, RecursionError, OverflowError):
        raise PromptError(f"the pattern {name!r} must be a regular expression as text") from None
