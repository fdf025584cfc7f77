"""Readers: convert a judge's reply to a verdict, or to the reason why it has none."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Hashable
from dataclasses import asdict, dataclass, field, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from judgecore.compat import (
    parse_harmbench_response,
    parse_jailbreakbench_response,
    parse_llamaguard_response,
    parse_shieldgemma_response,
)
from judgecore.errors import IdentityError, InvalidJsonException
from judgecore.hashing import canonical_json
from judgecore.identity import ComponentIdentifier, class_identifier, reader_identifier
from judgecore.identity.component import code_path
from judgecore.reading import READING_VERSION, Format, GuardVerdict, Mode, Reading, Unreadable
from judgecore.targets.reply import log_unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from judgecore.scorers.score import Metadata
    from judgecore.targets import JudgeReply


@dataclass(frozen=True)
class NamedParser:
    """A ``response_parser`` with a name and a version, for functions that an import path does not identify.

    Attributes:
        parser: The function.
        name: A name of your choice.
        version: A version, which you raise whenever its results change.

    Examples:
        >>> from judgecore.scorers import NamedParser
        >>> parser = NamedParser(lambda text: {"score_value": text == "ok", "rationale": text}, name="ok", version="1")
        >>> parser("ok")["score_value"]
        True
    """

    parser: Callable[[str], Mapping[str, Any]]
    name: str
    version: str

    def __call__(self, text: str) -> Mapping[str, Any]:
        """Read a reply."""
        return self.parser(text)


def parser_identifier(parser: Callable[..., Any]) -> ComponentIdentifier:
    """Return the identity of a parser.

    It is the import path of a function without a closure; the path and the arguments of a ``functools.partial``; or
    ``name`` and ``version``, if the parser has them. Parsers that use judgecore's rules also have ``READING_VERSION``.
    """
    name, version = getattr(parser, "name", None), getattr(parser, "version", None)
    if isinstance(name, str) and isinstance(version, str | int):
        return _identifier({"name": name, "parser_version": str(version)})
    if isinstance(parser, partial):
        bound = cast("partial[Any]", parser)
        arguments: dict[str, Any] = {"arguments": list(bound.args), "keywords": dict(bound.keywords)}
        try:
            canonical_json(arguments)
        except (TypeError, ValueError) as problem:
            raise _no_identity(f"an argument of the partial is no JSON value ({problem})") from None
        return _identifier({"function": _path_of(bound.func), **arguments})
    given: Any = parser
    if is_dataclass(given) and not isinstance(given, type) and type(given).__module__.startswith("judgecore."):
        return _identifier({"function": f"judgecore.{type(given).__name__}", "keywords": asdict(given)})
    return _identifier({"function": _path_of(parser)})


def _identifier(params: dict[str, Any]) -> ComponentIdentifier:
    is_ours = str(params.get("function", "")).startswith("judgecore.")
    return ComponentIdentifier(
        class_name="ResponseParser",
        class_module="judgecore",
        params={**params, "reading_version": READING_VERSION if is_ours else None},
    )


def _path_of(function: Callable[..., Any]) -> str:
    try:
        return code_path(function)
    except IdentityError as problem:
        raise _no_identity(str(problem)) from None


def _no_identity(why: str) -> IdentityError:
    return IdentityError(
        f"the response_parser has no identity, so the scorer has no eval_hash: {why}; "
        "give it one with NamedParser(parser, name=..., version=...)"
    )


ParsedReply: TypeAlias = "Mapping[str, Any]"
"""What a ``response_parser`` returns: ``score_value`` and ``rationale``, and further keys if it likes."""

_REQUIRED = ("score_value", "rationale")

# The formats of the inherited functions; those whose verdict is the first token do not mind a cut.
_FIRST_TOKEN: dict[object, str] = {
    parse_harmbench_response: "harmbench",
    parse_jailbreakbench_response: "jailbreakbench.judge",
    parse_llamaguard_response: "llama_guard.3",
    parse_shieldgemma_response: "shield_gemma",
}


@dataclass(frozen=True, kw_only=True)
class JudgeVerdict:
    """A judge's verdict, before it is converted to the scorer's scale.

    Attributes:
        value: A boolean, number, label or guard verdict; from a parser, its ``score_value``.
        rationale: The judge's reasons.
        description: What the value means.
        metadata: Other parts of the reply.
        category: The categories that the judge named.
        reading: The reading; None from a parser.
    """

    value: Any
    rationale: str = ""
    description: str = ""
    metadata: Metadata = field(default_factory=dict[str, "str | int | float | bool"])
    category: tuple[str, ...] = ()
    reading: Reading | None = None


class ReplyReader(Protocol):
    """Converts replies to verdicts; its identity is part of the scorer's."""

    def read(self, reply: JudgeReply, /, *, material: Sequence[str] = ()) -> JudgeVerdict | Unreadable:
        """Read a reply to a judge that was shown these texts."""
        ...

    def get_identifier(self) -> ComponentIdentifier:
        """Return the reader's identity."""
        ...


