"""``Credential``: a key that is used and never shown."""

from __future__ import annotations

import os

from judgecore.errors import AuthenticationError

_SHOWN = "***"
# A shorter key is a placeholder: it may be a word of the judge, and must not change a reply.
_SHORTEST_SECRET, _SHORTEST_IN_WORDS = 16, 8


class Credential:
    """A key, given or found in the environment when it is needed; it has no text, no pickle and no hash.

    Args:
        key: The key; None to look it up.
        variable: The environment variable that holds it.
    """

    __slots__ = ("_key", "_variable")

    def __init__(self, key: str | None, variable: str) -> None:
        self._key = key
        self._variable = variable

    def reveal(self) -> str:
        """Return the key, for a header and nothing else.

        Raises:
            AuthenticationError: If there is none, or it could not stand in a header.
        """
        key = self._found()
        if not key:
            raise AuthenticationError(f"there is no key: set {self._variable}, or pass api_key=")
        if not key.isascii() or not key.isprintable():
            raise AuthenticationError(
                f"the key in {self._variable} or api_key= has a character that no header may hold"
            )
        return key

    def redact(self, data: bytes) -> bytes:
        """Blot the key out of bytes that an endpoint sent."""
        key = self._found().encode("utf-8", "replace")
        return data.replace(key, _SHOWN.encode()) if len(key) >= _SHORTEST_SECRET and key in data else data

    def __repr__(self) -> str:
        return f"Credential({_SHOWN})"

    def redact_words(self, text: str) -> str:
        """Blot the key out of an endpoint's words for an error."""
        key = self._found()
        return text.replace(key, _SHOWN) if len(key) >= _SHORTEST_IN_WORDS else text

    def _found(self) -> str:
        return (self._key if self._key is not None else os.environ.get(self._variable, "")).strip()

    def __reduce__(self) -> tuple[type[Credential], tuple[None, str]]:
        """Pickle the variable's name alone; a given key stays in its process."""
        if self._key is not None:
            raise TypeError(f"a key that was passed is not pickled; set {self._variable} where the target is used")
        return Credential, (None, self._variable)
