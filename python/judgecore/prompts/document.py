"""Read YAML files of prompts as plain data."""

from __future__ import annotations

import difflib
import json
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast, get_args

from judgecore.containment import to_file
from judgecore.errors import JudgecoreError, PromptError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from enum import Enum
    from os import PathLike
    from pathlib import Path

    from judgecore.containment import ContainedFile

LARGEST_DOCUMENT = 1 << 20
"""The maximum size of a file in bytes; the largest shipped one has 6 kB."""

ABOUT = ("name", "description", "version", "source", "authors", "groups", "harm_categories", "data_type")
"""The keys by which a file describes itself."""

FORBID_OTHER_KEYS = {"extra": "forbid"}
"""The ``__pydantic_config__`` of dataclasses that are read from files: unknown keys are errors."""

# The maximum number of names in a message.
_LISTED = 24

_Kind = TypeVar("_Kind")


def read_document(path: str | PathLike[str], error: type[JudgecoreError] = PromptError) -> dict[str, Any]:
    """Read a YAML file whose top level is a mapping.

    Tags, aliases and duplicate keys are rejected, so a file can neither create objects nor expand. Only ``true`` and
    ``false`` are booleans.
    """
    file = to_file(path)
    try:
        data = file.read_bytes()
    except OSError as problem:
        raise error(f"can't read {file}: {problem.strerror}") from None
    if len(data) > LARGEST_DOCUMENT:
        raise error(f"{file} has {len(data)} bytes; a file of prompts has at most {LARGEST_DOCUMENT}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise error(f"{file} is not valid UTF-8 at byte {problem.start + 1}; save it as UTF-8") from None
    return parse_document(text, file, error)


def parse_document(text: str, file: PathLike[str], error: type[JudgecoreError] = PromptError) -> dict[str, Any]:
    """Read YAML text, of a file's name, as ``read_document`` does."""
    from judgecore.prompts.plain_yaml import load_plain_yaml  # noqa: PLC0415 - imports PyYAML only when needed

    try:
        document = load_plain_yaml(text)
    except RecursionError:
        raise error(f"{file} is nested too deeply") from None
    except ValueError as problem:
        raise error(f"{file}, {problem}") from None
    if not isinstance(document, dict):
        raise error(f"{file} has no keys at its top level; write it as `key: value` lines")
    return cast("dict[str, Any]", document)


def validate(
    document: Mapping[str, Any], kind: type[_Kind], file: PathLike[str], error: type[JudgecoreError] = PromptError
) -> _Kind:
    """Convert a file's content to a dataclass, or to another type that pydantic validates."""
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415 - imported only when needed

    try:
        return cast("TypeAdapter[_Kind]", _adapter(kind, TypeAdapter)).validate_json(json.dumps(document), strict=True)
    except ValidationError as problem:
        problems = [_describe_problem(dict(one), kind) for one in problem.errors(include_url=False)]
        raise error(f"{file}: {'; '.join(problems)}") from None
    except ValueError as problem:
        raise error(f"{file}: {problem}") from None


def read_asset(
    path: str | PathLike[str] | Enum, kind: type[_Kind], rename: Callable[[dict[str, Any]], dict[str, Any]]
) -> _Kind:
    """Read a dataclass from a YAML file; descriptive keys are ignored, and ``rename`` converts the others."""
    file = to_path(path)
    document = read_document(file)
    own = _known_keys(kind)
    try:
        settled = rename({key: value for key, value in document.items() if key in own or key not in ABOUT})
    except PromptError as problem:
        raise PromptError(f"{file}: {problem}") from None
    return validate(settled, kind, file)


class Asset:
    """The base class of what is read from YAML files, with dataclass fields as keys."""

    __pydantic_config__ = FORBID_OTHER_KEYS

    @classmethod
    def from_yaml(cls, path: str | PathLike[str] | Enum) -> Self:
        """Read a YAML file with the attributes as keys.

        Args:
            path: The file, or a member of the enum of shipped ones, such as ``LikertScalePaths``.

        Raises:
            PromptError: If the file is invalid; the message names it, the key and the fix.
        """
        return read_asset(path, cls, cls._rename)

    @classmethod
    def _rename(cls, document: dict[str, Any]) -> dict[str, Any]:
        """Convert a file's keys to those of the dataclass."""
        return document

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values by name."""
        fields: dict[str, Any] = asdict(cast("Any", self))
        return {name: list(cast("Any", one)) if isinstance(one, tuple) else one for name, one in fields.items()}


def to_path(path: str | PathLike[str] | Enum) -> Path | ContainedFile:
    """Return the path of a member of an enum of paths, or a path unchanged."""
    return to_file(cast("str", getattr(path, "value", path)))


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a clause that suggests the nearest of the known names, or lists them, to follow a semicolon."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known are {', '.join(map(repr, names[:_LISTED]))}{', ...' if len(names) > _LISTED else ''}"


@cache
def _adapter(kind: type[Any], adapter: type[Any]) -> Any:
    return adapter(kind)


def _known_keys(kind: Any) -> list[str]:
    return list(getattr(kind, "__dataclass_fields__", getattr(kind, "model_fields", ())))


def _keys_within(kind: type[Any], steps: Iterable[object]) -> list[str]:
    """The keys of a part of a kind; none where the part is no dataclass or model."""
    part: Any = kind
    for step in steps:
        fields: Mapping[str, Any] = getattr(part, "model_fields", {})
        annotation = fields[str(step)].annotation if step in fields else None
        part = next((one for one in (annotation, *get_args(annotation)) if _known_keys(one)), None)
    return _known_keys(part)


def _describe_problem(problem: Mapping[str, Any], kind: type[Any]) -> str:
    """Return a message for one of pydantic's problems."""
    place = ".".join(str(part) for part in problem["loc"]) or "the file"
    what: str = problem["type"]
    if what == "missing":
        return f"{place} is missing"
    if what in ("extra_forbidden", "unexpected_keyword_argument"):
        *within, key = problem["loc"]
        known = _keys_within(kind, within)
        cure = nearest(str(key), known) if known else "remove it"
        return f"{place} is not a key of {'.'.join(map(str, within)) or kind.__name__}; {cure}"
    if what == "value_error":
        return f"{place}: {problem['ctx']['error']}"
    if problem["input"] is None:
        return f"{place} is empty; give it a value, or remove it"
    cure = "; quote it" if what == "string_type" and not isinstance(problem["input"], list) else ""
    return f"{place}: {problem['msg'].lower()}, not {json.dumps(problem['input'])[:60]}{cure}"
