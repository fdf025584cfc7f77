"""YAML files of prompts, read as data and nothing else."""

from __future__ import annotations

import difflib
import json
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from judgecore.containment import to_file
from judgecore.errors import JudgecoreError, PromptError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from enum import Enum
    from os import PathLike
    from pathlib import Path

    from judgecore.containment import ContainedFile

LARGEST_DOCUMENT = 1 << 20
"""The most bytes that a file may have; the largest shipped one has 6 kB."""

ABOUT = ("name", "description", "version", "source", "authors", "groups", "harm_categories", "data_type")
"""The keys by which a file says what it is."""

FORBID_OTHER_KEYS = {"extra": "forbid"}
"""What a dataclass that is read from a file has as ``__pydantic_config__``: an unknown key is an error."""

# More names than these say less.
_LISTED = 24

_Kind = TypeVar("_Kind")


def read_document(path: str | PathLike[str], error: type[JudgecoreError] = PromptError) -> dict[str, Any]:
    """Read a YAML file whose top level has keys.

    Tags, aliases and repeated keys are refused: a file can't make objects, and can't grow when it is read. Only
    ``true`` and ``false`` are booleans.

    Args:
        path: The file, UTF-8, at most 1 MiB.
        error: What is raised if it can't be read.

    Returns:
        Its keys and values: texts, numbers, booleans, None, lists and dictionaries.

    Raises:
        JudgecoreError: The one that was named; the message has the file, the line and the cure.
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
        raise error(f"{file} is not UTF-8 at byte {problem.start + 1}; save it as UTF-8") from None
    return parse_document(text, file, error)


def parse_document(text: str, file: PathLike[str], error: type[JudgecoreError] = PromptError) -> dict[str, Any]:
    """Read YAML text as ``read_document`` does.

    Args:
        text: The YAML.
        file: What messages call it.
        error: What is raised if it can't be read.

    Raises:
        JudgecoreError: The one that was named.
    """
    from judgecore.prompts.plain_yaml import load_plain_yaml  # noqa: PLC0415 - PyYAML is loaded when a file is

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
    """Make a dataclass of what a file holds.

    Args:
        document: The file's keys and values.
        kind: A dataclass, or another type that pydantic validates.
        file: What messages call the file.
        error: What is raised if it can't be done.

    Raises:
        JudgecoreError: The one that was named; the message has the file, every key that is wrong, and the cure.
    """
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415 - loaded when a file is

    try:
        return cast("TypeAdapter[_Kind]", _adapter(kind, TypeAdapter)).validate_json(json.dumps(document), strict=True)
    except ValidationError as problem:
        problems = [_say(dict(one), kind) for one in problem.errors(include_url=False)]
        raise error(f"{file}: {'; '.join(problems)}") from None
    except ValueError as problem:
        raise error(f"{file}: {problem}") from None


def read_asset(
    path: str | PathLike[str] | Enum,
    kind: type[_Kind],
    rename: Callable[[dict[str, Any]], dict[str, Any]] = lambda document: document,
) -> _Kind:
    """Read a dataclass from a YAML file; what the file says about itself (``name``, ``source``, ...) is passed over.

    Args:
        path: The file, or a member of an enum of paths.
        kind: The dataclass.
        rename: Turns the file's keys into those of the dataclass.

    Raises:
        PromptError: If the file makes no sense; the message names it, the key and the cure.
    """
    file = to_path(path)
    document = read_document(file)
    own = _known_keys(kind)
    try:
        settled = rename({key: value for key, value in document.items() if key in own or key not in ABOUT})
    except PromptError as problem:
        raise PromptError(f"{file}: {problem}") from None
    return validate(settled, kind, file)


def to_path(path: str | PathLike[str] | Enum) -> Path | ContainedFile:
    """Return the path that a member of an enum of paths stands for, or that was given as such."""
    return to_file(cast("str", getattr(path, "value", path)))


def nearest(name: str, known: Iterable[str]) -> str:
    """Say which of the known names is meant, or which there are.

    Args:
        name: A name that nothing has.
        known: The names that there are.

    Returns:
        A cure, to stand behind a semicolon.
    """
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"there are {', '.join(map(repr, names[:_LISTED]))}{', ...' if len(names) > _LISTED else ''}"


@cache
def _adapter(kind: type[Any], adapter: type[Any]) -> Any:
    return adapter(kind)


def _known_keys(kind: type[Any]) -> list[str]:
    return list(getattr(kind, "__dataclass_fields__", getattr(kind, "model_fields", ())))


def _say(problem: Mapping[str, Any], kind: type[Any]) -> str:
    """One problem of pydantic's in a reader's words."""
    place = ".".join(str(part) for part in problem["loc"]) or "the file"
    what: str = problem["type"]
    if what == "missing":
        return f"{place} is missing"
    if what in ("extra_forbidden", "unexpected_keyword_argument"):
        if len(problem["loc"]) > 1:
            return f"{place} is no key of {place.rpartition('.')[0]}; leave it out"
        return f"{place} is no key of {kind.__name__}; {nearest(place, _known_keys(kind))}"
    if what == "value_error":
        return f"{place}: {problem['ctx']['error']}"
    cure = "; put it into quotation marks" if what == "string_type" and not isinstance(problem["input"], list) else ""
    return f"{place}: {problem['msg'].lower()}, not {json.dumps(problem['input'])[:60]}{cure}"
