"""``JudgeRequest``: a request to a judge, independent of the endpoint."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, cast

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
    """An image for the judge: bytes, or a URL that the endpoint fetches.

    Make one with ``from_bytes``, ``from_path`` or ``from_url``.

    Attributes:
        data: The content of the file; None for a URL.
        url: The URL; None for bytes.
        media_type: The media type, such as ``image/png``; None for a URL.
    """

    data: bytes | None = field(default=None, repr=False)
    url: str | None = None
    media_type: str | None = None

    @classmethod
    def from_bytes(cls, data: bytes, *, media_type: str | None = None) -> Self:
        """Make an image from the content of a file.

        Args:
            data: PNG, JPEG, GIF or WebP, or another type with ``media_type``.
            media_type: The media type, if it can't be detected from the first bytes.

        Raises:
            RequestError: If the type can't be detected.
        """
        known = media_type or _media_type(data)
        if known is None:
            raise RequestError("the image's type can't be told from its first bytes; pass media_type='image/...'")
        return cls(data=data, media_type=known)

    @classmethod
    def from_path(cls, path: str | PathLike[str]) -> Self:
        """Read an image from a file.

        Raises:
            RequestError: If it can't be read, or its type can't be detected.
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
        """Make an image from a URL; the endpoint fetches it, so its content is not part of any hash.

        Args:
            url: A URL that begins with ``https://`` or ``http://``.

        Raises:
            RequestError: If it is not such a URL.
        """
        if not url.startswith(("https://", "http://")):
            raise RequestError(f"{url[:60]!r} is no http or https address; use Image.from_path or Image.from_bytes")
        return cls(url=url)

    @property
    def address(self) -> str:
        """The URL, or a data URL with the bytes."""
        if self.data is None:
            return self.url or ""
        return f"data:{self.media_type};base64,{base64.b64encode(self.data).decode('ascii')}"

    def to_json(self) -> dict[str, str]:
        """Return its JSON form for hashes and the ledger: the hash of the bytes, or the URL."""
        if self.data is None:
            return {"url": self.url or ""}
        return {"media_type": self.media_type or "", "sha256": hashlib.sha256(self.data).hexdigest()}


@dataclass(frozen=True)
class ConversationTurn:
    """One turn of a conversation.

    Attributes:
        role: ``user``, or ``assistant`` for a previous turn of the judge.
        text: The text.
        images: Images, which are shown before the text.
        n_shared: The number of leading characters of ``text`` that other requests share, for endpoints with explicit
            prompt caching (``AnthropicTarget``).
    """

    role: Literal["user", "assistant"]
    text: str
    images: tuple[PromptImage, ...] = ()
    n_shared: int = field(default=0, kw_only=True, compare=False)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values; images are represented by their hash."""
        turn: dict[str, Any] = {"role": self.role, "text": self.text}
        if self.images:
            turn["images"] = [image.to_json() for image in self.images]
        return turn


@dataclass(frozen=True)
class JudgeRequest:
    """A request to a judge. The model and the sampling settings belong to the target.

    Attributes:
        prompt: The user prompt, or the turns of a conversation that ends with a user turn.
        system: The system prompt.
        schema: The JSON Schema of the reply; the target determines whether the endpoint enforces it.
        schema_name: The name of the schema, for the endpoint.
        logprobs: The number of most probable tokens to report per position, 0 for only the chosen one; None for none.
        seed: The sampling seed, for endpoints that support it; from -2^63 to 2^63 - 1.
        max_tokens: The maximum number of tokens of the reply; None for the endpoint's own limit.
        reasoning_effort: ``low``, ``medium``, ``high``, or another value that the endpoint supports.
        trial: The number of the independent judgement; not sent, but part of the ledger's key.
        ask: The number of earlier requests whose replies were unreadable; not sent, but part of the ledger's key.

    Raises:
        RequestError: If the prompt is neither text nor turns with text, ``system`` is not text, or a number is not an
            integer, is negative (except ``seed``), or is above 2^63 - 1.

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
        if not isinstance(self.prompt, str):
            _check_turns(self.prompt)
        if not isinstance(self.system, str | None):  # pyright: ignore[reportUnnecessaryIsInstance] - a caller's value
            raise RequestError(f"system must be text, not {type(self.system).__name__}")
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
        """Return it as JSON values, without trial, ask and values that are None; images as their hash."""
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
        """The system prompt followed by the schema; both precede the judged text."""
        if self.schema is None:
            return self.system
        schema = json.dumps(self.schema)
        asked = f"Answer with one JSON object that keeps this JSON Schema, and with nothing else:\n{schema}"
        return asked if not self.system else f"{self.system}\n\n{asked}"

    @cached_property
    def hash(self) -> str:
        """SHA-256 of ``to_json``, in 64 hex digits; the same for all targets."""
        return content_hash(self.to_json())


def _check_turns(prompt: object) -> None:
    turns = cast("Sequence[object]", prompt) if isinstance(prompt, list | tuple) else ()
    if not turns:
        what = "an empty one" if isinstance(prompt, list | tuple) else type(prompt).__name__
        raise RequestError(f"the prompt must be text or a list of ConversationTurn, not {what}")
    for number, turn in enumerate(turns, start=1):
        if not isinstance(turn, ConversationTurn):
            raise RequestError(f"turn {number} of the prompt must be a ConversationTurn, not {type(turn).__name__}")
        if not isinstance(turn.text, str):  # pyright: ignore[reportUnnecessaryIsInstance] - a caller's value
            raise RequestError(f"turn {number} of the prompt must have text, not {type(turn.text).__name__}")


def _spelled(file: object) -> str:
    from judgecore.terminal import escape_controls  # noqa: PLC0415 - rich, for a message

    return escape_controls(str(file))


def _media_type(data: bytes) -> str | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((name for signature, name in _SIGNATURES if data.startswith(signature)), None)
