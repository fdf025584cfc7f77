"""``Judgements``: what a person said of each entry of the spot check, kept in a file that a later one continues."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

JUDGEMENTS: Final = ("right", "wrong", "unclear")
# How each line begins.
_START = b'{"where": '
_LENGTH_OF_DIGEST = 16


class JudgementsError(Exception):
    """A file that holds something else than judgements; the message says where."""


class Judgements:
    """The judgements of a spot check.

    Each one is appended to the file before the page goes on, so that none is lost when the process is killed.
    """

    def __init__(self, path: Path | None) -> None:
        """Read a file, and open it for appending; None keeps judgements in memory."""
        self._lock = Lock()
        self._by_digest: dict[str, str] = {}
        self._stream = None
        if path is None:
            return
        with ExitStack() as opened:
            stream = opened.enter_context(path.open("a+b"))
            stream.seek(0)
            content = stream.read()
            for digest, judgement in _read(content, path):
                self._set(digest, judgement)
            last = content.rpartition(b"\n")[2]
            if _is_torn(last):
                stream.truncate(len(content) - len(last))
            elif last:
                stream.write(b"\n")
            opened.pop_all()
            self._stream = stream

    def __getitem__(self, digest: str) -> str | None:
        """Return the judgement of an entry, by its digest; None if there is none."""
        return self._by_digest.get(digest)

    def digests(self) -> list[str]:
        """Return the digests of the entries that were judged."""
        with self._lock:
            return list(self._by_digest)

    def add(self, shown: dict[str, Any], judgement: str | None) -> None:
        """Keep a judgement of what the page shows; None withdraws it, and one that can't be written is not kept."""
        if judgement is not None and judgement not in JUDGEMENTS:
            raise ValueError(f"a judgement is one of {', '.join(JUDGEMENTS)}, or null")
        about = {name: shown[name] for name in ("where", "status", "value", "reason", "digest")}
        line = f"{json.dumps({**about, 'judgement': judgement})}\n".encode()
        with self._lock:
            if self._stream is not None:
                self._stream.write(line)
                self._stream.flush()
                os.fsync(self._stream.fileno())
            self._set(shown["digest"], judgement)

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()

    def _set(self, digest: str, judgement: str | None) -> None:
        self._by_digest.pop(digest, None)
        if judgement is not None:
            self._by_digest[digest] = judgement


def _read(content: bytes, path: Path) -> Iterator[tuple[str, str | None]]:
    """Yield digests and judgements; the last line may be torn."""
    lines = content.split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield _take(json.loads(line))
        except (ValueError, RecursionError):
            if number == len(lines) and _is_torn(line):
                return
            problem = "is no judgement of a spot check; name the file that judgecore view wrote, or a new one"
            raise JudgementsError(f"{path}, line {number} {problem}") from None


def _is_torn(line: bytes) -> bool:
    """Return whether a last line is the beginning of one, which a killed process left."""
    if not line or line[: len(_START)] != _START[: len(line)]:
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return True
    return False


def _take(given: object) -> tuple[str, str | None]:
    """Return the digest and judgement of a line; raise ``ValueError`` if it has none."""
    line = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    digest, judgement = line.get("digest"), line.get("judgement", "")
    if not isinstance(digest, str) or len(digest) != _LENGTH_OF_DIGEST or (judgement not in (None, *JUDGEMENTS)):
        raise ValueError
    int(digest, 16)
    return digest, judgement
