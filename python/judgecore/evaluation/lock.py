"""``locked``: an inter-process lock for a registry's file."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from judgecore.errors import RegistryError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

LOCK_TIMEOUT_S = 30.0
"""The maximum time to wait for the lock, in seconds."""


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Lock a registry's file against other writers, in this process and in others."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(f"{path.name}.lock"), timeout=LOCK_TIMEOUT_S, thread_local=False):
            yield
    except Timeout:
        raise RegistryError(
            f"{path}: another process has held it for {LOCK_TIMEOUT_S:.0f} s; try again when it has ended"
        ) from None
    except OSError as problem:
        raise RegistryError(f"{path}: can't be written: {problem.strerror or problem}; it is unchanged") from problem