@dataclass(frozen=True, kw_only=True)
class FormatReader:
    """Reads replies in a format.

    Attributes:
        format: The format that the judge is asked for.
        mode: The mode of reading.
        required: Keys that a JSON reply must have beside the verdict; if one is missing, the reply is ``malformed``.
        rationale_key: The key of the rationale in a JSON reply.
        description_key: The key of the description.
        metadata_key: The key of the metadata.
        category_key: The key of the category.
    """

    format: Format
    mode: Mode = "lenient"
    required: tuple[str, ...] = ()
    rationale_key: str = "rationale"
    description_key: str = "description"
    metadata_key: str = "metadata"
    category_key: str = "category"

    def read(self, reply: JudgeReply, /, *, material: Sequence[str] = ()) -> JudgeVerdict | Unreadable:
        """Read a reply, with the other keys of a JSON reply.

        Args:
            reply: The judge's reply.
            material: The texts that it was shown; a verdict copied from them is ``echoed``.

        Returns:
            The verdict, or why there is none; ``malformed`` if the category is not a name. Metadata other than texts,
            numbers and booleans are kept as JSON.
        """
        outcome = reply.read(self.format, mode=self.mode, material=material)
        if isinstance(outcome, Unreadable):
            return outcome
        fields: object = outcome.fields
        beside = cast("dict[str, Any]", fields) if isinstance(fields, dict) else {}
        category = to_names(beside.get(self.category_key))
        problem = next((f"{key!r} is missing" for key in self.required if beside.get(key) is None), None)
        if category is None:
            problem = _wrong(self.category_key, beside[self.category_key])
        if category is None or problem is not None:
            unreadable = Unreadable("malformed", problem or "", format=self.format.id)
            log_unreadable(unreadable.reason, format=self.format.id, key=reply.key, raw=reply.text)
            return unreadable
        return JudgeVerdict(
            value=outcome.value,
            rationale=to_words(beside.get(self.rationale_key)) or to_words(reply.text),
            description=to_words(beside.get(self.description_key)),
            metadata={**_metadata_of(outcome.value), **to_metadata(beside.get(self.metadata_key))},
            category=category,
            reading=outcome,
        )

    def get_identifier(self) -> ComponentIdentifier:
        """Return the identity: the format's declaration, the mode, the version of the reading rules, and the keys."""
        known = reader_identifier(self.format, mode=self.mode)
        keys = {
            "required": list(self.required) or None,
            "rationale_key": self.rationale_key,
            "description_key": self.description_key,
            "metadata_key": self.metadata_key,
            "category_key": self.category_key,
        }
        return ComponentIdentifier(
            class_name=known.class_name,
            class_module=known.class_module,
            params={**known.params, **keys},
            attributes=known.attributes,
        )


