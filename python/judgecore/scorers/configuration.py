"""Scorers and targets from YAML: the type's name, and its parameters as keys.

A file is validated by models that are made of the classes' own signatures, and editors get the same as JSON Schema.
"""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from judgecore import compat
from judgecore.containment import ALLOW_OUTSIDE, ContainedFile, LeadsOutsideError
from judgecore.errors import ConfigurationError, JudgecoreError
from judgecore.prompts.document import nearest, read_document, validate
from judgecore.reading import Format
from judgecore.scorers import composition, correctness, general, regex, rubric, scale, substring
from judgecore.scorers.aggregation import FloatScaleScoreAggregator, TrueFalseScoreAggregator
from judgecore.scorers.category import SelfAskCategoryScorer
from judgecore.scorers.comparative import ComparativeScorer, PairwiseScorer
from judgecore.scorers.configuration_types import (
    PARSERS,
    REFERENCE,
    SHIPPED,
    field_types,
    shipped_names,
    target_field_types,
)
from judgecore.scorers.guard import GuardScorer, LlamaGuardScorer, ShieldGemmaScorer, WildGuardScorer
from judgecore.scorers.judge import JudgeOptions, JudgeScorer
from judgecore.scorers.jury import JuryScorer
from judgecore.scorers.logprob import LogprobScorer
from judgecore.scorers.text_matching import ApproximateTextMatching, ExactTextMatching
from judgecore.scorers.true_false import SelfAskQuestionAnswerScorer, SelfAskRefusalScorer, SelfAskTrueFalseScorer
from judgecore.targets import AnthropicTarget, AzureOpenAITarget, OpenAITarget, RecordedTarget
from judgecore.targets.recording import recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from os import PathLike

    from judgecore.identity import ComponentIdentifier
    from judgecore.scorers.scorer import Scorer
    from judgecore.targets import Target

    _Beside = Callable[[str], ContainedFile]

SCORERS: dict[str, type[Scorer]] = {
    kind.__name__: kind
    for kind in (
        ComparativeScorer,
        PairwiseScorer,
        composition.FloatScaleThresholdScorer,
        composition.TrueFalseCompositeScorer,
        composition.TrueFalseInverterScorer,
        correctness.CorrectnessScorer,
        general.SelfAskGeneralFloatScaleScorer,
        general.SelfAskGeneralTrueFalseScorer,
        GuardScorer,
        LlamaGuardScorer,
        ShieldGemmaScorer,
        WildGuardScorer,
        JuryScorer,
        LogprobScorer,
        regex.KeywordRefusalScorer,
        regex.MarkdownInjectionScorer,
        regex.RegexScorer,
        rubric.RubricScorer,
        scale.SelfAskLikertScorer,
        scale.SelfAskScaleScorer,
        SelfAskCategoryScorer,
        SelfAskQuestionAnswerScorer,
        SelfAskRefusalScorer,
        SelfAskTrueFalseScorer,
        substring.DecodingScorer,
        substring.SubStringScorer,
    )
}
"""The scorers that a file may name."""

TARGETS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (AnthropicTarget, AzureOpenAITarget, OpenAITarget, RecordedTarget)
}
"""The targets that a file may name."""

_SCHEMA_OF = {"scorer": "scorer.schema.json", "target": "target.schema.json"}
_KEYS_OF_TARGETS = {
    "AnthropicTarget": "ANTHROPIC_API_KEY",
    "AzureOpenAITarget": "AZURE_OPENAI_API_KEY",
    "OpenAITarget": "OPENAI_API_KEY",
}
# What a file can't hold: a key would be shown, and a client is no text.
_NOT_IN_FILES = ("api_key", "client")


def load_scorer(
    path: str | PathLike[str],
    *,
    chat_target: Target | None = None,
    wrap_target: Callable[[Target], Target] | None = None,
    allow_outside: bool = False,
) -> Scorer:
    """Make the scorer that a YAML file describes.

    Args:
        path: The file: ``type`` is the scorer's class, the other keys are its parameters.
        chat_target: The judge of all scorers in it that name none of their own.
        wrap_target: What is made of each judge that the file names.
        allow_outside: Whether files that it names may lie outside of its folder.

    Raises:
        ConfigurationError: If the file makes no sense; the message names it, the key and the cure.
    """
    file = Path(path)
    document = read_document(file, ConfigurationError)
    return build_scorer(
        document, file=file, chat_target=chat_target, wrap_target=wrap_target, allow_outside=allow_outside
    )


