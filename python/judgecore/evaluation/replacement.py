"""``replace_file``: a file's new content in the place of the old one, whole after any crash."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


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