@dataclass(frozen=True, kw_only=True)
class LogprobReader:
    """Reads the probabilities of a reply's tokens.

    Attributes:
        format: The format that the judge is asked for.
        min_mass: The minimum total probability of the labels, from 0 to 1; less is ``low_mass``.
    """

    format: Format
    min_mass: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.min_mass <= 1:
            raise ValueError(f"min_mass must be from 0 to 1, not {self.min_mass}")

    def read(self, reply: JudgeReply, /, *, material: Sequence[str] = ()) -> JudgeVerdict | Unreadable:
        """Read a reply; the metadata hold the mass and each label's probability. ``material`` is not used.

        Unless the format has a scale, they also hold ``probability``, which is that of true or unsafe.
        """
        del material
        outcome = reply.read_logprobs(self.format, min_mass=self.min_mass)
        if isinstance(outcome, Unreadable):
            return outcome
        fields: dict[str, Any] = outcome.fields
        metadata: Metadata = {"mass": fields["mass"], "probabilities": to_words(fields["probabilities"])}
        if self.format.scale is None:
            metadata["probability"] = float(outcome.value)
        return JudgeVerdict(value=outcome.value, rationale=to_words(reply.text), metadata=metadata, reading=outcome)

    def get_identifier(self) -> ComponentIdentifier:
        """Return the identity: the format's declaration, the version of the reading rules, and the minimum mass."""
        known = reader_identifier(self.format, mode="lenient")
        params = {**known.params, "min_mass": float(self.min_mass)}
        return class_identifier(self, params=params, attributes=known.attributes)


@dataclass(frozen=True)
class ParserReader:
    """Reads replies with a function, the ``response_parser``.

    A reply that was cut off is ``truncated``, because the function can't detect that. The inherited functions for
    guards whose verdict is the first token read it anyway.

    Attributes:
        parser: Takes the reply's text and returns a dictionary with ``score_value`` and ``rationale``.

    Raises:
        TypeError: If it is not a function, or is async.
    """

    parser: Callable[[str], ParsedReply]

    def __post_init__(self) -> None:
        import inspect  # noqa: PLC0415 - costs more than all other imports here

        if not callable(cast("object", self.parser)):
            raise TypeError(f"response_parser must be a function, not {type(self.parser).__name__}")
        if inspect.iscoroutinefunction(self.parser):
            raise TypeError("response_parser must be a plain function; an async one can't be waited for")

    @property
    def name(self) -> str:
        """Its name in logs."""
        return getattr(self.parser, "__qualname__", type(self.parser).__name__)

    @property
    def _reads_the_first_token(self) -> bool:
        """Whether the guard's verdict is the first token, so that a cut does not matter."""
        function: object = getattr(self.parser, "func", self.parser)
        form = _FIRST_TOKEN.get(function) if isinstance(function, Hashable) else None
        return form is not None and Format.get(form).first_token

    def read(self, reply: JudgeReply, /, *, material: Sequence[str] = ()) -> JudgeVerdict | Unreadable:
        """Read a reply; exceptions of the function except ``InvalidJsonException`` pass through.

        Returns:
            The verdict; ``malformed`` if the function can't read the reply, or does not return a dictionary with valid
            values.
        """
        del material
        outcome = self._read(reply)
        if isinstance(outcome, Unreadable):
            log_unreadable(outcome.reason, format=self.name, key=reply.key, raw=reply.text)
        return outcome

    def _read(self, reply: JudgeReply) -> JudgeVerdict | Unreadable:
        if reply.outcome in ("refused", "filtered"):
            return Unreadable("refused", reply.refusal or f"the reply was {reply.outcome}", format=self.name)
        if reply.cut and not self._reads_the_first_token:
            return Unreadable("truncated", "the reply ran into its token limit", format=self.name)
        if reply.text is None:
            return Unreadable("missing", "the reply has no text", format=self.name)
        try:
            parsed: object = self.parser(reply.text)
        except InvalidJsonException as problem:
            return Unreadable("malformed", str(problem), format=self.name)
        return self._verdict(parsed)

    def _verdict(self, parsed: object) -> JudgeVerdict | Unreadable:
        if not isinstance(parsed, dict):
            problem = f"the parser returned {type(parsed).__name__}, not a dictionary"
            return Unreadable("malformed", problem, format=self.name)
        named = cast("dict[str, Any]", parsed)
        missing = [key for key in _REQUIRED if named.get(key) is None]
        if missing:
            return Unreadable("malformed", f"the parser returned no {missing[0]!r}", format=self.name)
        category, metadata = to_names(named.get("category")), named.get("metadata")
        problems = [
            _wrong(key, named[key])
            for key in ("rationale", "description")
            if not isinstance(named.get(key, ""), str | None)
        ]
        if category is None:
            problems.append(_wrong("category", named["category"]))
        problems += _lost(metadata)
        if category is None or problems:
            return Unreadable("malformed", problems[0], format=self.name)
        return JudgeVerdict(
            value=named["score_value"],
            rationale=named["rationale"],
            description=named.get("description") or "",
            metadata=to_metadata(metadata),
            category=category,
        )

    def get_identifier(self) -> ComponentIdentifier:
        """Return the identity; raise ``IdentityError`` if the function can't be identified."""
        return parser_identifier(self.parser)


