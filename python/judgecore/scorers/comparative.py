"""Scorers that ask a judge about two responses: for a number each, or for the better one."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack

from judgecore.prompts import PromptPaths
from judgecore.prompts.criteria import plain_number
from judgecore.reading import Format, Unreadable
from judgecore.scorers.judge import JudgeAnswer, JudgeOptions, JudgeScorer, fill, render_declared, to_template
from judgecore.scorers.reader import FormatReader, JudgeVerdict
from judgecore.scorers.registration import register_scorer
from judgecore.scorers.scale import normalize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from enum import Enum
    from os import PathLike

    from judgecore.prompts import PromptTemplate
    from judgecore.scorers.response import Response
    from judgecore.scorers.score import Metadata, Score, ScoreType
    from judgecore.stats import PositionBias
    from judgecore.targets import Target

INSTRUCTION = "Weigh how helpful, correct, relevant and complete each response is."


class PairJudgeScorer(JudgeScorer):
    """The base class: the response is A, and the field ``response_b`` is B; the objective can be the question."""

    score_type: ClassVar[ScoreType] = "float_scale"

    def values(self, response: Response) -> dict[str, Any]:
        """Return the values of the prompt's slots."""
        values = super().values(response)
        if response.objective is not None:
            values.setdefault("question", response.objective)
        values.setdefault("context", None)
        return {**values, "response_a": values["response"]}

    async def score_pair_async(
        self, *, question: str, response_a: str, response_b: str, context: str | None = None, trial: int = 0
    ) -> list[Score]:
        """Score two responses to one question.

        Args:
            question: The question.
            response_a: The first response.
            response_b: The second response.
            context: Additional information for the judge.
            trial: As in ``score_async``.
        """
        known = {} if context is None else {"context": context}
        fields = {"question": question, "response_b": response_b, **known}
        return await self.score_text_async(response_a, fields=fields, trial=trial)


