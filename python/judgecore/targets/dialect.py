"""Dialects: the shapes of replies, each read by the registered class whose name it has."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from judgecore.errors import LedgerError, MalformedReplyError
from judgecore.hashing import canonical_json
from judgecore.targets.registration import TARGETS
from judgecore.targets.reply import JudgeReply, TokenUsage, changed, described
from judgecore.targets.target import is_recordable

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from judgecore.targets.target import Recordable, Target

PLAIN = "judgecore"
"""The dialect of targets that have none of their own: a ``JudgeReply`` as JSON."""

_Shape = TypeVar("_Shape")


def dialect_of(target: Target) -> str:
    """Return the name of the registered class whose ``read`` reads a target's replies; else ``PLAIN``."""
    if not is_recordable(target):
        return PLAIN
    reader = next((kind for kind in type(target).__mro__ if "read" in vars(kind)), None)
    return (reader and TARGETS.name_of(reader)) or PLAIN


def read_reply(dialect: str, raw: bytes, *, key: str | None = None, module: str = "") -> JudgeReply:
    """Read a stored reply."""
    if dialect == PLAIN:
        reply = _read_plain(raw)
    else:
        kind = TARGETS.find(dialect)
        if kind is None or not hasattr(kind, "read"):
            raise LedgerError(
                f"a reply has the dialect {dialect!r}, which no registered target reads; install the package that "
                f"registers the target {dialect!r}, or import its module first"
                + (f": {module}" if module not in ("", "judgecore") else "")
            )
        reply = read_body(cast("type[Recordable]", kind), raw)
    return replace(reply, key=key, attempts=0)


def read_body(kind: type[Recordable], raw: bytes) -> JudgeReply:
    """Read the body of an answer by a target's class."""
    try:
        return changed(kind.read(raw), raw=raw)
    except MalformedReplyError as problem:
        problem.raw = raw
        raise
    except ValueError as problem:
        malformed = MalformedReplyError(f"the endpoint's answer is no reply: {problem}")
        malformed.raw = raw
        raise malformed from problem


def parse_body(raw: bytes, shape: type[_Shape], name: str) -> _Shape:
    """Parse the JSON of an answer into a dataclass; keys that the class does not have are passed over.

    Args:
        raw: The bytes as they came.
        shape: The dataclass, of JSON's types, of other dataclasses and of lists of them.
        name: What messages call it, such as ``chat completion``.

    Raises:
        MalformedReplyError: If it is no JSON or of another shape; the message names the place and never the content.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - loaded when the first reply is read

    try:
        return _adapter(shape).validate_json(raw)
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False, include_context=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        said = f"{place}: {first['msg']}" if place else first["msg"]
        raise MalformedReplyError(f"the endpoint's answer is no {name}: {said}") from None


def write_plain(reply: JudgeReply) -> bytes:
    """Write a reply of a target that has no dialect of its own."""
    return canonical_json({"text": reply.text, **described(reply)})


def _read_plain(raw: bytes) -> JudgeReply:
    try:
        known = cast("dict[str, Any]", json.loads(raw))
        usage = TokenUsage.from_mapping(known)
        return JudgeReply(**{name: known[name] for name in known.keys() - vars(usage).keys()}, usage=usage, raw=raw)
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        damaged = MalformedReplyError(f"a stored reply is damaged: {problem}")
        damaged.raw = raw
        raise damaged from problem


@cache
def _adapter(shape: type[_Shape]) -> TypeAdapter[_Shape]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - loaded when the first reply is read

    return TypeAdapter(shape)
