"""Scorers and targets from YAML files: ``type`` names the class, and the other keys are its parameters.

Files are validated with pydantic models that follow the classes' signatures; editors use their JSON Schema.
"""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from judgecore.containment import ALLOW_OUTSIDE, ContainedFile, LeadsOutsideError
from judgecore.errors import ConfigurationError, JudgecoreError
from judgecore.identity import ComponentIdentifier
from judgecore.prompts.document import nearest, read_document, validate
from judgecore.scorers.configuration_fields import REFERENCE, SHIPPED, fields_of, shipped_names
from judgecore.scorers.judge import JudgeOptions, JudgeScorer
from judgecore.scorers.registration import SCORERS
from judgecore.scorers.score import ScoreType
from judgecore.targets.registration import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping
    from os import PathLike

    from judgecore.plugins import Plugins
    from judgecore.scorers.scorer import Scorer
    from judgecore.targets import Target

_OPTION_OF = {"judge": (TARGETS, "--target"), "scorer": (SCORERS, "--scorer")}


def load_scorer(
    path: str | PathLike[str],
    *,
    chat_target: Target | None = None,
    wrap_target: Callable[[Target], Target] | None = None,
    allow_outside: bool = False,
) -> Scorer:
    """Make the scorer that a YAML file describes."""
    file = Path(path)
    document = read_document(file, ConfigurationError)
    return build_scorer(
        document, file=file, chat_target=chat_target, wrap_target=wrap_target, allow_outside=allow_outside
    )


def load_target(path: str | PathLike[str], *, allow_outside: bool = False) -> Target:
    """Make the target that a YAML file describes; its key comes from the environment."""
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
    """Make a scorer from a file's content; the other arguments and errors are those of ``load_scorer``."""
    around = _Around(Path(file), chat_target, wrap_target or (lambda target: target), allow_outside)
    where = around.where(place)
    kind = _find(document, SCORERS, where)
    settled = around.settle(document, kind, place)
    if issubclass(kind, JudgeScorer) and "chat_target" not in settled:
        if chat_target is None:
            raise ConfigurationError(f"{where}: {kind.__name__} asks a judge; name one, as with --target target.yaml")
        settled["chat_target"] = chat_target
    with _naming(where):
        made: Scorer = kind(**settled)
        if getattr(made, "score_type", None) not in get_args(ScoreType):
            raise ValueError(f"{kind.__name__}.score_type must be one of {', '.join(get_args(ScoreType))}")
        # What is not JSON in an identity is found here and not while responses are scored.
        _ = made.known_identifier
    made.configuration = without_judges(document)
    return made


def build_target(
    document: Mapping[str, Any],
    *,
    file: str | PathLike[str] = "target.yaml",
    place: str = "",
    allow_outside: bool = False,
) -> Target:
    """Make a target from a file's content; the arguments and errors are those of ``build_scorer``."""
    around = _Around(Path(file), None, lambda target: target, allow_outside)
    where = around.where(place)
    kind = _find(document, TARGETS, where)
    settled = around.settle(document, kind, place)
    with _naming(where):
        made: Target = kind(**settled)
        identity = made.get_identifier()
        if not isinstance(identity, ComponentIdentifier):  # pyright: ignore[reportUnnecessaryIsInstance] - a user's class
            what = type(identity).__name__
            raise TypeError(f"{kind.__name__}.get_identifier returned {what}; return a ComponentIdentifier")
    return made