def load_target(path: str | PathLike[str], *, allow_outside: bool = False) -> Target:
    """Make the target that a YAML file describes; its key comes from the environment.

    Args:
        path: The file: ``type`` is the target's class, the other keys are its parameters.
        allow_outside: As in ``load_scorer``.

    Raises:
        ConfigurationError: If the file makes no sense; the message names it, the key and the cure.
    """
    file = Path(path)
    return build_target(read_document(file, ConfigurationError), file=file, allow_outside=allow_outside)


def build_scorer(
    document: Mapping[str, Any],
    *,
    file: str | PathLike[str] = "scorer.yaml",
    chat_target: Target | None = None,
    wrap_target: Callable[[Target], Target] | None = None,
    place: str = "",
    allow_outside: bool = False,
) -> Scorer:
    """Make the scorer that a file's content describes.

    Args:
        document: The keys and values.
        file: The file, which errors name, and beside which files that it names stand.
        chat_target: As in ``load_scorer``.
        wrap_target: As in ``load_scorer``.
        place: The keys that lead to it, in a file that holds more.
        allow_outside: As in ``load_scorer``.

    Raises:
        ConfigurationError: As ``load_scorer``.
    """
    where = f"{file}: {place}" if place else str(file)
    kind = SCORERS[_type_of(document, SCORERS, where)]
    given = _checked(document, kind, field_types(kind.__name__), where)
    around = _Around(Path(file), chat_target, wrap_target or (lambda target: target), allow_outside)
    settled = {name: around.settle(name, value, f"{place}.{name}" if place else name) for name, value in given.items()}
    if issubclass(kind, JudgeScorer) and "chat_target" not in settled:
        if chat_target is None:
            raise ConfigurationError(f"{where}: {kind.__name__} asks a judge; name one, as with --target target.yaml")
        settled["chat_target"] = chat_target
    made: Scorer = _made(kind, settled, where)
    made.configuration = without_judges(document)
    return made


def build_target(
    document: Mapping[str, Any],
    *,
    file: str | PathLike[str] = "target.yaml",
    place: str = "",
    allow_outside: bool = False,
) -> Target:
    """Make the target that a file's content describes.

    Args:
        document: The keys and values.
        file: As in ``build_scorer``.
        place: As in ``build_scorer``.
        allow_outside: As in ``load_scorer``.

    Raises:
        ConfigurationError: As ``load_target``.
    """
    where = f"{file}: {place}" if place else str(file)
    name = _type_of(document, TARGETS, where)
    if "api_key" in document:
        raise ConfigurationError(
            f"{where}: api_key does not belong into a file; set {_KEYS_OF_TARGETS.get(name, 'it')}"
        )
    given = _checked(document, TARGETS[name], target_field_types(), where)
    if "source" in given:
        try:
            given["source"] = recorded(ContainedFile(Path(file).parent, given["source"], allow_outside))
        except LeadsOutsideError as problem:
            raise _outside(problem, f"{where}: source") from None
        except (JudgecoreError, ValueError, OSError) as problem:
            raise ConfigurationError(f"{where}: {problem}") from None
    return _made(TARGETS[name], given, where)


def documents_of(scorer: ComponentIdentifier) -> Iterator[dict[str, Any]]:
    """Return what a file may hold that describes a scorer, by its identity; the first that fits is to be taken.

    An identity has the texts of prompts and not the names of their files, so that each shipped one is tried.

    Args:
        scorer: Its identity. There is nothing for scorers that are not judgecore's own.
    """
    kind = SCORERS.get(scorer.class_name)
    if kind is None or scorer.class_module != "judgecore":
        return
    parameters = _parameters(kind)
    given = {name: value for name, value in scorer.params.items() if name in parameters and value is not None}
    plain: dict[str, Any] = {
        name: value for name, value in given.items() if isinstance(value, str | int | float | bool | list)
    }
    for known in (given, plain, {}):
        yield {"type": scorer.class_name, **known}
    options = {name: value for name, value in plain.items() if name in JudgeOptions.__annotations__}
    for name in parameters:
        for shipped in SHIPPED.get(name, ()):
            yield {"type": scorer.class_name, **options, name: shipped}


def named_files(document: Mapping[str, Any]) -> Iterator[str]:
    """Return the files that a scorer's description names and that are not shipped.

    Args:
        document: The keys and values.
    """
    for name, value in document.items():
        if name in SHIPPED and isinstance(value, str) and value not in SHIPPED[name]:
            yield value
        elif name == "format" and isinstance(value, str) and ".toml" in value:
            yield f"{value.partition('.toml')[0]}.toml"
        else:
            each: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
            for one in each:
                if isinstance(one, dict):
                    yield from named_files(cast("dict[str, Any]", one))


