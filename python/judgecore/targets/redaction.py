"""``Redactor``: a key is taken out of whatever an endpoint sent, before any of it is read, kept, logged or raised.

Keys are compared with decoded values: with the strings of a JSON body, each and in pieces, and with what they spell in
turn (JSON's escapes, percent-encoding, HTML's references, base64, hexadecimal digits), in any case of letters.
"""

from __future__ import annotations

import base64
import json
import logging
import re
import string
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

SHOWN = "***"
SHORTEST_SECRET, SHORTEST_IN_WORDS = 16, 8
"""A shorter key is a placeholder, which may be a word of a judge (of an error) and must not change it."""

# What is invisible, or left between the letters by another width of characters.
_GAP = "[\0\u00ad\u200b-\u200f\u2060\ufeff]{0,3}"
# Without one of these, a key can only be spelled as it is.
_MARKS = re.compile(
    "\\\\(?:u00|x[0-9a-fA-F]|u\\{|u200|u2060|u[fF][eE][fF][fF])|%[0-9a-fA-F]|&(?:#|amp;)"
    "|[\0\u00ad\u200b-\u200f\u2060\ufeff]"
)
_SIGNS = ("\\u", "\\x", "%", "&", "\0")
_STRING, _NUMBERS = re.compile(r'"((?:[^"\\]++|\\.)*+)"'), re.compile(r"\[([\d\s,]+)\]")
_PACKED = frozenset(f"{string.ascii_letters}{string.digits}+/_=-")
_STAR = ord("*")
# What JSON writes with nothing but a backslash before it.
_ESCAPED = frozenset('"\\/')


