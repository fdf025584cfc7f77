"""Run ``judgecore`` again and again: ``run_again.py SOCKET``, the number of an open socket.

Each line that comes in is a run as JSON, with its standard streams as open files: ``folder``, ``arguments``, ``env``,
and if they are wanted ``is_in_steps``, to read in small chunks, ``signal``, sent ``after`` some seconds or when the
file ``part`` is ``large``, and ``most_bytes`` of a file. Each line that goes out is what came of it: ``status``,
``seconds`` and ``peak_kb`` of memory. A run is a process of its own, forked, because importing the program takes longer
than most runs.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import sys
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

from imported import import_all

from judgecore.__main__ import main


def read_in_steps() -> None:
    from judgecore.cli import parse
    from judgecore.tables import arrow, journal, text

    journal.SECONDS_BETWEEN = 0.0
    text.PART = 1 << 14
    parse.ROWS_IN_BATCH = 100
    arrow.ROWS_DECODED = (32, 64)
    arrow.BYTES_READ_AT_ONCE = 1 << 14
    arrow.BYTES_IN_ROW_GROUP = 1 << 16


def become(arguments: list[str], env: dict[str, str] | None, *, is_in_steps: bool, most_bytes: int | None) -> NoReturn:
    """Do what the installed program does, to the end of its process."""
    if env is not None:
        os.environ.clear()
        os.environ.update(env)
    if is_in_steps:
        read_in_steps()
    if most_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    sys.argv = [str(Path(sys.executable).with_name("judgecore")), *arguments]
    status: Any = 1
    try:
        main()
    except SystemExit as end:
        status = end.code
    except BaseException:  # noqa: BLE001 - as the interpreter does with whatever is not caught
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status or 0)


def run(
    streams: list[int],
    folder: str,
    arguments: list[str],
    env: dict[str, str] | None = None,
    *,
    is_in_steps: bool = False,
    signal: int = 9,
    after: float | None = None,
    part: str = "",
    large: int = 0,
    most_bytes: int | None = None,
) -> dict[str, Any]:
    os.chdir(folder)
    began = time.monotonic()
    child = os.fork()
    if not child:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, max(streams) + 1)
        become(arguments, env, is_in_steps=is_in_steps, most_bytes=most_bytes)
    for stream in streams:
        os.close(stream)
    while part and not (Path(part).exists() and Path(part).stat().st_size >= large):
        time.sleep(0.001)
    if part or after is not None:
        time.sleep(after or 0)
        os.kill(child, signal)
    _, status, used = os.wait4(child, 0)
    lasted = time.monotonic() - began
    return {"status": os.waitstatus_to_exitcode(status), "seconds": lasted, "peak_kb": used.ru_maxrss}


# No run has to do it.
import_all()
with socket.socket(fileno=int(sys.argv[1])) as orders:
    while True:
        line, streams, *_ = socket.recv_fds(orders, 1 << 20, 3)
        if not line:
            break
        while not line.endswith(b"\n"):
            line += orders.recv(1 << 20)
        orders.sendall(json.dumps(run(streams, **json.loads(line))).encode() + b"\n")
