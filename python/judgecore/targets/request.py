"""``JudgeRequest``: what a judge is asked, whichever endpoint it is asked at."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

from judgecore.containment import to_file
from judgecore.errors import RequestError
from judgecore.hashing import content_hash
from judgecore.targets.reply import MOST, check_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
)


@dataclass(frozen=True, kw_only=True)
class PromptImage:
    """A picture that is shown to the judge: bytes, or an address that the endpoint fetches itself.

    Make one with ``from_bytes``, ``from_path`` or ``from_url``.

    Attributes:
        data: The bytes of the file; None for an address.
        url: The address; None for bytes.
        media_type: Such as ``image/png``; None for an address.
        address: The address, or one of the scheme ``data`` that holds the bytes.
    """

    data: bytes | None = field(default=None, repr=False)
    url: str | None = None
    media_type: str | None = None

    @classmethod
    def from_bytes(cls, data: bytes, *, media_type: str | None = None) -> Self:
        """Show the bytes of a file.

        Args:
            data: PNG, JPEG, GIF, WebP, or another type if it is named.
            media_type: The type, where it can't be told from the first bytes.

        Raises:
            RequestError: If the type can't be told.
        """
        known = media_type or _media_type(data)
        if known is None:
            raise RequestError("the image's type can't be told from its first bytes; pass media_type='image/...'")
        return cls(data=data, media_type=known)

    @classmethod
    def from_path(cls, path: str | PathLike[str]) -> Self:
        """Show a file, which is read now.

        Args:
            path: The file.

        Raises:
            RequestError: If it can't be read, or is no image of a known type.
        """
        file = to_file(path)
        try:
            data = file.read_bytes()
        except (OSError, ValueError) as problem:
            said = problem.strerror if isinstance(problem, OSError) else "is no name that a file can have"
            raise RequestError(f"can't read the image {_spelled(file)}: {said}") from problem
        known = _media_type(data)
        if known is None:
            raise RequestError(f"{_spelled(file)} is no PNG, JPEG, GIF or WebP; for another type use Image.from_bytes")
        return cls(data=data, media_type=known)

    @classmethod
    def from_url(cls, url: str) -> Self:
        """Show what is at an address; the endpoint fetches it, so its content is no part of any hash.

        Args:
            url: ``https://`` or ``http://``.

        Raises:
            RequestError: If it is no such address.
        """
        if not url.startswith(("https://", "http://")):
            raise RequestError(f"{url[:60]!r} is no http or https address; use Image.from_path or Image.from_bytes")
        return cls(url=url)

    @property
    def address(self) -> str:
        """The address, or one of the scheme ``data`` that holds the bytes."""
        if self.data is None:
            return self.url or ""
        return f"data:{self.media_type};base64,{base64.b64encode(self.data).decode('ascii')}"

    def to_json(self) -> dict[str, str]:
        """Return what a hash and the ledger hold of it: the bytes' own hash, or the address."""
        if self.data is None:
            return {"url": self.url or ""}
        return {"media_type": self.media_type or "", "sha256": hashlib.sha256(self.data).hexdigest()}


@dataclass(frozen=True)
class ConversationTurn:
    """One turn of a conversation.

    Attributes:
        role: ``user``, or ``assistant`` for what the judge is made to have said before.
        text: The words.
        images: Pictures, shown before the words.
        n_shared: How many of the first characters of ``text`` other requests begin with, too; an endpoint that caches
            what it is told to is told so (``AnthropicTarget``).
    """

    role: Literal["user", "assistant"]
    text: str
    images: tuple[PromptImage, ...] = ()
    n_shared: int = field(default=0, kw_only=True, compare=False)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, images by their hash."""
        turn: dict[str, Any] = {"role": self.role, "text": self.text}
        if self.images:
            turn["images"] = [image.to_json() for image in self.images]
        return turn


@dataclass(frozen=True)
class JudgeRequest:
    """What a judge is asked. Which model, and how it draws, is the target's.

    Attributes:
        prompt: The user's words, or the turns of a conversation, of which the last is the user's.
        system: The system prompt.
        schema: The JSON Schema that the reply must keep; the target says whether the endpoint sees to it.
        schema_name: What the endpoint calls the schema.
        logprobs: How many of the likeliest tokens to report at each place, 0 for the chosen one alone; None for none.
        seed: What an endpoint draws by, where it knows seeds; from -2^63 to 2^63 - 1.
        max_tokens: The most tokens that the reply may have; None for the endpoint's own limit.
        reasoning_effort: ``low``, ``medium``, ``high`` or what else the endpoint knows.
        trial: Which of several independent askings it is; not sent, and part of the ledger's key.
        ask: How often the question was asked before and not readably answered; not sent, and part of the ledger's key.
        system_with_schema: The system prompt with the schema at its end, for endpoints that know no schemas.

    Raises:
        RequestError: If a number is no whole number, or is negative (but for ``seed``), or beyond 2^63 - 1.

    Examples:
        >>> from judgecore import JudgeRequest
        >>> JudgeRequest("Is 2 + 2 = 4? Answer yes or no.", max_tokens=5).hash[:8]
        '8c43f341'
    """

    prompt: str | Sequence[ConversationTurn]
    system: str | None = field(default=None, kw_only=True)
    schema: Mapping[str, Any] | None = field(default=None, kw_only=True)
    schema_name: str = field(default="verdict", kw_only=True)
    logprobs: int | None = field(default=None, kw_only=True)
    seed: int | None = field(default=None, kw_only=True)
    max_tokens: int | None = field(default=None, kw_only=True)
    reasoning_effort: str | None = field(default=None, kw_only=True)
    trial: int = field(default=0, kw_only=True)
    ask: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        try:
            check_count("trial", self.trial)
            check_count("ask", self.ask)
            for name in ("logprobs", "max_tokens"):
                if (value := getattr(self, name)) is not None:
                    check_count(name, value)
            if self.seed is not None:
                check_count("seed", self.seed, low=-MOST - 1)
        except ValueError as problem:
            raise RequestError(str(problem)) from None

    @cached_property
    def turns(self) -> tuple[ConversationTurn, ...]:
        """The prompt as turns."""
        return (ConversationTurn("user", self.prompt),) if isinstance(self.prompt, str) else tuple(self.prompt)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values: without trial and ask, without what is None, and images by their hash."""
        given: dict[str, Any] = {
            "system": self.system,
            "schema": None if self.schema is None else dict(self.schema),
            "schema_name": None if self.schema is None else self.schema_name,
            "logprobs": self.logprobs,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
            "reasoning_effort": self.reasoning_effort,
        }
        settled = {name: value for name, value in given.items() if value is not None}
        return {"turns": [turn.to_json() for turn in self.turns], **settled}

    @property
    def system_with_schema(self) -> str | None:
        """The system prompt with the schema at its end, before all that is judged."""
        if self.schema is None:
            return self.system
        schema = json.dumps(self.schema)
        asked = f"Answer with one JSON object that keeps this JSON Schema, and with nothing else:\n{schema}"
        return asked if not self.system else f"{self.system}\n\n{asked}"

    @cached_property
    def hash(self) -> str:
        """SHA-256 of ``to_json``, in 64 hex digits: the same question has the same hash at every target."""
        return content_hash(self.to_json())


def _spelled(file: object) -> str:
    from judgecore.terminal import escape_controls  # noqa: PLC0415 - rich, for a message

    return escape_controls(str(file))


def _media_type(data: bytes) -> str | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((name for signature, name in _SIGNATURES if data.startswith(signature)), None)
