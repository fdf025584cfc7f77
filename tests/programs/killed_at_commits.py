"""Run ``judgecore`` and kill it exactly before or after a commit of the ledger, again and again.

``killed_at_commits.py SEED MOST ARGUMENT...`` forks a run for each kill: the first is killed at a random commit of the
first ``MOST``, before it is written or when it is; the next as well, and so on, until one is done. It prints how each
run ended: the commit, or the exit status.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from typing import Any, NoReturn

from imported import import_all

from judgecore.__main__ import main
from judgecore.targets.ledger import writer


def become(arguments: list[str], commit: int, *, is_written: bool) -> NoReturn:
    """Do what the program does, and die at a commit."""
    # Every commit goes through it.
    write = writer.Writer._write  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    n_commits = 0

    def write_or_die(self: writer.Writer, batch: writer.Changes) -> None:
        nonlocal n_commits
        n_commits += 1
        if n_commits == commit and not is_written:
            os.kill(os.getpid(), signal.SIGKILL)
        write(self, batch)
        if n_commits == commit:
            os.kill(os.getpid(), signal.SIGKILL)

    setattr(writer.Writer, "_write", write_or_die)  # noqa: B010 - pyright rejects assigning a method
    sys.argv = ["judgecore", *arguments]
    status: Any = 1
    try:
        main()
    except SystemExit as end:
        status = end.code
    finally:
        sys.stderr.flush()
        os._exit(status or 0)


def run(seed: int, most: int, arguments: list[str]) -> None:
    chance = random.Random(seed)  # noqa: S311 - a moment, no secret
    ends: list[str] = []
    while not ends or ends[-1].startswith("killed"):
        # What survives a kill adds up, so the run ends some time.
        commit, is_written = chance.randint(1, most), chance.random() < 0.5
        child = os.fork()
        if not child:
            become(arguments, commit, is_written=is_written)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        side = "after" if is_written else "before"
        ends.append(f"killed {side} commit {commit}" if status == -signal.SIGKILL else f"exit {status}")
    print(json.dumps(ends))


# No run has to do it.
import_all()
run(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
