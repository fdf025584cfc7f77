"""``CorrectnessScorer``: compares a predicted answer with the known correct one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack

from judgecore.prompts import PromptPaths
from judgecore.reading import Format
from judgecore.scorers.judge import JudgeOptions, render_declared, to_template
from judgecore.scorers.reader import FormatReader, ParsedReply, ParserReader
from judgecore.scorers.registration import register_scorer
from judgecore.scorers.true_false import TrueFalseJudgeScorer

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import Enum
    from os import PathLike

    from judgecore.prompts import PromptTemplate
    from judgecore.scorers.response import Response
    from judgecore.scorers.score import Score
    from judgecore.targets import Target

# The answers of each output format, and the id of the format that reads them.
_FORMS = {"yes/no": ("Yes", "No", "lmms_eval.yes_no"), "0/1": ("1", "0", "lmms_eval.binary_01")}


@register_scorer("correctness")
class CorrectnessScorer(TrueFalseJudgeScorer):
    """Asks a judge whether a predicted answer agrees with the known correct one.

    The response is the prediction; the fields ``question`` and ``answer`` hold the question and the correct answer.
    Without a field ``question``, the objective is the question.

    Args:
        chat_target: The judge.
        output_format: The judge's answers, ``yes/no`` or ``0/1``.
        system_prompt_path: The system prompt's file, a member of ``PromptPaths``, or a template; its slots are
            ``positive`` and ``negative``.
        prompt_path: The user prompt's file, or a template, which must show ``prediction``.
        response_parser: As in ``SelfAskTrueFalseScorer``.
        **options: As in ``JudgeOptions``.

    Raises:
        ValueError: If the output format is unknown.
        PromptError: If a file is invalid.

    References:
        lmms-eval, ``llm_judge``, its correctness and binary judges.
    """

    def __init__(
        self,
        *,
        chat_target: Target,
        output_format: Literal["yes/no", "0/1"] = "yes/no",
        system_prompt_path: str | PathLike[str] | Enum | PromptTemplate | None = None,
        prompt_path: str | PathLike[str] | Enum | PromptTemplate | None = None,
        response_parser: Callable[[str], ParsedReply] | None = None,
        **options: Unpack[JudgeOptions],
    ) -> None:
        if output_format not in _FORMS:
            raise ValueError(f"output_format must be 'yes/no' or '0/1', not {output_format!r}")
        positive, negative, form = _FORMS[output_format]
        template = to_template(system_prompt_path or PromptPaths.CORRECTNESS_SYSTEM_PROMPT)
        super().__init__(
            chat_target=chat_target,
            reader=FormatReader(format=Format.get(form)) if response_parser is None else ParserReader(response_parser),
            system_prompt=render_declared(template, {"positive": positive, "negative": negative}),
            prompt=to_template(prompt_path or PromptPaths.ANSWERED, shows=("prediction",)),
            category=["correctness"],
            options=options,
        )

    def values(self, response: Response) -> dict[str, Any]:
        """Return the values of the prompt's slots."""
        values = super().values(response)
        if response.objective is not None:
            values.setdefault("question", response.objective)
        return {**values, "prediction": values["response"]}

    async def score_answer_async(self, *, question: str, answer: str, prediction: str, trial: int = 0) -> list[Score]:
        """Score one predicted answer.

        Args:
            question: The question.
            answer: The correct answer.
            prediction: The answer under test.
            trial: As in ``score_async``.

        Returns:
            One score; undetermined if no reply could be read.
        """
        return await self.score_text_async(prediction, fields={"question": question, "answer": answer}, trial=trial)
