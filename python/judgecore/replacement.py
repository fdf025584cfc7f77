"""Files that are replaced as a whole: a reader, and whoever comes after a crash, sees the old one or the new one."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def replacing(path: Path, *, follows_link: bool = True) -> Generator[BinaryIO]:
    """Write a file that appears whole or not at all.

    The bytes go to a file without a name, or of another name where the system knows no such files, which takes the
    target's place when the block ends, and is gone when it fails, is interrupted or, without a name, is killed. A
    device or pipe is written to directly.

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
    target = path.resolve() if follows_link else path
    part = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}.part")
    nameless = _open_nameless(target.parent)
    try:
        with part.open("xb") if nameless is None else nameless as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            if nameless is not None:
                _give_name(nameless, part)
        if target.exists():
            shutil.copymode(target, part)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _keep_name(target.parent)


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


def say_missing_folder(path: Path) -> str:
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


def _give_name(stream: BinaryIO, path: Path) -> None:
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
        with path.open("xb") as named:
            shutil.copyfileobj(stream, named)
            named.flush()
            os.fsync(named.fileno())


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
