"""``Redactor``: removes an API key from received data before they are parsed, stored, logged or raised.

The key is searched in decoded values: in the strings of a JSON body, single and joined with those under the same name,
and in their decodings (backslash escapes, percent-encoding, HTML references, base64, hexadecimal digits), ignoring case
and white space, colons and invisible characters between letters. Two thirds of a key count as the key if they have at
least 16 characters.
"""

from __future__ import annotations

import base64
import html
import json
import logging
import os
import re
import string
import sys
from bisect import bisect_right
from collections import defaultdict
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from judgecore.errors import AuthenticationError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence


SHOWN = "***"
SHORTEST_SECRET, SHORTEST_IN_WORDS = 16, 8
"""A shorter key is a placeholder, which may occur in a reply (or an error) and must not be changed there."""

# Each run of backslashes is matched only from its first one, so that time is linear. Every alternative begins with a
# literal character, so that `re` skips what begins none.
_BACKSLASHES = r"\\(?<!\\\\)\\*+"
_INVISIBLE = "\0\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_ESCAPED_LETTER = re.compile(
    rf"{_BACKSLASHES}(?:u([0-9a-f]{{4}})|x([0-9a-f]{{2}})|u\{{0*+([0-9a-f]{{1,6}})\}})"
    r"|%(?:25)*([0-9a-f]{2})"
    r"|&(?:amp;)*(?:#0*+([0-9]{1,7});?|#x0*+([0-9a-f]{1,6});?|([a-z][a-z0-9]{1,30};))",
    re.IGNORECASE | re.ASCII,
)
_ESCAPE = re.compile(
    "|".join(
        (
            _ESCAPED_LETTER.pattern,
            rf"{_BACKSLASHES}[nrt]",
            *(f"{re.escape(one)}[{_INVISIBLE}]*+" for one in _INVISIBLE),
        )
    ),
    _ESCAPED_LETTER.flags,
)
# ASCII text without one of these has no escapes.
_ESCAPE_SIGNS = ("\\", "%", "&", "\0")
_LETTER_SIGNS = ("\\u", "\\x", "%", "&")
_MAX_DECODINGS = 3
_SEPARATORS = re.compile(r"[\s:\\]+")
_BYTE_LIST = re.compile(r"\[\s*+[0-9]{1,3}\s*+[,\]]")
_ENCODED = frozenset(f"{string.ascii_letters}{string.digits}+/_=-")
_STAR = ord("*")
_WITH_STRINGS = (str, dict, list)


