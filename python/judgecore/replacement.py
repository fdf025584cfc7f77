"""Files that are replaced as a whole: a reader, and whoever comes after a crash, sees the old one or the new one."""

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
except ImportError:  # On Windows, which also replaces no file that is open.
    _locks = None

# How much of a file's name stands in that of its unfinished successor.
_NAMED = 40


@contextmanager
def replacing(path: Path, *, follows_link: bool = True) -> Generator[BinaryIO]:
    """Write a file that appears whole or not at all.

    The bytes go to a file without a name, or of another name where the system knows no such files, which takes the
    target's place when the block ends, and is gone when it fails or is interrupted. What a killed process leaves, a
    ``.part`` beside the target, is removed by the next writer of the target. A device or pipe is written to directly.

    Args:
        path: The target; its folder must be there.
        follows_link: Whether a symbolic link stays, and what it points to is replaced or written to.

    Yields:
        The stream to write to.

    Raises:
        OSError: If it can't be written; the old file is as it was.
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
        # Open until it has taken its place, because its lock says that somebody is at work on it.
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
    """Put a file that is whole, and safe on the disk, in the place of another in its folder.

    Args:
        part: The file.
        target: What it becomes; the mode of one that is there stays.

    Raises:
        OSError: If that can't be done; the old file is as it was.
    """
    if target.exists():
        shutil.copymode(target, part)
    part.replace(target)
    _keep_name(target.parent)


def open_exclusively(path: Path) -> BinaryIO:
    """Open a file for reading and writing, made where it is not there, against all who open it so.

    Args:
        path: Its name, where no link may stand.

    Returns:
        The stream, at its beginning. It is alone until it is closed or its process ends, where the system has locks.

    Raises:
        BlockingIOError: If somebody else has it open.
        OSError: If it can't be opened.
    """
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    while True:
        stream = os.fdopen(os.open(path, flags, 0o666), "r+b")
        try:
            _lock_now(stream)
            # Before it was locked, whoever had it may have renamed or removed it.
            if path.exists() and os.path.samestat(path.stat(), os.fstat(stream.fileno())):
                return stream
        except BaseException:
            stream.close()
            raise
        stream.close()


def replace_file(path: Path, content: bytes) -> None:
    """Write a whole file in a folder that may be anybody's, as ``replacing`` does.

    Args:
        path: The target; its folder must be there. A symbolic link is replaced, and leads nowhere else.
        content: All that it is to hold.

    Raises:
        OSError: If it can't be written; the old file is as it was.
    """
    with replacing(path, follows_link=False) as stream:
        stream.write(content)


def missing_folder_problem(path: Path) -> str:
    """Say that a file can't be made because its folder is not there, with the cure.

    Args:
        path: The file.

    Returns:
        The words; none where the folder is there.
    """
    # What stands above it may be closed to us; then nothing is known of the folder.
    with suppress(OSError):
        if not path.parent.exists():
            return f"there is no folder {path.parent}; make it first"
    return ""


def _open_nameless(folder: Path) -> BinaryIO | None:
    """Open a file without a name, which is gone with its process; None where the system has none."""
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None or not Path("/proc/self/fd").is_dir():
        return None
    try:
        return os.fdopen(os.open(folder, flag | os.O_RDWR, 0o666), "w+b")
    except OSError:
        return None


def _open_named(path: Path) -> BinaryIO:
    """Open a new file and lock it."""
    while True:
        stream = path.open("xb")
        _lock(stream)
        # Between its making and its lock another writer could take it for abandoned.
        if path.exists() and os.path.samestat(path.stat(), os.fstat(stream.fileno())):
            return stream
        stream.close()


def _give_name(stream: BinaryIO, path: Path, held: ExitStack) -> None:
    """Give a file that has none a name; where the system refuses that, what it holds."""
    try:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            # Only with a folder is the link followed to the file that it stands for.
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
    """Lock a file, which the system unlocks when its process ends; where it has no such locks nothing is removed."""
    if _locks is not None:
        with suppress(OSError):
            _locks.flock(stream, _locks.LOCK_EX)


def _lock_now(stream: BinaryIO) -> None:
    """Lock a file, or say that somebody else has; where the system has no such locks it goes without."""
    if _locks is not None:
        try:
            _locks.flock(stream, _locks.LOCK_EX | _locks.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:
            pass


def _remove_abandoned(target: Path) -> None:
    """Remove what writers of a file left that were killed; what a living one writes is locked."""
    if _locks is None:
        return
    left = re.compile(rf"\.{re.escape(target.name[:_NAMED])}\.[0-9a-f]{{8}}\.part")
    # A file that can't be listed, opened or removed is in nobody's way.
    with suppress(OSError), os.scandir(target.parent) as entries:
        found = [entry.path for entry in entries if left.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)]
        for path in found:
            with suppress(OSError), open(path, "rb", opener=_open_itself) as stream:
                _locks.flock(stream, _locks.LOCK_EX | _locks.LOCK_NB)
                Path(path).unlink()


def _open_itself(path: str, flags: int) -> int:
    """Open a file, and nothing that a link by its name leads to."""
    return os.open(path, flags | os.O_NOFOLLOW)


def _keep_name(folder: Path) -> None:
    """Make the new names in a folder last through a power cut, where the system can; Windows can't open a folder."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    # The file is there, whether its folder can be synchronised or not.
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
