"""The parameters of a scorer or a target that a file can set, from the signature of its class."""

from __future__ import annotations

import collections.abc
import enum
import inspect
import os
import sys
import types
import typing
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, Union, cast

from judgecore import compat, prompts, targets
from judgecore.prompts import (
    CategorySetPaths,
    LikertScalePaths,
    NumericScalePaths,
    PromptPaths,
    RubricPaths,
    TrueFalseQuestionPaths,
    guards,
)
from judgecore.prompts.document import nearest
from judgecore.reading import Format
from judgecore.scorers.regex import PatternSetPaths
from judgecore.scorers.substring import ApproximateTextMatching, ExactTextMatching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from enum import Enum

    from judgecore.containment import ContainedFile
    from judgecore.scorers.scorer import Scorer
    from judgecore.targets import Target

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


class Surroundings(Protocol):
    """The context in which a file's values become arguments."""

    def file(self, name: str) -> ContainedFile:
        """Return a file that the file names."""
        ...

    def make_target(self, document: Mapping[str, Any], place: str) -> Target:
        """Make the target that is described at a place in the file."""
        ...

    def make_scorer(self, document: Mapping[str, Any], place: str) -> Scorer:
        """Make the scorer that is described at a place in the file."""
        ...


def _as_it_is(value: Any, around: Surroundings, place: str) -> Any:
    del around, place
    return value


@dataclass(frozen=True)
class Field:
    """How a file sets one parameter."""

    type: Any
    settle: Callable[[Any, Surroundings, str], Any] = _as_it_is
    is_required: bool = False


@dataclass(frozen=True)
class Fields:
    """The parameters of a class that a file can set."""

    known: Mapping[str, Field]
    refused: Mapping[str, str]
    options: type[Any] | None


@cache
def fields_of(kind: type[Any]) -> Fields:
    """Return the parameters of a class that a file can set, according to their annotations.

    Files can hold JSON values, dataclasses and enums of them, and names of files. Other parameters can be set if they
    have a name that judgecore's own classes use (``chat_target``, ``scorer``, ``format``, ...). API keys are never in
    files.
    """
    known: dict[str, Field] = {}
    refused: dict[str, str] = {}
    options: type[Any] | None = None
    for name, annotation, is_required, owner in _parameters(kind):
        options = options if owner is kind else owner
        if name == "api_key":
            variable = getattr(kind, "key_variable", "the environment variable that the class reads")
            refused[name] = f"does not belong into a file; set {variable}"
            continue
        field = _field(name, annotation, is_ours=kind.__module__.startswith("judgecore."))
        if field is None:
            said = getattr(annotation, "__forward_arg__", annotation)
            refused[name] = f"can't be set in a file, which holds no {said}; pass it in Python"
        else:
            # A judge may be given beside the file.
            known[name] = Field(field.type, field.settle, is_required and name != "chat_target")
    return Fields(known, refused, options)


def shipped_names() -> dict[str, Any]:
    """Return the schema of each parameter that names a shipped file or the user's own."""
    own = {"type": "string", "description": "A file beside this one."}
    return {name: {"anyOf": [{"enum": sorted(known)}, own]} for name, known in SHIPPED.items()}


def _parameters(kind: type[Any]) -> Iterator[tuple[str, Any, bool, type[Any]]]:
    """Yield name, annotation, whether it is required, and the declaring class of each parameter."""
    # The class that is made may inherit how.
    maker = next(one for one in kind.__mro__ if "__init__" in vars(one))
    for name, parameter in inspect.signature(kind).parameters.items():
        annotation = Any if parameter.annotation is parameter.empty else _resolved(parameter.annotation, maker)
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            yield name, annotation, parameter.default is parameter.empty, kind
        elif typing.get_origin(annotation) is typing.Unpack:
            (options,) = typing.get_args(annotation)
            for option, written in options.__annotations__.items():
                yield option, _resolved(written, options), option in options.__required_keys__, options


def _resolved(annotation: Any, owner: type[Any]) -> Any:
    """Evaluate an annotation; return its text if a name in it is only imported for type checkers."""
    holder = types.SimpleNamespace(__annotations__={"it": annotation})
    names = _names_of_annotations() | vars(sys.modules[owner.__module__])
    try:
        return typing.get_type_hints(holder, globalns=names, include_extras=True)["it"]
    except NameError:
        return annotation


@cache
def _names_of_annotations() -> dict[str, Any]:
    """Names that modules often import only for type checkers."""
    stations = {name: getattr(station, name) for station in (prompts, targets) for name in station.__all__}
    return {
        **vars(typing),
        **vars(collections.abc),
        **stations,
        "Enum": enum.Enum,
        "Path": Path,
        "PathLike": os.PathLike,
    }