@dataclass
class Redactor:
    """Redacts one key in texts, headers and bodies."""

    key: str = field(repr=False)

    def text(self, text: str) -> str:
        """Return a text with the key redacted."""
        return self.pieces([text])[0]

    def pieces(self, texts: Sequence[str]) -> Sequence[str]:
        """Return texts with the key redacted, even if it spans several; the same objects if it does not occur."""
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
        """Return headers with the key redacted in names and values; the same objects if it does not occur."""
        names, values = [name for name, _ in headers], [value for _, value in headers]
        if not self._has_letters("\n".join((*names, *values))):
            return headers
        redacted = list(self.pieces(values))
        for one in {name for name in names if names.count(name) > 1}:
            places = [place for place, name in enumerate(names) if name == one]
            for place, value in zip(places, self.pieces([redacted[place] for place in places]), strict=True):
                redacted[place] = value
        known = self.pieces(names)
        return headers if known is names and redacted == values else list(zip(known, redacted, strict=True))

    def body(self, body: bytes, *, is_reply: bool) -> bytes:
        """Return a body with the key redacted; JSON stays valid. Returns the same bytes if the key does not occur."""
        if len(self.key) < (SHORTEST_SECRET if is_reply else SHORTEST_IN_WORDS):
            return body
        text = body.decode("utf-8", "surrogateescape")
        if not self._has_letters(text):
            return body
        try:
            document = [json.loads(text, object_pairs_hook=_every_pair)]
        except (ValueError, RecursionError):
            redacted = self.text(text)
            return body if redacted == text else redacted.encode("utf-8", "surrogateescape")
        strings = _Strings(document)
        if not self._spans(strings.joined()):
            return body
        strings.redact(self.pieces)
        return json.dumps(document[0]).encode()

    def _has_letters(self, text: str) -> bool:
        """Prefilter: return whether a text has all letters of some spelling of the key, in any order."""
        small = _lower(text)
        if any(sign in small for sign in _LETTER_SIGNS) and _ESCAPED_LETTER.search(text) is not None:
            return True
        has_bytes = _BYTE_LIST.search(text) is not None
        missing = {
            letter
            for letter in self._letters
            if letter not in small
            and not (has_bytes and (str(ord(letter)) in text or str(ord(letter.swapcase()[0])) in text))
        }
        return any(missing.isdisjoint(needle.middle) for needle in self._needles)

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Return the disjoint spans of the key, in order."""
        if len(self.key) < SHORTEST_IN_WORDS:
            return []
        spans = [span for patterns, seen in _views(text) for span in self._spans_in(text, patterns, seen)]
        apart: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if apart and start < apart[-1][1]:
                apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
            else:
                apart.append((start, end))
        return apart

    def _spans_in(self, text: str, patterns: tuple[re.Pattern[str], ...], seen: str) -> Iterator[tuple[int, int]]:
        """Yield the spans in a text of the key found in one of its views."""
        found = [(needle, span) for needle in self._needles for span in needle.spans(seen)]
        if not found:
            return
        origin = _Origin(text, patterns)
        last_end = 0
        for needle, (first, end_seen) in sorted(found, key=lambda one: one[1]):
            start, end = origin.span(first, end_seen)
            if needle.is_encoded:
                # The characters around an encoded key contain bits of it, too.
                while start > last_end and text[start - 1] in _ENCODED:
                    start -= 1
                end = max(end, last_end)
                while end < len(text) and text[end] in _ENCODED:
                    end += 1
            # A remaining backslash would escape the next character.
            while start > last_end and text[start - 1] == "\\":
                start -= 1
            last_end = max(end, last_end)
            yield start, end

    @cached_property
    def _letters(self) -> set[str]:
        return {letter for needle in self._needles for letter in needle.middle}

    @cached_property
    def _needles(self) -> list[_Needle]:
        """Return the key in lower case: plain, hexadecimal, and in both kinds of base64 after 0 to 2 other bytes."""
        data = self.key.encode("utf-8", "surrogatepass")
        encoded = {data.hex()}
        for before in range(3):
            base = base64.b64encode(bytes(before) + data).decode().lower()
            whole = base[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
            encoded |= {whole, whole.replace("+", "-").replace("/", "_")}
        plain = {seen for _, seen in _views(self.key) if seen}
        return [
            *(_Needle(one, is_encoded=False) for one in sorted(plain)),
            *(_Needle(one, is_encoded=True) for one in sorted(encoded)),
        ]


class _Needle:
    """A spelling of the key; a sufficiently long part of it counts as the key."""

    def __init__(self, whole: str, *, is_encoded: bool) -> None:
        self.is_encoded = is_encoded
        self._whole = whole
        self._min_part = min(len(whole), max(SHORTEST_SECRET, len(whole) * 2 // 3))
        self._before = len(whole) - self._min_part
        self.middle = whole[self._before : self._min_part]

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield its spans in a lower-case text."""
        whole = self._whole
        at = 0
        while (found := text.find(self.middle, at)) >= 0:
            first, after = self._before, self._min_part
            start, end = found, found + len(self.middle)
            while first and start and whole[first - 1] == text[start - 1]:
                first, start = first - 1, start - 1
            while after < len(whole) and end < len(text) and whole[after] == text[end]:
                after, end = after + 1, end + 1
            at = found + 1
            if end - start >= self._min_part:
                yield start, end
                at = end