def without_judges(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scorer's description without the judges that it names, which are passed where it is used.

    Args:
        document: The keys and values.
    """

    def settle(value: Any) -> Any:
        if isinstance(value, dict):
            return without_judges(cast("dict[str, Any]", value))
        return [settle(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value

    return {name: settle(value) for name, value in document.items() if name != "chat_target"}


def json_schema(of: Literal["scorer", "target"]) -> dict[str, Any]:
    """Return the JSON Schema of files that describe a scorer, or a target, as editors use it.

    Args:
        of: Which of the two.
    """
    kinds = SCORERS if of == "scorer" else TARGETS
    definitions: dict[str, Any] = shipped_names() if of == "scorer" else {}
    for name, kind in sorted(kinds.items()):
        types = field_types(name) if of == "scorer" else target_field_types()
        schema = _model(kind, tuple(types.items())).model_json_schema(ref_template="#/$defs/{model}")
        definitions.update(schema.pop("$defs", {}))
        definitions[name] = schema
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A {of} of judgecore",
        "type": "object",
        "required": ["type"],
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in sorted(kinds)],
        "$defs": {name: _tidy(schema) for name, schema in sorted(definitions.items())},
    }


def shipped_schema(of: Literal["scorer", "target"]) -> Path:
    """Return the file that holds ``json_schema``, for an editor's settings.

    Args:
        of: Which of the two.
    """
    return Path(__file__).with_name(_SCHEMA_OF[of])


def _tidy(schema: Any) -> Any:
    """A schema without pydantic's titles and empty defaults, in which marks are references."""
    if isinstance(schema, list):
        return [_tidy(one) for one in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    settled: dict[str, Any] = {}
    for name, value in cast("dict[str, Any]", schema).items():
        is_noise = (name == "title" and isinstance(value, str)) or (name == "default" and value is None)
        if not is_noise:
            settled["$ref" if name == REFERENCE else name] = _tidy(value)
    return settled


def _type_of(document: Mapping[str, Any], known: Mapping[str, Any], where: str) -> str:
    name: object = document.get("type")
    if name is None:
        raise ConfigurationError(f"{where}: type is missing; it names the class, such as {next(iter(known))}")
    for what, other, option in (("judge", TARGETS, "--target"), ("scorer", SCORERS, "--scorer")):
        if other is not known and isinstance(name, str) and name in other:
            raise ConfigurationError(f"{where}: {name} is a {what}; name such a file with {option}")
    if not isinstance(name, str) or name not in known:
        raise ConfigurationError(f"{where}: type {name!r} is not known; {nearest(str(name), sorted(known))}")
    return name


def _checked(document: Mapping[str, Any], kind: type[Any], types: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The keys that stand in a file, each of its type."""
    model: Any = validate(document, _model(kind, tuple(types.items())), Path(where), ConfigurationError)
    return {name: getattr(model, name) for name in model.model_fields_set if name != "type"}


@cache
def _model(kind: type[Any], types: tuple[tuple[str, Any], ...]) -> type[Any]:
    """The model of a class's file, made of its signature."""
    from pydantic import ConfigDict, Field, create_model  # noqa: PLC0415 - loaded when a file is

    table = dict(types)
    about = _documented(kind)
    fields: dict[str, Any] = {"type": (Literal[kind.__name__], Field(description=about[""]))}
    for name, default in _parameters(kind).items():
        is_needed = default is inspect.Parameter.empty and name != "chat_target"
        described = Field(... if is_needed else None, description=about.get(name))
        fields[name] = (table[name], described)
    return create_model(kind.__name__, __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=True), **fields)


def _parameters(kind: type[Any]) -> dict[str, Any]:
    """The parameters that a file may set, with their defaults."""
    found: dict[str, Any] = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            found.update(dict.fromkeys(JudgeOptions.__annotations__))
        elif name not in _NOT_IN_FILES:
            found[name] = parameter.default
    return found


def _documented(kind: type[Any]) -> dict[str, str]:
    """What the docstring says of the class, under "", and of each parameter."""
    about: dict[str, str] = {}
    for owner in (JudgeOptions, *reversed(kind.__mro__[:-1])):
        lines = inspect.getdoc(owner) or ""
        about[""] = lines.partition("\n")[0]
        section = lines.partition("Args:\n")[2] or lines.partition("Attributes:\n")[2]
        name = ""
        for line in section.splitlines():
            if not line.startswith("    "):
                break
            words = line.strip()
            if not line.startswith("     "):
                name, _, words = words.partition(": ")
            about[name] = f"{about[name]} {words}" if line.startswith("     ") else words
    return about


@dataclass(frozen=True)
class _Around:
    """What the values of a file are settled by."""

    file: Path
    chat_target: Target | None
    wrap_target: Callable[[Target], Target]
    allow_outside: bool

    def settle(self, name: str, value: Any, place: str) -> Any:
        """What a parameter takes, of what the file says."""
        if name == "chat_target":
            judge = build_target(value, file=self.file, place=place, allow_outside=self.allow_outside)
            return self.wrap_target(judge)
        if name == "scorer":
            return self._nested(value, place)
        if name == "scorers":
            each = cast("list[dict[str, Any]]", value)
            return [self._nested(one, f"{place}.{number}") for number, one in enumerate(each)]
        settle = _SETTLED.get(name)
        try:
            if name in SHIPPED:
                return _shipped(name, value, self._beside)
            return settle(value, self._beside) if settle else value
        except LeadsOutsideError as problem:
            raise _outside(problem, f"{self.file}: {place}") from None
        except (JudgecoreError, ValueError, OSError) as problem:
            raise ConfigurationError(f"{self.file}: {place}: {problem}") from None

    def _beside(self, name: str) -> ContainedFile:
        return ContainedFile(self.file.parent, name, self.allow_outside)

    def _nested(self, value: dict[str, Any], place: str) -> Scorer:
        return build_scorer(
            value,
            file=self.file,
            chat_target=self.chat_target,
            wrap_target=self.wrap_target,
            place=place,
            allow_outside=self.allow_outside,
        )


def _outside(problem: LeadsOutsideError, where: str) -> ConfigurationError:
    return ConfigurationError(f"{where}: {problem.filename!r} {problem.strerror}; {ALLOW_OUTSIDE}")


def _shipped(name: str, value: str, beside: _Beside) -> Path | ContainedFile:
    """A shipped file by its name, or a file beside the one that names it."""
    known = SHIPPED[name]
    if value in known:
        return known[value]
    file = beside(value)
    if not file.resolve().is_file():
        raise ConfigurationError(
            f"no file {file}, and nothing is shipped by that name; {nearest(value, sorted(known))}"
        )
    return file


def _format(value: str, beside: _Beside) -> Format:
    if ".toml" not in value:
        return Format.get(value)
    name, _, variant = value.partition(".toml:") if ".toml:" in value else (value.removesuffix(".toml"), "", "")
    # The engine opens files itself, by name.
    return Format.from_toml(beside(f"{name}.toml").resolve(), variant or None)


def _matcher(value: dict[str, Any], _: _Beside) -> ExactTextMatching | ApproximateTextMatching:
    options = dict(value)
    named = options.pop("matching", None)
    kind = {"exact": ExactTextMatching, "approximate": ApproximateTextMatching}.get(named)
    if kind is None:
        raise ConfigurationError(f"matching is {named!r}; it must be exact or approximate")
    try:
        return kind(**options)
    except TypeError as problem:
        raise ConfigurationError(str(problem).partition("() ")[2]) from None


def _aggregator(value: str, _: _Beside) -> TrueFalseScoreAggregator | FloatScaleScoreAggregator:
    is_true_false = value in TrueFalseScoreAggregator.__members__
    return TrueFalseScoreAggregator(value) if is_true_false else FloatScaleScoreAggregator(value)


_SETTLED: dict[str, Callable[[Any, _Beside], Any]] = {
    "aggregator": _aggregator,
    "float_scale_aggregator": _aggregator,
    "format": _format,
    "response_parser": lambda value, _: getattr(compat, value) if value in PARSERS else None,
    "text_matcher": _matcher,
}


def _made(kind: type[Any], arguments: dict[str, Any], where: str) -> Any:
    """The object, or what its class says of the arguments, at its place in the file."""
    try:
        return kind(**arguments)
    except (JudgecoreError, ValueError, TypeError, OSError) as problem:
        raise ConfigurationError(f"{where}: {problem}") from None


def write_schema(of: Literal["scorer", "target"]) -> str:
    """Return the text of ``shipped_schema``, made anew.

    Args:
        of: Which of the two.
    """
    return json.dumps(json_schema(of), indent=2, ensure_ascii=False) + "\n"
