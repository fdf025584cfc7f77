"""``locked``: a registry's file, which one process at a time may replace."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from judgecore.errors import RegistryError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

LOCK_TIMEOUT_S = 30.0
"""Seconds that a writer waits for another one before it says so."""


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
