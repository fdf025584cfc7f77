"""Scorers that ask a judge for a place on a scale."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from judgecore.prompts import LikertScale, NumericScale, PromptPaths
from judgecore.reading import Format, Unreadable
from judgecore.scorers.judge import JudgeOptions, JudgeScorer, render_declared, schema_of, to_template
from judgecore.scorers.reader import JudgeVerdict, ParsedReply, to_reader
from judgecore.scorers.registration import register_scorer
from judgecore.scorers.schema import number_schema, verdict_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import Enum
    from os import PathLike

    from judgecore.prompts import LikertScalePaths, PromptTemplate
    from judgecore.scorers.score import ScoreType
    from judgecore.targets import Target


class ScaleJudgeScorer(JudgeScorer):
    """What all scorers share that ask a judge for a number; the score is (x - low) / (high - low)."""

    score_type: ClassVar[ScoreType] = "float_scale"
    renamed_keywords: ClassVar[Mapping[str, str]] = {
        "response_handler": "response_parser",
        "system_prompt": "system_prompt_path",
    }
    low: float
    high: float
    integer: bool = False

    def interpret(self, verdict: JudgeVerdict) -> JudgeVerdict | Unreadable:
        """Take numbers on the scale, as such or in words; the number itself stays in the metadata as ``level``."""
        number = to_number(verdict.value)
        if number is None:
            return Unreadable("malformed", f"score_value is {verdict.value!r}, no number")
        if not self.low <= number <= self.high:
            return Unreadable("out_of_range", f"{number:g} lies outside the scale {self.low:g} to {self.high:g}")
        if self.integer and number != int(number):
            return Unreadable("malformed", f"{number:g} is no whole number, and only those are on the scale")
        level = int(number) if self.integer else number
        metadata = {**verdict.metadata, "level": level, "low": self.low, "high": self.high}
        return replace(verdict, value=normalize(number, self.low, self.high), metadata=metadata)


@register_scorer("likert")
class SelfAskLikertScorer(ScaleJudgeScorer):
    """Asks a judge for a level of a Likert scale; 1 to 5 give 0, 0.25, 0.5, 0.75 and 1.

    Args:
        chat_target: The judge.
        likert_scale: The levels and their meanings, or a member of ``LikertScalePaths``.
        likert_scale_path: The scale's file, or a member of ``LikertScalePaths``, in its place.
        system_prompt_path: The system prompt's file, a member of ``PromptPaths``, or a template; the shipped one by
            default, which asks for JSON. Its slots are ``category``, ``levels``, ``low`` and ``high``.
        response_parser: As in ``SelfAskTrueFalseScorer``; its ``score_value`` is the level.
        **options: As in ``JudgeOptions``.

    Raises:
        ValueError: If no scale is given, or two are.
        PromptError: If a file makes no sense.
    """

    integer = True

    def __init__(
        self,
        *,
        chat_target: Target,
        likert_scale: LikertScale | LikertScalePaths | None = None,
        likert_scale_path: str | PathLike[str] | Enum | None = None,
        system_prompt_path: str | PathLike[str] | Enum | PromptTemplate | None = None,
        response_parser: Callable[[str], ParsedReply] | None = None,
        **options: Unpack[JudgeOptions],
    ) -> None:
        if (likert_scale is None) == (likert_scale_path is None):
            raise ValueError("give one scale: likert_scale= or likert_scale_path=")
        given = likert_scale or likert_scale_path or ""
        scale = given if isinstance(given, LikertScale) else LikertScale.from_yaml(given)
        template = to_template(system_prompt_path or PromptPaths.LIKERT_SYSTEM_PROMPT)
        self.likert_scale = scale
        self.low, self.high = scale.low, scale.high
        values = {"category": scale.category, "levels": scale.to_json()["levels"], "low": scale.low, "high": scale.high}
        super().__init__(
            chat_target=chat_target,
            reader=to_reader(response_parser, Format.score(scale.low, scale.high, integer=True)),
            system_prompt=render_declared(template, values),
            prompt=to_template(PromptPaths.JUDGED),
            schema=schema_of(
                template,
                response_parser,
                PromptPaths.LIKERT_SYSTEM_PROMPT,
                verdict_schema({"type": "integer", "enum": [level.value for level in scale.levels]}),
            ),
            category=[scale.category],
            options=options,
        )

    def interpret(self, verdict: JudgeVerdict) -> JudgeVerdict | Unreadable:
        """Take the scale's own levels, and say what the level means where the judge does not."""
        placed = super().interpret(verdict)
        if isinstance(placed, Unreadable):
            return placed
        meanings = {level.value: level.description for level in self.likert_scale.levels}
        level = int(placed.metadata["level"])
        if level not in meanings:
            return Unreadable("out_of_range", f"{level} is no level of the scale: {', '.join(map(str, meanings))}")
        return replace(placed, description=placed.description or meanings[level])

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        return {**super().params(), "likert_scale": self.likert_scale.to_json()}


@register_scorer("scale")
class SelfAskScaleScorer(ScaleJudgeScorer):
    """Asks a judge for a number on a scale; the score is (x - low) / (high - low).

    Args:
        chat_target: The judge.
        scale: The range and the meaning of its ends.
        scale_path: The scale's file, or a member of ``NumericScalePaths``, in its place.
        system_prompt_path: The system prompt's file, a member of ``PromptPaths``, or a template; the shipped one by
            default, which asks for JSON. Its slots are the attributes of ``NumericScale``; those of a true/false
            question get what the ends mean, true the high one.
        response_parser: As in ``SelfAskTrueFalseScorer``; its ``score_value`` is the number.
        **options: As in ``JudgeOptions``.

    Raises:
        ValueError: If no scale is given, or two are.
        PromptError: If a file makes no sense.
    """

    def __init__(
        self,
        *,
        chat_target: Target,
        scale: NumericScale | None = None,
        scale_path: str | PathLike[str] | Enum | None = None,
        system_prompt_path: str | PathLike[str] | Enum | PromptTemplate | None = None,
        response_parser: Callable[[str], ParsedReply] | None = None,
        **options: Unpack[JudgeOptions],
    ) -> None:
        if (scale is None) == (scale_path is None):
            raise ValueError("give one scale: scale= or scale_path=")
        known = scale or NumericScale.from_yaml(scale_path or "")
        template = to_template(system_prompt_path or PromptPaths.SCALE_SYSTEM_PROMPT)
        self.scale = known
        self.low, self.high, self.integer = known.low, known.high, known.integer
        ends = {"true_description": known.high_description, "false_description": known.low_description}
        super().__init__(
            chat_target=chat_target,
            reader=to_reader(response_parser, Format.score(known.low, known.high, integer=known.integer)),
            system_prompt=render_declared(template, {**known.to_json(), **ends}),
            prompt=to_template(PromptPaths.JUDGED),
            schema=schema_of(
                template,
                response_parser,
                PromptPaths.SCALE_SYSTEM_PROMPT,
                verdict_schema(number_schema(known.low, known.high, integer=known.integer)),
            ),
            category=[known.category],
            options=options,
        )

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        return {**super().params(), "scale": self.scale.to_json()}


def normalize(number: float, low: float, high: float) -> float:
    """Return where a number lies between two, from 0 to 1."""
    return (number - low) / (high - low)


def to_number(value: object) -> float | None:
    """Return a finite number, given as such or in decimal words; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
