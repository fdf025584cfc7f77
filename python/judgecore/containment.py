"""Files that data names are opened only inside of the folder that they belong to.

A name is resolved, with ``..`` and all links, and compared with the resolved folder. The resolved path is then opened
component by component from the folder's descriptor, with ``O_NOFOLLOW``: a link that is put there after the comparison
is an error and is not followed, so that nothing can change between check and use.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

ALLOW_OUTSIDE = "move it there, or allow it with --allow-outside (in Python: allow_outside=True)"
"""The cure of ``LeadsOutsideError``."""

_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)
# A pipe would be waited for; it is no regular file, and is refused once it is open.
_READ_FILE = _READ | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_STEP = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)


class LeadsOutsideError(PermissionError):
    """A name leads out of the folder that it belongs to; ``strerror`` says of which."""


@dataclass(frozen=True)
class ContainedFile(os.PathLike[str]):
    """A file by the name that data has for it, beside which nothing else can be read.

    Attributes:
        folder: The folder that it must lie in, and that the name starts from.
        name: The name: relative, or absolute.
        allow_outside: Whether it may lie anywhere.
    """

    folder: Path
    name: str
    allow_outside: bool = False

    def __fspath__(self) -> str:
        return os.path.join(self.folder, self.name)  # noqa: PTH118 - Path would turn `a//b` and `./a` into other names

    def __str__(self) -> str:
        """What messages call it: its path, with what no terminal and no file of text can hold spelled out."""
        from judgecore.terminal import escape_controls  # noqa: PLC0415 - rich, for a message

        return escape_controls(self.__fspath__())

    def resolve(self) -> Path:
        """Return where it lies, without links; it need not exist.

        Whoever opens this by its name takes it that the folder does not change meanwhile.

        Raises:
            LeadsOutsideError: If that is outside of the folder.
            OSError: If the name can't be one of a file.
        """
        try:
            target = Path(os.path.realpath(self))
        except ValueError:
            raise OSError(errno.EINVAL, "is no name that a file can have", self.name) from None
        if not self.allow_outside and not target.is_relative_to(os.path.realpath(self.folder)):
            raise self._outside()
        return target

    def open(self) -> BinaryIO:
        """Open it for reading.

        Raises:
            LeadsOutsideError: If it is outside of the folder.
            OSError: If it can't be read, or is no regular file.
        """
        target = self.resolve()
        if self.allow_outside:
            descriptor = os.open(target, _READ_FILE)
        elif os.open in os.supports_dir_fd:
            descriptor = _walk(Path(os.path.realpath(self.folder)), target)
        else:
            descriptor = os.open(target, _READ)
        try:
            self._check(os.fstat(descriptor))
        except BaseException:
            os.close(descriptor)
            raise
        return os.fdopen(descriptor, "rb")

    def read_bytes(self) -> bytes:
        """Return its content.

        Raises:
            LeadsOutsideError: As ``open``.
            OSError: As ``open``.
        """
        with self.open() as stream:
            return stream.read()

    def _check(self, opened: os.stat_result) -> None:
        if not stat.S_ISREG(opened.st_mode):
            raise OSError(errno.EINVAL, "is no regular file", self.name)
        # Windows knows no descriptors of folders: what was opened is compared with what the name leads to now.
        if os.open not in os.supports_dir_fd and not os.path.samestat(opened, self.resolve().stat()):
            raise self._outside()

    def _outside(self) -> LeadsOutsideError:
        says = f"leads out of the folder {os.path.realpath(self.folder)}"
        return LeadsOutsideError(errno.EACCES, says, self.name)


def to_file(path: str | os.PathLike[str]) -> Path | ContainedFile:
    """Return a path as an object that can be read, without forgetting the folder that a file must lie in."""
    return path if isinstance(path, ContainedFile) else Path(path)


def _walk(folder: Path, target: Path) -> int:
    """Open a resolved path from its folder on, following no link."""
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
