"""``judgecore``, and ``python -m judgecore``: the command line."""

from __future__ import annotations

import os
import signal
import sys

INTERRUPTED = 130


def _leave(*_: object) -> None:
    """Exit at once: while the program is being imported, there is nothing to clean up."""
    os._exit(INTERRUPTED)


def main() -> None:
    """Run the command line; signals during the imports are handled, too."""
    for number in (signal.SIGINT, signal.SIGTERM):
        # The parent process may have set the signal to be ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)
    try:
        _run()
    except KeyboardInterrupt:
        # It fell into what follows the command.
        _leave()


def _run() -> None:
    """Run the command line, and then ignore signals."""
    try:
        from judgecore.cli import main as run  # noqa: PLC0415 - imported after the signal handlers are set

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except SystemExit as left:
        # If the interruption hit during compilation, the interpreter would print a traceback on exit.
        if left.code == INTERRUPTED:
            _leave()
        raise
    finally:
        # All work is done; a signal during shutdown would only print a traceback.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    main()
