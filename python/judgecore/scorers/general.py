"""Scorers that ask a judge with prompts of the caller's own words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from judgecore.prompts import PromptPaths, PromptTemplate, plain_number
from judgecore.reading import Format, Mode, to_format
from judgecore.scorers.judge import JudgeOptions, JudgeScorer, fill, to_template
from judgecore.scorers.reader import FormatReader, to_reader
from judgecore.scorers.registration import register_scorer
from judgecore.scorers.scale import ScaleJudgeScorer
from judgecore.scorers.true_false import TrueFalseJudgeScorer, true_false_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from judgecore.scorers.judge import JudgeQuestion
    from judgecore.scorers.reader import ParsedReply
    from judgecore.scorers.response import Response
    from judgecore.targets import Target

# What shows the judge what it judges.
_SHOWN = ("response", "conversation")


class OwnPromptScorer(JudgeScorer):
    """A scorer whose system prompt is filled for each response."""

    _system: PromptTemplate

    def question(self, response: Response) -> JudgeQuestion:
        """Return what the judge is asked about a response."""
        system = fill(self._system, self.values(response), str(response), others=[self.prompt])
        return replace(super().question(response), system=system)


@register_scorer("general_true_false")
class SelfAskGeneralTrueFalseScorer(OwnPromptScorer, TrueFalseJudgeScorer):
    """Asks a judge in your own words, and reads true or false.

    A format string has slots, ``{response}``, ``{objective}`` and those of the response's ``fields``; each is filled
    between tagged delimiters, and nothing that stands in a value is interpreted. A ``PromptTemplate`` does more.

    Args:
        chat_target: The judge.
        system_prompt_format_string: What it is told.
        prompt_format_string: What it is shown; the shipped prompt by default.
        category: What is judged; it becomes ``Score.score_category``.
        format: What the judge is asked to answer, by id or as such, in place of the JSON contract.
        mode: How replies in that format are read.
        response_parser: As in ``SelfAskTrueFalseScorer``.
        score_value_output_key: The key of the score in the judge's JSON.
        rationale_output_key: The key of the reasons.
        description_output_key: The key of the description.
        metadata_output_key: The key of the metadata.
        category_output_key: The key of the category.
        response_json_schema: The JSON Schema that the replies must keep; None for none.
        **options: As in ``JudgeOptions``.

    Raises:
        PromptError: If a format string makes no sense, or nothing shows the judge the response.
        ValueError: If both a format and a parser are given.

    References:
        PyRIT 1.1.0, ``SelfAskGeneralTrueFalseScorer``.
    """

    def __init__(
        self,
        *,
        chat_target: Target,
        system_prompt_format_string: str | PromptTemplate,
        prompt_format_string: str | PromptTemplate | None = None,
        category: str | None = None,
        format: Format | str | None = None,  # noqa: A002 - the contract's name
        mode: Mode = "lenient",
        response_parser: Callable[[str], ParsedReply] | None = None,
        score_value_output_key: str = "score_value",
        rationale_output_key: str = "rationale",
        description_output_key: str = "description",
        metadata_output_key: str = "metadata",
        category_output_key: str = "category",
        response_json_schema: Mapping[str, Any] | None = None,
        **options: Unpack[JudgeOptions],
    ) -> None:
        self._system = to_general_template(system_prompt_format_string, "system_prompt_format_string")
        super().__init__(
            chat_target=chat_target,
            reader=format_reader(format, mode, response_parser)
            or true_false_reader(
                response_parser,
                score_value_key=score_value_output_key,
                rationale_key=rationale_output_key,
                description_key=description_output_key,
                metadata_key=metadata_output_key,
                category_key=category_output_key,
            ),
            system_prompt=self._system.text,
            prompt=_shown(self._system, prompt_format_string),
            schema=response_json_schema,
            category=[category or ""],
            options=options,
        )


@register_scorer("general_float_scale")
class SelfAskGeneralFloatScaleScorer(OwnPromptScorer, ScaleJudgeScorer):
    """Asks a judge in your own words, and reads a number; the score is (x - low) / (high - low).

    Args:
        chat_target: The judge.
        system_prompt_format_string: As in ``SelfAskGeneralTrueFalseScorer``.
        prompt_format_string: As in ``SelfAskGeneralTrueFalseScorer``.
        min_value: The lowest number.
        max_value: The highest number.
        integer: Whether only whole numbers are on the scale.
        category: What is judged; it becomes ``Score.score_category``.
        format: What the judge is asked to answer, by id or as such, in place of the JSON contract.
        mode: How replies in that format are read.
        response_parser: As in ``SelfAskTrueFalseScorer``; its ``score_value`` is the number.
        score_value_output_key: The key of the score in the judge's JSON.
        rationale_output_key: The key of the reasons.
        description_output_key: The key of the description.
        metadata_output_key: The key of the metadata.
        category_output_key: The key of the category.
        response_json_schema: The JSON Schema that the replies must keep; None for none.
        **options: As in ``JudgeOptions``.

    Raises:
        PromptError: If a format string makes no sense, or nothing shows the judge the response.
        ValueError: If the numbers make no scale, or both a format and a parser are given.

    References:
        PyRIT 1.1.0, ``SelfAskGeneralFloatScaleScorer``.
    """

    def __init__(
        self,
        *,
        chat_target: Target,
        system_prompt_format_string: str | PromptTemplate,
        prompt_format_string: str | PromptTemplate | None = None,
        min_value: float = 0,
        max_value: float = 100,
        integer: bool = False,
        category: str | None = None,
        format: Format | str | None = None,  # noqa: A002 - the contract's name
        mode: Mode = "lenient",
        response_parser: Callable[[str], ParsedReply] | None = None,
        score_value_output_key: str = "score_value",
        rationale_output_key: str = "rationale",
        description_output_key: str = "description",
        metadata_output_key: str = "metadata",
        category_output_key: str = "category",
        response_json_schema: Mapping[str, Any] | None = None,
        **options: Unpack[JudgeOptions],
    ) -> None:
        if not min_value < max_value:
            raise ValueError(f"a scale goes from a lower to a higher number, not from {min_value} to {max_value}")
        self.low, self.high, self.integer = plain_number(min_value), plain_number(max_value), integer
        self._system = to_general_template(system_prompt_format_string, "system_prompt_format_string")
        super().__init__(
            chat_target=chat_target,
            reader=format_reader(format, mode, response_parser)
            or to_reader(
                response_parser,
                Format.score(self.low, self.high, integer=integer),
                score_value_key=score_value_output_key,
                rationale_key=rationale_output_key,
                description_key=description_output_key,
                metadata_key=metadata_output_key,
                category_key=category_output_key,
            ),
            system_prompt=self._system.text,
            prompt=_shown(self._system, prompt_format_string),
            schema=response_json_schema,
            category=[category or ""],
            options=options,
        )

    def params(self) -> dict[str, Any]:
        """Return everything that can change a verdict, as JSON values by name."""
        return {**super().params(), "min_value": self.low, "max_value": self.high, "integer": self.integer}


def format_reader(format: Format | str | None, mode: Mode, parser: object) -> FormatReader | None:  # noqa: A002 - the contract's name
    """Return the reader of a format, if one is given; there may then be no parser."""
    if format is None:
        return None
    if parser is not None:
        raise ValueError("format= and response_parser= are two ways to read a reply; leave one out")
    return FormatReader(format=to_format(format), mode=mode)


def to_general_template(template: str | PromptTemplate, name: str) -> PromptTemplate:
    """Return a template, made of a format string if need be."""
    return template if isinstance(template, PromptTemplate) else PromptTemplate.from_format_string(template, name=name)


def _shown(system: PromptTemplate, prompt: str | PromptTemplate | None) -> PromptTemplate:
    """The prompt that is shown; it must show the response, unless the system prompt does."""
    is_shown = bool(set(_SHOWN).intersection(system.parameters))
    if prompt is None:
        return to_template(PromptPaths.JUDGED)
    template = to_general_template(prompt, "prompt_format_string")
    return to_template(template, shows=() if is_shown else _SHOWN)
