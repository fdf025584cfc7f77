"""Scorers that ask a judge with prompts of the caller's own words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack, cast

from judgecore.prompts import PromptPaths, PromptTemplate
from judgecore.prompts.criteria import plain_number
from judgecore.reading import Format, Mode, to_format
from judgecore.scorers.judge import JudgeOptions, JudgeScorer, fill, to_template
from judgecore.scorers.reader import FormatReader, to_reader
from judgecore.scorers.registration import register_scorer
from judgecore.scorers.scale import ScaleJudgeScorer
from judgecore.scorers.true_false import TrueFalseJudgeScorer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from judgecore.scorers.judge import JudgeQuestion
    from judgecore.scorers.reader import ParsedReply
    from judgecore.scorers.response import Response
    from judgecore.targets import Target

# What shows the judge what it judges.
_SHOWN = ("response", "conversation")

_PARTS = ("score_value", "rationale", "description", "metadata", "category")


class OwnPromptOptions(JudgeOptions, total=False):
    """Options of the scorers that ask in your own words, beside ``JudgeOptions``.

    Attributes:
        prompt_format_string: What the judge is shown; the shipped prompt by default.
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
    """

    prompt_format_string: str | PromptTemplate | None
    category: str | None
    format: Format | str | None
    mode: Mode
    response_parser: Callable[[str], ParsedReply] | None
    score_value_output_key: str
    rationale_output_key: str
    description_output_key: str
    metadata_output_key: str
    category_output_key: str
    response_json_schema: Mapping[str, Any] | None


class OwnPromptScorer(JudgeScorer):
    """A scorer whose system prompt is filled for each response."""

    options_type = OwnPromptOptions

    def __init__(
        self, chat_target: Target, system: str | PromptTemplate, contract: Format, options: OwnPromptOptions
    ) -> None:
        own: dict[str, Any] = dict(options)
        self._system = to_general_template(system, "system_prompt_format_string")
        parser = own.pop("response_parser", None)
        keys = {f"{part}_key": own.pop(f"{part}_output_key", part) for part in _PARTS}
        super().__init__(
            chat_target=chat_target,
            reader=format_reader(own.pop("format", None), own.pop("mode", "lenient"), parser)
            or to_reader(parser, contract, **keys),
            system_prompt=self._system.text,
            prompt=_shown(self._system, own.pop("prompt_format_string", None)),
            schema=own.pop("response_json_schema", None),
            category=[own.pop("category", None) or ""],
            options=cast("JudgeOptions", own),
        )

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
        **options: As in ``OwnPromptOptions`` and ``JudgeOptions``.

    Raises:
        PromptError: If a format string makes no sense, or nothing shows the judge the response.
        ValueError: If both a format and a parser are given.
    """

    def __init__(
        self,
        *,
        chat_target: Target,
        system_prompt_format_string: str | PromptTemplate,
        **options: Unpack[OwnPromptOptions],
    ) -> None:
        contract = Format.binary(true=["true"], false=["false"])
        super().__init__(chat_target, system_prompt_format_string, contract, options)


@register_scorer("general_float_scale")
class SelfAskGeneralFloatScaleScorer(OwnPromptScorer, ScaleJudgeScorer):
    """Asks a judge in your own words, and reads a number; the score is (x - low) / (high - low).

    Args:
        chat_target: The judge.
        system_prompt_format_string: As in ``SelfAskGeneralTrueFalseScorer``.
        min_value: The lowest number.
        max_value: The highest number.
        integer: Whether only whole numbers are on the scale.
        **options: As in ``OwnPromptOptions`` and ``JudgeOptions``.

    Raises:
        PromptError: If a format string makes no sense, or nothing shows the judge the response.
        ValueError: If the numbers make no scale, or both a format and a parser are given.
    """

    def __init__(
        self,
        *,
        chat_target: Target,
        system_prompt_format_string: str | PromptTemplate,
        min_value: float = 0,
        max_value: float = 100,
        integer: bool = False,
        **options: Unpack[OwnPromptOptions],
    ) -> None:
        if not min_value < max_value:
            raise ValueError(f"a scale goes from a lower to a higher number, not from {min_value} to {max_value}")
        self.low, self.high, self.integer = plain_number(min_value), plain_number(max_value), integer
        contract = Format.score(self.low, self.high, integer=integer)
        super().__init__(chat_target, system_prompt_format_string, contract, options)

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
