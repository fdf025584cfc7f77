"""Open files named by data only inside their folder.

A name is resolved, including ``..`` and symbolic links, and compared with the resolved folder. The resolved path is
then opened component by component from the folder's descriptor with ``O_NOFOLLOW``: a link created after the comparison
is an error, so there is no race between check and use.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

ALLOW_OUTSIDE = "move it there, or allow it with --allow-outside (in Python: allow_outside=True)"
"""How to fix a ``LeadsOutsideError``, for its message."""

_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)
# A named pipe would block on open; with O_NONBLOCK it is opened and then rejected.
_READ_FILE = _READ | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_STEP = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)


class LeadsOutsideError(PermissionError):
    """A name leads out of its folder, which ``strerror`` names."""


@dataclass(frozen=True)
class ContainedFile(os.PathLike[str]):
    """A file named by data, which must be inside a folder."""

    folder: Path
    name: str
    allow_outside: bool = False

    def __fspath__(self) -> str:
        return os.path.join(self.folder, self.name)  # noqa: PTH118 - Path would turn `a//b` and `./a` into other names

    def __str__(self) -> str:
        """Return its path for messages, with control characters and undecodable bytes escaped."""
        from judgecore.terminal import escape_controls  # noqa: PLC0415 - rich, for a message

        return escape_controls(self.__fspath__())

    def resolve(self) -> Path:
        """Return its path without symbolic links; it need not exist.

        Opening the returned path is only safe if nobody changes the folder in the meantime.
        """
        try:
            target = Path(os.path.realpath(self))
        except ValueError:
            raise OSError(errno.EINVAL, "is not a valid file name", self.name) from None
        if not self.allow_outside and not target.is_relative_to(os.path.realpath(self.folder)):
            raise self._outside()
        return target

    def open(self) -> BinaryIO:
        """Open it for reading."""
        target = self.resolve()
        if self.allow_outside:
            descriptor = os.open(target, _READ_FILE)
        elif os.open in os.supports_dir_fd:
            descriptor = _open_beneath(Path(os.path.realpath(self.folder)), target)
        else:
            descriptor = os.open(target, _READ)
        try:
            self._check(os.fstat(descriptor))
        except BaseException:
            os.close(descriptor)
            raise
        return os.fdopen(descriptor, "rb")

    def read_bytes(self) -> bytes:
        """Return its content; the errors are those of ``open``."""
        with self.open() as stream:
            return stream.read()

    def _check(self, opened: os.stat_result) -> None:
        if not stat.S_ISREG(opened.st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", self.name)
        # Windows has no folder descriptors, so the opened file is compared with what the name resolves to now.
        if os.open not in os.supports_dir_fd and not os.path.samestat(opened, self.resolve().stat()):
            raise self._outside()

    def _outside(self) -> LeadsOutsideError:
        problem = f"leads out of the folder {os.path.realpath(self.folder)}"
        return LeadsOutsideError(errno.EACCES, problem, self.name)


def to_file(path: str | os.PathLike[str]) -> Path | ContainedFile:
    """Return a path as ``Path``, or a ``ContainedFile`` unchanged."""
    return path if isinstance(path, ContainedFile) else Path(path)


def _open_beneath(folder: Path, target: Path) -> int:
    """Open a resolved path component by component from its folder, following no link."""
    parts = target.relative_to(folder).parts
    if not parts:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    at = os.open(folder, _STEP & ~getattr(os, "O_NOFOLLOW", 0))
    try:
        for part in parts[:-1]:
            next_at = os.open(part, _STEP, dir_fd=at)
            os.close(at)
            at = next_at
        return os.open(parts[-1], _READ_FILE, dir_fd=at)
    finally:
        os.close(at)
