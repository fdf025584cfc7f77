"""Readers: what a judge replied becomes a verdict, or the reason why it is none."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, cast

from judgecore.compat import (
    parse_harmbench_response,
    parse_jailbreakbench_response,
    parse_llamaguard_response,
    parse_shieldgemma_response,
)
from judgecore.errors import InvalidJsonException
from judgecore.identity import ComponentIdentifier, class_identifier, reader_identifier
from judgecore.reading import Format, GuardVerdict, Reading, Unreadable
from judgecore.scorers.parser_identity import parser_identifier
from judgecore.targets import log_unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from judgecore.scorers.score import Metadata
    from judgecore.targets import JudgeReply

Mode: TypeAlias = Literal["lenient", "strict", "paper"]

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
    """What a judge said, before it is known whether the scorer's scale has it.

    Attributes:
        value: A boolean, a number, a label or a guard's verdict; of a parser, what it returned.
        rationale: The reasons.
        description: What the value means.
        metadata: What else the judge said.
        category: What it named as the category.
        reading: How it was read; None of a parser.
    """

    value: Any
    rationale: str = ""
    description: str = ""
    metadata: Metadata = field(default_factory=dict[str, "str | int | float | bool"])
    category: tuple[str, ...] = ()
    reading: Reading | None = None


class ReplyReader(Protocol):
    """What turns replies into verdicts; its identity is part of the scorer's."""

    def read(self, reply: JudgeReply, /, *, material: Sequence[str] = ()) -> JudgeVerdict | Unreadable:
        """Read a reply to a judge that was shown these texts."""
        ...

    def get_identifier(self) -> ComponentIdentifier:
        """Return what the reader is."""
        ...


@dataclass(frozen=True, kw_only=True)
class FormatReader:
    """Reads replies in a format.

    Attributes:
        format: What the judge is asked to answer.
        mode: How it is read.
        required: Keys that a JSON reply must have beside the verdict; without one it is ``malformed``.
        rationale_key: The key of the reasons, of a JSON reply.
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
        """Read a reply, with what stands beside the verdict.

        Args:
            reply: The judge's.
            material: The texts that it was shown: a verdict copied from them is ``echoed``.

        Returns:
            The verdict, or why there is none; ``malformed`` where the category is no name. Metadata that are no texts,
            numbers or booleans are kept as JSON.
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
        """Return what the reader is: the format's declaration, the mode, the reading rules' version, and the keys."""
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
        format: What the judge is asked to answer.
        min_mass: How much probability must stand on its labels, from 0 to 1; less is ``low_mass``.
    """

    format: Format
    min_mass: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.min_mass <= 1:
            raise ValueError(f"min_mass must be from 0 to 1, not {self.min_mass}")

    def read(self, reply: JudgeReply, /, *, material: Sequence[str] = ()) -> JudgeVerdict | Unreadable:
        """Read a reply; the mass and each label's probability stand in the metadata.

        Args:
            reply: The judge's.
            material: The texts that it was shown; probabilities tell of its own words alone.

        Returns:
            The verdict, a number, or why there is none.
        """
        del material
        outcome = reply.read_logprobs(self.format, min_mass=self.min_mass)
        if isinstance(outcome, Unreadable):
            return outcome
        fields: dict[str, Any] = outcome.fields
        metadata = {"mass": fields["mass"], "probabilities": to_words(fields["probabilities"])}
        return JudgeVerdict(value=outcome.value, rationale=to_words(reply.text), metadata=metadata, reading=outcome)

    def get_identifier(self) -> ComponentIdentifier:
        """Return what the reader is: the format's declaration, the reading rules' version, and the mass."""
        known = reader_identifier(self.format, mode="lenient")
        params = {**known.params, "min_mass": float(self.min_mass)}
        return class_identifier(self, params=params, attributes=known.attributes)


@dataclass(frozen=True)
class ParserReader:
    """Reads replies with a function, the ``response_parser``.

    A reply that is known to be cut off is ``truncated``, because the function can't know it; the inherited functions
    for guards whose verdict is the first token still read it.

    Attributes:
        parser: Takes the reply's text and returns a dictionary with ``score_value`` and ``rationale``.
        name: What logs call it.

    Raises:
        TypeError: If it is no function, or an async one.
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
        """What logs call it."""
        return getattr(self.parser, "__qualname__", type(self.parser).__name__)

    @property
    def _reads_the_first_token(self) -> bool:
        """Whether it reads a guard whose verdict is the first token, so that a cut does not matter."""
        function: object = getattr(self.parser, "func", self.parser)
        form = _FIRST_TOKEN.get(function) if isinstance(function, Hashable) else None
        return form is not None and Format.get(form).first_token

    def read(self, reply: JudgeReply, /, *, material: Sequence[str] = ()) -> JudgeVerdict | Unreadable:
        """Read a reply; what the function raises passes through, but for ``InvalidJsonException``.

        Args:
            reply: The judge's.
            material: The texts that it was shown; the function takes the reply alone.

        Returns:
            The verdict; ``malformed`` where the function can't read the reply, or returns no such dictionary or one
            with a value that no score keeps.
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
        """Return what the reader is.

        Raises:
            IdentityError: If nothing tells the function from another; the cure is named.
        """
        return parser_identifier(self.parser)


def json_reader(
    score: Format,
    *,
    score_value_key: str = "score_value",
    rationale_key: str = "rationale",
    description_key: str = "description",
    metadata_key: str = "metadata",
    category_key: str = "category",
) -> FormatReader:
    """Return the reader of the JSON contract of judges: a score with its reasons.

    Args:
        score: How the score is read.
        score_value_key: The key of the score, which must be there.
        rationale_key: The key of the reasons, which must be there.
        description_key: The key of the description.
        metadata_key: The key of the metadata.
        category_key: The key of the category.
    """
    return FormatReader(
        format=Format.json_field(score_value_key, score),
        required=(rationale_key,),
        rationale_key=rationale_key,
        description_key=description_key,
        metadata_key=metadata_key,
        category_key=category_key,
    )


def to_words(value: object) -> str:
    """Return a text as it is, None as "", and anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def to_names(value: object) -> tuple[str, ...] | None:
    """Return one text or several as a tuple, none for None; None for anything else."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,) if value else ()
    names = cast("list[object]", value) if isinstance(value, list | tuple) else [None]
    return tuple(cast("list[str]", names)) if all(isinstance(name, str) for name in names) else None


def to_metadata(value: object) -> Metadata:
    """Return metadata as a score holds it: texts, numbers and booleans by name, anything else as JSON; None is none."""
    if value is None or value == "":
        return {}
    entries = cast("dict[Any, Any]", value) if isinstance(value, dict) else {"metadata": value}
    return {
        str(name): entry if isinstance(entry, str | int | float) else to_words(entry)
        for name, entry in entries.items()
        if entry is not None
    }


def _lost(metadata: object) -> list[str]:
    """What of a parser's metadata no score holds; its author can say it otherwise, so nothing is changed here."""
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
    """What a guard's verdict knows beside the verdict."""
    if not isinstance(value, GuardVerdict):
        return {}
    known: Metadata = {"violated_categories": ",".join(value.categories)} if value.categories else {}
    for name, side in (("prompt_unsafe", value.prompt_unsafe), ("response_unsafe", value.response_unsafe)):
        if side is not None:
            known[name] = side
    answers: dict[str, object] = value.fields
    return {**known, **to_metadata(answers)}
