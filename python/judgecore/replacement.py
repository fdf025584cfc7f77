"""Replace files atomically: a reader sees the old or the new file, also after a crash."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Generator

try:
    import fcntl as _locks
except ImportError:  # On Windows, which also can't replace an open file.
    _locks = None

# How much of the target's name is part of the temporary file's name.
_NAMED = 40


@contextmanager
def replacing(path: Path, *, follows_link: bool = True) -> Generator[BinaryIO]:
    """Write a file atomically.

    The bytes go to an unnamed temporary file, or a named one if the system has none. It replaces the target when the
    block ends, and is removed if the block raises. If a killed process leaves a ``.part`` file beside the target, the
    next writer of the target removes it. A device or pipe is written to directly.
    """
    if path.exists() and not path.is_file() and (follows_link or not path.is_symlink()):
        with path.open("wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path)) if follows_link else path
    if follows_link and target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    _remove_abandoned(target)
    part = target.with_name(f".{target.name[:_NAMED]}.{secrets.token_hex(4)}.part")
    nameless = _open_nameless(target.parent)
    try:
        # The file stays open, and so locked, until it is in place, to show that its writer is alive.
        with ExitStack() as held:
            stream = held.enter_context(_open_named(part) if nameless is None else nameless)
            if nameless is not None:
                _lock(nameless)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            if nameless is not None:
                _give_name(nameless, part, held)
            if _locks is None:
                held.close()
            move_into_place(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def move_into_place(part: Path, target: Path) -> None:
    """Replace a file by a complete and synced one in the same folder; the replaced file's mode is kept."""
    if target.exists():
        shutil.copymode(target, part)
    part.replace(target)
    _keep_name(target.parent)


def open_exclusively(path: Path) -> BinaryIO:
    """Open or create a file for reading and writing, and lock it."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    while True:
        stream = os.fdopen(os.open(path, flags, 0o666), "r+b")
        try:
            _lock_now(stream)
            # The previous holder may have renamed or removed the file before it was locked here.
            if path.exists() and os.path.samestat(path.stat(), os.fstat(stream.fileno())):
                return stream
        except BaseException:
            stream.close()
            raise
        stream.close()


def replace_file(path: Path, content: bytes) -> None:
    """Write a file as ``replacing`` does, in a folder that others may write to: a symbolic link is replaced."""
    with replacing(path, follows_link=False) as stream:
        stream.write(content)


def missing_folder_problem(path: Path) -> str:
    """Return a message if a file's folder doesn't exist, else an empty one."""
    # A parent folder may not be accessible; then nothing can be said.
    with suppress(OSError):
        if not path.parent.exists():
            return f"the folder {path.parent} does not exist; create it first"
    return ""


def _open_nameless(folder: Path) -> BinaryIO | None:
    """Open an unnamed temporary file; None if the system has none."""
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None or not Path("/proc/self/fd").is_dir():
        return None
    try:
        return os.fdopen(os.open(folder, flag | os.O_RDWR, 0o666), "w+b")
    except OSError:
        return None


def _open_named(path: Path) -> BinaryIO:
    while True:
        stream = path.open("xb")
        _lock(stream)
        # Another writer may have removed it as abandoned before it was locked.
        if path.exists() and os.path.samestat(path.stat(), os.fstat(stream.fileno())):
            return stream
        stream.close()


def _give_name(stream: BinaryIO, path: Path, held: ExitStack) -> None:
    """Link an unnamed file to a name, or copy its content to a new file if the system refuses."""
    try:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            # os.link follows the link in /proc only if a folder descriptor is given.
            os.link(f"/proc/self/fd/{stream.fileno()}", path, src_dir_fd=folder)
        finally:
            os.close(folder)
    except OSError:
        stream.seek(0)
        named = held.enter_context(_open_named(path))
        shutil.copyfileobj(stream, named)
        named.flush()
        os.fsync(named.fileno())


def _lock(stream: BinaryIO) -> None:
    """Lock a file until its process ends; do nothing if the system has no such locks."""
    if _locks is not None:
        with suppress(OSError):
            _locks.flock(stream, _locks.LOCK_EX)


def _lock_now(stream: BinaryIO) -> None:
    """Lock a file, or raise ``BlockingIOError`` if it is locked; do nothing if the system has no such locks."""
    if _locks is not None:
        try:
            _locks.flock(stream, _locks.LOCK_EX | _locks.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:
            pass


def _remove_abandoned(target: Path) -> None:
    """Remove temporary files of killed writers; those of running writers are locked."""
    if _locks is None:
        return
    left = re.compile(rf"\.{re.escape(target.name[:_NAMED])}\.[0-9a-f]{{8}}\.part")
    # Files that can't be listed, opened or removed do no harm.
    with suppress(OSError), os.scandir(target.parent) as entries:
        found = [entry.path for entry in entries if left.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)]
        for path in found:
            with (
                suppress(OSError),
                open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW)) as stream,
            ):
                _locks.flock(stream, _locks.LOCK_EX | _locks.LOCK_NB)
                Path(path).unlink()


def _keep_name(folder: Path) -> None:
    """Sync a folder so that renames survive a power failure; do nothing on Windows, which can't open folders."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    # The file is in place even if its folder can't be synced.
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
