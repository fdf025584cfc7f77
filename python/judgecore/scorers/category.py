"""``SelfAskCategoryScorer``: asks a judge which category a response belongs to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from judgecore.prompts import CategorySet, PromptPaths
from judgecore.reading import Format, Unreadable
from judgecore.scorers.judge import JudgeOptions, JudgeScorer, render_declared, schema_of, to_template
from judgecore.scorers.reader import JudgeVerdict, ParsedReply, to_reader
from judgecore.scorers.registration import register_scorer
from judgecore.scorers.schema import verdict_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import Enum
    from os import PathLike

    from judgecore.prompts import PromptTemplate
    from judgecore.scorers.score import ScoreType
    from judgecore.targets import Target


@register_scorer("category")
class SelfAskCategoryScorer(JudgeScorer):
    """Asks a judge for a response's category, which becomes ``Score.score_category``.

    The score is false for the category of what fits no other, and true for every other.

    Args:
        chat_target: The judge.
        categories: The categories.
        categories_path: Their file, or a member of ``CategorySetPaths``, in their place.
        system_prompt_path: The system prompt's file, a member of ``PromptPaths``, or a template; the shipped one by
            default, which asks for JSON. Its slots are ``categories`` and ``no_category_found``.
        response_parser: As in ``SelfAskTrueFalseScorer``; its ``score_value`` is the category.
        **options: As in ``JudgeOptions``.

    Raises:
        ValueError: If no categories are given, or given twice.
        PromptError: If a file makes no sense.
    """

    score_type: ClassVar[ScoreType] = "true_false"
    renamed_keywords: ClassVar[Mapping[str, str]] = {
        "content_classifier": "categories",
        "response_handler": "response_parser",
        "system_prompt": "system_prompt_path",
    }

    def __init__(
        self,
        *,
        chat_target: Target,
        categories: CategorySet | None = None,
        categories_path: str | PathLike[str] | Enum | None = None,
        system_prompt_path: str | PathLike[str] | Enum | PromptTemplate | None = None,
        response_parser: Callable[[str], ParsedReply] | None = None,
        **options: Unpack[JudgeOptions],
    ) -> None:
        if (categories is None) == (categories_path is None):
            raise ValueError("give the categories once: categories= or categories_path=")
        known = categories or CategorySet.from_yaml(categories_path or "")
        template = to_template(system_prompt_path or PromptPaths.CATEGORY_SYSTEM_PROMPT)
        self.categories = known
        super().__init__(
            chat_target=chat_target,
            reader=to_reader(response_parser, Format.choice({name: [name] for name in known.names})),
            system_prompt=render_declared(template, known.to_json()),
            prompt=to_template(PromptPaths.JUDGED),
            schema=schema_of(
                template,
                response_parser,
                PromptPaths.CATEGORY_SYSTEM_PROMPT,
                verdict_schema({"type": "string", "enum": list(known.names)}),
            ),
            options=options,
        )

    def interpret(self, verdict: JudgeVerdict) -> JudgeVerdict | Unreadable:
        """Take the categories' names, in any case."""
        said: object = verdict.value
        words = said.strip().lower() if isinstance(said, str) else ""
        name = next((name for name in self.categories.names if name.lower() == words), None)
        if name is None:
            return Unreadable("malformed", f"score_value is {said!r}, none of {', '.join(self.categories.names)}")
        return replace(verdict, value=name != self.categories.no_category_found, category=(name,))

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        return {**super().params(), "categories": self.categories.to_json()}
