"""``Credential``: a key that is used and never shown."""

from __future__ import annotations

import os

from judgecore.errors import AuthenticationError
from judgecore.targets.redaction import SHOWN, Redactor


class Credential:
    """A key, given or found in the environment when it is needed; it has no text, no pickle and no hash.

    Args:
        key: The key; None to look it up.
        variable: The environment variable that holds it.
    """

    __slots__ = ("_key", "_redactor", "_variable")

    def __init__(self, key: str | None, variable: str) -> None:
        self._key = key
        self._variable = variable
        self._redactor: Redactor | None = None

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

    def redactor(self) -> Redactor:
        """Return what redacts the key in what an endpoint sends."""
        key = self._found()
        if self._redactor is None or self._redactor.key != key:
            self._redactor = Redactor(key)
        return self._redactor

    @property
    def is_there(self) -> bool:
        """Whether a key was given, or stands in the environment."""
        return bool(self._found())

    def __repr__(self) -> str:
        return f"Credential({SHOWN})"

    def _found(self) -> str:
        return (self._key if self._key is not None else os.environ.get(self._variable, "")).strip()

    def __reduce__(self) -> tuple[type[Credential], tuple[None, str]]:
        """Pickle the variable's name alone; a given key stays in its process."""
        if self._key is not None:
            raise TypeError(f"a key that was passed is not pickled; set {self._variable} where the target is used")
        return Credential, (None, self._variable)
