"""``judgecore``, and ``python -m judgecore``: the command line."""

from __future__ import annotations

import os
import signal
import sys

INTERRUPTED = 130


def _leave(*_: object) -> None:
    """End at once: nothing is begun while the program is being imported."""
    os._exit(INTERRUPTED)


def main() -> None:
    """Run the command line; a signal before it begins ends the program without a word, as one does later.

    Raises:
        SystemExit: Always, with the status that ``judgecore.cli.main`` gives.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        # Who started the program may want it to live on.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)
    try:
        from judgecore.cli import main as run  # noqa: PLC0415 - what is imported here may be interrupted

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except SystemExit as left:
        # An interruption that was met while code was being made would, caught or not, be the interpreter's last word.
        if left.code == INTERRUPTED:
            _leave()
        raise
    finally:
        # All is written or given up; to stop what is left would only leave a trace of it.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    main()