def _field(name: str, annotation: Any, *, is_ours: bool) -> Field | None:
    """How a file sets a parameter; None if it can't."""
    members: tuple[Any, ...] = (annotation,)
    if typing.get_origin(annotation) in (Union, types.UnionType):
        members = typing.get_args(annotation)
    held = [one for one in members if _is_held(one)]
    if is_ours or len(held) < len(members):
        field = _fields_by_name().get(name)
        if field is not None:
            return field
    if paths := [one for one in members if _is_path(one)]:
        settle = _path if Path in paths else _file
        return Field(str | None if type(None) in members else str, settle)
    if not set(held) - {type(None)}:
        return None
    return Field(cast("Any", Union)[tuple(held)])


def _is_held(annotation: Any) -> bool:
    """Return whether a file can hold values of a type."""
    from pydantic import PydanticUserError, TypeAdapter  # noqa: PLC0415 - loaded when a file is

    if isinstance(annotation, str) or annotation is enum.Enum:
        return False
    try:
        TypeAdapter(annotation).json_schema()
    except PydanticUserError:
        return False
    return True


def _is_path(annotation: Any) -> bool:
    return hasattr(typing.get_origin(annotation) or annotation, "__fspath__")


@cache
def _fields_by_name() -> dict[str, Field]:
    """The parameters of judgecore's own classes that need a conversion or bounds."""
    from pydantic import Field as Bounds, WithJsonSchema  # noqa: I001, PLC0415 - loaded when a file is

    def described(plain: Any, schema: dict[str, Any]) -> Any:
        return Annotated[plain, WithJsonSchema(schema)]

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
    nested = dict[str, Any]
    at_least_one: Any = Annotated[int, Bounds(ge=1)]
    fields = {
        "chat_target": Field(
            described(nested, {"type": "object", "required": ["type"]}),
            lambda value, around, place: around.make_target(value, place),
        ),
        "first_characters": Field(at_least_one | None),
        "format": Field(str, _format),
        "guard": Field(Literal[tuple(guards())]),
        "max_reading_attempts": Field(at_least_one),
        "max_tokens": Field(at_least_one | None),
        "quorum": Field(at_least_one | None),
        "response_parser": Field(Literal[PARSERS], lambda value, _, __: getattr(compat, value)),
        "scorer": Field(
            described(nested, {REFERENCE: "#"}), lambda value, around, place: around.make_scorer(value, place)
        ),
        "scorers": Field(described(list[nested], {"type": "array", "items": {REFERENCE: "#"}}), _scorers),
        "text_matcher": Field(described(nested, matching), _matcher),
        "top_logprobs": Field(at_least_one),
    }
    for name, shipped in SHIPPED.items():
        fields[name] = Field(described(str, {REFERENCE: f"#/$defs/{name}"}), partial(_shipped, shipped))
    return fields


def _file(value: str | None, around: Surroundings, _: str) -> ContainedFile | None:
    """A file in the folder of this one; it is checked here, where the key is known."""
    if value is None:
        return None
    file = around.file(value)
    file.resolve()
    return file


def _path(value: str | None, around: Surroundings, _: str) -> Path | None:
    return None if value is None else around.file(value).resolve()


def _scorers(value: list[dict[str, Any]], around: Surroundings, place: str) -> list[Scorer]:
    return [around.make_scorer(one, f"{place}.{number}") for number, one in enumerate(value)]


def _shipped(known: Mapping[str, Path], value: str, around: Surroundings, _: str) -> Path | ContainedFile:
    """A shipped file by its name, or a file in the folder of this one."""
    if value in known:
        return known[value]
    file = around.file(value)
    if not file.resolve().is_file():
        raise ValueError(f"no file {file}, and nothing is shipped by that name; {nearest(value, sorted(known))}")
    return file


def _format(value: str, around: Surroundings, _: str) -> Format:
    if ".toml" not in value:
        return Format.get(value)
    name, _, variant = value.partition(".toml:") if ".toml:" in value else (value.removesuffix(".toml"), "", "")
    # The engine opens files itself, by name.
    return Format.from_toml(around.file(f"{name}.toml").resolve(), variant or None)


def _matcher(value: dict[str, Any], _: Surroundings, __: str) -> ExactTextMatching | ApproximateTextMatching:
    options = dict(value)
    named = options.pop("matching", None)
    kind = {"exact": ExactTextMatching, "approximate": ApproximateTextMatching}.get(named)
    if kind is None:
        raise ValueError(f"matching is {named!r}; it must be exact or approximate")
    try:
        return kind(**options)
    except TypeError as problem:
        raise ValueError(str(problem).partition("() ")[2]) from None
