"""``Credential``: an API key that is never displayed."""

from __future__ import annotations

import os

from judgecore.errors import AuthenticationError
from judgecore.targets.redaction import SHOWN, Redactor


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