def _views(text: str) -> Iterator[tuple[tuple[re.Pattern[str], ...], str]]:
    """Yield the views of a text in lower case: unchanged, and without separators after each decoding.

    Each comes with the patterns that were replaced, in order.
    """
    yield (), _lower(text)
    patterns: tuple[re.Pattern[str], ...] = ()
    for _ in range(_MAX_DECODINGS + 1):
        # Equivalent to replacing _SEPARATORS, but faster.
        yield (*patterns, _SEPARATORS), "".join(_lower(text).replace(":", "").replace("\\", "").split())
        if not _may_be_escaped(text):
            return
        text, patterns = _ESCAPE.sub(_meaning, text), (*patterns, _ESCAPE)


class _Origin:
    """Maps the positions of a view to those of the original text."""

    def __init__(self, text: str, patterns: tuple[re.Pattern[str], ...]) -> None:
        # For each step and replacement: its start and end in the result, and in the input of the step.
        self._steps: list[tuple[list[int], list[tuple[int, int, int]]]] = []
        for pattern in patterns:
            begins, rest, made, at, size = [0], [(0, 0, 0)], list[str](), 0, 0
            for found in pattern.finditer(text):
                meaning = _meaning(found) if pattern is _ESCAPE else ""
                made += [text[at : found.start()], meaning]
                size += found.start() - at
                begins.append(size)
                size += len(meaning)
                at = found.end()
                rest.append((size, found.start(), at))
            text = "".join((*made, text[at:]))
            self._steps.append((begins, rest))

    def span(self, start: int, end: int) -> tuple[int, int]:
        last = end - 1
        for begins, rest in reversed(self._steps):
            start, _ = self._of_one(begins, rest, start)
            _, end = self._of_one(begins, rest, last)
            last = end - 1
        return start, last + 1

    @staticmethod
    def _of_one(begins: list[int], rest: list[tuple[int, int, int]], place: int) -> tuple[int, int]:
        end, origin, origin_end = rest[bisect_right(begins, place) - 1]
        if place < end:
            return origin, origin_end
        return origin_end + place - end, origin_end + place - end + 1


def _lower(text: str) -> str:
    """Return a text in lower case with the same length, which lowering changes for only one character."""
    return text.replace("\u0130", "i").lower()


def _may_be_escaped(text: str) -> bool:
    is_signed = not text.isascii() or any(sign in text for sign in _ESCAPE_SIGNS)
    return is_signed and _ESCAPE.search(text) is not None


def _meaning(found: re.Match[str]) -> str:
    """Return the character of an escape; empty for an invisible character."""
    *hexadecimals, decimal, reference, name = found.groups()
    if name is not None:
        # HTML's reference for a hyphen is not the ASCII one.
        return html.unescape(f"&{name}").replace("\u2010", "-")
    digits = next((one for one in (*hexadecimals, reference) if one is not None), None)
    code = int(decimal) if decimal is not None else int(digits, 16) if digits is not None else None
    return chr(code) if code is not None and code <= sys.maxunicode else ""