def json_reader(
    score: Format, *, score_value_key: str = "score_value", rationale_key: str = "rationale", **keys: str
) -> FormatReader:
    """Return a reader for JSON with a score and a rationale; other keys are as in ``FormatReader``."""
    form = Format.json_field(score_value_key, score)
    return FormatReader(format=form, required=(rationale_key,), rationale_key=rationale_key, **keys)  # pyright: ignore[reportArgumentType] - keys are names of texts


def to_reader(parser: Callable[[str], ParsedReply] | None, score: Format, **keys: str) -> ReplyReader:
    """Return a reader for a ``response_parser``; if that is None, for JSON as ``json_reader``."""
    return json_reader(score, **keys) if parser is None else ParserReader(parser)


def to_words(value: object) -> str:
    """Return a text unchanged, None as "", and other values as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def to_names(value: object) -> tuple[str, ...] | None:
    """Return one or several names as a tuple, empty for None; None if the value is anything else."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,) if value else ()
    names = cast("list[object]", value) if isinstance(value, list | tuple) else [None]
    return tuple(cast("list[str]", names)) if all(isinstance(name, str) for name in names) else None


def to_metadata(value: object) -> Metadata:
    """Return metadata for a score: texts, numbers and booleans by name, other values as JSON."""
    if value is None or value == "":
        return {}
    entries = cast("dict[Any, Any]", value) if isinstance(value, dict) else {"metadata": value}
    return {
        str(name): entry if isinstance(entry, str | int | float) else to_words(entry)
        for name, entry in entries.items()
        if entry is not None
    }


def _lost(metadata: object) -> list[str]:
    """The problems of metadata from a parser that a score can't hold."""
    if isinstance(metadata, str | int | float | None):
        return []
    if not isinstance(metadata, dict):
        return [_wrong("metadata", metadata)]
    return [
        f"'metadata' has {name!r}: {reprlib.repr(entry)}; a score keeps texts, numbers and booleans, so write it as one"
        for name, entry in cast("dict[Any, Any]", metadata).items()
        if not isinstance(entry, str | int | float | None)
    ]


def _wrong(key: str, value: object) -> str:
    return f"{key!r} is {type(value).__name__}: {reprlib.repr(value)}"


def _metadata_of(value: object) -> Metadata:
    if not isinstance(value, GuardVerdict):
        return {}
    known: Metadata = {"violated_categories": ",".join(value.categories)} if value.categories else {}
    for name, side in (("prompt_unsafe", value.prompt_unsafe), ("response_unsafe", value.response_unsafe)):
        if side is not None:
            known[name] = side
    answers: dict[str, object] = value.fields
    return {**known, **to_metadata(answers)}
