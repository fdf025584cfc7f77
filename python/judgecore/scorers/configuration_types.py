"""The types of the keys in scorers' and targets' files, by parameter."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from judgecore import compat
from judgecore.prompts import (
    CategorySet,
    CategorySetPaths,
    GuardPolicy,
    LikertScale,
    LikertScalePaths,
    NumericScale,
    NumericScalePaths,
    PromptPaths,
    Rubric,
    RubricPaths,
    TrueFalseQuestion,
    TrueFalseQuestionPaths,
    guards,
)
from judgecore.scorers.aggregation import FloatScaleScoreAggregator, TrueFalseScoreAggregator
from judgecore.scorers.guard import Side
from judgecore.scorers.reader import Mode
from judgecore.scorers.regex import PatternSetPaths
from judgecore.scorers.response import TurnSelection
from judgecore.targets import Pacing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from enum import Enum

PARSERS = tuple(sorted(name for name in compat.__all__ if name.startswith("parse_")))
"""The functions that a file may name as ``response_parser``; others are passed in Python."""


REFERENCE = "x-refers-to"
"""The key that marks, in a schema in the making, what it refers to: pydantic follows references of its own alone."""


def _by_name(members: Iterable[Enum]) -> dict[str, Path]:
    return {Path(member.value).stem: member.value for member in members}


SHIPPED: dict[str, dict[str, Path]] = {
    "categories_path": _by_name(CategorySetPaths),
    "likert_scale_path": _by_name(LikertScalePaths),
    "patterns_path": _by_name(PatternSetPaths),
    "prompt_path": _by_name(PromptPaths),
    "rubric_path": _by_name(RubricPaths),
    "scale_path": _by_name(NumericScalePaths),
    "system_prompt_path": _by_name(PromptPaths),
    "true_false_question_path": _by_name(TrueFalseQuestionPaths),
    "true_false_system_prompt_path": _by_name(PromptPaths),
}
"""The shipped files that a key may name, by parameter."""


@cache
def field_types(scorer: str) -> dict[str, Any]:
    """Return the type of each parameter that a scorer's file may set.

    Args:
        scorer: The scorer's class; a few parameters mean something else to another.
    """
    from pydantic import Field, WithJsonSchema  # noqa: PLC0415 - loaded when a file is

    def path_of(name: str) -> Any:
        return Annotated[str, WithJsonSchema({REFERENCE: f"#/$defs/{name}"})]

    def part(schema: dict[str, Any]) -> Any:
        return Annotated[dict[str, Any], WithJsonSchema(schema)]

    at_least_one = Annotated[int, Field(ge=1)]
    none_or_more: Any = Annotated[int | None, Field(ge=1)]
    matching = {
        "type": "object",
        "properties": {
            "matching": {"enum": ["exact", "approximate"]},
            "case_sensitive": {"type": "boolean"},
            "threshold": {"type": "number", "minimum": 0, "maximum": 1},
            "n": {"type": "integer", "minimum": 1},
        },
        "required": ["matching"],
        "additionalProperties": False,
    }
    truths = [one.value for one in TrueFalseScoreAggregator]
    numbers = [one.value for one in FloatScaleScoreAggregator]
    types: dict[str, Any] = {
        "aggregator": _literal(truths + numbers if scorer == "JuryScorer" else truths),
        "allow_tie": bool,
        "calls": Literal["one", "each"],
        "categories": CategorySet if scorer == "SelfAskCategoryScorer" else list[str],
        "category": str,
        "category_output_key": str,
        "chat_target": part({"type": "object", "required": ["type"]}),
        "description_output_key": str,
        "disagreement": Literal["tie", "undetermined"],
        "first_characters": none_or_more,
        "float_scale_aggregator": _literal(numbers),
        "format": str,
        "guard": _literal(guards()),
        "guideline": str,
        "instruction": str,
        "integer": bool,
        "likert_scale": LikertScale,
        "max_reading_attempts": at_least_one,
        "max_tokens": none_or_more,
        "max_value": float,
        "metadata_output_key": str,
        "min_mass": float,
        "min_value": float,
        "mode": _literal(get_args(Mode)),
        "orders": Literal["both", "given"],
        "output_format": Literal["yes/no", "0/1"],
        "patterns": dict[str, str],
        "policy": GuardPolicy,
        "prompt_format_string": str,
        "quorum": none_or_more,
        "rationale_output_key": str,
        "reasoning_effort": str | None,
        "response_json_schema": dict[str, Any],
        "response_parser": _literal(PARSERS),
        "rubric": Rubric,
        "say_what_was_wrong": bool,
        "scale": NumericScale,
        "score_value_output_key": str,
        "scorer": part({REFERENCE: "#"}),
        "scorers": Annotated[list[dict[str, Any]], WithJsonSchema({"type": "array", "items": {REFERENCE: "#"}})],
        "seed": int | None,
        "side": _literal(get_args(Side)),
        "statement": str,
        "substring": str,
        "system_prompt_format_string": str,
        "text_matcher": part(matching),
        "threshold": float,
        "top_logprobs": Annotated[int, Field(ge=1)],
        "true_false_question": TrueFalseQuestion,
        "turns": _literal(get_args(TurnSelection)),
        "version": str,
    }
    return types | {name: path_of(name) for name in SHIPPED}


def shipped_names() -> dict[str, Any]:
    """Return the schema of each parameter that takes a shipped file or one of the caller's own."""
    own = {"type": "string", "description": "A file beside this one."}
    return {name: {"anyOf": [{"enum": sorted(known)}, own]} for name, known in SHIPPED.items()}


@cache
def target_field_types() -> dict[str, Any]:
    """Return the type of each parameter that a target's file may set."""
    places = Literal["json_schema", "json_object", "output_config", "prompt"]
    return {
        "api_version": str | None,
        "base_url": str | None,
        "connect_timeout_s": float,
        "deployment": str,
        "endpoint": str | None,
        "extra": dict[str, Any],
        "max_bytes": int,
        "max_tokens_key": Literal["max_tokens", "max_completion_tokens"],
        "model": str,
        "pacing": Pacing,
        "read_timeout_s": float,
        "schema_in": places,
        "source": str,
        "target": str | None,
        "temperature": float | None,
        "top_p": float | None,
    }


def _literal(values: Iterable[str]) -> Any:
    return Literal[tuple(values)]
