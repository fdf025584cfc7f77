"""``LogprobScorer``: computes scores from the probabilities of the judge's tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from judgecore.prompts import PromptPaths, guards
from judgecore.reading import Format, score_logprobs, to_format
from judgecore.scorers.guard import GuardScorer, Side, format_of
from judgecore.scorers.judge import JudgeOptions, render_declared, to_template
from judgecore.scorers.reader import LogprobReader
from judgecore.scorers.registration import register_scorer
from judgecore.scorers.scale import ScaleJudgeScorer

if TYPE_CHECKING:
    from enum import Enum
    from os import PathLike

    from judgecore.prompts import PromptTemplate, TrueFalseQuestion
    from judgecore.scorers.judge import JudgeQuestion
    from judgecore.scorers.response import Response
    from judgecore.targets import Target


@register_scorer("logprob")
class LogprobScorer(ScaleJudgeScorer):
    """Scores by the judge's token probabilities: the probability of yes or unsafe, or the expected number.

    The score is from 0 to 1; for a number format it is (expectation - low) / (high - low). The metadata hold ``level``
    (the expectation), ``mass`` (the total probability of the labels) and ``probabilities``. If the endpoint returns no
    probabilities, or the mass is too low, the score is undetermined.

    Args:
        chat_target: The judge; its endpoint must give ``logprobs``.
        format: The format of the answer: a guard's, a binary or a number format. The score is that of
            ``score_logprobs``.
        statement: The instruction, such as "Say whether the response is polite."; not for guards.
        category: The subject, which becomes ``Score.score_category``; by default that of a guard's question.
        side: For guards, as in ``GuardScorer``.
        true_false_question: For guards, as in ``GuardScorer``.
        true_false_question_path: For guards, as in ``GuardScorer``.
        system_prompt_path: The system prompt's file, a member of ``PromptPaths``, or a template; the shipped one by
            default. Its slots are ``statement`` and ``answers``; for guards as in ``GuardScorer``.
        min_mass: The minimum total probability of the labels, from 0 to 1; less is ``low_mass`` and asked again.
        top_logprobs: The number of most probable tokens to request per position, at least 1; endpoints accept up to 20.
        **options: As in ``JudgeOptions``.

    Raises:
        ValueError: If the format's verdicts can't be converted to numbers, a statement is missing or not allowed, or a
            number is out of range.
        PromptError: If a file is invalid.

    Sources:
        Liu et al. 2023, G-Eval, arXiv:2303.16634; the guards' model cards.

    Examples:
        >>> import asyncio
        >>> from judgecore import CallableTarget, JudgeReply
        >>> from judgecore.scorers import LogprobScorer
        >>> top = [{"token": "Yes", "logprob": -0.2231}, {"token": "No", "logprob": -1.6094}]
        >>> reply = JudgeReply(text="Yes", logprobs=[{**top[0], "top_logprobs": top}])
        >>> judge = CallableTarget(lambda request: reply, name="a_judge")
        >>> scorer = LogprobScorer(chat_target=judge, statement="Say whether the response is polite.")
        >>> [score] = asyncio.run(scorer.score_text_async("Good morning!"))
        >>> round(score.get_value(), 3), round(score.score_metadata["mass"], 3)
        (0.8, 1.0)
    """

    def __init__(
        self,
        *,
        chat_target: Target,
        format: Format | str = "lmms_eval.yes_no",  # noqa: A002 - the contract's name
        statement: str | None = None,
        category: str | None = None,
        side: Side = "response",
        true_false_question: TrueFalseQuestion | None = None,
        true_false_question_path: str | PathLike[str] | Enum | None = None,
        system_prompt_path: str | PathLike[str] | Enum | PromptTemplate | None = None,
        min_mass: float = 0.5,
        top_logprobs: int = 20,
        **options: Unpack[JudgeOptions],
    ) -> None:
        if top_logprobs < 1:
            raise ValueError(f"top_logprobs must be at least 1, not {top_logprobs}")
        form = to_format(format)
        self.low, self.high = _scale_of(form)
        self._top_logprobs = top_logprobs
        self._guard: GuardScorer | None = None
        of_guards = side != "response" or true_false_question is not None or true_false_question_path is not None
        if form.id in guards():
            if statement is not None:
                raise ValueError(f"{form.id} is a guard's format, and guards are asked in words of their own")
            self._guard = GuardScorer(
                chat_target=chat_target,
                guard=form.id,
                side=side,
                true_false_question=true_false_question,
                true_false_question_path=true_false_question_path,
                system_prompt_path=system_prompt_path,
                **options,
            )
            category = category or self._guard.true_false_question.category
            system = self._guard.system_prompt
            form = format_of(form.id, side)
        elif statement is None:
            raise ValueError(f"{form.id} is no guard's format; say in statement= what the judge is asked")
        elif of_guards:
            raise ValueError("side and true_false_question belong to guards; say in statement= what the judge is asked")
        else:
            template = to_template(system_prompt_path or PromptPaths.LOGPROB_SYSTEM_PROMPT)
            values = {"statement": statement, "answers": _answers_of(form)}
            system = render_declared(template, values)
        super().__init__(
            chat_target=chat_target,
            reader=LogprobReader(format=form, min_mass=min_mass),
            system_prompt=system,
            prompt=to_template(PromptPaths.JUDGED),
            category=[category or ""],
            options=options,
        )

    def question(self, response: Response) -> JudgeQuestion:
        """Return the question about a response, with a request for token probabilities."""
        asked = super().question(response) if self._guard is None else self._guard.question(response)
        return replace(asked, logprobs=self._top_logprobs)

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        guard = {} if self._guard is None else self._guard.params()
        return {**guard, **super().params(), "top_logprobs": self._top_logprobs}


def _scale_of(form: Format) -> tuple[float, float]:
    score_logprobs([], form)  # Raises an error for a format whose verdict is not a single label or number.
    if form.kind in ("choice", "ranking") or (form.kind == "json" and not form.scale and "true" not in form.labels):
        raise ValueError(
            f"{form.id} chooses between labels, which makes no number of one response; take a binary format"
        )
    return form.scale or (0.0, 1.0)


def _answers_of(form: Format) -> str:
    """Describe the possible answers, with the shortest form of each label."""
    if form.scale:
        low, high = form.scale
        return f"one number from {low:g} to {high:g}"
    return " or ".join(min(forms, key=len) for _, forms in sorted(form.labels.items(), reverse=True))
