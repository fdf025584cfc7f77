"""Run ``judgecore`` again and again, in small chunks, and stop it where that is asked for.

Each line that comes in is a run as JSON: ``folder`` and ``arguments``, and if they are wanted ``signal``, sent
``after`` some seconds or when the file ``part`` is ``large``, and ``most_bytes`` of a file. Each line that goes out is
what came of it: ``status``, ``out``, ``err`` and ``seconds``. A run is a process of its own, forked, because importing
the program takes longer than such a run.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NoReturn

import pyarrow.parquet as _  # noqa: F401 - so that no run has to import it

from judgecore.cli import main, parse
from judgecore.tables import arrow, journal, text

journal.SECONDS_BETWEEN = 0.0
text.PART = 1 << 14
parse.ROWS_IN_BATCH = 100
arrow.ROWS_DECODED = (32, 64)
arrow.BYTES_READ_AT_ONCE = 1 << 14
arrow.BYTES_IN_ROW_GROUP = 1 << 16


def become(arguments: list[str], files: list[int], most_bytes: int | None) -> NoReturn:
    os.dup2(files[0], 1)
    os.dup2(files[1], 2)
    if most_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    status: Any = 1
    try:
        main(arguments)
    except SystemExit as end:
        status = end.code
    finally:
        sys.stdout.flush()
        os._exit(status)


def run(
    folder: str,
    arguments: list[str],
    *,
    signal: int = 9,
    after: float | None = None,
    part: str = "",
    large: int = 0,
    most_bytes: int | None = None,
) -> dict[str, Any]:
    os.chdir(folder)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.monotonic()
        child = os.fork()
        if not child:
            become(arguments, [out.fileno(), err.fileno()], most_bytes)
        while part and not (Path(part).exists() and Path(part).stat().st_size >= large):
            time.sleep(0.001)
        if part or after is not None:
            time.sleep(after or 0)
            os.kill(child, signal)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        seconds = time.monotonic() - began
        said = []
        for file in (out, err):
            file.seek(0)
            said.append(file.read().decode())
    return {"status": status, "out": said[0], "err": said[1], "seconds": seconds}


for line in sys.stdin:
    print(json.dumps(run(**json.loads(line))), flush=True)
