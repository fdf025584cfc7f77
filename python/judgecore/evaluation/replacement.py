"""``replace_file``: a file's new content in the place of the old one, whole after any crash."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from judgecore.errors import RegistryError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

LOCK_TIMEOUT_S = 30.0
"""Seconds that a writer waits for another one before it says so."""


def replace_file(path: Path, content: bytes) -> None:
    """Put a new file in the place of the old one, so that either is whole whatever happens.

    Only one process at a time may replace a file; what a killed one left is written over.

    Args:
        path: The file; its folder must be there.
        content: All that it is to hold.

    Raises:
        OSError: If it can't be written; the old file is as it was.
    """
    new = path.with_name(f".{path.name}.part")
    try:
        with new.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, new)
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    # Only this makes the new name last through a power cut; Windows can't open a folder.
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold a registry's file against other writers, of this process and of others, while it is replaced.

    Args:
        path: The file; its folder is made where it is not there.

    Raises:
        RegistryError: If another process holds the file for 30 s, or it can't be written. The old file is whole.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(f"{path.name}.lock"), timeout=LOCK_TIMEOUT_S, thread_local=False):
            yield
    except Timeout:
        raise RegistryError(
            f"{path}: another process has held it for {LOCK_TIMEOUT_S:.0f} s; try again when it has ended"
        ) from None
    except OSError as problem:
        raise RegistryError(f"{path}: can't be written: {problem.strerror or problem}; it is as it was") from problem