def documents_of(scorer: ComponentIdentifier) -> Iterator[dict[str, Any]]:
    """Yield possible file contents of one of judgecore's own scorers, from its identity; use the first that fits.

    An identity has the texts of prompts but not the names of their files, so each shipped file is tried.
    """
    kind = SCORERS.find(scorer.class_name) if scorer.class_module == "judgecore" else None
    if kind is None:
        return
    parameters = fields_of(kind).known
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
    """Yield the files that a scorer's description names, except shipped ones."""
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
    """Return a scorer's description without its judges, which are passed separately."""

    def settle(value: Any) -> Any:
        if isinstance(value, dict):
            return without_judges(cast("dict[str, Any]", value))
        return [settle(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value

    return {name: settle(value) for name, value in document.items() if name != "chat_target"}


def json_schema(of: Literal["scorer", "target"]) -> dict[str, Any]:
    """Return the JSON Schema of files that describe a scorer or a target, for editors.

    It covers judgecore's classes and those of installed packages.
    """
    from pydantic.json_schema import models_json_schema  # noqa: PLC0415 - loaded when a schema is asked for

    kinds = (SCORERS if of == "scorer" else TARGETS).classes()
    models = {name: _model(kind) for name, kind in kinds.items()}
    refs, made = models_json_schema([(model, "validation") for model in models.values()])
    definitions: dict[str, Any] = made["$defs"] | (shipped_names() if of == "scorer" else {})
    of_kinds: list[dict[str, Any]] = []
    for name, model in models.items():
        of_kinds.append(refs[model, "validation"])
        schema = definitions[of_kinds[-1]["$ref"].rpartition("/")[2]]
        named = {"enum": [name, kinds[name].__name__], "description": schema.get("description", "")}
        schema["properties"] = {"type": named, **schema.get("properties", {})}
        schema["required"] = ["type", *schema.get("required", ())]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A {of} of judgecore",
        "type": "object",
        "required": ["type"],
        "anyOf": of_kinds,
        "$defs": {name: _tidy(schema) for name, schema in sorted(definitions.items())},
    }


def _tidy(schema: Any) -> Any:
    """A schema without pydantic's titles and empty defaults, with marks replaced by references."""
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


def _find(document: Mapping[str, Any], plugins: Plugins[Any], where: str) -> type[Any]:
    """The class that a file names."""
    name: object = document.get("type")
    if name is None:
        raise ConfigurationError(f"{where}: type is missing; it names the class, such as {plugins.names()[0]}")
    try:
        kind = plugins.find(name) if isinstance(name, str) else None
    except ConfigurationError as problem:
        raise ConfigurationError(f"{where}: {problem}") from problem
    if kind is not None:
        return kind
    for what, (other, option) in _OPTION_OF.items():
        if other is not plugins and name in other.names():
            raise ConfigurationError(f"{where}: {name} is a {what}; name such a file with {option}")
    raise ConfigurationError(f"{where}: type {name!r} is not known; {nearest(str(name), plugins.names())}")


@cache
def _model(kind: type[Any]) -> type[Any]:
    """The pydantic model of a class's file, without ``type``."""
    from pydantic import ConfigDict, Field, create_model  # noqa: PLC0415 - loaded when a file is

    fields = fields_of(kind)
    about = _documented(kind, fields.options)
    described: dict[str, Any] = {
        name: (field.type, Field(... if field.is_required else None, description=about.get(name)))
        for name, field in fields.known.items()
    }
    config = ConfigDict(extra="forbid", protected_namespaces=())
    return create_model(kind.__name__, __config__=config, __doc__=about[""], **described)


def _documented(kind: type[Any], options: type[Any] | None) -> dict[str, str]:
    """The docstring's first line, under "", and its description of each parameter."""
    about: dict[str, str] = {}
    owners = reversed(kind.__mro__[:-1])
    # At run time a class of options does not know the one that it extends.
    extended = [vars(one)["options_type"] for one in kind.__mro__[::-1] if "options_type" in vars(one)]
    for owner in (*extended, *([options] if options else ()), *owners):
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
    """The context in which a file's values are converted."""

    path: Path
    chat_target: Target | None
    wrap_target: Callable[[Target], Target]
    allow_outside: bool

    def where(self, place: str) -> str:
        """A place in the file, for messages."""
        return f"{self.path}: {place}" if place else str(self.path)

    def settle(self, document: Mapping[str, Any], kind: type[Any], place: str) -> dict[str, Any]:
        """Return the arguments of a class from a document."""
        where = self.where(place)
        fields = fields_of(kind)
        given = {name: value for name, value in document.items() if name != "type"}
        for name in fields.refused.keys() & given:
            raise ConfigurationError(f"{where}: {name} {fields.refused[name]}")
        model: Any = validate(given, _model(kind), Path(where), ConfigurationError)
        settled: dict[str, Any] = {}
        for name in given:
            inner = f"{place}.{name}" if place else name
            # A scorer or a target that is described there names its own places.
            with _naming(self.where(inner), named=(ConfigurationError,)):
                settled[name] = fields.known[name].settle(getattr(model, name), self, inner)
        return settled

    def file(self, name: str) -> ContainedFile:
        """A file that is named in this file."""
        return ContainedFile(self.path.parent, name, self.allow_outside)

    def make_target(self, document: Mapping[str, Any], place: str) -> Target:
        """A judge that is described in this file."""
        judge = build_target(document, file=self.path, place=place, allow_outside=self.allow_outside)
        return self.wrap_target(judge)

    def make_scorer(self, document: Mapping[str, Any], place: str) -> Scorer:
        """A scorer that is described in this file."""
        return build_scorer(
            document,
            file=self.path,
            chat_target=self.chat_target,
            wrap_target=self.wrap_target,
            place=place,
            allow_outside=self.allow_outside,
        )


@contextmanager
def _naming(where: str, *, named: tuple[type[Exception], ...] = ()) -> Generator[None]:
    """Add the place in the file to errors, except those that already name it."""
    try:
        yield
    except named:
        raise
    except LeadsOutsideError as problem:
        raise ConfigurationError(f"{where}: {problem.filename!r} {problem.strerror}; {ALLOW_OUTSIDE}") from None
    except OSError as problem:
        raise ConfigurationError(f"{where}: can't read {problem.filename!r}: {problem.strerror or problem}") from None
    except (JudgecoreError, ValueError, TypeError) as problem:
        raise ConfigurationError(f"{where}: {problem}") from None