@dataclass
class Redactor:
    """Takes one key out of texts, headers and bodies.

    Args:
        key: The key, in ASCII.
    """

    key: str = field(repr=False)

    def text(self, text: str) -> str:
        """Return a text with the key blotted out."""
        return self.pieces([text])[0]

    def pieces(self, texts: Sequence[str]) -> Sequence[str]:
        """Return texts with the key blotted out, also where it goes over several of them; the same ones if not."""
        joined = "".join(texts)
        spans = self._spans(joined)
        if not spans:
            return texts
        redacted: list[str] = []
        at, first = 0, 0
        for text in texts:
            done, end_of_text = at, at + len(text)
            shown: list[str] = []
            while first < len(spans) and spans[first][0] < end_of_text:
                start, end = spans[first]
                if text:
                    shown += [joined[done : max(start, done)], SHOWN]
                    done = min(end, end_of_text)
                if end > end_of_text:
                    break
                first += 1
            redacted.append("".join((*shown, joined[done:end_of_text])))
            at = end_of_text
        return redacted

    def headers(self, headers: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        """Return headers with the key blotted out of names and values; the same ones if it is not there."""
        names, values = [name for name, _ in headers], [value for _, value in headers]
        redacted = list(self.pieces(values))
        for one in dict.fromkeys(names):
            places = [place for place, name in enumerate(names) if name == one]
            for place, value in zip(places, self.pieces([redacted[place] for place in places]), strict=True):
                redacted[place] = value
        known = self.pieces(names)
        return headers if known is names and redacted == values else list(zip(known, redacted, strict=True))

    def body(self, body: bytes, *, is_reply: bool) -> bytes:
        """Return a body with the key blotted out; JSON stays JSON, and the same bytes come back if it is not there."""
        if len(self.key) < (SHORTEST_SECRET if is_reply else SHORTEST_IN_WORDS):
            return body
        text = body.decode("utf-8", "surrogateescape")
        if not self._may_hold(text) and not self._may_be_in_pieces(text):
            return body
        try:
            document = [json.loads(text, object_pairs_hook=_every_pair)]
            strings = _Strings(document)
            if not self._spans("\n".join("".join(group.texts) for group in strings.groups)):
                return body
            for group in strings.groups:
                group.replace(self.pieces(group.texts))
            strings.rename()
            return json.dumps(document[0]).encode()
        except (ValueError, RecursionError):
            redacted = self.text(text)
            return body if redacted == text else redacted.encode("utf-8", "surrogateescape")

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where the key stands, in order and apart from each other."""
        if len(self.key) < SHORTEST_IN_WORDS or not self._may_hold(text):
            return []
        spans = [found.span() for found in self._spelled.finditer(text)]
        for form in self._packed:
            at = 0
            while (found := form.search(text, at)) is not None:
                start, at = _run(text, found.start(), found.end(), at)
                spans.append((start, at))
        apart: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if apart and start < apart[-1][1]:
                apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
            else:
                apart.append((start, end))
        return apart

    def _may_hold(self, text: str) -> bool:
        """Whether a closer look is needed; most texts need none."""
        small = text.lower()
        return (
            self.key[: self._fewest].lower() in small
            or any(form in small for form in self._packed_small)
            or ((not text.isascii() or any(one in text for one in _SIGNS)) and _MARKS.search(text) is not None)
            or ("\\" in text and not _ESCAPED.isdisjoint(self.key))
        )

    def _may_be_in_pieces(self, text: str) -> bool:
        """Whether the strings of JSON text that can be parts of the key have all of its letters: most have not."""
        key, letters = self.key.lower(), set[str]()
        for one in set(_STRING.findall(text)):
            small = one.lower()
            if small in key:
                letters.update(small)
                continue
            if small.endswith(self._beginnings):
                letters.update(max((part for part in self._beginnings if small.endswith(part)), key=len))
            if small.startswith(self._ends):
                letters.update(max((part for part in self._ends if small.startswith(part)), key=len))
        for one in set(_NUMBERS.findall(text)):
            spelled = "".join(chr(int(code)) for code in one.split(",") if len(code.strip()) in (2, 3)).lower()
            if spelled in key:
                letters.update(spelled)
        return letters.issuperset(key[: self._fewest])

    @cached_property
    def _beginnings(self) -> tuple[str, ...]:
        return tuple(self.key[:end].lower() for end in range(1, len(self.key)))

    @cached_property
    def _ends(self) -> tuple[str, ...]:
        return tuple(self.key[start:].lower() for start in range(1, len(self.key)))

    @cached_property
    def _fewest(self) -> int:
        """How many characters from its beginning are as good as the key: messages are cut."""
        return min(len(self.key), max(SHORTEST_SECRET, len(self.key) * 2 // 3))

    @cached_property
    def _spelled(self) -> re.Pattern[str]:
        characters = [_character(one) for one in self.key]
        needed, more = characters[: self._fewest], characters[self._fewest :]
        cut = "".join(f"(?:{_GAP}{one}" for one in more) + ")?" * len(more)
        return re.compile(_GAP.join(needed) + cut)

    @cached_property
    def _packed(self) -> list[re.Pattern[str]]:
        return [re.compile(f"(?i:{re.escape(form)})") for form in self._packed_small]

    @cached_property
    def _packed_small(self) -> tuple[str, ...]:
        """The key in hexadecimal digits, and in both kinds of base64 behind 0 to 2 other bytes, in small letters."""
        data = self.key.encode()
        forms = {data.hex()}
        for before in range(3):
            packed = base64.b64encode(bytes(before) + data).decode().lower()
            whole = packed[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
            forms |= {whole, whole.replace("+", "-").replace("/", "_")}
        return tuple(sorted(forms))


@dataclass
class _Group:
    """Strings of a document that belong together: those that stand under the same names."""

    texts: list[str] = field(default_factory=list[str])
    places: list[tuple[Any, Any]] = field(default_factory=list[tuple[Any, Any]])

    def add(self, text: str, holder: Any, at: Any) -> None:
        self.texts.append(text)
        self.places.append((holder, at))

    def replace(self, texts: Sequence[str]) -> None:
        for (holder, at), old, new in zip(self.places, self.texts, texts, strict=True):
            if old != new:
                holder[at] = new


class _Bytes(_Group):
    """Bytes that are spelled as numbers, as those of tokens are."""

    def replace(self, texts: Sequence[str]) -> None:
        for (holder, _), old, new in zip(self.places, self.texts, texts, strict=True):
            if old != new:
                holder[:] = [_STAR] * len(old)


class _Strings:
    """All strings of a JSON document, in its order, in groups; names are a group of their own.

    Args:
        document: A list that holds it.
    """

    def __init__(self, document: list[Any]) -> None:
        self._names = _Group()
        self._objects: list[tuple[dict[str, Any], dict[str, str]]] = []
        self._of_place: dict[tuple[int, str], int] = {}
        groups: dict[int, _Group] = {}
        numbers: dict[int, _Bytes] = {}
        pending: list[tuple[int, Any, Any]] = [(0, document, 0)]
        while pending:
            path, holder, at = pending.pop()
            value = holder[at]
            if isinstance(value, str):
                groups.setdefault(path, _Group()).add(value, holder, at)
            elif isinstance(value, dict):
                named = cast("dict[str, Any]", value)
                renamed: dict[str, str] = {}
                self._objects.append((named, renamed))
                for name in named:
                    self._names.add(name, renamed, name)
                pending += [(self._step(path, name), named, name) for name in reversed(named)]
            elif isinstance(value, list) and value:
                listed = cast("list[Any]", value)
                if all(type(one) is int and 0 <= one <= 255 for one in listed):  # noqa: PLR2004 - a byte
                    numbers.setdefault(path, _Bytes()).add("".join(map(chr, listed)), listed, None)
                else:
                    pending += [(path, listed, place) for place in reversed(range(len(listed)))]
        self.groups: list[_Group] = [*groups.values(), *numbers.values(), self._names]

    def rename(self) -> None:
        """Give the objects the names that were changed; two that became alike stay two."""
        for named, renamed in self._objects:
            if not renamed:
                continue
            items = list(named.items())
            named.clear()
            for name, value in items:
                new = renamed.get(name, name)
                while new in named:
                    new += "*"
                named[new] = value

    def _step(self, path: int, name: str) -> int:
        return self._of_place.setdefault((path, str(name)), len(self._of_place) + 1)


class _Repeated(str):
    """A name that stands in an object more than once; each is another key."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def _every_pair(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of all pairs, also of those whose name is repeated."""
    made = dict(pairs)
    return made if len(made) == len(pairs) else {_Repeated(name): value for name, value in pairs}


def _character(char: str) -> str:
    """A pattern of a character in each of its spellings; repetitions are bounded, so that no text takes long."""
    codes = sorted({ord(char), ord(char.swapcase())})
    digits = f"(?i:{'|'.join(f'{code:02x}' for code in codes)})"
    forms = [
        f"[{re.escape(char)}{re.escape(char.swapcase())}]",
        rf"\\{{1,8}}(?:(?:u00|x|u\{{0{{0,4}}){digits}\}}?{'|' + re.escape(char) if char in _ESCAPED else ''})",
        rf"%(?:25){{0,4}}{digits}",
        rf"&(?:amp;){{0,4}}#(?:0{{0,6}}(?:{'|'.join(map(str, codes))})|[xX]0{{0,6}}{digits});?",
    ]
    return f"(?:{'|'.join(forms)})"


def _run(text: str, start: int, end: int, first: int) -> tuple[int, int]:
    """The whole of a packed text around a part of it: its ends hold bits of the key, too."""
    while start > first and text[start - 1] in _PACKED:
        start -= 1
    while end < len(text) and text[end] in _PACKED:
        end += 1
    return start, end


_SENDING: ContextVar[Redactor | None] = ContextVar("judgecore_sending", default=None)


class _LogFilter(logging.Filter):
    """Keeps what an endpoint sent out of the log records that an HTTP client writes while it sends for us."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change a record, or drop it."""
        redactor = _SENDING.get()
        if redactor is not None:
            if record.name.startswith("hpack"):
                return False
            # httpcore's records of DEBUG show headers as they came.
            record.msg, record.args = redactor.text(record.getMessage().partition(" return_value=")[0]), None
        return True


_FILTER = _LogFilter()
_LOGGERS = (
    *(f"httpcore.{name}" for name in ("connection", "http11", "http2", "proxy", "socks")),
    *(f"hpack.{name}" for name in ("hpack", "huffman", "table")),
    "httpx",
)


def watch_logs() -> None:
    """See to it that no log record of an HTTP client shows the key of a request that is ``sending``."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_FILTER)


@contextmanager
def sending(redactor: Redactor) -> Generator[None]:
    """Mark a block in which a request with a key is sent and its answer read.

    Args:
        redactor: What knows the key.
    """
    token = _SENDING.set(redactor)
    try:
        yield
    finally:
        _SENDING.reset(token)