class _Strings:
    """All strings of a JSON document, grouped by the names they stand under; names are a group of their own."""

    def __init__(self, document: list[Any]) -> None:
        self._objects: list[dict[str, Any]] = []
        # By path: the strings, and where each stands; the same for lists of numbers that are bytes, such as of tokens.
        self._texts: defaultdict[int, list[str]] = defaultdict(list)
        self._places: defaultdict[int, list[tuple[Any, Any]]] = defaultdict(list)
        self._numbers: defaultdict[int, list[str]] = defaultdict(list)
        self._lists: defaultdict[int, list[list[Any]]] = defaultdict(list)
        of_place: dict[tuple[int, str], int] = {}
        pending: list[tuple[int, Any, Any]] = [(0, document, 0)]
        while pending:
            path, holder, at = pending.pop()
            value = holder[at]
            if isinstance(value, str):
                self._texts[path].append(value)
                self._places[path].append((holder, at))
            elif isinstance(value, dict):
                named = cast("dict[str, Any]", value)
                self._objects.append(named)
                for name, inner in reversed(named.items()):
                    if isinstance(inner, _WITH_STRINGS):
                        step = of_place.setdefault((path, str(name)), len(of_place) + 1)
                        pending.append((step, named, name))
            elif isinstance(value, list) and value:
                listed = cast("list[Any]", value)
                try:
                    spelled = bytes(listed).decode("latin-1")
                except (TypeError, ValueError):
                    pending += [(path, listed, place) for place in reversed(range(len(listed)))]
                else:
                    self._numbers[path].append(spelled)
                    self._lists[path].append(listed)
        self._names = [name for named in self._objects for name in named]

    def joined(self) -> str:
        """Return the strings of each group joined, a line for each group."""
        return "\n".join(map("".join, (*self._texts.values(), *self._numbers.values(), self._names)))

    def redact(self, pieces: Callable[[Sequence[str]], Sequence[str]]) -> None:
        """Replace the strings of each group by those that a function returns; two names that become alike stay two."""
        for path, texts in self._texts.items():
            for (holder, at), old, new in zip(self._places[path], texts, pieces(texts), strict=True):
                if old != new:
                    holder[at] = new
        for path, spelled in self._numbers.items():
            for listed, old, new in zip(self._lists[path], spelled, pieces(spelled), strict=True):
                if old != new:
                    listed[:] = [_STAR] * len(old)
        self._rename(pieces(self._names))

    def _rename(self, new_names: Sequence[str]) -> None:
        names = iter(new_names)
        for named in self._objects:
            items = list(named.items())
            # A repeated name is equal to itself only, but unequal in the way of all texts.
            renamed = [new if name != new else name for (name, _), new in zip(items, names, strict=False)]
            if renamed == list(named):
                continue
            named.clear()
            for new, (_, value) in zip(renamed, items, strict=True):
                while new in named:
                    new += "*"  # noqa: PLW2901 - until it is free
                named[new] = value


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
    """Mark a block in which a request with a key is sent and its answer read."""
    token = _SENDING.set(redactor)
    try:
        yield
    finally:
        _SENDING.reset(token)


class Credential:
    """An API key, given or looked up in the environment when it is used; it is never displayed, pickled or hashed."""

    __slots__ = ("_key", "_redactor", "_variable")

    def __init__(self, key: str | None, variable: str) -> None:
        self._key = key
        self._variable = variable
        self._redactor: Redactor | None = None

    def reveal(self) -> str:
        """Return the key, only for use in a header."""
        key = self._found()
        if not key:
            raise AuthenticationError(f"there is no key: set {self._variable}")
        if not key.isascii() or not key.isprintable():
            where = "" if self._key else f" in {self._variable}"
            raise AuthenticationError(f"the key{where} has a character that is not allowed in headers")
        return key

    def redactor(self) -> Redactor:
        """Return the redactor of the key, for data from an endpoint."""
        key = self._found()
        if self._redactor is None or self._redactor.key != key:
            self._redactor = Redactor(key)
        return self._redactor

    @property
    def is_there(self) -> bool:
        """Whether a key was given or is in the environment."""
        return bool(self._found())

    def __repr__(self) -> str:
        return f"Credential({SHOWN})"

    def _found(self) -> str:
        return (self._key if self._key is not None else os.environ.get(self._variable, "")).strip()

    def __reduce__(self) -> tuple[type[Credential], tuple[None, str]]:
        """Pickle only the variable's name; a given key must not leave its process."""
        if self._key is not None:
            raise TypeError(f"a key that was passed is not pickled; set {self._variable} where the target is used")
        return Credential, (None, self._variable)
