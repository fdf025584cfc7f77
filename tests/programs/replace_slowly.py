"""Replace a file and stop half way, until a line comes in: ``replace_slowly.py FILE STAGE CONTENT``.

The stages are ``writing``, where the file has a name from the beginning, ``copying``, where it can't be given one by a
link, and ``named``, just before it takes the target's place.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from judgecore.replacement import replacing


def stop() -> None:
    print("stopped", flush=True)
    sys.stdin.readline()


def refuse(*_: Any, **__: Any) -> None:
    raise PermissionError


def main(file: str, stage: str, content: str) -> None:
    move_into_place = Path.replace

    def stop_and_take_place(self: Path, target: str | os.PathLike[str]) -> Path:
        stop()
        return move_into_place(self, target)

    if stage == "writing":
        del os.O_TMPFILE
    else:
        Path.replace = stop_and_take_place
    if stage == "copying":
        os.link = refuse
    with replacing(Path(file)) as stream:
        stream.write(content.encode())
        if stage == "writing":
            stream.flush()
            stop()


main(*sys.argv[1:])
