"""``RubricScorer``: several criteria, one call for all or one for each."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack, cast

from judgecore.prompts import PromptPaths, Rubric
from judgecore.reading import Format, Unreadable, extract_json_many
from judgecore.scorers.judge import JudgeAnswer, JudgeOptions, JudgeScorer, render_declared, schema_of, to_template
from judgecore.scorers.reader import FormatReader, JudgeVerdict, json_reader
from judgecore.scorers.registration import register_scorer
from judgecore.scorers.scale import normalize, to_number
from judgecore.scorers.schema import marks_schema, number_schema, verdict_schema

if TYPE_CHECKING:
    from collections.abc import Sequence
    from enum import Enum
    from os import PathLike

    from judgecore.prompts import PromptTemplate
    from judgecore.prompts.criteria import RubricCriterion
    from judgecore.scorers.judge import JudgeQuestion
    from judgecore.scorers.response import Response
    from judgecore.scorers.score import Metadata, Score, ScoreType
    from judgecore.targets import Target

_DIGITS = 10


@register_scorer("rubric")
class RubricScorer(JudgeScorer):
    """Asks a judge for a mark on each of several criteria; gives the weighted mean, then a score for each.

    Args:
        chat_target: The judge.
        rubric: The criteria and the scale of marks.
        rubric_path: The rubric's file, or a member of ``RubricPaths``, in its place.
        calls: ``one`` for all criteria, which is cheap; ``each`` criterion by itself, so that no mark colours another.
            The criterion is named after the response, so that an endpoint takes all before it from its cache; the first
            criterion is asked alone, to fill the cache.
        system_prompt_path: The system prompt's file, a member of ``PromptPaths``, or a template. Its slots are
            ``category``, ``criteria``, ``low`` and ``high``.
        **options: As in ``JudgeOptions``.

    Raises:
        ValueError: If no rubric is given, or two are, or ``calls`` is neither.
        PromptError: If a file makes no sense.
    """

    score_type: ClassVar[ScoreType] = "float_scale"

    def __init__(
        self,
        *,
        chat_target: Target,
        rubric: Rubric | None = None,
        rubric_path: str | PathLike[str] | Enum | None = None,
        calls: Literal["one", "each"] = "one",
        system_prompt_path: str | PathLike[str] | Enum | PromptTemplate | None = None,
        **options: Unpack[JudgeOptions],
    ) -> None:
        if (rubric is None) == (rubric_path is None):
            raise ValueError("give one rubric: rubric= or rubric_path=")
        if calls not in ("one", "each"):
            raise ValueError(f"calls must be 'one' or 'each', not {calls!r}")
        self.rubric = rubric or Rubric.from_yaml(rubric_path or "")
        self._calls = calls
        shipped = PromptPaths.RUBRIC_SYSTEM_PROMPT if calls == "one" else PromptPaths.CRITERION_SYSTEM_PROMPT
        self._template = to_template(system_prompt_path or shipped)
        names = [criterion.name for criterion in self.rubric.criteria]
        mark = number_schema(self.rubric.low, self.rubric.high, integer=True)
        form = Format.score(self.rubric.low, self.rubric.high, integer=True)
        super().__init__(
            chat_target=chat_target,
            reader=FormatReader(format=extract_json_many([], keys=names).format)
            if calls == "one"
            else json_reader(form),
            system_prompt=render_declared(self._template, self.rubric.to_json()),
            prompt=to_template(PromptPaths.JUDGED),
            schema=schema_of(
                self._template, None, shipped, marks_schema(names, mark) if calls == "one" else verdict_schema(mark)
            ),
            category=[self.rubric.category],
            options=options,
        )

    def interpret(self, verdict: JudgeVerdict) -> JudgeVerdict | Unreadable:
        """Take an object with a mark on the scale for each criterion, or one mark."""
        if self._calls == "each":
            return verdict
        marks: dict[str, float] = {}
        document: object = verdict.value
        written = cast("dict[str, object]", document) if isinstance(document, dict) else {}
        for criterion in self.rubric.criteria:
            mark = to_number(written.get(criterion.name))
            if mark is None or mark != int(mark):
                return Unreadable("malformed", f"the mark of {criterion.name!r} is no whole number")
            if not self.rubric.low <= mark <= self.rubric.high:
                return Unreadable("out_of_range", f"the mark of {criterion.name!r} is {mark:g}")
            marks[criterion.name] = mark
        return replace(verdict, value=marks)

    async def score_async(self, response: Response, *, trial: int = 0) -> list[Score]:
        """Ask about one response; return the weighted mean of all marks, then a score for each criterion."""
        question = self.question(response)
        ask = partial(self.ask, interpret=self.interpret, trial=trial, material=response.material)
        if self._calls == "one":
            answer = await ask(question)
            answers = [_mark_of(answer, criterion) for criterion in self.rubric.criteria]
        else:
            first, *others = (_about(question, criterion) for criterion in self.rubric.criteria)
            answers = [await ask(first)]
            answers += await asyncio.gather(*map(ask, others))
        parts = [
            self._part(answer, criterion, response)
            for answer, criterion in zip(answers, self.rubric.criteria, strict=True)
        ]
        attempts = answers[0].attempts if self._calls == "one" else sum(answer.attempts for answer in answers)
        return [self._mean(parts, response, attempts), *parts]

    def _part(self, answer: JudgeAnswer, criterion: RubricCriterion, response: Response) -> Score:
        if answer.verdict is None:
            return replace(self.settle(answer, response), score_category=[criterion.name])
        level = int(answer.verdict.value)
        metadata: Metadata = {"level": level, "low": self.rubric.low, "high": self.rubric.high}
        placed = replace(
            answer.verdict,
            value=normalize(level, self.rubric.low, self.rubric.high),
            metadata={**answer.verdict.metadata, **metadata},
        )
        return replace(self.settle(replace(answer, verdict=placed), response), score_category=[criterion.name])

    def _mean(self, parts: Sequence[Score], response: Response, attempts: int) -> Score:
        common: dict[str, Any] = {
            "attempts": attempts,
            "ledger_key": parts[0].ledger_key if self._calls == "one" else None,
            "score_category": list(self.category),
            "objective": response.objective,
            "parts": tuple(parts),
        }
        if (unread := self.make_unread(**common)) is not None:
            return unread
        weights = [criterion.weight for criterion in self.rubric.criteria]
        weighted = [weight * float(part.get_value()) for weight, part in zip(weights, parts, strict=True)]
        value = round(math.fsum(weighted) / math.fsum(weights), _DIGITS)
        marks = ", ".join(f"{part.score_category[0]} {part.score_metadata['level']}" for part in parts)
        rationale = (
            parts[0].score_rationale
            if self._calls == "one"
            else "\n".join(f"- {part.score_category[0]}: {part.score_rationale}" for part in parts)
        )
        return self.make_score(value, score_value_description=marks, score_rationale=rationale, **common)

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        criterion = to_template(PromptPaths.ASKED_CRITERION).text if self._calls == "each" else None
        own = {"rubric": self.rubric.to_json(), "calls": self._calls, "criterion_prompt": criterion}
        return {**super().params(), **own}


def _about(question: JudgeQuestion, criterion: RubricCriterion) -> JudgeQuestion:
    """The question about one criterion, which is named last."""
    *before, last = question.turns
    described = {"name": criterion.name, "description": criterion.description}
    shared = f"{last.text}\n\n"
    text = shared + to_template(PromptPaths.ASKED_CRITERION).render(criterion=described)
    return replace(question, turns=(*before, replace(last, text=text, n_shared=len(shared))))


def _mark_of(answer: JudgeAnswer, criterion: RubricCriterion) -> JudgeAnswer:
    """The answer as far as it concerns one criterion."""
    if answer.verdict is None:
        return answer
    return replace(answer, verdict=replace(answer.verdict, value=answer.verdict.value[criterion.name]))
