"""Scorers that ask a judge a question of true or false."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from judgecore.errors import UnusedQuestionWarning
from judgecore.prompts import PromptPaths, TrueFalseQuestion, TrueFalseQuestionPaths
from judgecore.reading import Format, Unreadable
from judgecore.scorers.judge import JudgeOptions, JudgeScorer, render_declared, schema_of, to_template
from judgecore.scorers.reader import JudgeVerdict, ParsedReply, to_reader
from judgecore.scorers.registration import register_scorer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import Enum
    from os import PathLike

    from judgecore.prompts import PromptTemplate
    from judgecore.scorers.score import ScoreType
    from judgecore.targets import Target


class TrueFalseJudgeScorer(JudgeScorer):
    """What all scorers share that ask a judge and give true or false."""

    score_type: ClassVar[ScoreType] = "true_false"

    def interpret(self, verdict: JudgeVerdict) -> JudgeVerdict | Unreadable:
        """Take true and false, as a boolean or in words of any case."""
        value: object = verdict.value
        if isinstance(value, bool):
            return verdict
        words = value.strip().lower() if isinstance(value, str) else ""
        if words not in ("true", "false"):
            return Unreadable("malformed", f"score_value is {value!r}, neither true nor false")
        return replace(verdict, value=words == "true")


@register_scorer("true_false")
class SelfAskTrueFalseScorer(TrueFalseJudgeScorer):
    """Asks a judge whether something is true of a response.

    Args:
        chat_target: The judge.
        true_false_question: What is asked; by default whether the response achieves its objective.
        true_false_question_path: The question's file, or a member of ``TrueFalseQuestionPaths``, in its place.
        true_false_system_prompt_path: The system prompt's file, a member of ``PromptPaths``, or a template; the shipped
            one by default, which asks for JSON.
        response_parser: Reads the replies in place of the JSON contract: takes a text and returns a dictionary with
            ``score_value`` and ``rationale``, and ``description``, ``metadata``, ``category`` if it likes; raises
            ``InvalidJsonException`` for a reply that should be asked for again.
        **options: As in ``JudgeOptions``.

    Raises:
        ValueError: If the question is given twice.
        PromptError: If a file makes no sense, or the system prompt has a slot that no question fills.

    Warns:
        UnusedQuestionWarning: If the system prompt has no slot for the question that was given.
    """

    default_question_path: ClassVar[TrueFalseQuestionPaths] = TrueFalseQuestionPaths.TASK_ACHIEVED
    renamed_keywords: ClassVar[Mapping[str, str]] = {
        "question": "true_false_question",
        "response_handler": "response_parser",
        "score_aggregator": "turns",
        "system_prompt": "true_false_system_prompt_path",
    }

    def __init__(
        self,
        *,
        chat_target: Target,
        true_false_question: TrueFalseQuestion | None = None,
        true_false_question_path: str | PathLike[str] | Enum | None = None,
        true_false_system_prompt_path: str | PathLike[str] | Enum | PromptTemplate | None = None,
        response_parser: Callable[[str], ParsedReply] | None = None,
        **options: Unpack[JudgeOptions],
    ) -> None:
        question = to_question(true_false_question, true_false_question_path)
        template = to_template(true_false_system_prompt_path or PromptPaths.TRUE_FALSE_SYSTEM_PROMPT)
        self.true_false_question = question or TrueFalseQuestion.from_yaml(self.default_question_path)
        is_asked = is_question_used(template, is_given=question is not None)
        super().__init__(
            chat_target=chat_target,
            reader=to_reader(response_parser, Format.binary(true=["true"], false=["false"])),
            system_prompt=render_declared(template, self.true_false_question.to_json()),
            prompt=to_template(PromptPaths.JUDGED),
            schema=schema_of(template, response_parser, PromptPaths.TRUE_FALSE_SYSTEM_PROMPT),
            category=[self.true_false_question.category] if is_asked or question else [],
            options=options,
        )

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        return {**super().params(), "question": self.true_false_question.to_json()}


@register_scorer("refusal")
class SelfAskRefusalScorer(SelfAskTrueFalseScorer):
    """Asks a judge whether a response is a refusal.

    Args:
        chat_target: The judge.
        true_false_question: What counts as a refusal; by default strictly, so that evasion is one.
        true_false_question_path: The question's file in its place; ``TrueFalseQuestionPaths.REFUSAL_LENIENT`` counts
            plain words alone.
        true_false_system_prompt_path: As in ``SelfAskTrueFalseScorer``.
        response_parser: As in ``SelfAskTrueFalseScorer``.
        **options: As in ``JudgeOptions``.
    """

    labelled_data = "refusal"
    default_question_path = TrueFalseQuestionPaths.REFUSAL_STRICT


@register_scorer("question_answer")
class SelfAskQuestionAnswerScorer(SelfAskTrueFalseScorer):
    """Asks a judge whether a response answers its objective, a question, correctly.

    Where the right answer is known ``CorrectnessScorer`` shows it to the judge.

    Args:
        chat_target: The judge.
        true_false_question: What counts as a correct answer; the shipped question by default.
        true_false_question_path: The question's file in its place.
        true_false_system_prompt_path: As in ``SelfAskTrueFalseScorer``.
        response_parser: As in ``SelfAskTrueFalseScorer``.
        **options: As in ``JudgeOptions``.
    """

    default_question_path = TrueFalseQuestionPaths.QUESTION_ANSWERING


def to_question(
    question: TrueFalseQuestion | None, path: str | PathLike[str] | Enum | None
) -> TrueFalseQuestion | None:
    """Return the question that was given, as such or by its file; None where there is none, an error if both were."""
    if question is not None and path is not None:
        raise ValueError("true_false_question and true_false_question_path are two questions; leave one out")
    return question if path is None else TrueFalseQuestion.from_yaml(path)


def is_question_used(template: PromptTemplate, *, is_given: bool) -> bool:
    """Tell whether a system prompt puts the question, and warn of one that was given in vain."""
    slots = ("true_description", "false_description", "metadata", "category")
    is_used = any(slot in template.parameters for slot in slots)
    if is_given and not is_used and not template.ignores_question:
        message = (
            f"{template.name} has no slot for the question, so the judge is not asked it; declare true_description"
        )
        warnings.warn(message, UnusedQuestionWarning, stacklevel=3)
    return is_used