@register_scorer("comparative")
class ComparativeScorer(PairJudgeScorer):
    """Asks a judge for a number for each of two responses; returns two scores, those of A and B.

    Args:
        chat_target: The judge.
        min_value: The lowest number.
        max_value: The highest number.
        instruction: The criteria.
        system_prompt_path: The system prompt's file, a member of ``PromptPaths``, or a template; its slots are ``low``,
            ``high`` and ``instruction``.
        prompt_path: The user prompt's file, or a template, which must show ``response_a`` and ``response_b``.
        **options: As in ``JudgeOptions``.

    Raises:
        FormatError: If the scale is invalid.
        PromptError: If a file is invalid.

    References:
        lmms-eval, ``llm_judge``, its comparative judge.
    """

    def __init__(
        self,
        *,
        chat_target: Target,
        min_value: float = 1,
        max_value: float = 10,
        instruction: str = INSTRUCTION,
        system_prompt_path: str | PathLike[str] | Enum | PromptTemplate | None = None,
        prompt_path: str | PathLike[str] | Enum | PromptTemplate | None = None,
        **options: Unpack[JudgeOptions],
    ) -> None:
        template = to_template(system_prompt_path or PromptPaths.COMPARATIVE_SYSTEM_PROMPT)
        self.low, self.high = plain_number(min_value), plain_number(max_value)
        values = {"low": self.low, "high": self.high, "instruction": instruction}
        super().__init__(
            chat_target=chat_target,
            reader=FormatReader(format=Format.scores(2, self.low, self.high)),
            system_prompt=render_declared(template, values),
            prompt=pair_prompt(prompt_path),
            category=["comparison"],
            options=options,
        )

    def interpret(self, verdict: JudgeVerdict) -> JudgeVerdict | Unreadable:
        """Return the verdict; the reader has checked the scale."""
        return verdict

    async def score_async(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Ask the judge about both responses; return a score for A, then one for B."""
        answer = await self.ask(self.question(response), self.interpret, trial=trial, material=response.material)
        if answer.verdict is None:
            undetermined = self.settle(answer, response)
            return [undetermined, undetermined]
        first, second = answer.verdict.value
        return [self._score_of(answer, response, name, level) for name, level in (("A", first), ("B", second))]

    def _score_of(self, answer: JudgeAnswer, response: Response, name: str, level: float) -> Score:
        verdict = answer.verdict or JudgeVerdict(value=level)
        metadata: Metadata = {**verdict.metadata, "response": name, "level": level, "low": self.low, "high": self.high}
        placed = replace(verdict, value=normalize(level, self.low, self.high), metadata=metadata)
        return self.settle(replace(answer, verdict=placed), response)


@register_scorer("pairwise")
class PairwiseScorer(PairJudgeScorer):
    """Asks a judge which of two responses is better, in both orders: 1 for A, 0 for B, 0.5 for a tie.

    A judge with position bias gives contradictory verdicts. They count as a tie, and the metadata report them:
    ``order_ab`` and ``order_ba`` (the choice in each order), ``is_consistent``, and ``position`` (``first`` or
    ``second`` if the judge chose the same position twice). ``position_bias`` summarizes many pairs.

    Args:
        chat_target: The judge.
        orders: ``both``, or ``given`` for A before B only, at half the cost and without detecting position bias.
        disagreement: The result of contradictory verdicts: ``tie`` or ``undetermined``.
        allow_tie: Whether the judge may answer with a tie; if not, it is asked again.
        instruction: The criteria.
        system_prompt_path: The system prompt's file, a member of ``PromptPaths``, or a template; its slots are
            ``instruction`` and ``tie``.
        prompt_path: The user prompt's file, or a template, which must show ``response_a`` and ``response_b``.
        **options: As in ``JudgeOptions``.

    Raises:
        ValueError: If ``orders`` or ``disagreement`` is invalid.
        PromptError: If a file is invalid.

    References:
        Zheng et al. (2023), Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena, section 3.4 (swapped orders).
    """

    def __init__(
        self,
        *,
        chat_target: Target,
        orders: Literal["both", "given"] = "both",
        disagreement: Literal["tie", "undetermined"] = "tie",
        allow_tie: bool = True,
        instruction: str = INSTRUCTION,
        system_prompt_path: str | PathLike[str] | Enum | PromptTemplate | None = None,
        prompt_path: str | PathLike[str] | Enum | PromptTemplate | None = None,
        **options: Unpack[JudgeOptions],
    ) -> None:
        if orders not in ("both", "given"):
            raise ValueError(f"orders must be 'both' or 'given', not {orders!r}")
        if disagreement not in ("tie", "undetermined"):
            raise ValueError(f"disagreement must be 'tie' or 'undetermined', not {disagreement!r}")
        template = to_template(system_prompt_path or PromptPaths.PAIRWISE_SYSTEM_PROMPT)
        self._orders, self._disagreement, self._allow_tie = orders, disagreement, allow_tie
        super().__init__(
            chat_target=chat_target,
            reader=FormatReader(format=Format.get("mt_bench.pair")),
            system_prompt=render_declared(template, {"instruction": instruction, "tie": allow_tie}),
            prompt=pair_prompt(prompt_path),
            category=["preference"],
            options=options,
        )

    def interpret(self, verdict: JudgeVerdict) -> JudgeVerdict | Unreadable:
        """Accept A, B, and a tie if ties are allowed."""
        if verdict.value == "tie" and not self._allow_tie:
            return Unreadable("malformed", "the judge called a tie, and ties are not allowed")
        return verdict

    async def score_async(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Ask the judge in both orders; return one score, with that of each order as its parts."""
        values = self.values(response)
        shown = [values]
        if self._orders == "both":
            shown.append({**values, "response_a": values.get("response_b"), "response_b": values["response_a"]})
        prompts = [fill(self.prompt, each, str(response)) for each in shown]
        questions = [self.asked(prompt, images=response.images) for prompt in prompts]
        asks = (self.ask(one, self.interpret, trial=trial, material=response.material) for one in questions)
        answers = await asyncio.gather(*asks)
        parts = [self._part(answer, response, is_swapped=place == 1) for place, answer in enumerate(answers)]
        return [parts[0] if len(parts) == 1 else self._combined(parts, response)]

    def _part(self, answer: JudgeAnswer, response: Response, *, is_swapped: bool) -> Score:
        """Return the score of one order, in terms of the caller's A and B."""
        order = "order_ba" if is_swapped else "order_ab"
        if answer.verdict is None:
            return self.settle(answer, response)
        said: str = answer.verdict.value
        winner = {"A": "B", "B": "A"}.get(said, said) if is_swapped else said
        metadata: Metadata = {**answer.verdict.metadata, order: winner}
        placed = replace(answer.verdict, value=_PREFERENCE[winner], metadata=metadata)
        return self.settle(replace(answer, verdict=placed), response)

    def _combined(self, parts: list[Score], response: Response) -> Score:
        common: dict[str, Any] = {
            "attempts": sum(part.attempts for part in parts),
            "ledger_key": parts[-1].ledger_key,
            "score_category": list(self.category),
            "objective": response.objective,
            "parts": tuple(parts),
        }
        if (unread := self.make_unread(**common)) is not None:
            return unread
        first, second = (float(part.get_value()) for part in parts)
        metadata: Metadata = {**parts[0].score_metadata, **parts[1].score_metadata, "is_consistent": first == second}
        if {first, second} == {0.0, 1.0}:
            metadata["position"] = "first" if first > second else "second"
        rationale = "\n".join(f"- {part.score_rationale}" for part in parts)
        if first != second and self._disagreement == "undetermined":
            return self.make_undetermined("undecided", score_rationale=rationale, score_metadata=metadata, **common)
        value = (first + second) / 2 if first == second else _PREFERENCE["tie"]
        return self.make_score(value, score_rationale=rationale, score_metadata=metadata, **common)

    @staticmethod
    def position_bias(scores: Iterable[Sequence[Score]], *, confidence: float = 0.95) -> PositionBias:
        """Measure how much the judge's preferences depend on the order of the responses.

        Args:
            scores: The scores of each pair in both orders: the result of ``score_pair_async``, or of several trials. A
                pair counts once, by the median of its trials, because these are not independent.
            confidence: The nominal coverage of the interval.

        Returns:
            The result of ``judgecore.stats.position_bias``; pairs without a verdict in both orders are missing.
        """
        from judgecore.stats import position_bias  # noqa: PLC0415 - numpy, when needed

        original: list[float | None] = []
        swapped: list[float | None] = []
        for trials in scores:
            said = [score.score_metadata for score in trials]
            both = [one for one in said if {"order_ab", "order_ba"} <= one.keys()]
            original.append(_usual([_PREFERENCE[str(one["order_ab"])] for one in both]))
            # The metadata name the response that won; swapped, A was shown second.
            swapped.append(_usual([1 - _PREFERENCE[str(one["order_ba"])] for one in both]))
        return position_bias(original, swapped, confidence=confidence)

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        own = {"orders": self._orders, "disagreement": self._disagreement, "allow_tie": self._allow_tie}
        return {**super().params(), **own}


_PREFERENCE = {"A": 1.0, "B": 0.0, "tie": 0.5}


def _usual(preferences: Sequence[float]) -> float | None:
    """Return the median of a pair's trials; a value between two preferences is a tie. None if there are no trials."""
    if not preferences:
        return None
    middle = median(preferences)
    return middle if middle in _PREFERENCE.values() else _PREFERENCE["tie"]


def pair_prompt(path: str | PathLike[str] | Enum | PromptTemplate | None) -> PromptTemplate:
    """Return the template that shows two responses; it must have a slot for each."""
    template = to_template(path or PromptPaths.COMPARED, shows=("response_a",))
    return to_template(template, shows=("response_b",))
